/* SPDX-License-Identifier: MIT */
/* What a breakpoint asks of a wave: conditions, counts, log lines. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the fake machine's waves $s3 is 0x103 and $v1 0x1000 + the lane. */

static json_t *
set_with(struct session *session, json_t *terms)
{
   json_object_set_new(terms, "line", json_integer(20));
   json_t *body = client_request(&session->client, "setBreakpoints",
                                 json_pack("{s:{s:s}, s:[o]}", "source", "path", FILE_NAME, "breakpoints", terms));
   json_t *breakpoint = json_incref(json_array_get(json_object_get(body, "breakpoints"), 0));
   json_decref(body);
   return breakpoint;
}

static void
start_narrowed(struct session *session, json_t *terms, uint64_t exec)
{
   session->application.shader.shader.flags = HDB_SHADER_DEBUG_COMPILED;
   begin(session, false);
   fake_narrow(4, exec);
   json_t *breakpoint = set_with(session, terms);
   assert_non_null(json_object_get(breakpoint, "id"));
   json_decref(breakpoint);
   ask(session, "configurationDone", NULL);
}

static void
start(struct session *session, json_t *terms)
{
   start_narrowed(session, terms, UINT64_MAX);
}

static json_t *
next_stop(struct session *session)
{
   json_t *stop = client_event(&session->client, "stopped");
   check_text(stop, "reason", "breakpoint");
   return stop;
}

static json_int_t
hits(struct session *session)
{
   json_t *body = client_request(&session->client, "hdb/breakpoints", NULL);
   json_int_t count = integer(json_array_get(json_object_get(body, "breakpoints"), 0), "hits");
   json_decref(body);
   return count;
}

/* ---- conditions ---- */

/* The lane that the condition is true for is the one that is looked at. */
static void
test_condition(void **state)
{
   struct session session = {0};
   start(&session, json_pack("{s:s}", "condition", "$v1 == 0x1005 || $v1 == 0x1009"));
   json_t *stop = next_stop(&session);
   assert_int_equal(integer(json_object_get(stop, "hdb"), "lane"), 5);
   assert_int_equal(integer(json_object_get(stop, "hdb"), "hits"), 2);
   assert_null(json_object_get(stop, "text"));
   json_decref(stop);
   continue_to_end(&session);
}

static void
test_false_condition(void **state)
{
   struct session session = {0};
   start(&session, json_pack("{s:s}", "condition", "$v1 == 7"));
   end(&session); /* fails if a wave has stopped */
   assert_true(session.application.armed[0]);
}

/* A lane that is off counts for nothing. */
static void
test_condition_of_lanes_that_are_off(void **state)
{
   struct session session = {0};
   start_narrowed(&session, json_pack("{s:s}", "condition", "$v1 < 0x100a"), 0xff00);
   json_t *stop = next_stop(&session);
   assert_int_equal(integer(json_object_get(stop, "hdb"), "lane"), 8);
   json_decref(stop);
   continue_to_end(&session);
}

static void
test_wrong_condition(void **state)
{
   struct session session = {0};
   start(&session, json_pack("{s:s}", "condition", "$s3 / 0 > 1"));
   json_t *stop = next_stop(&session);
   const char *text = json_string_value(json_object_get(stop, "text"));
   assert_non_null(text);
   assert_non_null(strstr(text, "error in the condition: division by zero"));
   json_decref(stop);
   continue_to_end(&session);
}

static void
expect_refused(struct session *session, json_t *terms, const char *why)
{
   json_t *breakpoint = set_with(session, terms);
   check_text(breakpoint, "reason", "failed");
   assert_null(json_object_get(breakpoint, "id"));
   assert_non_null(strstr(json_string_value(json_object_get(breakpoint, "message")), why));
   json_decref(breakpoint);
}

/* What can't be meant is refused when it is set, also in place of what can. */
static void
test_refused_conditions(void **state)
{
   struct session session = {.application.shader.shader.flags = HDB_SHADER_DEBUG_COMPILED};
   begin_at_entry(&session);
   expect_refused(&session, json_pack("{s:s}", "condition", "nosuch > 1"), "no \"nosuch\" in this scope (column 1)");
   json_decref(set_with(&session, json_pack("{s:s}", "condition", "$s3 == 0x103")));
   expect_refused(&session, json_pack("{s:s}", "condition", "$s3 =="), "a value expected at the end");
   expect_refused(&session, json_pack("{s:s}", "condition", "$s3 = 1"), "an assignment");
   json_t *body = client_request(&session.client, "setBreakpoints",
                                 json_pack("{s:{s:s}, s:[{s:i, s:s}]}", "source", "path", "other.comp", "breakpoints",
                                           "line", 3, "condition", "1 +"));
   check_text(json_array_get(json_object_get(body, "breakpoints"), 0), "reason", "failed");
   json_decref(body);
   body = client_request(&session.client, "hdb/breakpoints", NULL);
   assert_int_equal(json_array_size(json_object_get(body, "breakpoints")), 1); /* the dispatch's name */
   json_decref(body);
   continue_to_end(&session);
}

/* Of dispatches it is an expression over what is known of them. */
static void
test_conditions_of_dispatches(void **state)
{
   static const char *const conditions[] = {"grid.x > 1000000", "number >= 0"};
   for (int holds = 0; holds < 2; holds++) {
      struct session session = {0};
      begin(&session, false);
      json_t *body = client_request(&session.client, "setFunctionBreakpoints",
                                    json_pack("{s:[{s:s, s:s}, {s:s, s:s}, {s:s, s:s}]}", "breakpoints", "name", "*",
                                              "condition", conditions[holds], "name", "x", "condition", "acc > 3",
                                              "name", "y", "hitCondition", "3"));
      json_t *list = json_object_get(body, "breakpoints");
      assert_true(json_is_true(json_object_get(json_array_get(list, 0), "verified")));
      check_text(json_array_get(list, 1), "reason", "failed");
      assert_non_null(
         strstr(json_string_value(json_object_get(json_array_get(list, 1), "message")), "dispatches have no \"acc\""));
      check_text(json_array_get(list, 2), "reason", "failed");
      json_decref(body);
      ask(&session, "configurationDone", NULL);
      if (holds) {
         json_t *stop = client_event(&session.client, "stopped");
         check_text(stop, "reason", "entry");
         json_decref(stop);
         continue_to_end(&session);
      } else {
         end(&session); /* fails if a wave has stopped */
      }
   }
}

/* The second of two on one line stops where the first does not. */
static void
test_two_on_a_line(void **state)
{
   struct session session = {.application.shader.shader.flags = HDB_SHADER_DEBUG_COMPILED};
   begin(&session, false);
   json_t *body =
      client_request(&session.client, "setBreakpoints",
                     json_pack("{s:{s:s}, s:[{s:i, s:s}, {s:i, s:s}]}", "source", "path", FILE_NAME, "breakpoints",
                               "line", 20, "condition", "$s3 == 0", "line", 20, "condition", "$s3 == 0x103"));
   json_int_t second = integer(json_array_get(json_object_get(body, "breakpoints"), 1), "id");
   json_decref(body);
   ask(&session, "configurationDone", NULL);
   json_t *stop = next_stop(&session);
   assert_int_equal(json_integer_value(json_array_get(json_object_get(stop, "hitBreakpointIds"), 0)), second);
   json_decref(stop);
   continue_to_end(&session);
}

/* ---- counts ---- */

static void
test_hit_conditions(void **state)
{
   static const struct {
      const char *condition;
      bool stops;
      int workgroup; /* of the wave that does; each of the two is one hit */
   } rules[] = {
      {"1", true, 0},    {"2", true, 1},    {"3", false, 0},   {"== 2", true, 1}, {">= 2", true, 1}, {"> 1", true, 1},
      {"> 2", false, 0}, {"<= 1", true, 0}, {"< 1", false, 0}, {"% 2", true, 1},  {"%3", false, 0},  {" >1 ", true, 1},
   };
   for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
      struct session session = {0};
      start(&session, json_pack("{s:s}", "hitCondition", rules[i].condition));
      if (rules[i].stops) {
         json_t *stop = next_stop(&session), *group = json_object_get(json_object_get(stop, "hdb"), "workgroup");
         assert_int_equal(json_integer_value(json_array_get(group, 0)), rules[i].workgroup);
         json_decref(stop);
         ask(&session, "continue", NULL);
      }
      end(&session);
   }
}

static void
test_wrong_hit_conditions(void **state)
{
   static const char *const wrong[] = {"x", "> ", "1 2", "-1", "% 0", "< 0", "99999999999999999999", "=> 2"};
   struct session session = {0};
   begin(&session, false);
   for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
      json_t *breakpoint = set_with(&session, json_pack("{s:s}", "hitCondition", wrong[i]));
      check_text(breakpoint, "reason", "failed");
      assert_null(json_object_get(breakpoint, "id"));
      json_decref(breakpoint);
   }
   ask(&session, "configurationDone", NULL);
   end(&session);
}

/* Only hits that meet the condition count; they stay when the client sets its breakpoints anew. */
static void
test_hits_are_kept(void **state)
{
   struct session session = {.application.dispatches = 2};
   start(&session, json_object());
   json_decref(next_stop(&session));
   assert_int_equal(hits(&session), 2);
   json_decref(set_with(&session, json_pack("{s:s, s:s}", "condition", "$s3 == 0x103", "hitCondition", "> 3")));
   assert_int_equal(hits(&session), 2);
   ask(&session, "continue", NULL);
   json_t *stop = next_stop(&session);
   assert_int_equal(integer(json_object_get(stop, "hdb"), "hits"), 4);
   json_decref(stop);
   json_decref(set_with(&session, json_pack("{s:s}", "condition", "$s3 == 0")));
   continue_to_end(&session);
}

/* ---- log lines ---- */

static void
expect_output(struct session *session, const char *expected)
{
   json_t *output = client_event(&session->client, "output");
   check_text(output, "output", expected);
   json_decref(output);
}

static void
test_log_message(void **state)
{
   struct session session = {0};
   start(&session, json_pack("{s:s}", "logMessage", "s3 is {/d $s3}, {nosuch}"));
   for (int wave = 0; wave < 2; wave++)
      expect_output(&session, "s3 is 259, <no \"nosuch\" in this scope (column 1)>\n");
   end(&session);
}

static void
test_log_format(void **state)
{
   struct session session = {.application.waves = 1};
   json_t *terms = json_pack("{s:s, s:s, s:[s,s,s,s]}", "condition", "$v1 != 0x1001", "hdb/format",
                             "%5.2f|%#X|%-4d|%s %%\n", "hdb/arguments", "1.5", "$v1", "-7", "$s3");
   start_narrowed(&session, terms, 0x7);
   expect_output(&session, " 1.50|0X1000|-7  |0x103 %\n");
   expect_output(&session, " 1.50|0X1002|-7  |0x103 %\n");
   end(&session);
}

static void
test_wrong_logs(void **state)
{
   struct session session = {0};
   begin(&session, false);
   json_t *const wrong[] = {
      json_pack("{s:s}", "logMessage", "{"),
      json_pack("{s:s}", "logMessage", "{}"),
      json_pack("{s:s}", "hdb/format", "%d"),
      json_pack("{s:s, s:[s]}", "hdb/format", "no more", "hdb/arguments", "1"),
      json_pack("{s:s, s:[s]}", "hdb/format", "%q", "hdb/arguments", "1"),
      json_pack("{s:s, s:[s]}", "hdb/format", "%1234d", "hdb/arguments", "1"),
      json_pack("{s:s, s:[s]}", "hdb/format", "%", "hdb/arguments", "1"),
      json_pack("{s:s, s:[i]}", "hdb/format", "%d", "hdb/arguments", 1),
   };
   for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
      json_t *breakpoint = set_with(&session, wrong[i]);
      check_text(breakpoint, "reason", "failed");
      json_decref(breakpoint);
   }
   ask(&session, "configurationDone", NULL);
   end(&session);
}

/* A client that does not read loses lines, and is told how many. */
static void
test_dropped_lines(void **state)
{
   enum { WAVES = 64, LINES = WAVES * 64 };
   struct session session = {.application.waves = WAVES};
   json_t *terms = json_pack("{s:s, s:[s,s,s,s,s,s,s,s]}", "hdb/format", "%99x%99x%99x%99x%99x%99x%99x%99x\n",
                             "hdb/arguments", "$v1", "$v1", "$v1", "$v1", "$v1", "$v1", "$v1", "$v1");
   start(&session, terms);
   for (int i = 0; i < 1000 && (i < 10 || fake_running()); i++)
      usleep(10000);
   int lines = 0, dropped = 0;
   while (!dropped) {
      json_t *output = client_event(&session.client, "output");
      const char *text = json_string_value(json_object_get(output, "output"));
      if (!strstr(text, "log lines were dropped"))
         lines += strlen(text) == 8 * 99 + 1;
      else
         dropped = atoi(text);
      json_decref(output);
   }
   assert_true(lines > 0);
   assert_int_equal(lines + dropped, LINES);
   end(&session);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_condition),
      cmocka_unit_test(test_false_condition),
      cmocka_unit_test(test_condition_of_lanes_that_are_off),
      cmocka_unit_test(test_wrong_condition),
      cmocka_unit_test(test_refused_conditions),
      cmocka_unit_test(test_conditions_of_dispatches),
      cmocka_unit_test(test_two_on_a_line),
      cmocka_unit_test(test_hit_conditions),
      cmocka_unit_test(test_wrong_hit_conditions),
      cmocka_unit_test(test_hits_are_kept),
      cmocka_unit_test(test_log_message),
      cmocka_unit_test(test_log_format),
      cmocka_unit_test(test_wrong_logs),
      cmocka_unit_test(test_dropped_lines),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
