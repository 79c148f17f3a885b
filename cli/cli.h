/* SPDX-License-Identifier: MIT */
/* The hdb command: a DAP client with gdb's command names. Private to this folder. */
#ifndef CLI_H
#define CLI_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- dap_client.c: messages over the connection ---- */

struct dap_client {
   int fd;
   int next_seq;
   char *buffer; /* bytes received and not yet parsed */
   size_t length, capacity;
};

void dap_client_init(struct dap_client *client, int fd);
void dap_client_finish(struct dap_client *client);
/* All take over the reference to `arguments` or `body` (NULL: none). The sequence number, or a negative errno. */
int dap_client_request(struct dap_client *client, const char *command, json_t *arguments);
int dap_client_respond(struct dap_client *client, json_t *request, json_t *body);
/* 1: *message is a new reference. 0: none within timeout_ms (-1: wait; `other_fd`, unless -1, became readable or a
 * signal came). -EPIPE: end of file. -EPROTO: no DAP. */
int dap_client_receive(struct dap_client *client, int timeout_ms, int other_fd, json_t **message);

/* ---- session.c: one debugged program ---- */

enum session_state { SESSION_IDLE, SESSION_RUNNING, SESSION_STOPPED, SESSION_ENDED };

enum breakpoint_kind { BREAKPOINT_SOURCE, BREAKPOINT_DISPATCH, BREAKPOINT_ADDRESS };

struct breakpoint {
   int number;
   enum breakpoint_kind kind;
   char *where; /* file, dispatch name or address */
   unsigned line;
   int engine_id; /* 0: not sent yet */
   bool verified;
   char *message; /* what the engine says of it; NULL: nothing yet */
   struct breakpoint *next;
};

struct session_options {
   const char *gpu;     /* "virtual", "amdgpu" or NULL: as the environment says */
   const char *compile; /* "debug" or "optimized" */
   bool batch;          /* no prompt, no questions */
   bool echo;           /* each command is shown before its output */
   bool keep_stdin;
   bool interactive; /* commands come from a terminal */
};

struct session {
   struct session_options options;
   char **program; /* NULL for `hdb attach` */
   pid_t pid;      /* of the program we started; 0: none */
   int pidfd;
   int exit_status; /* of the ended program, as a shell would give it */
   enum session_state state;
   bool connected, configured, ask;
   struct dap_client client;

   struct breakpoint *breakpoints;
   int last_number;

   /* Where attention is: the wave of the last stop, or the one chosen since. */
   int64_t thread, frame;
   unsigned lane;
   char *file; /* NULL: no source */
   unsigned line;
   uint64_t pc;

   unsigned list_line; /* where `list` goes on */
   char *list_file;
   json_t *sources; /* texts by path */
};

extern volatile sig_atomic_t interrupted; /* Ctrl-C came */

void session_init(struct session *session, const struct session_options *options);
void session_finish(struct session *session); /* ends a program we started, leaves one we attached to */
int session_start(struct session *session);   /* starts the program; 0 or -1 with a message */
int session_connect(struct session *session, const char *pid_or_path);
void session_wait(struct session *session); /* until it stops or ends */
void session_poll(struct session *session); /* handles what has come, without waiting */
/* The response's body (a new reference), or NULL: the error has been printed. */
json_t *session_request(struct session *session, const char *command, json_t *arguments);
int session_send_breakpoints(struct session *session, enum breakpoint_kind kind, const char *file);
int session_select(struct session *session, int64_t thread); /* frame, file, line and pc of that wave */

/* ---- launch.c ---- */

/* Starts `program` in its own process group, connected by a socketpair. -1: the one line why has been printed. */
int launch_program(char **program, const struct session_options *options, pid_t *pid, int *client_fd);

/* ---- prompt.c: lines in, commands out ---- */

int prompt_execute(struct session *session, const char *line); /* 0, or -1: the command failed and said why */
int prompt_run_file(struct session *session, const char *path);
void prompt_loop(struct session *session); /* until quit or end of file */
void prompt_quit(void);
bool prompt_quitting(void);
const char *prompt_offer(struct session *session, json_t *offer); /* the answer: "yes", "no", "all", "none" */
bool prompt_confirm(struct session *session, const char *question);

/* ---- commands*.c: a command gets its arguments with blanks trimmed ---- */

struct command {
   const char *name;
   int (*run)(struct session *session, char *arguments);
   bool repeats; /* on an empty line */
   const char *usage, *help;
};

extern const struct command commands[]; /* ends with an empty name */

int command_break(struct session *session, char *arguments);
int command_catch(struct session *session, char *arguments);
int command_delete(struct session *session, char *arguments);
int info_breakpoints(struct session *session, char *arguments);

int command_run(struct session *session, char *arguments);
int command_continue(struct session *session, char *arguments);
int command_step(struct session *session, char *arguments);
int command_next(struct session *session, char *arguments);
int command_stepi(struct session *session, char *arguments);
int command_finish(struct session *session, char *arguments);
int command_wave(struct session *session, char *arguments);
int command_lane(struct session *session, char *arguments);
int command_workgroup(struct session *session, char *arguments);

int command_list(struct session *session, char *arguments);
int command_disassemble(struct session *session, char *arguments);
int command_x(struct session *session, char *arguments);
int command_print(struct session *session, char *arguments);
int command_set(struct session *session, char *arguments);
int command_backtrace(struct session *session, char *arguments);

int command_info(struct session *session, char *arguments);

/* ---- show.c: what people see ---- */

__attribute__((format(printf, 1, 2))) int error(const char *format, ...); /* one line on standard error; returns -1 */
void show_stop(struct session *session, json_t *event_body);
const char *json_text(json_t *object, const char *key); /* "" when missing */
int64_t json_number(json_t *object, const char *key);   /* 0 when missing */
int need_stop(struct session *session);                 /* 0, or -1 with "nothing is stopped" */
bool parse_unsigned(const char *text, uint64_t *value); /* decimal or 0x; the whole text */

#endif
