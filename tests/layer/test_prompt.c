/* SPDX-License-Identifier: MIT */
/*
 * Starting `hdb attach` on the terminal: a process with a pseudo terminal of its own plays the program, a shell script
 * plays hdb and tells over its descriptor 3 what it found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "layer.h"

#define SCRIPT "./fake-hdb"

atomic_bool layer_inert; /* process.c is not part of this test */

enum {
   PASSED,
   NO_SOCKET,
   NO_ANSWER,
   WRONG_ARGUMENTS,
   NO_TERMINAL,
   WRONG_FOREGROUND,
   WRONG_GROUP,
   LEAKED_DESCRIPTOR,
   SIGNALS_BLOCKED,
   CHILD_SEEN
};

static void
write_script(const char *text)
{
   FILE *file = fopen(SCRIPT, "w");
   assert_non_null(file);
   fputs(text, file);
   fchmod(fileno(file), 0755);
   fclose(file);
}

/* Reads what the script says until it ends. */
static void
receive(int fd, char *text, size_t size)
{
   size_t length = 0;
   ssize_t n;
   while (length < size - 1 && (n = read(fd, text + length, size - 1 - length)) > 0)
      length += (size_t)n;
   text[length] = '\0';
}

static int
play_program(void)
{
   char said[1024], expected[64];
   sigset_t all;
   sigfillset(&all);
   pthread_sigmask(SIG_SETMASK, &all, NULL);
   int secret = dup(0); /* not for hdb */
   fcntl(secret, F_DUPFD, 20);
   int fd = layer_prompt_start();
   if (fd < 0)
      return NO_SOCKET;
   receive(fd, said, sizeof(said));
   if (!strstr(said, "end"))
      return NO_ANSWER;
   if (!strstr(said, "arguments: attach --ask fd:3\n"))
      return WRONG_ARGUMENTS;
   if (!strstr(said, "terminal: yes\n"))
      return NO_TERMINAL;
   if (!strstr(said, "foreground: no\n")) /* it takes the terminal when it has a question */
      return WRONG_FOREGROUND;
   snprintf(expected, sizeof(expected), "group: %d\n", (int)getpgrp());
   if (!strstr(said, expected))
      return WRONG_GROUP;
   if (!strstr(said, "descriptor 20: no\n"))
      return LEAKED_DESCRIPTOR;
   if (!strstr(said, "blocked: 0000000000000000\n"))
      return SIGNALS_BLOCKED;
   if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
      return CHILD_SEEN;
   return PASSED;
}

static int
run_in_terminal(int (*program)(void))
{
   int terminal;
   pid_t child = forkpty(&terminal, NULL, NULL, NULL);
   if (child == 0)
      _exit(program());
   char drain[256];
   while (read(terminal, drain, sizeof(drain)) > 0)
      continue;
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   close(terminal);
   assert_true(WIFEXITED(status));
   return WEXITSTATUS(status);
}

static void
test_prompt(void **state)
{
   write_script("#!/bin/sh\n"
                "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && terminal=yes\n"
                "{ echo \"arguments: $*\"\n"
                "  echo \"terminal: $terminal\"\n"
                "  if [ \"$(ps -o tpgid= -p $$ | tr -d ' ')\" = $$ ]; then echo 'foreground: yes'; else echo "
                "'foreground: no'; fi\n"
                "  echo \"group: $HDB_TERMINAL_PGRP\"\n"
                "  if [ -e /proc/self/fd/20 ]; then echo 'descriptor 20: yes'; else echo 'descriptor 20: no'; fi\n"
                "  sed -n 's/^SigBlk:[^0-9]*/blocked: /p' /proc/self/status\n"
                "  echo end; } >&3\n");
   setenv("HDB_CLI", SCRIPT, 1);
   assert_int_equal(run_in_terminal(play_program), PASSED);
}

/* The connection ends at once, so that the program goes on, and the terminal is the program's again. */
static int
play_program_without_hdb(void)
{
   char said[16];
   int fd = layer_prompt_start();
   if (fd < 0)
      return NO_SOCKET;
   receive(fd, said, sizeof(said));
   if (*said)
      return NO_ANSWER;
   return tcgetpgrp(0) == getpgrp() ? PASSED : WRONG_FOREGROUND;
}

static void
test_no_hdb(void **state)
{
   setenv("HDB_CLI", "/nonexistent/hdb", 1);
   assert_int_equal(run_in_terminal(play_program_without_hdb), PASSED);
}

static void
test_no_terminal(void **state)
{
   pid_t child = fork();
   if (child == 0) {
      setsid();
      _exit(layer_prompt_start() < 0 ? 42 : 1);
   }
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status));
   assert_int_equal(WEXITSTATUS(status), 42);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_prompt),
      cmocka_unit_test(test_no_hdb),
      cmocka_unit_test(test_no_terminal),
   };
   int failed = cmocka_run_group_tests(tests, NULL, NULL);
   unlink(SCRIPT);
   return failed;
}
