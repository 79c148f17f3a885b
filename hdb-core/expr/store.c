/* SPDX-License-Identifier: MIT */
/* What stays from one expression to the next: convenience variables and the history. Shaders come and go meanwhile, so
 * types are copied with the values. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "expr/private.h"

#define MAX_VARIABLES 1000
#define MAX_HISTORY 1000
#define MAX_STORED (64u << 20) /* bytes of values */

struct stored {
   char *name;                  /* of a convenience variable */
   const struct hdb_type *type; /* NULL: none, why says why */
   struct type_clone clone;
   uint8_t *bytes;
   size_t size;
   char *why;
};

struct hdb_expr_store {
   struct stored *variables;
   size_t variable_count;
   struct stored *history;
   size_t history_count;
   uint32_t forgotten; /* values of the history that had to go */
   size_t size;
   struct stored *replaced; /* what the evaluation that replaced it may still look at */
   size_t replaced_count;
   uint32_t elements;
};

struct hdb_expr_store *
hdb_expr_store_create(void)
{
   struct hdb_expr_store *store = calloc(1, sizeof(*store));
   if (store)
      store->elements = HDB_EXPR_ELEMENTS;
   return store;
}

void
hdb_expr_store_set_elements(struct hdb_expr_store *store, uint32_t elements)
{
   store->elements = elements;
}

uint32_t
store_elements(const struct hdb_expr_store *store)
{
   return store ? store->elements : HDB_EXPR_ELEMENTS;
}

static void
free_value(struct hdb_expr_store *store, struct stored *stored)
{
   store->size -= stored->size;
   type_clone_finish(&stored->clone);
   free(stored->bytes);
   free(stored->why);
   free(stored->name);
   *stored = (struct stored){0};
}

void
store_begin(struct hdb_expr_store *store)
{
   for (size_t i = 0; store && i < store->replaced_count; i++)
      free_value(store, &store->replaced[i]);
   if (store)
      store->replaced_count = 0;
}

/* False: no memory, nothing has changed. */
static bool
replace_value(struct hdb_expr_store *store, struct stored *stored)
{
   struct stored *kept = array_append(store->replaced, store->replaced_count);
   if (kept)
      *kept = *stored;
   return kept != NULL;
}

void
hdb_expr_store_destroy(struct hdb_expr_store *store)
{
   if (!store)
      return;
   store_begin(store);
   free(store->replaced);
   for (size_t i = 0; i < store->variable_count; i++)
      free_value(store, &store->variables[i]);
   for (size_t i = 0; i < store->history_count; i++)
      free_value(store, &store->history[i]);
   free(store->variables);
   free(store->history);
   free(store);
}

/* ---- in ---- */

static int
keep_value(struct hdb_expr_store *store, const struct value *value, struct stored *stored)
{
   *stored = (struct stored){.size = value->kind == VALUE_BYTES ? value->size : 0};
   stored->type = type_clone_add(&stored->clone, value->type);
   if (!stored->type) /* too many, or no memory */
      goto error;
   if (value->kind == VALUE_UNAVAILABLE) {
      stored->why = strdup(value->why);
      if (!stored->why)
         goto error;
   } else {
      stored->bytes = store->size + stored->size <= MAX_STORED ? malloc(stored->size ? stored->size : 1) : NULL;
      if (!stored->bytes)
         goto error;
      memcpy(stored->bytes, value->bytes, stored->size);
   }
   store->size += stored->size;
   return 0;

error:
   type_clone_finish(&stored->clone);
   free(stored->why);
   *stored = (struct stored){0};
   return -ENOMEM;
}

static struct stored *
find_variable(struct hdb_expr_store *store, const char *name)
{
   for (size_t i = 0; i < store->variable_count; i++) {
      if (strcmp(store->variables[i].name, name) == 0)
         return &store->variables[i];
   }
   return NULL;
}

static bool
is_history(const char *name)
{
   return !name[0] || name[0] == '$' || isdigit((unsigned char)name[0]);
}

int
store_set(struct expr *expr, uint32_t column, const char *name, const struct value *value)
{
   struct hdb_expr_store *store = expr->store;
   struct value copy;
   struct stored kept;
   if (is_history(name))
      return expr_fail(expr, column, "the history can't be changed");
   if (!store)
      return expr_fail(expr, column, "there are no convenience variables here");
   int result = value_copy(expr, column, value, &copy);
   if (result)
      return result;
   struct stored *variable = find_variable(store, name);
   if (!variable && store->variable_count == MAX_VARIABLES)
      return expr_fail(expr, column, "there are %u convenience variables already", MAX_VARIABLES);
   char *own = strdup(name);
   if (!own || keep_value(store, &copy, &kept)) {
      free(own);
      return expr_fail(expr, column, "no memory to keep $%s", name);
   }
   kept.name = own;
   if (!variable)
      variable = array_append(store->variables, store->variable_count);
   else if (!replace_value(store, variable))
      variable = NULL;
   if (!variable) {
      free_value(store, &kept);
      return expr_fail(expr, column, "no memory to keep $%s", name);
   }
   *variable = kept;
   return 0;
}

/* What can't be kept keeps its place: the numbers are what one counts on. */
int
store_append(struct expr *expr, const struct value *value, uint32_t *number)
{
   struct hdb_expr_store *store = expr->store;
   struct value copy;
   struct stored kept;
   char *unused = NULL, **error = expr->error;
   if (!store)
      return 0;
   expr->error = &unused;
   if (value_copy(expr, 0, value, &copy)) {
      const char *why = unused ? expr_copy_text(expr, unused, strlen(unused)) : NULL;
      copy = value_unavailable(value->type, why ? why : "not kept");
   }
   expr->error = error;
   free(unused);
   if (keep_value(store, &copy, &kept))
      return 0;
   if (store->history_count == MAX_HISTORY) {
      if (!replace_value(store, &store->history[0])) {
         free_value(store, &kept);
         return 0;
      }
      array_remove(store->history, store->history_count, 0);
      store->forgotten++;
   }
   struct stored *entry = array_append(store->history, store->history_count);
   if (!entry) {
      free_value(store, &kept);
      return 0;
   }
   *entry = kept;
   *number = store->forgotten + (uint32_t)store->history_count;
   return 0;
}

/* ---- out ---- */

static void
give_stored(const struct stored *stored, struct value *out)
{
   *out = stored->why ? value_unavailable(stored->type, stored->why)
                      : value_from_bytes(stored->type, stored->bytes, stored->size);
}

/* $ is the last one, $$ the one before it, $$3 the third before it, $3 the third of all. */
static int
find_history(struct expr *expr, uint32_t column, const char *name, struct value *out)
{
   struct hdb_expr_store *store = expr->store;
   uint64_t count = store ? store->forgotten + store->history_count : 0, number = count;
   if (name[0] == '$')
      number = count - (name[1] ? strtoull(name + 1, NULL, 10) : 1);
   else if (name[0])
      number = strtoull(name, NULL, 10);
   if (strspn(name + (name[0] == '$'), "0123456789") != strlen(name + (name[0] == '$')))
      return expr_fail(expr, column, "no register or variable $%s", name);
   if (!number || number > count || number <= store->forgotten)
      return expr_fail(expr, column, "the history has no $%s", name);
   give_stored(&store->history[number - 1 - store->forgotten], out);
   return 0;
}

int
store_find(struct expr *expr, uint32_t column, const char *name, struct value *out)
{
   static const struct hdb_type nothing = {.kind = HDB_TYPE_VOID, .name = "void"};
   if (is_history(name))
      return find_history(expr, column, name, out);
   const struct stored *variable = expr->store ? find_variable(expr->store, name) : NULL;
   if (variable)
      give_stored(variable, out);
   else
      *out = value_unavailable(&nothing, "void");
   return 0;
}

void
hdb_expr_complete_dollar(const struct hdb_expr_store *store, const char *prefix,
                         void (*add)(void *user, const char *name), void *user)
{
   registers_complete(prefix, add, user);
   for (size_t i = 0; store && i < store->variable_count; i++) {
      if (strncmp(store->variables[i].name, prefix, strlen(prefix)) == 0)
         add(user, store->variables[i].name);
   }
}
