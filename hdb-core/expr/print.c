/* SPDX-License-Identifier: MIT */
/* A value as text, like gdb's: (1, 2) is a vector, {1, 2} an array, {a = 1} a struct, {[0] = (1, 0), [1] = (0, 1)} a
 * matrix of vectors as the language counts them, <why> what is not there. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

#define REPEATS 10           /* so many equal elements are folded */
#define MAX_NESTED 20        /* structs in structs */
#define MAX_LENGTH (1 << 20) /* of the text */
#define MAX_SCAN (1 << 20)   /* bytes of an array that are compared */
#define MAX_COMPARED 4096    /* bytes of an element that is compared by its bytes */

struct printer {
   struct expr *expr;
   char format;
   uint32_t depth;
   uint32_t elements, most; /* of arrays, in all that is printed at once */
   uint64_t scanned, length;
};

static void print(struct printer *printer, FILE *out, const struct value *value);

static void
print_why(FILE *out, const char *why)
{
   fprintf(out, strcmp(why, "void") == 0 ? "%s" : "<%s>", why);
}

/* ---- numbers ---- */

static void
print_scalar(struct printer *printer, FILE *out, const struct value *value)
{
   uint8_t bytes[8];
   const char *why;
   const struct hdb_type *type = value->type;
   if (value_read(printer->expr, value, 0, bytes, type->bits / 8, &why))
      print_why(out, why);
   else
      print_number(out, type, number_decode(type->kind, type->bits, bytes), printer->format);
}

static void
print_components(struct printer *printer, FILE *out, const struct value *value)
{
   uint32_t count = value->swizzled ? value->swizzled : value->type->count;
   bool matrix = value->type->kind == HDB_TYPE_MATRIX;
   fputc(matrix ? '{' : '(', out);
   for (uint32_t i = 0; i < count; i++) {
      struct value component;
      fputs(i ? ", " : "", out);
      if (matrix)
         fprintf(out, "[%u] = ", i);
      if (!value_element(printer->expr, 0, value, i, &component))
         print(printer, out, &component);
   }
   fputc(matrix ? '}' : ')', out);
}

static void
print_pointer(struct printer *printer, FILE *out, const struct value *value)
{
   uint64_t address;
   const char *why, *name = expr_type_name(printer->expr, value->type);
   if (value_read(printer->expr, value, 0, &address, sizeof(address), &why)) {
      print_why(out, why);
   } else if (printer->format && !strchr("xaz", printer->format)) {
      print_number(out, &expr_pair_type, (union number){.u = address}, printer->format);
   } else {
      if (!printer->format)
         fprintf(out, "(%s) ", name ? name : "");
      fprintf(out, "0x%" PRIx64, address);
      struct hdb_object object;
      if (!printer->format && !hdb_context_object_at(&printer->expr->context, address, &object)) {
         fprintf(out, " (%s", object.name);
         if (address != object.va)
            fprintf(out, " + %" PRIu64, address - object.va);
         fprintf(out, " of %" PRIu64 " bytes)", object.size);
         free(object.name);
      }
   }
}

/* ---- structs ---- */

static void
print_struct(struct printer *printer, FILE *out, const struct value *value)
{
   const struct hdb_type *type = value->type;
   if (printer->depth == MAX_NESTED) {
      fputs("{...}", out);
      return;
   }
   printer->depth++;
   fputc('{', out);
   for (uint32_t i = 0; i < type->member_count; i++) {
      struct value member;
      fprintf(out, "%s%s = ", i ? ", " : "", type->members[i].name);
      if (ftell(out) > MAX_LENGTH)
         fputs("...", out);
      else if (!value_member(printer->expr, 0, value, i, &member))
         print(printer, out, &member);
   }
   fputc('}', out);
   printer->depth--;
}

/* ---- arrays ---- */

struct element {
   struct value value;
   bool has_bytes;
   uint8_t bytes[MAX_COMPARED];
   size_t size;
   char *text;
};

static int
load_element(struct printer *printer, const struct value *array, uint64_t index, struct element *element)
{
   const char *why;
   int result = value_element(printer->expr, 0, array, index, &element->value);
   if (result)
      return result;
   element->size = element->value.type->size;
   bool whole = element->value.kind == VALUE_BYTES ||
                (element->value.kind == VALUE_PLACE && element->value.place->kind != HDB_PLACE_PIECES);
   element->has_bytes = whole && element->size && element->size <= MAX_COMPARED &&
                        !value_read(printer->expr, &element->value, 0, element->bytes, element->size, &why);
   /* What has to be compared by its text is dear, and what can't be read may be slow to say so. */
   printer->scanned += element->has_bytes ? element->size : MAX_SCAN / 1024;
   return 0;
}

static char *
element_text(struct printer *printer, const struct element *element)
{
   char *text = NULL;
   size_t size;
   FILE *out = open_memstream(&text, &size);
   if (!out)
      return NULL;
   uint32_t elements = printer->elements;
   print(printer, out, &element->value);
   printer->elements = elements > printer->elements ? elements : printer->elements;
   if (fclose(out)) {
      free(text);
      return NULL;
   }
   return text;
}

/* Where bytes can't be compared, the texts are. */
static bool
same_element(struct printer *printer, const struct element *first, const struct element *other)
{
   if (first->has_bytes != other->has_bytes)
      return false;
   if (first->has_bytes)
      return memcmp(first->bytes, other->bytes, first->size) == 0;
   char *text = element_text(printer, other);
   bool same = text && first->text && strcmp(text, first->text) == 0;
   free(text);
   return same;
}

/* How many elements from `index` on are like `first`; *next is the first one that is not, if there is one. */
static uint64_t
count_equal(struct printer *printer, const struct value *array, uint64_t index, uint64_t count,
            const struct element *first, struct element *next)
{
   uint64_t run = 1;
   while (index + run < count && printer->scanned < MAX_SCAN) {
      if (load_element(printer, array, index + run, next) || !same_element(printer, first, next))
         break;
      run++;
   }
   return run;
}

static void
print_run(struct printer *printer, FILE *out, const struct element *element, uint64_t run, const char *separator)
{
   if (run >= REPEATS) {
      fprintf(out, "%s%s <repeats %" PRIu64 " times>", separator, element->text, run);
      printer->elements++;
      return;
   }
   for (uint64_t i = 0; i < run && (i == 0 || printer->elements < printer->most); i++) {
      fprintf(out, "%s%s", i ? ", " : separator, element->text);
      printer->elements++;
   }
}

static void
print_elements(struct printer *printer, FILE *out, const struct value *array, uint64_t count, struct element *pair)
{
   uint64_t index = 0;
   while (index < count) {
      if (printer->elements >= printer->most || printer->scanned >= MAX_SCAN || ftell(out) > MAX_LENGTH) {
         fputs("...", out);
         return;
      }
      struct element *first = &pair[0], *next = &pair[1];
      if (load_element(printer, array, index, first))
         return;
      first->text = element_text(printer, first);
      if (!first->text)
         return;
      uint64_t run = count_equal(printer, array, index, count, first, next);
      uint32_t before = printer->elements;
      print_run(printer, out, first, run, index ? ", " : "");
      free(first->text);
      first->text = NULL;
      if (run < REPEATS && printer->elements - before < run) {
         fputs("...", out);
         return;
      }
      index += run;
   }
}

static void
print_array(struct printer *printer, FILE *out, const struct value *value)
{
   uint64_t count = value_count(value);
   struct element *pair = printer->depth < MAX_NESTED ? calloc(2, sizeof(*pair)) : NULL;
   if (!pair) {
      fputs("{...}", out);
      return;
   }
   printer->depth++;
   fputc('{', out);
   print_elements(printer, out, value, count, pair);
   fputc('}', out);
   printer->depth--;
   free(pair);
}

/* ---- everything ---- */

/* Of a handle, what its descriptor says. */
static void
print_opaque(FILE *out, const struct value *value)
{
   if (value->kind == VALUE_PLACE && value->place->object)
      fprintf(out, "<%s>", value->place->object);
   else
      fprintf(out, "<%s%s>", value->type->name,
              value->type->kind == HDB_TYPE_OPAQUE ? ", which has no bits to show" : "");
}

/* An object of several parts in memory that is not there, from its first byte to its last, says so once. */
static bool
print_missing(struct printer *printer, FILE *out, const struct value *value)
{
   const char *why, *also;
   uint8_t byte;
   uint64_t address, size = value->type->size;
   if (!value_in_memory(value, &address) || expr_is_scalar(value->type) || value->type->kind == HDB_TYPE_OPAQUE ||
       value_room(value) < (size ? size : 1))
      return false;
   if (!value_read(printer->expr, value, 0, &byte, 1, &why) ||
       !value_read(printer->expr, value, size ? size - 1 : 0, &byte, 1, &also))
      return false;
   print_why(out, why);
   return true;
}

static void
print(struct printer *printer, FILE *out, const struct value *value)
{
   const struct hdb_type *type = value->type;
   if (value->kind == VALUE_UNAVAILABLE)
      print_why(out, value->why);
   else if (print_missing(printer, out, value))
      return;
   else if (type->kind == HDB_TYPE_VECTOR || type->kind == HDB_TYPE_MATRIX)
      expr_is_numeric(type) ? print_components(printer, out, value) : (void)fputs("<a strange vector>", out);
   else if (expr_is_scalar(type))
      print_scalar(printer, out, value);
   else if (type->kind == HDB_TYPE_POINTER)
      print_pointer(printer, out, value);
   else if (type->kind == HDB_TYPE_STRUCT)
      print_struct(printer, out, value);
   else if (type->kind == HDB_TYPE_ARRAY && type->element)
      print_array(printer, out, value);
   else
      print_opaque(out, value);
}

void
print_value(struct expr *expr, FILE *out, const struct value *value, char format)
{
   struct printer printer = {.expr = expr, .format = format, .most = store_elements(expr->store)};
   print(&printer, out, value);
}

/* ---- formats ---- */

int
take_format(struct expr *expr, const char **text, char *format, bool *lanes)
{
   const char *at = *text;
   while (*at == ' ' || *at == '\t')
      at++;
   *lanes = false;
   while (*at == '/') {
      size_t length = 1 + strcspn(at + 1, " \t/");
      if (length == strlen("/lanes") && strncmp(at, "/lanes", length) == 0) {
         *lanes = true;
      } else if (length == 2 && strchr("xdufotcaz", at[1])) {
         *format = at[1];
      } else {
         return expr_fail(expr, 0, "no format %.*s: there are /x /z /d /u /o /t /c /f /a and /lanes", (int)length, at);
      }
      at += length;
      while (*at == ' ' || *at == '\t')
         at++;
   }
   *text = at;
   return 0;
}
