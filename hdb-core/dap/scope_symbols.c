/* SPDX-License-Identifier: MIT */
/* The symbols of a frame's scopes, and what they go by. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"

static bool
is_shadowed(const struct hdb_symbol *const *symbols, size_t index)
{
   for (size_t i = 0; i < index; i++) {
      if (!symbols[i]->anonymous && strcmp(symbols[i]->name, symbols[index]->name) == 0)
         return true;
   }
   return false;
}

const struct hdb_symbol **
list_symbols(const struct hdb_context *context, size_t *count)
{
   *count = 0;
   if (!context->symbols || !context->wave->shader)
      return NULL;
   uint32_t pc = context->wave->pc - context->wave->shader->va;
   size_t capacity = hdb_symbols_variables(context->symbols, pc, context->frame, NULL, 0);
   const struct hdb_symbol **list = calloc(capacity + 1, sizeof(*list));
   if (!list)
      return NULL;
   *count = hdb_symbols_variables(context->symbols, pc, context->frame, list, capacity);
   size_t found = *count < capacity ? *count : capacity;
   *count = 0;
   for (size_t i = 0; i < found; i++) {
      /* HLSL's entry points get builtins as parameters; the compiler's variable behind such a one has its name. */
      if (list[i]->storage == HDB_STORAGE_BUILTIN && is_shadowed(list, i))
         continue;
      list[(*count)++] = list[i];
   }
   return list;
}

bool
scope_has(enum scope_kind kind, const struct hdb_symbol *symbol)
{
   switch (symbol->storage) {
   case HDB_STORAGE_LOCAL:
      return kind == SCOPE_LOCALS;
   case HDB_STORAGE_PARAMETER:
      return kind == SCOPE_ARGUMENTS;
   case HDB_STORAGE_PRIVATE:
   case HDB_STORAGE_BUILTIN:
      return kind == SCOPE_GLOBALS;
   case HDB_STORAGE_WORKGROUP:
      return kind == SCOPE_WORKGROUP;
   case HDB_STORAGE_BUFFER:
   case HDB_STORAGE_UNIFORM:
   case HDB_STORAGE_HANDLE:
      return kind == SCOPE_RESOURCES;
   case HDB_STORAGE_PUSH_CONSTANT:
      return kind == SCOPE_PUSH_CONSTANTS;
   case HDB_STORAGE_CONSTANT:
      return kind == SCOPE_CONSTANTS;
   }
   return false;
}

/* ---- what they go by ---- */

/* A block without a name of its own is shown by the block's. */
static const char *
shown_name(const struct hdb_symbol *symbol)
{
   return symbol->anonymous && symbol->block ? symbol->block : symbol->name;
}

/* Whether the name can be written and means this symbol. */
static bool
is_known_by_name(const struct hdb_context *context, const struct hdb_symbol *const *symbols, size_t count,
                 const struct hdb_symbol *symbol)
{
   const struct hdb_wave *wave = context->wave;
   size_t i = 0;
   while (i < count && strcmp(symbols[i]->name, symbol->name) != 0)
      i++;
   return i < count && symbols[i] == symbol && hdb_expr_is_name(symbol->name) &&
          !hdb_symbols_rival(context->symbols, wave->pc - wave->shader->va, context->frame, symbol);
}

char *
symbol_spelling(const struct hdb_context *context, const struct hdb_symbol *const *symbols, size_t count,
                const struct hdb_symbol *symbol)
{
   char *text;
   if (is_known_by_name(context, symbols, count, symbol))
      return strdup(symbol->name);
   return asprintf(&text, "%%%u", symbol->id) < 0 ? NULL : text;
}

char *
symbol_label(const struct hdb_context *context, const struct hdb_symbol *const *symbols, size_t count,
             const struct hdb_symbol *symbol)
{
   char *text;
   if (is_known_by_name(context, symbols, count, symbol))
      return strdup(shown_name(symbol));
   return asprintf(&text, "%s (%%%u)", shown_name(symbol), symbol->id) < 0 ? NULL : text;
}
