/* SPDX-License-Identifier: MIT */
#include "dap/inspection.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define MAX_HANDLES 100000

struct inspection {
   struct hdb_expr_store *store;
   struct handle *handles;
   size_t count;
   json_int_t first; /* reference of the first handle: those of earlier stops are not used again */
};

static struct inspection *
inspection_create(void)
{
   struct inspection *inspection = calloc(1, sizeof(*inspection));
   if (!inspection)
      return NULL;
   inspection->first = 1;
   inspection->store = hdb_expr_store_create();
   if (!inspection->store) {
      free(inspection);
      return NULL;
   }
   return inspection;
}

void
inspection_destroy(struct inspection *inspection)
{
   if (!inspection)
      return;
   inspection_forget_handles(inspection);
   hdb_expr_store_destroy(inspection->store);
   free(inspection->handles);
   free(inspection);
}

void
inspection_forget_handles(struct inspection *inspection)
{
   if (!inspection)
      return;
   for (size_t i = 0; i < inspection->count; i++)
      free(inspection->handles[i].expression);
   inspection->first += (json_int_t)inspection->count;
   if (inspection->first > INT32_MAX - MAX_HANDLES) /* DAP: references have 31 bits */
      inspection->first = 1;
   free(inspection->handles);
   inspection->handles = NULL;
   inspection->count = 0;
}

struct hdb_expr_store *
inspection_store(struct inspection *inspection)
{
   return inspection ? inspection->store : NULL;
}

json_int_t
inspection_add(struct inspection *inspection, const struct handle *handle)
{
   char *expression = handle->expression ? strdup(handle->expression) : NULL;
   struct handle *added = NULL;
   if (inspection && inspection->count < MAX_HANDLES && (expression || !handle->expression))
      added = array_append(inspection->handles, inspection->count);
   if (!added) {
      free(expression);
      return 0;
   }
   *added = *handle;
   added->expression = expression;
   return inspection->first + (json_int_t)inspection->count - 1;
}

const struct handle *
inspection_find(const struct inspection *inspection, json_int_t reference)
{
   if (!inspection || reference < inspection->first || reference - inspection->first >= (json_int_t)inspection->count)
      return NULL;
   return &inspection->handles[reference - inspection->first];
}

struct inspection *
request_inspection(struct request *request)
{
   if (!request->engine->inspection)
      request->engine->inspection = inspection_create();
   return request->engine->inspection;
}
