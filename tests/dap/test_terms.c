/* SPDX-License-Identifier: MIT */
/* What a breakpoint asks of a wave: conditions, counts, log lines; and what watchpoints make of the card's registers.
 */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/target.h"

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

static void
go_on(struct session *session)
{
   ask(session, "continue", NULL);
   end(session);
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
   go_on(&session);
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
   go_on(&session);
}

static void
test_wrong_condition(void **state)
{
   struct session session = {0};
   start(&session, json_pack("{s:s}", "condition", "nosuch > 1"));
   json_t *stop = next_stop(&session);
   const char *text = json_string_value(json_object_get(stop, "text"));
   assert_non_null(text);
   assert_non_null(strstr(text, "error in the condition: no \"nosuch\" in this scope"));
   json_decref(stop);
   go_on(&session);
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
   go_on(&session);
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
   go_on(&session);
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
      json_pack("{s:s, s:[s]}", "hdb/format", "%123d", "hdb/arguments", "1"),
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

/* ---- watchpoints ---- */

static json_t *
watch(json_t *list, uint64_t address, int size, const char *access)
{
   json_array_append_new(list, json_pack("{s:o, s:s}", "dataId",
                                         json_sprintf("memory|0x%llx|%d|uint|x", (unsigned long long)address, size),
                                         "accessType", access));
   return list;
}

static json_t *
set_watches(struct session *session, json_t *list)
{
   return client_request(&session->client, "setDataBreakpoints", json_pack("{s:o}", "breakpoints", list));
}

static void
check_watch(uint32_t n, uint64_t va, uint64_t size, enum hdb_watch_mode mode)
{
   struct fake_watch watch = fake_watch_at(n);
   assert_int_equal(watch.va, va);
   assert_int_equal(watch.size, size);
   assert_int_equal(watch.mode, mode);
}

static void
check_verified(json_t *body, size_t i, bool verified)
{
   json_t *breakpoint = json_array_get(json_object_get(body, "breakpoints"), i);
   assert_int_equal(json_is_true(json_object_get(breakpoint, "verified")), verified);
}

static void
begin_at_entry(struct session *session)
{
   begin(session, false);
   attach_to(session, "0");
   ask(session, "configurationDone", NULL);
   expect_stop(session, "entry", 16);
}

static void
test_watch_registers(void **state)
{
   struct session session = {.application.waves = 1};
   begin_at_entry(&session);
   json_t *list = json_array();
   watch(watch(watch(list, 0x1004, 4, "write"), 0x207e, 4, "read"), 0x100000, 1000, "readWrite");
   json_decref(set_watches(&session, list));
   check_watch(0, 0x1000, 128, HDB_WATCH_NONREAD);
   check_watch(1, 0x2000, 256, HDB_WATCH_READ); /* across a block's end */
   check_watch(2, 0x100000, 1024, HDB_WATCH_ALL);
   check_watch(3, 0, 0, 0);
   json_decref(set_watches(&session, json_array()));
   for (uint32_t n = 0; n < HDB_WATCHES; n++)
      check_watch(n, 0, 0, 0);
   go_on(&session);
}

/* With more than four, the nearest share a register, which then sees what either wants. */
static void
test_more_than_four(void **state)
{
   struct session session = {.application.waves = 1};
   begin_at_entry(&session);
   json_t *list = json_array();
   watch(watch(watch(list, 0x100000, 4, "write"), 0x200000, 4, "write"), 0x300000, 4, "write");
   watch(watch(watch(list, 0x400000, 4, "write"), 0x200100, 4, "read"), 0x300080, 4, "write");
   json_t *body = set_watches(&session, list);
   for (size_t i = 0; i < 6; i++)
      check_verified(body, i, true);
   json_decref(body);
   bool both = false, same = false;
   for (uint32_t n = 0; n < HDB_WATCHES; n++) {
      struct fake_watch watch = fake_watch_at(n);
      both |= watch.va == 0x200000 && watch.size == 512 && watch.mode == HDB_WATCH_ALL;
      same |= watch.va == 0x300000 && watch.size == 256 && watch.mode == HDB_WATCH_NONREAD;
   }
   assert_true(both);
   assert_true(same);
   go_on(&session);
}

/* Five that no four registers reach: none of them is watched, and that is said. */
static void
test_too_far_apart(void **state)
{
   struct session session = {.application.waves = 1};
   begin_at_entry(&session);
   json_t *list = json_array();
   for (uint64_t i = 1; i <= 5; i++)
      watch(list, i << 40, 4, "write");
   json_t *body = set_watches(&session, list);
   check_verified(body, 4, false);
   const char *message =
      json_string_value(json_object_get(json_array_get(json_object_get(body, "breakpoints"), 4), "message"));
   assert_non_null(strstr(message, "too far apart"));
   json_decref(body);
   check_watch(0, 0, 0, 0);
   go_on(&session);
}

static void
test_no_registers(void **state)
{
   struct session session = {.application.waves = 1};
   begin_at_entry(&session);
   fake_refuse_watches(true);
   json_t *body = set_watches(&session, watch(json_array(), 0x1000, 4, "write"));
   check_verified(body, 0, false);
   check_text(json_array_get(json_object_get(body, "breakpoints"), 0), "message",
              "watches 4 bytes at 0x1000: not now, the card's watch registers are out of reach");
   json_decref(body);
   go_on(&session);
}

static void
test_what_can_be_watched(void **state)
{
   struct session session = {.application.waves = 1};
   begin_at_entry(&session);
   json_t *body = client_request(&session.client, "dataBreakpointInfo", json_pack("{s:s}", "name", "$s3"));
   assert_true(json_is_null(json_object_get(body, "dataId")));
   json_decref(body);
   body = client_request(&session.client, "dataBreakpointInfo", json_pack("{s:s}", "name", "*(uint *)0x100000"));
   check_text(body, "dataId", "memory|0x100000|4|uint|*(uint *)0x100000");
   json_decref(body);
   static const char *const wrong[] = {"",
                                       "memory",
                                       "memory|x|4|uint|x",
                                       "memory|0x1000|0|uint|x",
                                       "memory|0x1000|99999999|uint|x",
                                       "scratch|99|0|0|4|uint|x",
                                       "LDS|0|4|uint|x"};
   json_t *list = json_array();
   for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
      json_array_append_new(list, json_pack("{s:s}", "dataId", wrong[i]));
   body = set_watches(&session, list);
   for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
      check_text(json_array_get(json_object_get(body, "breakpoints"), i), "reason", "failed");
   json_decref(body);
   check_watch(0, 0, 0, 0);
   go_on(&session);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_condition),
      cmocka_unit_test(test_false_condition),
      cmocka_unit_test(test_condition_of_lanes_that_are_off),
      cmocka_unit_test(test_wrong_condition),
      cmocka_unit_test(test_two_on_a_line),
      cmocka_unit_test(test_hit_conditions),
      cmocka_unit_test(test_wrong_hit_conditions),
      cmocka_unit_test(test_hits_are_kept),
      cmocka_unit_test(test_log_message),
      cmocka_unit_test(test_log_format),
      cmocka_unit_test(test_wrong_logs),
      cmocka_unit_test(test_dropped_lines),
      cmocka_unit_test(test_watch_registers),
      cmocka_unit_test(test_more_than_four),
      cmocka_unit_test(test_too_far_apart),
      cmocka_unit_test(test_no_registers),
      cmocka_unit_test(test_what_can_be_watched),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
