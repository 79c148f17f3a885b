/* SPDX-License-Identifier: MIT */
/* Parts of a capture as files: code, SPIR-V, named buffers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../cli.h"
#include "captures.h"

static int
write_file(const char *path, const void *data, size_t size)
{
   FILE *file = fopen(path, "we");
   bool written = file && fwrite(data, 1, size, file) == size;
   if (!file || fclose(file) || !written)
      return error("%s: %s", path, strerror(errno));
   printf("%s  ", path);
   capture_print_size(size);
   printf("\n");
   return 0;
}

/* Without what paths and shells see something in. */
static char *
file_name(const char *name)
{
   char *text = strdup(name);
   for (char *at = text; text && *at; at++) {
      if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *at))
         *at = '_';
   }
   return text;
}

static int
write_named(const char *directory, const char *prefix, uint32_t number, const char *suffix, const void *data,
            size_t size)
{
   char *path;
   if (asprintf(&path, "%s/%s-%u%s", directory, prefix, number, suffix) < 0)
      return error("out of memory");
   int result = size ? write_file(path, data, size) : 0;
   free(path);
   return result;
}

static int
extract_shaders(struct hdb_capture *capture, const char *directory)
{
   int result = 0;
   for (uint32_t i = 0; !result && i < hdb_capture_info(capture)->shader_count; i++) {
      const struct hdb_shader *shader = hdb_capture_shader(capture, i);
      result = write_named(directory, "shader", i, ".bin", shader->code, shader->code_size);
      if (!result)
         result = write_named(directory, "shader", i, ".spv", shader->spirv, shader->spirv_size);
   }
   return result;
}

/* In blocks: an object may be larger than memory. */
static int
write_memory(struct hdb_capture *capture, uint32_t state, uint64_t va, uint64_t size, const char *path)
{
   FILE *file = fopen(path, "we");
   uint8_t *block = malloc(HDB_CAPTURE_PAGE);
   int result = file && block ? 0 : -errno;
   for (uint64_t done = 0, part; !result && done < size; done += part) {
      part = size - done < HDB_CAPTURE_PAGE ? size - done : HDB_CAPTURE_PAGE;
      result = hdb_capture_read(capture, state, va + done, block, part);
      if (!result && fwrite(block, 1, part, file) != part)
         result = -errno;
   }
   if (file && fclose(file) && !result)
      result = -errno;
   free(block);
   if (result)
      return error("%s: %s", path,
                   result == -EFAULT    ? "not all of it was mapped"
                   : result == -EBADMSG ? "the file is damaged there"
                                        : strerror(-result));
   printf("%s  ", path);
   capture_print_size(size);
   printf("\n");
   return 0;
}

static int
extract_object(struct hdb_capture *capture, const char *directory, uint32_t dispatch, uint32_t state,
               const struct hdb_capture_object *object, const char *moment)
{
   char *name = file_name(object->name), *path = NULL;
   int result = -1;
   if (name && asprintf(&path, "%s/dispatch-%u-%s-%s.bin", directory, dispatch, moment, name) >= 0)
      result = write_memory(capture, state, object->va, object->size, path);
   free(name);
   free(path);
   return result;
}

static int
extract_dispatch(struct hdb_capture *capture, const char *directory, const struct hdb_capture_dispatch *dispatch)
{
   int result = 0;
   for (uint32_t i = 0; !result && i < hdb_capture_info(capture)->object_count; i++) {
      const struct hdb_capture_object *object = hdb_capture_object(capture, i);
      if (dispatch->before != HDB_CAPTURE_NO_STATE)
         result = extract_object(capture, directory, dispatch->number, dispatch->before, object, "before");
      if (!result && dispatch->after != HDB_CAPTURE_NO_STATE)
         result = extract_object(capture, directory, dispatch->number, dispatch->after, object, "after");
   }
   return result;
}

int
capture_extract(struct hdb_capture *capture, const char *directory)
{
   if (mkdir(directory, 0777) < 0 && errno != EEXIST)
      return error("%s: %s", directory, strerror(errno));
   int result = extract_shaders(capture, directory);
   for (uint32_t i = 0; !result && i < hdb_capture_info(capture)->dispatch_count; i++)
      result = extract_dispatch(capture, directory, hdb_capture_dispatch(capture, i));
   return result;
}
