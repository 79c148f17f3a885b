/* SPDX-License-Identifier: MIT */
/* Any text as an expression, on the hand-made wave of tests/expr. The first byte chooses what is asked for. */
#include <stdlib.h>
#include <string.h>

#include "../expr/fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
note_child(void *user, const char *name, const char *expression, const struct hdb_expr_result *result)
{
   /* What a part is called must mean that part. */
   struct hdb_expr_request request = *(const struct hdb_expr_request *)user;
   struct hdb_expr_result again;
   char *error;
   request.text = expression;
   request.flags = HDB_EXPR_PURE; /* a history that grows would be another one */
   if (!hdb_expr_evaluate(&request, &again, &error) && strlen(again.value) < 1000 && strlen(result->value) < 1000 &&
       strcmp(again.type, result->type) != 0)
      abort();
   free(error);
   hdb_expr_result_finish(&again);
}

static void
evaluate(const struct hdb_expr_request *request)
{
   struct hdb_expr_result result;
   char *error;
   int code = hdb_expr_evaluate(request, &result, &error);
   if (!code != !error || (code && strchr(error, '\n')))
      abort();
   free(error);
   hdb_expr_result_finish(&result);
}

static void
ask_all_lanes(const struct hdb_expr_request *request)
{
   struct hdb_expr_statistics statistics;
   char *values[64], *error;
   uint64_t lanes;
   if (!hdb_expr_lanes(request, values, &error)) {
      for (uint32_t lane = 0; lane < 64; lane++)
         free(values[lane]);
   }
   free(error);
   hdb_expr_where(request, &lanes, &error);
   free(error);
   hdb_expr_statistics(request, &statistics, &error);
   free(error);
   const struct hdb_context *context = request->context;
   if (!hdb_expr_check(context->symbols, context->wave->shader, 8, request->text, &error) != !error)
      abort();
   free(error);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   static struct hdb_expr_store *store;
   static unsigned count;
   if (size < 2)
      return 0;
   if (count++ % 1000 == 0) { /* what is kept meets later expressions, for a while */
      hdb_expr_store_destroy(store);
      store = hdb_expr_store_create();
   }
   struct hdb_context context = fake_context();
   fake_set_language(data[0] & 1 ? HDB_LANGUAGE_HLSL : HDB_LANGUAGE_GLSL);
   char *text = strndup((const char *)data + 1, size - 1), *error, *definition, *name;
   struct hdb_expr_request request = {.context = &context, .store = store, .text = text, .flags = data[0] >> 1 & 7};
   enum hdb_place_kind kind;
   uint64_t address;
   hdb_expr_store_set_elements(store, data[0] >> 6 ? HDB_EXPR_ELEMENTS : UINT32_MAX);
   switch (data[0] >> 4 & 3) {
   case 0:
      evaluate(&request);
      break;
   case 1:
      request.flags |= HDB_EXPR_PURE;
      hdb_expr_children(&request, data[0] >> 6, 20, note_child, &request, &error);
      free(error);
      break;
   case 2:
      ask_all_lanes(&request);
      break;
   case 3:
      hdb_expr_locate(&request, &kind, &address, &error);
      free(error);
      if (!hdb_expr_type(&request, &definition, &name, &error)) {
         free(definition);
         free(name);
      }
      free(error);
      break;
   }
   free(text);
   return 0;
}
