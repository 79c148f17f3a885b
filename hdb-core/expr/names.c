/* SPDX-License-Identifier: MIT */
/* What the names of an expression stand for in the scope that it is evaluated in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"
#include "symbols/builtins.h"

/* `%17` is an id in the module, whatever names there are. */
static bool
is_called(const struct hdb_symbol *symbol, const char *name)
{
   return name[0] == '%' ? symbol->id == strtoul(name + 1, NULL, 10) : strcmp(symbol->name, name) == 0;
}

/* A block without a name of its own goes by the block's. */
static bool
is_root(const struct hdb_symbol *root, const char *name)
{
   return root && (is_called(root, name) || (root->anonymous && root->block && strcmp(root->block, name) == 0));
}

static const struct hdb_symbol *
find_symbol(const struct expr *expr, const char *name)
{
   if (is_root(expr->root, name))
      return expr->root;
   for (size_t i = 0; i < expr->symbol_count; i++) {
      if (is_called(expr->symbols[i], name))
         return expr->symbols[i];
   }
   return NULL;
}

/* Another variable that the name may as well mean. */
static const struct hdb_symbol *
find_rival(const struct expr *expr, const char *name, const struct hdb_symbol *symbol)
{
   const struct hdb_context *context = &expr->context;
   if (!symbol || symbol == expr->root || name[0] == '%')
      return NULL;
   return hdb_symbols_rival(context->symbols, context->wave->pc - context->wave->shader->va, context->frame, symbol);
}

static bool
find_anonymous_member(const struct expr *expr, const char *name, struct expr_name *out)
{
   for (size_t i = 0; i < expr->symbol_count; i++) {
      const struct hdb_symbol *symbol = expr->symbols[i];
      if (!symbol->anonymous || symbol->type->kind != HDB_TYPE_STRUCT)
         continue;
      for (uint32_t m = 0; m < symbol->type->member_count; m++) {
         if (strcmp(symbol->type->members[m].name, name) != 0)
            continue;
         *out = (struct expr_name){.kind = NAME_MEMBER, .symbol = symbol, .member = m};
         return true;
      }
   }
   return false;
}

static bool
find_constant(const char *name, struct expr_name *out)
{
   *out = (struct expr_name){.kind = NAME_CONSTANT, .constant = numeric_scalar(HDB_TYPE_BOOL, 32)};
   if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
      out->constant.at[0].u = name[0] == 't';
      return true;
   }
   out->constant = numeric_scalar(HDB_TYPE_FLOAT, 32);
   out->constant.at[0].f = name[0] == 'n' ? NAN : INFINITY;
   return strcmp(name, "nan") == 0 || strcmp(name, "inf") == 0;
}

static const struct hdb_symbol *
find_block(const struct expr *expr, const char *name)
{
   for (size_t i = 0; i < expr->symbol_count; i++) {
      const char *block = expr->symbols[i]->block;
      if (block && strcmp(block, name) == 0)
         return expr->symbols[i];
   }
   return NULL;
}

/* Builtins that the shader itself does not use follow from the wave all the same. */
static const struct hdb_symbol *
make_builtin(struct expr *expr, const char *name)
{
   const struct builtin *builtin = builtin_by_name(name);
   const struct hdb_type *scalar = expr_scalar_type(HDB_TYPE_UINT, 32);
   if (!builtin)
      return NULL;
   const struct hdb_type *type = builtin->count == 1 ? scalar : expr_vector_type(expr, scalar, builtin->count);
   struct hdb_symbol *symbol = type ? expr_allocate(expr, sizeof(*symbol)) : NULL;
   if (symbol)
      *symbol = (struct hdb_symbol){.name = builtin->name,
                                    .type = type,
                                    .storage = HDB_STORAGE_BUILTIN,
                                    .builtin = builtin->number,
                                    .workgroup_offset = HDB_NO_OFFSET,
                                    .constant_id = UINT32_MAX};
   return symbol;
}

void
expr_look_up(struct expr *expr, const char *name, struct expr_name *out)
{
   expr_find_symbols(expr);
   *out = (struct expr_name){.kind = NAME_SYMBOL, .symbol = find_symbol(expr, name)};
   out->rival = find_rival(expr, name, out->symbol);
   if (out->rival)
      out->kind = NAME_UNKNOWN;
   if (out->symbol || find_anonymous_member(expr, name, out) || find_constant(name, out))
      return;
   *out = (struct expr_name){.kind = NAME_BLOCK, .symbol = find_block(expr, name)};
   if (!out->symbol)
      *out = (struct expr_name){.kind = NAME_BUILTIN, .symbol = make_builtin(expr, name)};
   if (!out->symbol)
      out->kind = NAME_UNKNOWN;
}

bool
expr_names_variable(struct expr *expr, const char *name)
{
   expr_find_symbols(expr);
   return find_symbol(expr, name) != NULL;
}

int
expr_fail_unknown(struct expr *expr, const struct node *name)
{
   const struct expr_name *meaning = name->meaning;
   if (meaning->rival)
      return expr_fail(expr, name->column, "\"%s\" may be either of two variables here: %%%u or %%%u", name->name,
                       meaning->symbol->id, meaning->rival->id);
   if (!expr->symbol_count)
      return expr_fail(expr, name->column, "no \"%s\": the module says nothing of names here; there are registers",
                       name->name);
   return expr_fail(expr, name->column, "no \"%s\" in this scope", name->name);
}
