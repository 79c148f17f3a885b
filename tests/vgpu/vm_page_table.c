/* SPDX-License-Identifier: MIT */
/* Page tables: the bits in VRAM against values worked out by hand, walks, the TLB, faults. */
#include "kmd_card.h"

#include <stdio.h>

#define PAGE 4096ull
#define HUGE_PAGE (2ull << 20)

static struct vgpu *
gpu_of(void **state)
{
   return ((struct card *)*state)->gpu;
}

static uint64_t
read_entry(struct vgpu *gpu, uint64_t table, uint32_t index)
{
   uint64_t entry;
   assert_int_equal(vgpu_vram_read(gpu, table + index * 8, &entry, 8), 0);
   return entry;
}

/* Follows the directories by hand. VA 0xffff800100003000 has, of its 48 bits 0x800100003000:
 * PDB2 index 0x800100003000 >> 39 = 0x100, PDB1 (>> 30) & 0x1ff = 4, PDB0 (>> 21) & 0x1ff = 0, PTB (>> 12) & 0x1ff = 3.
 */
static uint64_t
find_table(struct vgpu *gpu, const struct vm *vm)
{
   uint64_t pde2 = read_entry(gpu, vm->root, 0x100);
   assert_int_equal(pde2 & 0xffff000000000fff, 1); /* V, no S, no P; a table is on a page */
   uint64_t pde1 = read_entry(gpu, pde2 & 0xfffffffff000, 4);
   assert_int_equal(pde1 & 0xffff000000000fff, 1);
   return pde1 & 0xfffffffff000;
}

static void
small_pages_have_the_documented_bits(void **state)
{
   struct vgpu *gpu = gpu_of(state);
   struct vm vm;
   assert_int_equal(vm_init(&vm, gpu), 0);

   /* Three pages from VRAM 0x5000 on, read and execute, UC. */
   assert_int_equal(vm_map(&vm, 0xffff800100003000, 3 * PAGE, 0x5000, false, VM_READ | VM_EXECUTE, 3), 0);
   uint64_t pdb0 = find_table(gpu, &vm);
   uint64_t pde0 = read_entry(gpu, pdb0, 0);
   assert_int_equal(pde0 & 0xffff000000000fff, 1);
   uint64_t ptb = pde0 & 0xfffffffff000;

   /* MTYPE 3 << 48, V 1, X 0x10, R 0x20; no fragment: neither address is a multiple of two pages. */
   assert_int_equal(read_entry(gpu, ptb, 3), 0x0003000000005031);
   /* The next two begin at va ...4000 and VRAM 0x6000: a fragment of 2^1 pages, 1 << 7. */
   assert_int_equal(read_entry(gpu, ptb, 4), 0x00030000000060b1);
   assert_int_equal(read_entry(gpu, ptb, 5), 0x00030000000070b1);
   assert_int_equal(read_entry(gpu, ptb, 2), 0);
   assert_int_equal(read_entry(gpu, ptb, 6), 0);

   /* System memory: S 2 and C 4 besides; R 0x20 and W 0x40. */
   assert_int_equal(vm_map(&vm, 0xffff800100009000, PAGE, 0x7f0012345000, true, VM_READ | VM_WRITE, 0), 0);
   assert_int_equal(read_entry(gpu, ptb, 9), 0x00007f0012345067);

   /* PRT: V clear, S, C, PRT 1 << 51 and LOG 1 << 55. */
   assert_int_equal(vm_map_prt(&vm, 0xffff80010000b000, PAGE), 0);
   assert_int_equal(read_entry(gpu, ptb, 11), 0x0088000000000006);

   assert_int_equal(vm_unmap(&vm, 0xffff800100003000, 3 * PAGE), 0);
   for (uint32_t i = 3; i < 6; i++)
      assert_int_equal(read_entry(gpu, ptb, i), 0);
   vm_finish(&vm);
}

static void
a_huge_page_is_a_pde(void **state)
{
   struct vgpu *gpu = gpu_of(state);
   struct vm vm;
   struct vm_walk walk;
   assert_int_equal(vm_init(&vm, gpu), 0);
   assert_int_equal(vm_map(&vm, CARD_VA, HUGE_PAGE, HUGE_PAGE, false, VM_READ | VM_WRITE, 1), 0);

   /* P 1 << 54, MTYPE 1 << 48, address 2 MiB, fragment 9 << 7, W, R, V. */
   uint64_t pdb0 = find_table(gpu, &vm);
   assert_int_equal(read_entry(gpu, pdb0, 0), 0x00410000002004e1);
   vm_walk(&vm, CARD_VA + 0x12345, &walk);
   assert_int_equal(walk.result, VM_MAPPED);
   assert_int_equal(walk.level, 1);
   assert_int_equal(walk.target, HUGE_PAGE + 0x12345);
   assert_int_equal(walk.mtype, 1);

   /* A hole in it makes a table of small pages of it; the rest is where it was. */
   assert_int_equal(vm_unmap(&vm, CARD_VA + 5 * PAGE, PAGE), 0);
   uint64_t pde0 = read_entry(gpu, pdb0, 0);
   assert_int_equal(pde0 & 0xffff000000000fff, 1);
   vm_walk(&vm, CARD_VA + 5 * PAGE, &walk);
   assert_int_equal(walk.result, VM_NOT_MAPPED);
   for (uint32_t page = 0; page < 512; page++) {
      vm_walk(&vm, CARD_VA + page * PAGE + 7, &walk);
      if (page != 5)
         assert_int_equal(walk.target, HUGE_PAGE + page * PAGE + 7);
   }

   /* Where a table stands, a huge mapping fills it. */
   assert_int_equal(vm_map(&vm, CARD_VA, HUGE_PAGE, 2 * HUGE_PAGE, false, VM_READ, 0), 0);
   assert_int_equal(read_entry(gpu, pdb0, 0), pde0);
   vm_walk(&vm, CARD_VA + 5 * PAGE, &walk);
   assert_int_equal(walk.target, 2 * HUGE_PAGE + 5 * PAGE);
   vm_finish(&vm);
}

/* Random maps and unmaps of 4096 pages, compared with an array. */
static void
walks_agree_with_a_plain_table(void **state)
{
   enum { PAGES = 4096 };
   struct vgpu *gpu = gpu_of(state);
   static uint64_t expected[PAGES]; /* target + 1; 0: not mapped */
   struct vm vm;
   struct vm_walk walk;
   assert_int_equal(vm_init(&vm, gpu), 0);

   srand(2);
   memset(expected, 0, sizeof(expected));
   for (int round = 0; round < 2000; round++) {
      bool coarse = rand() & 1;
      uint64_t unit = coarse ? 512 : 1;
      uint64_t first = rand() % (PAGES / unit) * unit;
      uint64_t count = (1 + rand() % (coarse ? 4 : 700)) * unit;
      if (first + count > PAGES)
         count = PAGES - first;
      uint64_t target = rand() % 16 * (coarse ? HUGE_PAGE : PAGE);
      bool maps = rand() % 3;
      if (maps)
         assert_int_equal(vm_map(&vm, CARD_VA + first * PAGE, count * PAGE, target, false, VM_READ, 0), 0);
      else
         assert_int_equal(vm_unmap(&vm, CARD_VA + first * PAGE, count * PAGE), 0);
      for (uint64_t i = 0; i < count; i++)
         expected[first + i] = maps ? target + i * PAGE + 1 : 0;
   }
   for (uint64_t page = 0; page < PAGES; page++) {
      vm_walk(&vm, CARD_VA + page * PAGE, &walk);
      assert_int_equal(walk.result, expected[page] ? VM_MAPPED : VM_NOT_MAPPED);
      if (expected[page])
         assert_int_equal(walk.target, expected[page] - 1);
   }
   vm_finish(&vm);
}

static void
tables_are_given_back(void **state)
{
   struct vgpu *gpu = gpu_of(state);
   uint64_t before = heap_used(&gpu->vram);
   struct vm vm;
   assert_int_equal(vm_init(&vm, gpu), 0);
   for (uint64_t i = 0; i < 64; i++)
      assert_int_equal(vm_map(&vm, CARD_VA + (i << 31), 3 * PAGE, 0, false, VM_READ, 0), 0);
   assert_int_equal(heap_used(&gpu->vram) - before, vm.table_pages * PAGE);
   assert_true(vm.table_pages > 128);
   vm_finish(&vm);
   assert_int_equal(heap_used(&gpu->vram), before);
}

static void
no_vram_for_a_table(void **state)
{
   struct vgpu *gpu = gpu_of(state);
   struct vm vm;
   uint64_t start, size = heap_used(&gpu->vram);
   assert_int_equal(vm_init(&vm, gpu), 0);
   for (size = CARD_VRAM; size >= PAGE; size /= 2) {
      while (!heap_alloc(&gpu->vram, size, PAGE, false, &start))
         continue;
   }
   assert_int_equal(vm_map(&vm, CARD_VA, PAGE, 0, false, VM_READ, 0), -ENOMEM);
   struct vm_walk walk;
   vm_walk(&vm, CARD_VA, &walk);
   assert_int_equal(walk.result, VM_NOT_MAPPED);
   vm_finish(&vm);
}

static void
bad_ranges_are_refused(void **state)
{
   struct vgpu *gpu = gpu_of(state);
   struct vm vm;
   assert_int_equal(vm_init(&vm, gpu), 0);
   assert_int_equal(vm_map(&vm, CARD_VA + 1, PAGE, 0, false, VM_READ, 0), -EINVAL);
   assert_int_equal(vm_map(&vm, CARD_VA, PAGE - 1, 0, false, VM_READ, 0), -EINVAL);
   assert_int_equal(vm_map(&vm, CARD_VA, 0, 0, false, VM_READ, 0), -EINVAL);
   assert_int_equal(vm_map(&vm, CARD_VA, PAGE, 17, false, VM_READ, 0), -EINVAL);
   assert_int_equal(vm_map(&vm, CARD_VA, 2 * PAGE, CARD_VRAM - PAGE, false, VM_READ, 0), -EINVAL);
   assert_int_equal(vm_map(&vm, 0xfffffffffffff000, 2 * PAGE, 0, false, VM_READ, 0), -EINVAL);
   vm_finish(&vm);
}

static void
translations_follow_changes(void **state)
{
   struct vgpu *gpu = gpu_of(state);
   static struct tlb tlb;
   struct vm vm;
   bool prt;
   assert_int_equal(vm_init(&vm, gpu), 0);
   tlb_flush(&tlb);

#define TRANSLATE(va, access) vm_translate(&vm, &tlb, atomic_load(&gpu->vm_generation), va, access, &prt)
   assert_null(TRANSLATE(CARD_VA, VM_READ));
   assert_false(prt);
   assert_int_equal(vm_map(&vm, CARD_VA, PAGE, 0x3000, false, VM_READ, 0), 0);
   assert_ptr_equal(TRANSLATE(CARD_VA + 5, VM_READ), gpu->memory + 0x3005);
   assert_ptr_equal(TRANSLATE(CARD_VA + 9, VM_READ), gpu->memory + 0x3009);
   assert_ptr_equal(TRANSLATE(CARD_VA & 0xffffffffffff, VM_READ), gpu->memory + 0x3000); /* 48 unsigned bits */
   assert_null(TRANSLATE(CARD_VA, VM_WRITE));
   assert_null(TRANSLATE(CARD_VA, VM_READ | VM_EXECUTE));

   /* The address is used again for something else. */
   assert_int_equal(vm_unmap(&vm, CARD_VA, PAGE), 0);
   assert_null(TRANSLATE(CARD_VA, VM_READ));
   assert_int_equal(vm_map(&vm, CARD_VA, PAGE, 0x8000, false, VM_READ | VM_WRITE, 0), 0);
   assert_ptr_equal(TRANSLATE(CARD_VA, VM_WRITE), gpu->memory + 0x8000);

   assert_int_equal(vm_map_prt(&vm, CARD_VA, PAGE), 0);
   assert_null(TRANSLATE(CARD_VA, VM_READ));
   assert_true(prt);
   assert_null(TRANSLATE(CARD_VA, VM_EXECUTE));
   assert_false(prt);
#undef TRANSLATE
   vm_finish(&vm);
}

static void
copies_cross_pages(void **state)
{
   struct vgpu *gpu = gpu_of(state);
   struct vm vm;
   char data[PAGE * 3], back[PAGE * 3];
   assert_int_equal(vm_init(&vm, gpu), 0);
   for (size_t i = 0; i < sizeof(data); i++)
      data[i] = i * 7 + 1;

   /* Two pages out of order, a PRT page between them. */
   assert_int_equal(vm_map(&vm, CARD_VA, PAGE, 0x9000, false, VM_READ, 0), 0);
   assert_int_equal(vm_map_prt(&vm, CARD_VA + PAGE, PAGE), 0);
   assert_int_equal(vm_map(&vm, CARD_VA + 2 * PAGE, PAGE, 0x4000, false, VM_READ, 0), 0);
   assert_int_equal(vm_copy_to(&vm, CARD_VA + 10, data, sizeof(data) - 10), 0);
   assert_int_equal(vm_copy_from(&vm, CARD_VA + 10, back, sizeof(data) - 10), 0);
   assert_memory_equal(back, data, PAGE - 10);
   for (size_t i = 0; i < PAGE; i++)
      assert_int_equal(back[PAGE - 10 + i], 0);
   assert_memory_equal(back + 2 * PAGE - 10, data + 2 * PAGE - 10, PAGE);
   assert_memory_equal(gpu->memory + 0x4000, data + 2 * PAGE - 10, PAGE);
   assert_int_equal(vm_copy_from(&vm, CARD_VA + 2 * PAGE, back, PAGE + 1), -EFAULT);
   vm_finish(&vm);
}

static void
hardware_ids(void **state)
{
   struct vgpu *gpu = gpu_of(state);
   struct vm vm[9];
   uint32_t value = 0x12345678, seen = 0;
   for (int i = 0; i < 9; i++) {
      assert_int_equal(vm_init(&vm[i], gpu), 0);
      assert_int_equal(vm[i].vmid, 0);
      int r = vm_assign_vmid(&vm[i]);
      assert_int_equal(r, i < 7 ? 0 : -EBUSY);
      if (!r)
         seen |= 1u << vm[i].vmid;
   }
   assert_int_equal(seen, 0xfe); /* 1 to 7 */

   assert_int_equal(vm_map(&vm[2], CARD_VA, PAGE, 0x1000, false, VM_READ, 0), 0);
   assert_int_equal(vgpu_memory_write(gpu, vm[2].vmid, CARD_VA + 8, &value, 4), 0);
   assert_memory_equal(gpu->memory + 0x1008, &value, 4);
   assert_int_equal(vgpu_memory_read(gpu, vm[3].vmid, CARD_VA + 8, &value, 4), -EFAULT);
   assert_int_equal(vgpu_memory_read(gpu, 9, CARD_VA + 8, &value, 4), -EFAULT);

   uint32_t freed = vm[2].vmid;
   vm_finish(&vm[2]);
   assert_int_equal(vgpu_memory_read(gpu, freed, CARD_VA + 8, &value, 4), -EFAULT);
   assert_int_equal(vm_assign_vmid(&vm[7]), 0);
   assert_int_equal(vm[7].vmid, freed);
   for (int i = 0; i < 9; i++)
      vm_finish(&vm[i]);
}

static void
fault_status(void **state)
{
   struct vgpu *gpu = gpu_of(state);
   struct vm vm;
   assert_int_equal(vm_init(&vm, gpu), 0);
   assert_int_equal(vm_assign_vmid(&vm), 0);
   assert_int_equal(vm.vmid, 1);

   /* Nothing in the root: walker error 4 << 1, permission "valid" 1 << 4 and "read" 1 << 5 or "write" 1 << 6, client
    * TCP 8 << 9, RW 1 << 18 for the write, VMID 1 << 20. */
   assert_int_equal(vm_fault_status(&vm, CARD_VA, VM_READ), 0x101038);
   assert_int_equal(vm_fault_status(&vm, CARD_VA, VM_WRITE), 0x141058);
   /* A table is there, the entry is not: no walker error. */
   assert_int_equal(vm_map(&vm, CARD_VA, PAGE, 0, false, VM_READ, 0), 0);
   assert_int_equal(vm_fault_status(&vm, CARD_VA + PAGE, VM_READ), 0x101030);
   /* Mapped without W (1 << 6), without X (1 << 7; client SQC 9 << 9). */
   assert_int_equal(vm_fault_status(&vm, CARD_VA, VM_WRITE), 0x141040);
   assert_int_equal(vm_fault_status(&vm, CARD_VA, VM_EXECUTE), 0x101280);
   vm_finish(&vm);
}

static void
host_pointers(void **state)
{
   struct vgpu_options options = {.vram_size = CARD_VRAM, .flags = VGPU_HOST_POINTERS};
   struct vgpu *gpu;
   static struct tlb tlb;
   struct vm vm;
   bool prt;
   assert_int_equal(vgpu_create(&options, &gpu), 0);
   assert_int_equal(vm_init(&vm, gpu), 0);
   tlb_flush(&tlb);

#define TRANSLATE(pointer, access) \
   vm_translate(&vm, &tlb, atomic_load(&gpu->vm_generation), (uintptr_t)(pointer), access, &prt)
   uint8_t *pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   assert_ptr_not_equal(pages, MAP_FAILED);
   assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_READ), 0);
   assert_int_equal(mprotect(pages + 2 * PAGE, PAGE, PROT_NONE), 0);
   assert_int_equal(munmap(pages + 3 * PAGE, PAGE), 0);

   assert_ptr_equal(TRANSLATE(pages + 1, VM_READ | VM_WRITE), pages + 1);
   assert_ptr_equal(TRANSLATE(pages + PAGE, VM_READ), pages + PAGE);
   assert_null(TRANSLATE(pages + PAGE, VM_WRITE));
   assert_null(TRANSLATE(pages + 2 * PAGE, VM_READ));
   assert_null(TRANSLATE(pages + 3 * PAGE, VM_READ));
   assert_null(TRANSLATE(NULL, VM_READ));
   assert_null(TRANSLATE(CARD_VA, VM_READ));
   uint64_t on_stack = 1;
   assert_ptr_equal(TRANSLATE(&on_stack, VM_READ | VM_WRITE), &on_stack);
   assert_ptr_equal(TRANSLATE(host_pointers, VM_READ | VM_EXECUTE), host_pointers);

   /* A page behind the end of a mapped file would be a SIGBUS. */
   FILE *file = tmpfile();
   assert_non_null(file);
   assert_int_equal(fputs("x", file) >= 0 && fflush(file) == 0, 1);
   uint8_t *mapped = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fileno(file), 0);
   assert_ptr_not_equal(mapped, MAP_FAILED);
   assert_ptr_equal(TRANSLATE(mapped, VM_READ), mapped);
   assert_null(TRANSLATE(mapped + PAGE, VM_READ));
   fclose(file);
#undef TRANSLATE
   vm_finish(&vm);
   vgpu_destroy(gpu);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, card_setup, card_teardown)
   const struct CMUnitTest tests[] = {
      TEST(small_pages_have_the_documented_bits),
      TEST(a_huge_page_is_a_pde),
      TEST(walks_agree_with_a_plain_table),
      TEST(tables_are_given_back),
      TEST(no_vram_for_a_table),
      TEST(bad_ranges_are_refused),
      TEST(translations_follow_changes),
      TEST(copies_cross_pages),
      TEST(hardware_ids),
      TEST(fault_status),
      TEST(host_pointers),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
