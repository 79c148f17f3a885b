/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

int
setup(void **state)
{
   static struct fixture fixture;
   fixture.context = fake_context();
   fixture.store = hdb_expr_store_create();
   *state = &fixture;
   return 0;
}

int
teardown(void **state)
{
   struct fixture *fixture = *state;
   hdb_expr_store_destroy(fixture->store);
   return 0;
}

struct hdb_expr_request
request_of(struct fixture *fixture, const char *text)
{
   return (struct hdb_expr_request){.context = &fixture->context, .store = fixture->store, .text = text};
}

void
expect(struct fixture *fixture, const struct expectation *list)
{
   unsigned wrong = 0;
   for (; list->text; list++) {
      struct hdb_expr_request request = request_of(fixture, list->text);
      struct hdb_expr_result result;
      char *error;
      int code = hdb_expr_evaluate(&request, &result, &error);
      const char *value = code ? error : result.value;
      if (code || strcmp(value, list->expected) != 0 || (list->type && strcmp(result.type, list->type) != 0)) {
         print_error("%s: %s%s, a %s; %s, a %s expected\n", list->text, code ? "error: " : "", value,
                     code ? "" : result.type, list->expected, list->type ? list->type : "?");
         wrong++;
      }
      free(error);
      hdb_expr_result_finish(&result);
   }
   assert_int_equal(wrong, 0);
}

void
expect_errors(struct fixture *fixture, const struct expectation *list, uint32_t flags)
{
   unsigned wrong = 0;
   for (; list->text; list++) {
      struct hdb_expr_request request = request_of(fixture, list->text);
      struct hdb_expr_result result;
      char *error;
      request.flags = flags;
      int code = hdb_expr_evaluate(&request, &result, &error);
      if (!code || !strstr(error, list->expected) || strchr(error, '\n')) {
         print_error("%s: %s%s; an error with \"%s\" expected\n", list->text, code ? "error: " : "",
                     code ? error : result.value, list->expected);
         wrong++;
      }
      free(error);
      hdb_expr_result_finish(&result);
   }
   assert_int_equal(wrong, 0);
}
