/* SPDX-License-Identifier: MIT */
/* The page table walker and its registers on cases worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "vm/page_table.h"

#define MASK48 0xffffffffffffull

struct word {
   bool system;
   uint64_t address, value;
};

struct by_hand {
   const struct word *words;
   size_t count;
   int error; /* of every read; 0: none */
};

static int
read_word(void *user, bool system, uint64_t address, void *data, size_t size)
{
   const struct by_hand *memory = user;
   if (memory->error)
      return memory->error;
   uint64_t value = 0;
   for (size_t i = 0; i < memory->count; i++) {
      if (memory->words[i].system == system && memory->words[i].address == address)
         value = memory->words[i].value;
   }
   assert_int_equal(size, 8);
   memcpy(data, &value, 8);
   return 0;
}

/* As amdgpu sets up a VMID on Navi31: four levels, 48 bits; VRAM from 0x8000000000 on, 24 GiB; FB_OFFSET 0. */
static const struct hdb_vm navi31 = {
   .vmid = 3,
   .enabled = true,
   .depth = 3,
   .root = 0x0000000012345001,
   .end = MASK48,
   .fb_base = 0x8000000000,
   .fb_top = 0x85ffffffff,
   .agp_bottom = 0xffffff000000,
   .agp_top = 0xffffff,
   .system_low = 0x8000000000,
   .system_high = 0x85ffffffff,
   .system_access_mode = 3,
};

static void
four_levels_by_hand(void **state)
{
   (void)state;
   /* 0xffff800100403123: 0x800100403123 >> 39 = 0x100, >> 30 & 511 = 4, >> 21 & 511 = 2, >> 12 & 511 = 3. */
   const struct word words[] = {
      {false, 0x12345800, 0x0000000020000001},
      {false, 0x20000020, 0x0000000020001001},
      {false, 0x20001010, 0x0000000020002001},
      {false, 0x20002018, 0x00030000a5a5a071}, /* UC, W R X V */
      {false, 0x20001018, 0x0041000012200461}, /* P, RW, FRAGMENT 8, W R V: 2 MiB at 0x12200000 */
      {false, 0x20001020, 0x00c8000000000006}, /* P, LOG, PRT, C, S */
      {false, 0x20001028, 0x0002007f00001007}, /* V S C, no P: PTEs in system memory at 0x7f00001000 */
      {true, 0x7f00001000, 0x0000000000000003 | 0x007e12345000 | 0x64},
   };
   struct by_hand memory = {words, 8, 0};
   struct hdb_vm_walk walk;

   assert_int_equal(hdb_vm_walk(&navi31, read_word, &memory, 0xffff800100403123, &walk), 0);
   assert_int_equal(walk.page, HDB_VM_MEMORY);
   assert_false(walk.system);
   assert_int_equal(walk.address, 0xa5a5a123);
   assert_int_equal(walk.page_va, 0xffff800100403000);
   assert_int_equal(walk.page_size, 4096);
   assert_int_equal(walk.count, 5);
   const uint64_t spans[] = {1ull << 48, 1ull << 39, 1ull << 30, 1ull << 21, 4096};
   const uint32_t levels[] = {4, 3, 2, 1, 0}, indices[] = {0, 0x100, 4, 2, 3};
   for (int i = 0; i < 5; i++) {
      assert_int_equal(walk.entry[i].span, spans[i]);
      assert_int_equal(walk.entry[i].level, levels[i]);
      assert_int_equal(walk.entry[i].index, indices[i]);
      assert_int_equal(walk.entry[i].kind, i == 0 ? HDB_VM_ROOT : i == 4 ? HDB_VM_PTE : HDB_VM_PDE);
   }
   assert_int_equal(walk.entry[2].address, 0x20000020);
   assert_int_equal(walk.entry[2].va, 0xffff800100000000);
   assert_int_equal(HDB_PTE_MTYPE(walk.flags), 3);

   assert_int_equal(hdb_vm_walk(&navi31, read_word, &memory, 0xffff800100765432, &walk), 0);
   assert_int_equal(walk.address, 0x12365432);
   assert_int_equal(walk.page_size, 2 << 20);
   assert_int_equal(walk.count, 4);
   assert_int_equal(HDB_PTE_FRAGMENT(walk.flags), 8);

   assert_int_equal(hdb_vm_walk(&navi31, read_word, &memory, 0xffff800100800000, &walk), 0);
   assert_int_equal(walk.page, HDB_VM_PARTIALLY_RESIDENT);

   assert_int_equal(hdb_vm_walk(&navi31, read_word, &memory, 0xffff800100a00fff, &walk), 0);
   assert_true(walk.system);
   assert_int_equal(walk.address, 0x7e12345fff);
   assert_true(walk.entry[4].system);

   assert_int_equal(hdb_vm_walk(&navi31, read_word, &memory, 0xffff800100402fff, &walk), -EFAULT);
   assert_int_equal(walk.count, 5);
   assert_int_equal(hdb_vm_walk(&navi31, read_word, &memory, 0xffff800140000000, &walk), -EFAULT);
   assert_int_equal(walk.count, 3);
   assert_int_equal(hdb_vm_walk(&navi31, read_word, &memory, 0x10000, &walk), -EFAULT);
   assert_int_equal(walk.count, 2);

   memory.error = -EIO; /* the reader's errors come through */
   assert_int_equal(hdb_vm_walk(&navi31, read_word, &memory, 0xffff800100403123, &walk), -EIO);
}

/* Translate-further as an APU has it: two directories, PDE0 with BFS 9, PTEs of 2 MiB or further tables of 4 KiB. */
static void
translate_further_by_hand(void **state)
{
   (void)state;
   struct hdb_vm vm = navi31;
   vm.depth = 2;
   vm.block_size = 9;
   /* 0x123456789a: >> 39 = 0, >> 30 & 511 = 0x48, >> 21 & 511 = 0x1a2, >> 12 & 511 = 0x167. */
   const struct word words[] = {
      {false, 0x12345000, 0x0000000000100001},
      {false, 0x00100240, 0x4800000000200001}, /* BFS 9 */
      {false, 0x00200d10, 0x0100000000300001}, /* F */
      {false, 0x00300b38, 0x0000000045678061},
      {false, 0x00200d18, 0x0000000046600061},              /* no F: 2 MiB */
      {false, 0x00200d20, 0x5000000000000001 | 1ull << 56}, /* F with BFS 10 */
      {false, 0x00200d28, 0x0100000000400001},
      {false, 0x00400000, 0x0100000000400001}, /* F in a further table, at itself */
      {false, 0x00100248, 0x9800000000200001}, /* BFS 19: more than 1 GiB */
      {false, 0x00100250, 0x4a00000000200001}, /* BFS 9, TFS */
      {false, 0x00200000, 0x0100000000100001}, /* so this is a table at 0x300000 */
      {false, 0x00300000, 0x0000000045679061},
      {false, 0x00100258, 0x0140000000200001}, /* both P and F */
   };
   struct by_hand memory = {words, sizeof(words) / sizeof(words[0]), 0};
   struct hdb_vm_walk walk;
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x123456789a, &walk), 0);
   assert_int_equal(walk.address, 0x4567889a);
   assert_int_equal(walk.page_size, 4096);
   assert_int_equal(walk.count, 5);
   assert_int_equal(walk.entry[3].kind, HDB_VM_FURTHER);
   assert_int_equal(walk.entry[3].span, 2 << 20);
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x1234600123, &walk), 0);
   assert_int_equal(walk.address, 0x46600123);
   assert_int_equal(walk.page_size, 2 << 20);
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x1234800000, &walk), -EFAULT);
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x1234a00000, &walk), -EFAULT);
   assert_int_equal(walk.count, 5);
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x1240000000, &walk), -EFAULT);
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x1280000000, &walk), 0);
   assert_int_equal(walk.address, 0x45679000);
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x12c0000000, &walk), -EFAULT);
}

/* A PDE that points at its own table is a walk like any other, and ends. */
static void
a_loop_ends(void **state)
{
   (void)state;
   const struct word words[] = {{false, 0x12345000, 0x0000000012345001}, {false, 0x12345008, 0x0000000012345001}};
   struct by_hand memory = {words, 2, 0};
   struct hdb_vm_walk walk;
   assert_int_equal(hdb_vm_walk(&navi31, read_word, &memory, 0, &walk), 0);
   assert_int_equal(walk.count, 5);
   assert_int_equal(walk.address, 0x12345000);
}

static void
entries_that_lead_nowhere(void **state)
{
   (void)state;
   const struct {
      uint64_t entry, fb_offset;
   } cases[] = {
      {0x0000000600000001, 0},            /* a page just beyond 24 GiB */
      {0x0000fffffffff001, 0},            /* far beyond */
      {0x0000000000001001, 0x8000000000}, /* below FB_OFFSET */
      {0x0000000000000000, 0},
      {0x0008000000000003, 0}, /* V, S, PRT without permissions: the kernel's "do not retry" */
   };
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      const uint64_t at = cases[i].fb_offset;
      const struct word words[] = {
         {false, 0x12345000, 0x20000001 + at},
         {false, 0x20000000, 0x20001001 + at},
         {false, 0x20001000, 0x20002001 + at},
         {false, 0x20002000, cases[i].entry},
      };
      struct by_hand memory = {words, 4, 0};
      struct hdb_vm_walk walk;
      struct hdb_vm vm = navi31;
      vm.fb_offset = at;
      vm.root += at;
      assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0, &walk), -EFAULT);
      assert_int_equal(walk.count, 5);
      assert_non_null(walk.reason);
   }
   struct by_hand memory = {NULL, 0, 0};
   struct hdb_vm_walk walk;
   struct hdb_vm vm = navi31;
   vm.root = 0;
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0, &walk), -EFAULT);
   assert_int_equal(walk.count, 1);
   vm = navi31;
   vm.enabled = false;
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0, &walk), -EFAULT);
   assert_int_equal(walk.count, 0);
}

/* VMID 0 as gfxhub_v3_0.c sets it: one flat table for the GART, and the system aperture straight to VRAM. */
static void
vmid_0(void **state)
{
   (void)state;
   struct hdb_vm vm = navi31;
   vm.vmid = 0;
   vm.depth = 0;
   vm.start = 0x7fff00000000;
   vm.end = 0x7fff1fffffff;
   vm.agp_bottom = 0x9000000000;
   vm.agp_top = 0x90ffffffff;
   vm.agp_base = 0x200000000;
   vm.system_high = 0x90ffffffff;
   const struct word words[] = {{false, 0x12345000 + 8 * 0x1234, 0x0003000456789077}};
   struct by_hand memory = {words, 1, 0};
   struct hdb_vm_walk walk;
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x7fff01234567, &walk), 0);
   assert_true(walk.system);
   assert_int_equal(walk.address, 0x456789567);
   assert_int_equal(walk.count, 2);

   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x8123456789, &walk), 0);
   assert_int_equal(walk.page, HDB_VM_UNTRANSLATED);
   assert_false(walk.system);
   assert_int_equal(walk.address, 0x123456789);
   assert_int_equal(walk.page_va, 0x8000000000);
   assert_int_equal(walk.page_size, 0x600000000);
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x9000000010, &walk), 0);
   assert_true(walk.system);
   assert_int_equal(walk.address, 0x200000010);
   /* in the aperture, but nothing is there */
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x8600000000, &walk), -EFAULT);
   /* outside: translated, but not in the table's range */
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x7fff20000000, &walk), -EFAULT);

   vm.system_access_mode = 1; /* everything is translated */
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x8123456789, &walk), -EFAULT);
   vm.system_access_mode = 2; /* what is in the aperture is */
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x8123456789, &walk), -EFAULT);
   vm.system_high = 0x807fffffff;
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x8123456789, &walk), 0);
   vm.system_access_mode = 0; /* nothing is */
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x8000000000, &walk), 0);
   assert_int_equal(walk.address, 0);
   assert_int_equal(hdb_vm_walk(&vm, read_word, &memory, 0x7fff01234567, &walk), -EFAULT);

   uint8_t data[16];
   memory.error = -EIO;
   assert_int_equal(hdb_vm_read_range(&vm, read_word, &memory, 0x8000000000, data, 16), -EIO);
   assert_int_equal(hdb_vm_read_range(&vm, read_word, &memory, 0x8000000000, data, 0), 0);
}

/* ---- registers -------------------------------------------------------------------------------------------------- */

struct file {
   uint32_t fixed; /* what registers read as */
   int error;
   unsigned acks_after, reads;
   uint32_t requested, ack;
};

static int
read_fixed(void *user, uint32_t offset, uint32_t *value)
{
   struct file *file = user;
   *value = file->fixed;
   if (offset == 0x16ce) /* GCVM_INVALIDATE_ENG17_ACK */
      *value = ++file->reads > file->acks_after ? file->ack : 0;
   return file->error;
}

static int
write_request(void *user, uint32_t offset, uint32_t value)
{
   struct file *file = user;
   assert_int_equal(offset, 0x16bc);
   file->requested = value;
   return 0;
}

static void
registers(void **state)
{
   (void)state;
   struct hdb_vm vm;
   struct file file = {.fixed = 0xffffffff};
   assert_int_equal(hdb_vm_init(&vm, 1, read_fixed, &file), -EIO);
   assert_int_equal(hdb_vm_init(&vm, 16, read_fixed, &file), -EINVAL);
   file = (struct file){.error = -EPERM};
   assert_int_equal(hdb_vm_init(&vm, 1, read_fixed, &file), -EPERM);

   /* VMIDs 3 and 5; FLUSH_TYPE 2 << 16; L2 PTEs, PDE0, PDE1, PDE2 and L1 PTEs are bits 19 to 23. */
   file = (struct file){.acks_after = 2, .ack = 0x28};
   assert_int_equal(hdb_vm_invalidate(0x28, read_fixed, write_request, &file), 0);
   assert_int_equal(file.requested, 0x00fa0028);
   assert_int_equal(file.reads, 3);
   file = (struct file){.ack = 0x20};
   assert_int_equal(hdb_vm_invalidate(0x28, read_fixed, write_request, &file), -ETIME);
   file = (struct file){.ack = 0xffffffff};
   assert_int_equal(hdb_vm_invalidate(0x28, read_fixed, write_request, &file), -EIO);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_levels_by_hand),
      cmocka_unit_test(translate_further_by_hand),
      cmocka_unit_test(a_loop_ends),
      cmocka_unit_test(entries_that_lead_nowhere),
      cmocka_unit_test(vmid_0),
      cmocka_unit_test(registers),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
