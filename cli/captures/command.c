/* SPDX-License-Identifier: MIT */
/* hdb capture: its command line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "captures.h"

enum { EXIT_DIFFERENT = 1, EXIT_WRONG = 2 };

static const char usage[] =
   "usage: hdb capture info FILE                 what is in a capture\n"
   "       hdb capture extract FILE DIRECTORY    code, SPIR-V and named buffers as files\n"
   "       hdb capture diff [--all] FILE [FILE]  two captures, or what the dispatches changed\n";

static struct hdb_capture *
open_capture(const char *path)
{
   struct hdb_capture *capture = NULL;
   char *problem;
   int result = hdb_capture_open(path, &capture, &problem);
   if (result)
      error("%s", problem ? problem : strerror(-result));
   free(problem);
   return result ? NULL : capture;
}

static int
diff(char **files, int count, bool all)
{
   struct hdb_capture *a = open_capture(files[0]), *b = NULL;
   int result = a ? 0 : -1;
   if (!result && count > 1 && !(b = open_capture(files[1])))
      result = -1;
   if (!result && (result = capture_diff(a, b, all)) < 0)
      error("%s%s%s: %s", files[0], b ? " or " : "", b ? files[1] : "",
            result == -EBADMSG ? "a page of memory in it is damaged" : strerror(-result));
   hdb_capture_close(a);
   hdb_capture_close(b);
   return result < 0 ? EXIT_WRONG : result ? EXIT_DIFFERENT : EXIT_SUCCESS;
}

static int
look_into(const char *path, const char *directory)
{
   struct hdb_capture *capture = open_capture(path);
   int result = !capture ? -1 : directory ? capture_extract(capture, directory) : capture_info(capture);
   hdb_capture_close(capture);
   return result < 0 ? EXIT_WRONG : EXIT_SUCCESS;
}

int
capture_command(int argc, char **argv)
{
   const char *verb = argc > 1 ? argv[1] : "";
   bool all = argc > 2 && strcmp(argv[2], "--all") == 0;
   if (strcmp(verb, "info") == 0 && argc == 3)
      return look_into(argv[2], NULL);
   if (strcmp(verb, "extract") == 0 && argc == 4)
      return look_into(argv[2], argv[3]);
   if (strcmp(verb, "diff") == 0 && (argc - all == 3 || argc - all == 4))
      return diff(argv + 2 + all, argc - 2 - all, all);
   bool help = argc == 2 && (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0);
   fputs(usage, help ? stdout : stderr);
   return help ? EXIT_SUCCESS : EXIT_WRONG;
}
