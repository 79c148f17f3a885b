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
parse_constant(struct job *job, const char *line)
{
   struct job_constant it;
   if (sscanf(line, "%" SCNu32 " %" SCNu32 " %" SCNu64, &it.id, &it.size, &it.bits) == 3 &&
       job->constant_count < JOB_MAX_CONSTANTS && it.size <= 8)
      job->constants[job->constant_count++] = it;
}

static void
parse_resource(struct job *job, const char *line)
{
   struct job_resource it;
   uint32_t *const numbers[] = {
      &it.binding, &it.type,  &it.shape,  &it.format, &it.texel_size,   &it.width,
      &it.height,  &it.depth, &it.layers, &it.levels, &it.address_mode, &it.mask,
   };
   for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
      char *end;
      *numbers[i] = strtoul(line, &end, 0);
      if (end == line)
         return;
      line = end;
   }
   if (job->resource_count < JOB_MAX_RESOURCES)
      job->resources[job->resource_count++] = it;
}

/* What follows the word, if the line begins with it. */
static const char *
after(const char *line, const char *word)
{
   const size_t length = strlen(word);
   return strncmp(line, word, length) ? NULL : line + length;
}

static void
parse_line(struct job *job, const char *line)
{
   const char *rest;
   if ((rest = after(line, "//! groups")))
      sscanf(rest, "%" SCNu32 " %" SCNu32 " %" SCNu32, job->groups, job->groups + 1, job->groups + 2);
   else if ((rest = after(line, "//! seed")))
      sscanf(rest, "%" SCNu32, &job->seed);
   else if ((rest = after(line, "//! wave")))
      sscanf(rest, "%" SCNu32, &job->wave_size);
   else if ((rest = after(line, "//! constant")))
      parse_constant(job, rest);
   else if ((rest = after(line, "//! resource")))
      parse_resource(job, rest);
   else if (after(line, "//! indirect"))
      job->indirect = true;
   else if (after(line, "//! debug"))
      job->debug = true;
   else if (after(line, "//! controls"))
      job->float_controls = true;
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
