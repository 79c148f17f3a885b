/* SPDX-License-Identifier: MIT */
/*
 * What the kernel tells of a process's mappings, against the page tables of the virtual GPU: every page of many buffers
 * that are mapped whole, in parts, twice, not at all, with and without the right to write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include <amdgpu_drm.h>
#include <drm.h>

#include "target/kernel.h"
#include "target/mappings.h"
#include "target/second_level.h"
#include "target/target.h"
#include "vgpu.h"

#define PAGE UINT64_C(4096)
#define BASE UINT64_C(0xffff800200000000)
#define READ_WRITE (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE)
enum { BUFFERS = 700, PAGES = 8, STRIDE = 16 /* pages between buffers */ };

struct card {
   struct vgpu *gpu;
   struct hdb_target *target;
   uint32_t vmid;
   struct hdb_mappings mappings;
};

static void
create(struct card *card, const char *second_level)
{
   if (second_level)
      setenv("HDB_VGPU_L2_TRAP", second_level, true);
   else
      unsetenv("HDB_VGPU_L2_TRAP");
   struct vgpu_options options = {.vram_size = 1ull << 28};
   *card = (struct card){0};
   assert_int_equal(vgpu_create(&options, &card->gpu), 0);
   assert_int_equal(hdb_target_vgpu_create(vgpu_fd(card->gpu), &card->target), 0);
   assert_int_equal(card->target->ops->get_vmid(card->target, &card->vmid), 0);
}

static void
destroy(struct card *card)
{
   hdb_target_destroy(card->target);
   vgpu_destroy(card->gpu);
}

static uint32_t
create_buffer(struct card *card, uint32_t domains, uint64_t size)
{
   union drm_amdgpu_gem_create create = {.in = {.bo_size = size, .domains = domains}};
   assert_int_equal(hdb_kernel_ioctl(vgpu_fd(card->gpu), DRM_IOCTL_AMDGPU_GEM_CREATE, &create), 0);
   return create.out.handle;
}

static void
change(struct card *card, uint32_t operation, uint32_t handle, uint64_t va, uint64_t offset, uint64_t pages,
       uint32_t flags)
{
   struct drm_amdgpu_gem_va request = {
      .handle = handle,
      .operation = operation,
      .flags = flags,
      .va_address = va,
      .offset_in_bo = offset,
      .map_size = pages * PAGE,
   };
   assert_int_equal(hdb_kernel_ioctl(vgpu_fd(card->gpu), DRM_IOCTL_AMDGPU_GEM_VA, &request), 0);
}

/* By the kernel's list, and by the page tables. */
static void
check_page(struct card *card, uint64_t va)
{
   uint32_t told, allowed = 0;
   int result = hdb_mappings_get_access(&card->mappings, vgpu_fd(card->gpu), va, &told);
   assert_int_equal(result, card->target->ops->get_access(card->target, card->vmid, va, &allowed));
   if (!result)
      assert_int_equal(told, allowed);
}

static void
all_pages(void **state)
{
   struct card card;
   create(&card, "vm");
   uint32_t handles[BUFFERS], access;
   create_buffer(&card, AMDGPU_GEM_DOMAIN_GDS, 64);
   for (int i = 0; i < BUFFERS; i++) {
      uint64_t va = BASE + i * STRIDE * PAGE;
      handles[i] = create_buffer(&card, i % 2 ? AMDGPU_GEM_DOMAIN_GTT : AMDGPU_GEM_DOMAIN_VRAM, PAGES * PAGE);
      if (i % 7 == 6)
         continue; /* never mapped */
      change(&card, AMDGPU_VA_OP_MAP, handles[i], va, 0, PAGES, i % 3 ? READ_WRITE : AMDGPU_VM_PAGE_READABLE);
      if (i % 5 == 4) /* a hole, filled once more in part */
         change(&card, AMDGPU_VA_OP_CLEAR, 0, va + 2 * PAGE, 0, 4, 0);
      if (i % 10 == 9)
         change(&card, AMDGPU_VA_OP_MAP, handles[i], va + 3 * PAGE, 0, 1, READ_WRITE);
      for (int twice = 0; i == 20 && twice < 7; twice++)
         change(&card, AMDGPU_VA_OP_MAP, handles[i], BASE - (twice + 1) * PAGE, twice * PAGE, 1, READ_WRITE);
   }
   for (uint64_t va = BASE - STRIDE * PAGE; va < BASE + BUFFERS * STRIDE * PAGE; va += PAGE * (va < BASE ? 1 : 3))
      check_page(&card, va);
   check_page(&card, 0x1000);

   /* What was found last is asked about first: it may be gone. */
   assert_int_equal(hdb_mappings_get_access(&card.mappings, vgpu_fd(card.gpu), BASE, &access), 0);
   assert_int_equal(card.mappings.handle, handles[0]);
   change(&card, AMDGPU_VA_OP_UNMAP, handles[0], BASE, 0, PAGES, 0);
   assert_int_equal(hdb_mappings_get_access(&card.mappings, vgpu_fd(card.gpu), BASE, &access), -EFAULT);
   assert_int_equal(hdb_mappings_get_access(&card.mappings, vgpu_fd(card.gpu), BASE + STRIDE * PAGE, &access), 0);
   struct drm_gem_close close = {.handle = handles[1]};
   assert_int_equal(hdb_kernel_ioctl(vgpu_fd(card.gpu), DRM_IOCTL_GEM_CLOSE, &close), 0);
   assert_int_equal(hdb_mappings_get_access(&card.mappings, vgpu_fd(card.gpu), BASE + STRIDE * PAGE, &access), -EFAULT);
   destroy(&card);
}

static void
older_kernel(void **state)
{
   struct card card;
   create(&card, NULL);
   uint32_t handle = create_buffer(&card, AMDGPU_GEM_DOMAIN_VRAM, PAGE), access;
   change(&card, AMDGPU_VA_OP_MAP, handle, BASE, 0, 1, READ_WRITE);
   assert_int_equal(hdb_mappings_get_access(&card.mappings, vgpu_fd(card.gpu), BASE, &access), -ENOTSUP);
   destroy(&card);
}

/* Which of the proposed calls there are is found out without any effect. */
static void
second_level_calls(void **state)
{
   static const char *const shapes[] = {NULL, "vm", "cwsr", "cwsr-0x20", "cwsr-none"};
   static const bool exist[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}};
   for (int i = 0; i < 5; i++) {
      struct card card;
      create(&card, shapes[i]);
      for (int kind = HDB_SECOND_LEVEL_VM; kind <= HDB_SECOND_LEVEL_CWSR_0X20; kind++)
         assert_int_equal(hdb_second_level_exists(hdb_kernel_ioctl, vgpu_fd(card.gpu), kind), exist[i][kind - 1]);
      destroy(&card);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_pages),
      cmocka_unit_test(older_kernel),
      cmocka_unit_test(second_level_calls),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
