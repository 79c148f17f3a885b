/* SPDX-License-Identifier: MIT */
/* Text of source files: from the module, else from the disk. */
#include "symbols/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILE_SIZE (16u << 20)

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

/* The file of that very name, else the first that matches; SIZE_MAX: none. Of files with one name, from several
 * modules, the one that has the very string. */
static size_t
find_file(const struct hdb_symbols *symbols, const char *file)
{
   size_t found = SIZE_MAX;
   for (size_t i = 0; i < symbols->module.file_count; i++) {
      if (symbols->module.files[i].name == file)
         return i;
   }
   for (size_t i = symbols->module.file_count; i-- > 0;) {
      const char *name = symbols->module.files[i].name;
      if (strcmp(name, file) == 0)
         return i;
      if (symbols_paths_match(name, file))
         found = i;
   }
   return found;
}

bool
hdb_symbols_has_file(const struct hdb_symbols *symbols, const char *file)
{
   return find_file(symbols, file) != SIZE_MAX;
}

const char *
hdb_symbols_source(const struct hdb_symbols *symbols, const char *file, size_t *size)
{
   size_t i = find_file(symbols, file);
   if (i == SIZE_MAX)
      return NULL;
   const struct spirv_file *found = &symbols->module.files[i];
   if (found->text) {
      *size = found->text_size;
      return found->text;
   }
   if (!symbols->disk_texts[i])
      symbols->disk_texts[i] = read_file(found->name);
   *size = symbols->disk_texts[i] ? strlen(symbols->disk_texts[i]) : 0;
   return symbols->disk_texts[i];
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
