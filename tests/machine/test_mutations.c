/* SPDX-License-Identifier: MIT */
/* Each well-known mistake in a trap handler must be seen by some check; the handler itself must pass them all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"

#define LIMIT 10 /* seconds: a mutation that hangs is caught, too */

#define HANDLER(name)                      \
   extern const uint32_t handler_##name[]; \
   extern const size_t handler_##name##_size;
#include "mutations.inc"
#undef HANDLER

extern const uint32_t hdb_trap_handler[];
extern const size_t hdb_trap_handler_size;

static const struct handler handlers[] = {
   {"none", hdb_trap_handler, &hdb_trap_handler_size},
#define HANDLER(name) {#name, handler_##name, &handler_##name##_size},
#include "mutations.inc"
#undef HANDLER
};

/* In a process of its own: 0 if all checks passed. */
static int
run_checks(const struct handler *handler)
{
   struct check_result result;
   alarm(LIMIT);
   for (uint32_t wave_size = 32; wave_size <= 64; wave_size += 32) {
      for (int program = CHECK_LOOP; program <= CHECK_REDUCE; program++) {
         check_steps(handler, program, wave_size, &result);
         if (!check_passed(&result))
            goto caught;
      }
      check_breakpoint(handler, wave_size, &result);
      if (!check_passed(&result))
         goto caught;
   }
   return 0;
caught:
   check_print(stdout, handler->name, &result);
   return 1;
}

static void
mutation(void **state)
{
   const struct handler *handler = *state;
   fflush(stdout);
   pid_t child = fork();
   assert_true(child >= 0);
   if (child == 0)
      _exit(run_checks(handler));
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
      print_message("%s: hangs\n", handler->name);
   bool passed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
   assert_int_equal(passed, handler == &handlers[0]);
}

int
main(void)
{
   enum { COUNT = sizeof(handlers) / sizeof(*handlers) };
   struct CMUnitTest tests[COUNT];
   for (int i = 0; i < COUNT; i++)
      tests[i] = (struct CMUnitTest){handlers[i].name, mutation, NULL, NULL, (void *)&handlers[i]};
   return cmocka_run_group_tests(tests, NULL, NULL);
}
