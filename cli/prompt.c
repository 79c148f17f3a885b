/* SPDX-License-Identifier: MIT */
/* Lines in, commands out: unique prefixes, repetition on an empty line, scripts, questions. */
#include <ctype.h>
#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

volatile sig_atomic_t interrupted;
static bool quitting;
static char *last_line;

void
prompt_quit(void)
{
   quitting = true;
}

bool
prompt_quitting(void)
{
   return quitting;
}

static char *
trim(char *text)
{
   while (isspace((unsigned char)*text))
      text++;
   size_t length = strlen(text);
   while (length && isspace((unsigned char)text[length - 1]))
      text[--length] = '\0';
   return text;
}

/* The command that `name` begins. The first of the table wins where it is listed as the short form's owner: the table
 * is ordered so that gdb's one-letter forms (b, c, d, l, n, p, q, r, s, x) come first. */
static const struct command *
find_command(const char *name, size_t length)
{
   const struct command *found = NULL;
   for (const struct command *c = commands; c->name; c++) {
      if (strncmp(c->name, name, length) != 0)
         continue;
      if (c->name[length] == '\0' || length == 1)
         return c;
      if (found) {
         error("\"%.*s\" could be %s or %s", (int)length, name, found->name, c->name);
         return NULL;
      }
      found = c;
   }
   if (!found)
      error("no command \"%.*s\"; `help` lists them", (int)length, name);
   return found;
}

int
prompt_execute(struct session *session, const char *line)
{
   char *copy = strdup(line);
   char *text = trim(copy);
   if (*text == '\0' || *text == '#') {
      free(copy);
      return 0;
   }
   if (session->options.echo)
      printf("(hdb) %s\n", text);
   size_t length = 0;
   while (isalpha((unsigned char)text[length]))
      length++;
   const struct command *command = NULL;
   if (length)
      command = find_command(text, length);
   else
      error("no command \"%s\"; `help` lists them", text);
   int result = -1;
   if (command) {
      if (command->repeats) {
         char *kept = strdup(text);
         free(last_line);
         last_line = kept;
      } else {
         free(last_line);
         last_line = NULL;
      }
      result = command->run(session, trim(text + length));
   }
   fflush(stdout);
   free(copy);
   return result;
}

int
prompt_run_file(struct session *session, const char *path)
{
   FILE *file = fopen(path, "re");
   if (!file)
      return error("can't read %s: %s", path, strerror(errno));
   char *line = NULL;
   size_t capacity = 0;
   int result = 0;
   unsigned number = 0;
   while (result == 0 && !quitting && getline(&line, &capacity, file) >= 0) {
      number++;
      result = prompt_execute(session, line);
   }
   if (result < 0)
      error("%s:%u: the script ends here", path, number);
   free(line);
   fclose(file);
   return result;
}

/* ---- a terminal ---- */

static struct session *editing_session;

static char *
prompt_text(EditLine *editor)
{
   (void)editor;
   static char text[] = "(hdb) ";
   return text;
}

/* Waits for a key while the engine's messages are handled as they come. */
static int
read_key(EditLine *editor, wchar_t *key)
{
   struct session *session = editing_session;
   for (;;) {
      struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                              {.fd = session->connected ? session->client.fd : -1, .events = POLLIN}};
      /* Ctrl-C counts from here on: blocked until the wait, it can't fall between a look at `interrupted` and it. */
      sigset_t interrupt, mask;
      sigemptyset(&interrupt);
      sigaddset(&interrupt, SIGINT);
      sigprocmask(SIG_BLOCK, &interrupt, &mask);
      int ready = interrupted ? -1 : ppoll(fds, 2, NULL, &mask);
      sigprocmask(SIG_SETMASK, &mask, NULL);
      if (interrupted) {
         interrupted = 0;
         printf("^C\n");
         el_set(editor, EL_REFRESH);
         *key = 'U' - '@'; /* Ctrl-U: kill the line */
         return 1;
      }
      if (ready <= 0)
         continue;
      if (fds[1].revents) {
         printf("\n");
         session_poll(session);
         el_set(editor, EL_REFRESH);
      }
      if (fds[0].revents) {
         unsigned char byte;
         if (read(STDIN_FILENO, &byte, 1) != 1)
            return 0;
         *key = byte;
         return 1;
      }
   }
}

static void
loop_on_terminal(struct session *session)
{
   editing_session = session;
   History *lines = history_init();
   HistEvent event;
   history(lines, &event, H_SETSIZE, 1000);
   EditLine *editor = el_init("hdb", stdin, stdout, stderr);
   el_set(editor, EL_PROMPT, prompt_text);
   el_set(editor, EL_EDITOR, "emacs");
   el_set(editor, EL_HIST, history, lines);
   el_set(editor, EL_GETCFN, read_key);
   while (!quitting) {
      int count = 0;
      const char *line = el_gets(editor, &count);
      if (!line || count <= 0) {
         printf("\n");
         break;
      }
      if (count > 1)
         history(lines, &event, H_ENTER, line);
      char *text = strdup(count == 1 && last_line ? last_line : line);
      prompt_execute(session, text);
      free(text);
   }
   el_end(editor);
   history_end(lines);
}

void
prompt_loop(struct session *session)
{
   if (session->options.interactive) {
      loop_on_terminal(session);
      return;
   }
   char *line = NULL;
   size_t capacity = 0;
   while (!quitting && getline(&line, &capacity, stdin) >= 0)
      prompt_execute(session, *line == '\n' && last_line ? last_line : line);
   free(line);
}

/* ---- questions ---- */

static char
read_answer(void)
{
   char line[128];
   fflush(stdout);
   if (!fgets(line, sizeof(line), stdin))
      return '\0';
   char *text = trim(line);
   return (char)tolower((unsigned char)*text);
}

bool
prompt_confirm(struct session *session, const char *question)
{
   if (!session->options.interactive)
      return true;
   printf("%s [y/N] ", question);
   return read_answer() == 'y';
}

const char *
prompt_offer(struct session *session, json_t *offer)
{
   if (!session->options.interactive)
      return "none";
   json_t *grid = json_object_get(offer, "grid"), *group = json_object_get(offer, "workgroup");
   json_int_t threads = 1;
   for (size_t i = 0; i < 3; i++)
      threads *= json_integer_value(json_array_get(group, i));
   for (;;) {
      printf("dispatch %lld of %lld  %s  %lldx%lldx%lld groups of %lld", (long long)json_number(offer, "number"),
             (long long)json_number(offer, "of"), json_text(offer, "name"), json_integer_value(json_array_get(grid, 0)),
             json_integer_value(json_array_get(grid, 1)), json_integer_value(json_array_get(grid, 2)), threads);
      if (*json_text(offer, "label"))
         printf("  \"%s\"", json_text(offer, "label"));
      printf("  attach? [y/N/a/q/?] ");
      switch (read_answer()) {
      case 'y':
         return "yes";
      case 'a':
         return "all";
      case 'q':
         return "none";
      case '?':
         printf("y: stop at this dispatch's entry   n: not this one (default)   a: this and all that follow\n"
                "q: none from here on, ask no more   the program waits for the answer\n");
         break;
      default:
         return "no";
      }
   }
}
