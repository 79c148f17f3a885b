/* SPDX-License-Identifier: MIT */
/* How the handlers of DAP requests see a request. */
#ifndef HDB_REQUESTS_H
#define HDB_REQUESTS_H

#include <jansson.h>

#include "engine/engine.h"

struct request {
   struct hdb_engine *engine;
   struct session *session;
   json_t *arguments; /* an object */
   json_t *body;      /* of the answer; NULL: none */
   char *error;       /* when the handler fails */
   bool initialized;  /* the initialized event follows the answer */
   bool configured;   /* the client has said all it wanted before the application goes on */
   bool goodbye;      /* the session ends */
   bool terminate;    /* and the process */
};

/* 0, or a negative errno; request->error says why, or the errno does. */
typedef int (*request_handler)(struct request *request);

request_handler find_request_handler(const char *command);

int request_fail(struct request *request, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Arguments. get_* return the default when there is no such argument; need_* fail. */
json_int_t get_integer(const json_t *arguments, const char *name, json_int_t otherwise);
const char *get_string(const json_t *arguments, const char *name); /* NULL: none */
int need_wave(struct request *request, struct card **card, struct hdb_wave **wave);
int need_stopped_wave(struct request *request, struct card **card, struct hdb_wave **wave);
/* As the arguments frameId, or threadId, say; the focus without. */
int need_frame(struct request *request, struct card **card, struct hdb_wave **wave, uint32_t *frame);
int need_address(struct request *request, const char *name, uint64_t *address); /* a hexadecimal reference + offset */

json_t *json_hex(uint64_t value);
json_t *describe_source(struct request *request, struct engine_shader *shader, const char *file);
/* The lane that a wave's registers are shown for. */
uint32_t focus_lane_of(struct hdb_engine *engine, const struct card *card, const struct hdb_wave *wave);

/* requests_breakpoints.c */
json_t *refuse_breakpoint(const char *why); /* NULL: no memory */
/* 0, or -1 with *error, to be freed: what conditions and the like a client wants. */
int set_breakpoint_terms(struct breakpoint *breakpoint, const json_t *wanted, char **error);

/* requests_*.c */
int handle_set_breakpoints(struct request *request);
int handle_set_function_breakpoints(struct request *request);
int handle_set_instruction_breakpoints(struct request *request);
int handle_data_breakpoint_info(struct request *request);
int handle_set_data_breakpoints(struct request *request);
int handle_hdb_breakpoints(struct request *request);
int handle_continue(struct request *request);
int handle_next(struct request *request);
int handle_step_in(struct request *request);
int handle_step_out(struct request *request);
int handle_pause(struct request *request);
int handle_threads(struct request *request);
int handle_stack_trace(struct request *request);
int handle_scopes(struct request *request);
int handle_variables(struct request *request);
int handle_set_variable(struct request *request);
int handle_set_expression(struct request *request);
int handle_evaluate(struct request *request);
int handle_completions(struct request *request);
int handle_read_memory(struct request *request);
int handle_write_memory(struct request *request);
int handle_disassemble(struct request *request);
int handle_source(struct request *request);
int handle_hdb_waves(struct request *request);
int handle_hdb_dispatches(struct request *request);
int handle_hdb_registers(struct request *request);
int handle_hdb_lanes(struct request *request);
int handle_hdb_type(struct request *request);
int handle_hdb_types(struct request *request);
int handle_hdb_address(struct request *request);
int handle_hdb_returned(struct request *request);
int handle_hdb_set_print(struct request *request);
int handle_hdb_line(struct request *request);
int handle_hdb_resources(struct request *request);
int handle_hdb_image(struct request *request);
int handle_hdb_set_lane(struct request *request);
int handle_hdb_trigger(struct request *request);
int handle_hdb_set_filter(struct request *request);
int handle_hdb_capture(struct request *request);

#endif
