/* SPDX-License-Identifier: MIT */
#include "script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value.h"

#define MARK "//!"
#define MAX_LINE 4096

struct line {
   const char *path;
   uint32_t number;
   char *next; /* what strtok_r has not seen yet */
};

static bool
complain(const struct line *line, const char *what, const char *word)
{
   fprintf(stderr, "%s:%u: %s: %s\n", line->path, line->number, what, word ? word : "nothing");
   return false;
}

static char *
next_word(struct line *line)
{
   return strtok_r(NULL, " \t\n", &line->next);
}

static bool
parse_u32(struct line *line, uint32_t *value)
{
   uint64_t bits;
   const char *word = next_word(line);
   if (!word || !value_parse(TYPE_U32, word, &bits))
      return complain(line, "not a number", word);
   *value = (uint32_t)bits;
   return true;
}

/* TYPE, TYPE~3ulp or TYPE~0.001 */
static bool
parse_type(struct line *line, struct expected *like)
{
   char *word = next_word(line);
   *like = (struct expected){0};
   char *tolerance = word ? strchr(word, '~') : NULL;
   if (tolerance) {
      *tolerance++ = 0;
      char *end;
      double value = strtod(tolerance, &end);
      *(strcmp(end, "ulp") ? &like->absolute : &like->ulps) = value;
      if (end == tolerance || (*end && strcmp(end, "ulp")))
         return complain(line, "not a tolerance", tolerance);
   }
   return (word && type_parse(word, &like->type)) || complain(line, "not a type", word);
}

typedef bool (*take_value)(struct script *script, void *into, const struct expected *value);

/* VALUE, COUNT*VALUE or FIRST..LAST */
static bool
parse_values(struct line *line, struct script *script, struct expected *like, take_value take, void *into)
{
   for (char *word; (word = next_word(line));) {
      uint64_t count = 1, last = 0;
      char *star = strchr(word, '*'), *dots = strstr(word, "..");
      if (star)
         *star++ = 0;
      if (dots) {
         *dots = 0;
         dots += 2;
      }
      const char *value = star ? star : word;
      bool right = value_parse(like->type, value, &like->bits) && (!star || value_parse(TYPE_U32, word, &count)) &&
                   (!dots || (!type_is_float(like->type) && value_parse(like->type, dots, &last)));
      if (!right || (dots && last < like->bits))
         return complain(line, "not a value of this type", value);
      if (dots)
         count = last - like->bits + 1;
      for (uint64_t i = 0; i < count; i++) {
         if (!take(script, into, like))
            return complain(line, "too much", value);
         like->bits += dots ? 1 : 0;
      }
   }
   return true;
}

static size_t
aligned(size_t offset, enum type type)
{
   const size_t size = type_size(type);
   return (offset + size - 1) / size * size;
}

static bool
take_byte_value(struct script *script, void *into, const struct expected *value)
{
   struct bytes *bytes = into;
   const size_t offset = aligned(bytes->size, value->type), size = type_size(value->type);
   if (offset + size > sizeof(bytes->data))
      return false;
   memcpy(bytes->data + offset, &value->bits, size);
   bytes->size = offset + size;
   return true;
}

/* `into` is the offset to go on from. */
static bool
take_expected(struct script *script, void *into, const struct expected *value)
{
   size_t *offset = into;
   *offset = aligned(*offset, value->type);
   if (script->expected_count == SCRIPT_MAX_EXPECTED || *offset + type_size(value->type) > SCRIPT_RESULT_BYTES)
      return false;
   script->expected[script->expected_count] = *value;
   script->expected[script->expected_count++].offset = (uint32_t)*offset;
   *offset += type_size(value->type);
   return true;
}

static bool
parse_bytes(struct line *line, struct script *script, struct bytes *bytes)
{
   struct expected like;
   return parse_type(line, &like) && parse_values(line, script, &like, take_byte_value, bytes);
}

static bool
parse_addresses(struct line *line, struct script *script)
{
   const struct expected zero = {.type = TYPE_U64};
   for (const char *word; (word = next_word(line));) {
      const bool of_result = !strcmp(word, "result");
      if ((!of_result && strcmp(word, "input")) || script->address_count == SCRIPT_MAX_ADDRESSES ||
          !take_byte_value(script, &script->push, &zero))
         return complain(line, "neither input nor result, or too many", word);
      script->addresses[script->address_count++] =
         (struct address){(uint32_t)(script->push.size - sizeof(uint64_t)), of_result};
   }
   return true;
}

static bool
parse_constant(struct line *line, struct script *script)
{
   struct constant *constant = &script->constants[script->constant_count];
   struct expected like;
   if (script->constant_count == SCRIPT_MAX_CONSTANTS || !parse_u32(line, &constant->id) || !parse_type(line, &like))
      return complain(line, "specialize takes ID TYPE VALUE", NULL);
   const char *word = next_word(line);
   if (!word || !value_parse(like.type, word, &constant->bits))
      return complain(line, "not a value of this type", word);
   constant->type = like.type;
   script->constant_count++;
   return true;
}

static bool
parse_line(struct line *line, struct script *script, size_t *offset)
{
   const char *word = next_word(line);
   uint32_t number;
   if (!word)
      return complain(line, "no directive", NULL);
   if (!strcmp(word, "workgroups"))
      return parse_u32(line, &script->workgroups[0]) && parse_u32(line, &script->workgroups[1]) &&
             parse_u32(line, &script->workgroups[2]);
   if (!strcmp(word, "fill"))
      return parse_u32(line, &script->fill);
   if (!strcmp(word, "images"))
      return script->images = true;
   if (!strcmp(word, "input"))
      return parse_bytes(line, script, &script->input);
   if (!strcmp(word, "uniform"))
      return parse_bytes(line, script, &script->uniform);
   if (!strcmp(word, "push"))
      return parse_bytes(line, script, &script->push);
   if (!strcmp(word, "push-address"))
      return parse_addresses(line, script);
   if (!strcmp(word, "specialize"))
      return parse_constant(line, script);
   if (!strcmp(word, "at")) {
      bool right = parse_u32(line, &number);
      *offset = number;
      return right;
   }
   if (!strcmp(word, "expect")) {
      struct expected like;
      return parse_type(line, &like) && parse_values(line, script, &like, take_expected, offset);
   }
   if (!strcmp(word, "lavapipe-lacks")) {
      snprintf(script->lavapipe_lacks, sizeof(script->lavapipe_lacks), "%.*s", (int)strcspn(line->next, "\n"),
               line->next);
      return true;
   }
   if (!strcmp(word, "steps") || !strcmp(word, "lines")) /* for stops.py */
      return true;
   return complain(line, "no such directive", word);
}

bool
script_read(struct script *script, const char *path)
{
   *script = (struct script){.workgroups = {1, 1, 1}, .fill = 0xdeadbeef};
   FILE *file = fopen(path, "r");
   if (!file) {
      fprintf(stderr, "%s: %s\n", path, strerror(errno));
      return false;
   }
   char text[MAX_LINE];
   struct line line = {.path = path};
   size_t offset = 0;
   bool right = true;
   while (right && fgets(text, sizeof(text), file)) {
      line.number++;
      if (strncmp(text, MARK, strlen(MARK)))
         continue;
      strtok_r(text, " \t\n", &line.next);
      right = parse_line(&line, script, &offset);
   }
   fclose(file);
   if (right && script->expected_count == 0)
      right = complain(&line, "expects", "nothing");
   return right;
}

uint32_t
script_check(const struct script *script, const void *result, const char *prefix)
{
   enum { SHOWN = 4 };
   uint32_t wrong = 0;
   for (uint32_t i = 0; i < script->expected_count; i++) {
      const struct expected *expected = &script->expected[i];
      uint64_t bits = 0;
      memcpy(&bits, (const uint8_t *)result + expected->offset, type_size(expected->type));
      if (value_matches(expected, bits))
         continue;
      if (wrong++ < SHOWN) {
         char is[64], should_be[64];
         value_print(expected->type, bits, is, sizeof(is));
         value_print(expected->type, expected->bits, should_be, sizeof(should_be));
         printf("%s: value %u, byte %u of the result: %s, expected %s\n", prefix, i, expected->offset, is, should_be);
      }
   }
   if (wrong > SHOWN)
      printf("%s: and %u more\n", prefix, wrong - SHOWN);
   return wrong;
}
