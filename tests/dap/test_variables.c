/* SPDX-License-Identifier: MIT */
/* Variables through DAP, in calls.comp: scopes by frame, parts, assignment, all lanes. */
#include "fixture.h"

#include <string.h>

static json_int_t
stop_at(struct session *session, int line)
{
   begin(session, false);
   json_decref(set_breakpoint(session, FILE_NAME, line));
   ask(session, "configurationDone", NULL);
   return expect_stop(session, "breakpoint", line);
}

static json_int_t
frame_of(struct session *session, json_int_t thread, size_t index)
{
   json_t *trace = client_request(&session->client, "stackTrace", json_pack("{s:I}", "threadId", thread));
   json_int_t id = integer(json_array_get(json_object_get(trace, "stackFrames"), index), "id");
   json_decref(trace);
   return id;
}

/* The reference of a frame's scope; 0: it has none of that name. */
static json_int_t
scope_of(struct session *session, json_int_t frame, const char *name)
{
   json_t *scopes = client_request(&session->client, "scopes", json_pack("{s:I}", "frameId", frame)), *scope;
   json_int_t reference = 0;
   size_t i;
   json_array_foreach (json_object_get(scopes, "scopes"), i, scope) {
      if (strcmp(json_string_value(json_object_get(scope, "name")), name) == 0)
         reference = integer(scope, "variablesReference");
   }
   json_decref(scopes);
   return reference;
}

static json_t *
list(struct session *session, json_int_t reference)
{
   json_t *body = client_request(&session->client, "variables", json_pack("{s:I}", "variablesReference", reference));
   json_t *variables = json_incref(json_object_get(body, "variables"));
   json_decref(body);
   return variables;
}

static json_t *
find(json_t *variables, const char *name)
{
   size_t i;
   json_t *variable;
   json_array_foreach (variables, i, variable) {
      if (strcmp(json_string_value(json_object_get(variable, "name")), name) == 0)
         return variable;
   }
   fail_msg("no variable %s", name);
   return NULL;
}

static void
expect_in(struct session *session, json_int_t frame, const char *expression, const char *expected)
{
   json_t *body =
      client_request(&session->client, "evaluate", json_pack("{s:s, s:I}", "expression", expression, "frameId", frame));
   check_text(body, "result", expected);
   json_decref(body);
}

static void
test_scopes(void **state)
{
   struct session session = {.application = {.waves = 1, .shader.shader.flags = HDB_SHADER_DEBUG_COMPILED}};
   json_int_t thread = stop_at(&session, 21), main = frame_of(&session, thread, 0);
   assert_int_equal(scope_of(&session, main, "Arguments"), 0);
   json_t *variables = list(&session, scope_of(&session, main, "Push constants"));
   check_text(find(variables, "a"), "value", "2.5");
   check_text(find(variables, "n"), "value", "40");
   check_text(find(variables, "n"), "type", "uint");
   json_decref(variables);

   json_int_t locals = scope_of(&session, main, "Locals (lane 0)");
   variables = list(&session, locals);
   check_text(find(variables, "acc"), "value", "0");
   check_text(find(variables, "acc"), "type", "float");
   check_text(find(variables, "acc"), "evaluateName", "acc");
   json_decref(variables);
   ask(&session, "setVariable",
       json_pack("{s:I, s:s, s:s}", "variablesReference", locals, "name", "acc", "value", "a * 2"));
   variables = list(&session, locals);
   check_text(find(variables, "acc"), "value", "5");
   json_decref(variables);
   expect_result(&session, "acc + float(n)", "45");

   /* Another lane has its own. */
   ask(&session, "hdb/setLane", json_pack("{s:I, s:i}", "threadId", thread, "lane", 3));
   expect_result(&session, "acc", "0");
   expect_result(&session, "gl_GlobalInvocationID", "(3, 0, 0)");
   ask(&session, "setExpression", json_pack("{s:s, s:s}", "expression", "acc", "value", "1.5"));
   expect_result(&session, "acc", "1.5");

   /* A buffer that nothing is bound to says so. */
   variables = list(&session, scope_of(&session, main, "Resources"));
   assert_int_equal(json_string_value(json_object_get(json_array_get(variables, 0), "value"))[0], '<');
   json_decref(variables);

   step(&session, "next", thread, "step", 22);
   expect_refusal(&session, "variables", json_pack("{s:I}", "variablesReference", locals), "no such variables");
   ask(&session, "setBreakpoints", json_pack("{s:{s:s}, s:[]}", "source", "path", FILE_NAME, "breakpoints"));
   continue_to_end(&session);
}

static void
test_frames(void **state)
{
   struct session session = {.application = {.waves = 1, .shader.shader.flags = HDB_SHADER_DEBUG_COMPILED}};
   json_int_t thread = stop_at(&session, 8), scale = frame_of(&session, thread, 0),
              main = frame_of(&session, thread, 1);
   assert_int_not_equal(scope_of(&session, scale, "Arguments"), 0);
   assert_int_equal(scope_of(&session, main, "Arguments"), 0);
   ask(&session, "setExpression", json_pack("{s:s, s:s, s:I}", "expression", "acc", "value", "7", "frameId", main));
   expect_in(&session, main, "acc", "7");
   expect_refusal(&session, "evaluate", json_pack("{s:s, s:I}", "expression", "acc", "frameId", scale),
                  "no \"acc\" in this scope");
   ask(&session, "setExpression", json_pack("{s:s, s:s, s:I}", "expression", "x", "value", "0.25", "frameId", scale));
   json_t *trace = client_request(&session.client, "stackTrace",
                                  json_pack("{s:I, s:{s:b, s:b, s:b}}", "threadId", thread, "format", "parameters", 1,
                                            "parameterNames", 1, "parameterValues", 1));
   json_t *frames = json_object_get(trace, "stackFrames");
   check_text(json_array_get(frames, 0), "name", "scale (x=0.25)");
   check_text(json_array_get(frames, 1), "name", "main ()");
   json_decref(trace);
   ask(&session, "setBreakpoints", json_pack("{s:{s:s}, s:[]}", "source", "path", FILE_NAME, "breakpoints"));
   continue_to_end(&session);
}

static void
test_parts(void **state)
{
   struct session session = {.application = {.waves = 1, .shader.shader.flags = HDB_SHADER_DEBUG_COMPILED}};
   stop_at(&session, 21);
   json_t *body = client_request(&session.client, "evaluate",
                                 json_pack("{s:s, s:s}", "expression", "vec3(1, a, 3)", "context", "repl"));
   check_text(body, "result", "(1, 2.5, 3)");
   check_text(body, "type", "vec3");
   assert_int_equal(integer(body, "history"), 1);
   assert_int_equal(integer(body, "namedVariables"), 3);
   json_t *parts = list(&session, integer(body, "variablesReference"));
   check_text(json_array_get(parts, 1), "name", "y");
   check_text(json_array_get(parts, 1), "value", "2.5");
   json_decref(parts);
   json_decref(body);
   expect_result(&session, "$1.z", "3");

   /* Paged. */
   body = client_request(&session.client, "evaluate", json_pack("{s:s}", "expression", "$v1"));
   assert_int_equal(integer(body, "indexedVariables"), 64);
   json_t *page = client_request(&session.client, "variables",
                                 json_pack("{s:I, s:i, s:i}", "variablesReference", integer(body, "variablesReference"),
                                           "start", 60, "count", 10));
   parts = json_object_get(page, "variables");
   assert_int_equal(json_array_size(parts), 4);
   check_text(json_array_get(parts, 0), "name", "[60]");
   check_text(json_array_get(parts, 0), "value", "0x103c");
   check_text(json_array_get(parts, 0), "evaluateName", "$v1[60]");
   json_decref(page);
   ask(&session, "setVariable",
       json_pack("{s:I, s:s, s:s}", "variablesReference", integer(body, "variablesReference"), "name", "[7]", "value",
                 "2.0"));
   expect_result(&session, "$v1[7]", "0x40000000");
   json_decref(body);

   /* As a client asks for it. */
   body =
      client_request(&session.client, "evaluate", json_pack("{s:s, s:{s:b}}", "expression", "n", "format", "hex", 1));
   check_text(body, "result", "0x28");
   json_decref(body);

   /* Looking changes nothing. */
   expect_refusal(&session, "evaluate", json_pack("{s:s, s:s}", "expression", "acc = 1", "context", "hover"),
                  "nothing is changed by looking");
   expect_refusal(&session, "setExpression", json_pack("{s:s, s:s}", "expression", "n", "value", "1"), "can't be set");
   ask(&session, "setBreakpoints", json_pack("{s:{s:s}, s:[]}", "source", "path", FILE_NAME, "breakpoints"));
   continue_to_end(&session);
}

static void
test_lanes(void **state)
{
   struct session session = {.application = {.waves = 1, .shader.shader.flags = HDB_SHADER_DEBUG_COMPILED}};
   stop_at(&session, 21);
   expect_result(&session, "/lanes acc = gl_GlobalInvocationID.x * 2", "0");
   json_t *body = client_request(&session.client, "hdb/lanes", json_pack("{s:s}", "expression", "acc"));
   json_t *lanes = json_object_get(body, "lanes");
   assert_int_equal(json_array_size(lanes), 64);
   assert_true(json_is_false(json_object_get(body, "uniform")));
   check_text(json_array_get(lanes, 63), "value", "126");
   json_decref(body);
   body = client_request(&session.client, "hdb/lanes", json_pack("{s:s}", "expression", "n"));
   assert_true(json_is_true(json_object_get(body, "uniform")));
   json_decref(body);
   body =
      client_request(&session.client, "hdb/lanes", json_pack("{s:s, s:s}", "expression", "acc > 120", "what", "where"));
   lanes = json_object_get(body, "lanes");
   assert_int_equal(json_array_size(lanes), 3);
   assert_int_equal(json_integer_value(json_array_get(lanes, 0)), 61);
   json_decref(body);
   body =
      client_request(&session.client, "hdb/lanes", json_pack("{s:s, s:s}", "expression", "acc", "what", "statistics"));
   json_t *of = json_array_get(json_object_get(body, "components"), 0);
   check_text(of, "mean", "63");
   check_text(of, "most", "126");
   assert_int_equal(integer(of, "distinct"), 64);
   json_decref(body);
   expect_refusal(&session, "hdb/lanes", json_pack("{s:s, s:s}", "expression", "acc", "what", "all"), "expected");

   body = client_request(&session.client, "hdb/type", json_pack("{s:s}", "expression", "P"));
   check_text(body, "name", "P");
   check_text(body, "definition", "struct P { // 8 bytes\n   float a; // at 0\n   uint n; // at 4\n}");
   json_decref(body);
   body = client_request(&session.client, "hdb/address", json_pack("{s:s}", "expression", "$pc"));
   assert_non_null(strstr(json_string_value(json_object_get(body, "address")), "0x100"));
   json_decref(body);
   body = client_request(&session.client, "completions", json_pack("{s:s, s:i}", "text", "1 + ac", "column", 7));
   json_t *target = json_array_get(json_object_get(body, "targets"), 0);
   check_text(target, "label", "acc");
   assert_int_equal(integer(target, "start"), 4);
   assert_int_equal(integer(target, "length"), 2);
   json_decref(body);
   body = client_request(&session.client, "completions", json_pack("{s:s, s:i}", "text", "1 + $vc", "column", 8));
   assert_int_equal(json_array_size(json_object_get(body, "targets")), 3);
   check_text(json_array_get(json_object_get(body, "targets"), 1), "label", "vcc_lo");
   assert_int_equal(integer(json_array_get(json_object_get(body, "targets"), 1), "start"), 5);
   json_decref(body);
   expect_result(&session, "$pair = vec2(1, 2)", "(1, 2)");
   body = client_request(&session.client, "completions", json_pack("{s:s, s:i}", "text", "$p", "column", 3));
   assert_int_equal(json_array_size(json_object_get(body, "targets")), 2); /* pc, pair */
   json_decref(body);
   body = client_request(&session.client, "completions", json_pack("{s:s, s:i}", "text", "2 * $pair.", "column", 11));
   assert_int_equal(json_array_size(json_object_get(body, "targets")), 2);
   target = json_array_get(json_object_get(body, "targets"), 1);
   check_text(target, "label", "y");
   assert_int_equal(integer(target, "start"), 10);
   assert_int_equal(integer(target, "length"), 0);
   json_decref(body);
   ask(&session, "setBreakpoints", json_pack("{s:{s:s}, s:[]}", "source", "path", FILE_NAME, "breakpoints"));
   continue_to_end(&session);
}

/* What a wave has for itself is read by the places that hdb/address gives. */
static void
test_places(void **state)
{
   struct session session = {.application = {.waves = 1, .shader.shader.flags = HDB_SHADER_DEBUG_COMPILED}};
   json_int_t thread = stop_at(&session, 8), main = frame_of(&session, thread, 1);
   ask(&session, "setExpression", json_pack("{s:s, s:s, s:I}", "expression", "acc", "value", "1.5", "frameId", main));
   json_t *body =
      client_request(&session.client, "hdb/address", json_pack("{s:s, s:I}", "expression", "&acc", "frameId", main));
   const char *place = json_string_value(json_object_get(body, "address"));
   assert_int_equal(strncmp(place, "scratch+0x", strlen("scratch+0x")), 0);
   json_t *memory =
      client_request(&session.client, "readMemory",
                     json_pack("{s:s, s:i, s:I}", "memoryReference", place, "count", 4, "threadId", thread));
   check_text(memory, "address", place);
   check_text(memory, "data", "AADAPw=="); /* 00 00 c0 3f: 1.5 */
   json_decref(memory);
   json_decref(body);
   body =
      client_request(&session.client, "readMemory", json_pack("{s:s, s:i}", "memoryReference", "LDS+0x0", "count", 3));
   check_text(body, "data", "AAAA");
   json_decref(body);
   body = client_request(&session.client, "readMemory",
                         json_pack("{s:s, s:i}", "memoryReference", "LDS+0x1000000", "count", 8));
   assert_int_equal(integer(body, "unreadableBytes"), 8);
   json_decref(body);
   expect_refusal(&session, "readMemory", json_pack("{s:s, s:i}", "memoryReference", "LDS+", "count", 1), "offset");

   /* While the call lasts, its result is that of no register. */
   json_t *trace = client_request(&session.client, "stackTrace", json_pack("{s:I}", "threadId", thread));
   json_int_t call = integer(json_array_get(json_object_get(trace, "stackFrames"), 1), "spirvOffset");
   assert_true(call > 0);
   expect_refusal(&session, "hdb/returned", json_pack("{s:I, s:I}", "frameId", main, "spirvOffset", call),
                  "optimized out");
   expect_refusal(&session, "hdb/returned", json_pack("{s:I, s:I}", "frameId", main, "spirvOffset", call + 4),
                  "no call");
   json_decref(trace);

   ask(&session, "hdb/setPrint", json_pack("{s:i}", "elements", 1));
   expect_result(&session, "$v1[0:2]", "{0x1000...}");
   expect_refusal(&session, "hdb/setPrint", json_pack("{s:i}", "elements", -1), "a number expected");
   ask(&session, "setBreakpoints", json_pack("{s:{s:s}, s:[]}", "source", "path", FILE_NAME, "breakpoints"));
   continue_to_end(&session);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scopes), cmocka_unit_test(test_frames), cmocka_unit_test(test_parts),
      cmocka_unit_test(test_lanes),  cmocka_unit_test(test_places),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
