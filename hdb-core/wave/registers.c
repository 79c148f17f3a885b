/* SPDX-License-Identifier: MIT */
/* Registers and LDS of a stopped wave. */
#include <errno.h>
#include <string.h>

#include "stop/private.h"
#include "target/target.h"
#include "wave/slot.h"

/* Scalar operand selectors (RDNA3 ISA guide, table of SSRC0) */
enum { SGPRS = 106, VCC_HI = 107, TTMP0 = 108, TTMP15 = 123, SELECTOR_M0 = 125, EXEC_LO = 126, EXEC_HI = 127 };

/* Where in the slot a scalar register is; 0: nowhere. */
static uint32_t
scalar_offset(uint32_t reg)
{
   if (reg <= VCC_HI)
      return SLOT_SGPRS + 4 * reg;
   if (reg >= TTMP0 + 6 && reg <= TTMP0 + 13 && reg != TTMP0 + 12) /* the rest is the trap handler's */
      return SLOT_HEADER_DWORD(H_TTMP + reg - TTMP0);
   if (reg == SELECTOR_M0)
      return SLOT_HEADER_DWORD(H_M0);
   if (reg == EXEC_LO || reg == EXEC_HI)
      return SLOT_HEADER_DWORD(H_EXEC_LO + reg - EXEC_LO);
   return 0;
}

static struct machine_wave *
stopped_wave(struct hdb_wave *wave)
{
   return wave->run == HDB_WAVE_STOPPED ? (struct machine_wave *)wave : NULL;
}

int
hdb_wave_read_scalar(struct hdb_machine *machine, struct hdb_wave *public_wave, uint32_t reg, uint32_t *value)
{
   struct machine_wave *wave = stopped_wave(public_wave);
   uint32_t offset = scalar_offset(reg);
   if (!wave || !offset)
      return -EINVAL;
   *value = slot_read(machine_slot(machine, wave), offset);
   return 0;
}

int
hdb_wave_write_scalar(struct hdb_machine *machine, struct hdb_wave *public_wave, uint32_t reg, uint32_t value)
{
   struct machine_wave *wave = stopped_wave(public_wave);
   uint32_t offset = scalar_offset(reg);
   if (!wave || !offset || (reg >= TTMP0 && reg <= TTMP15))
      return -EINVAL;
   machine->edits++;
   slot_write(machine_slot(machine, wave), offset, value);
   if (reg == EXEC_LO)
      public_wave->exec = (public_wave->exec & ~0xffffffffull) | value;
   if (reg == EXEC_HI)
      public_wave->exec = (uint32_t)public_wave->exec | (uint64_t)value << 32;
   return 0;
}

static uint32_t
vgpr_offset(uint32_t vgpr, uint32_t lane)
{
   return SLOT_VGPRS + vgpr * 256 + lane * 4;
}

int
hdb_wave_read_vgpr(struct hdb_machine *machine, struct hdb_wave *public_wave, uint32_t vgpr, uint32_t lanes[64])
{
   struct machine_wave *wave = stopped_wave(public_wave);
   if (!wave || vgpr >= public_wave->vgpr_count)
      return -EINVAL;
   memset(lanes, 0, 64 * sizeof(*lanes));
   memcpy(lanes, machine_slot(machine, wave) + vgpr_offset(vgpr, 0), public_wave->wave_size * sizeof(*lanes));
   return 0;
}

int
hdb_wave_write_vgpr(struct hdb_machine *machine, struct hdb_wave *public_wave, uint32_t vgpr, uint32_t lane,
                    uint32_t value)
{
   struct machine_wave *wave = stopped_wave(public_wave);
   if (!wave || vgpr >= public_wave->vgpr_count || lane >= public_wave->wave_size)
      return -EINVAL;
   slot_write(machine_slot(machine, wave), vgpr_offset(vgpr, lane), value);
   wave->vgprs_edited = true;
   machine->edits++;
   return 0;
}

static bool
is_instruction(struct hdb_machine *machine, const struct hdb_wave *wave, uint64_t pc)
{
   uint32_t start, next;
   pthread_mutex_lock(&machine->lock);
   struct shader *shader = machine_shader_at(machine, pc);
   bool found = shader && (!wave->shader || shader->info == wave->shader) &&
                shader_find_instruction(shader, pc - shader->info->va, &start, &next) && shader->info->va + start == pc;
   pthread_mutex_unlock(&machine->lock);
   return found;
}

/* The trap handler restores the bit, and no other, of the STATUS that it saved. */
int
hdb_wave_set_scc(struct hdb_machine *machine, struct hdb_wave *public_wave, bool scc)
{
   struct machine_wave *wave = stopped_wave(public_wave);
   if (!wave)
      return -EINVAL;
   machine->edits++;
   public_wave->status = (public_wave->status & ~1u) | scc;
   slot_write(machine_slot(machine, wave), SLOT_HEADER_DWORD(H_STATUS), public_wave->status);
   return 0;
}

int
hdb_wave_set_pc(struct hdb_machine *machine, struct hdb_wave *public_wave, uint64_t pc)
{
   struct machine_wave *wave = stopped_wave(public_wave);
   if (!wave || !is_instruction(machine, public_wave, pc))
      return -EINVAL;
   public_wave->pc = pc;
   public_wave->notice = HDB_STOP_SEEN;
   wave->pc_edited = true;
   machine->edits++;
   return 0;
}

/* Dwords that hold [offset, offset + size), from the one at `first`; at most 32. */
static uint32_t
chunk_lanes(uint64_t offset, size_t size, uint64_t *first, size_t *taken)
{
   *first = offset & ~3ull;
   uint64_t room = *first + 128 - offset;
   *taken = size < room ? size : room;
   uint32_t dwords = (offset + *taken - *first + 3) / 4;
   return dwords == 32 ? ~0u : (1u << dwords) - 1;
}

int
wave_read_dwords(struct hdb_machine *machine, const struct machine_wave *wave, uint32_t command, uint64_t address,
                 uint32_t lanes, uint32_t dwords[32])
{
   const struct hdb_target_ops *ops = machine->target->ops;
   if (command == COMMAND_READ_MEMORY && ops->coherent && machine_has_registers(machine))
      return ops->read_memory(machine->target, machine->trap.vmid, address, dwords, 4 * __builtin_popcount(lanes));
   return hdb_mailbox_transfer(machine->target, machine_slot(machine, wave), command, address, lanes, dwords);
}

static int
transfer(struct hdb_machine *machine, struct hdb_wave *public_wave, uint32_t read, uint32_t write, uint64_t offset,
         void *data, size_t size, bool writes)
{
   struct machine_wave *wave = stopped_wave(public_wave);
   if (!wave)
      return -EINVAL;
   uint8_t *slot = machine_slot(machine, wave);
   int held;
   if (!writes && machine_read_held(machine, wave, read, offset, data, size, &held))
      return held;
   if (writes) {
      machine_forget_held(machine);
      machine->edits++;
   }
   while (size) {
      uint64_t first;
      size_t taken;
      uint32_t lanes = chunk_lanes(offset, size, &first, &taken), dwords[32];
      int error = wave_read_dwords(machine, wave, read, first, lanes, dwords);
      if (!error && writes) {
         memcpy((uint8_t *)dwords + (offset - first), data, taken);
         error = hdb_mailbox_transfer(machine->target, slot, write, first, lanes, dwords);
      } else if (!error) {
         memcpy(data, (uint8_t *)dwords + (offset - first), taken);
      }
      if (error)
         return error;
      data = (uint8_t *)data + taken;
      offset += taken;
      size -= taken;
   }
   return 0;
}

/* LDS_ALLOC.LDS_SIZE 20:12, in units of 128 dwords */
static bool
in_lds(struct hdb_machine *machine, const struct hdb_wave *wave, uint32_t offset, size_t size)
{
   uint32_t alloc = slot_read(hdb_trap_slot(&machine->trap, wave->slot), SLOT_HEADER_DWORD(H_LDS_ALLOC));
   uint32_t lds_size = (alloc >> 12 & 0x1ff) * 512;
   return offset <= lds_size && size <= lds_size - offset;
}

int
hdb_wave_read_lds(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t offset, void *data, size_t size)
{
   if (!in_lds(machine, wave, offset, size))
      return -EFAULT;
   return transfer(machine, wave, COMMAND_READ_LDS, COMMAND_WRITE_LDS, offset, data, size, false);
}

int
hdb_wave_write_lds(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t offset, const void *data, size_t size)
{
   if (!in_lds(machine, wave, offset, size))
      return -EFAULT;
   return transfer(machine, wave, COMMAND_READ_LDS, COMMAND_WRITE_LDS, offset, (void *)data, size, true);
}

int
wave_transfer_mapped(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, void *data, size_t size,
                     bool writes)
{
   return transfer(machine, wave, COMMAND_READ_MEMORY, COMMAND_WRITE_MEMORY, va, data, size, writes);
}

/* 1: all of it allows the GPU `wanted`; 0: some page does not, and the handler would fault; or a negative errno. */
static int
allows(struct hdb_machine *machine, uint64_t va, size_t size, uint32_t wanted)
{
   uint32_t access;
   int error = machine_get_access(machine, va, size, &access);
   return error ? error : (access & wanted) == wanted;
}

int
wave_transfer_allowed(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, void *data, size_t size,
                      bool writes)
{
   int allowed = allows(machine, va, size, writes ? HDB_ACCESS_READ | HDB_ACCESS_WRITE : HDB_ACCESS_READ);
   if (allowed <= 0)
      return allowed ? allowed : -EACCES;
   return wave_transfer_mapped(machine, wave, va, data, size, writes);
}

static int
read_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, void *data, size_t size)
{
   if (machine_has_held(machine, wave, COMMAND_READ_MEMORY, va, size))
      return transfer(machine, wave, COMMAND_READ_MEMORY, COMMAND_WRITE_MEMORY, va, data, size, false);
   int allowed = allows(machine, va, size, HDB_ACCESS_READ);
   if (allowed < 0 && allowed != -ENOTCONN)
      return allowed;
   return allowed > 0 ? transfer(machine, wave, COMMAND_READ_MEMORY, COMMAND_WRITE_MEMORY, va, data, size, false)
                      : hdb_machine_read_memory(machine, va, data, size);
}

int
hdb_wave_read_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, void *data, size_t size)
{
   int error = read_memory(machine, wave, va, data, size);
   if (!error)
      machine_pretend_memory(machine, va, data, size);
   return error;
}

/* Dwords are read before they are written in part. Code is the machine's business: there may be traps in it. */
int
hdb_wave_write_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, const void *data, size_t size)
{
   int allowed = allows(machine, va, size, HDB_ACCESS_READ | HDB_ACCESS_WRITE);
   if (allowed < 0 && allowed != -ENOTCONN)
      return allowed;
   return allowed > 0 && !machine_is_code(machine, va, size)
             ? transfer(machine, wave, COMMAND_READ_MEMORY, COMMAND_WRITE_MEMORY, va, (void *)data, size, true)
             : hdb_machine_write_memory(machine, va, data, size);
}
