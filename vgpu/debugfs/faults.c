/* SPDX-License-Identifier: MIT */
#include "debugfs/faults.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debugfs/files.h"

bool faults[FAULT_COUNT];

static const char *const fault_names[FAULT_COUNT] = {
   [FAULT_GFXOFF] = "gfxoff",
   [FAULT_POWERED_DOWN] = "powered-down",
   [FAULT_LOCKDOWN] = "lockdown",
   [FAULT_LOCKDOWN_READS] = "lockdown-reads",
   [FAULT_NO_REGS2] = "no-regs2",
   [FAULT_NO_V2] = "no-v2",
   [FAULT_NO_USER_PAGES] = "no-user-pages",
};

const char *
fault_name(enum fault fault)
{
   return fault_names[fault];
}

bool
fault_switch_on(const char *name)
{
   for (int i = 0; i < FAULT_COUNT; i++) {
      if (!strcmp(fault_names[i], name)) {
         faults[i] = true;
         return true;
      }
   }
   return false;
}

/* ---- injection ---- */

enum { INJECTIONS = 64 };

static struct rule {
   char file[32]; /* "*": any */
   enum file_operation operation;
   unsigned long first, last; /* which of them, from 1 */
   unsigned long count;       /* seen so far */
   struct injection injection;
} rules[INJECTIONS];
static unsigned rule_count;

static const char *const operation_names[FILE_OPERATIONS] = {"open", "read", "write", "ioctl"};

static const struct {
   const char *name;
   struct injection injection;
} kinds[] = {
   {"fail", {INJECT_ERROR, EIO}},      {"eio", {INJECT_ERROR, EIO}},       {"eintr", {INJECT_ERROR, EINTR}},
   {"eperm", {INJECT_ERROR, EPERM}},   {"eacces", {INJECT_ERROR, EACCES}}, {"einval", {INJECT_ERROR, EINVAL}},
   {"enxio", {INJECT_ERROR, ENXIO}},   {"enomem", {INJECT_ERROR, ENOMEM}}, {"enodev", {INJECT_ERROR, ENODEV}},
   {"efault", {INJECT_ERROR, EFAULT}}, {"short", {INJECT_SHORT, 0}},       {"ones", {INJECT_ONES, 0}},
   {"hang", {INJECT_HANG, 0}},
};

static bool
parse_number(const char **text, unsigned long *number)
{
   char *end;
   if (!isdigit((unsigned char)**text))
      return false;
   errno = 0;
   *number = strtoul(*text, &end, 10);
   *text = end;
   return !errno;
}

/* N, N- (from there on), N-M or * */
static bool
parse_range(const char *text, struct rule *rule)
{
   rule->first = 1;
   rule->last = ~0ul;
   if (!strcmp(text, "*"))
      return true;
   if (!parse_number(&text, &rule->first))
      return false;
   if (*text != '-')
      rule->last = rule->first;
   else if (*++text && !parse_number(&text, &rule->last))
      return false;
   return !*text && rule->first && rule->last >= rule->first;
}

static bool
parse_operation(const char *text, struct rule *rule)
{
   for (int i = 0; i < FILE_OPERATIONS; i++) {
      if (!strcmp(operation_names[i], text)) {
         rule->operation = i;
         return true;
      }
   }
   return false;
}

static bool
parse_kind(const char *text, struct rule *rule)
{
   for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
      if (!strcmp(kinds[i].name, text)) {
         rule->injection = kinds[i].injection;
         bool moves_data = rule->operation == FILE_READ || rule->operation == FILE_WRITE;
         return moves_data || rule->injection.kind == INJECT_ERROR || rule->injection.kind == INJECT_HANG;
      }
   }
   return false;
}

bool
injection_add(const char *text)
{
   if (rule_count == INJECTIONS) {
      fprintf(stderr, "vgpu-debugfs: more than %d injections\n", INJECTIONS);
      return false;
   }
   struct rule *rule = &rules[rule_count];
   char operation[16], range[32], kind[16];
   char rest;
   bool good = sscanf(text, "%31[^:]:%15[^:]:%31[^:]:%15[^:]%c", rule->file, operation, range, kind, &rest) == 4 &&
               parse_operation(operation, rule) && parse_range(range, rule) && parse_kind(kind, rule);
   if (!good) {
      fprintf(stderr, "vgpu-debugfs: --inject %s: not FILE:OPERATION:N:KIND\n", text);
      return false;
   }
   if (strcmp(rule->file, "*") && !file_is_known(rule->file)) {
      fprintf(stderr, "vgpu-debugfs: --inject %s: there is no file %s\n", text, rule->file);
      return false;
   }
   rule_count++;
   return true;
}

void
injection_end(void)
{
   rule_count = 0;
}

struct injection
injection_take(const char *file, enum file_operation operation)
{
   struct injection injection = {INJECT_NOTHING, 0};
   for (unsigned i = 0; i < rule_count; i++) {
      struct rule *rule = &rules[i];
      if (rule->operation != operation || (strcmp(rule->file, "*") && strcmp(rule->file, file)))
         continue;
      rule->count++;
      if (rule->count >= rule->first && rule->count <= rule->last && injection.kind == INJECT_NOTHING)
         injection = rule->injection;
   }
   return injection;
}
