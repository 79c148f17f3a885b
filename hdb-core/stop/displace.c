/* SPDX-License-Identifier: MIT */
/*
 * Instructions run out of place. Where a trap is planted in place of an instruction, waves go on through a copy of it:
 * the original need never be put back while others run. A copy ends in an s_trap whose handler jumps back (there is no
 * SGPR free to hold a return address, and s_branch does not reach). What depends on the PC is rewritten.
 *
 * Opcodes and fields: RDNA3 ISA guide, 15.1 (scalar formats).
 */
#include <errno.h>
#include <string.h>

#include "stop/private.h"

enum { SOPP_NOP = 0, SOPP_CLAUSE = 5, SOPP_TRAP = 16, SOPP_BRANCH = 32, SOPP_LAST_BRANCH = 42 };
enum { SOP1_MOV_B32 = 0, SOP1_GETPC = 71, SOP1_SETPC = 72, SOP1_SWAPPC = 73 };
enum { SOPK_CALL = 20, SOPK_SUBVECTOR_LOOP_BEGIN = 22, SOPK_SUBVECTOR_LOOP_END = 23 };
enum { LITERAL = 255 };

static bool
is_sopp(uint32_t word, uint32_t *op)
{
   *op = word >> 16 & 0x7f;
   return word >> 23 == 0x17f;
}

static uint32_t
sopp(uint32_t op, uint32_t simm16)
{
   return 0x17fu << 23 | op << 16 | simm16;
}

static uint32_t
sop1(uint32_t op, uint32_t sdst, uint32_t ssrc)
{
   return 0x17du << 23 | sdst << 16 | op << 8 | ssrc;
}

bool
instruction_is_nop(uint32_t word)
{
   uint32_t op;
   return is_sopp(word, &op) && op == SOPP_NOP;
}

bool
instruction_is_trap(uint32_t word)
{
   uint32_t op;
   return is_sopp(word, &op) && op == SOPP_TRAP;
}

uint32_t
instruction_clause_length(uint32_t word)
{
   uint32_t op;
   return is_sopp(word, &op) && op == SOPP_CLAUSE ? (word & 0x3f) + 1 : 0;
}

/* s_mov_b32 of both halves of an address */
static uint32_t
put_address(uint32_t *copy, uint32_t sdst, uint64_t address)
{
   copy[0] = sop1(SOP1_MOV_B32, sdst, LITERAL);
   copy[1] = address;
   copy[2] = sop1(SOP1_MOV_B32, sdst + 1, LITERAL);
   copy[3] = address >> 32;
   return 4;
}

static uint64_t
branch_target(uint32_t word, uint64_t pc)
{
   return pc + 4 + 4 * (int64_t)(int16_t)word;
}

int
displace_instruction(const uint32_t *code, uint32_t size, uint64_t pc, uint8_t copy[DISPLACED_SIZE])
{
   uint32_t words[DISPLACED_RETURN / 4] = {0};
   uint64_t returns[2] = {hdb_trap_pc(pc + size), 0};
   uint32_t count = 0;
   uint32_t word = code[0], op;

   if (size > sizeof(words) - 4)
      return -ENOTSUP;
   if (is_sopp(word, &op) && op == SOPP_CLAUSE) {
      words[count++] = sopp(SOPP_NOP, 0); /* only a hint; the clause stays where it is */
   } else if (is_sopp(word, &op) && op == SOPP_BRANCH) {
      returns[0] = hdb_trap_pc(branch_target(word, pc));
   } else if (is_sopp(word, &op) && op > SOPP_BRANCH && op <= SOPP_LAST_BRANCH) {
      words[count++] = sopp(op, 1); /* taken: over the next instruction */
      returns[1] = hdb_trap_pc(branch_target(word, pc));
   } else if (word >> 23 == 0x17d && (word >> 8 & 0xff) == SOP1_GETPC) {
      count = put_address(words, word >> 16 & 0x7f, pc + 4);
   } else if (word >> 23 == 0x17d && (word >> 8 & 0xff) == SOP1_SWAPPC) {
      uint32_t sdst = word >> 16 & 0x7f, ssrc = word & 0xff;
      if ((sdst & ~1u) == (ssrc & ~1u))
         return -ENOTSUP; /* would need a register to keep the target in */
      count = put_address(words, sdst, pc + 4);
      words[count++] = sop1(SOP1_SETPC, 0, ssrc);
   } else if (word >> 28 == 0xb && (word >> 23 & 0x1f) == SOPK_CALL) {
      count = put_address(words, word >> 16 & 0x7f, pc + 4);
      returns[0] = hdb_trap_pc(branch_target(word, pc));
   } else if (word >> 28 == 0xb &&
              ((word >> 23 & 0x1f) == SOPK_SUBVECTOR_LOOP_BEGIN || (word >> 23 & 0x1f) == SOPK_SUBVECTOR_LOOP_END)) {
      return -ENOTSUP;
   } else {
      memcpy(words, code, size);
      count = size / 4;
   }
   words[count++] = sopp(SOPP_TRAP, TRAP_RETURN0);
   words[count++] = sopp(SOPP_TRAP, TRAP_RETURN1);
   memcpy(copy, words, sizeof(words));
   memcpy(copy + DISPLACED_RETURN, returns, sizeof(returns));
   return 0;
}

static struct plant *
plant_of_copy(struct hdb_machine *machine, uint64_t copy, uint64_t *shader_va)
{
   for (size_t i = 0; i < machine->shader_count; i++)
      for (size_t j = 0; j < machine->shaders[i]->plant_count; j++)
         if (machine->shaders[i]->plants[j].go_on == copy) {
            *shader_va = machine->shaders[i]->info->va;
            return &machine->shaders[i]->plants[j];
         }
   return NULL;
}

bool
machine_undisplace(struct hdb_machine *machine, uint64_t *pc)
{
   uint64_t offset = *pc - machine->trap.displaced.va;
   if (offset >= DISPLACED_SIZE * DISPLACED_CAPACITY)
      return true;
   const uint8_t *map = machine->trap.displaced.map;
   const uint8_t *copy = map + (offset & ~(DISPLACED_SIZE - 1ull));
   uint32_t word;
   memcpy(&word, map + offset, sizeof(word));
   bool returns = word == sopp(SOPP_TRAP, TRAP_RETURN0) || word == sopp(SOPP_TRAP, TRAP_RETURN1);
   if (returns) {
      uint64_t address;
      memcpy(&address, copy + DISPLACED_RETURN + 8 * (word & 1), sizeof(address));
      *pc = hdb_canonical(address);
      return true;
   }
   if (offset % DISPLACED_SIZE)
      return false;
   uint64_t shader_va;
   pthread_mutex_lock(&machine->lock);
   struct plant *plant = plant_of_copy(machine, *pc, &shader_va);
   if (plant)
      *pc = shader_va + plant->pc;
   pthread_mutex_unlock(&machine->lock);
   return plant;
}
