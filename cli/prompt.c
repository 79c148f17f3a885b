/* SPDX-License-Identifier: MIT */
/* Lines in, commands out: unique prefixes, repetition on an empty line, scripts, questions. */
#include <ctype.h>
#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

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
static bool input_ended; /* not by Ctrl-D: the terminal is gone, or the program has gone on without a command */

static char *
prompt_text(EditLine *editor)
{
   (void)editor;
   static char text[] = "(hdb) ";
   return text;
}

/* Whether commands are of use: not once what we attached to is over, nor on a lent terminal while the program runs. */
static bool
has_prompt(const struct session *session)
{
   return terminal_is_lent() ? session->state == SESSION_STOPPED : session->program || session->state != SESSION_ENDED;
}

enum wakeup { WAKEUP_INPUT, WAKEUP_SESSION, WAKEUP_INTERRUPT };

static enum wakeup
wait_for_input(struct session *session)
{
   struct pollfd fds[1 + SESSION_FDS] = {{.fd = STDIN_FILENO, .events = POLLIN}};
   size_t count = 1 + session_fds(session, fds + 1);
   while (terminal_poll(fds, count, -1) <= 0 && !interrupted)
      continue;
   if (interrupted) {
      interrupted = 0;
      return WAKEUP_INTERRUPT;
   }
   for (size_t i = 1; i < count; i++) {
      if (fds[i].revents)
         return WAKEUP_SESSION;
   }
   return WAKEUP_INPUT;
}

/* Waits for a key while the engine's messages are handled as they come. */
static int
read_key(EditLine *editor, wchar_t *key)
{
   struct session *session = editing_session;
   for (;;) {
      unsigned char byte;
      switch (wait_for_input(session)) {
      case WAKEUP_INTERRUPT:
         printf("^C\n");
         if (session->state == SESSION_RUNNING && session->configured)
            prompt_execute(session, "pause");
         input_ended = !has_prompt(session);
         if (input_ended)
            return 0;
         el_set(editor, EL_REFRESH);
         *key = 'U' - '@'; /* Ctrl-U: kill the line */
         return 1;
      case WAKEUP_SESSION:
         printf("\n");
         session_poll(session);
         input_ended = !has_prompt(session);
         if (input_ended)
            return 0;
         el_set(editor, EL_REFRESH);
         break;
      case WAKEUP_INPUT:
         input_ended = read(STDIN_FILENO, &byte, 1) != 1;
         *key = byte;
         return input_ended ? 0 : 1;
      }
   }
}

static void
execute_or_repeat(struct session *session, const char *line)
{
   char *text = strdup(*line == '\0' && last_line ? last_line : line);
   prompt_execute(session, text);
   free(text);
}

/* False: there is nothing more to read. */
static bool
edit_line(struct session *session, EditLine *editor, History *lines)
{
   HistEvent event;
   int count = 0;
   input_ended = terminal_take(session->client.fd) < 0;
   if (!input_ended)
      el_set(editor, EL_PREP_TERM, 1); /* before the prompt appears: a key pressed at once is not lost */
   const char *line = input_ended ? NULL : el_gets(editor, &count);
   if (!line || count <= 0) {
      printf("\n");
      if (input_ended) /* with the program gone on, the loop sees to what follows */
         return !has_prompt(session);
      prompt_execute(session, "quit"); /* Ctrl-D */
      return true;
   }
   if (count > 1)
      history(lines, &event, H_ENTER, line);
   execute_or_repeat(session, count == 1 ? "" : line);
   return true;
}

static unsigned char
complete(EditLine *editor, int key)
{
   (void)key;
   return complete_line(editor, editing_session);
}

/* Begins only when there is a prompt: it keeps the terminal's modes that it finds. */
static EditLine *
start_editor(History *lines)
{
   EditLine *editor = el_init("hdb", stdin, stdout, stderr);
   el_set(editor, EL_PROMPT, prompt_text);
   el_set(editor, EL_EDITOR, "emacs");
   el_set(editor, EL_HIST, history, lines);
   el_set(editor, EL_GETCFN, read_key);
   el_wset(editor, EL_ADDFN, L"complete", L"commands and names", complete); /* el_set() leaks copies of the names */
   el_set(editor, EL_BIND, "\t", "complete", NULL);
   return editor;
}

static void
loop_on_terminal(struct session *session)
{
   static EditLine *editor;
   editing_session = session;
   History *lines = history_init();
   HistEvent event;
   history(lines, &event, H_SETSIZE, 1000);
   bool more = true;
   while (more && !quitting) {
      if (has_prompt(session)) {
         if (!editor && terminal_take(session->client.fd) == 0)
            editor = start_editor(lines);
         more = editor && edit_line(session, editor, lines);
      } else {
         session_wait(session);
         more = session->state != SESSION_ENDED;
      }
   }
   /* It would throw away what has been typed for the program that has the terminal by now. */
   if (editor && !terminal_is_lent())
      el_end(editor);
   history_end(lines);
}

/* Lines from a pipe; between them, too, the engine's messages are shown as they come. */
static void
loop_on_pipe(struct session *session)
{
   char *line = malloc(1), byte;
   size_t length = 0;
   bool more = true;
   while (more && !quitting && has_prompt(session)) {
      switch (wait_for_input(session)) {
      case WAKEUP_INTERRUPT: /* as on a terminal: nothing ends, a line that was begun is dropped */
         if (session->state == SESSION_RUNNING && session->configured)
            prompt_execute(session, "pause");
         length = 0;
         break;
      case WAKEUP_SESSION:
         session_poll(session);
         fflush(stdout);
         break;
      case WAKEUP_INPUT:
         more = read(STDIN_FILENO, &byte, 1) == 1;
         if (more && byte != '\n') {
            line = realloc(line, length + 2);
            line[length++] = byte;
         } else if (more || length) {
            line[length] = '\0';
            length = 0;
            execute_or_repeat(session, line);
         }
         break;
      }
   }
   free(line);
}

void
prompt_loop(struct session *session)
{
   if (session->options.interactive) {
      loop_on_terminal(session);
      return;
   }
   loop_on_pipe(session);
}

/* ---- questions ---- */

bool
prompt_confirm(struct session *session, const char *question)
{
   if (!session->options.interactive)
      return true;
   char text[128];
   snprintf(text, sizeof(text), "%s [y/N]", question);
   return terminal_ask(text, "yes no") == 'y';
}
