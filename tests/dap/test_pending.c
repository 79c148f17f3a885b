/* SPDX-License-Identifier: MIT */
/*
 * Stops that come together. Waves of even workgroups come to instruction A and then to B, those of odd ones to B at
 * once. Each wave's hit is shown, once.
 */
#include "fixture.h"

#include <string.h>

#define WAVES 8
#define CODE 0x100000 /* of the application's shader */
#define BRANCH 0x8
#define A 0xc
#define B 0x20
#define BEHIND_B 0x24

static void
break_at(struct session *session, uint32_t first, uint32_t second)
{
   json_t *list = json_array();
   const uint32_t pcs[] = {first, second};
   for (size_t i = 0; i < 2; i++) {
      if (pcs[i])
         json_array_append_new(
            list, json_pack("{s:s, s:I}", "instructionReference", "0x100000", "offset", (json_int_t)pcs[i]));
   }
   ask(session, "setInstructionBreakpoints", json_pack("{s:o}", "breakpoints", list));
}

static void
start(struct session *session)
{
   session->application.waves = WAVES;
   begin(session, false);
   fake_branch(BRANCH, B);
   break_at(session, A, B);
   ask(session, "configurationDone", NULL);
}

/* The answer comes first, the next stop behind it. */
static void
go_on(struct session *session)
{
   size_t i;
   json_t *event;
   ask(session, "continue", NULL);
   json_array_foreach (session->client.events, i, event)
      assert_string_not_equal(json_string_value(json_object_get(event, "event")), "stopped");
}

/* How many waves stand at an instruction, for a cause. */
static unsigned
count_waves(struct session *session, const char *cause, uint32_t pc)
{
   char text[32];
   unsigned count = 0;
   size_t i;
   json_t *body = client_request(&session->client, "hdb/waves", NULL), *wave;
   snprintf(text, sizeof(text), "0x%x", CODE + pc);
   json_array_foreach (json_object_get(body, "waves"), i, wave)
      count += strcmp(json_string_value(json_object_get(wave, "cause")), cause) == 0 &&
               strcmp(json_string_value(json_object_get(wave, "pc")), text) == 0;
   json_decref(body);
   return count;
}

static void
expect_stop_at(struct session *session, const char *reason, json_int_t thread, uint32_t pc)
{
   char text[32];
   json_t *stop = client_event(&session->client, "stopped");
   snprintf(text, sizeof(text), "0x%x", CODE + pc);
   check_text(stop, "reason", reason);
   check_text(json_object_get(stop, "hdb"), "pc", text);
   assert_int_equal(integer(stop, "threadId"), thread);
   json_decref(stop);
}

static void
expect_hit(struct session *session, json_int_t thread, uint32_t pc, unsigned waves)
{
   expect_stop_at(session, "breakpoint", thread, pc);
   assert_int_equal(count_waves(session, "breakpoint", pc), waves);
}

static void
step_instruction(struct session *session, json_int_t thread)
{
   ask(session, "next", json_pack("{s:I, s:s}", "threadId", thread, "granularity", "instruction"));
}

static void
test_two_breakpoints(void **state)
{
   struct session session = {0};
   start(&session);
   expect_hit(&session, 1, A, WAVES / 2);
   go_on(&session);
   expect_hit(&session, 2, B, WAVES / 2);
   assert_int_equal(count_waves(&session, "breakpoint", A), WAVES / 2); /* nothing has run */
   go_on(&session);
   expect_hit(&session, 1, B, WAVES / 2);
   go_on(&session);
   end(&session);
}

/* A client that sets its list anew keeps what is pending; what it leaves out is gone. */
static void
test_changed_breakpoints(void **state)
{
   struct session session = {0};
   start(&session);
   expect_hit(&session, 1, A, WAVES / 2);
   break_at(&session, B, 0);
   go_on(&session);
   expect_hit(&session, 2, B, WAVES / 2);
   go_on(&session);
   expect_hit(&session, 1, B, WAVES / 2);
   go_on(&session);
   end(&session);

   session = (struct session){0};
   start(&session);
   expect_hit(&session, 1, A, WAVES / 2);
   break_at(&session, A, 0);
   go_on(&session);
   end(&session);
}

static void
test_fault_beside_breakpoint(void **state)
{
   struct session session = {0};
   session.application.waves = WAVES;
   begin(&session, false);
   fake_branch(BRANCH, B);
   fake_fault(BEHIND_B);
   break_at(&session, A, 0);
   ask(&session, "configurationDone", NULL);
   expect_stop_at(&session, "exception", 2, BEHIND_B);
   assert_int_equal(count_waves(&session, "fault", BEHIND_B), WAVES / 2);
   fake_fault(0);
   go_on(&session);
   expect_hit(&session, 1, A, WAVES / 2);
   go_on(&session);
   end(&session);
}

/* Steps are one wave's; what the others stopped for is shown by the next `continue`. */
static void
test_steps_first(void **state)
{
   struct session session = {0};
   start(&session);
   expect_hit(&session, 1, A, WAVES / 2);
   for (uint32_t pc = A + 4; pc < B; pc += 4) {
      step_instruction(&session, 1);
      expect_stop_at(&session, "step", 1, pc);
   }
   step_instruction(&session, 1); /* to where others stand already: it is one stop */
   expect_hit(&session, 1, B, WAVES / 2 + 1);
   go_on(&session);
   expect_hit(&session, 3, B, WAVES / 2 - 1);
   go_on(&session);
   end(&session);
}

static void
test_step_of_pending_wave(void **state)
{
   struct session session = {0};
   start(&session);
   expect_hit(&session, 1, A, WAVES / 2);
   step_instruction(&session, 4);
   expect_hit(&session, 4, B, WAVES / 2);
   step_instruction(&session, 4);
   expect_stop_at(&session, "step", 4, BEHIND_B);
   go_on(&session);
   expect_hit(&session, 1, B, WAVES / 2);
   go_on(&session);
   end(&session);
}

/* Waves that come to the place of a stop after it was shown, as on a card where not all can be halted, belong to it:
 * they are no news, neither in the middle of a step nor later. */
static void
test_late_waves(void **state)
{
   struct session session = {0};
   start(&session);
   fake_slow_steps(5);
   expect_hit(&session, 1, A, WAVES / 2);
   fake_launch_more(2); /* one to A, one to B */
   assert_int_equal(count_waves(&session, "breakpoint", A), WAVES / 2 + 1);
   step_instruction(&session, 1);
   expect_stop_at(&session, "step", 1, A + 4);
   go_on(&session);
   expect_hit(&session, 2, B, WAVES / 2 + 1);
   fake_slow_steps(0);
   go_on(&session);
   expect_hit(&session, 1, B, WAVES / 2 + 1);
   go_on(&session);
   end(&session);
}

static void
test_moved_wave(void **state)
{
   struct session session = {0};
   start(&session);
   expect_hit(&session, 1, A, WAVES / 2);
   for (int thread = 2; thread <= WAVES; thread += 2)
      ask(&session, "evaluate", json_pack("{s:s, s:i}", "expression", "$pc = 0x100024", "threadId", thread));
   go_on(&session);
   expect_hit(&session, 1, B, WAVES / 2);
   go_on(&session);
   end(&session);
}

static void
test_filter(void **state)
{
   struct session session = {0};
   start(&session);
   expect_hit(&session, 1, A, WAVES / 2);
   ask(&session, "hdb/setFilter", json_pack("{s:[i, i, i]}", "workgroup", 5, 0, 0));
   go_on(&session);
   expect_stop_at(&session, "breakpoint", 6, B);
   go_on(&session);
   end(&session);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_breakpoints),
      cmocka_unit_test(test_changed_breakpoints),
      cmocka_unit_test(test_fault_beside_breakpoint),
      cmocka_unit_test(test_steps_first),
      cmocka_unit_test(test_step_of_pending_wave),
      cmocka_unit_test(test_late_waves),
      cmocka_unit_test(test_moved_wave),
      cmocka_unit_test(test_filter),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
