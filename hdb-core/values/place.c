/* SPDX-License-Identifier: MIT */
/* Reading and writing where a place is. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values/private.h"

int
place_fail(char **error, int result, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   if (vasprintf(error, format, arguments) < 0)
      *error = NULL;
   va_end(arguments);
   return result;
}

int
place_from_bytes(struct hdb_place *place, const void *bytes, size_t size)
{
   uint8_t *copy = malloc(size ? size : 1);
   if (!copy)
      return -ENOMEM;
   memcpy(copy, bytes, size);
   *place = (struct hdb_place){.kind = HDB_PLACE_BYTES, .size = size, .read_only = true, .bytes = copy};
   return 0;
}

void
hdb_place_finish(struct hdb_place *place)
{
   free(place->pieces);
   free(place->bytes);
   free(place->object);
   *place = (struct hdb_place){.kind = HDB_PLACE_BYTES};
}

int
hdb_context_object_at(const struct hdb_context *context, uint64_t va, struct hdb_object *object)
{
   int result = context->objects ? context->objects->at(context->objects->user, va, object) : -ENOENT;
   /* The application may name it anything; what is shown is one line. */
   for (char *at = result ? NULL : object->name; at && *at; at++) {
      if ((unsigned char)*at < ' ' || *at == 0x7f)
         *at = '?';
   }
   return result;
}

static int
check_range(const struct hdb_place *place, uint64_t offset, size_t size, char **error)
{
   if (offset <= place->size && size <= place->size - offset)
      return 0;
   const char *object = place->object ? place->object : "the object";
   return place_fail(error, -ERANGE, "out of range: %s has %" PRIu64 " bytes", object, place->size);
}

static int
check_lane(const struct hdb_context *context, char **error)
{
   if (context->wave->run != HDB_WAVE_STOPPED)
      return place_fail(error, -EINVAL, "the wave is running");
   if (context->lane >= context->wave->wave_size)
      return place_fail(error, -EINVAL, "the wave has no lane %u", context->lane);
   return 0;
}

static int
say_unmapped(const struct hdb_place *place, int result, uint64_t address, char **error)
{
   if (result == -EFAULT && place->kind == HDB_PLACE_MEMORY)
      return place_fail(error, result, "0x%" PRIx64 " is not mapped", address);
   if (result == -EFAULT)
      return place_fail(error, result, "beyond the end of %s", place->kind == HDB_PLACE_LDS ? "LDS" : "scratch");
   if (result == -EACCES && place->kind == HDB_PLACE_MEMORY)
      return place_fail(error, result, "0x%" PRIx64 " is mapped read-only", address);
   if (result == -ENOTCONN) /* a second-level trap handler alone has no page tables to look at */
      return place_fail(error, result, "memory at 0x%" PRIx64 " can't be reached without hdb-helper", address);
   if (result == -EBUSY)
      return place_fail(error, result, "0x%" PRIx64 " is code with breakpoints in it", address);
   return result ? place_fail(error, result, "%s", strerror(-result)) : 0;
}

int
hdb_place_read(const struct hdb_context *context, const struct hdb_place *place, uint64_t offset, void *data,
               size_t size, char **error)
{
   uint64_t address = place->address + offset;
   int result = check_lane(context, error);
   result = result ?: check_range(place, offset, size, error);
   if (result)
      return result;
   switch (place->kind) {
   case HDB_PLACE_MEMORY:
      result = hdb_wave_read_memory(context->machine, context->wave, address, data, size);
      break;
   case HDB_PLACE_LDS:
      result = hdb_wave_read_lds(context->machine, context->wave, address, data, size);
      break;
   case HDB_PLACE_SCRATCH:
      result = hdb_wave_read_scratch(context->machine, context->wave, context->lane, address, data, size);
      break;
   case HDB_PLACE_PIECES:
      return pieces_transfer(context, place, address, data, size, false, error);
   case HDB_PLACE_BYTES:
      memcpy(data, place->bytes + address, size);
      break;
   }
   return say_unmapped(place, result, address, error);
}

int
hdb_place_write(const struct hdb_context *context, const struct hdb_place *place, uint64_t offset, const void *data,
                size_t size, char **error)
{
   uint64_t address = place->address + offset;
   int result = check_lane(context, error);
   result = result ?: check_range(place, offset, size, error);
   if (!result && (place->read_only || place->kind == HDB_PLACE_BYTES))
      result = place_fail(error, -EROFS, "%s can't be set", place->object ? place->object : "this value");
   if (result)
      return result;
   switch (place->kind) {
   case HDB_PLACE_MEMORY:
      result = hdb_wave_write_memory(context->machine, context->wave, address, data, size);
      break;
   case HDB_PLACE_LDS:
      result = hdb_wave_write_lds(context->machine, context->wave, address, data, size);
      break;
   case HDB_PLACE_SCRATCH:
      result = hdb_wave_write_scratch(context->machine, context->wave, context->lane, address, data, size);
      break;
   case HDB_PLACE_PIECES:
      return pieces_transfer(context, place, address, (void *)data, size, true, error);
   case HDB_PLACE_BYTES:
      break;
   }
   return say_unmapped(place, result, address, error);
}
