/* SPDX-License-Identifier: MIT */
/* Text of source files: from the module, else from the disk. */
#include "symbols/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILE_SIZE (16u << 20)

size_t
hdb_symbols_file_count(const struct hdb_symbols *symbols)
{
   return symbols->module.file_count;
}

const char *
hdb_symbols_file_name(const struct hdb_symbols *symbols, size_t index)
{
   return index < symbols->module.file_count ? symbols->module.files[index].name : NULL;
}

static char *
read_file(const char *path)
{
   FILE *file = fopen(path, "re");
   if (!file)
      return NULL;
   char *text = NULL;
   struct stat status;
   if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MAX_FILE_SIZE &&
       (text = malloc(status.st_size + 1))) {
      size_t size = fread(text, 1, status.st_size, file);
      text[size] = 0;
   }
   fclose(file);
   return text;
}

const char *
hdb_symbols_source(const struct hdb_symbols *symbols, const char *file, size_t *size)
{
   for (size_t i = 0; i < symbols->module.file_count; i++) {
      const struct spirv_file *candidate = &symbols->module.files[i];
      if (!symbols_paths_match(candidate->name, file))
         continue;
      if (candidate->text) {
         *size = candidate->text_size;
         return candidate->text;
      }
      if (!symbols->disk_texts[i])
         symbols->disk_texts[i] = read_file(candidate->name);
      if (!symbols->disk_texts[i])
         return NULL;
      *size = strlen(symbols->disk_texts[i]);
      return symbols->disk_texts[i];
   }
   return NULL;
}

const char *
hdb_symbols_line_text(const struct hdb_symbols *symbols, const char *file, uint32_t line, size_t *length)
{
   size_t size;
   const char *text = hdb_symbols_source(symbols, file, &size);
   while (text && --line > 0) {
      text = strchr(text, '\n');
      text = text ? text + 1 : NULL;
   }
   if (!text || !*text)
      return NULL;
   *length = strcspn(text, "\r\n");
   return text;
}

void
symbols_free_texts(struct hdb_symbols *symbols)
{
   for (size_t i = 0; symbols->disk_texts && i < symbols->module.file_count; i++)
      free(symbols->disk_texts[i]);
   free(symbols->disk_texts);
}
