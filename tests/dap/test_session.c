/* SPDX-License-Identifier: MIT */
/* Sessions from end to end, on a machine that is none: breakpoints, steps, registers, memory. */
#include "fixture.h"

#include <string.h>

static void
test_breakpoint_and_steps(void **state)
{
   struct session session = {.application.shader.shader.flags = HDB_SHADER_DEBUG_COMPILED};
   begin(&session, false);
   json_t *breakpoint = set_breakpoint(&session, FILE_NAME, 20);
   assert_true(json_is_false(json_object_get(breakpoint, "verified")));
   check_text(breakpoint, "message", "pending: no shader with this file yet");
   json_decref(breakpoint);
   ask(&session, "configurationDone", NULL);

   json_t *changed = client_event(&session.client, "breakpoint");
   check_text(json_object_get(changed, "breakpoint"), "message", "bound to 1 place in 1 pipeline");
   assert_true(json_is_true(json_object_get(json_object_get(changed, "breakpoint"), "verified")));
   json_decref(changed);

   json_int_t thread = expect_stop(&session, "breakpoint", 20);
   assert_true(session.application.armed[0]);
   thread = step(&session, "next", thread, "step", 21);
   thread = step(&session, "stepIn", thread, "step", 8);

   json_t *trace = client_request(&session.client, "stackTrace", json_pack("{s:I}", "threadId", thread));
   json_t *frames = json_object_get(trace, "stackFrames");
   assert_int_equal(json_array_size(frames), 2);
   check_text(json_array_get(frames, 0), "name", "scale");
   check_text(json_array_get(frames, 1), "name", "main");
   assert_int_equal(integer(json_array_get(frames, 1), "line"), 21);
   json_decref(trace);

   thread = step(&session, "next", thread, "step", 9);
   thread = step(&session, "stepOut", thread, "step", 21);
   expect_refusal(&session, "stepOut", json_pack("{s:I}", "threadId", thread), "outermost");
   thread = step(&session, "next", thread, "step", 22);

   /* One instruction: still on the line. */
   ask(&session, "next", json_pack("{s:I, s:s}", "threadId", thread, "granularity", "instruction"));
   expect_stop(&session, "step", 22);

   /* The other wave stands where the first one was stopped; both run to their end. */
   ask(&session, "continue", json_pack("{s:I}", "threadId", thread));
   end(&session);
}

static void
test_moved_breakpoint(void **state)
{
   struct session session = {.application = {.waves = 1, .shader.shader.flags = HDB_SHADER_DEBUG_COMPILED}};
   begin(&session, false);
   json_decref(set_breakpoint(&session, "symbols/" FILE_NAME, 23));
   ask(&session, "configurationDone", NULL);
   json_t *changed = client_event(&session.client, "breakpoint");
   check_text(json_object_get(changed, "breakpoint"), "message", "no code at line 23; moved to line 24");
   assert_int_equal(integer(json_object_get(changed, "breakpoint"), "line"), 24);
   json_decref(changed);
   expect_stop(&session, "breakpoint", 24);
   continue_to_end(&session);
}

static void
test_instruction_breakpoint(void **state)
{
   struct session session = {.application.waves = 1};
   begin(&session, false);
   ask(&session, "setInstructionBreakpoints",
       json_pack("{s:[{s:s, s:i}]}", "breakpoints", "instructionReference", "0x100000", "offset", 12));
   ask(&session, "configurationDone", NULL);
   json_t *stop = client_event(&session.client, "stopped");
   check_text(stop, "reason", "breakpoint");
   check_text(json_object_get(stop, "hdb"), "pc", "0x10000c");
   assert_int_equal(json_array_size(json_object_get(stop, "hitBreakpointIds")), 1);
   json_decref(stop);
   continue_to_end(&session);
}

static json_t *
set_in_module(struct session *session, json_int_t module, int line)
{
   json_t *body = client_request(&session->client, "setBreakpoints",
                                 json_pack("{s:{s:s, s:I}, s:[{s:i}]}", "source", "path", FILE_NAME, "sourceReference",
                                           module, "breakpoints", "line", line));
   json_t *breakpoint = json_incref(json_array_get(json_object_get(body, "breakpoints"), 0));
   json_decref(body);
   return breakpoint;
}

/* A source with a reference is one module's; those set in another stay. */
static void
test_breakpoints_of_a_module(void **state)
{
   struct session session = {.application = {.waves = 1, .shader.shader.flags = HDB_SHADER_DEBUG_COMPILED}};
   begin(&session, false);
   attach_to(&session, "0");
   ask(&session, "configurationDone", NULL);
   json_t *stop = client_event(&session.client, "stopped");
   json_int_t module = integer(json_object_get(stop, "hdb"), "module");
   assert_true(module > 0 && module <= INT32_MAX);
   json_t *trace =
      client_request(&session.client, "stackTrace", json_pack("{s:I}", "threadId", integer(stop, "threadId")));
   assert_int_equal(integer(json_array_get(json_object_get(trace, "stackFrames"), 0), "moduleId"), module);
   json_decref(trace);
   json_decref(stop);

   json_t *breakpoint = set_in_module(&session, module + 1, 20);
   check_text(breakpoint, "message", "pending: no shader with this file yet");
   json_decref(breakpoint);
   breakpoint = set_in_module(&session, module, 22);
   check_text(breakpoint, "message", "bound to 1 place in 1 pipeline");
   json_decref(breakpoint);
   assert_int_equal(fake_plants(), 1);
   json_decref(set_in_module(&session, module + 1, 21));
   assert_int_equal(fake_plants(), 1);
   ask(&session, "continue", NULL);
   expect_stop(&session, "breakpoint", 22);
   continue_to_end(&session);
}

static void
test_split_instruction(void **state)
{
   struct session session = {.application.waves = 1};
   begin_at_entry(&session);
   json_t *body = client_request(&session.client, "setInstructionBreakpoints",
                                 json_pack("{s:[{s:s}]}", "breakpoints", "instructionReference", "0x100006"));
   json_t *breakpoint = json_array_get(json_object_get(body, "breakpoints"), 0);
   check_text(breakpoint, "reason", "failed");
   check_text(breakpoint, "message",
              "0x100006 is not the start of an instruction; the nearest are 0x100004 and 0x100008");
   assert_null(json_object_get(breakpoint, "id"));
   json_decref(body);
   continue_to_end(&session);
}

static void
test_registers(void **state)
{
   struct session session = {.application.waves = 1};
   json_int_t thread = begin_at_entry(&session);
   expect_result(&session, "$s3", "0x103");
   expect_result(&session, "/d $s3", "259");
   expect_result(&session, "$s[1:3]", "{0x101, 0x102, 0x103}");
   expect_result(&session, "$v1[5]", "0x1005");
   expect_result(&session, "$v1[5] = 1.5", "1.5");
   expect_result(&session, "$v1[5]", "0x3fc00000");
   expect_result(&session, "/f $v1[5]", "1.5");
   expect_result(&session, "$s3 = -1", "0xffffffff");
   expect_result(&session, "/u $s3", "4294967295");
   expect_result(&session, "$exec", "0xffffffffffffffff");
   expect_result(&session, "/u $exec", "18446744073709551615");
   expect_result(&session, "$exec = 0xf0", "0xf0");
   expect_result(&session, "$pc", "0x100000");
   expect_result(&session, "$scc", "0");

   static const struct {
      const char *expression, *message;
   } refused[] = {
      {"", "a value expected at the end"},
      {"$", "the history has no $"},
      {"$v9", "VGPRs 0 to 3"},
      {"$v1[64]", "lanes 0 to 63"},
      {"$v1[", "a value expected at the end"},
      {"$s16", "SGPRs 0 to 15"},
      {"$s[3:1]", "3 to 1 is no range"},
      {"$q + 1", "no register has this name"},
      {"$s1 = x", "no \"x\" in this scope (column 7)"},
      {"$v1 = 1", "which lane"},
      {"$s[0:1] = 1", "one register"},
      {"$s1 = 0x100000000", "32 bits"},
      {"$s1 2", "not understood"},
      {"/q $s1", "no format /q"},
      {"$scc = 2", "0 or 1"},
      {"$mode = 1", "can only be read"},
      {"$pc = 0x100002", "0x100002 is not the start of an instruction; the nearest are 0x100000 and 0x100004"},
      {"$pc = 0", "0x0 is not in the wave's shader"},
      {"$v1[5] = 1e400", "does not fit a 64-bit float"},
      {"$v99999999999", "VGPRs 0 to 3"},
      {"x", "no \"x\" in this scope"},
   };
   for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
      expect_refusal(&session, "evaluate", json_pack("{s:s}", "expression", refused[i].expression), refused[i].message);

   /* The same through an editor's eyes. */
   json_t *trace = client_request(&session.client, "stackTrace", json_pack("{s:I}", "threadId", thread));
   json_int_t frame = integer(json_array_get(json_object_get(trace, "stackFrames"), 0), "id");
   json_t *scopes = client_request(&session.client, "scopes", json_pack("{s:I}", "frameId", frame));
   json_t *list = json_object_get(scopes, "scopes"), *vectors = json_array_get(list, json_array_size(list) - 1);
   check_text(vectors, "name", "Vector registers (lane 0)");
   ask(&session, "hdb/setLane", json_pack("{s:I, s:i}", "threadId", thread, "lane", 5));
   json_int_t reference = integer(vectors, "variablesReference");
   json_t *variables =
      client_request(&session.client, "variables", json_pack("{s:I}", "variablesReference", reference));
   json_t *v1 = json_array_get(json_object_get(variables, "variables"), 1);
   check_text(v1, "name", "$v1");
   check_text(v1, "value", "0x3fc00000");
   ask(&session, "setVariable",
       json_pack("{s:I, s:s, s:s}", "variablesReference", reference, "name", "$v1", "value", "7"));
   expect_result(&session, "$v1[5]", "0x7");
   expect_result(&session, "$v1[4]", "0x1004");
   json_t *registers = client_request(&session.client, "hdb/registers", json_pack("{s:I}", "threadId", thread));
   assert_int_equal(json_array_size(json_object_get(registers, "vgprs")), 4);
   json_decref(registers);
   json_decref(variables);
   json_decref(scopes);
   json_decref(trace);
   expect_refusal(&session, "hdb/setLane", json_pack("{s:I, s:i}", "threadId", thread, "lane", 64), "lanes 0 to 63");
   continue_to_end(&session);
}

static void
test_memory_and_code(void **state)
{
   struct session session = {0};
   begin(&session, false);
   attach_to(&session, "main");
   ask(&session, "configurationDone", NULL);
   expect_stop(&session, "entry", 16);

   json_t *memory =
      client_request(&session.client, "readMemory",
                     json_pack("{s:s, s:i, s:i}", "memoryReference", "0x100000", "offset", 4, "count", 4));
   check_text(memory, "data", "AACJvw=="); /* s_waitcnt 0: 0xbf890000 */
   json_decref(memory);
   memory =
      client_request(&session.client, "readMemory", json_pack("{s:s, s:i}", "memoryReference", "0x1", "count", 8));
   assert_int_equal(integer(memory, "unreadableBytes"), 8);
   json_decref(memory);
   ask(&session, "writeMemory", json_pack("{s:s, s:s}", "memoryReference", "0x100008", "data", "AQIDBA=="));
   memory =
      client_request(&session.client, "readMemory", json_pack("{s:s, s:i}", "memoryReference", "0x100008", "count", 4));
   check_text(memory, "data", "AQIDBA==");
   json_decref(memory);
   expect_refusal(&session, "writeMemory", json_pack("{s:s, s:s}", "memoryReference", "0x1", "data", "AQ=="),
                  "not mapped");
   expect_refusal(&session, "writeMemory", json_pack("{s:s, s:s}", "memoryReference", "0x100008", "data", "!"),
                  "base64");
   expect_refusal(&session, "readMemory", json_pack("{s:s, s:i}", "memoryReference", "here", "count", 1),
                  "hexadecimal");

   json_t *code = client_request(
      &session.client, "disassemble",
      json_pack("{s:s, s:i, s:i}", "memoryReference", "0x100008", "instructionOffset", -5, "instructionCount", 6));
   json_t *instructions = json_object_get(code, "instructions");
   assert_int_equal(json_array_size(instructions), 3); /* nothing is in front of the shader */
   check_text(json_array_get(instructions, 0), "address", "0x100000");
   check_text(json_array_get(instructions, 2), "instruction", "fake_08");
   check_text(json_array_get(instructions, 2), "instructionBytes", "01 02 03 04");
   json_decref(code);

   json_t *source = client_request(&session.client, "source",
                                   json_pack("{s:{s:s}, s:i}", "source", "path", FILE_NAME, "sourceReference", 2));
   assert_non_null(strstr(json_string_value(json_object_get(source, "content")), "acc *= 2.0"));
   json_decref(source);
   json_t *line = client_request(&session.client, "hdb/line", json_pack("{s:s, s:i}", "file", FILE_NAME, "line", 22));
   check_text(line, "text", "      acc += 1.0; acc *= 2.0;");
   assert_true(json_array_size(json_object_get(line, "places")) > 0);
   json_decref(line);
   continue_to_end(&session);
}

/* A line counts only for the focus lane. */
static void
test_inactive_lane(void **state)
{
   struct session session = {.application = {.waves = 1, .shader.shader.flags = HDB_SHADER_DEBUG_COMPILED}};
   json_int_t thread = begin_at_entry(&session);
   ask(&session, "hdb/setLane", json_pack("{s:I, s:i}", "threadId", thread, "lane", 3));
   thread = step(&session, "next", thread, "step", 17);
   fake_narrow(20, 0xf0); /* lanes 0 to 3 take no part in what follows */
   ask(&session, "next", json_pack("{s:I}", "threadId", thread));
   json_t *output = client_event(&session.client, "output");
   check_text(output, "output", "wave 1 ended\n");
   json_decref(output);
   end(&session);
}

/* One that goes off is looked at all the same, and a step from there is that of the lanes that run. */
static void
test_lane_goes_off(void **state)
{
   struct session session = {.application = {.waves = 1, .shader.shader.flags = HDB_SHADER_DEBUG_COMPILED}};
   json_int_t thread = begin_at_entry(&session);
   ask(&session, "hdb/setLane", json_pack("{s:I, s:i}", "threadId", thread, "lane", 3));
   fake_narrow(4, 0xf0);
   ask(&session, "next", json_pack("{s:I, s:s}", "threadId", thread, "granularity", "instruction"));
   ask(&session, "next", json_pack("{s:I, s:s}", "threadId", thread, "granularity", "instruction"));
   for (int i = 0; i < 2; i++) {
      json_t *stop = client_event(&session.client, "stopped"), *header = json_object_get(stop, "hdb");
      assert_int_equal(integer(header, "lane"), 3);
      json_decref(stop);
   }
   thread = step(&session, "next", thread, "step", 17);
   json_decref(set_breakpoint(&session, FILE_NAME, 22)); /* shows a lane that came there */
   ask(&session, "continue", NULL);
   json_t *stop = client_event(&session.client, "stopped");
   assert_int_equal(integer(json_object_get(stop, "hdb"), "lane"), 4);
   json_decref(stop);
   continue_to_end(&session);
}

static void
test_wave_ends(void **state)
{
   struct session session = {0};
   json_int_t thread = begin_at_entry(&session);
   for (;;) {
      ask(&session, "next", json_pack("{s:I}", "threadId", thread));
      json_t *stop = client_event(&session.client, "stopped");
      json_int_t now = integer(stop, "threadId");
      /* The other wave did not step, and the dispatch's entry was shown already. */
      assert_string_equal(json_string_value(json_object_get(stop, "reason")), now == thread ? "step" : "pause");
      json_decref(stop);
      if (now != thread)
         break;
   }
   /* The other wave is shown: it still stands at its entry. */
   json_t *waves = client_request(&session.client, "hdb/waves", NULL);
   assert_int_equal(json_array_size(json_object_get(waves, "waves")), 1);
   check_text(json_array_get(json_object_get(waves, "waves"), 0), "cause", "entry");
   json_decref(waves);
   continue_to_end(&session);
}

static void
test_fault(void **state)
{
   struct session session = {.application.waves = 1};
   begin_at_entry(&session);
   fake_fault(8);
   ask(&session, "continue", NULL);
   json_t *stop = client_event(&session.client, "stopped");
   check_text(stop, "reason", "exception");
   assert_non_null(strstr(json_string_value(json_object_get(stop, "text")),
                          "memory violation in the page at 0x123000, at pc 0x100008"));
   json_decref(stop);
   fake_fault(0);
   continue_to_end(&session);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_breakpoint_and_steps),
      cmocka_unit_test(test_moved_breakpoint),
      cmocka_unit_test(test_instruction_breakpoint),
      cmocka_unit_test(test_breakpoints_of_a_module),
      cmocka_unit_test(test_split_instruction),
      cmocka_unit_test(test_registers),
      cmocka_unit_test(test_memory_and_code),
      cmocka_unit_test(test_inactive_lane),
      cmocka_unit_test(test_lane_goes_off),
      cmocka_unit_test(test_wave_ends),
      cmocka_unit_test(test_fault),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
