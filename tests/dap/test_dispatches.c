/* SPDX-License-Identifier: MIT */
/* Which dispatches a session attaches to, and what it is told of them. */
#include "fixture.h"

#include <string.h>

static void
test_offers(void **state)
{
   struct session session = {.application = {.dispatches = 4, .label = "blur pass"}};
   begin(&session, true);
   session.client.answer = "no";
   ask(&session, "configurationDone", NULL);
   while (session.client.offers < 1)
      ask(&session, "threads", NULL);
   session.client.answer = "yes";
   expect_stop(&session, "entry", 16);
   assert_false(session.application.enters[0]);
   assert_true(session.application.enters[1]);
   assert_int_equal(session.client.offers, 2);
   session.client.answer = "none";
   continue_to_end(&session);
   assert_int_equal(session.client.offers, 3);
   assert_false(session.application.enters[3]);
}

static void
test_names(void **state)
{
   static const struct {
      const char *name;
      bool attaches;
   } names[] = {
      {"0", true},
      {"1", false},
      {"blur", true},
      {"bl*", true},
      {"main", true},
      {"calls.comp", true},
      {"calls.comp:main", true},
      {"label:pass 1", true},
      {"label:*2", false},
      {"other", false},
   };
   for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      struct session session = {.application = {.pipeline_name = "blur", .label = "pass 1"}};
      begin(&session, false);
      attach_to(&session, names[i].name);
      ask(&session, "configurationDone", NULL);
      if (names[i].attaches) {
         expect_stop(&session, "entry", 16);
         ask(&session, "continue", NULL);
         json_t *output = client_event(&session.client, "output");
         check_text(output, "output", "dispatch 0 (blur) finished\n");
         json_decref(output);
      }
      end(&session);
      assert_int_equal(session.application.enters[0], names[i].attaches);
   }
}

static void
test_outcomes(void **state)
{
   static const struct {
      enum hdb_outcome outcome;
      const char *said;
   } outcomes[] = {
      {HDB_OUTCOME_FINISHED, "dispatch 0 (blur) finished\n"},
      {HDB_OUTCOME_LOST, "dispatch 0 (blur) was lost with the device\n"},
      {HDB_OUTCOME_NOT_SUBMITTED, "dispatch 0 (blur) was not submitted: the driver refused\n"},
   };
   for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
      struct session session = {.application = {.pipeline_name = "blur", .outcome = outcomes[i].outcome}};
      begin_at_entry(&session);
      ask(&session, "continue", NULL);
      json_t *output = client_event(&session.client, "output");
      check_text(output, "output", outcomes[i].said);
      json_decref(output);
      end(&session);
   }
}

/* A size that isn't known is not taken for none, and not said. */
static void
test_unknown_size(void **state)
{
   struct session session = {.application = {.indirect = true, .pipeline_name = "blur", .dispatches = 2}};
   begin(&session, false);
   attach_to(&session, "blur");
   ask(&session, "configurationDone", NULL);
   for (unsigned i = 0; i < session.application.dispatches; i++) {
      json_t *stop = client_event(&session.client, "stopped"), *header = json_object_get(stop, "hdb");
      check_text(stop, "reason", "entry");
      check_text(header, "dispatch", "blur");
      assert_null(json_object_get(header, "waves"));
      json_t *body = client_request(&session.client, "hdb/dispatches", NULL);
      assert_true(json_is_null(json_object_get(json_array_get(json_object_get(body, "dispatches"), i), "grid")));
      json_decref(body);
      json_decref(stop);
      ask(&session, "continue", NULL);
   }
   end(&session);
}

static void
check_state(struct session *session, unsigned number, const char *expected)
{
   json_t *body = client_request(&session->client, "hdb/dispatches", NULL);
   check_text(json_array_get(json_object_get(body, "dispatches"), number), "state", expected);
   json_decref(body);
}

/* No more is said than waves and ends of submissions tell. */
static void
test_states(void **state)
{
   struct session session = {.application = {.pipeline_name = "blur", .dispatches = 2, .hold = true}};
   begin(&session, false);
   ask(&session, "configurationDone", NULL);
   application_wait_submitted(&session.application, 1);
   check_state(&session, 0, "submitted");
   attach_to(&session, "1");
   application_let_go(&session.application);
   expect_stop(&session, "entry", 16);
   check_state(&session, 0, "finished");
   check_state(&session, 1, "running");
   continue_to_end(&session);
}

static void
test_pending_states(void **state)
{
   struct session session = {.application = {.pipeline_name = "blur", .hold = true}};
   begin(&session, false);
   attach_to(&session, "blur");
   ask(&session, "configurationDone", NULL);
   application_wait_submitted(&session.application, 1);
   check_state(&session, 0, "pending");
   /* Of other workgroups no wave stops: it could have begun. */
   ask(&session, "hdb/setFilter", json_pack("{s:[i,i,i]}", "workgroup", 1, 0, 0));
   check_state(&session, 0, "submitted");
   ask(&session, "hdb/setFilter", json_pack("{s:n}", "workgroup"));
   application_let_go(&session.application);
   expect_stop(&session, "entry", 16);
   continue_to_end(&session);
}

/* Without support by the driver, dispatches can only be listed. */
static void
test_unsupported_device(void **state)
{
   struct session session = {.application = {.unsupported = true, .pipeline_name = "blur", .hold = true}};
   begin(&session, true);
   ask(&session, "configurationDone", NULL);
   json_t *output = client_event(&session.client, "output");
   check_text(output, "output",
              "fake: hdb has no link to its driver; its dispatches are listed, but can't be attached to\n");
   json_decref(output);
   application_wait_submitted(&session.application, 1);
   json_t *body = client_request(&session.client, "hdb/dispatches", NULL);
   json_t *dispatch = json_array_get(json_object_get(body, "dispatches"), 0);
   check_text(dispatch, "name", "blur");
   assert_true(json_is_false(json_object_get(dispatch, "attached")));
   json_decref(body);
   json_decref(set_breakpoint(&session, FILE_NAME, 20));
   application_let_go(&session.application);
   end(&session);
   assert_int_equal(session.client.offers, 0);
}

/* In code without pads, a trap in an unarmed wave would swallow an instruction. */
static void
test_unarmed_dispatch_is_waited_for(void **state)
{
   struct session session = {.application = {.dispatches = 2, .hold = true, .elsewhere = true}};
   begin(&session, false);
   ask(&session, "configurationDone", NULL);
   application_wait_submitted(&session.application, 1);
   json_t *breakpoint = set_breakpoint(&session, FILE_NAME, 22);
   assert_non_null(
      strstr(json_string_value(json_object_get(breakpoint, "message")), "pending until the running dispatches finish"));
   json_decref(breakpoint);
   assert_int_equal(fake_plants(), 0);
   application_let_go(&session.application);
   json_t *changed = client_event(&session.client, "breakpoint");
   assert_null(
      strstr(json_string_value(json_object_get(json_object_get(changed, "breakpoint"), "message")), "pending"));
   json_decref(changed);
   expect_stop(&session, "breakpoint", 22);
   assert_false(session.application.armed[0]);
   assert_true(session.application.armed[1]);
   ask(&session, "setBreakpoints", json_pack("{s:{s:s}, s:[]}", "source", "path", FILE_NAME, "breakpoints"));
   assert_int_equal(fake_plants(), 0);
   continue_to_end(&session);
}

/* With no wave to stop, a pause is for the next dispatch; only for that. */
static void
test_pause_before_dispatch(void **state)
{
   struct session session = {.application = {.dispatches = 2}};
   begin(&session, false);
   ask(&session, "pause", NULL);
   json_t *output = client_event(&session.client, "output");
   check_text(output, "output",
              "no wave of an attached dispatch is running; the next dispatch will stop at its entry\n");
   json_decref(output);
   ask(&session, "configurationDone", NULL);
   expect_stop(&session, "entry", 16);
   continue_to_end(&session);
   assert_true(session.application.enters[0]);
   assert_false(session.application.enters[1]);
}

/* What was submitted before anybody named it has not begun: it still stops. */
static void
test_breakpoint_for_submitted(void **state)
{
   struct session session = {.application = {.hold = true}};
   begin(&session, false);
   ask(&session, "configurationDone", NULL);
   application_wait_submitted(&session.application, 1);
   json_decref(set_breakpoint(&session, FILE_NAME, 22));
   assert_int_not_equal(fake_plants(), 0);
   application_let_go(&session.application);
   expect_stop(&session, "breakpoint", 22);
   continue_to_end(&session);
}

static void
test_catch_of_submitted(void **state)
{
   struct session session = {.application = {.hold = true, .pipeline_name = "blur"}};
   begin(&session, false);
   ask(&session, "configurationDone", NULL);
   application_wait_submitted(&session.application, 1);
   assert_false(session.application.enters[0]);
   attach_to(&session, "0");
   application_let_go(&session.application);
   expect_stop(&session, "entry", 16);
   continue_to_end(&session);
}

/* Where it can't be stopped any more, that is said when it is asked for. */
static void
test_catch_of_unarmed(void **state)
{
   struct session session = {.application = {.hold = true, .pipeline_name = "blur", .elsewhere = true}};
   begin(&session, false);
   ask(&session, "configurationDone", NULL);
   application_wait_submitted(&session.application, 1);
   assert_false(session.application.armed[0]);
   attach_to(&session, "blur");
   json_t *output = client_event(&session.client, "output");
   check_text(output, "output", "dispatch 0 (blur) was submitted before it could be stopped\n");
   json_decref(output);
   application_let_go(&session.application);
   end(&session);
}

static void
test_catch_of_begun(void **state)
{
   struct session session = {.application = {.hold = true, .pipeline_name = "blur"}};
   begin(&session, false);
   ask(&session, "configurationDone", NULL);
   application_wait_submitted(&session.application, 1);
   json_decref(set_breakpoint(&session, FILE_NAME, 22));
   application_let_go(&session.application);
   expect_stop(&session, "breakpoint", 22);
   attach_to(&session, "blur");
   json_t *output = client_event(&session.client, "output");
   check_text(output, "output", "dispatch 0 (blur) has begun already: it does not stop at its entry\n");
   json_decref(output);
   continue_to_end(&session);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_offers),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_outcomes),
      cmocka_unit_test(test_unknown_size),
      cmocka_unit_test(test_states),
      cmocka_unit_test(test_pending_states),
      cmocka_unit_test(test_unsupported_device),
      cmocka_unit_test(test_unarmed_dispatch_is_waited_for),
      cmocka_unit_test(test_pause_before_dispatch),
      cmocka_unit_test(test_breakpoint_for_submitted),
      cmocka_unit_test(test_catch_of_submitted),
      cmocka_unit_test(test_catch_of_unarmed),
      cmocka_unit_test(test_catch_of_begun),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
