/* SPDX-License-Identifier: MIT */
/* The hdb command: a DAP client with gdb's command names. Private to this folder. */
#ifndef CLI_H
#define CLI_H

#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- escape.c: control characters in texts of the program become \x1b and the like ---- */

void escape_json(json_t *json, const char *key); /* all strings in it; `key`: it is that member of something */

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

enum breakpoint_kind { BREAKPOINT_SOURCE, BREAKPOINT_DISPATCH, BREAKPOINT_ADDRESS, BREAKPOINT_WATCH };

struct breakpoint {
   int number;
   enum breakpoint_kind kind;
   char *where; /* file, dispatch name, address or expression */
   unsigned line;
   uint32_t module; /* only in shaders of this one; 0: in all with such a file */
   int engine_id;   /* 0: not sent yet */
   bool announced;  /* that it waits for a shader is no news any more */
   bool verified;
   bool met;           /* a shader or dispatch that it is for has come, in any process */
   bool refused;       /* by the engine: it goes */
   char *message;      /* what the engine says of it; NULL: nothing yet */
   char *shown;        /* what has been shown of that; NULL: nothing yet */
   char *unmet;        /* what the last process's engine said of it, if none had come by then; or NULL */
   const char *access; /* of a watchpoint: "read", "write" or "readWrite" */
   char *data_id;      /* by which the engine knows what it watches */
   bool temporary, disabled;
   bool gone;         /* what it watches is no more */
   char *condition;   /* NULL: none */
   char *format;      /* dprintf's; NULL: it stops */
   char *typed;       /* the same and its arguments, as they were typed */
   json_t *arguments; /* expressions for the format; NULL: none */
   uint64_t hits;     /* known of so far, in all processes */
   uint64_t base;     /* the engine counts from here */
   uint64_t ignored;  /* hits up to this one don't stop */
   struct breakpoint *next;
};

struct session_options {
   const char *gpu;     /* "virtual", "amdgpu" or NULL: as the environment says */
   const char *compile; /* "debug" or "optimized"; NULL: as VK_HDB_COMPILE says */
   bool batch;          /* no prompt, no questions */
   bool echo;           /* each command is shown before its output */
   bool keep_stdin;
   bool all_vmids;       /* of a Radeon card, other programs' as well; where the kernel reserves none */
   bool internal;        /* the driver's own dispatches, too; false: as VK_HDB_INTERNAL says */
   bool interactive;     /* commands come from a terminal */
   int64_t frame;        /* to be stopped in; negative: none */
   bool names_in_frames; /* `catch` holds only in frames that are stopped in */
   const char
      *capture; /* a file for the dispatches that `captured` selects (NULL: all), in the frame if one is named */
   const char *captured; /* what --dispatch names, also for somebody else's stop in a frame */
};

struct session {
   struct session_options options;
   char **program; /* NULL for `hdb attach` */
   pid_t pid;      /* of the program we started; 0: none */
   int pidfd;
   int launch_fd;         /* where the engines in its processes offer themselves, or -1 */
   pid_t engine_pid;      /* the process that we are connected with */
   int engine_pidfd;      /* or -1 */
   unsigned engine_count; /* connections so far */
   bool refused;          /* the engine has another debugger; said */
   int exit_status;       /* of the ended program, as a shell would give it */
   int start_error;       /* 0, or the negative errno for which it could not be started */
   enum session_state state;
   bool unmet;         /* the program has ended, and a breakpoint never came to anything */
   bool dropped;       /* the engine has refused one that was set before the program ran */
   bool stepped;       /* the stop is the end of a step, and of nothing else */
   bool quiet;         /* refusals of requests are not said */
   uint32_t returning; /* `finish`: SPIR-V offset of the call that it is to return to; 0: none */
   int64_t returning_thread;
   bool displays_due;     /* it has not been shown yet what `display` wants */
   bool breakpoints_done; /* some are to go now */
   bool connected, configured, ask;
   bool runs_by_itself;                  /* nothing was typed, and nothing will be done at a stop */
   bool stops;                           /* as far as is known when it is configured, something in it can be stopped */
   bool holds;                           /* it stood at a stop when it was configured, which is about to be told */
   char *typed_capture, *typed_captured; /* options that a command has set; NULL: none */
   bool frame_came, awaits_frame, frame_over, frame_empty; /* the prompt comes back when a frame is over */
   bool awaits_capture;                                    /* and not before that of another one is */
   bool captured, captured_all;                            /* a file is done; nothing is missing in it */
   char *capturing; /* by the command, with the program running: a file that is not done yet; NULL: none */
   bool in_frame;   /* one that is stopped in has begun, and is not over */
   char *chosen;    /* at a question, what has yet to come; NULL: nothing */
   struct dap_client client;

   struct breakpoint *breakpoints;
   int last_number;
   json_t *filter; /* the workgroup that stops; NULL: every one */

   /* Where attention is: the wave of the last stop, or the one chosen since. */
   int64_t thread, frame;
   unsigned lane;
   char *file; /* NULL: no source */
   unsigned line;
   uint32_t module; /* that the file is of: others may have one of that name */
   uint64_t pc;

   unsigned list_line; /* where `list` goes on */
   char *list_file;
   json_t *sources; /* texts by module and path */
};

void session_init(struct session *session, const struct session_options *options);
bool session_wait_once(struct session *session, int timeout_ms); /* handles one thing that happens; false: nothing */
void session_wait(struct session *session);                      /* until it stops or ends, or Ctrl-C twice */
void session_poll(struct session *session);                      /* handles what has come, without waiting */
#define SESSION_FDS 4
size_t session_fds(const struct session *session, struct pollfd fds[SESSION_FDS]); /* readable: session_poll */
/* The response's body (a new reference), or NULL: the error has been printed. */
json_t *session_request(struct session *session, const char *command, json_t *arguments);
/* All of a kind, for those in source all of one file (and module). Those that the engine refuses are marked. */
int session_send_breakpoints(struct session *session, enum breakpoint_kind kind, const char *file, uint32_t module);
void session_show_changes(struct session *session); /* in what breakpoints are bound to, since they were last shown */
int session_send_filter(struct session *session);
int session_select(struct session *session, int64_t thread);       /* frame, file, line and pc of that wave */
void session_select_frame(struct session *session, json_t *frame); /* of the wave that is looked at */

/* ---- connect.c: where connections come from and how they end ---- */

int session_start(struct session *session);                            /* starts the program; 0 or -1 with a message */
int session_reach(struct session *session, const char *pid_or_path);   /* without becoming its debugger */
int session_connect(struct session *session, const char *pid_or_path); /* the same, for `hdb attach` */
void session_accept(struct session *session);                          /* an engine offers itself */
void session_hung_up(struct session *session);                         /* its process is gone, others may come */
void session_end(struct session *session);                             /* the program is over */
void session_finish(struct session *session); /* ends a program we started, leaves one we attached to */

/* ---- terminal.c: waiting for the terminal, questions, and whose it is ---- */

extern volatile sig_atomic_t interrupted; /* Ctrl-C came */

/* A program that runs under the layer may lend hdb its terminal. Then hdb takes it before a question or the prompt (-1:
 * there is none any more; `connection` tells of the program's end) and gives it back before the program runs on. */
void terminal_init(void);
bool terminal_is_lent(void);
int terminal_take(int connection);
void terminal_give(void);

/* As poll(), but -1 when Ctrl-C comes or has come before: none is overlooked. */
int terminal_poll(struct pollfd *fds, nfds_t count, int timeout_ms);

/* Asks until the answer begins one of the words, which blanks separate: its first letter. 0: nothing but Enter, Ctrl-C
 * or the end of file. */
char terminal_ask(const char *question, const char *words);
void terminal_read(const char *question, char *line, size_t size); /* a line, perhaps an empty one */

/* ---- launch.c ---- */

/* Starts `program` in its own process group, with a channel over which engines in it send connections. A negative
 * errno: the one line why has been printed. */
int launch_program(char **program, const struct session_options *options, pid_t *pid, int *channel);
/* A connection and the process at its other end; -EPIPE: there will be none any more; another negative errno: not now.
 */
int launch_accept(int channel, pid_t *pid);

/* ---- helper.c ---- */

/* For a Radeon card: starts hdb-helper, and gives the name of its socket, to be freed. NULL: none is wanted, or it
 * can't be started, which has been said; the program runs without, and the engine says what can't be done. */
char *helper_start(const struct session_options *options);
/* The same for a process that runs already, which is about to be attached to. */
void helper_start_for(const struct session_options *options, pid_t pid);

/* ---- prompt.c: lines in, commands out ---- */

int prompt_execute(struct session *session, const char *line); /* 0, or -1: the command failed and said why */
int prompt_run_file(struct session *session, const char *path);
void prompt_loop(struct session *session); /* until quit or end of file */
void prompt_quit(void);
bool prompt_quitting(void);
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
int command_tbreak(struct session *session, char *arguments);
int command_catch(struct session *session, char *arguments);
int command_dprintf(struct session *session, char *arguments);
int check_selector(const char *text); /* of dispatches; 0, or -1 after a message, also before a program runs */
int check_dispatch_condition(const char *condition);
/* Takes it over. */
int breakpoint_add(struct session *session, struct breakpoint *b);

char *cut_condition(char *arguments); /* cuts "... if CONDITION" off; NULL: there is none */

/* commands_watch.c */
int command_watch(struct session *session, char *arguments);
int command_rwatch(struct session *session, char *arguments);
int command_awatch(struct session *session, char *arguments);
int info_watchpoints(struct session *session, char *arguments);
void show_watch(struct session *session, const struct breakpoint *b, json_t *stop); /* what has been done to it */

/* breakpoints.c: those that there are */
void breakpoint_free(struct breakpoint *b);
void breakpoints_free(struct session *session);
void breakpoint_format_place(const struct breakpoint *b, char text[256]);
const char *breakpoint_kind_name(const struct breakpoint *b); /* with a capital letter */
/* -1 if the engine has refused any, which has been said; `named`: of which it is. */
int breakpoints_drop_refused(struct session *session, bool named);
int breakpoints_list(struct session *session, bool watchpoints);
int breakpoint_send(struct session *session, const struct breakpoint *b); /* with all that DAP sets together with it */
void breakpoint_note_hits(struct breakpoint *b, json_t *description);
void breakpoints_update_hits(struct session *session);
void breakpoints_begin_process(struct session *session); /* whose engine knows none of them, and counts from 0 */
void breakpoints_remove_done(struct session *session);   /* temporary ones that have been hit, and what is gone */
bool breakpoints_report_unmet(struct session *session);  /* whether there were any */
int command_delete(struct session *session, char *arguments);
int command_enable(struct session *session, char *arguments);
int command_disable(struct session *session, char *arguments);
int command_condition(struct session *session, char *arguments);
int command_ignore(struct session *session, char *arguments);
int info_breakpoints(struct session *session, char *arguments);

int command_run(struct session *session, char *arguments);
int command_continue(struct session *session, char *arguments);
int command_pause(struct session *session, char *arguments);
int command_step(struct session *session, char *arguments);
int command_next(struct session *session, char *arguments);
int command_stepi(struct session *session, char *arguments);
int command_finish(struct session *session, char *arguments);
int command_wave(struct session *session, char *arguments);
int command_lane(struct session *session, char *arguments);
int command_workgroup(struct session *session, char *arguments);

const char *source_text(struct session *session, const char *path); /* NULL after a message */
int command_list(struct session *session, char *arguments);
int command_disassemble(struct session *session, char *arguments);
int command_view(struct session *session, char *arguments);
int command_x(struct session *session, char *arguments);

int command_print(struct session *session, char *arguments);
int command_set(struct session *session, char *arguments);
int command_whatis(struct session *session, char *arguments);
int command_ptype(struct session *session, char *arguments);
int command_lanes(struct session *session, char *arguments);
int command_display(struct session *session, char *arguments);
int command_undisplay(struct session *session, char *arguments);
int info_display(struct session *session, char *arguments);
void displays_show(struct session *session);     /* at a stop */
void note_returning(struct session *session);    /* before `finish` */
int session_send_print(struct session *session); /* what `set print` has set */
void displays_free(void);
int parse_address(struct session *session, const char *text, uint64_t *address); /* 0, or -1 after a message */
/* Also in a wave's own memory: `space` is then "LDS+" or "scratch+". */
int parse_place(struct session *session, const char *text, char space[16], uint64_t *address);
/* The arguments of a request about an expression in the frame that is looked at. */
json_t *about_expression(struct session *session, const char *expression);
char *take_word(char **text); /* that it begins with, taken off */
int print_lanes(struct session *session, const char *expression, const char *formats); /* commands_lanes.c */

int command_backtrace(struct session *session, char *arguments);
int command_up(struct session *session, char *arguments);
int command_down(struct session *session, char *arguments);
int command_frame(struct session *session, char *arguments);
int info_frame(struct session *session, char *arguments);
int info_locals(struct session *session, char *arguments);
int info_args(struct session *session, char *arguments);
int info_variables(struct session *session, char *arguments);
int info_push_constants(struct session *session, char *arguments);
int info_resources(struct session *session, char *arguments);
/* What the application calls `"NAME"`, quotes included, among what the stopped dispatch can reach; -1: said why. */
int find_named_object(struct session *session, const char *quoted, uint64_t *address);
json_t *request_scopes(struct session *session); /* of the frame that is looked at; NULL: said why */
int info_scope(struct session *session, char *arguments);
int info_types(struct session *session, char *arguments);

int command_info(struct session *session, char *arguments);

/* dispatches.c */
int command_trigger(struct session *session, char *arguments);
int info_dispatches(struct session *session, char *arguments);
json_t *prompt_offer(struct session *session, json_t *offer); /* the answer's body */
/* `frame` negative: the next one. `which`: the dispatches of it; NULL: all, or who debugs says. `alone`: no other
 * client is told what comes of it; may be NULL. 0, or -1 after a message. */
int session_send_trigger(struct session *session, const char *kind, int64_t frame, const char *file, const char *which,
                         bool *alone);
/* trigger.c */
/* 0, or -1 after a message. `nobody`: no debugger is there that would be told of a stop. */
int trigger_pull(const struct session_options *options, const char *target, bool *nobody);

/* capture.c */
char *absolute_path(const char *file);              /* for the program, which may be elsewhere; to be freed */
void session_send_capture(struct session *session); /* as the options say */
int session_sum_up_capture(const struct session *session);
int command_capture(struct session *session, char *arguments);
int capture_command(int argc, char **argv); /* hdb capture: the exit code (captures/command.c) */

void session_note_captured(struct session *session, json_t *body); /* a file is done */
void session_note_frame(struct session *session, json_t *body);    /* one that was waited for begins, or is over */

const char *info_subject(size_t index); /* what `info` takes; NULL: there are no more */

/* ---- complete.c ---- */

struct editline;
unsigned char complete_line(struct editline *editor, struct session *session); /* what libedit's Tab function returns */

/* ---- show.c: what people see ---- */

__attribute__((format(printf, 1, 2))) int error(const char *format, ...); /* one line on standard error; returns -1 */
void show_stop(struct session *session, json_t *event_body);
void show_line(struct session *session);                /* the one that is looked at */
const char *json_text(json_t *object, const char *key); /* "" when missing */
int64_t json_number(json_t *object, const char *key);   /* 0 when missing */
int need_stop(struct session *session);                 /* 0, or -1 with "nothing is stopped" */
/* commands_data.c: how many bytes it is, `capacity` at most. */
size_t decode_base64(const char *text, uint8_t *data, size_t capacity);
bool parse_unsigned(const char *text, uint64_t *value); /* decimal or 0x; the whole text */

/* ---- commands that need no program: their arguments as main() gets them; the exit code ---- */

int vm_command(int argc, char **argv);
int doctor_command(int argc, char **argv);

/* replay.c */
int replay_parse_number(const char *option, const char *text, uint64_t limit);   /* 0, or -1 after a message */
char **replay_program(const char *file, const char *dispatch, const char *seed); /* NULL after a message */

#endif
