/* SPDX-License-Identifier: MIT */
/* `hdb replay`: what is debugged is hdb-replay, which lies beside this hdb and has an engine as programs have. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static char *
find_player(void)
{
   char self[PATH_MAX], *path;
   ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
   if (n <= 0)
      return NULL;
   self[n] = '\0';
   *strrchr(self, '/') = '\0';
   return asprintf(&path, "%s/hdb-replay", self) < 0 ? NULL : path;
}

int
replay_parse_number(const char *option, const char *text, uint64_t limit)
{
   uint64_t number;
   if (!parse_unsigned(text, &number) || number > limit)
      return error("%s %s: it wants a number", option, text);
   return 0;
}

char **
replay_program(const char *file, const char *dispatch, const char *seed)
{
   char **program = calloc(8, sizeof(*program));
   char *player = find_player();
   if (!program || !player) {
      error("hdb-replay can't be found");
      free(player);
      free(program);
      return NULL;
   }
   size_t count = 0;
   program[count++] = player;
   if (dispatch) {
      program[count++] = "--dispatch";
      program[count++] = (char *)dispatch;
   }
   if (seed) {
      program[count++] = "--seed";
      program[count++] = (char *)seed;
   }
   program[count++] = "--";
   program[count++] = (char *)file;
   return program;
}
