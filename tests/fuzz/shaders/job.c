/* SPDX-License-Identifier: MIT */
#include "job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *
read_text(const char *path)
{
   FILE *file = fopen(path, "rb");
   if (!file)
      return NULL;
   char *text = NULL;
   size_t size = 0, capacity = 0, got;
   do {
      capacity += 1 << 16;
      char *larger = realloc(text, capacity + 1);
      if (!larger) {
         free(text);
         fclose(file);
         return NULL;
      }
      text = larger;
      got = fread(text + size, 1, capacity - size, file);
      size += got;
   } while (got && size == capacity);
   text[size] = 0;
   fclose(file);
   return text;
}

static void
parse_line(struct job *job, const char *line)
{
   struct job_constant constant;
   if (sscanf(line, "//! groups %" SCNu32 " %" SCNu32 " %" SCNu32, job->groups, job->groups + 1, job->groups + 2) == 3)
      return;
   if (sscanf(line, "//! seed %" SCNu32, &job->seed) == 1 || sscanf(line, "//! wave %" SCNu32, &job->wave_size) == 1)
      return;
   if (strncmp(line, "//! debug", 9) == 0)
      job->debug = true;
   else if (strncmp(line, "//! controls", 12) == 0)
      job->float_controls = true;
   else if (sscanf(line, "//! constant %" SCNu32 " %" SCNu32 " %" SCNu64, &constant.id, &constant.size,
                   &constant.bits) == 3 &&
            job->constant_count < JOB_MAX_CONSTANTS && constant.size <= 8)
      job->constants[job->constant_count++] = constant;
}

int
job_init(struct job *job, const char *path)
{
   *job = (struct job){.text = read_text(path), .groups = {1, 1, 1}};
   if (!job->text)
      return errno ? -errno : -ENOMEM;
   for (const char *line = job->text; line; line = strchr(line, '\n')) {
      line += *line == '\n';
      parse_line(job, line);
   }
   return 0;
}

void
job_finish(struct job *job)
{
   free(job->text);
}
