/* SPDX-License-Identifier: MIT */
/* list, disassemble, x. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- list ---- */

const char *
source_text(struct session *session, const char *path)
{
   char *key;
   if (asprintf(&key, "%u %s", session->module, path) < 0)
      return NULL;
   if (!json_object_get(session->sources, key)) {
      json_t *body = session_request(
         session, "source",
         json_pack("{s:{s:s}, s:I}", "source", "path", path, "sourceReference", (json_int_t)session->module));
      if (body)
         json_object_set(session->sources, key, json_object_get(body, "content"));
      json_decref(body);
   }
   const char *text = json_string_value(json_object_get(session->sources, key));
   free(key);
   return text;
}

static int
list_lines(struct session *session, const char *file, unsigned first, unsigned last)
{
   const char *text = source_text(session, file);
   if (!text)
      return -1;
   unsigned line = 1;
   for (; *text && line <= last; line++) {
      size_t length = strcspn(text, "\n");
      if (line >= first)
         printf("%u%s\t%.*s\n", line,
                session->file && line == session->line && strcmp(file, session->file) == 0 ? ">" : "", (int)length,
                text);
      text += length + (text[length] == '\n');
   }
   if (line <= first)
      return error("%s has only %u lines", file, line - 1);
   return 0;
}

int
command_list(struct session *session, char *arguments)
{
   uint64_t line;
   char *colon = strrchr(arguments, ':');
   if (need_stop(session) < 0)
      return -1;
   if (colon == arguments && colon)
      return error("no file in front of the colon; list FILE:LINE");
   const char *file = session->list_file ? session->list_file : session->file;
   unsigned first = session->list_line;
   if (colon && parse_unsigned(colon + 1, &line)) {
      *colon = '\0';
      file = arguments;
      first = line > 5 ? (unsigned)line - 5 : 1;
   } else if (parse_unsigned(arguments, &line)) {
      first = line > 5 ? (unsigned)line - 5 : 1;
   } else if (arguments[0]) {
      return error("\"%s\" is no line; list, list LINE or list FILE:LINE", arguments);
   } else if (!first) {
      first = session->line > 5 ? session->line - 5 : 1;
   }
   if (!file)
      return error("no source here; `disassemble` shows the machine code");
   char *kept = strdup(file);
   int result = list_lines(session, kept, first, first + 9);
   free(session->list_file);
   session->list_file = kept;
   session->list_line = first + 10;
   return result;
}

/* ---- disassemble ---- */

int
command_disassemble(struct session *session, char *arguments)
{
   uint64_t address = session->pc;
   if (need_stop(session) < 0 || (arguments[0] && parse_address(session, arguments, &address) < 0))
      return -1;
   char reference[32];
   snprintf(reference, sizeof(reference), "0x%llx", (unsigned long long)address);
   json_t *body = session_request(session, "disassemble",
                                  json_pack("{s:s, s:i, s:i}", "memoryReference", reference, "instructionOffset",
                                            arguments[0] ? 0 : -4, "instructionCount", 14));
   if (!body)
      return -1;
   size_t index;
   json_t *instruction, *instructions = json_object_get(body, "instructions");
   if (strcmp(json_text(json_array_get(instructions, 0), "instruction"), "(bad)") == 0 && arguments[0]) {
      json_decref(body);
      return error("no code at 0x%llx", (unsigned long long)address);
   }
   json_array_foreach (instructions, index, instruction) {
      uint64_t at = strtoull(json_text(instruction, "address"), NULL, 16);
      printf("%s %s  %-60s", at == session->pc ? "=>" : "  ", json_text(instruction, "address"),
             json_text(instruction, "instruction"));
      if (json_number(instruction, "line"))
         printf("  %s:%lld", json_text(json_object_get(instruction, "location"), "name"),
                (long long)json_number(instruction, "line"));
      printf("\n");
   }
   json_decref(body);
   return 0;
}

/* ---- x ---- */

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t
decode_base64(const char *text, uint8_t *data, size_t capacity)
{
   uint32_t bits = 0, count = 0;
   size_t size = 0;
   for (; *text && *text != '='; text++) {
      const char *digit = strchr(base64, *text);
      if (!digit)
         break;
      bits = bits << 6 | (uint32_t)(digit - base64);
      count += 6;
      if (count >= 8 && size < capacity) {
         count -= 8;
         data[size++] = (uint8_t)(bits >> count);
      }
   }
   return size;
}

static void
print_element(const uint8_t *data, unsigned size, char type)
{
   uint64_t value = 0;
   memcpy(&value, data, size);
   if (type == 'f' && size == 4) {
      float number;
      memcpy(&number, data, 4);
      printf("  %-14.9g", (double)number);
   } else if (type == 'f') {
      double number;
      memcpy(&number, data, 8);
      printf("  %-20.17g", number);
   } else if (type == 'd') {
      printf("  %-12lld", (long long)((int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size)));
   } else if (type == 'u') {
      printf("  %-12llu", (unsigned long long)value);
   } else {
      printf("  0x%0*llx", (int)size * 2, (unsigned long long)value);
   }
}

struct x_format {
   unsigned count, size;
   char type;
};

static int
parse_x_format(const char *text, struct x_format *format)
{
   *format = (struct x_format){.count = 1, .size = 4, .type = 'x'};
   if (isdigit((unsigned char)*text))
      format->count = (unsigned)strtoul(text, (char **)&text, 10);
   for (; *text; text++) {
      const char *sizes = "b1h2w4g8", *size = strchr("bhwg", *text);
      if (size)
         format->size = (unsigned)(strchr(sizes, *text)[1] - '0');
      else if (strchr("xduf", *text))
         format->type = *text;
      else
         return error("\"%c\" is no format; x/COUNT with x, d, u or f and b, h, w or g", *text);
   }
   if (format->count == 0 || format->count > 65536)
      return error("%u elements are out of range; 1 to 65536", format->count);
   if (format->type == 'f' && format->size < 4)
      return error("floats are w or g");
   return 0;
}

/* Takes "/8xw" off the front of *arguments; *format keeps the part without the slash, "" if there is none. */
static int
take_format(char **arguments, char format[16])
{
   format[0] = '\0';
   if ((*arguments)[0] != '/')
      return 0;
   size_t length = strcspn(*arguments, " \t");
   if (length > 15)
      return error("\"%s\" is no format", *arguments);
   snprintf(format, 16, "%.*s", (int)length - 1, *arguments + 1);
   *arguments += length;
   while (isspace((unsigned char)**arguments))
      (*arguments)++;
   return 0;
}

int
command_x(struct session *session, char *arguments)
{
   char text[16], space[16];
   struct x_format format;
   uint64_t address;
   if (need_stop(session) < 0 || take_format(&arguments, text) < 0 || parse_x_format(text, &format) < 0)
      return -1;
   if (!arguments[0])
      return error("x what? x/8xw 0xffff800000001000, x/4f $s[2:3] or x/4f &values[5]");
   space[0] = '\0';
   if (*arguments == '"' ? find_named_object(session, arguments, &address) < 0
                         : parse_place(session, arguments, space, &address) < 0)
      return -1;
   char reference[48];
   snprintf(reference, sizeof(reference), "%s0x%llx", space, (unsigned long long)address);
   size_t size = (size_t)format.count * format.size;
   json_t *body = session_request(session, "readMemory",
                                  json_pack("{s:s, s:I, s:I}", "memoryReference", reference, "count", (json_int_t)size,
                                            "threadId", (json_int_t)session->thread));
   if (!body)
      return -1;
   uint8_t *data = malloc(size);
   size_t got = decode_base64(json_text(body, "data"), data, size);
   unsigned per_line = format.size == 1 ? 8 : 16 / format.size;
   for (unsigned i = 0; (i + 1) * format.size <= got; i++) {
      if (i % per_line == 0)
         printf("%s%s0x%llx:", i ? "\n" : "", space, (unsigned long long)(address + i * format.size));
      print_element(data + i * format.size, format.size, format.type);
   }
   if (got)
      printf("\n");
   free(data);
   json_decref(body);
   if (got < size && space[0])
      return error("%.*s ends at 0x%llx", (int)strlen(space) - 1, space, (unsigned long long)(address + got));
   if (got < size)
      return error("no memory is mapped at 0x%llx", (unsigned long long)(address + got));
   return 0;
}
