/* SPDX-License-Identifier: MIT */
/* The terms of a breakpoint: its condition, which of its hits count, and what it logs. */
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expression.h"

static char *
copy(const char *text)
{
   return text && *text ? strdup(text) : NULL;
}

/* "3", "== 3", ">= 3", "> 3", "<= 3", "< 3", "% 3". */
static bool
parse_rule(const char *text, struct breakpoint_terms *terms)
{
   static const struct {
      const char *sign;
      enum hit_rule rule;
      int change;
   } rules[] = {
      {"==", HITS_EQUAL, 0},   {">=", HITS_AT_LEAST, 0}, {"<=", HITS_AT_MOST, 0}, {"=", HITS_EQUAL, 0},
      {">", HITS_AT_LEAST, 1}, {"<", HITS_AT_MOST, -1},  {"%", HITS_EVERY, 0},    {"", HITS_EQUAL, 0},
   };
   size_t i = 0;
   text += strspn(text, " ");
   while (strncmp(text, rules[i].sign, strlen(rules[i].sign)) != 0)
      i++;
   text += strlen(rules[i].sign);
   text += strspn(text, " ");
   char *end;
   errno = 0;
   terms->rule = rules[i].rule;
   terms->number = strtoull(text, &end, 10);
   bool least = terms->number >= (rules[i].change < 0 || terms->rule == HITS_EVERY ? 1 : 0);
   if (*text < '0' || *text > '9' || errno || !least || terms->number == UINT64_MAX)
      return false;
   terms->number += rules[i].change;
   return !end[strspn(end, " ")];
}

/* It must make sense in one of the breakpoint's places, the first one's error is that of all. */
static int
check_in_places(const struct breakpoint *breakpoint, const char *condition, char **error)
{
   int result = 0;
   for (size_t i = 0; i < breakpoint->place_count; i++) {
      const struct breakpoint_place *place = &breakpoint->places[i];
      char *why;
      result = hdb_expr_check(shader_symbols(place->shader), place->shader->shader, place->pc, condition, &why);
      if (!result)
         break;
      if (i)
         free(why);
      else
         *error = why;
   }
   if (!result) {
      free(*error);
      *error = NULL;
   }
   return result;
}

/* Of dispatches it is an expression over what is known of them. Before there is a place, types of the shader's may
 * stand in brackets, which no other text can be told from. */
static int
check_condition(const struct breakpoint *breakpoint, const char *condition, char **error)
{
   if (breakpoint->kind == BREAKPOINT_FUNCTION)
      return selector_check_condition(condition, error);
   if (breakpoint->place_count)
      return check_in_places(breakpoint, condition, error);
   return strpbrk(condition, "({") ? 0 : hdb_expr_check(NULL, NULL, 0, condition, error);
}

static int
check_hit_condition(const struct breakpoint *breakpoint, const char *hit_condition, struct breakpoint_terms *terms,
                    char **error)
{
   if (breakpoint->kind == BREAKPOINT_FUNCTION)
      *error = strdup("dispatches are not counted: a hit condition is for lines and addresses");
   else if (parse_rule(hit_condition, terms))
      return 0;
   else if (asprintf(error, "\"%s\" is no hit condition; a number, perhaps with ==, >=, >, <=, < or %% in front",
                     hit_condition) < 0)
      *error = NULL;
   return -EINVAL;
}

int
breakpoint_set_terms(struct breakpoint *breakpoint, const char *condition, const char *hit_condition, struct log *log,
                     char **error)
{
   struct breakpoint_terms terms = {.condition = copy(condition), .log = log};
   *error = NULL;
   int result = terms.condition ? check_condition(breakpoint, condition, error) : 0;
   if (!result && hit_condition && *hit_condition)
      result = check_hit_condition(breakpoint, hit_condition, &terms, error);
   if (result) {
      free(terms.condition);
      return result;
   }
   breakpoint_free_terms(breakpoint);
   breakpoint->terms = terms;
   return 0;
}

void
breakpoint_free_terms(struct breakpoint *breakpoint)
{
   free(breakpoint->terms.condition);
   log_destroy(breakpoint->terms.log);
   breakpoint->terms = (struct breakpoint_terms){0};
}

bool
breakpoint_counts_hit(const struct breakpoint *breakpoint)
{
   const struct breakpoint_terms *terms = &breakpoint->terms;
   switch (terms->rule) {
   case HITS_AT_LEAST:
      return breakpoint->hits >= terms->number;
   case HITS_AT_MOST:
      return breakpoint->hits <= terms->number;
   case HITS_EQUAL:
      return breakpoint->hits == terms->number;
   case HITS_EVERY:
      return breakpoint->hits % terms->number == 0;
   case HITS_ALL:
      break;
   }
   return true;
}
