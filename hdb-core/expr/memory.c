/* SPDX-License-Identifier: MIT */
/* One evaluation: what it allocates, finds and says. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

struct expr_block {
   struct expr_block *next;
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

void *
expr_allocate(struct expr *expr, size_t size)
{
   struct expr_block *block = NULL;
   if (size <= EXPR_MAX_MEMORY - expr->memory)
      block = calloc(1, sizeof(*block) + size);
   if (!block) {
      expr_fail(expr, 0, "the expression needs too much memory");
      return NULL;
   }
   expr->memory += size;
   block->next = expr->blocks;
   expr->blocks = block;
   return block->data;
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
   expr->symbols = expr_allocate(expr, (count + 1) * sizeof(*expr->symbols));
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
   if (expr->context.wave->run != HDB_WAVE_STOPPED)
      return expr_fail(expr, 0, "wave %u is running", expr->context.wave->id);
   return 0;
}

void
expr_end(struct expr *expr)
{
   while (expr->places) {
      struct expr_place *place = expr->places;
      expr->places = place->next;
      hdb_place_finish(&place->place);
      free(place);
   }
   while (expr->blocks) {
      struct expr_block *block = expr->blocks;
      expr->blocks = block->next;
      free(block);
   }
}

struct hdb_place *
expr_add_place(struct expr *expr)
{
   struct expr_place *place = expr->memory < EXPR_MAX_MEMORY ? calloc(1, sizeof(*place)) : NULL;
   if (!place) {
      expr_fail(expr, 0, "the expression needs too much memory");
      return NULL;
   }
   expr->memory += sizeof(*place);
   place->place.kind = HDB_PLACE_BYTES;
   place->next = expr->places;
   expr->places = place;
   return &place->place;
}
