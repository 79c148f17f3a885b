/* SPDX-License-Identifier: MIT */
/* Types that only the debug information has: of variables of which nothing but parts is left. They lie as the driver
 * would have laid them. */
#include "symbols/unit.h"

#include <string.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

static uint64_t
align_up(uint64_t value, uint32_t alignment)
{
   return (value + alignment - 1) / alignment * alignment;
}

/* DebugTypeBasic: name, size in bits, encoding, flags. */
static void
make_basic(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i)
{
   static const enum hdb_type_kind kinds[] = {
      [NonSemanticShaderDebugInfo100Boolean] = HDB_TYPE_BOOL,
      [NonSemanticShaderDebugInfo100Float] = HDB_TYPE_FLOAT,
      [NonSemanticShaderDebugInfo100Signed] = HDB_TYPE_INT,
      [NonSemanticShaderDebugInfo100SignedChar] = HDB_TYPE_INT,
      [NonSemanticShaderDebugInfo100Unsigned] = HDB_TYPE_UINT,
      [NonSemanticShaderDebugInfo100UnsignedChar] = HDB_TYPE_UINT,
   };
   uint32_t bits = unit_debug_number(unit, i, 1), encoding = unit_debug_number(unit, i, 2);
   if (encoding >= sizeof(kinds) / sizeof(kinds[0]) || kinds[encoding] == HDB_TYPE_VOID)
      return;
   if (kinds[encoding] == HDB_TYPE_BOOL)
      bits = 32;
   if (bits != 16 && bits != 32 && bits != 64 && (bits != 8 || kinds[encoding] == HDB_TYPE_FLOAT))
      return;
   *type = (struct hdb_type){.kind = kinds[encoding], .bits = bits, .scalars = 1, .align = bits / 8, .size = bits / 8};
   type->name = unit_type_name(unit->symbols, unit->language, type);
}

static void
make_elements(struct unit *unit, struct hdb_type *type, enum hdb_type_kind kind, const struct hdb_type *element,
              uint32_t count)
{
   uint64_t stride = align_up(element->size, element->align);
   if (!element->scalars || !count || stride > UINT32_MAX)
      return;
   *type = (struct hdb_type){.kind = kind, .element = element, .count = count, .stride = stride, .bits = element->bits};
   if (kind == HDB_TYPE_MATRIX)
      type->row_stride = element->stride;
   unit_lay_out(type);
   type->name = unit_type_name(unit->symbols, unit->language, type);
}

/* The struct of the module that has the composite's name and as many members: its values were of that type. */
static bool
find_struct(struct unit *unit, const struct spirv_instruction *composite, struct hdb_type *type)
{
   const char *name = unit_debug_string(unit, composite, 0), *other;
   struct spirv_instruction i;
   for (uint32_t id = 1; name && id < unit->reader.bound; id++) {
      if (!unit_define(unit, id, &i) || i.opcode != SpvOpTypeStruct ||
          i.count - 2 != unit_debug_operand_count(composite) - 9 || !(other = unit_name(unit, id)) ||
          strcmp(other, name) != 0)
         continue;
      *type = *unit_type(unit, id, HDB_LAYOUT_NATURAL);
      return true;
   }
   return false;
}

static void
make_struct(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *composite)
{
   uint32_t operands = unit_debug_operand_count(composite);
   struct hdb_member *members = operands > 9 ? unit_alloc(unit->symbols, operands * sizeof(*members)) : NULL;
   struct hdb_type made = {.kind = HDB_TYPE_STRUCT, .name = "struct", .align = 1, .members = members};
   struct spirv_instruction i;
   uint64_t end = 0;
   for (uint32_t k = 9; members && k < operands; k++) {
      if (!spirv_find_debug_instruction(&unit->reader, spirv_debug_operand(composite, k),
                                        NonSemanticShaderDebugInfo100DebugTypeMember, &i))
         continue;
      struct hdb_member *member = &members[made.member_count++];
      member->type = unit_debug_type(unit, NULL, spirv_debug_operand(&i, 1));
      member->name = unit_debug_string(unit, &i, 0);
      if (!member->name)
         member->name = "?";
      end = align_up(end, member->type->align);
      if (!member->type->scalars || end > UINT32_MAX)
         return;
      member->offset = end;
      end += member->type->size;
      made.scalars += member->type->scalars;
      made.align = member->type->align > made.align ? member->type->align : made.align;
   }
   made.size = align_up(end, made.align);
   if (made.member_count)
      *type = made;
}

/* An enum's values are of its underlying type; typedefs and qualifiers name another type. */
void
unit_make_debug_type(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i)
{
   const struct hdb_type *element;
   switch (spirv_operand(i, 3)) {
   case NonSemanticShaderDebugInfo100DebugTypeBasic:
      make_basic(unit, type, i);
      break;
   case NonSemanticShaderDebugInfo100DebugTypeVector:
      element = unit_debug_type(unit, NULL, spirv_debug_operand(i, 0));
      if (element->kind >= HDB_TYPE_BOOL && element->kind <= HDB_TYPE_FLOAT && unit_debug_number(unit, i, 1) <= 16)
         make_elements(unit, type, HDB_TYPE_VECTOR, element, unit_debug_number(unit, i, 1));
      break;
   case NonSemanticShaderDebugInfo100DebugTypeMatrix:
      element = unit_debug_type(unit, NULL, spirv_debug_operand(i, 0));
      if (element->kind == HDB_TYPE_VECTOR && element->count <= 4 && unit_debug_number(unit, i, 1) <= 4)
         make_elements(unit, type, HDB_TYPE_MATRIX, element, unit_debug_number(unit, i, 1));
      break;
   case NonSemanticShaderDebugInfo100DebugTypeArray: /* base type, then the sizes from the outermost to the innermost */
      element = unit_debug_type(unit, NULL, spirv_debug_operand(i, 0));
      for (uint32_t k = unit_debug_operand_count(i); k-- > 2;) {
         struct hdb_type *inner = unit_alloc(unit->symbols, sizeof(*inner));
         if (!inner)
            return;
         *inner = unit_unknown_type;
         make_elements(unit, inner, HDB_TYPE_ARRAY, element, unit_debug_number(unit, i, k));
         element = inner;
      }
      make_elements(unit, type, HDB_TYPE_ARRAY, element, unit_debug_number(unit, i, 1));
      break;
   case NonSemanticShaderDebugInfo100DebugTypeEnum:
      element = unit_debug_type(unit, NULL, spirv_debug_operand(i, 1));
      *type = *element;
      break;
   case NonSemanticShaderDebugInfo100DebugTypeComposite:
      if (unit_debug_operand_count(i) > 9 && !find_struct(unit, i, type))
         make_struct(unit, type, i);
      break;
   }
}
