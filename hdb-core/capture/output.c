/* SPDX-License-Identifier: MIT */
/*
 * Sections on their way into the file: threads compress them side by side and write them in their order. They take no
 * signals: where a write would raise SIGXFSZ it fails with EFBIG instead, and the application, whose process this is,
 * goes on.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

#include "capture/output.h"
#include "thread.h"

#define LEVEL 1
#define MAX_QUEUED 256 /* of a batch's size: some 256 MiB; they are compressed as the GPU goes on */
#define MAX_THREADS 4
#define STACK_SIZE (256 << 10)

struct piece {
   uint64_t number;
   uint32_t tag;
   uint32_t pages; /* in data, if these are */
   void *data;
   size_t size;
   struct piece *next;
};

struct capture_output {
   int fd;
   uint64_t written; /* whole sections; by the thread whose turn it is */
   pthread_t threads[MAX_THREADS];
   uint32_t thread_count;

   pthread_mutex_t lock;
   pthread_cond_t changed;
   struct piece *first, **last;
   uint64_t given, taken, done; /* pieces; the next one to be written is number `done` */
   bool ended;
   int error;
};

/* What a section has: its checksum is for the head alone. */
struct section_parts {
   const void *head, *rest;
   size_t head_size, rest_size;
};

/* ---- the file ---- */

static int
write_all(int fd, struct iovec *parts, int count)
{
   while (count) {
      ssize_t written = writev(fd, parts, count);
      if (written < 0 && errno == EINTR)
         continue;
      if (written <= 0)
         return written < 0 ? -errno : -ENOSPC;
      for (; count && (size_t)written >= parts->iov_len; parts++, count--)
         written -= parts->iov_len;
      if (count) {
         parts->iov_base = (uint8_t *)parts->iov_base + written;
         parts->iov_len -= written;
      }
   }
   return 0;
}

static int
write_section(struct capture_output *output, uint32_t tag, const struct section_parts *parts)
{
   struct capture_section section = {.tag = tag, .length = parts->head_size + parts->rest_size};
   section.crc = capture_checksum(&section, parts->head, parts->head_size);
   struct iovec all[] = {
      {&section, sizeof(section)}, {(void *)parts->head, parts->head_size}, {(void *)parts->rest, parts->rest_size}};
   int error = write_all(output->fd, all, 3);
   if (!error)
      output->written += sizeof(section) + section.length;
   return error;
}

/* What was written of the section goes again: that leaves room for a line that says why the file ends there. */
static void
give_up(struct capture_output *output, int error)
{
   char text[128];
   snprintf(text, sizeof(text), "writing failed: %s", strerror(-error));
   const char *said = text;
   struct codec codec = {.writes = true};
   codec_string(&codec, &said);
   if (!codec.error && ftruncate(output->fd, (off_t)output->written) == 0 &&
       lseek(output->fd, (off_t)output->written, SEEK_SET) >= 0)
      write_section(output, CAPTURE_SAID, &(struct section_parts){.head = codec.data, .head_size = codec.size});
   free(codec.data);
}

/* ---- compression ---- */

struct compressor {
   ZSTD_CCtx *context;
   uint8_t *compressed;
   struct {
      uint32_t count;
      struct capture_stored_page page[CAPTURE_BATCH];
   } head;
};

static bool
compressor_init(struct compressor *compressor)
{
   compressor->context = ZSTD_createCCtx();
   compressor->compressed = malloc((size_t)CAPTURE_BATCH * HDB_CAPTURE_PAGE);
   return compressor->context && compressor->compressed;
}

static void
compressor_finish(struct compressor *compressor)
{
   ZSTD_freeCCtx(compressor->context);
   free(compressor->compressed);
}

/* A page that does not get smaller stays as it is. */
static struct section_parts
compress(struct compressor *compressor, const struct piece *piece)
{
   uint8_t *end = compressor->compressed;
   for (uint32_t i = 0; i < piece->pages; i++) {
      const uint8_t *page = (const uint8_t *)piece->data + (size_t)i * HDB_CAPTURE_PAGE;
      size_t size = ZSTD_compressCCtx(compressor->context, end, HDB_CAPTURE_PAGE - 1, page, HDB_CAPTURE_PAGE, LEVEL);
      if (ZSTD_isError(size)) {
         memcpy(end, page, HDB_CAPTURE_PAGE);
         size = HDB_CAPTURE_PAGE;
      }
      compressor->head.page[i] = (struct capture_stored_page){size, capture_page_checksum(end, size)};
      end += size;
   }
   compressor->head.count = piece->pages;
   return (struct section_parts){
      .head = &compressor->head,
      .head_size = sizeof(uint32_t) + piece->pages * sizeof(compressor->head.page[0]),
      .rest = compressor->compressed,
      .rest_size = end - compressor->compressed,
   };
}

/* ---- the threads ---- */

static struct piece *
take_piece(struct capture_output *output)
{
   pthread_mutex_lock(&output->lock);
   while (!output->first && !output->ended)
      pthread_cond_wait(&output->changed, &output->lock);
   struct piece *piece = output->first;
   if (piece) {
      output->taken++;
      output->first = piece->next;
      if (!output->first)
         output->last = &output->first;
   }
   pthread_mutex_unlock(&output->lock);
   return piece;
}

/* Until those before it are written; false: something has failed. */
static bool
await_turn(struct capture_output *output, uint64_t number)
{
   pthread_mutex_lock(&output->lock);
   while (output->done != number)
      pthread_cond_wait(&output->changed, &output->lock);
   bool right = !output->error;
   pthread_mutex_unlock(&output->lock);
   return right;
}

static void
end_turn(struct capture_output *output, int error)
{
   pthread_mutex_lock(&output->lock);
   output->done++;
   if (!output->error)
      output->error = error;
   pthread_cond_broadcast(&output->changed);
   pthread_mutex_unlock(&output->lock);
}

static void *
run(void *argument)
{
   struct capture_output *output = argument;
   struct compressor compressor = {0};
   struct piece *piece;
   bool ready = compressor_init(&compressor);
   while ((piece = take_piece(output))) {
      struct section_parts parts = {.head = piece->data, .head_size = piece->size};
      if (piece->pages && ready)
         parts = compress(&compressor, piece);
      int error = 0;
      if (await_turn(output, piece->number)) {
         error = piece->pages && !ready ? -ENOMEM : write_section(output, piece->tag, &parts);
         if (error)
            give_up(output, error);
      }
      end_turn(output, error);
      free(piece->data);
      free(piece);
   }
   compressor_finish(&compressor);
   return NULL;
}

/* ---- from the writer ---- */

static void
queue_piece(struct capture_output *output, int error, const struct piece *what)
{
   struct piece *piece = malloc(sizeof(*piece));
   pthread_mutex_lock(&output->lock);
   while (output->given - output->taken >= MAX_QUEUED && !output->error)
      pthread_cond_wait(&output->changed, &output->lock);
   if (!output->error)
      output->error = error ? error : piece ? 0 : -ENOMEM;
   bool wanted = !output->error;
   if (wanted) {
      *piece = *what;
      piece->number = output->given++;
      *output->last = piece;
      output->last = &piece->next;
      pthread_cond_broadcast(&output->changed);
   }
   pthread_mutex_unlock(&output->lock);
   if (!wanted) {
      free(what->data);
      free(piece);
   }
}

void
capture_output_section(struct capture_output *output, uint32_t tag, struct codec *contents)
{
   int error = contents->error ? contents->error : contents->size > CAPTURE_MAX_SECTION ? -EFBIG : 0;
   queue_piece(output, error, &(struct piece){.tag = tag, .data = contents->data, .size = contents->size});
}

void
capture_output_pages(struct capture_output *output, void *pages, uint32_t count)
{
   queue_piece(output, 0, &(struct piece){.tag = CAPTURE_PAGES, .data = pages, .pages = count});
}

void
capture_output_sync(struct capture_output *output)
{
   pthread_mutex_lock(&output->lock);
   while (output->done != output->given)
      pthread_cond_wait(&output->changed, &output->lock);
   pthread_mutex_unlock(&output->lock);
}

int
capture_output_error(struct capture_output *output)
{
   pthread_mutex_lock(&output->lock);
   int error = output->error;
   pthread_mutex_unlock(&output->lock);
   return error;
}

/* ---- its life ---- */

static int
start_threads(struct capture_output *output)
{
   long cpus = sysconf(_SC_NPROCESSORS_ONLN);
   uint32_t wanted = cpus < 1 ? 1 : cpus > MAX_THREADS ? MAX_THREADS : (uint32_t)cpus;
   int result = 0;
   while (!result && output->thread_count < wanted) {
      result = hdb_thread_start(&output->threads[output->thread_count], "hdb-capture", STACK_SIZE, run, output);
      output->thread_count += !result;
   }
   return output->thread_count ? 0 : result;
}

static int
write_header(struct capture_output *output)
{
   struct capture_header header = {.version = CAPTURE_VERSION, .page_size = HDB_CAPTURE_PAGE};
   memcpy(header.magic, CAPTURE_MAGIC, sizeof(header.magic));
   output->written = sizeof(header);
   return write_all(output->fd, &(struct iovec){&header, sizeof(header)}, 1);
}

static void
free_output(struct capture_output *output)
{
   if (output->fd >= 0)
      close(output->fd);
   pthread_mutex_destroy(&output->lock);
   pthread_cond_destroy(&output->changed);
   free(output);
}

int
capture_output_create(const char *path, struct capture_output **out)
{
   struct capture_output *output = calloc(1, sizeof(*output));
   if (!output)
      return -ENOMEM;
   output->last = &output->first;
   pthread_mutex_init(&output->lock, NULL);
   pthread_cond_init(&output->changed, NULL);
   /* For nobody else's eyes, as a core dump: it has the memory of the program. */
   output->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
   int error = output->fd < 0 ? -errno : write_header(output);
   error = error ? error : start_threads(output);
   if (error) {
      free_output(output);
      return error;
   }
   *out = output;
   return 0;
}

int
capture_output_destroy(struct capture_output *output)
{
   pthread_mutex_lock(&output->lock);
   output->ended = true;
   pthread_cond_broadcast(&output->changed);
   pthread_mutex_unlock(&output->lock);
   for (uint32_t i = 0; i < output->thread_count; i++)
      pthread_join(output->threads[i], NULL);
   int error = output->error;
   free_output(output);
   return error;
}
