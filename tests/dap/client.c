/* SPDX-License-Identifier: MIT */
#include "client.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_machine.h"

#define PATIENCE_MS 10000

/* ---- client ---- */

struct client
client_create(int fd)
{
   struct client client = {.events = json_array(), .answer = "no"};
   stream_init(&client.stream, fd);
   return client;
}

void
client_finish(struct client *client)
{
   stream_finish(&client->stream);
   json_decref(client->events);
}

/* NULL: the connection has ended. */
static json_t *
receive(struct client *client)
{
   json_t *message;
   const char *error;
   for (;;) {
      int result = stream_next(&client->stream, &message, &error);
      assert_true(result >= 0);
      if (result)
         return message;
      struct pollfd ready = {.fd = client->stream.fd, .events = POLLIN};
      if (poll(&ready, 1, PATIENCE_MS) != 1)
         fail_msg("nothing came from the engine");
      if (stream_receive(&client->stream) < 0 && !client->stream.input_size)
         return NULL;
   }
}

static void
send_message(struct client *client, json_t *message)
{
   json_object_set_new(message, "seq", json_integer(++client->seq));
   assert_int_equal(stream_send(&client->stream, message), 0);
   json_decref(message);
}

static bool
is(const json_t *message, const char *field, const char *value)
{
   const char *text = json_string_value(json_object_get(message, field));
   return text && strcmp(text, value) == 0;
}

static void
answer_offer(struct client *client, const json_t *offer)
{
   client->offers++;
   send_message(client, json_pack("{s:s, s:O, s:b, s:s, s:{s:s}}", "type", "response", "request_seq",
                                  json_object_get(offer, "seq"), "success", 1, "command", "hdb/offer", "body", "answer",
                                  client->answer));
}

/* Keeps events and answers offers. Takes the message. */
static void
handle(struct client *client, json_t *message)
{
   if (is(message, "type", "event"))
      json_array_append(client->events, message);
   else if (is(message, "type", "request") && is(message, "command", "hdb/offer"))
      answer_offer(client, message);
   json_decref(message);
}

static json_t *
exchange(struct client *client, const char *command, json_t *arguments)
{
   send_message(client, json_pack("{s:s, s:s, s:o}", "type", "request", "command", command, "arguments",
                                  arguments ? arguments : json_object()));
   int seq = client->seq;
   for (;;) {
      json_t *message = receive(client);
      assert_non_null(message);
      if (is(message, "type", "response") && json_integer_value(json_object_get(message, "request_seq")) == seq) {
         assert_true(is(message, "command", command));
         return message;
      }
      handle(client, message);
   }
}

json_t *
client_request(struct client *client, const char *command, json_t *arguments)
{
   json_t *response = exchange(client, command, arguments);
   if (!json_is_true(json_object_get(response, "success")))
      fail_msg("%s: %s", command, json_string_value(json_object_get(response, "message")));
   json_t *body = json_incref(json_object_get(response, "body"));
   json_decref(response);
   return body;
}

char *
client_refused(struct client *client, const char *command, json_t *arguments)
{
   json_incref(arguments);
   json_t *response = exchange(client, command, arguments);
   if (!json_is_false(json_object_get(response, "success")))
      fail_msg("%s was not refused: %s", command, json_dumps(arguments, 0));
   json_decref(arguments);
   char *message = strdup(json_string_value(json_object_get(response, "message")));
   json_decref(response);
   return message;
}

json_t *
client_event(struct client *client, const char *name)
{
   for (;;) {
      while (json_array_size(client->events)) {
         json_t *event = json_incref(json_array_get(client->events, 0)), *body = NULL;
         bool wanted = is(event, "event", name);
         json_array_remove(client->events, 0);
         if (wanted)
            body = json_object_get(event, "body") ? json_incref(json_object_get(event, "body")) : json_object();
         json_decref(event);
         if (wanted)
            return body;
      }
      json_t *message = receive(client);
      if (!message)
         fail_msg("the connection ended before a \"%s\" event", name);
      handle(client, message);
   }
}

void
client_ended(struct client *client)
{
   json_t *message;
   while ((message = receive(client)))
      handle(client, message);
}

void
client_start(struct client *client, bool ask)
{
   json_decref(client_request(client, "initialize", json_pack("{s:s}", "adapterID", "hdb")));
   json_decref(client_request(client, "attach", json_pack("{s:b}", "ask", ask)));
   json_decref(client_event(client, "initialized"));
}

/* ---- application ---- */

static void
wait_for_gpu(void)
{
   for (int i = 0; fake_running() && i < PATIENCE_MS; i++)
      usleep(1000);
}

static void
wait_while_held(struct application *application)
{
   pthread_mutex_lock(&application->lock);
   application->submitted++;
   pthread_cond_broadcast(&application->changed);
   while (application->hold)
      pthread_cond_wait(&application->changed, &application->lock);
   pthread_mutex_unlock(&application->lock);
}

static const struct {
   float a;
   uint32_t n;
} push_constants = {2.5f, 40}; /* of calls.comp */

static void *
run(void *argument)
{
   struct application *application = argument;
   const struct hdb_shader *shader = &application->shader.shader;
   struct hdb_engine *engine;
   struct hdb_device *device;
   uint32_t launch_words[2] = {0, 0};
   if (hdb_engine_create(&application->options, &engine) ||
       hdb_engine_add_device(engine, application->unsupported ? NULL : fake_driver(), "fake", NULL, &device))
      return NULL;
   hdb_device_add_shader(device, shader);
   for (unsigned i = 0; i < application->dispatches; i++) {
      struct hdb_offer offer = {
         .record = {.shader_id = shader->id,
                    .flags = application->indirect ? HDB_DISPATCH_INDIRECT : 0,
                    .grid = {application->indirect ? 0 : application->waves, 1, 1},
                    .indirect_va = application->indirect ? 0xdead0000 : 0,
                    .push_constant_size = sizeof(push_constants),
                    .rsrc2_dword = &launch_words[0],
                    .rsrc3_dword = &launch_words[1]},
         .pipeline_name = application->pipeline_name,
         .label = application->label,
         .labels = application->label,
         .label_count = application->label != NULL,
         .queue_name = "queue 0.0",
         .armed_elsewhere = application->elsewhere && !i,
      };
      memcpy(offer.record.push_constants, &push_constants, sizeof(push_constants));
      uint64_t token = hdb_device_submit(device, &offer, 1);
      application->armed[i] = launch_words[0] & 1;
      application->enters[i] = launch_words[0] & 2;
      wait_while_held(application);
      fake_launch(shader, &offer.record, application->waves);
      wait_for_gpu();
      hdb_device_completed(device, token, application->outcome);
   }
   hdb_device_remove_shader(device, shader);
   hdb_engine_remove_device(device);
   hdb_engine_destroy(engine);
   return NULL;
}

/* As a driver that compiles for debugging: a scratch offset for each variable of the entry point, and for those of the
 * function that is inlined in it. */
static void
put_variables(struct application *application)
{
   struct hdb_shader *shader = &application->shader.shader;
   const struct test_module *module = &application->module;
   uint32_t end = find_opcode(module, SpvOpFunctionEnd, 0, 0), call = 0, offset;
   for (uint32_t i = 1; i < shader->location_count; i++) {
      if ((module->words[shader->locations[i].spirv_offset / 4] & 0xffff) == SpvOpFunctionCall)
         call = i;
   }
   for (unsigned i = 0; (offset = find_opcode(module, SpvOpVariable, i, 0)) && shader->variable_count < 16; i++) {
      if (module->words[offset / 4 + 3] != SpvStorageClassFunction)
         continue;
      uint32_t location = shader->location_count++;
      application->shader.locations[location] =
         (struct hdb_location){.spirv_offset = offset, .inlined_at = offset < end ? 0 : call};
      application->variables[shader->variable_count] = (struct hdb_variable){
         .kind = HDB_VARIABLE_SCRATCH, .location = location, .offset = 4 * shader->variable_count};
      shader->variable_count++;
   }
   shader->variables = application->variables;
}

void
application_start(struct application *application, const char *directory, const char *module, int client_fd)
{
   fake_reset();
   application->module = load_module(directory, module);
   uint32_t flags = application->shader.shader.flags;
   application->shader = make_shader(&application->module);
   application->shader.shader.flags = flags;
   application->shader.shader.sgpr_count = 16;
   application->shader.shader.scratch_size_per_wave = 64 * 256;
   put_variables(application);
   application->options.client_fd = client_fd;
   pthread_mutex_init(&application->lock, NULL);
   pthread_cond_init(&application->changed, NULL);
   assert_int_equal(pthread_create(&application->thread, NULL, run, application), 0);
}

void
application_let_go(struct application *application)
{
   pthread_mutex_lock(&application->lock);
   application->hold = false;
   pthread_cond_broadcast(&application->changed);
   pthread_mutex_unlock(&application->lock);
}

void
application_wait_submitted(struct application *application, unsigned count)
{
   pthread_mutex_lock(&application->lock);
   while (application->submitted < count)
      pthread_cond_wait(&application->changed, &application->lock);
   pthread_mutex_unlock(&application->lock);
}

void
application_join(struct application *application)
{
   pthread_join(application->thread, NULL);
   free_shader(&application->shader);
   free(application->module.words);
   assert_int_equal(fake_running(), 0);
   assert_int_equal(fake_plants(), 0);
   assert_int_equal(fake_armed(), 0);
}
