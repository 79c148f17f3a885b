/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

struct session session;

void
nap(unsigned ms)
{
   nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static int
mount_something(const char *directory)
{
   int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
   if (fd < 0)
      return -errno;
   char data[64];
   snprintf(data, sizeof(data), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
   int r = mount("none", directory, "fuse", 0, data) ? -errno : 0;
   if (!r)
      umount2(directory, MNT_DETACH);
   close(fd);
   return r;
}

bool
fuse_works(void)
{
   char directory[] = "/tmp/vgpu-fuse-XXXXXX";
   int r = mkdtemp(directory) ? mount_something(directory) : -errno;
   rmdir(directory);
   if (r)
      printf("skipped: FUSE does not work here: %s\n", strerror(-r));
   return !r;
}

/* ---- life ---- */

static void
run(const char *const *options, const char *command, int program)
{
   const char *argv[32], *path = getenv("HDB_TEST_DEBUGFS_PROGRAM");
   char number[16];
   int argc = 0;
   setpgid(0, 0); /* as a shell's job, which SIGTSTP can stop */
   argv[argc++] = getenv("HDB_TEST_VGPU_DEBUGFS");
   while (options && *options)
      argv[argc++] = *options++;
   argv[argc++] = session.directory;
   argv[argc++] = "--";
   snprintf(number, sizeof(number), "%d", program);
   if (command) {
      setenv("PROGRAM", path, true);
      setenv("SOCKET", number, true);
      argv[argc++] = "sh";
      argv[argc++] = "-c";
      argv[argc++] = command;
   } else {
      argv[argc++] = path;
      argv[argc++] = number;
   }
   argv[argc] = NULL;
   setenv("HDB_GPU", "virtual", true);
   for (size_t i = 0; i < 4; i++) /* who runs in the background, or under nohup, begins with some of them ignored */
      signal((const int[]){SIGHUP, SIGINT, SIGQUIT, SIGTERM}[i], SIG_DFL);
   execv(argv[0], (char **)argv);
   _exit(126);
}

void
session_start(const char *const *options, const char *command)
{
   session = (struct session){.program = -1, .directory = "/tmp/vgpu-debugfs-XXXXXX"};
   assert_non_null(mkdtemp(session.directory));
   int ends[2];
   assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
   fcntl(ends[0], F_SETFD, FD_CLOEXEC);
   session.pid = fork();
   assert_true(session.pid >= 0);
   if (session.pid == 0)
      run(options, command, ends[1]);
   close(ends[1]);
   session.program = ends[0];
   if (!command)
      session.facts = ask((struct program_message){.operation = PROGRAM_ABOUT}).facts;
}

int
session_wait(void)
{
   int status;
   for (int tries = 0; waitpid(session.pid, &status, WNOHANG) != session.pid; tries++) {
      if (tries == 1500) {
         kill(session.pid, SIGKILL);
         fail_msg("vgpu-debugfs did not end");
      }
      nap(10);
   }
   if (session.program >= 0)
      close(session.program);
   session.program = -1;
   return status;
}

bool
session_is_mounted(void)
{
   struct stat there, parent;
   if (stat(session.directory, &there))
      return true; /* ENOTCONN: mounted, and nobody is behind it */
   assert_int_equal(stat("/tmp", &parent), 0);
   return there.st_dev != parent.st_dev;
}

void
session_remove(void)
{
   wait_until(!session_is_mounted());
   assert_int_equal(rmdir(session.directory), 0);
}

void
session_finish(void)
{
   struct program_message message = {.operation = PROGRAM_EXIT};
   assert_int_equal(write(session.program, &message, sizeof(message)), sizeof(message));
   assert_int_equal(session_wait(), 0);
   session_remove();
}

/* ---- the program ---- */

struct program_message
ask(struct program_message message)
{
   assert_int_equal(write(session.program, &message, sizeof(message)), sizeof(message));
   assert_int_equal(read(session.program, &message, sizeof(message)), sizeof(message));
   assert_int_equal(message.result, 0);
   return message;
}

/* ---- files ---- */

int
open_file(const char *name, int flags)
{
   char path[128];
   snprintf(path, sizeof(path), "%s/0/%s", session.directory, name);
   int fd = open(path, flags | O_CLOEXEC);
   return fd < 0 ? -errno : fd;
}

int
read_at(int fd, uint64_t offset, void *data, size_t size)
{
   ssize_t n = pread(fd, data, size, (off_t)offset);
   return n < 0 ? -errno : n == (ssize_t)size ? 0 : -ENODATA;
}

int
write_at(int fd, uint64_t offset, const void *data, size_t size)
{
   ssize_t n = pwrite(fd, data, size, (off_t)offset);
   return n < 0 ? -errno : n == (ssize_t)size ? 0 : -ENODATA;
}

uint32_t
read32(int fd, uint64_t offset)
{
   uint32_t value;
   assert_int_equal(read_at(fd, offset, &value, 4), 0);
   return value;
}

void
write32(int fd, uint64_t offset, uint32_t value)
{
   assert_int_equal(write_at(fd, offset, &value, 4), 0);
}

uint32_t
register_value(struct vgpu_bank bank, uint64_t address)
{
   return ask((struct program_message){.operation = PROGRAM_READ_REGISTER, .bank = bank, .address = address}).value;
}

void
set_state(int fd, struct regs2_v2 state)
{
   assert_int_equal(ioctl(fd, SET_STATE_V2, &state), 0);
}

void
write_memory(uint64_t va, uint32_t value)
{
   ask((struct program_message){.operation = PROGRAM_WRITE_MEMORY, .address = va, .size = 4, .data = {value}});
}

uint32_t
read_memory(uint64_t va)
{
   return ask((struct program_message){.operation = PROGRAM_READ_MEMORY, .address = va, .size = 4}).data[0];
}

void
launch(enum program_shader shader, uint64_t buffer)
{
   ask((struct program_message){.operation = PROGRAM_LAUNCH, .value = shader, .address = buffer});
}

bool
job_ends_within(uint32_t ms)
{
   return !ask((struct program_message){.operation = PROGRAM_WAIT, .value = ms}).value;
}

void
read_text(const char *name, char *text, size_t size)
{
   int fd = open_file(name, O_RDONLY);
   assert_true(fd >= 0);
   ssize_t n = read(fd, text, size - 1);
   assert_true(n > 0);
   text[n] = 0;
   assert_int_equal(read(fd, text + n, 1), 0);
   close(fd);
}

int
session_setup(void **state)
{
   session_start(NULL, NULL);
   return 0;
}

int
session_teardown(void **state)
{
   session_finish();
   return 0;
}
