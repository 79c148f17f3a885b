/* SPDX-License-Identifier: MIT */
/*
 * Planting s_trap in shader code, through the driver's CPU mapping. A pad (s_nop) is replaced in place and passed by
 * going to the next instruction; anything else is passed through a displaced copy (displace.c).
 *
 * A clause (RDNA3 ISA guide, 16.5, S_CLAUSE) holds memory instructions of one type and no s_trap. It changes when they
 * are issued, not what they do: as long as a trap is in one, its s_clause is an s_nop.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "stop/private.h"
#include "vgpu.h"

static const uint32_t s_nop = 0xbf800000; /* SOPP, opcode 0 */

static uint32_t
s_trap(uint32_t id)
{
   return 0xbf900000 | id; /* SOPP, opcode 16 */
}

static uint32_t *
code_at(const struct shader *shader, uint32_t pc)
{
   return (uint32_t *)((uint8_t *)shader->info->code + pc);
}

/* Finds the instructions' starts. Nothing is planted yet. */
static int
index_instructions(struct shader *shader)
{
   for (uint32_t pc = 0; pc + 4 <= shader->info->exec_size;) {
      char text[256];
      int size = vgpu_disassemble(code_at(shader, pc), shader->info->exec_size - pc, shader->info->wave_size,
                                  shader->info->va + pc, text, sizeof(text));
      uint32_t *slot = array_append(shader->pcs, shader->pc_count);
      if (!slot)
         return -ENOMEM;
      *slot = pc;
      pc += size > 0 ? size : 4;
   }
   return 0;
}

/* Index of the first instruction that starts at `pc` or behind it, or -1. */
static ptrdiff_t
find_from(struct shader *shader, uint32_t pc)
{
   if (!shader->pcs && index_instructions(shader))
      return -1;
   size_t low = 0, high = shader->pc_count;
   while (low < high) {
      size_t middle = (low + high) / 2;
      if (shader->pcs[middle] < pc)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

/* Index of the instruction at `pc`, or -1. */
static ptrdiff_t
find_instruction(struct shader *shader, uint32_t pc)
{
   ptrdiff_t i = find_from(shader, pc);
   return i >= 0 && (size_t)i < shader->pc_count && shader->pcs[i] == pc ? i : -1;
}

bool
shader_find_instruction(struct shader *shader, uint32_t pc, uint32_t *start, uint32_t *next)
{
   ptrdiff_t behind = pc < shader->info->exec_size ? find_from(shader, pc + 1) : -1;
   if (behind <= 0)
      return false;
   *start = shader->pcs[behind - 1];
   *next = (size_t)behind < shader->pc_count ? shader->pcs[behind] : shader->info->exec_size;
   return true;
}

static uint32_t
original_word(struct shader *shader, uint32_t pc)
{
   const struct plant *plant = shader_plant_at(shader, pc);
   return plant ? plant->original : *code_at(shader, pc);
}

/* The s_clause whose instructions include instruction i, or i itself. A clause has at most 64. */
static size_t
clause_start(struct shader *shader, size_t i)
{
   for (size_t back = 1; back <= 64 && back <= i; back++) {
      uint32_t length = instruction_clause_length(original_word(shader, shader->pcs[i - back]));
      if (length)
         return length >= back ? i - back : i;
   }
   return i;
}

struct plant *
shader_plant_at(struct shader *shader, uint32_t pc)
{
   for (size_t i = 0; i < shader->plant_count; i++)
      if (shader->plants[i].pc == pc)
         return &shader->plants[i];
   return NULL;
}

static int
alloc_displaced(struct hdb_machine *machine)
{
   for (size_t i = 0; i < DISPLACED_CAPACITY / 64; i++)
      if (~machine->displaced_used[i]) {
         int bit = __builtin_ctzll(~machine->displaced_used[i]);
         machine->displaced_used[i] |= 1ull << bit;
         return i * 64 + bit;
      }
   return -ENOSPC;
}

static void
free_displaced(struct hdb_machine *machine, uint64_t copy)
{
   uint64_t i = (copy - machine->trap.displaced.va) / DISPLACED_SIZE;
   if (copy >= machine->trap.displaced.va && i < DISPLACED_CAPACITY)
      machine->displaced_used[i / 64] &= ~(1ull << i % 64);
}

static int
make_plant(struct hdb_machine *machine, struct shader *shader, size_t i, struct plant *plant)
{
   uint32_t pc = shader->pcs[i];
   uint32_t end = i + 1 < shader->pc_count ? shader->pcs[i + 1] : shader->info->exec_size;
   plant->pc = pc;
   plant->original = *code_at(shader, pc);
   if (instruction_is_nop(plant->original)) {
      plant->go_on = shader->info->va + end;
      return 0;
   }
   if (instruction_is_trap(plant->original))
      return -ENOTSUP; /* stops by itself */
   uint8_t copy[DISPLACED_SIZE];
   int error = displace_instruction(code_at(shader, pc), end - pc, shader->info->va + pc, copy);
   if (error)
      return error;
   int number = alloc_displaced(machine);
   if (number < 0)
      return number;
   memcpy((uint8_t *)machine->trap.displaced.map + number * DISPLACED_SIZE, copy, sizeof(copy));
   plant->go_on = machine->trap.displaced.va + number * DISPLACED_SIZE;
   return 0;
}

static struct plant *
find_or_make_plant(struct hdb_machine *machine, struct shader *shader, uint32_t pc, int *error)
{
   struct plant *found = shader_plant_at(shader, pc);
   if (found)
      return found;
   ptrdiff_t i = find_instruction(shader, pc);
   *error = -EINVAL;
   if (i < 0)
      return NULL;
   struct plant plant = {0};
   *error = make_plant(machine, shader, i, &plant);
   if (*error)
      return NULL;
   struct plant *slot = array_append(shader->plants, shader->plant_count);
   if (!slot) {
      free_displaced(machine, plant.go_on);
      *error = -ENOMEM;
      return NULL;
   }
   *slot = plant;
   return slot;
}

/* Waves that run now, or start before the next job's ACQUIRE_MEM, may have the old code in their instruction cache. */
static void
announce_code(struct hdb_machine *machine)
{
   if (!machine->armed_count)
      return;
   hdb_trap_want(&machine->trap, WANT_REFRESH_BIT, true);
   machine_host_trap(machine);
}

bool
plant_is_in_force(const struct plant *plant)
{
   for (int kind = 0; kind < PLANT_KINDS; kind++) {
      if (plant->count[kind])
         return true;
   }
   return false;
}

/* With several kinds in one place it is the one that loses nothing: the host, or NOTED_BREAKPOINT, sees to the rest. */
static void
write_code(struct shader *shader, const struct plant *plant)
{
   uint32_t word = plant->count[PLANT_ENTRY]        ? s_trap(TRAP_ENTRY)
                   : plant->count[PLANT_HALT]       ? s_trap(TRAP_HALT)
                   : plant->count[PLANT_BREAKPOINT] ? s_trap(TRAP_BREAKPOINT)
                   : plant->count[PLANT_OPENED]     ? s_nop
                                                    : plant->original;
   __atomic_store_n(code_at(shader, plant->pc), word, __ATOMIC_RELEASE);
}

static int
count_plant(struct hdb_machine *machine, struct shader *shader, struct plant *plant, enum plant_kind kind, int change)
{
   bool first = !plant->count[kind];
   plant->count[kind] += change;
   if (!first && plant->count[kind])
      return 0;
   write_code(shader, plant);
   announce_code(machine);
   return plant->pc || !shader->launch_noted ? 0 : machine_note_launch(machine, shader);
}

/* The pc of the s_clause around an instruction. False: it is in none. */
static bool
find_clause(struct shader *shader, uint32_t pc, uint32_t *clause)
{
   size_t i = find_instruction(shader, pc), start = clause_start(shader, i);
   *clause = shader->pcs[start];
   return start != i;
}

/* Before the trap is written: waves that run are told to look at the code in between. */
static int
open_clause(struct hdb_machine *machine, struct shader *shader, uint32_t pc)
{
   int error = 0;
   uint32_t clause;
   if (!find_clause(shader, pc, &clause))
      return 0;
   struct plant *plant = find_or_make_plant(machine, shader, clause, &error);
   return plant ? count_plant(machine, shader, plant, PLANT_OPENED, 1) : error;
}

static void
close_clause(struct hdb_machine *machine, struct shader *shader, uint32_t pc)
{
   uint32_t clause;
   if (find_clause(shader, pc, &clause))
      count_plant(machine, shader, shader_plant_at(shader, clause), PLANT_OPENED, -1);
}

int
machine_plant_trap(struct hdb_machine *machine, struct shader *shader, uint32_t pc, enum plant_kind kind)
{
   int error = 0;
   struct plant *plant = find_or_make_plant(machine, shader, pc, &error);
   if (!plant)
      return error;
   uint64_t va = hdb_trap_pc(shader->info->va + pc);
   error = hdb_trap_table_set(&machine->trap, &machine->trap.plants, va, hdb_trap_pc(plant->go_on));
   error = error ?: open_clause(machine, shader, pc); /* the plants may be elsewhere now */
   return error ?: count_plant(machine, shader, shader_plant_at(shader, pc), kind, 1);
}

/* The table's entry stays: a wave may meet the s_trap in its instruction cache yet. */
void
machine_unplant_trap(struct hdb_machine *machine, struct shader *shader, uint32_t pc, enum plant_kind kind)
{
   struct plant *plant = shader_plant_at(shader, pc);
   if (!plant || !plant->count[kind])
      return;
   count_plant(machine, shader, plant, kind, -1);
   close_clause(machine, shader, pc);
}

static void
restore_instruction(struct shader *shader, struct plant *plant)
{
   memset(plant->count, 0, sizeof(plant->count));
   write_code(shader, plant);
}

/* Clauses last, when no trap is in them. */
void
shader_restore_code(struct shader *shader)
{
   for (size_t i = 0; i < shader->plant_count; i++) {
      struct plant *plant = &shader->plants[i];
      if (plant_is_in_force(plant) && !plant->count[PLANT_OPENED])
         restore_instruction(shader, plant);
   }
   for (size_t i = 0; i < shader->plant_count; i++) {
      if (shader->plants[i].count[PLANT_OPENED])
         restore_instruction(shader, &shader->plants[i]);
   }
}

/* For a shader that no wave runs any more. */
void
shader_forget_plants(struct hdb_machine *machine, struct shader *shader)
{
   for (size_t i = 0; i < shader->plant_count; i++) {
      const struct plant *plant = &shader->plants[i];
      hdb_trap_table_unset(&machine->trap, &machine->trap.plants, hdb_trap_pc(shader->info->va + plant->pc));
      free_displaced(machine, plant->go_on);
   }
   free(shader->plants);
   shader->plants = NULL;
   shader->plant_count = 0;
}

const struct plant *
machine_plant_in_force(struct hdb_machine *machine, uint64_t pc)
{
   struct shader *shader = machine_shader_at(machine, pc);
   struct plant *plant = shader ? shader_plant_at(shader, pc - shader->info->va) : NULL;
   return plant && plant_is_in_force(plant) ? plant : NULL;
}

int
hdb_machine_plant(struct hdb_machine *machine, const struct hdb_shader *info, uint32_t pc)
{
   int error = machine_install(machine);
   if (error)
      return error;
   pthread_mutex_lock(&machine->lock);
   struct shader *shader = machine_find_shader(machine, info);
   error = shader ? machine_plant_trap(machine, shader, pc, PLANT_BREAKPOINT) : -ENOENT;
   pthread_mutex_unlock(&machine->lock);
   return error;
}

void
hdb_machine_unplant(struct hdb_machine *machine, const struct hdb_shader *info, uint32_t pc)
{
   pthread_mutex_lock(&machine->lock);
   struct shader *shader = machine_find_shader(machine, info);
   if (shader)
      machine_unplant_trap(machine, shader, pc, PLANT_BREAKPOINT);
   pthread_mutex_unlock(&machine->lock);
}

bool
hdb_machine_find_instruction(struct hdb_machine *machine, const struct hdb_shader *info, uint32_t pc, uint32_t *start,
                             uint32_t *next)
{
   pthread_mutex_lock(&machine->lock);
   struct shader *shader = machine_find_shader(machine, info);
   bool found = shader && shader_find_instruction(shader, pc, start, next);
   pthread_mutex_unlock(&machine->lock);
   return found;
}

bool
hdb_machine_has_plants(struct hdb_machine *machine, const struct hdb_shader *info)
{
   bool planted = false;
   pthread_mutex_lock(&machine->lock);
   struct shader *shader = machine_find_shader(machine, info);
   for (size_t i = 0; shader && i < shader->plant_count; i++)
      planted |= plant_is_in_force(&shader->plants[i]);
   pthread_mutex_unlock(&machine->lock);
   return planted;
}
