/* SPDX-License-Identifier: MIT */
/* One evaluation: what it allocates, finds and says. */
#include <errno.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

#define BLOCK_SIZE 4096

struct expr_block {
   struct expr_block *next;
   size_t size, used;
   max_align_t data[];
};

struct expr_place {
   struct hdb_place place;
   struct expr_place *next;
};

/* What is quoted of the expression can hold anything; an answer is one line of plain text. */
static void
make_plain(char *text)
{
   for (; *text; text++) {
      if (*text < ' ' || *text > '~')
         *text = '?';
   }
}

int
expr_fail(struct expr *expr, uint32_t column, const char *format, ...)
{
   char *text;
   va_list arguments;
   if (*expr->error)
      return -EINVAL;
   va_start(arguments, format);
   if (vasprintf(&text, format, arguments) < 0)
      text = NULL;
   va_end(arguments);
   if (text)
      make_plain(text);
   if (text && column && asprintf(expr->error, "%s (column %u)", text, column) < 0)
      *expr->error = NULL;
   else if (text && !column)
      *expr->error = strdup(text);
   free(text);
   return -EINVAL;
}

static struct expr_block *
add_block(struct expr *expr, size_t size)
{
   struct expr_block *block;
   size = size < BLOCK_SIZE ? BLOCK_SIZE : size;
   block = malloc(sizeof(*block) + size);
   if (!block)
      return NULL;
   *block = (struct expr_block){.next = expr->blocks, .size = size};
   expr->blocks = block;
   return block;
}

static bool
has_room(const struct expr_block *block, size_t size)
{
   return block && size <= block->size - block->used;
}

void *
expr_allocate(struct expr *expr, size_t size)
{
   struct expr_block *block = NULL;
   if (size <= EXPR_MAX_MEMORY - expr->memory) {
      size = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
      block = has_room(expr->blocks, size) ? expr->blocks : add_block(expr, size);
   }
   if (!block) {
      expr_fail(expr, 0, "the expression needs too much memory");
      return NULL;
   }
   void *data = (uint8_t *)block->data + block->used;
   block->used += size;
   expr->memory += size;
   return memset(data, 0, size);
}

char *
expr_copy_text(struct expr *expr, const char *text, size_t length)
{
   char *copy = expr_allocate(expr, length + 1);
   if (copy)
      memcpy(copy, text, length);
   return copy;
}

/* Looked for when a name is first met: registers need none. */
void
expr_find_symbols(struct expr *expr)
{
   const struct hdb_context *context = &expr->context;
   if (expr->symbols || !context->symbols || !context->wave->shader)
      return;
   uint32_t pc = context->wave->pc - context->wave->shader->va;
   size_t count = hdb_symbols_variables(context->symbols, pc, context->frame, NULL, 0);
   expr->symbols = calloc(count + 1, sizeof(*expr->symbols));
   if (!expr->symbols)
      return;
   expr->symbol_count = hdb_symbols_variables(context->symbols, pc, context->frame, expr->symbols, count);
   if (expr->symbol_count > count)
      expr->symbol_count = count;
}

int
expr_begin(struct expr *expr, const struct hdb_expr_request *request, char **error)
{
   *error = NULL;
   store_begin(request->store);
   *expr = (struct expr){
      .context = *request->context,
      .store = request->store,
      .root = request->root,
      .pure = request->flags & HDB_EXPR_PURE,
      .error = error,
   };
   if (expr->context.symbols)
      expr->language = hdb_symbols_language(expr->context.symbols);
   if (expr->context.machine)
      hdb_wave_hold_memory(expr->context.machine, expr->context.wave);
   if (expr->context.wave->run != HDB_WAVE_STOPPED)
      return expr_fail(expr, 0, "wave %u is running", expr->context.wave->id);
   return 0;
}

struct expr_mark
expr_mark(const struct expr *expr)
{
   return (struct expr_mark){expr->blocks, expr->blocks ? expr->blocks->used : 0, expr->memory, expr->places};
}

void
expr_return_to(struct expr *expr, const struct expr_mark *mark)
{
   for (; expr->places != mark->places; expr->places = expr->places->next)
      hdb_place_finish(&expr->places->place);
   while (expr->blocks != mark->block) {
      struct expr_block *block = expr->blocks;
      expr->blocks = block->next;
      free(block);
   }
   if (expr->blocks)
      expr->blocks->used = mark->used;
   expr->memory = mark->memory;
}

void
expr_end(struct expr *expr)
{
   expr_return_to(expr, &(struct expr_mark){0});
   expr_forget_objects(expr);
   free(expr->symbols);
   if (expr->context.machine)
      hdb_wave_release_memory(expr->context.machine);
}

struct hdb_place *
expr_add_place(struct expr *expr)
{
   struct expr_place *place = expr_allocate(expr, sizeof(*place));
   if (!place)
      return NULL;
   place->place.kind = HDB_PLACE_BYTES;
   place->next = expr->places;
   expr->places = place;
   return &place->place;
}
