/* SPDX-License-Identifier: MIT */
/* The hdb command line. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "paths.h"

enum { EXIT_COMMAND = 1, EXIT_USAGE = 2, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

static const char usage[] =
   "usage: hdb run [OPTION]... -- PROGRAM [ARGUMENT]...   debug a Vulkan program\n"
   "       hdb attach [OPTION]... PID|SOCKET              debug a program that runs under VK_LAYER_hdb\n"
   "       hdb trigger [OPTION]... PID|SOCKET             stop in its next frame, or write that to a file (--capture)\n"
   "       hdb replay [OPTION]... FILE                    debug the dispatches of a capture\n"
   "       hdb capture info|extract|diff FILE...          what is in a capture\n"
   "       hdb doctor [--json] [--report FILE]            what works on this machine, and what to do about the rest\n"
   "       hdb vm [OPTION]... [PID|--vmid N] [ADDRESS]    the GPU's page tables, for root\n"
   "       hdb help | version\n"
   "options:\n"
   "  --gpu virtual|amdgpu          the built-in gfx1100, or a Radeon card (default: as HDB_GPU says)\n"
   "  --compile debug|optimized     statements as written, or the shaders as shipped (default: as\n"
   "                                VK_HDB_COMPILE says, or debug)\n"
   "  --break FILE:LINE             as the command `break`\n"
   "  --dispatch N|NAME|label:GLOB|EXPRESSION\n"
   "                                as the command `catch`: stop at the entry of these dispatches\n"
   "                                (replay: run this one only, N)\n"
   "  --seed N                      another order of waves (replay)\n"
   "  --capture FILE                write the dispatches (those of --dispatch, of --frame) to a file, for replay\n"
   "  --frame N                     stop in frame N, there at what --dispatch names or else asks for\n"
   "  --internal                    the driver's own dispatches, too\n"
   "  --all-vmids                   for kernels that reserve no VMID: shaders of every program on the Radeon card "
   "enter\n"
   "                                the trap handler, and those of others crash there\n"
   "  --ask                         ask at every dispatch (attach)\n"
   "  -x FILE, -ex COMMAND          commands to run, in order\n"
   "  --echo                        show each command before its output\n"
   "  --batch                       end after them; a command that fails ends hdb with code 1\n"
   "  --stdin                       the program reads hdb's standard input (default: /dev/null)\n";

enum action_kind { ACTION_COMMAND, ACTION_FILE, ACTION_CATCH, ACTION_TRIGGER };

struct action {
   enum action_kind kind;
   const char *text;
};

struct command_line {
   struct session_options session;
   bool ask;
   bool replays;
   bool help;
   const char *dispatch, *seed; /* of a replay; NULL: every one, launch order */
   struct action *actions;
   size_t action_count;
};

static void
add_action(struct command_line *line, enum action_kind kind, const char *text)
{
   line->actions = realloc(line->actions, (line->action_count + 1) * sizeof(line->actions[0]));
   line->actions[line->action_count++] = (struct action){kind, text};
}

static void
add_command(struct command_line *line, enum action_kind kind, const char *command, const char *argument)
{
   char *text;
   if (asprintf(&text, "%s %s", command, argument) > 0)
      add_action(line, kind, text);
}

static bool
one_of(const char *value, const char *first, const char *second)
{
   return strcmp(value, first) == 0 || strcmp(value, second) == 0;
}

static bool
parse_frame(const char *text, int64_t *frame)
{
   uint64_t number;
   bool ok = parse_unsigned(text, &number) && number <= UINT32_MAX;
   *frame = ok ? (int64_t)number : -1;
   return ok;
}

/* 0, or -1 after a message. getopt_long_only accepts gdb's -ex and -batch beside --batch. */
static int
parse_options(int argc, char **argv, struct command_line *line)
{
   enum { GPU = 256, COMPILE, BREAK, DISPATCH, INTERNAL, ASK, EX, BATCH, ECHO, STDIN, SEED, FRAME, CAPTURE, ALL_VMIDS };
   static const struct option options[] = {
      {"gpu", required_argument, NULL, GPU},
      {"compile", required_argument, NULL, COMPILE},
      {"break", required_argument, NULL, BREAK},
      {"dispatch", required_argument, NULL, DISPATCH},
      {"internal", no_argument, NULL, INTERNAL},
      {"ask", no_argument, NULL, ASK},
      {"ex", required_argument, NULL, EX},
      {"batch", no_argument, NULL, BATCH},
      {"stdin", no_argument, NULL, STDIN},
      {"x", required_argument, NULL, 'x'},
      {"echo", no_argument, NULL, ECHO},
      {"seed", required_argument, NULL, SEED},
      {"frame", required_argument, NULL, FRAME},
      {"capture", required_argument, NULL, CAPTURE},
      {"all-vmids", no_argument, NULL, ALL_VMIDS},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
   };
   opterr = 0;
   for (;;) {
      int at = optind;
      int option = getopt_long_only(argc, argv, line->replays ? ":" : "+:", options, NULL);
      switch (option) {
      case -1:
         return 0;
      case GPU:
         if (!one_of(optarg, "virtual", "amdgpu"))
            return error("--gpu %s: it is virtual or amdgpu", optarg);
         line->session.gpu = optarg;
         break;
      case COMPILE:
         if (!one_of(optarg, "debug", "optimized"))
            return error("--compile %s: it is debug or optimized", optarg);
         line->session.compile = optarg;
         break;
      case BREAK:
         add_command(line, ACTION_COMMAND, "break", optarg);
         break;
      case DISPATCH:
         if (!line->replays)
            add_command(line, ACTION_CATCH, "catch", optarg);
         else if (replay_parse_number("--dispatch", optarg, UINT32_MAX) < 0)
            return -1;
         line->dispatch = optarg;
         break;
      case FRAME:
         if (!parse_frame(optarg, &line->session.frame))
            return error("--frame %s: it is a number", optarg);
         line->session.names_in_frames = true;
         break;
      case CAPTURE:
         if (!*optarg)
            return error("--capture wants a file");
         line->session.capture = optarg;
         break;
      case SEED:
         if (!line->replays)
            return error("--seed is an option of `hdb replay`");
         if (replay_parse_number("--seed", optarg, UINT64_MAX) < 0)
            return -1;
         line->seed = optarg;
         break;
      case INTERNAL:
         line->session.internal = true;
         break;
      case ASK:
         line->ask = true;
         break;
      case EX:
         add_action(line, ACTION_COMMAND, optarg);
         break;
      case 'x':
         add_action(line, ACTION_FILE, optarg);
         break;
      case BATCH:
         line->session.batch = true;
         break;
      case ALL_VMIDS:
         line->session.all_vmids = true;
         break;
      case ECHO:
         line->session.echo = true;
         break;
      case STDIN:
         line->session.keep_stdin = true;
         break;
      case 'h':
         line->help = true;
         return 0;
      case ':':
         return error("%s wants a value; `hdb help` shows the options", argv[at]);
      default:
         return error("no option %s; `hdb help` shows them", argv[at]);
      }
   }
}

static int
run_actions(struct session *session, const struct command_line *line)
{
   for (size_t i = 0; i < line->action_count && !prompt_quitting(); i++) {
      const struct action *action = &line->actions[i];
      if (action->kind == ACTION_CATCH && session->options.capture) /* they are captured instead */
         continue;
      int result =
         action->kind == ACTION_FILE ? prompt_run_file(session, action->text) : prompt_execute(session, action->text);
      if (result < 0 && (session->options.batch || action->kind == ACTION_TRIGGER))
         return -1;
      bool named = action->kind == ACTION_TRIGGER && line->dispatch;
      if (named && session->options.batch && session->frame_over) /* nothing has that name there */
         return -1;
   }
   return 0;
}

/* As shells do: whether it is there or not makes the difference. */
static int
exit_code_of_start(int result)
{
   return result == -ENOENT || result == -ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* The program's own exit code passes through, so that `hdb run --batch` fits into scripts; a script that meant to stop
 * somewhere and did not has failed, too. */
static int
exit_code(const struct session *session, int result)
{
   if (result < 0)
      return session->start_error ? exit_code_of_start(session->start_error) : EXIT_COMMAND;
   if (session->state != SESSION_ENDED)
      return EXIT_SUCCESS;
   return !session->exit_status && session->unmet && session->options.batch ? EXIT_COMMAND : session->exit_status;
}

static void
on_interrupt(int number)
{
   (void)number;
   interrupted = 1;
}

static void
catch_interrupts(void)
{
   struct sigaction action = {.sa_handler = on_interrupt}; /* no SA_RESTART: waits end */
   sigaction(SIGINT, &action, NULL);
   signal(SIGPIPE, SIG_IGN);
}

static int
debug(struct command_line *line, char **program, const char *target)
{
   struct session session;
   line->session.interactive = !line->session.batch && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
   session_init(&session, &line->session);
   session.program = program;
   session.ask = line->ask;
   catch_interrupts();
   terminal_init();
   int result = 0;
   if (target) {
      result = session_connect(&session, target);
      if (result == 0 && session.ask)
         session_wait(&session);
   }
   if (result == 0)
      result = run_actions(&session, line);
   session.runs_by_itself =
      line->session.batch && (line->replays || line->session.capture) && session.state == SESSION_IDLE;
   if (result == 0 && session.runs_by_itself)
      result = prompt_execute(&session, "run");
   if (result == 0 && !line->session.batch && !prompt_quitting())
      prompt_loop(&session);
   int code = exit_code(&session, result);
   terminal_give(); /* before the program goes on */
   bool captured = session.state != SESSION_ENDED || session_sum_up_capture(&session) == 0;
   session_finish(&session);
   return !code && !captured && line->session.batch ? EXIT_COMMAND : code;
}

/* Behind what says where to stop, before what is done then. */
static void
insert_trigger(struct command_line *line)
{
   char *text = NULL;
   size_t at = 0;
   if (line->session.frame < 0 || asprintf(&text, "trigger %lld", (long long)line->session.frame) < 0)
      text = "trigger";
   add_action(line, ACTION_COMMAND, text);
   for (size_t i = 0; i < line->action_count; i++) {
      if (line->actions[i].kind == ACTION_CATCH)
         at = i + 1;
   }
   memmove(line->actions + at + 1, line->actions + at, (line->action_count - 1 - at) * sizeof(line->actions[0]));
   line->actions[at] = (struct action){ACTION_TRIGGER, text};
   line->session.frame = -1;
}

static uint32_t
count_actions(const struct command_line *line, bool catches)
{
   uint32_t count = 0;
   for (size_t i = 0; i < line->action_count; i++)
      count += (line->actions[i].kind == ACTION_CATCH) == catches;
   return count;
}

/* If nobody is there to stop for, this hdb is the debugger. */
static int
trigger(struct command_line *line, const char *target)
{
   bool nobody, commanded = count_actions(line, false), one = count_actions(line, true) == 1;
   if (line->session.capture && commanded) {
      error("trigger --capture stops nothing: there is no place for commands");
      return EXIT_USAGE;
   }
   line->session.names_in_frames = true;
   line->session.captured = one ? line->dispatch : NULL;
   int result = trigger_pull(&line->session, target, &nobody);
   if (!nobody && result == 0 && (commanded || count_actions(line, true) > 1))
      result =
         error("the program has a debugger, which shows the stop; it takes no commands from here, and one --dispatch");
   if (!nobody)
      return result < 0 ? EXIT_COMMAND : EXIT_SUCCESS;
   insert_trigger(line);
   return debug(line, NULL, target);
}

/* 0, or a negative errno: ENOENT only if there is no such file at all. */
static int
check_program(const char *path)
{
   struct stat status;
   if (stat(path, &status) < 0)
      return -errno;
   if (S_ISDIR(status.st_mode))
      return -EISDIR;
   return access(path, X_OK) < 0 ? -errno : 0;
}

/* As execvp() will look for it, so that what can't be run is said before anything else happens. */
static int
find_program(const char *name)
{
   if (strchr(name, '/'))
      return check_program(name);
   const char *path = getenv("PATH");
   int result = -ENOENT;
   char *copy = strdup(path ? path : "/usr/bin:/bin"), *save = NULL;
   for (char *dir = strtok_r(copy, ":", &save); dir && result < 0; dir = strtok_r(NULL, ":", &save)) {
      char *full;
      if (asprintf(&full, "%s/%s", dir, name) < 0)
         break;
      int here = check_program(full);
      free(full);
      if (here != -ENOENT && here != -ENOTDIR && here != -EISDIR)
         result = here;
   }
   free(copy);
   return result;
}

/* 0, or the exit code after a message. */
static int
check_run(const struct command_line *line, const char *program)
{
   const char *gpu = line->session.gpu ? NULL : getenv("HDB_GPU");
   const char *compile = line->session.compile ? NULL : getenv("VK_HDB_COMPILE");
   if (gpu && *gpu && !one_of(gpu, "virtual", "amdgpu")) {
      error("HDB_GPU is \"%s\": it is virtual or amdgpu", gpu);
      return EXIT_USAGE;
   }
   if (compile && !one_of(compile, "debug", "optimized")) {
      error("VK_HDB_COMPILE is \"%s\": it is debug or optimized", compile);
      return EXIT_USAGE;
   }
   int result = find_program(program);
   if (result < 0) {
      error("can't run %s: %s", program, strerror(-result));
      return exit_code_of_start(result);
   }
   return 0;
}

/* Without commands it is all that is wanted. */
static bool
check_capture(struct command_line *line)
{
   if (count_actions(line, true) > 1) {
      error("--capture takes one --dispatch");
      return false;
   }
   if (line->dispatch && check_selector(line->dispatch) < 0)
      return false;
   line->session.captured = line->dispatch;
   line->session.batch |= !count_actions(line, false);
   return true;
}

static int
replay_capture(struct command_line *line, char **files)
{
   if (!files[0] || files[1]) {
      error("replay what? hdb replay [OPTION]... FILE");
      return EXIT_USAGE;
   }
   if (access(files[0], R_OK) < 0) {
      error("%s: %s", files[0], strerror(errno));
      return EXIT_USAGE;
   }
   char **program = replay_program(files[0], line->dispatch, line->seed);
   if (!program)
      return EXIT_COMMAND;
   line->session.gpu = "virtual";
   int code = debug(line, program, NULL);
   free(program[0]);
   free(program);
   return code;
}

static int
finish(int code)
{
   if (!fflush(stdout) && !ferror(stdout))
      return code;
   error("standard output can't be written");
   return code ? code : EXIT_COMMAND;
}

int
main(int argc, char **argv)
{
   const char *verb = argc > 1 ? argv[1] : "help";
   if (strcmp(verb, "help") == 0 || strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0) {
      fputs(usage, argc > 1 ? stdout : stderr);
      return finish(argc > 1 ? EXIT_SUCCESS : EXIT_USAGE);
   }
   if (strcmp(verb, "version") == 0 || strcmp(verb, "--version") == 0) {
      puts("hdb " HDB_VERSION);
      return finish(EXIT_SUCCESS);
   }
   if (strcmp(verb, "vm") == 0)
      return finish(vm_command(argc - 1, argv + 1));
   if (strcmp(verb, "capture") == 0)
      return finish(capture_command(argc - 1, argv + 1));
   if (strcmp(verb, "doctor") == 0)
      return finish(doctor_command(argc - 1, argv + 1));
   bool run = strcmp(verb, "run") == 0, replay = strcmp(verb, "replay") == 0;
   bool triggers = strcmp(verb, "trigger") == 0;
   if (!run && !replay && !triggers && strcmp(verb, "attach") != 0) {
      error("no command \"%s\"; `hdb help` lists them", verb);
      return EXIT_USAGE;
   }
   struct command_line line = {.replays = replay, .session.frame = -1};
   argv[1] = argv[0];
   if (parse_options(argc - 1, argv + 1, &line) < 0)
      return EXIT_USAGE;
   if (line.help) {
      fputs(usage, stdout);
      return finish(EXIT_SUCCESS);
   }
   char **rest = argv + 1 + optind;
   if (line.session.capture && !check_capture(&line))
      return EXIT_USAGE;
   if (replay)
      return finish(replay_capture(&line, rest));
   if (!*rest) {
      error(run        ? "run what? hdb run [OPTION]... -- PROGRAM"
            : triggers ? "trigger in what? hdb trigger PID"
                       : "attach to what? hdb attach PID");
      return EXIT_USAGE;
   }
   if (triggers)
      return finish(trigger(&line, *rest));
   int refused = run ? check_run(&line, *rest) : 0;
   if (refused)
      return refused;
   return finish(run ? debug(&line, rest, NULL) : debug(&line, NULL, *rest));
}
