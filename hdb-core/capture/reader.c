/* SPDX-License-Identifier: MIT */
/* Opening a capture: its sections are gone through once, pages are left where they are. */
#include "capture/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"

int
capture_read_file(const struct hdb_capture *capture, uint64_t offset, void *data, size_t size)
{
   while (size) {
      ssize_t part = pread(capture->fd, data, size, (off_t)offset);
      if (part < 0 && errno == EINTR)
         continue;
      if (part <= 0)
         return part < 0 ? -errno : -EBADMSG;
      data = (uint8_t *)data + part;
      offset += part;
      size -= part;
   }
   return 0;
}

static int
complain(char **error, int result, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   if (vasprintf(error, format, args) < 0)
      *error = NULL;
   va_end(args);
   return result;
}

static void
note_problem(struct hdb_capture *capture, const char *format, ...)
{
   if (capture->problem[0])
      return;
   va_list args;
   va_start(args, format);
   vsnprintf(capture->problem, sizeof(capture->problem), format, args);
   va_end(args);
}

/* ---- pages ---- */

static int
add_page(struct hdb_capture *capture, const struct capture_stored_page *stored, uint64_t offset)
{
   if (!stored->size || stored->size > HDB_CAPTURE_PAGE || capture->info.page_count == HDB_CAPTURE_NO_PAGE)
      return -EBADMSG;
   size_t count = capture->info.page_count;
   struct stored_page *page = array_append(capture->pages, count);
   if (!page)
      return -ENOMEM;
   *page = (struct stored_page){.offset = offset, .stored = *stored};
   capture->info.page_count++;
   capture->info.page_bytes_in_file += stored->size;
   return 0;
}

/* The head alone is read. */
static int
take_pages(struct hdb_capture *capture, const struct capture_section *section, uint64_t offset)
{
   uint32_t count;
   if (section->length < sizeof(count) || capture_read_file(capture, offset, &count, sizeof(count)))
      return -EBADMSG;
   uint64_t head_size = sizeof(count) + (uint64_t)count * sizeof(struct capture_stored_page);
   if (head_size > section->length || head_size > CAPTURE_MAX_SECTION)
      return -EBADMSG;
   uint8_t *head = malloc(head_size);
   if (!head)
      return -ENOMEM;
   int result = capture_read_file(capture, offset, head, head_size);
   if (!result && capture_checksum(section, head, head_size) != section->crc)
      result = -EBADMSG;
   uint64_t at = offset + head_size, end = offset + section->length;
   for (uint32_t i = 0; i < count && !result; i++) {
      struct capture_stored_page stored;
      memcpy(&stored, head + sizeof(count) + i * sizeof(stored), sizeof(stored));
      result = stored.size > end - at ? -EBADMSG : add_page(capture, &stored, at);
      at += stored.size;
   }
   free(head);
   return result;
}

/* ---- sections ---- */

static int
take_contents(struct hdb_capture *capture, const struct capture_section *section, uint64_t offset)
{
   if (section->length > CAPTURE_MAX_SECTION)
      return -EBADMSG;
   uint8_t *contents = malloc(section->length + 1);
   if (!contents)
      return -ENOMEM;
   struct codec codec = {.data = contents, .size = section->length, .blocks = &capture->blocks};
   int result = capture_read_file(capture, offset, contents, section->length);
   if (!result && capture_checksum(section, contents, section->length) != section->crc)
      result = -EBADMSG;
   result = result ?: capture_take_section(capture, section->tag, &codec);
   free(contents);
   return result;
}

/* All that is whole and right, from the front. -ENOMEM is the only thing that is wrong with us, and not the file. */
static int
take_sections(struct hdb_capture *capture)
{
   uint64_t offset = sizeof(struct capture_header);
   uint32_t last = 0;
   int result = 0;
   while (!result) {
      struct capture_section section;
      uint64_t left = capture->info.file_size - offset;
      if (!left && capture->info.complete)
         break;
      if (!left && last == CAPTURE_SAID) { /* the last word of who wrote it */
         note_problem(capture, "%s", capture->info.note);
         break;
      }
      if (left < sizeof(section) || capture_read_file(capture, offset, &section, sizeof(section))) {
         note_problem(capture, left ? "the file ends inside a section" : "the file ends early");
         break;
      }
      last = section.tag;
      offset += sizeof(section);
      capture->info.complete = false;
      if (section.length > left - sizeof(section)) {
         note_problem(capture, "the file ends inside a section, or is damaged at byte %llu",
                      (unsigned long long)(offset - sizeof(section)));
         break;
      }
      result = section.tag == CAPTURE_PAGES ? take_pages(capture, &section, offset)
                                            : take_contents(capture, &section, offset);
      if (result)
         note_problem(capture, "the file is damaged at byte %llu", (unsigned long long)(offset - sizeof(section)));
      offset += section.length;
   }
   return result == -ENOMEM ? result : 0;
}

/* ---- open and close ---- */

static int
check_header(const struct hdb_capture *capture, const char *path, char **error)
{
   struct capture_header header;
   if (capture_read_file(capture, 0, &header, sizeof(header)) ||
       memcmp(header.magic, CAPTURE_MAGIC, sizeof(header.magic)) != 0)
      return complain(error, -EINVAL, "%s: not a capture file", path);
   if (header.version != CAPTURE_VERSION)
      return complain(error, -ENOTSUP, "%s: a capture of version %u; this hdb reads version %u", path, header.version,
                      CAPTURE_VERSION);
   if (header.page_size != HDB_CAPTURE_PAGE)
      return complain(error, -EINVAL, "%s: pages of %u bytes; they have %u", path, header.page_size, HDB_CAPTURE_PAGE);
   return 0;
}

static int
open_file(struct hdb_capture *capture, const char *path, char **error)
{
   struct stat status;
   capture->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
   if (capture->fd < 0 || fstat(capture->fd, &status) < 0)
      return complain(error, -errno, "%s: %s", path, strerror(errno));
   if (!S_ISREG(status.st_mode))
      return complain(error, -EINVAL, "%s: not a file", path);
   capture->info.file_size = status.st_size;
   return check_header(capture, path, error);
}

int
hdb_capture_open(const char *path, struct hdb_capture **out, char **error)
{
   struct hdb_capture *capture = calloc(1, sizeof(*capture));
   *error = NULL;
   if (!capture)
      return -ENOMEM;
   capture->fd = -1;
   capture->info = (struct hdb_capture_info){
      .version = CAPTURE_VERSION, .program = "", .device = "", .writer = "", .problem = capture->problem, .note = ""};
   capture->context = ZSTD_createDCtx();
   capture->compressed = malloc(HDB_CAPTURE_PAGE);
   int result = capture->context && capture->compressed ? open_file(capture, path, error) : -ENOMEM;
   result = result ?: take_sections(capture);
   if (result) {
      hdb_capture_close(capture);
      return result;
   }
   capture_sort_changes(capture);
   *out = capture;
   return 0;
}

void
hdb_capture_close(struct hdb_capture *capture)
{
   if (!capture)
      return;
   if (capture->fd >= 0)
      close(capture->fd);
   for (size_t i = 0; i < CACHED_PAGES; i++)
      free(capture->cache[i].data);
   ZSTD_freeDCtx(capture->context);
   free(capture->compressed);
   HASH_CLEAR(hh, capture->by_id);
   free(capture->shaders);
   free(capture->dispatches);
   free(capture->maps);
   free(capture->states);
   free(capture->changes);
   free(capture->pages);
   capture_free_blocks(capture->blocks);
   free(capture);
}

/* ---- what there is ---- */

const struct hdb_capture_info *
hdb_capture_info(const struct hdb_capture *capture)
{
   return &capture->info;
}

const struct hdb_shader *
hdb_capture_shader(const struct hdb_capture *capture, uint32_t index)
{
   return capture->shaders[index];
}

const struct hdb_shader *
hdb_capture_find_shader(const struct hdb_capture *capture, uint64_t id)
{
   struct read_shader *found;
   HASH_FIND(hh, capture->by_id, &id, sizeof(id), found);
   return found ? &found->shader : NULL;
}

const struct hdb_capture_object *
hdb_capture_object(const struct hdb_capture *capture, uint32_t index)
{
   return &capture->objects.objects[index];
}

const struct hdb_capture_dispatch *
hdb_capture_dispatch(const struct hdb_capture *capture, uint32_t index)
{
   return capture->dispatches[index];
}

bool
hdb_capture_register(const struct hdb_capture_dispatch *dispatch, uint32_t reg, uint32_t *value)
{
   for (uint32_t i = 0; i < dispatch->register_count; i++) {
      if (dispatch->registers[i].reg == reg) {
         *value = dispatch->registers[i].value;
         return true;
      }
   }
   return false;
}
