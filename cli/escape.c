/* SPDX-License-Identifier: MIT */
/* Names and other texts of the debugged program, for a terminal: it must not be the program that controls it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Bytes of the control character that a text begins with, 0: it begins with none. C1 controls (ECMA-48, 5.3) are two
 * bytes in UTF-8. */
static size_t
control_length(const unsigned char *text)
{
   if (text[0] == 0xc2 && text[1] >= 0x80 && text[1] < 0xa0)
      return 2;
   return text[0] < ' ' || text[0] == 0x7f;
}

static bool
is_clean(const char *text, const char *allowed)
{
   for (; *text; text++) {
      if (control_length((const unsigned char *)text) && !strchr(allowed, *text))
         return false;
   }
   return true;
}

/* `size` bytes are enough if there are four times as many as the text has. */
static void
escape(const char *text, const char *allowed, char *out, size_t size)
{
   size_t length = 0;
   while (*text && length + 5 < size) {
      size_t control = strchr(allowed, *text) ? 0 : control_length((const unsigned char *)text);
      if (control)
         length += (size_t)snprintf(out + length, size - length, "\\x%02x", (unsigned char)text[control - 1]);
      else
         out[length++] = *text;
      text += control ? control : 1;
   }
   out[length] = '\0';
}

static void
escape_string(json_t *string, const char *allowed)
{
   const char *text = json_string_value(string);
   size_t size = json_string_length(string) * 4 + 8;
   char *copy = is_clean(text, allowed) ? NULL : malloc(size);
   if (!copy)
      return;
   escape(text, allowed, copy, size);
   json_string_set(string, copy);
   free(copy);
}

/* What may have several lines; source code may have those of DOS. */
static const char *
allowed_in(const char *key)
{
   static const char *const texts[] = {"output", "result", "value", "message", "format", "definition"};
   for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
      if (strcmp(key, texts[i]) == 0)
         return "\n\t";
   }
   return strcmp(key, "content") == 0 ? "\n\t\r" : "\t";
}

void
escape_json(json_t *json, const char *key)
{
   const char *name;
   size_t index;
   json_t *item;
   if (json_is_string(json))
      escape_string(json, allowed_in(key));
   json_object_foreach (json, name, item)
      escape_json(item, name);
   if (json_is_array(json)) {
      json_array_foreach (json, index, item)
         escape_json(item, key);
   }
}
