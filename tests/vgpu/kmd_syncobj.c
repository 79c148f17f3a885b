/* SPDX-License-Identifier: MIT */
/* Every syncobj ioctl, and sync files. */
#include "kmd_card.h"

#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#define ALL DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL
#define FOR_SUBMIT DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT
#define AVAILABLE DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE
#define MS 1000000ll

static int
set(struct card *card, unsigned long request, uint32_t handle)
{
   struct drm_syncobj_array args = {.handles = (uintptr_t)&handle, .count_handles = 1};
   return card_ioctl(card, request, &args);
}

static int
transfer(struct card *card, uint32_t to, uint64_t to_point, uint32_t from, uint64_t from_point, uint32_t flags)
{
   struct drm_syncobj_transfer args = {
      .src_handle = from, .dst_handle = to, .src_point = from_point, .dst_point = to_point, .flags = flags};
   return card_ioctl(card, DRM_IOCTL_SYNCOBJ_TRANSFER, &args);
}

static int
export_file(struct card *card, uint32_t handle, uint32_t flags)
{
   struct drm_syncobj_handle args = {.handle = handle, .flags = flags, .fd = -1};
   int r = card_ioctl(card, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);
   return r ? r : args.fd;
}

static int
import_sync_file(struct card *card, uint32_t handle, int fd)
{
   struct drm_syncobj_handle args = {
      .handle = handle, .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, .fd = fd};
   return card_ioctl(card, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args);
}

static bool
is_readable(int fd)
{
   struct pollfd poller = {.fd = fd, .events = POLLIN};
   return poll(&poller, 1, 0) == 1 && poller.revents & POLLIN;
}

static void
binary(void **state)
{
   struct card *card = *state;
   uint32_t a = syncobj_new(card, 0), b = syncobj_new(card, DRM_SYNCOBJ_CREATE_SIGNALED);

   assert_int_equal(syncobj_wait_one(card, b, 0, 0), 0);
   assert_int_equal(syncobj_wait_one(card, a, 0, 0), -EINVAL); /* no fence, and not told to wait for one */
   assert_int_equal(syncobj_wait_one(card, a, 0, FOR_SUBMIT), -ETIME);
   int64_t start = now_ns();
   assert_int_equal(syncobj_wait_one(card, a, start + 20 * MS, FOR_SUBMIT), -ETIME);
   assert_true(now_ns() - start >= 20 * MS);

   assert_int_equal(set(card, DRM_IOCTL_SYNCOBJ_SIGNAL, a), 0);
   assert_int_equal(syncobj_wait_one(card, a, 0, 0), 0);
   assert_int_equal(set(card, DRM_IOCTL_SYNCOBJ_RESET, a), 0);
   assert_int_equal(syncobj_wait_one(card, a, 0, FOR_SUBMIT), -ETIME);

   uint32_t both[2] = {a, b};
   struct drm_syncobj_wait args = {.handles = (uintptr_t)both, .count_handles = 2, .flags = FOR_SUBMIT};
   card_must(card, DRM_IOCTL_SYNCOBJ_WAIT, &args);
   assert_int_equal(args.first_signaled, 1);
   args.flags |= ALL;
   assert_int_equal(card_ioctl(card, DRM_IOCTL_SYNCOBJ_WAIT, &args), -ETIME);

   syncobj_drop(card, a);
   syncobj_drop(card, b);
   assert_int_equal(syncobj_wait_one(card, a, 0, 0), -ENOENT);
   assert_int_equal(set(card, DRM_IOCTL_SYNCOBJ_SIGNAL, a), -ENOENT);
   struct drm_syncobj_destroy again = {.handle = a};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_SYNCOBJ_DESTROY, &again), -EINVAL);
   struct drm_syncobj_create bad = {.flags = 1 << 7};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_SYNCOBJ_CREATE, &bad), -EINVAL);
}

static void
timeline(void **state)
{
   struct card *card = *state;
   uint32_t line = syncobj_new(card, 0);

   assert_int_equal(timeline_value(card, line, 0), 0);
   assert_int_equal(timeline_wait_one(card, line, 1, 0, FOR_SUBMIT), -ETIME);
   assert_int_equal(timeline_wait_one(card, line, 1, 0, 0), -EINVAL);
   assert_int_equal(timeline_signal_one(card, line, 5), 0);
   assert_int_equal(timeline_value(card, line, 0), 5);
   assert_int_equal(timeline_wait_one(card, line, 5, 0, FOR_SUBMIT), 0);
   assert_int_equal(timeline_wait_one(card, line, 3, 0, FOR_SUBMIT), 0);
   assert_int_equal(timeline_wait_one(card, line, 6, 0, FOR_SUBMIT), -ETIME);
   assert_int_equal(timeline_wait_one(card, line, 6, 0, AVAILABLE), -ETIME);
   assert_int_equal(timeline_signal_one(card, line, 9), 0);
   assert_int_equal(timeline_value(card, line, 0), 9);
   assert_int_equal(timeline_value(card, line, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED), 9);
   syncobj_drop(card, line);
}

/* A point is reached when its own fence and all before it have signalled. */
static void
points_are_reached_in_order(void **state)
{
   struct card *card = *state;
   struct gate gate[2];
   uint32_t context = context_new(card), line = syncobj_new(card, 0);
   for (uint32_t i = 0; i < 2; i++) {
      gate_create(card, &gate[i], CARD_VA + i * GATE_SIZE);
      struct sync_point signal = {line, 10 * (i + 1)};
      struct submit job = {.context = context,
                           .ip = AMDGPU_HW_IP_COMPUTE,
                           .ring = i,
                           .va = gate[i].va + 256,
                           .dwords = gate[i].dwords,
                           .signal = &signal,
                           .signals = 1};
      assert_int_equal(submit(card, &job, NULL), 0);
   }
   assert_int_equal(timeline_value(card, line, 0), 0);
   assert_int_equal(timeline_value(card, line, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED), 20);
   assert_int_equal(timeline_wait_one(card, line, 20, 0, AVAILABLE), 0);
   assert_int_equal(timeline_wait_one(card, line, 20, 0, 0), -ETIME);

   bool busy = true;
   gate_open(card, &gate[1]);
   assert_int_equal(wait_cs(card, context, AMDGPU_HW_IP_COMPUTE, 1, 1, now_ns() + 5000 * MS, &busy), 0);
   assert_false(busy);
   assert_int_equal(timeline_wait_one(card, line, 20, 0, 0), -ETIME); /* 10 is still to come */
   assert_int_equal(timeline_value(card, line, 0), 0);

   gate_open(card, &gate[0]);
   assert_int_equal(timeline_wait_one(card, line, 20, now_ns() + 5000 * MS, 0), 0);
   assert_int_equal(timeline_value(card, line, 0), 20);
   syncobj_drop(card, line);
   gate_destroy(card, &gate[0]);
   gate_destroy(card, &gate[1]);
}

struct waiter {
   struct card *card;
   uint32_t handle;
   uint64_t point;
   int64_t timeout;
   int result;
};

static void *
wait_on_thread(void *argument)
{
   struct waiter *waiter = argument;
   int64_t deadline = now_ns() + waiter->timeout;
   waiter->result = waiter->point ? timeline_wait_one(waiter->card, waiter->handle, waiter->point, deadline, FOR_SUBMIT)
                                  : syncobj_wait_one(waiter->card, waiter->handle, deadline, FOR_SUBMIT);
   return NULL;
}

static void
a_thread_waits_for_another(void **state)
{
   struct card *card = *state;
   struct waiter waiter[2] = {
      {card, syncobj_new(card, 0), 0, 5000 * MS, 1},
      {card, syncobj_new(card, 0), 7, 5000 * MS, 1},
   };
   pthread_t thread[2];
   for (int i = 0; i < 2; i++)
      assert_int_equal(pthread_create(&thread[i], NULL, wait_on_thread, &waiter[i]), 0);

   /* While they wait, nothing else is held up. */
   usleep(20000);
   for (int i = 0; i < 100; i++)
      bo_close(card, bo_create(card, 4096, AMDGPU_GEM_DOMAIN_VRAM));
   assert_int_equal(set(card, DRM_IOCTL_SYNCOBJ_SIGNAL, waiter[0].handle), 0);
   assert_int_equal(timeline_signal_one(card, waiter[1].handle, 8), 0);
   for (int i = 0; i < 2; i++) {
      pthread_join(thread[i], NULL);
      assert_int_equal(waiter[i].result, 0);
      syncobj_drop(card, waiter[i].handle);
   }
}

static void
held_time_is_left_out(void **state)
{
   struct card *card = *state;
   uint32_t never = syncobj_new(card, 0);
   struct waiter waiter = {card, never, 0, 60 * MS, 1};
   pthread_t thread;

   int64_t start = now_ns();
   assert_int_equal(pthread_create(&thread, NULL, wait_on_thread, &waiter), 0);
   usleep(10000);
   vgpu_hold_time(card->gpu, true);
   assert_int_equal(syncobj_wait_one(card, never, 0, FOR_SUBMIT), -ETIME); /* a poll is a poll */
   usleep(150000);
   vgpu_hold_time(card->gpu, false);
   pthread_join(thread, NULL);
   assert_int_equal(waiter.result, -ETIME);
   assert_true(now_ns() - start >= 200 * MS);
   syncobj_drop(card, never);
}

/* A job that waits for the gate and signals the syncobj. */
static void
submit_behind(struct card *card, const struct gate *gate, uint32_t syncobj)
{
   struct sync_point signal = {syncobj, 0};
   struct submit job = {.context = context_new(card),
                        .ip = AMDGPU_HW_IP_GFX,
                        .va = gate->va + 256,
                        .dwords = gate->dwords,
                        .signal = &signal,
                        .signals = 1};
   assert_int_equal(submit(card, &job, NULL), 0);
}

static void
transfer_copies_the_fence(void **state)
{
   struct card *card = *state;
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   uint32_t job_done = syncobj_new(card, 0), copy = syncobj_new(card, 0);
   uint32_t line = syncobj_new(card, 0);

   assert_int_equal(transfer(card, copy, 0, job_done, 0, 0), -EINVAL); /* no fence yet */
   submit_behind(card, &gate, job_done);
   assert_int_equal(transfer(card, copy, 0, job_done, 0, 0), 0); /* while the job runs */
   assert_int_equal(transfer(card, line, 4, job_done, 0, 0), 0);
   assert_int_equal(set(card, DRM_IOCTL_SYNCOBJ_RESET, job_done), 0);
   assert_int_equal(syncobj_wait_one(card, copy, 0, 0), -ETIME);
   assert_int_equal(timeline_value(card, line, 0), 0);

   gate_open(card, &gate);
   assert_int_equal(syncobj_wait_one(card, copy, now_ns() + 5000 * MS, 0), 0);
   assert_int_equal(timeline_wait_one(card, line, 4, now_ns() + 5000 * MS, 0), 0);
   assert_int_equal(timeline_value(card, line, 0), 4);
   assert_int_equal(transfer(card, copy, 0, line, 4, 0), 0);
   assert_int_equal(transfer(card, copy, 0, line, 5, 0), -EINVAL);
   gate_destroy(card, &gate);
}

static void
sync_files(void **state)
{
   struct card *card = *state;
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   uint32_t pending = syncobj_new(card, 0), other = syncobj_new(card, 0);
   uint32_t done = syncobj_new(card, DRM_SYNCOBJ_CREATE_SIGNALED);
   const uint32_t as_file = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE;

   assert_int_equal(export_file(card, pending, as_file), -EINVAL); /* there is no fence to export */
   submit_behind(card, &gate, pending);

   int fds[3];
   fds[0] = export_file(card, pending, as_file);
   fds[1] = export_file(card, done, as_file);
   assert_true(fds[0] >= 0 && fds[1] >= 0);
   assert_ptr_equal(vgpu_from_fd(fds[0]), card->gpu);
   assert_false(is_readable(fds[0]));
   assert_true(is_readable(fds[1]));

   struct sync_merge_data merge = {.name = "both", .fd2 = fds[1]};
   assert_int_equal(vgpu_ioctl(card->gpu, fds[0], SYNC_IOC_MERGE, &merge), 0);
   fds[2] = merge.fence;
   assert_false(is_readable(fds[2]));
   struct sync_file_info info = {0};
   assert_int_equal(vgpu_ioctl(card->gpu, fds[2], SYNC_IOC_FILE_INFO, &info), 0);
   assert_int_equal(info.status, 0);
   assert_int_equal(info.num_fences, 1);
   assert_int_equal(import_sync_file(card, other, fds[2]), 0);
   assert_int_equal(syncobj_wait_one(card, other, 0, 0), -ETIME);

   gate_open(card, &gate);
   struct pollfd poller = {.fd = fds[2], .events = POLLIN};
   assert_int_equal(poll(&poller, 1, 5000), 1);
   assert_int_equal(syncobj_wait_one(card, other, 0, 0), 0);
   assert_true(is_readable(fds[0]));
   assert_int_equal(vgpu_ioctl(card->gpu, fds[2], SYNC_IOC_FILE_INFO, &info), 0);
   assert_int_equal(info.status, 1);

   /* Descriptors of other kinds are told apart. */
   int pipe_fds[2];
   assert_int_equal(pipe(pipe_fds), 0);
   assert_null(vgpu_from_fd(pipe_fds[0]));
   assert_int_equal(import_sync_file(card, other, pipe_fds[0]), -EINVAL);
   assert_int_equal(import_sync_file(card, other, vgpu_fd(card->gpu)), -EINVAL);
   close(pipe_fds[0]);
   close(pipe_fds[1]);
   for (int i = 0; i < 3; i++)
      close(fds[i]);
   assert_null(vgpu_from_fd(fds[0]));
   gate_destroy(card, &gate);
}

static void
a_syncobj_as_a_descriptor(void **state)
{
   struct card *card = *state;
   uint32_t a = syncobj_new(card, 0);
   int fd = export_file(card, a, 0);
   assert_true(fd >= 0);
   struct drm_syncobj_handle import = {.fd = fd};
   card_must(card, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import);
   uint32_t b = import.handle;
   assert_int_not_equal(a, b);
   close(fd);

   assert_int_equal(set(card, DRM_IOCTL_SYNCOBJ_SIGNAL, a), 0);
   assert_int_equal(syncobj_wait_one(card, b, 0, 0), 0);
   syncobj_drop(card, a);
   assert_int_equal(syncobj_wait_one(card, b, 0, 0), 0);
   assert_int_equal(set(card, DRM_IOCTL_SYNCOBJ_RESET, b), 0);
   assert_int_equal(syncobj_wait_one(card, b, 0, FOR_SUBMIT), -ETIME);
   syncobj_drop(card, b);
}

static void
eventfds(void **state)
{
   struct card *card = *state;
   uint32_t line = syncobj_new(card, 0);
   int now = eventfd(0, EFD_CLOEXEC), later = eventfd(0, EFD_CLOEXEC);
   assert_int_equal(timeline_signal_one(card, line, 1), 0);
   struct drm_syncobj_eventfd args = {.handle = line, .point = 1, .fd = now};
   card_must(card, DRM_IOCTL_SYNCOBJ_EVENTFD, &args);
   args = (struct drm_syncobj_eventfd){.handle = line, .point = 2, .fd = later};
   card_must(card, DRM_IOCTL_SYNCOBJ_EVENTFD, &args);
   assert_true(is_readable(now));
   assert_false(is_readable(later));
   assert_int_equal(timeline_signal_one(card, line, 2), 0);
   assert_true(is_readable(later));

   args.fd = -1;
   assert_int_equal(card_ioctl(card, DRM_IOCTL_SYNCOBJ_EVENTFD, &args), -EBADF);
   args = (struct drm_syncobj_eventfd){.handle = line, .point = 99, .fd = later}; /* left to the card's end */
   card_must(card, DRM_IOCTL_SYNCOBJ_EVENTFD, &args);
   close(now);
   close(later);
}

static void
no_growth(void **state)
{
   struct card *card = *state;
   uint32_t line = syncobj_new(card, 0);
   long before = 0;
   int descriptors = 0;

   for (uint64_t point = 1; point <= 40000; point++) {
      assert_int_equal(timeline_signal_one(card, line, point), 0);
      if (point % 40 == 0) {
         uint32_t one = syncobj_new(card, DRM_SYNCOBJ_CREATE_SIGNALED);
         int fd = export_file(card, one, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE);
         assert_int_equal(import_sync_file(card, one, fd), 0);
         close(fd);
         syncobj_drop(card, one);
      }
      if (point == 2000) {
         before = resident_kib();
         descriptors = open_descriptors();
      }
   }
   assert_true(resident_kib() - before < GROWTH_LIMIT_KIB);
   assert_true(open_descriptors() - descriptors <= 1);
   assert_int_equal(timeline_value(card, line, 0), 40000);
}

/* A timeline that is never idle keeps no memory of what has passed. */
static void
a_busy_timeline_forgets(void **state)
{
   struct fence *line = NULL, *last = NULL;
   for (uint64_t point = 1; point <= 10000; point++) {
      struct fence *fence = fence_create(), *link = fence_create_link(line, fence, point);
      fence_unref(line);
      line = link;
      if (last)
         fence_signal(last, 0);
      fence_unref(last);
      last = fence;
      assert_false(fence_is_signaled(line));
      assert_int_equal(fence_last_point(line, false), point - 1);
   }
   uint32_t links = 0;
   for (struct fence *link = line; link; link = link->prev)
      links++;
   assert_true(links <= 3);
   fence_signal(last, 0);
   assert_true(fence_is_signaled(line));
   fence_unref(last);
   fence_unref(line);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, card_setup, card_teardown)
   const struct CMUnitTest tests[] = {
      TEST(binary),
      TEST(timeline),
      TEST(points_are_reached_in_order),
      TEST(a_thread_waits_for_another),
      TEST(held_time_is_left_out),
      TEST(transfer_copies_the_fence),
      TEST(sync_files),
      TEST(a_syncobj_as_a_descriptor),
      TEST(eventfds),
      TEST(no_growth),
      TEST(a_busy_timeline_forgets),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
