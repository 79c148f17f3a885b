/* SPDX-License-Identifier: MIT */
/* Memory of the process as buffers. */
#include "kmd_card.h"

#define PAGE 4096ull

static void
user_pointers(void **state)
{
   struct card *card = *state;
   uint32_t *memory = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   assert_ptr_not_equal(memory, MAP_FAILED);
   struct drm_amdgpu_gem_userptr args = {.addr = (uintptr_t)memory,
                                         .size = 4 * PAGE,
                                         .flags = AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_VALIDATE |
                                                  AMDGPU_GEM_USERPTR_REGISTER};
   card_must(card, DRM_IOCTL_AMDGPU_GEM_USERPTR, &args);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, args.handle, CARD_VA, 0, 4 * PAGE, VA_RW), 0);
   memory[3 * 1024] = 42;
   assert_int_equal(va_read(card, CARD_VA + 3 * PAGE), 42);

   union drm_amdgpu_gem_mmap map = {.in = {.handle = args.handle}};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -EPERM);
   bo_close(card, args.handle);
   assert_false(va_is_mapped(card, CARD_VA));

   args.flags |= AMDGPU_GEM_USERPTR_READONLY;
   card_must(card, DRM_IOCTL_AMDGPU_GEM_USERPTR, &args);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, args.handle, CARD_VA, 0, 4 * PAGE, VA_RW), 0);
   struct vm_walk walk;
   vm_walk(&card->gpu->kmd->vm, CARD_VA, &walk);
   assert_int_equal(walk.access, VM_READ);
   bo_close(card, args.handle);

   args.addr += 16;
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_USERPTR, &args), -EINVAL);
   args.addr -= 16;
   munmap(memory + 1024, PAGE);
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_USERPTR, &args), -EFAULT); /* a hole in it */
   munmap(memory, 4 * PAGE);
}

static int
user_pointer(struct card *card, void *address, uint32_t flags)
{
   struct drm_amdgpu_gem_userptr args = {.addr = (uintptr_t)address, .size = 2 * PAGE, .flags = flags};
   int r = card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_USERPTR, &args);
   if (!r)
      bo_close(card, args.handle);
   return r;
}

/* What hmm_range_fault and amdgpu_ttm_tt_get_user_pages say of memory that is not the process's own, or not whole. */
static void
user_pointers_refused(void **state)
{
   enum {
      REGISTER = AMDGPU_GEM_USERPTR_REGISTER,
      VALIDATE = AMDGPU_GEM_USERPTR_VALIDATE | REGISTER,
      ANONYMOUS = AMDGPU_GEM_USERPTR_ANONONLY | VALIDATE, /* as libdrm has it */
      READ_ONLY = AMDGPU_GEM_USERPTR_READONLY | ANONYMOUS,
   };
   struct card *card = *state;
   const int rw = PROT_READ | PROT_WRITE;
   uint8_t *memory = mmap(NULL, 2 * PAGE, rw, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   assert_ptr_not_equal(memory, MAP_FAILED);
   assert_int_equal(user_pointer(card, memory, ANONYMOUS), 0);
   assert_int_equal(user_pointer(card, memory, 0), -EACCES);
   assert_int_equal(mprotect(memory + PAGE, PAGE, PROT_READ), 0);
   assert_int_equal(user_pointer(card, memory, ANONYMOUS), -EPERM);
   assert_int_equal(user_pointer(card, memory, READ_ONLY), 0);
   assert_int_equal(user_pointer(card, memory, REGISTER), 0); /* until it is used */
   assert_int_equal(mprotect(memory + PAGE, PAGE, PROT_NONE), 0);
   assert_int_equal(user_pointer(card, memory, READ_ONLY), -EFAULT);
   munmap(memory, 2 * PAGE);
   assert_int_equal(user_pointer(card, memory, ANONYMOUS), -EFAULT);

   int fd = memfd_create("user-pointers", MFD_CLOEXEC);
   assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
   memory = mmap(NULL, 2 * PAGE, rw, MAP_PRIVATE, fd, 0);
   assert_int_equal(user_pointer(card, memory, ANONYMOUS), -EPERM);
   assert_int_equal(user_pointer(card, memory, VALIDATE), 0);
   munmap(memory, 2 * PAGE);
   close(fd);
   memory = mmap(NULL, 2 * PAGE, rw, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   assert_int_equal(user_pointer(card, memory, ANONYMOUS), -EPERM);
   munmap(memory, 2 * PAGE);

   uint32_t bo = bo_create(card, 2 * PAGE, AMDGPU_GEM_DOMAIN_GTT);
   memory = bo_map(card, bo, 2 * PAGE);
   assert_int_equal(user_pointer(card, memory, ANONYMOUS), -EPERM);
   munmap(memory, 2 * PAGE);
   bo_close(card, bo);
}

/* Memory that the process has unmapped since: the submission that lists it fails, others don't. */
static void
user_pointers_gone(void **state)
{
   struct card *card = *state;
   uint8_t *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   struct drm_amdgpu_gem_userptr args = {.addr = (uintptr_t)memory,
                                         .size = 2 * PAGE,
                                         .flags = AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_VALIDATE |
                                                  AMDGPU_GEM_USERPTR_REGISTER};
   card_must(card, DRM_IOCTL_AMDGPU_GEM_USERPTR, &args);
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   gate_open(card, &gate);
   struct submit job = {.context = context_new(card),
                        .ip = AMDGPU_HW_IP_COMPUTE,
                        .va = gate.va + 256,
                        .dwords = gate.dwords,
                        .listed_bo = args.handle};
   assert_int_equal(submit(card, &job, NULL), 0);
   munmap(memory + PAGE, PAGE);
   assert_int_equal(submit(card, &job, NULL), -EFAULT);
   assert_ptr_equal(mmap(memory + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
                    memory + PAGE);
   assert_int_equal(submit(card, &job, NULL), -EPERM);
   assert_int_equal(mprotect(memory + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
   uint64_t sequence;
   assert_int_equal(submit(card, &job, &sequence), 0);
   bool busy = true;
   assert_int_equal(wait_cs(card, job.context, job.ip, job.ring, sequence, now_ns() + 10000000000, &busy), 0);
   assert_false(busy);
   bo_close(card, args.handle);
   munmap(memory, 2 * PAGE);
   gate_destroy(card, &gate);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(user_pointers, card_setup, card_teardown),
      cmocka_unit_test_setup_teardown(user_pointers_refused, card_setup, card_teardown),
      cmocka_unit_test_setup_teardown(user_pointers_gone, card_setup, card_teardown),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
