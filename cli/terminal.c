/* SPDX-License-Identifier: MIT */
/*
 * The terminal: waiting for it without losing a Ctrl-C, questions, and whose it is. A prompt that the layer started
 * shares the terminal with a program that knows nothing of it: hdb, a process group of its own, is in the foreground
 * only while it shows its prompt or a question.
 */
#include <ctype.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli.h"

#define FOREGROUND_INTERVAL_MS 100

volatile sig_atomic_t interrupted;

static struct {
   pid_t group; /* of the program that lends hdb its terminal; 0: the terminal is hdb's */
   bool has_modes;
   struct termios modes; /* the program's */
} lender;

void
terminal_init(void)
{
   const char *group = getenv("HDB_TERMINAL_PGRP");
   uint64_t number;
   if (!group || !parse_unsigned(group, &number) || number == 0 || number > INT_MAX)
      return;
   lender.group = (pid_t)number;
   signal(SIGTTOU, SIG_IGN); /* what is said while the program has the terminal appears all the same */
}

bool
terminal_is_lent(void)
{
   return lender.group;
}

int
terminal_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
   struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};
   sigset_t interrupt, mask;
   sigemptyset(&interrupt);
   sigaddset(&interrupt, SIGINT);
   /* Blocked until the wait, a Ctrl-C can't fall between the look at `interrupted` and it. */
   sigprocmask(SIG_BLOCK, &interrupt, &mask);
   int ready = interrupted ? -1 : ppoll(fds, count, timeout_ms < 0 ? NULL : &timeout, &mask);
   sigprocmask(SIG_SETMASK, &mask, NULL);
   return ready;
}

/* ---- whose it is ---- */

/* A terminal for lines and Ctrl-C, whatever the program made of it. The modes before are the result. */
static bool
set_line_modes(struct termios *before)
{
   if (tcgetattr(STDIN_FILENO, before) < 0)
      return false;
   struct termios modes = *before;
   modes.c_iflag |= ICRNL;
   modes.c_iflag &= ~(tcflag_t)(INLCR | IGNCR);
   modes.c_oflag |= OPOST | ONLCR;
   modes.c_lflag |= ICANON | ECHO | ECHOE | ECHOK | ISIG | IEXTEN;
   tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
   return true;
}

int
terminal_take(int connection)
{
   bool said = false;
   if (!lender.group)
      return 0;
   for (;;) {
      pid_t foreground = tcgetpgrp(STDIN_FILENO);
      if (foreground == getpgrp())
         return 0;
      if (foreground < 0 || (foreground == lender.group && tcsetpgrp(STDIN_FILENO, getpgrp()) < 0))
         return -1;
      if (foreground == lender.group) {
         lender.has_modes = set_line_modes(&lender.modes);
         return 0;
      }
      /* A shell has put the program into the background: nothing is taken from whoever is in front now. */
      if (!said)
         printf("[hdb waits for the program to be in the foreground]\n");
      said = true;
      struct pollfd fd = {.fd = connection};
      if (poll(&fd, 1, FOREGROUND_INTERVAL_MS) > 0) /* the program is gone */
         return -1;
   }
}

void
terminal_give(void)
{
   fflush(stdout);
   if (!lender.group || tcgetpgrp(STDIN_FILENO) != getpgrp())
      return;
   if (lender.has_modes)
      tcsetattr(STDIN_FILENO, TCSADRAIN, &lender.modes);
   tcsetpgrp(STDIN_FILENO, lender.group);
}

/* ---- questions ---- */

/* A line without blanks around it; "" at end of file or Ctrl-C. What is too long is cut off. */
static void
read_line(char *line, size_t size)
{
   size_t length = 0;
   for (;;) {
      struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
      char byte;
      int ready = terminal_poll(&fd, 1, -1);
      if (interrupted || (ready > 0 && read(STDIN_FILENO, &byte, 1) != 1)) {
         interrupted = 0;
         printf("\n");
         length = 0;
         break;
      }
      if (ready <= 0)
         continue;
      if (byte == '\n')
         break;
      if (length < size - 1 && (length || !isspace((unsigned char)byte)))
         line[length++] = byte;
   }
   while (length && isspace((unsigned char)line[length - 1]))
      length--;
   line[length] = '\0';
}

/* Whether `line` is the beginning of one of the words. */
static bool
is_answer(const char *line, const char *words)
{
   size_t length = strlen(line);
   while (words) {
      if (strncasecmp(words, line, length) == 0 && !strchr(line, ' '))
         return true;
      words = strchr(words, ' ');
      words = words ? words + 1 : NULL;
   }
   return false;
}

void
terminal_read(const char *question, char *line, size_t size)
{
   struct termios before;
   bool restore = set_line_modes(&before);
   printf("%s ", question);
   fflush(stdout);
   read_line(line, size);
   if (restore)
      tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

char
terminal_ask(const char *question, const char *words)
{
   struct termios before;
   bool restore = set_line_modes(&before);
   char line[64];
   for (;;) {
      printf("%s ", question);
      fflush(stdout);
      read_line(line, sizeof(line));
      if (is_answer(line, words))
         break;
      printf("\"%s\" is no answer; possible are: %s\n", line, words);
   }
   if (restore)
      tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
   return (char)tolower((unsigned char)line[0]);
}
