/* SPDX-License-Identifier: MIT */
/* What watchpoints make of the card's registers. */
#include "fixture.h"

#include "target/target.h"

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
test_watch_registers(void **state)
{
   struct session session = {.application.waves = 1};
   begin_at_entry(&session);
   json_t *list = json_array();
   watch(watch(watch(list, 0x1004, 4, "write"), 0x207e, 4, "read"), 0x100000, 1000, "readWrite");
   json_decref(set_watches(&session, list));
   check_watch(0, 0x1000, 128, HDB_WATCH_NONREAD);
   check_watch(1, 0x2000, 256, HDB_WATCH_ALL); /* across a block's end; atomics read, too */
   check_watch(2, 0x100000, 1024, HDB_WATCH_ALL);
   check_watch(3, 0, 0, 0);
   json_decref(set_watches(&session, json_array()));
   for (uint32_t n = 0; n < HDB_WATCHES; n++)
      check_watch(n, 0, 0, 0);
   continue_to_end(&session);
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
   continue_to_end(&session);
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
   continue_to_end(&session);
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
   continue_to_end(&session);
}

static void
test_what_can_be_watched(void **state)
{
   struct session session = {.application.waves = 1};
   begin_at_entry(&session);
   json_t *body = client_request(&session.client, "dataBreakpointInfo", json_pack("{s:s}", "name", "$s3"));
   check_text(body, "dataId", "register|1|0|$s3");
   json_decref(body);
   body = client_request(&session.client, "dataBreakpointInfo", json_pack("{s:s}", "name", "$s3 + 1"));
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
                                       "register|99|0|$s3",
                                       "register|1|64|$s3",
                                       "register|1|0",
                                       "LDS|0|4|uint|x"};
   json_t *list = json_array();
   for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
      json_array_append_new(list, json_pack("{s:s}", "dataId", wrong[i]));
   body = set_watches(&session, list);
   for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
      check_text(json_array_get(json_object_get(body, "breakpoints"), i), "reason", "failed");
   json_decref(body);
   check_watch(0, 0, 0, 0);
   continue_to_end(&session);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_watch_registers),     cmocka_unit_test(test_more_than_four),
      cmocka_unit_test(test_too_far_apart),       cmocka_unit_test(test_no_registers),
      cmocka_unit_test(test_what_can_be_watched),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
