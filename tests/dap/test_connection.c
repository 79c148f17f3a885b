/* SPDX-License-Identifier: MIT */
/* Clients that come, go, hang up, and ask for what there is not. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

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

static void
test_disconnect(void **state)
{
   struct session session = {0};
   begin_at_entry(&session);
   ask(&session, "disconnect", NULL);
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
      cmocka_unit_test(test_initialize_first), cmocka_unit_test(test_bad_requests),
      cmocka_unit_test(test_disconnect),       cmocka_unit_test(test_hang_up_while_stopped),
      cmocka_unit_test(test_hang_up_at_offer), cmocka_unit_test(test_socket),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
