/* SPDX-License-Identifier: MIT */
/* The definition of a type, as its source might have it, with what its layout adds. */
#include <inttypes.h>
#include <string.h>

#include "expr/private.h"

#define MAX_MEMBERS 1000

/* "float tile[16][16]", "Blade *field": the name of a pointer's type has its star, that of what it points at none. */
static void
print_declaration(FILE *out, const struct hdb_type *type, const char *name)
{
   const struct hdb_type *element = type;
   int stars = 0;
   while ((element->kind == HDB_TYPE_ARRAY || element->kind == HDB_TYPE_POINTER) && element->element) {
      stars += element->kind == HDB_TYPE_POINTER;
      element = element->element;
   }
   fprintf(out, "%s ", element->name);
   while (stars--)
      fputc('*', out);
   fputs(name, out);
   for (; type->kind == HDB_TYPE_ARRAY && type->element; type = type->element) {
      if (type->count)
         fprintf(out, "[%u]", type->count);
      else
         fputs("[]", out);
   }
}

static void
print_struct(FILE *out, const struct hdb_type *type, const char *blocks)
{
   fprintf(out, "struct %s { // %" PRIu64 " bytes", type->name, type->size);
   if (type->unblocked)
      fputs(" outside of blocks", out);
   else if (blocks)
      fprintf(out, " in %s", blocks);
   fputc('\n', out);
   for (uint32_t i = 0; i < type->member_count && i < MAX_MEMBERS; i++) {
      fputs("   ", out);
      print_declaration(out, type->members[i].type, type->members[i].name);
      fprintf(out, "; // at %u\n", type->members[i].offset);
   }
   if (type->member_count > MAX_MEMBERS)
      fputs("   ...\n", out);
   fputc('}', out);
}

static void
print_enum(FILE *out, const struct hdb_type *type)
{
   fprintf(out, "enum %s {\n", type->name);
   for (uint32_t i = 0; i < type->enumerator_count && i < MAX_MEMBERS; i++)
      fprintf(out, "   %s = %" PRId64 ",\n", type->enumerators[i].name, type->enumerators[i].value);
   fputc('}', out);
}

/* Of a typedef, what it stands for. */
static const char *
basic_name(struct expr *expr, const struct hdb_type *type)
{
   if (!expr_is_numeric(type) || expr_find_own_type(expr, type->name))
      return type->name;
   const struct hdb_type *basic = expr_is_scalar(type)            ? expr_scalar_type(type->kind, type->bits)
                                  : type->kind == HDB_TYPE_VECTOR ? expr_vector_type(expr, type->element, type->count)
                                                                  : expr_matrix_type(expr, type->element->element,
                                                                                     type->count, type->element->count);
   return basic ? basic->name : type->name;
}

void
print_type(struct expr *expr, FILE *out, const struct hdb_type *type, const char *blocks)
{
   const struct hdb_type *element = type;
   while ((element->kind == HDB_TYPE_ARRAY || element->kind == HDB_TYPE_POINTER) && element->element)
      element = element->element;
   if (element->kind == HDB_TYPE_STRUCT)
      print_struct(out, element, blocks);
   else if (element->enumerator_count)
      print_enum(out, element);
   else
      fputs(basic_name(expr, element), out);
   const char *name = expr_type_name(expr, type);
   size_t length = strlen(element->name);
   if (name && element != type && strncmp(name, element->name, length) == 0)
      fputs(name + length, out); /* the stars and dimensions */
}
