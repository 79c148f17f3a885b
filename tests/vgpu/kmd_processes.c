/* SPDX-License-Identifier: MIT */
/* Syncobjs and sync files of two processes, each of which has a card of its own. */
#include "kmd_card.h"

#include <linux/sync_file.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define MS 1000000ll
#define SOON (now_ns() + 10000 * MS)
#define COMPUTE AMDGPU_HW_IP_COMPUTE
#define FOR_SUBMIT DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT
#define AVAILABLE DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE

/* ---- the other process ------------------------------------------------------------------------------------------- */

/* It has no cmocka around it: what fails ends it with a line, and its parent's test. */
#define EXPECT(condition)                                                                   \
   do {                                                                                     \
      if (!(condition)) {                                                                   \
         fprintf(stderr, "%s:%d: the other process: %s\n", __FILE__, __LINE__, #condition); \
         _exit(1);                                                                          \
      }                                                                                     \
   } while (0)

struct other {
   pid_t pid;
   int socket;
};

static void
send_fd(int socket, int fd)
{
   char byte = 'x';
   struct iovec data = {&byte, 1};
   union {
      struct cmsghdr align;
      char bytes[CMSG_SPACE(sizeof(int))];
   } control = {0};
   struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
   if (fd >= 0) {
      message.msg_control = control.bytes;
      message.msg_controllen = sizeof(control.bytes);
      struct cmsghdr *header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(int));
      memcpy(CMSG_DATA(header), &fd, sizeof(int));
   }
   if (sendmsg(socket, &message, MSG_NOSIGNAL) != 1)
      fprintf(stderr, "sendmsg: %m\n");
}

/* -1: none came along; -2: the other one is gone. */
static int
receive_fd(int socket)
{
   char byte;
   struct iovec data = {&byte, 1};
   union {
      struct cmsghdr align;
      char bytes[CMSG_SPACE(sizeof(int))];
   } control;
   struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
   if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
      return -2;
   struct cmsghdr *header = CMSG_FIRSTHDR(&message);
   int fd = -1;
   if (header)
      memcpy(&fd, CMSG_DATA(header), sizeof(int));
   return fd;
}

#define say(socket) send_fd(socket, -1)
#define hear(socket) receive_fd(socket)

/* Before the parent has a card. The child runs `main` on a card of its own. */
static struct other
other_start(void (*main)(struct card *card, int socket))
{
   int sockets[2];
   assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
   fflush(NULL);
   pid_t pid = fork();
   assert_true(pid >= 0);
   if (!pid) {
      close(sockets[0]);
      alarm(30);
      void *card;
      EXPECT(!card_setup(&card));
      main(card, sockets[1]);
      card_teardown(&card);
      _exit(0);
   }
   close(sockets[1]);
   return (struct other){pid, sockets[0]};
}

static void
other_finish(struct other *other)
{
   int status;
   close(other->socket);
   assert_int_equal(waitpid(other->pid, &status, 0), other->pid);
   assert_int_equal(status, 0);
}

static struct card *
own_card(void)
{
   void *card;
   assert_int_equal(card_setup(&card), 0);
   return card;
}

static void
end_card(struct card *card)
{
   void *state = card;
   card_teardown(&state);
}

/* ---- ioctls ------------------------------------------------------------------------------------------------------ */

static int export(struct card *card, uint32_t handle, uint32_t flags)
{
   struct drm_syncobj_handle args = {.handle = handle, .flags = flags};
   int r = card_ioctl(card, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);
   return r ? r : args.fd;
}

static uint32_t
import(struct card *card, int fd)
{
   struct drm_syncobj_handle args = {.fd = fd};
   int r = card_ioctl(card, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args);
   close(fd);
   return r ? 0 : args.handle;
}

static int
import_sync_file(struct card *card, uint32_t handle, int fd)
{
   struct drm_syncobj_handle args = {
      .handle = handle, .fd = fd, .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE};
   return card_ioctl(card, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args);
}

static int
file_status(struct card *card, int fd)
{
   struct sync_file_info info = {0};
   return vgpu_ioctl(vgpu_from_fd(fd), fd, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
}

static struct submit
job_of(const struct gate *gate, uint32_t context, const struct sync_point *wait, const struct sync_point *signal)
{
   return (struct submit){
      .context = context,
      .ip = COMPUTE,
      .va = gate->va + 256,
      .dwords = gate->dwords,
      .wait = wait,
      .waits = wait != NULL,
      .signal = signal,
      .signals = signal != NULL,
      .wait_for_submit = true,
   };
}

/* ---- binary ------------------------------------------------------------------------------------------------------ */

static void
binary_other(struct card *card, int socket)
{
   uint32_t syncobj = import(card, receive_fd(socket));
   EXPECT(syncobj);
   EXPECT(syncobj_wait_one(card, syncobj, 0, 0) == -EINVAL); /* no fence */
   say(socket);
   EXPECT(syncobj_wait_one(card, syncobj, SOON, FOR_SUBMIT) == 0); /* the parent's job */
   struct drm_syncobj_array reset = {.handles = (uintptr_t)&syncobj, .count_handles = 1};
   EXPECT(!card_ioctl(card, DRM_IOCTL_SYNCOBJ_RESET, &reset));
   say(socket);
   hear(socket);

   /* And back: what this one's job signals, a job of the other waits for. */
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   struct sync_point signal = {syncobj, 0};
   struct submit job = job_of(&gate, context_new(card), NULL, &signal);
   EXPECT(!submit(card, &job, NULL));
   say(socket);
   hear(socket);
   gate_open(card, &gate);
   EXPECT(syncobj_wait_one(card, syncobj, SOON, 0) == 0);
   hear(socket);
   gate_destroy(card, &gate);
}

static void
binary(void **state)
{
   struct other other = other_start(binary_other);
   struct card *card = own_card();
   struct gate gate, open;
   gate_create(card, &gate, CARD_VA);
   gate_create(card, &open, CARD_VA + GATE_SIZE);
   gate_open(card, &open);
   uint32_t syncobj = syncobj_new(card, 0), done = syncobj_new(card, 0);
   int fd = export(card, syncobj, 0);
   assert_true(fd > 2);
   send_fd(other.socket, fd);
   assert_int_equal(import(card, fd), syncobj + 2); /* the same one again */

   assert_int_equal(hear(other.socket), -1);
   struct sync_point signal = {syncobj, 0};
   struct submit job = job_of(&gate, context_new(card), NULL, &signal);
   assert_int_equal(submit(card, &job, NULL), 0);
   struct pollfd poller = {.fd = other.socket, .events = POLLIN};
   assert_int_equal(poll(&poller, 1, 50), 0); /* it waits */
   gate_open(card, &gate);
   assert_int_equal(hear(other.socket), -1);
   assert_int_equal(syncobj_wait_one(card, syncobj, 0, 0), -EINVAL); /* it has been reset */
   assert_int_equal(syncobj_wait_one(card, syncobj + 2, 0, 0), -EINVAL);

   /* A job that waits for what is not there yet. */
   struct sync_point wait = {syncobj, 0}, end = {done, 0};
   job = job_of(&open, context_new(card), &wait, &end);
   assert_int_equal(submit(card, &job, NULL), 0);
   say(other.socket);
   assert_int_equal(hear(other.socket), -1);
   assert_int_equal(syncobj_wait_one(card, done, now_ns() + 50 * MS, 0), -ETIME);
   assert_int_equal(syncobj_wait_one(card, syncobj, now_ns() + 1 * MS, 0), -ETIME);
   say(other.socket);
   assert_int_equal(syncobj_wait_one(card, done, SOON, 0), 0);
   assert_int_equal(syncobj_wait_one(card, syncobj, 0, 0), 0);
   say(other.socket);
   gate_destroy(card, &gate);
   gate_destroy(card, &open);
   end_card(card);
   other_finish(&other);
}

/* ---- timelines --------------------------------------------------------------------------------------------------- */

static void
timeline_other(struct card *card, int socket)
{
   uint32_t line = import(card, receive_fd(socket));
   EXPECT(line);
   EXPECT(timeline_value(card, line, 0) == 2);
   EXPECT(timeline_value(card, line, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED) == 4);
   EXPECT(timeline_wait_one(card, line, 2, 0, 0) == 0);
   EXPECT(timeline_wait_one(card, line, 3, now_ns() + 10 * MS, 0) == -ETIME);
   EXPECT(timeline_wait_one(card, line, 5, 0, 0) == -EINVAL);
   say(socket);
   EXPECT(timeline_wait_one(card, line, 3, SOON, 0) == 0); /* 4 is still to come */
   EXPECT(timeline_value(card, line, 0) == 3);
   say(socket);
   EXPECT(timeline_wait_one(card, line, 4, SOON, 0) == 0);

   /* Promised here, after it is waited for there; signalled later. */
   hear(socket);
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   struct sync_point signal = {line, 7};
   struct submit job = job_of(&gate, context_new(card), NULL, &signal);
   EXPECT(!submit(card, &job, NULL));
   EXPECT(timeline_wait_one(card, line, 8, SOON, FOR_SUBMIT | AVAILABLE) == 0); /* the other one's promise */
   EXPECT(timeline_value(card, line, 0) == 4);                                  /* not before 7 */
   say(socket);
   hear(socket);
   gate_open(card, &gate);
   EXPECT(timeline_wait_one(card, line, 8, SOON, 0) == 0);
   EXPECT(timeline_signal_one(card, line, 20) == 0);
   hear(socket);
   gate_destroy(card, &gate);
}

static void
timeline(void **state)
{
   struct other other = other_start(timeline_other);
   struct card *card = own_card();
   struct gate gates[2], open;
   gate_create(card, &gates[0], CARD_VA);
   gate_create(card, &gates[1], CARD_VA + GATE_SIZE);
   gate_create(card, &open, CARD_VA + 2 * GATE_SIZE);
   gate_open(card, &open);
   uint32_t line = syncobj_new(card, 0), done = syncobj_new(card, 0), context = context_new(card);

   /* What it was before it is shared goes along: 2 reached, 3 and 4 promised. */
   assert_int_equal(timeline_signal_one(card, line, 2), 0);
   for (int i = 0; i < 2; i++) {
      struct sync_point signal = {line, 3 + i};
      struct submit job = job_of(&gates[i], context, NULL, &signal);
      assert_int_equal(submit(card, &job, NULL), 0);
   }
   int fd = export(card, line, 0);
   assert_true(fd > 2);
   send_fd(other.socket, fd);
   close(fd);
   assert_int_equal(hear(other.socket), -1);
   gate_open(card, &gates[0]);
   assert_int_equal(hear(other.socket), -1);
   assert_int_equal(timeline_value(card, line, 0), 3);
   gate_open(card, &gates[1]);

   struct sync_point wait = {line, 7}, end = {done, 1};
   struct submit job = job_of(&open, context_new(card), &wait, &end);
   assert_int_equal(submit(card, &job, NULL), 0);
   say(other.socket);
   assert_int_equal(timeline_wait_one(card, line, 7, SOON, FOR_SUBMIT | AVAILABLE), 0);
   assert_int_equal(timeline_wait_one(card, line, 7, now_ns() + 20 * MS, 0), -ETIME);
   assert_int_equal(timeline_signal_one(card, line, 8), 0); /* behind 7, which has not come */
   assert_int_equal(hear(other.socket), -1);
   assert_int_equal(timeline_value(card, line, 0), 4);
   assert_int_equal(timeline_wait_one(card, done, 1, now_ns() + 20 * MS, 0), -ETIME);
   say(other.socket);
   assert_int_equal(timeline_wait_one(card, done, 1, SOON, 0), 0);
   assert_int_equal(timeline_wait_one(card, line, 20, SOON, FOR_SUBMIT), 0);
   assert_int_equal(timeline_value(card, line, 0), 20);
   say(other.socket);
   end_card(card);
   other_finish(&other);
}

/* ---- sync files -------------------------------------------------------------------------------------------------- */

static void
sync_file_other(struct card *card, int socket)
{
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   uint32_t syncobj = syncobj_new(card, 0);
   struct sync_point signal = {syncobj, 0};
   struct submit job = job_of(&gate, context_new(card), NULL, &signal);
   EXPECT(!submit(card, &job, NULL));
   int fd = export(card, syncobj, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE);
   EXPECT(fd > 2);
   send_fd(socket, fd);
   close(fd);
   syncobj_drop(card, syncobj);
   hear(socket);
   gate_open(card, &gate);
   hear(socket);

   /* One that will never signal. */
   __atomic_store_n(gate.memory, 0, __ATOMIC_SEQ_CST);
   uint32_t line = import(card, receive_fd(socket));
   EXPECT(line);
   signal = (struct sync_point){line, 5};
   job = job_of(&gate, context_new(card), NULL, &signal);
   EXPECT(!submit(card, &job, NULL));
   uint32_t last = syncobj_new(card, 0);
   signal = (struct sync_point){last, 0};
   EXPECT(!submit(card, &job, NULL));
   fd = export(card, last, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE);
   send_fd(socket, fd);
   hear(socket);
   kill(getpid(), SIGKILL);
}

/* Through its whole life, and when the process that was to signal is killed. */
static void
sync_file(void **state)
{
   struct other other = other_start(sync_file_other);
   struct card *card = own_card();
   int fd = receive_fd(other.socket);
   assert_true(fd >= 0);
   assert_ptr_equal(vgpu_from_fd(fd), card->gpu);
   assert_int_equal(file_status(card, fd), 0);
   uint32_t syncobj = syncobj_new(card, 0), signaled = syncobj_new(card, DRM_SYNCOBJ_CREATE_SIGNALED);
   assert_int_equal(import_sync_file(card, syncobj, fd), 0);
   assert_int_equal(syncobj_wait_one(card, syncobj, now_ns() + 20 * MS, 0), -ETIME);
   struct sync_merge_data merge = {.name = "both",
                                   .fd2 = export(card, signaled, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)};
   assert_int_equal(vgpu_ioctl(card->gpu, fd, SYNC_IOC_MERGE, &merge), 0);
   struct pollfd poller = {.fd = merge.fence, .events = POLLIN};
   assert_int_equal(poll(&poller, 1, 0), 0);

   struct gate open;
   gate_create(card, &open, CARD_VA);
   gate_open(card, &open);
   struct sync_point wait = {syncobj, 0}, signal = {syncobj_new(card, 0), 0};
   struct submit job = job_of(&open, context_new(card), &wait, &signal);
   assert_int_equal(submit(card, &job, NULL), 0);
   say(other.socket);
   assert_int_equal(syncobj_wait_one(card, signal.handle, SOON, 0), 0);
   assert_int_equal(syncobj_wait_one(card, syncobj, 0, 0), 0);
   assert_int_equal(poll(&poller, 1, 5000), 1);
   poller.fd = fd;
   assert_int_equal(poll(&poller, 1, 0), 1); /* it stays readable */
   assert_int_equal(file_status(card, fd), 1);
   assert_int_equal(import_sync_file(card, syncobj, fd), 0);
   assert_int_equal(syncobj_wait_one(card, syncobj, 0, 0), 0);
   close(fd);
   say(other.socket);

   uint32_t line = syncobj_new(card, 0);
   int line_fd = export(card, line, 0);
   send_fd(other.socket, line_fd);
   close(line_fd);
   fd = receive_fd(other.socket);
   assert_int_equal(import_sync_file(card, syncobj, fd), 0);
   assert_int_equal(timeline_wait_one(card, line, 5, SOON, FOR_SUBMIT | AVAILABLE), 0);
   assert_int_equal(timeline_wait_one(card, line, 5, now_ns() + 600 * MS, 0), -ETIME);
   say(other.socket);
   assert_int_equal(timeline_wait_one(card, line, 5, SOON, 0), 0);
   assert_int_equal(syncobj_wait_one(card, syncobj, SOON, 0), 0);
   assert_int_equal(file_status(card, fd), -ECANCELED);
   close(fd);
   close(merge.fd2);
   close(merge.fence);
   gate_destroy(card, &open);
   end_card(card);
   int status;
   close(other.socket);
   assert_int_equal(waitpid(other.pid, &status, 0), other.pid);
   assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* ---- one process ------------------------------------------------------------------------------------------------- */

static void
no_growth(void **state)
{
   struct card *card = own_card();
   struct gate open;
   gate_create(card, &open, CARD_VA);
   gate_open(card, &open);
   uint32_t context = context_new(card);
   int before = 0;
   long kib = 0;
   for (int i = 0; i < 300; i++) {
      if (i == 50) {
         before = open_descriptors();
         kib = resident_kib();
      }
      uint32_t line = syncobj_new(card, 0);
      int fd = export(card, line, 0);
      assert_true(fd > 2);
      for (uint64_t point = 1; point <= 20; point++) {
         struct sync_point signal = {line, point};
         struct submit job = job_of(&open, context, NULL, &signal);
         assert_int_equal(submit(card, &job, NULL), 0);
      }
      syncobj_drop(card, line); /* the jobs may not have ended: they have promised */
      uint32_t again = import(card, fd);
      assert_int_not_equal(again, 0);
      assert_int_equal(timeline_wait_one(card, again, 20, SOON, 0), 0);
      syncobj_drop(card, again);
   }
   assert_int_equal(open_descriptors(), before);
   assert_true(resident_kib() - kib < GROWTH_LIMIT_KIB);
   struct drm_syncobj_handle args = {.fd = 0};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args), -EINVAL);
   end_card(card);
}

/* More points than the log has room for, all in time. */
static void
a_long_timeline(void **state)
{
   struct card *card = own_card();
   uint32_t line = syncobj_new(card, 0);
   close(export(card, line, 0));
   for (uint64_t point = 1; point <= 40000; point++)
      assert_int_equal(timeline_signal_one(card, line, point), 0);
   assert_int_equal(timeline_value(card, line, 0), 40000);
   assert_int_equal(timeline_wait_one(card, line, 123, 0, 0), 0);
   end_card(card);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(binary),    cmocka_unit_test(timeline),        cmocka_unit_test(sync_file),
      cmocka_unit_test(no_growth), cmocka_unit_test(a_long_timeline),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
