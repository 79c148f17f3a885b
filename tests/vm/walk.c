/* SPDX-License-Identifier: MIT */
/* The page table walker against random address spaces, sound and spoilt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "space.h"
#include "vm/page_table.h"

#define SPACES 400
#define MASK48 0xffffffffffffull

static uint64_t
sign_extended(uint64_t va)
{
   return va >> 47 & 1 ? va | 0xffff000000000000ull : va;
}

static int
setup(void **state)
{
   static struct space space;
   space_init(&space);
   *state = &space;
   return 0;
}

static int
teardown(void **state)
{
   space_finish(*state);
   return 0;
}

static void
init(struct space *space, struct hdb_vm *vm)
{
   assert_int_equal(hdb_vm_init(vm, space->vmid, space_read_register, space), 0);
}

static void
expect(struct space *space, const struct hdb_vm *vm, const struct space_page *page, uint64_t offset)
{
   uint64_t va = (page->va + offset) & MASK48;
   struct hdb_vm_walk walk;
   if (va - space->start >= space->size)
      return;
   int result = hdb_vm_walk(vm, space_read, space, space_random(space, 2) ? va : sign_extended(va), &walk);
   if (!page->mapped) {
      assert_int_equal(result, -EFAULT);
      assert_non_null(walk.reason);
      assert_int_equal(walk.page, HDB_VM_NONE);
      return;
   }
   assert_int_equal(result, 0);
   assert_null(walk.reason);
   assert_int_equal(walk.page, page->memory ? HDB_VM_MEMORY : HDB_VM_PARTIALLY_RESIDENT);
   assert_int_equal(walk.page_va, sign_extended(page->va));
   assert_int_equal(walk.page_size, page->size);
   assert_int_equal(walk.flags, page->entry);
   assert_int_equal(walk.entry[walk.count - 1].value, page->entry);
   assert_int_equal(walk.entry[walk.count - 1].kind, HDB_VM_PTE);
   assert_int_equal(walk.entry[0].kind, HDB_VM_ROOT);
   if (!page->memory)
      return;
   assert_int_equal(walk.system, page->system);
   assert_int_equal(walk.address, page->address + offset);
   assert_int_equal(HDB_PTE_MTYPE(walk.flags), page->mtype);
   assert_int_equal(HDB_PTE_FRAGMENT(walk.flags), page->fragment);
   assert_int_equal(!!(walk.flags & HDB_PTE_READ), page->readable);
   assert_int_equal(!!(walk.flags & HDB_PTE_WRITE), page->writable);
   assert_int_equal(!!(walk.flags & HDB_PTE_EXECUTE), page->executable);
   assert_int_equal(!!(walk.flags & HDB_PTE_SNOOPED), page->snooped);
   assert_int_equal(!!(walk.flags & HDB_PTE_TMZ), page->tmz);
}

static void
every_page_of_random_spaces(void **state)
{
   struct space *space = *state;
   size_t pages = 0, further = 0, in_directories = 0;
   for (uint64_t seed = 1; seed <= SPACES; seed++) {
      struct hdb_vm vm;
      space_generate(space, seed);
      init(space, &vm);
      for (size_t i = 0; i < space->count; i++) {
         const struct space_page *page = &space->pages[i];
         expect(space, &vm, page, 0);
         expect(space, &vm, page, page->size - 1);
         expect(space, &vm, page, space_random(space, page->size));
         further += page->size > 4096;
         in_directories += page->entry >> 54 & 1;
      }
      pages += space->count;
   }
   assert_true(pages > 50 * SPACES); /* the generator has made something */
   assert_true(further > pages / 10);
   assert_true(in_directories > SPACES / 4);
}

/* What a space has no page for, fails: between the pages, and outside the space. */
static void
what_is_between(void **state)
{
   struct space *space = *state;
   for (uint64_t seed = 1; seed <= SPACES; seed++) {
      struct hdb_vm vm;
      struct hdb_vm_walk walk;
      space_generate(space, seed);
      init(space, &vm);
      for (size_t i = 0; i < space->count; i++) {
         uint64_t end = space->pages[i].va + space->pages[i].size;
         uint64_t next = i + 1 < space->count ? space->pages[i + 1].va : space->start + space->size;
         assert_true(end <= next || i + 1 == space->count);
         if (end < next) {
            assert_int_equal(hdb_vm_walk(&vm, space_read, space, end, &walk), -EFAULT);
            assert_int_equal(hdb_vm_walk(&vm, space_read, space, next - 1, &walk), -EFAULT);
         }
      }
      if (space->start + space->size < 1ull << 47)
         assert_int_equal(hdb_vm_walk(&vm, space_read, space, space->start + space->size, &walk), -EFAULT);
      if (space->start)
         assert_int_equal(hdb_vm_walk(&vm, space_read, space, space->start - 1, &walk), -EFAULT);
      assert_int_equal(hdb_vm_walk(&vm, space_read, space, 0x0001000000000000ull, &walk), -EFAULT);
      assert_int_equal(hdb_vm_walk(&vm, space_read, space, 0xfffe800000000000ull, &walk), -EFAULT);
   }
}

static void
garbage_is_no_crash(void **state)
{
   struct space *space = *state;
   size_t found = 0, refused = 0;
   for (uint64_t seed = 1; seed <= SPACES; seed++) {
      struct hdb_vm vm;
      space_generate(space, seed);
      init(space, &vm);
      space_spoil(space);
      for (size_t i = 0; i < space->count && i < 200; i++) {
         struct hdb_vm_walk walk;
         space->reads = 0;
         int result = hdb_vm_walk(&vm, space_read, space, space->pages[i].va, &walk);
         assert_true(result == 0 || result == -EFAULT || result == -ENXIO);
         assert_true(space->reads <= 5 && walk.count <= HDB_VM_ENTRIES);
         assert_true(result != -EFAULT || walk.reason);
         found += result == 0;
         refused += result < 0;
      }
   }
   assert_true(found > 100 && refused > 100);
}

/* ---- ranges ----------------------------------------------------------------------------------------------------- */

static const struct space_page *
page_of(const struct space *space, uint64_t va)
{
   size_t low = 0, high = space->count;
   while (low + 1 < high) {
      size_t middle = (low + high) / 2;
      if (space->pages[middle].va <= va)
         low = middle;
      else
         high = middle;
   }
   const struct space_page *page = &space->pages[low];
   bool there = page->mapped && va >= page->va && va - page->va < page->size && va - space->start < space->size;
   return there ? page : NULL;
}

static void
ranges_of_random_spaces(void **state)
{
   enum { MOST = 300000 };
   struct space *space = *state;
   uint8_t *data = malloc(MOST), *expected = malloc(MOST);
   size_t whole = 0, cut = 0, several = 0;
   for (uint64_t seed = 1; seed <= SPACES; seed++) {
      struct hdb_vm vm;
      space_generate(space, seed);
      init(space, &vm);
      for (int round = 0; round < 8 && space->count; round++) {
         const struct space_page *first = &space->pages[space_random(space, space->count)];
         uint64_t va = first->va + space_random(space, first->size);
         size_t size = 1 + space_random(space, round % 2 ? MOST : 20000), there = 0, resident = 0;
         const struct space_page *last = NULL;
         for (; there < size; there++) {
            const struct space_page *page = page_of(space, va + there);
            if (!page)
               break;
            several += last && page != last;
            last = page;
            uint64_t offset = va + there - page->va;
            expected[there] = page->memory ? space_byte(page->system, page->address + offset) : 0;
            resident += page->memory;
         }
         memset(data, 0xee, size);
         int result = hdb_vm_read_range(&vm, space_read, space, sign_extended(va), data, size);
         assert_int_equal(result, there == size ? 0 : -EFAULT);
         assert_memory_equal(data, expected, there);
         for (size_t i = there; i < size; i++)
            assert_int_equal(data[i], 0xee);

         space->written = 0;
         result = hdb_vm_write_range(&vm, space_read, space_write, space, sign_extended(va), data, size);
         assert_int_equal(result, there == size ? 0 : -EFAULT);
         assert_int_equal(space->written, resident);
         whole += there == size;
         cut += there > 0 && there < size;
      }
   }
   assert_true(whole > 300 && cut > 300 && several > 1000);
   free(data);
   free(expected);
}

/* 64 MiB in pages of 4 KiB: one access to memory, and one for each page of tables. */
static void
a_large_range_takes_few_reads(void **state)
{
   enum { SIZE = 64 << 20 };
   struct space *space = *state;
   struct hdb_vm vm;
   const uint64_t va = 0x700000000000, address = 0x140000000;
   space_generate_flat(space, va, address, SIZE / 4096);
   init(space, &vm);
   uint8_t *data = malloc(SIZE);
   assert_int_equal(hdb_vm_read_range(&vm, space_read, space, va, data, SIZE), 0);
   for (size_t i = 0; i < SIZE; i += 4093)
      assert_int_equal(data[i], space_byte(false, address + i));
   assert_true(space->reads - space->table_reads == 1);
   assert_true(space->table_reads <= 50);
   assert_int_equal(hdb_vm_read_range(&vm, space_read, space, va + SIZE - 1, data, 2), -EFAULT);
   assert_int_equal(hdb_vm_read_range(&vm, space_read, space, ~0ull, data, 2), -EFAULT);
   free(data);
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static bool
is_like(const struct space_page *page, const struct hdb_vm_run *run)
{
   const uint64_t access = HDB_PTE_READ | HDB_PTE_WRITE | HDB_PTE_EXECUTE;
   if (!page)
      return run->page == HDB_VM_NONE;
   return run->page == (page->memory ? HDB_VM_MEMORY : HDB_VM_PARTIALLY_RESIDENT) &&
          ((run->flags ^ page->entry) & access) == 0 && HDB_PTE_MTYPE(run->flags) == HDB_PTE_MTYPE(page->entry);
}

/* All of a space, from its first byte to its last: every page is in a run of its kind, and what is in no page is in a
 * hole. Where one run ends another kind begins, or many steps have been taken. */
static void
runs_of_random_spaces(void **state)
{
   struct space *space = *state;
   size_t holes = 0, mapped = 0, joined = 0;
   for (uint64_t seed = 1; seed <= SPACES; seed++) {
      struct hdb_vm vm;
      space_generate(space, seed);
      init(space, &vm);
      if (vm.vmid == 0)
         continue;
      size_t next = 0; /* page */
      for (uint64_t va = 0; va < 1ull << 48;) {
         struct hdb_vm_run run;
         assert_int_equal(hdb_vm_get_run(&vm, space_read, space, va, &run), 0);
         assert_int_equal(run.va, sign_extended(va));
         assert_true(run.size >= 4096 && run.size <= (1ull << 48) - va);
         uint64_t end = va + run.size;
         size_t pages = 0;
         while (next < space->count && (!page_of(space, space->pages[next].va) || space->pages[next].va < va))
            next++;
         for (; next < space->count && space->pages[next].va < end; next++) {
            if (!page_of(space, space->pages[next].va))
               continue;
            assert_true(is_like(&space->pages[next], &run));
            pages++;
         }
         uint64_t covered = run.page == HDB_VM_NONE ? 0 : va;
         while (covered && covered < end) { /* without a gap */
            const struct space_page *page = page_of(space, covered);
            assert_non_null(page);
            covered = page->va + page->size;
         }
         assert_true(!covered || covered == end || page_of(space, end) || end == space->start + space->size);
         holes += run.page == HDB_VM_NONE;
         mapped += run.page != HDB_VM_NONE;
         joined += pages > 1;
         va = end;
      }
   }
   assert_true(holes > 1000 && mapped > 1000 && joined > 100);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_page_of_random_spaces),   cmocka_unit_test(what_is_between),
      cmocka_unit_test(garbage_is_no_crash),           cmocka_unit_test(ranges_of_random_spaces),
      cmocka_unit_test(a_large_range_takes_few_reads), cmocka_unit_test(runs_of_random_spaces),
   };
   return cmocka_run_group_tests(tests, setup, teardown);
}
