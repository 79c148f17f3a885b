/* SPDX-License-Identifier: MIT */
/*
 * Log lines: text with expressions in it, written for each lane of a wave that comes by. A wave waits until what it has
 * to say is on its way, so that lines stand in the order in which waves came there.
 */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "dap/inspection.h"
#include "dap/session.h"
#include "engine/format.h"

/* Text, then the value of an expression, unless there is none. */
struct piece {
   char *text, *expression;
   bool converted;
   struct hdb_expr_conversion conversion;
};

struct log {
   struct piece *pieces;
   size_t count;
   bool lines; /* each is a line, also without a line feed at its end */
};

/* ---- making ---- */

static struct piece *
add_piece(struct log *log, const char *text, size_t length)
{
   struct piece *piece = array_append(log->pieces, log->count);
   if (piece)
      *piece = (struct piece){.text = strndup(text, length)};
   return piece;
}

void
log_destroy(struct log *log)
{
   if (!log)
      return;
   for (size_t i = 0; i < log->count; i++) {
      free(log->pieces[i].text);
      free(log->pieces[i].expression);
   }
   free(log->pieces);
   free(log);
}

static struct log *
refuse(struct log *log, char **error, const char *why)
{
   log_destroy(log);
   *error = strdup(why);
   return NULL;
}

/* The brace that closes the one in front of `text`, or NULL. */
static const char *
find_end(const char *text)
{
   for (size_t depth = 1; *text; text++) {
      depth += *text == '{';
      depth -= *text == '}';
      if (!depth)
         return text;
   }
   return NULL;
}

struct log *
log_create(const char *message, char **error)
{
   struct log *log = calloc(1, sizeof(*log));
   if (log)
      log->lines = true;
   while (log && *message) {
      size_t length = strcspn(message, "{");
      struct piece *piece = add_piece(log, message, length);
      message += length;
      if (!piece || !*message)
         continue;
      const char *end = find_end(message + 1);
      if (!end || end == message + 1)
         return refuse(log, error, end ? "{} without an expression in it" : "a { that is not closed");
      piece->expression = strndup(message + 1, end - message - 1);
      message = end + 1;
   }
   return log;
}

struct log *
log_create_format(const char *format, const char *const *expressions, size_t count, char **error)
{
   if (format_check(format, count, error))
      return NULL;
   struct log *log = calloc(1, sizeof(*log));
   size_t taken = 0;
   while (log && *format) {
      size_t length = strcspn(format, "%");
      bool percent = format[length] == '%' && format[length + 1] == '%';
      struct piece *piece = add_piece(log, format, length + percent);
      format += length;
      if (percent)
         format += 2;
      if (!piece || percent || !*format)
         continue;
      format++;
      piece->converted = true;
      format_take_conversion(&format, &piece->conversion);
      piece->expression = strdup(expressions[taken++]);
   }
   return log;
}

/* ---- writing ---- */

/* By lane, to be freed; NULL: there is no memory for it. */
static void
make_lines(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, uint64_t lanes, const struct log *log,
           char *lines[64])
{
   struct hdb_context context = engine_context(engine, card, wave, 0, __builtin_ctzll(lanes));
   FILE *out[64] = {NULL};
   size_t sizes[64];
   for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      uint32_t lane = __builtin_ctzll(rest);
      out[lane] = open_memstream(&lines[lane], &sizes[lane]);
      if (!out[lane])
         lanes &= ~(1ull << lane);
   }
   for (size_t i = 0; i < log->count; i++) {
      const struct piece *piece = &log->pieces[i];
      struct hdb_expr_request request = {
         .context = &context,
         .store = inspection_store(engine->inspection),
         .text = piece->expression,
         .flags = HDB_EXPR_PURE,
      };
      for (uint64_t rest = lanes; rest; rest &= rest - 1)
         fputs(piece->text ? piece->text : "", out[__builtin_ctzll(rest)]);
      if (piece->expression)
         hdb_expr_print(&request, piece->converted ? &piece->conversion : NULL, lanes, out);
   }
   for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      uint32_t lane = __builtin_ctzll(rest);
      fputs(log->lines ? "\n" : "", out[lane]);
      if (!fclose(out[lane]))
         continue;
      free(lines[lane]);
      lines[lane] = NULL;
   }
}

/* What may wait for a client that does not read: a shader must not fill the application's memory. */
#define MAX_UNSENT (1 << 20)

void
log_tell_dropped(struct hdb_engine *engine)
{
   uint64_t dropped = engine->dropped_lines;
   engine->dropped_lines = 0;
   if (dropped)
      engine_say(engine, "%" PRIu64 " log lines were dropped: they came faster than they were read", dropped);
}

/* `lines`: how many it stands for. */
static void
send(struct hdb_engine *engine, const struct hdb_device *device, const char *line, const char *end, uint64_t lines)
{
   engine_tell_message(engine, device, HDB_SEVERITY_INFO, line);
   if (!engine->session)
      return;
   if (session_unsent(engine->session) > MAX_UNSENT) {
      engine->dropped_lines += lines;
      return;
   }
   log_tell_dropped(engine);
   session_send_event(engine->session, "output", json_pack("{s:s, s:s+}", "category", "stdout", "output", line, end));
}

void
log_send(const struct hdb_device *device, const char *line, uint64_t lines)
{
   send(device->engine, device, line, "\n", lines);
}

/* Where all lanes say the same, it is said once. */
void
log_write(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, uint64_t lanes, const struct log *log)
{
   const struct dispatch *dispatch = engine_dispatch_of(engine, wave);
   const struct hdb_device *device = dispatch ? dispatch->device : NULL;
   char *lines[64] = {NULL};
   const char *first = NULL;
   bool same = true;
   engine_read_prints(engine, true); /* what waves have printed before */
   hdb_wave_hold_memory(card->machine, wave);
   make_lines(engine, card, wave, lanes, log, lines);
   hdb_wave_release_memory(card->machine);
   for (uint32_t lane = 0; lane < 64; lane++) {
      if (!lines[lane])
         continue;
      same &= !first || strcmp(first, lines[lane]) == 0;
      first = first ? first : lines[lane];
   }
   for (uint32_t lane = 0; lane < 64 && !same; lane++) {
      if (lines[lane])
         send(engine, device, lines[lane], "", 1);
   }
   if (same && first)
      send(engine, device, first, "", 1);
   for (uint32_t lane = 0; lane < 64; lane++)
      free(lines[lane]);
}
