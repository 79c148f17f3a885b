/* SPDX-License-Identifier: MIT */
/* The end of the card's DRM file: what user space has not given back goes with the last descriptor. */
#include "kmd_card.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>

#define MS 1000000ll
#define SOON (now_ns() + 10000 * MS)
#define SIZE (2ull << 20)

static int
open_card(struct card *card)
{
   char path[32];
   snprintf(path, sizeof(path), "/proc/self/fd/%d", vgpu_fd(card->gpu));
   int fd = open(path, O_RDWR | O_CLOEXEC);
   assert_true(fd >= 0);
   return fd;
}

static uint64_t
used(struct card *card)
{
   struct drm_amdgpu_memory_info info;
   struct drm_amdgpu_info args = {
      .query = AMDGPU_INFO_MEMORY, .return_pointer = (uintptr_t)&info, .return_size = sizeof(info)};
   card_must(card, DRM_IOCTL_AMDGPU_INFO, &args);
   return info.vram.heap_usage + info.gtt.heap_usage;
}

static uint32_t
jobs(struct card *card)
{
   kmd_lock(card->gpu->kmd);
   uint32_t count = card->gpu->kmd->jobs;
   kmd_unlock(card->gpu->kmd);
   return count;
}

static void
everything_goes_with_the_last_descriptor(void **state)
{
   struct card *card = *state;
   int first = open_card(card), second = fcntl(first, F_DUPFD_CLOEXEC, 3);
   const uint64_t before = used(card);
   const int descriptors = open_descriptors();

   uint32_t bo = bo_create(card, SIZE, AMDGPU_GEM_DOMAIN_VRAM), other = bo_create(card, SIZE, AMDGPU_GEM_DOMAIN_GTT);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, bo, CARD_VA, 0, SIZE, VA_RW), 0);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, other, CARD_VA + SIZE, 4096, 4096, VA_RW), 0);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, 0, CARD_VA + 4 * SIZE, 0, SIZE, AMDGPU_VM_PAGE_PRT), 0);
   uint32_t syncobj = syncobj_new(card, 0), context = context_new(card);
   struct drm_syncobj_eventfd wait = {.handle = syncobj, .fd = eventfd(0, EFD_CLOEXEC)};
   card_must(card, DRM_IOCTL_SYNCOBJ_EVENTFD, &wait);
   close(wait.fd);
   union drm_amdgpu_gem_create gds = {.in = {.bo_size = 4096, .domains = AMDGPU_GEM_DOMAIN_GDS}};
   card_must(card, DRM_IOCTL_AMDGPU_GEM_CREATE, &gds);

   assert_int_equal(vgpu_close(card->gpu, first), 0);
   assert_true(used(card) >= before + 2 * SIZE);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, bo, CARD_VA, 0, SIZE, VA_RW), -EINVAL);
   assert_int_equal(vgpu_close(card->gpu, second), 0);
   assert_int_equal(open_descriptors(), descriptors - 2);
   assert_true(used(card) < before + 65536); /* page tables stay */

   struct drm_gem_close close_args = {.handle = bo};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_GEM_CLOSE, &close_args), -EINVAL);
   struct drm_syncobj_destroy destroy = {.handle = syncobj};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), -EINVAL);
   union drm_amdgpu_ctx query = {.in = {.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = context}};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_CTX, &query), -EINVAL);

   /* The next one finds an empty address space, and all of what is on the chip. */
   first = open_card(card);
   bo = bo_create(card, 8 * SIZE, AMDGPU_GEM_DOMAIN_VRAM);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, bo, CARD_VA, 0, 8 * SIZE, VA_RW), 0);
   card_must(card, DRM_IOCTL_AMDGPU_GEM_CREATE, &gds);
   assert_int_equal(vgpu_close(card->gpu, first), 0);
   assert_true(used(card) < before + 65536);
}

/* One runs, one waits behind it, one waits for what will never come: the first two still have their memory. */
static void
jobs_end_well(void **state)
{
   struct card *card = *state;
   int file = open_card(card);
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   const uint64_t before = used(card) - GATE_SIZE;
   uint32_t context = context_new(card), done = syncobj_new(card, 0), never = syncobj_new(card, 0);
   struct sync_point signal = {done, 0}, wait = {never, 1};
   struct submit job = {.context = context, .ip = AMDGPU_HW_IP_COMPUTE, .va = gate.va + 256, .dwords = gate.dwords};
   assert_int_equal(submit(card, &job, NULL), 0);
   job.signal = &signal;
   job.signals = 1;
   assert_int_equal(submit(card, &job, NULL), 0);
   struct drm_syncobj_handle export = {.handle = done, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
   card_must(card, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export);
   struct submit waiting = {.context = context_new(card),
                            .ip = AMDGPU_HW_IP_COMPUTE,
                            .ring = 1,
                            .va = gate.va + 256,
                            .dwords = gate.dwords,
                            .wait = &wait,
                            .waits = 1,
                            .wait_for_submit = true};
   assert_int_equal(submit(card, &waiting, NULL), 0);
   assert_int_equal(jobs(card), 3);

   assert_int_equal(vgpu_close(card->gpu, file), 0);
   assert_int_equal(jobs(card), 2);
   assert_true(used(card) > before);
   gate_open(card, &gate);
   struct pollfd poller = {.fd = export.fd, .events = POLLIN};
   assert_int_equal(poll(&poller, 1, 10000), 1);
   while (used(card) > before)
      usleep(1000);
   assert_int_equal(jobs(card), 0);
   assert_int_equal(card->log[0], 0); /* no fault */
   close(export.fd);
   munmap(gate.memory, GATE_SIZE);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, card_setup, card_teardown)

int
main(void)
{
   const struct CMUnitTest tests[] = {
      TEST(everything_goes_with_the_last_descriptor),
      TEST(jobs_end_well),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
