/* SPDX-License-Identifier: MIT */
/* The terms of a breakpoint: its condition, which of its hits count, and what it logs. */
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int
breakpoint_set_terms(struct breakpoint *breakpoint, const char *condition, const char *hit_condition, struct log *log,
                     char **error)
{
   struct breakpoint_terms terms = {.condition = copy(condition), .log = log};
   if (hit_condition && *hit_condition && !parse_rule(hit_condition, &terms)) {
      free(terms.condition);
      if (asprintf(error, "\"%s\" is no hit condition; a number, perhaps with ==, >=, >, <=, < or %% in front",
                   hit_condition) < 0)
         *error = NULL;
      return -EINVAL;
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
