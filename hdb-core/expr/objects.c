/* SPDX-License-Identifier: MIT */
/*
 * Where the objects of symbols are. That is the same in all lanes, except for builtins, so it is found once for all of
 * them. An expression that may assign looks each time: an object may have moved.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

#define MAX_OBJECTS 64 /* that are remembered; others are found again */

struct expr_object {
   struct expr_object *next;
   const struct hdb_symbol *symbol;
   uint64_t element;
   struct hdb_place place;
   char *why; /* NULL: it is there */
};

static bool
is_bound(const struct hdb_symbol *symbol)
{
   return symbol->storage == HDB_STORAGE_BUFFER || symbol->storage == HDB_STORAGE_UNIFORM ||
          symbol->storage == HDB_STORAGE_HANDLE;
}

/* NULL: there it is; else why not, to be freed. */
static char *
find(struct expr *expr, const struct hdb_symbol *symbol, uint64_t element, struct hdb_place *place)
{
   char *message = NULL;
   int result = is_bound(symbol) ? hdb_place_find_element(&expr->context, symbol, element, place, &message)
                                 : hdb_place_find(&expr->context, symbol, place, &message);
   if (result)
      return message ? message : strdup("not known where it is");
   free(message);
   return NULL;
}

/* For this lane, or this time, alone. */
static int
find_anew(struct expr *expr, const struct hdb_symbol *symbol, uint64_t element, const struct hdb_place **place,
          const char **why)
{
   struct hdb_place *found = expr_add_place(expr);
   if (!found)
      return -ENOMEM;
   char *message = find(expr, symbol, element, found);
   *place = found;
   *why = message ? expr_copy_text(expr, message, strlen(message)) : NULL;
   int result = message && !*why ? -ENOMEM : 0;
   free(message);
   return result;
}

int
expr_find_object(struct expr *expr, const struct hdb_symbol *symbol, uint64_t element, const struct hdb_place **place,
                 const char **why)
{
   struct expr_object *object = expr->objects;
   size_t count = 0;
   for (; object && (object->symbol != symbol || object->element != element); object = object->next)
      count++;
   if (!object) {
      bool lasting = expr->pure && symbol->storage != HDB_STORAGE_BUILTIN && count < MAX_OBJECTS;
      object = lasting ? calloc(1, sizeof(*object)) : NULL;
      if (!object)
         return find_anew(expr, symbol, element, place, why);
      *object = (struct expr_object){.next = expr->objects, .symbol = symbol, .element = element};
      object->why = find(expr, symbol, element, &object->place);
      expr->objects = object;
   }
   *place = &object->place;
   *why = object->why;
   return 0;
}

void
expr_forget_objects(struct expr *expr)
{
   while (expr->objects) {
      struct expr_object *object = expr->objects;
      expr->objects = object->next;
      hdb_place_finish(&object->place);
      free(object->why);
      free(object);
   }
}
