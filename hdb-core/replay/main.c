/* SPDX-License-Identifier: MIT */
/* hdb-replay: the program that `hdb replay` debugs. By itself it runs a capture, and says whether it comes out again.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "hdb_core.h"
#include "replay/replay.h"

enum { EXIT_DIFFERENT = 1, EXIT_USAGE = 2 };

static const char help[] = "usage: hdb-replay [--dispatch N] [--seed N] FILE\n"
                           "Runs the dispatches of a capture on the virtual GPU, each from the memory that it found.\n"
                           "Code 0: all came out as captured; 1: not so; 2: the capture can't be read or replayed.\n"
                           "`hdb replay` debugs it.\n";

static bool
parse(const char *text, uint64_t limit, uint64_t *number)
{
   char *end;
   errno = 0;
   *number = strtoull(text, &end, 0);
   return end != text && !*end && !errno && *text != '-' && *number <= limit;
}

static int
refuse(const char *option, const char *text)
{
   fprintf(stderr, "hdb-replay: %s %s: it wants a number\n", option, text);
   return EXIT_USAGE;
}

int
main(int argc, char **argv)
{
   enum { DISPATCH = 256, SEED, HELP };
   static const struct option long_options[] = {{"dispatch", required_argument, NULL, DISPATCH},
                                                {"seed", required_argument, NULL, SEED},
                                                {"help", no_argument, NULL, HELP},
                                                {NULL, 0, NULL, 0}};
   struct hdb_replay_options options = {.client_fd = -1};
   uint64_t number;
   for (int option; (option = getopt_long(argc, argv, "", long_options, NULL)) != -1;) {
      switch (option) {
      case DISPATCH:
         if (!parse(optarg, UINT32_MAX, &number))
            return refuse("--dispatch", optarg);
         options.one = true;
         options.number = (uint32_t)number;
         break;
      case SEED:
         if (!parse(optarg, UINT64_MAX, &options.seed))
            return refuse("--seed", optarg);
         break;
      case HELP:
         fputs(help, stdout);
         return 0;
      default:
         return EXIT_USAGE;
      }
   }
   if (optind != argc - 1) {
      fputs(help, stderr);
      return EXIT_USAGE;
   }
   options.path = argv[optind];

   /* A second descriptor stays open, so that what the debugger sees of the end is that of a program: its exit. */
   int channel = hdb_channel_find();
   if (channel >= 0)
      options.client_fd = hdb_channel_connect(channel);
   if (options.client_fd >= 0) {
      fcntl(options.client_fd, F_DUPFD_CLOEXEC, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL); /* without a debugger nobody wants the rest */
   }
   char *error;
   int result = hdb_replay_run(&options, &error);
   if (result >= 0)
      return result == HDB_REPLAY_EQUAL ? EXIT_SUCCESS : EXIT_DIFFERENT;
   fprintf(stderr, "hdb-replay: %s\n", error ? error : strerror(-result));
   free(error);
   return EXIT_USAGE;
}
