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
   "       hdb doctor [--json] [--report FILE]            what works on this machine, and what to do about the rest\n"
   "       hdb vm [OPTION]... [PID|--vmid N] [ADDRESS]    the GPU's page tables, for root\n"
   "       hdb help | version\n"
   "options:\n"
   "  --gpu virtual|amdgpu          the built-in gfx1100, or a Radeon card (default: as HDB_GPU says)\n"
   "  --compile debug|optimized     statements as written, or the shaders as shipped (default: as\n"
   "                                VK_HDB_COMPILE says, or debug)\n"
   "  --break FILE:LINE             as the command `break`\n"
   "  --dispatch N|NAME|label:GLOB  as the command `catch`: stop at the entry of these dispatches\n"
   "  --internal                    the driver's own dispatches, too\n"
   "  --ask                         ask at every dispatch (attach)\n"
   "  -x FILE, -ex COMMAND          commands to run, in order\n"
   "  --echo                        show each command before its output\n"
   "  --batch                       end after them; a command that fails ends hdb with code 1\n"
   "  --stdin                       the program reads hdb's standard input (default: /dev/null)\n";

enum action_kind { ACTION_COMMAND, ACTION_FILE };

struct action {
   enum action_kind kind;
   const char *text;
};

struct command_line {
   struct session_options session;
   bool ask;
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
add_command(struct command_line *line, const char *command, const char *argument)
{
   char *text;
   if (asprintf(&text, "%s %s", command, argument) > 0)
      add_action(line, ACTION_COMMAND, text);
}

static bool
one_of(const char *value, const char *first, const char *second)
{
   return strcmp(value, first) == 0 || strcmp(value, second) == 0;
}

/* 0, or -1 after a message. getopt_long_only accepts gdb's -ex and -batch beside --batch. */
static int
parse_options(int argc, char **argv, struct command_line *line)
{
   enum { GPU = 256, COMPILE, BREAK, DISPATCH, INTERNAL, ASK, EX, BATCH, ECHO, STDIN };
   static const struct option options[] = {
      {"gpu", required_argument, NULL, GPU},     {"compile", required_argument, NULL, COMPILE},
      {"break", required_argument, NULL, BREAK}, {"dispatch", required_argument, NULL, DISPATCH},
      {"internal", no_argument, NULL, INTERNAL}, {"ask", no_argument, NULL, ASK},
      {"ex", required_argument, NULL, EX},       {"batch", no_argument, NULL, BATCH},
      {"stdin", no_argument, NULL, STDIN},       {"x", required_argument, NULL, 'x'},
      {"echo", no_argument, NULL, ECHO},         {NULL, 0, NULL, 0},
   };
   opterr = 0;
   for (;;) {
      int at = optind;
      int option = getopt_long_only(argc, argv, "+:", options, NULL);
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
         add_command(line, "break", optarg);
         break;
      case DISPATCH:
         add_command(line, "catch", optarg);
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
      case ECHO:
         line->session.echo = true;
         break;
      case STDIN:
         line->session.keep_stdin = true;
         break;
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
      int result =
         action->kind == ACTION_FILE ? prompt_run_file(session, action->text) : prompt_execute(session, action->text);
      if (result < 0 && session->options.batch)
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
   if (result == 0 && !line->session.batch && !prompt_quitting())
      prompt_loop(&session);
   int code = exit_code(&session, result);
   terminal_give(); /* before the program goes on */
   session_finish(&session);
   return code;
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
   if (strcmp(verb, "doctor") == 0)
      return finish(doctor_command(argc - 1, argv + 1));
   bool run = strcmp(verb, "run") == 0;
   if (!run && strcmp(verb, "attach") != 0) {
      error("no command \"%s\"; `hdb help` lists them", verb);
      return EXIT_USAGE;
   }
   struct command_line line = {0};
   argv[1] = argv[0];
   if (parse_options(argc - 1, argv + 1, &line) < 0)
      return EXIT_USAGE;
   char **rest = argv + 1 + optind;
   if (!*rest) {
      error(run ? "run what? hdb run [OPTION]... -- PROGRAM" : "attach to what? hdb attach PID");
      return EXIT_USAGE;
   }
   int refused = run ? check_run(&line, *rest) : 0;
   if (refused)
      return refused;
   return finish(run ? debug(&line, rest, NULL) : debug(&line, NULL, *rest));
}
