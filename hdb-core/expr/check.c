/* SPDX-License-Identifier: MIT */
/* An expression before there is a wave to evaluate it in: its form, and whether what it names is there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

static const struct hdb_type *check(struct expr *expr, const struct node *node);

/* HLSL's structured buffers are blocks of one array without a length, and go by its name: see value.c. */
static const struct hdb_type *
enter_buffer(const struct hdb_type *type)
{
   bool array = type->kind == HDB_TYPE_STRUCT && type->member_count == 1 &&
                type->members[0].type->kind == HDB_TYPE_ARRAY && !type->members[0].type->count;
   return array ? type->members[0].type : type;
}

static const struct hdb_type *
check_name(struct expr *expr, const struct node *node)
{
   const struct expr_name *meaning = node->meaning;
   switch (meaning->kind) {
   case NAME_MEMBER:
      return meaning->symbol->type->members[meaning->member].type;
   case NAME_CONSTANT:
      return NULL;
   case NAME_UNKNOWN:
      expr_fail_unknown(expr, node);
      return NULL;
   default:
      return meaning->symbol->type;
   }
}

static const struct hdb_type *
check_member(struct expr *expr, const struct node *node)
{
   const struct hdb_type *type = check(expr, node->a);
   while (type && type->kind == HDB_TYPE_POINTER)
      type = type->element;
   if (type && enter_buffer(type) != type && strcmp(type->members[0].name, "@data") == 0)
      return NULL;
   if (!type || type->kind != HDB_TYPE_STRUCT)
      return NULL;
   for (uint32_t i = 0; i < type->member_count; i++) {
      if (strcmp(type->members[i].name, node->name) == 0)
         return type->members[i].type;
   }
   expr_fail(expr, node->column, "%s has no member \"%s\"", type->name, node->name);
   return NULL;
}

static const struct hdb_type *
check_element(struct expr *expr, const struct node *node)
{
   const struct hdb_type *type = check(expr, node->a);
   check(expr, node->b);
   type = type ? enter_buffer(type) : NULL;
   return type && (type->kind == HDB_TYPE_ARRAY || type->kind == HDB_TYPE_POINTER) ? type->element : NULL;
}

static const struct hdb_type *
check_call(struct expr *expr, const struct node *node)
{
   bool size = strcmp(node->name, "sizeof") == 0, query = size || strcmp(node->name, "length") == 0;
   if (!node->type && !query && !expr_is_image_function(node->name) && !function_find(node->name))
      expr_fail(expr, node->column, "no builtin function %s(); the shader's own can't be called", node->name);
   for (uint32_t i = 0; i < node->argument_count; i++) {
      const struct node *argument = node->arguments[i];
      if (!size || argument->kind != NODE_NAME || !expr_find_type(expr, argument->name)) /* sizeof(type) */
         check(expr, argument);
   }
   return node->type;
}

/* The type, as far as members are asked for; NULL: it is not known. What is wrong is the evaluation's error. */
static const struct hdb_type *
check(struct expr *expr, const struct node *node)
{
   switch (node->kind) {
   case NODE_NAME:
      return check_name(expr, node);
   case NODE_MEMBER:
      return check_member(expr, node);
   case NODE_INDEX:
      return check_element(expr, node);
   case NODE_CALL:
      return check_call(expr, node);
   case NODE_ASSIGN:
      expr_fail(expr, node->column, "an assignment; nothing is changed by looking");
      return NULL;
   default:
      break;
   }
   const struct node *const parts[] = {node->a, node->b, node->c};
   for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
      if (parts[i])
         check(expr, parts[i]);
   }
   return NULL;
}

int
hdb_expr_check(struct hdb_symbols *symbols, const struct hdb_shader *shader, uint32_t pc, const char *text,
               char **error)
{
   struct hdb_wave wave = {.run = HDB_WAVE_STOPPED, .shader = shader, .pc = shader ? shader->va + pc : 0};
   struct hdb_context context = {.wave = &wave, .symbols = symbols};
   struct hdb_expr_request request = {.context = &context, .flags = HDB_EXPR_PURE};
   struct expr expr;
   struct node *tree;
   char format;
   bool lanes;
   int result = expr_begin(&expr, &request, error);
   result = result ?: take_format(&expr, &text, &format, &lanes);
   result = result ?: expr_parse(&expr, text, 1, &tree);
   if (!result && symbols)
      check(&expr, tree);
   expr_end(&expr);
   return *error ? -EINVAL : result;
}
