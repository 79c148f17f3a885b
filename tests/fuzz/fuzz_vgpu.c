/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as machine code, with any descriptors and any page tables: a wave ends or faults, the card goes on.
 *
 * An input is a struct header and code. The wave begins with the descriptors in s[8:39]. Page table entries that say
 * "system memory" hold addresses of the host (docs/architecture.md): with those, random ones would be any pointer of
 * this process, so that bit is cleared.
 */
#include "../vgpu/sq_machine.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define VRAM_VA (MACHINE_VA + (UINT64_C(1) << 32))
#define VRAM_MAPPED (64u << 10)
#define PTE_SYSTEM UINT64_C(2)

struct header {
   uint8_t wave32, threads, vgprs, lds;
   uint8_t mode; /* FLOAT_MODE of RSRC1 */
   uint8_t edit_count;
   uint16_t first_user;
   uint32_t descriptors[32];
   struct edit {
      uint8_t level; /* of the table, below the root */
      uint8_t unused;
      uint16_t index;
      uint32_t low, high;
   } edits[4];
};

static const uint32_t prologue[] = {
   0xf4100200, 0xf8000000, /* s_load_b512 s[8:23], s[0:1], null */
   0xf4100600, 0xf8000040, /* s_load_b512 s[24:39], s[0:1], 0x40 */
   0xbf89fc07,             /* s_waitcnt lgkmcnt(0) */
   0x7e060218, 0x7e0a0219, /* v_mov_b32 v3, s24; v_mov_b32 v5, s25 */
};

/* Puts entries into the tables that lead to the mapping in video memory. */
static void
edit_tables(struct machine *machine, const struct header *header)
{
   for (unsigned i = 0; i < header->edit_count % 5u; i++) {
      const struct edit *edit = &header->edits[i];
      uint64_t table = machine->vm.root, entry;
      for (unsigned level = 0; level < edit->level % 4u; level++) {
         const uint64_t index = VRAM_VA >> (39 - 9 * level) & 511;
         if (vgpu_vram_read(machine->gpu, table + index * 8, &entry, 8) < 0 || !(entry & 1) || entry & PTE_SYSTEM)
            return;
         table = entry & UINT64_C(0xfffffffff000);
      }
      entry = (edit->low | (uint64_t)edit->high << 32) & ~PTE_SYSTEM;
      /* The entry that leads to code and commands is left alone half of the time, or little else would run. */
      const uint64_t index = edit->index & 512 ? edit->index & 511 : VRAM_VA >> (39 - 9 * (edit->level % 4u)) & 511;
      vgpu_vram_write(machine->gpu, table + index * 8, &entry, 8);
   }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   struct header header;
   if (size < sizeof(header) + 4 || size > sizeof(header) + 65536)
      return 0;
   memcpy(&header, data, sizeof(header));
   const size_t code_size = (size - sizeof(header)) & ~(size_t)3;

   setenv("HDB_VGPU_TIMEOUT_MS", "200", 1);
   static struct machine machine;
   machine_init(&machine, NULL);
   assert_int_equal(vm_map(&machine.vm, VRAM_VA, VRAM_MAPPED, 0x100000, false, VM_READ | VM_WRITE, 0), 0);

   const uint64_t code = machine_alloc(&machine, sizeof(prologue) + code_size + 4);
   uint8_t *bytes = machine_host(&machine, code);
   memcpy(bytes, prologue, sizeof(prologue));
   memcpy(bytes + sizeof(prologue), data + sizeof(header), code_size);
   memcpy(bytes + sizeof(prologue) + code_size, (uint32_t[]){0xbfb00000}, 4); /* s_endpgm */
   const uint64_t descriptors = machine_alloc(&machine, sizeof(header.descriptors));
   memcpy(machine_host(&machine, descriptors), header.descriptors, sizeof(header.descriptors));
   edit_tables(&machine, &header);

   struct launch launch = launch_of(code, descriptors);
   launch.group[0] = 1 + header.threads % 128u;
   launch.rsrc1 = (launch.rsrc1 & ~0xff03fu) | header.vgprs % 32u | (uint32_t)header.mode << 12;
   launch.rsrc2 |= (uint32_t)(header.lds % 128u) << 15;
   launch.initiator |= header.wave32 & 1 ? INITIATOR_CS_W32_EN : 0;
   for (unsigned i = 2; i < 8; i++)
      launch.user[i] = header.first_user * i * 0x9e3779b9u;
   run(&machine, &launch);

   machine_finish(&machine);
   return 0;
}
