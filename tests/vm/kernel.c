/* SPDX-License-Identifier: MIT */
/*
 * The page table walker against the address space that the virtual card's kernel driver builds: buffers of every kind
 * are mapped, replaced and taken out at random by ioctls, and every page is found again by its contents.
 */
#include "../vgpu/kmd_card.h"

#include "vm/page_table.h"

#define PAGE 4096ull
#define PAGES 24576u /* 96 MiB from CARD_VA on */
#define BUFFERS 12
#define BUFFER_SIZE (4ull << 20)

struct buffer {
   uint32_t handle;
   bool system;
   uint64_t *memory;
};

/* What is expected at a page. */
struct mapping {
   bool mapped;
   int buffer; /* -1: partially resident */
   uint64_t offset;
   uint32_t flags;
};

static int
read_register(void *user, uint32_t offset, uint32_t *value)
{
   return vgpu_register_read(user, NULL, 4 * (0x1260 + offset), value);
}

static int
read_physical(void *user, bool system, uint64_t address, void *data, size_t size)
{
   if (!system)
      return vgpu_vram_read(user, address, data, size);
   memcpy(data, (const void *)(uintptr_t)address, size); /* on this card the bus is the process's memory */
   return 0;
}

/* Each page says whose it is. */
static void
create_buffers(struct card *card, struct buffer *buffers)
{
   for (int i = 0; i < BUFFERS; i++) {
      struct buffer *buffer = &buffers[i];
      buffer->system = i % 3 != 0;
      if (i % 3 == 2) {
         buffer->memory = mmap(NULL, BUFFER_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         struct drm_amdgpu_gem_userptr args = {
            .addr = (uintptr_t)buffer->memory,
            .size = BUFFER_SIZE,
            .flags = AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER,
         };
         card_must(card, DRM_IOCTL_AMDGPU_GEM_USERPTR, &args);
         buffer->handle = args.handle;
      } else {
         union drm_amdgpu_gem_create args = {
            .in = {.bo_size = BUFFER_SIZE,
                   .alignment = 2 << 20,
                   .domains = buffer->system ? AMDGPU_GEM_DOMAIN_GTT : AMDGPU_GEM_DOMAIN_VRAM},
         };
         card_must(card, DRM_IOCTL_AMDGPU_GEM_CREATE, &args);
         buffer->handle = args.out.handle;
         buffer->memory = bo_map(card, buffer->handle, BUFFER_SIZE);
      }
      for (uint64_t page = 0; page < BUFFER_SIZE / PAGE; page++)
         buffer->memory[page * 512] = (uint64_t)(i + 1) << 32 | page;
   }
}

static uint64_t
up_to(uint64_t most)
{
   return (uint64_t)rand() % most + 1;
}

static void
change_at_random(struct card *card, const struct buffer *buffers, bool coarse, struct mapping *expected)
{
   uint64_t unit = coarse ? 512 : 1;
   uint64_t first = (up_to(PAGES / unit) - 1) * unit, count = up_to(coarse ? 2 : 300) * unit;
   if (count > PAGES - first)
      count = PAGES - first;
   struct mapping mapping = {.mapped = rand() % 4 != 0, .buffer = rand() % 8 ? rand() % BUFFERS : -1};
   uint32_t operation = mapping.mapped ? AMDGPU_VA_OP_REPLACE : AMDGPU_VA_OP_CLEAR;
   if (mapping.mapped && mapping.buffer < 0) {
      mapping.flags = AMDGPU_VM_PAGE_PRT;
   } else if (mapping.mapped) {
      static const uint32_t mtypes[] = {AMDGPU_VM_MTYPE_DEFAULT, AMDGPU_VM_MTYPE_NC, AMDGPU_VM_MTYPE_CC,
                                        AMDGPU_VM_MTYPE_UC};
      mapping.flags = mtypes[rand() % 4] | AMDGPU_VM_PAGE_READABLE | (rand() & 1 ? AMDGPU_VM_PAGE_WRITEABLE : 0) |
                      (rand() & 1 ? AMDGPU_VM_PAGE_EXECUTABLE : 0);
      mapping.offset = coarse && count <= 1024 ? 0 : (up_to(BUFFER_SIZE / PAGE - count + 1) - 1) * PAGE;
   }
   assert_int_equal(va_op(card, operation, mapping.buffer < 0 ? 0 : buffers[mapping.buffer].handle,
                          CARD_VA + first * PAGE, mapping.offset, count * PAGE, mapping.flags),
                    0);
   for (uint64_t i = 0; i < count; i++) {
      expected[first + i] = mapping;
      expected[first + i].offset += i * PAGE;
   }
}

static uint32_t
mtype_of(uint32_t flags)
{
   uint32_t mtype = flags & AMDGPU_VM_MTYPE_MASK;
   return mtype == AMDGPU_VM_MTYPE_CC ? 2 : mtype == AMDGPU_VM_MTYPE_UC ? 3 : 0;
}

/* Buffers, and an address space of which nothing is mapped. */
static void
prepare(struct card *card, struct buffer buffers[BUFFERS], struct mapping expected[PAGES], struct hdb_vm *vm)
{
   uint32_t vmid;
   memset(expected, 0, PAGES * sizeof(*expected));
   create_buffers(card, buffers);
   assert_int_equal(vgpu_reserve_vmid(card->gpu, &vmid), 0);
   assert_int_equal(hdb_vm_init(vm, vmid, read_register, card->gpu), 0);
}

static void
every_page_of_a_random_space(void **state)
{
   struct card *card = *state;
   struct buffer buffers[BUFFERS];
   static struct mapping expected[PAGES];
   struct hdb_vm vm;
   prepare(card, buffers, expected, &vm);

   srand(3);
   size_t holes = 0, large = 0, small = 0, absent = 0;
   for (int round = 0; round < 12; round++) {
      /* Whole 2 MiB come as PDEs that are PTEs, where no table has been needed yet. */
      for (int i = 0; i < 15; i++)
         change_at_random(card, buffers, round < 4 || rand() & 1, expected);
      for (uint64_t page = 0; page < PAGES; page++) {
         uint64_t va = CARD_VA + page * PAGE;
         const struct mapping *mapping = &expected[page];
         struct hdb_vm_walk walk;
         int result = hdb_vm_walk(&vm, read_physical, card->gpu, va + page % PAGE, &walk);
         if (!mapping->mapped) {
            assert_int_equal(result, -EFAULT);
            holes++;
            continue;
         }
         assert_int_equal(result, 0);
         assert_true(walk.page_va <= va && va - walk.page_va < walk.page_size);
         if (mapping->buffer < 0) {
            assert_int_equal(walk.page, HDB_VM_PARTIALLY_RESIDENT);
            absent++;
            continue;
         }
         uint64_t owner = 0;
         assert_int_equal(walk.page, HDB_VM_MEMORY);
         assert_int_equal(walk.system, buffers[mapping->buffer].system);
         assert_int_equal(walk.address % PAGE, page % PAGE);
         assert_int_equal(read_physical(card->gpu, walk.system, walk.address - page % PAGE, &owner, 8), 0);
         assert_int_equal(owner, (uint64_t)(mapping->buffer + 1) << 32 | mapping->offset / PAGE);
         assert_int_equal(HDB_PTE_MTYPE(walk.flags), mtype_of(mapping->flags));
         assert_int_equal(!!(walk.flags & HDB_PTE_WRITE), !!(mapping->flags & AMDGPU_VM_PAGE_WRITEABLE));
         assert_int_equal(!!(walk.flags & HDB_PTE_EXECUTE), !!(mapping->flags & AMDGPU_VM_PAGE_EXECUTABLE));
         assert_true(walk.flags & HDB_PTE_READ);
         assert_int_equal(!!(walk.flags & HDB_PTE_SNOOPED), walk.system);
         large += walk.page_size == 2 << 20;
         small += walk.page_size == 4096;
      }
   }
   assert_true(holes > 1000 && large > 10000 && small > 10000 && absent > 1000);
}

/* The whole window at once is the same bytes as page by page, with holes filled. */
static void
a_range_through_every_kind_of_memory(void **state)
{
   struct card *card = *state;
   struct buffer buffers[BUFFERS];
   static struct mapping expected[PAGES];
   struct hdb_vm vm;
   prepare(card, buffers, expected, &vm);
   srand(4);
   for (int i = 0; i < 600; i++)
      change_at_random(card, buffers, i < 40, expected);
   for (uint64_t page = 0; page < PAGES; page++) {
      if (!expected[page].mapped) {
         expected[page] =
            (struct mapping){.mapped = true, .buffer = (int)(page % BUFFERS), .offset = page % 1024 * PAGE};
         assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, buffers[page % BUFFERS].handle, CARD_VA + page * PAGE,
                                expected[page].offset, PAGE, VA_RW),
                          0);
      }
   }

   uint64_t *data = malloc(PAGES * PAGE);
   assert_int_equal(hdb_vm_read_range(&vm, read_physical, card->gpu, CARD_VA, data, PAGES * PAGE), 0);
   for (uint64_t page = 0; page < PAGES; page++) {
      const struct mapping *mapping = &expected[page];
      uint64_t owner = mapping->buffer < 0 ? 0 : (uint64_t)(mapping->buffer + 1) << 32 | mapping->offset / PAGE;
      assert_int_equal(data[page * 512], owner);
      assert_int_equal(data[page * 512 + 511], 0);
   }
   assert_int_equal(hdb_vm_read_range(&vm, read_physical, card->gpu, CARD_VA - 1, data, 2), -EFAULT);
   free(data);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_page_of_a_random_space, card_setup, card_teardown),
      cmocka_unit_test_setup_teardown(a_range_through_every_kind_of_memory, card_setup, card_teardown),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
