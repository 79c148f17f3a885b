/* SPDX-License-Identifier: MIT */
/* Every way in which the program or vgpu-debugfs can end, and programs with several cards. */
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "session.h"

static void
check_dead(int fd)
{
   uint32_t value;
   assert_int_equal(read_at(fd, GRBM_GFX_INDEX, &value, 4), -EIO);
   assert_int_equal(write_at(fd, GRBM_GFX_INDEX, &value, 4), -EIO);
}

static void
test_exit_status(void **state)
{
   session_start(NULL, NULL);
   int fd = open_file("amdgpu_regs2", O_RDWR), name = open_file("name", O_RDONLY);
   struct program_message message = {.operation = PROGRAM_EXIT, .value = 7};
   assert_int_equal(write(session.program, &message, sizeof(message)), sizeof(message));
   int status = session_wait();
   assert_int_equal(WEXITSTATUS(status), 7);
   session_remove(); /* although files are open */
   check_dead(fd);
   char byte;
   assert_int_equal(read_at(name, 0, &byte, 1), -EIO);
   close(fd);
   close(name);

   session_start(NULL, "exit 3");
   status = session_wait();
   assert_int_equal(WEXITSTATUS(status), 3);
   session_remove();
   session_start(NULL, "kill -SEGV $$");
   status = session_wait();
   assert_int_equal(WEXITSTATUS(status), 128 + SIGSEGV);
   session_remove();
}

static void
test_program_killed(void **state)
{
   session_start(NULL, NULL);
   int fd = open_file("amdgpu_regs2", O_RDWR);
   assert_int_equal(read32(fd, GRBM_GFX_INDEX), 7u << 29);
   kill((pid_t)session.facts.pid, SIGKILL);
   int status = session_wait();
   assert_int_equal(WEXITSTATUS(status), 128 + SIGKILL);
   check_dead(fd);
   close(fd);
   session_remove();
}

static void
test_signals_are_passed_on(void **state)
{
   static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
   for (size_t i = 0; i < 4; i++) {
      session_start(NULL, NULL);
      kill(session.pid, signals[i]);
      int status = session_wait();
      assert_int_equal(WEXITSTATUS(status), 128 + signals[i]);
      session_remove();
   }
}

static void
test_killed_itself(void **state)
{
   session_start(NULL, NULL);
   int fd = open_file("amdgpu_regs2", O_RDWR);
   kill(session.pid, SIGKILL);
   int status;
   assert_int_equal(waitpid(session.pid, &status, 0), session.pid);
   wait_until(!session_is_mounted());
   uint32_t value;
   assert_true(read_at(fd, GRBM_GFX_INDEX, &value, 4) < 0); /* whatever FUSE says then */
   close(fd);

   /* The program goes on without. */
   assert_int_equal(ask((struct program_message){.operation = PROGRAM_ABOUT}).facts.pid, session.facts.pid);
   struct program_message message = {.operation = PROGRAM_EXIT};
   assert_int_equal(write(session.program, &message, sizeof(message)), sizeof(message));
   close(session.program);
   session_remove();
}

/* A file operation ends, also when the program does not answer; it goes on when that does again. */
static void
test_program_stopped(void **state)
{
   session_start(NULL, NULL);
   int fd = open_file("amdgpu_regs2", O_RDWR);
   kill((pid_t)session.facts.pid, SIGSTOP);
   nap(200); /* until it has reached all threads */
   uint32_t value;
   assert_int_equal(read_at(fd, GRBM_GFX_INDEX, &value, 4), -ETIMEDOUT);
   kill((pid_t)session.facts.pid, SIGCONT);
   assert_int_equal(read32(fd, GCMC_VM_FB_LOCATION_TOP), (session.facts.vram_size - 1) >> 24);
   close(fd);
   session_finish();
}

/* What ^Z sends. */
static void
test_terminal_stop(void **state)
{
   session_start(NULL, NULL);
   int fd = open_file("amdgpu_regs2", O_RDWR);
   kill(-session.pid, SIGTSTP);
   nap(200);
   assert_int_equal(read32(fd, GRBM_GFX_INDEX), 7u << 29);
   ask((struct program_message){.operation = PROGRAM_ABOUT});
   close(fd);
   session_finish();
}

static bool
exists(const char *name)
{
   char path[128];
   struct stat status;
   snprintf(path, sizeof(path), "%s/%s", session.directory, name);
   return stat(path, &status) == 0;
}

/* The card's end of the connection does not live on in children. */
static void
test_forked_child(void **state)
{
   session_start(NULL, "$PROGRAM $SOCKET; exec sleep 60");
   ask((struct program_message){.operation = PROGRAM_ABOUT});
   int fd = open_file("amdgpu_regs2", O_RDWR);
   uint32_t child = ask((struct program_message){.operation = PROGRAM_FORK, .value = 60000}).value;
   assert_int_equal(read32(fd, GRBM_GFX_INDEX), 7u << 29);
   struct program_message message = {.operation = PROGRAM_EXIT};
   assert_int_equal(write(session.program, &message, sizeof(message)), sizeof(message));
   wait_until(!exists("0"));
   assert_true(session_is_mounted());
   check_dead(fd);
   assert_int_equal(kill((pid_t)child, SIGKILL), 0); /* it lived until now */
   close(fd);
   kill(session.pid, SIGTERM);
   session_wait();
   session_remove();
}

/* A program at the end of it waits for commands for ever. */
static void
mkfifo_commands(void)
{
   char path[64];
   snprintf(path, sizeof(path), "/tmp/vgpu-debugfs-commands-%d", getpid());
   assert_int_equal(mkfifo(path, 0600), 0);
   setenv("FIFO", path, true);
}

/* Each process has a card and a directory of its own, while it lives. */
static void
test_several_cards(void **state)
{
   mkfifo_commands();
   session_start(NULL, "$PROGRAM 3 3<>$FIFO & first=$!; $PROGRAM 3 3<>$FIFO & second=$!;"
                       "trap 'kill $second; wait; exit 9' TERM; trap 'kill $first' HUP;"
                       "while :; do wait; done");
   wait_until(exists("0/name") && exists("1/name"));
   assert_false(exists("2/name"));
   assert_true(exists("129/amdgpu_regs2"));
   kill(session.pid, SIGHUP);
   wait_until(exists("0/name") != exists("1/name"));
   kill(session.pid, SIGTERM);
   int status = session_wait();
   assert_int_equal(WEXITSTATUS(status), 9);
   session_remove();
   unlink(getenv("FIFO"));
}

static void
test_not_run(void **state)
{
   static const struct {
      const char *program;
      int status;
   } programs[] = {{"/nonexistent/program", 127}, {"/proc/version/program", 127}, {"/tmp", 126}};
   for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
      char directory[] = "/tmp/vgpu-debugfs-XXXXXX";
      assert_non_null(mkdtemp(directory));
      session_start((const char *[]){directory, "--", programs[i].program, NULL}, "true");
      int status = session_wait();
      assert_int_equal(WEXITSTATUS(status), programs[i].status);
      session_remove();
      assert_int_equal(rmdir(directory), 0);
   }

   static const char *const no_directories[] = {"/nonexistent/directory", "/proc/version"};
   for (size_t i = 0; i < sizeof(no_directories) / sizeof(no_directories[0]); i++) {
      session_start((const char *[]){no_directories[i], "--", "true", NULL}, "true");
      int status = session_wait();
      assert_int_equal(WEXITSTATUS(status), 125);
      session_remove();
   }
}

/* What goes wrong on purpose ends with the program: nobody is left waiting, and nobody left answering. */
static void
test_hang_at_the_end(void **state)
{
   static const char *const rules[] = {"*:read:1-:hang", "*:write:1-:hang", "*:ioctl:1-:hang"};
   for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
      session_start((const char *[]){"--inject", rules[i], NULL}, NULL);
      int fd = open_file("amdgpu_regs2", O_RDWR);
      pid_t child = fork();
      if (child == 0) { /* one hangs while the program lives, the rest come when it has gone */
         struct regs2_v2 select = {0};
         uint32_t value = 0;
         alarm(20);
         for (int tries = 0; tries < 3; tries++) {
            bool dead = i == 0   ? read_at(fd, GRBM_GFX_INDEX, &value, 4) == -EIO
                        : i == 1 ? write_at(fd, GRBM_GFX_INDEX, &value, 4) == -EIO
                                 : ioctl(fd, SET_STATE_V2, &select) == -1 && errno == EIO;
            if (!dead)
               _exit(1);
            nap(100);
         }
         _exit(0);
      }
      nap(200);
      session_finish();
      int status = 1;
      wait_until(waitpid(child, &status, WNOHANG) == child);
      assert_int_equal(status, 0);
      close(fd);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exit_status),     cmocka_unit_test(test_program_killed),
      cmocka_unit_test(test_killed_itself),   cmocka_unit_test(test_signals_are_passed_on),
      cmocka_unit_test(test_program_stopped), cmocka_unit_test(test_terminal_stop),
      cmocka_unit_test(test_forked_child),    cmocka_unit_test(test_several_cards),
      cmocka_unit_test(test_not_run),         cmocka_unit_test(test_hang_at_the_end),
   };
   return fuse_works() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
