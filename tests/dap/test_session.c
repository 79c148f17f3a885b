/* SPDX-License-Identifier: MIT */
/* Sessions from end to end, on a machine that is none: a client, the engine, an application. */
#include "client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_machine.h"

static const char *directory;

#define FILE_NAME "calls.comp"

struct session {
   struct application application;
   struct client client;
};

static void
begin(struct session *session, bool ask)
{
   int sockets[2];
   assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
   if (!session->application.dispatches)
      session->application.dispatches = 1;
   if (!session->application.waves)
      session->application.waves = 2;
   session->client = client_create(sockets[0]);
   application_start(&session->application, directory, "calls.gVS.spv", sockets[1]);
   client_start(&session->client, ask);
}

static void
end(struct session *session)
{
   client_ended(&session->client);
   client_finish(&session->client);
   application_join(&session->application);
}

/* ---- shorthand ---- */

static void
ask(struct session *session, const char *command, json_t *arguments)
{
   json_decref(client_request(&session->client, command, arguments));
}

static json_t *
set_breakpoint(struct session *session, const char *file, int line)
{
   json_t *body =
      client_request(&session->client, "setBreakpoints",
                     json_pack("{s:{s:s}, s:[{s:i}]}", "source", "path", file, "breakpoints", "line", line));
   json_t *breakpoint = json_incref(json_array_get(json_object_get(body, "breakpoints"), 0));
   json_decref(body);
   return breakpoint;
}

static void
attach_to(struct session *session, const char *name)
{
   ask(session, "setFunctionBreakpoints", json_pack("{s:[{s:s}]}", "breakpoints", "name", name));
}

static void
check_text(json_t *object, const char *field, const char *expected)
{
   const char *text = json_string_value(json_object_get(object, field));
   assert_non_null(text);
   assert_string_equal(text, expected);
}

static json_int_t
integer(json_t *object, const char *field)
{
   assert_true(json_is_integer(json_object_get(object, field)));
   return json_integer_value(json_object_get(object, field));
}

/* Waits for a stop and checks its reason and line; returns the thread. */
static json_int_t
expect_stop(struct session *session, const char *reason, int line)
{
   json_t *stop = client_event(&session->client, "stopped"), *header = json_object_get(stop, "hdb");
   check_text(stop, "reason", reason);
   assert_int_equal(integer(header, "line"), line);
   json_int_t thread = integer(stop, "threadId");
   json_decref(stop);
   return thread;
}

static json_int_t
step(struct session *session, const char *command, json_int_t thread, const char *reason, int line)
{
   ask(session, command, json_pack("{s:I}", "threadId", thread));
   return expect_stop(session, reason, line);
}

static void
expect_result(struct session *session, const char *expression, const char *expected)
{
   json_t *body = client_request(&session->client, "evaluate", json_pack("{s:s}", "expression", expression));
   check_text(body, "result", expected);
   json_decref(body);
}

static void
expect_refusal(struct session *session, const char *command, json_t *arguments, const char *expected)
{
   char *message = client_refused(&session->client, command, arguments);
   if (!strstr(message, expected))
      fail_msg("%s: refused with \"%s\", expected \"%s\"", command, message, expected);
   free(message);
}

/* ---- tests ---- */

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
   ask(&session, "continue", NULL);
   end(&session);
}

static void
test_registers(void **state)
{
   struct session session = {.application.waves = 1};
   begin(&session, false);
   attach_to(&session, "0");
   ask(&session, "configurationDone", NULL);
   json_int_t thread = expect_stop(&session, "entry", 16);
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
      {"", "a register"},
      {"$", "no register"},
      {"$v9", "VGPRs 0 to 3"},
      {"$v1[64]", "lanes 0 to 63"},
      {"$v1[", "a lane number"},
      {"$s16", "SGPRs 0 to 15"},
      {"$s[3:1]", "$s1"},
      {"$q", "no register $q"},
      {"$s1 = x", "a number"},
      {"$v1 = 1", "which lane"},
      {"$s[0:1] = 1", "one register"},
      {"$s1 = 0x100000000", "32 bits"},
      {"$s1 2", "not understood"},
      {"/z $s1", "format"},
      {"$scc = 2", "0 or 1"},
      {"$mode = 1", "can only be read"},
      {"$pc = 0x100002", "0x100002 is not the start of an instruction; the nearest are 0x100000 and 0x100004"},
      {"$pc = 0", "0x0 is not in the wave's shader"},
      {"$v1[5] = 1e400", "does not fit a 32-bit float"},
      {"$v99999999999", "not understood"},
      {"x", "a register"},
   };
   for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
      expect_refusal(&session, "evaluate", json_pack("{s:s}", "expression", refused[i].expression), refused[i].message);

   /* The same through an editor's eyes. */
   json_t *trace = client_request(&session.client, "stackTrace", json_pack("{s:I}", "threadId", thread));
   json_int_t frame = integer(json_array_get(json_object_get(trace, "stackFrames"), 0), "id");
   json_t *scopes = client_request(&session.client, "scopes", json_pack("{s:I}", "frameId", frame));
   json_t *vectors = json_array_get(json_object_get(scopes, "scopes"), 1);
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
   ask(&session, "continue", NULL);
   end(&session);
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
   ask(&session, "continue", NULL);
   end(&session);
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
   ask(&session, "continue", NULL);
   end(&session);
}

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
   assert_false(session.application.armed[0]);
   assert_true(session.application.armed[1]);
   assert_int_equal(session.client.offers, 2);
   session.client.answer = "none";
   ask(&session, "continue", NULL);
   end(&session);
   assert_int_equal(session.client.offers, 3);
   assert_false(session.application.armed[3]);
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
      assert_int_equal(session.application.armed[0], names[i].attaches);
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
      begin(&session, false);
      attach_to(&session, "0");
      ask(&session, "configurationDone", NULL);
      expect_stop(&session, "entry", 16);
      ask(&session, "continue", NULL);
      json_t *output = client_event(&session.client, "output");
      check_text(output, "output", outcomes[i].said);
      json_decref(output);
      end(&session);
   }
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

/* A line counts only for the focus lane. */
static void
test_inactive_lane(void **state)
{
   struct session session = {.application = {.waves = 1, .shader.shader.flags = HDB_SHADER_DEBUG_COMPILED}};
   begin(&session, false);
   attach_to(&session, "0");
   ask(&session, "configurationDone", NULL);
   json_int_t thread = expect_stop(&session, "entry", 16);
   ask(&session, "hdb/setLane", json_pack("{s:I, s:i}", "threadId", thread, "lane", 3));
   thread = step(&session, "next", thread, "step", 17);
   fake_narrow(20, 0xf0); /* lanes 0 to 3 take no part in what follows */
   ask(&session, "next", json_pack("{s:I}", "threadId", thread));
   json_t *output = client_event(&session.client, "output");
   check_text(output, "output", "wave 1 ended\n");
   json_decref(output);
   end(&session);
}

static void
test_wave_ends(void **state)
{
   struct session session = {0};
   begin(&session, false);
   attach_to(&session, "0");
   ask(&session, "configurationDone", NULL);
   json_int_t thread = expect_stop(&session, "entry", 16);
   for (;;) {
      ask(&session, "next", json_pack("{s:I}", "threadId", thread));
      json_t *stop = client_event(&session.client, "stopped");
      json_int_t now = integer(stop, "threadId");
      bool entry = strcmp(json_string_value(json_object_get(stop, "reason")), "entry") == 0;
      json_decref(stop);
      assert_int_equal(entry, now != thread); /* the other wave did not step */
      if (now != thread)
         break;
   }
   /* The other wave is shown: it still stands at its entry. */
   json_t *waves = client_request(&session.client, "hdb/waves", NULL);
   assert_int_equal(json_array_size(json_object_get(waves, "waves")), 1);
   check_text(json_array_get(json_object_get(waves, "waves"), 0), "cause", "entry");
   json_decref(waves);
   ask(&session, "continue", NULL);
   end(&session);
}

static void
test_fault(void **state)
{
   struct session session = {.application.waves = 1};
   begin(&session, false);
   attach_to(&session, "0");
   ask(&session, "configurationDone", NULL);
   expect_stop(&session, "entry", 16);
   fake_fault(8);
   ask(&session, "continue", NULL);
   json_t *stop = client_event(&session.client, "stopped");
   check_text(stop, "reason", "exception");
   assert_non_null(strstr(json_string_value(json_object_get(stop, "text")),
                          "memory violation in the page at 0x123000, at pc 0x100008"));
   json_decref(stop);
   fake_fault(0);
   ask(&session, "continue", NULL);
   end(&session);
}

/* In code without pads, a trap in an unarmed wave would swallow an instruction. */
static void
test_unarmed_dispatch_is_waited_for(void **state)
{
   struct session session = {.application = {.dispatches = 2, .hold = true}};
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
   ask(&session, "continue", NULL);
   end(&session);
}

static void
test_hang_up_while_stopped(void **state)
{
   struct session session = {.application = {.dispatches = 3, .shader.shader.flags = HDB_SHADER_DEBUG_COMPILED}};
   begin(&session, false);
   json_decref(set_breakpoint(&session, FILE_NAME, 20));
   ask(&session, "configurationDone", NULL);
   expect_stop(&session, "breakpoint", 20);
   client_finish(&session.client);
   application_join(&session.application);
   assert_int_equal(session.application.submitted, 3);
   assert_false(session.application.armed[2]);
}

static void
test_hang_up_at_offer(void **state)
{
   struct session session = {.application.dispatches = 2};
   begin(&session, true);
   ask(&session, "configurationDone", NULL);
   ask(&session, "threads", NULL); /* the application is on its way to the offer, or waits there */
   client_finish(&session.client);
   application_join(&session.application);
   assert_int_equal(session.application.submitted, 2);
}

static void
test_disconnect(void **state)
{
   struct session session = {0};
   begin(&session, false);
   attach_to(&session, "0");
   ask(&session, "configurationDone", NULL);
   expect_stop(&session, "entry", 16);
   ask(&session, "disconnect", NULL);
   end(&session);
}

static void
test_bad_requests(void **state)
{
   struct session session = {.application.hold = true};
   begin(&session, false);
   expect_refusal(&session, "fly", NULL, "unknown request");
   expect_refusal(&session, "continue", NULL, "nothing is stopped");
   expect_refusal(&session, "next", json_pack("{s:i}", "threadId", 7), "no wave 7");
   expect_refusal(&session, "next", json_pack("{s:s}", "threadId", "x"), "no wave");
   expect_refusal(&session, "stackTrace", json_pack("{s:i}", "threadId", -1), "no wave");
   expect_refusal(&session, "hdb/setFilter", json_pack("{s:[i,i,I]}", "workgroup", 0, 0, (json_int_t)1 << 32),
                  "out of range");
   expect_refusal(&session, "scopes", json_pack("{s:I}", "frameId", (json_int_t)INT64_MAX), "ended");
   expect_refusal(&session, "variables", json_pack("{s:I}", "variablesReference", (json_int_t)INT64_MAX), "no such");
   expect_refusal(&session, "evaluate", NULL, "expression");
   expect_refusal(&session, "source", json_pack("{s:i}", "sourceReference", 999), "no text");
   expect_refusal(&session, "setBreakpoints", NULL, "source.path");
   expect_refusal(&session, "hdb/setFilter", NULL, "workgroup");
   json_t *breakpoint = set_breakpoint(&session, FILE_NAME, -3);
   check_text(breakpoint, "message", "a line number from 1 expected");
   json_decref(breakpoint);
   ask(&session, "configurationDone", NULL);
   application_let_go(&session.application);
   end(&session);
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
   ask(&session, "continue", NULL);
   end(&session);
   assert_true(session.application.armed[0]);
   assert_false(session.application.armed[1]);
}

static void
test_initialize_first(void **state)
{
   int sockets[2];
   struct session session = {.application = {.dispatches = 1, .waves = 1}};
   assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
   session.client = client_create(sockets[0]);
   application_start(&session.application, directory, "calls.gVS.spv", sockets[1]);
   expect_refusal(&session, "threads", NULL, "comes first");
   ask(&session, "disconnect", NULL);
   end(&session);
}

/* ---- the socket ---- */

static void
test_socket(void **state)
{
   char runtime[] = "/tmp/hdb-test-XXXXXX", stale[128];
   assert_non_null(mkdtemp(runtime));
   setenv("XDG_RUNTIME_DIR", runtime, 1);
   struct hdb_engine_options options = {.client_fd = -1, .listen = true};
   struct hdb_engine *engine;

   /* What a killed process has left behind goes. No process has this number: it is above the kernel's limit. */
   snprintf(stale, sizeof(stale), "%s/hdb", runtime);
   assert_int_equal(mkdir(stale, 0700), 0);
   snprintf(stale, sizeof(stale), "%s/hdb/4194305.sock", runtime);
   assert_non_null(fclose(fopen(stale, "w")) == 0 ? stale : NULL);

   assert_int_equal(hdb_engine_create(&options, &engine), 0);
   assert_int_not_equal(access(stale, F_OK), 0);
   const char *path = hdb_engine_socket_path(engine);
   assert_non_null(path);
   assert_false(hdb_engine_has_client(engine));

   struct sockaddr_un address = {.sun_family = AF_UNIX};
   snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
   int fd = socket(AF_UNIX, SOCK_STREAM, 0), second = socket(AF_UNIX, SOCK_STREAM, 0);
   assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
   struct client client = client_create(fd);
   client_start(&client, false);
   json_decref(client_request(&client, "configurationDone", NULL));
   json_decref(client_request(&client, "threads", NULL));
   assert_true(hdb_engine_has_client(engine));

   /* One debugger at a time; the others are told, and not even one that is silent disturbs it. */
   int silent = socket(AF_UNIX, SOCK_STREAM, 0);
   assert_int_equal(connect(silent, (struct sockaddr *)&address, sizeof(address)), 0);
   assert_int_equal(connect(second, (struct sockaddr *)&address, sizeof(address)), 0);
   struct client other = client_create(second);
   char *message = client_refused(&other, "initialize", NULL);
   assert_string_equal(message, "another debugger is attached to this process");
   free(message);
   client_ended(&other);
   client_finish(&other);
   close(silent);
   json_decref(client_request(&client, "threads", NULL));

   hdb_engine_destroy(engine);
   json_decref(client_event(&client, "terminated"));
   client_finish(&client);
   assert_int_not_equal(access(address.sun_path, F_OK), 0);

   /* A folder that others may write to is not trusted; the program runs on without a socket. */
   snprintf(stale, sizeof(stale), "%s/hdb", runtime);
   assert_int_equal(chmod(stale, 0777), 0);
   assert_int_equal(hdb_engine_create(&options, &engine), 0);
   assert_null(hdb_engine_socket_path(engine));
   hdb_engine_destroy(engine);
   rmdir(stale);
   rmdir(runtime);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_breakpoint_and_steps),
      cmocka_unit_test(test_moved_breakpoint),
      cmocka_unit_test(test_registers),
      cmocka_unit_test(test_memory_and_code),
      cmocka_unit_test(test_instruction_breakpoint),
      cmocka_unit_test(test_offers),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_outcomes),
      cmocka_unit_test(test_unsupported_device),
      cmocka_unit_test(test_inactive_lane),
      cmocka_unit_test(test_wave_ends),
      cmocka_unit_test(test_fault),
      cmocka_unit_test(test_unarmed_dispatch_is_waited_for),
      cmocka_unit_test(test_hang_up_while_stopped),
      cmocka_unit_test(test_hang_up_at_offer),
      cmocka_unit_test(test_disconnect),
      cmocka_unit_test(test_bad_requests),
      cmocka_unit_test(test_pause_before_dispatch),
      cmocka_unit_test(test_initialize_first),
      cmocka_unit_test(test_socket),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
