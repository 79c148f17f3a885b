/* SPDX-License-Identifier: MIT */
#include "expr/expr.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scalar selectors (RDNA3 ISA guide, 15.1: SSRC0). */
#define REGISTER_VCC 106
#define REGISTER_M0 125
#define REGISTER_EXEC 126

enum operand_kind { SCALARS, VECTOR, PAIR, PC, SCC, MODE, STATUS };

struct expression {
   char format; /* 'x', 'd', 'u', 'f' */
   enum operand_kind kind;
   uint32_t first, count; /* registers */
   int64_t lane;          /* -1: all */
   bool assigns;
   uint64_t number; /* as bits */
   bool number_is_float;
   double real;
};

struct parser {
   const char *at;
   const struct hdb_wave *wave;
   char **error;
};

static int __attribute__((format(printf, 2, 3))) refuse(char **error, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   if (vasprintf(error, format, args) < 0)
      *error = NULL;
   va_end(args);
   return -EINVAL;
}

/* ---- parsing ---- */

static void
skip_space(struct parser *parser)
{
   while (isspace((unsigned char)*parser->at))
      parser->at++;
}

static bool
take(struct parser *parser, const char *token)
{
   skip_space(parser);
   size_t length = strlen(token);
   if (strncmp(parser->at, token, length) != 0)
      return false;
   parser->at += length;
   return true;
}

static bool
take_index(struct parser *parser, uint32_t *index)
{
   char *end;
   skip_space(parser);
   if (!isdigit((unsigned char)*parser->at))
      return false;
   errno = 0;
   unsigned long value = strtoul(parser->at, &end, 10);
   if (errno || value > UINT32_MAX)
      return false;
   parser->at = end;
   *index = value;
   return true;
}

static int
parse_vector(struct parser *parser, struct expression *expression)
{
   uint32_t lane;
   expression->kind = VECTOR;
   if (expression->first >= parser->wave->vgpr_count)
      return refuse(parser->error, "$v%u: the wave has VGPRs 0 to %u", expression->first, parser->wave->vgpr_count - 1);
   if (!take(parser, "["))
      return 0;
   if (!take_index(parser, &lane) || !take(parser, "]"))
      return refuse(parser->error, "a lane number and ']' expected at \"%s\"", parser->at);
   if (lane >= parser->wave->wave_size)
      return refuse(parser->error, "lane %u: the wave has lanes 0 to %u", lane, parser->wave->wave_size - 1);
   expression->lane = lane;
   return 0;
}

static int
parse_scalars(struct parser *parser, struct expression *expression, bool range)
{
   uint32_t last = expression->first;
   if (range && (!take_index(parser, &expression->first) || !take(parser, ":") || !take_index(parser, &last) ||
                 !take(parser, "]")))
      return refuse(parser->error, "a range like $s[4:7] expected at \"%s\"", parser->at);
   if (last < expression->first || last >= parser->wave->sgpr_count)
      return refuse(parser->error, "$s%u: the wave has SGPRs 0 to %u", last, parser->wave->sgpr_count - 1);
   expression->kind = SCALARS;
   expression->count = last - expression->first + 1;
   return 0;
}

static int
parse_register(struct parser *parser, struct expression *expression)
{
   static const struct {
      const char *name;
      enum operand_kind kind;
      uint32_t number;
   } special[] = {
      {"exec", PAIR, REGISTER_EXEC},
      {"vcc", PAIR, REGISTER_VCC},
      {"m0", SCALARS, REGISTER_M0},
      {"pc", PC, 0},
      {"scc", SCC, 0},
      {"mode", MODE, 0},
      {"status", STATUS, 0},
   };
   if (!take(parser, "$"))
      return refuse(parser->error, "a register like $v3 or $s7 expected at \"%s\"", parser->at);
   for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
      size_t length = strlen(special[i].name);
      if (strncmp(parser->at, special[i].name, length) != 0 || isalnum((unsigned char)parser->at[length]))
         continue;
      parser->at += length;
      expression->kind = special[i].kind;
      expression->first = special[i].number;
      expression->count = 1;
      return 0;
   }
   char bank = *parser->at;
   if (bank == 'v' && isdigit((unsigned char)parser->at[1])) {
      parser->at++;
      if (!take_index(parser, &expression->first))
         return refuse(parser->error, "not understood: \"%s\"", parser->at);
      return parse_vector(parser, expression);
   }
   if (bank == 's' && (isdigit((unsigned char)parser->at[1]) || parser->at[1] == '[')) {
      parser->at++;
      bool range = !take_index(parser, &expression->first) && take(parser, "[");
      return parse_scalars(parser, expression, range);
   }
   return refuse(parser->error, "no register $%.*s", (int)strcspn(parser->at, " =[/"), parser->at);
}

static int
parse_number(struct parser *parser, struct expression *expression)
{
   char *end;
   skip_space(parser);
   size_t length = strcspn(parser->at, " \t");
   bool hexadecimal = strncasecmp(parser->at + (*parser->at == '-'), "0x", 2) == 0;
   bool word = strncasecmp(parser->at + (*parser->at == '-'), "inf", 3) == 0 || strncasecmp(parser->at, "nan", 3) == 0;
   expression->assigns = true;
   errno = 0;
   if (!hexadecimal && (word || strcspn(parser->at, ".eE") < length)) {
      expression->real = strtod(parser->at, &end);
      expression->number_is_float = true;
      float single = expression->real;
      if (!word && isinf(single))
         return refuse(parser->error, "%.*s does not fit a 32-bit float", (int)length, parser->at);
      uint32_t bits;
      memcpy(&bits, &single, sizeof(bits));
      expression->number = bits;
      if (end != parser->at && (*end == 'f' || *end == 'F'))
         end++;
   } else if (*parser->at == '-') {
      expression->number = strtoll(parser->at, &end, 0);
   } else {
      expression->number = strtoull(parser->at, &end, 0);
   }
   if (end == parser->at || (errno && !expression->number_is_float))
      return refuse(parser->error, "a number expected at \"%s\"", parser->at);
   parser->at = end;
   return 0;
}

static int
parse(struct parser *parser, struct expression *expression)
{
   *expression = (struct expression){.format = 'x', .lane = -1};
   if (take(parser, "/")) {
      expression->format = *parser->at ? *parser->at++ : 0;
      if (!expression->format || !strchr("xduf", expression->format))
         return refuse(parser->error, "format /x, /d, /u or /f expected");
   }
   int result = parse_register(parser, expression);
   if (!result && take(parser, "="))
      result = parse_number(parser, expression);
   skip_space(parser);
   if (!result && *parser->at)
      return refuse(parser->error, "not understood: \"%s\"", parser->at);
   return result;
}

/* ---- values ---- */

static int
format_word(uint32_t word, char format, char *text, size_t size)
{
   float real;
   switch (format) {
   case 'd':
      return snprintf(text, size, "%" PRId32, (int32_t)word);
   case 'u':
      return snprintf(text, size, "%" PRIu32, word);
   case 'f':
      memcpy(&real, &word, sizeof(real));
      return snprintf(text, size, "%.9g", real);
   default:
      return snprintf(text, size, "0x%" PRIx32, word);
   }
}

static int
format_number(uint64_t number, char format, char **value)
{
   const char *text = format == 'd' ? "%" PRId64 : format == 'u' ? "%" PRIu64 : "0x%" PRIx64;
   return asprintf(value, text, number) < 0 ? -ENOMEM : 0;
}

/* As gdb prints arrays, equal neighbours folded. */
static int
format_words(const uint32_t *words, size_t count, char format, char **value)
{
   char item[48];
   size_t size;
   FILE *out = open_memstream(value, &size);
   if (!out)
      return -ENOMEM;
   fputc('{', out);
   for (size_t i = 0; i < count;) {
      size_t run = 1;
      while (i + run < count && words[i + run] == words[i])
         run++;
      if (run < 4)
         run = 1;
      format_word(words[i], format, item, sizeof(item));
      fprintf(out, "%s%s", i ? ", " : "", item);
      if (run > 1)
         fprintf(out, " <repeats %zu times>", run);
      i += run;
   }
   fputc('}', out);
   return fclose(out) ? -ENOMEM : 0;
}

static int
read_vector(const struct expression *expression, struct hdb_machine *machine, struct hdb_wave *wave, char **value)
{
   uint32_t lanes[64];
   char text[48];
   int result = hdb_wave_read_vgpr(machine, wave, expression->first, lanes);
   if (result)
      return result;
   if (expression->lane < 0)
      return format_words(lanes, wave->wave_size, expression->format, value);
   format_word(lanes[expression->lane], expression->format, text, sizeof(text));
   *value = strdup(text);
   return *value ? 0 : -ENOMEM;
}

static int
read_scalars(const struct expression *expression, struct hdb_machine *machine, struct hdb_wave *wave, char **value)
{
   uint32_t words[128];
   char text[48];
   for (uint32_t i = 0; i < expression->count; i++) {
      int result = hdb_wave_read_scalar(machine, wave, expression->first + i, &words[i]);
      if (result)
         return result;
   }
   if (expression->count > 1)
      return format_words(words, expression->count, expression->format, value);
   format_word(words[0], expression->format, text, sizeof(text));
   *value = strdup(text);
   return *value ? 0 : -ENOMEM;
}

/* EXEC and VCC are as wide as the wave. */
static int
read_pair(const struct expression *expression, struct hdb_machine *machine, struct hdb_wave *wave, char **value)
{
   uint32_t low, high = 0;
   int result = hdb_wave_read_scalar(machine, wave, expression->first, &low);
   if (!result && wave->wave_size == 64)
      result = hdb_wave_read_scalar(machine, wave, expression->first + 1, &high);
   return result ? result : format_number((uint64_t)high << 32 | low, expression->format, value);
}

static int
read_value(const struct expression *expression, struct hdb_machine *machine, struct hdb_wave *wave, char **value)
{
   switch (expression->kind) {
   case VECTOR:
      return read_vector(expression, machine, wave, value);
   case SCALARS:
      return read_scalars(expression, machine, wave, value);
   case PAIR:
      return read_pair(expression, machine, wave, value);
   case PC:
      return format_number(wave->pc, expression->format, value);
   case SCC: /* STATUS bit 0 (RDNA3 ISA guide, 3.3) */
      return format_number(wave->status & 1, 'd', value);
   case MODE:
      return format_number(wave->mode, expression->format, value);
   case STATUS:
      return format_number(wave->status, expression->format, value);
   }
   return -EINVAL;
}

/* ---- assignment ---- */

static int
assign_pc(uint64_t pc, struct hdb_machine *machine, struct hdb_wave *wave, char **error)
{
   const struct hdb_shader *shader = wave->shader;
   uint32_t start, next;
   int result = hdb_wave_set_pc(machine, wave, pc);
   if (result != -EINVAL)
      return result;
   if (!shader)
      return refuse(error, "no instruction of a known shader starts at 0x%" PRIx64, pc);
   if (pc - shader->va >= shader->exec_size ||
       !hdb_machine_find_instruction(machine, shader, pc - shader->va, &start, &next))
      return refuse(error, "0x%" PRIx64 " is not in the wave's shader, which is at 0x%" PRIx64 " to 0x%" PRIx64, pc,
                    shader->va, shader->va + shader->exec_size - 1);
   return refuse(error,
                 "0x%" PRIx64 " is not the start of an instruction; the nearest are 0x%" PRIx64 " and 0x%" PRIx64, pc,
                 shader->va + start, shader->va + next);
}

static int
assign(const struct expression *expression, struct hdb_machine *machine, struct hdb_wave *wave, char **error)
{
   uint64_t number = expression->number;
   bool fits = number <= UINT32_MAX || number >= (uint64_t)INT32_MIN;
   int result;
   switch (expression->kind) {
   case VECTOR:
      if (expression->lane < 0)
         return refuse(error, "which lane? $v%u[LANE] = ...", expression->first);
      if (!fits)
         return refuse(error, "the number does not fit 32 bits");
      return hdb_wave_write_vgpr(machine, wave, expression->first, expression->lane, number);
   case SCALARS:
      if (expression->count > 1)
         return refuse(error, "one register at a time can be assigned to");
      if (!fits)
         return refuse(error, "the number does not fit 32 bits");
      return hdb_wave_write_scalar(machine, wave, expression->first, number);
   case PAIR:
      if (wave->wave_size == 32 && !fits)
         return refuse(error, "the number does not fit 32 bits");
      result = hdb_wave_write_scalar(machine, wave, expression->first, number);
      if (!result && wave->wave_size == 64)
         result = hdb_wave_write_scalar(machine, wave, expression->first + 1, number >> 32);
      return result;
   case PC:
      return assign_pc(number, machine, wave, error);
   case SCC:
      if (number > 1)
         return refuse(error, "$scc is 0 or 1");
      return hdb_wave_set_scc(machine, wave, number);
   case MODE:
   case STATUS:
      return refuse(error, "$%s can only be read", expression->kind == MODE ? "mode" : "status");
   }
   return -EINVAL;
}

int
hdb_expr_evaluate(const char *text, struct hdb_machine *machine, struct hdb_wave *wave, char **value, char **error)
{
   struct expression expression;
   struct parser parser = {.at = text, .wave = wave, .error = error};
   *value = *error = NULL;
   int result = parse(&parser, &expression);
   if (!result && wave->run != HDB_WAVE_STOPPED)
      result = refuse(error, "wave %u is running", wave->id);
   if (!result && expression.assigns)
      result = assign(&expression, machine, wave, error);
   if (!result && expression.assigns && expression.number_is_float)
      expression.format = 'f';
   if (!result)
      result = read_value(&expression, machine, wave, value);
   if (result && !*error)
      refuse(error, "%s", strerror(-result));
   return result;
}
