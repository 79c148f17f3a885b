/* SPDX-License-Identifier: MIT */
/*
 * Types as the source has them: names, members, enums, typedefs from the debug information, laid over the types that
 * say how they lie in memory. "SPIR-V NonSemantic Shader DebugInfo Instructions", 1.00 revision 6, section 4.5.
 */
#include "symbols/unit.h"

#include <string.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

#include "array.h"

#define MAX_UNORDERED_MEMBERS 1024

/* One that has been made; types that contain pointers to themselves meet it on the way. */
struct unit_overlay {
   const struct unit *unit;
   const struct hdb_type *type;
   uint32_t debug;
   struct hdb_type *made;
};

static const struct hdb_type *lay_over(struct unit *unit, const struct hdb_type *type, uint32_t debug);

uint32_t
unit_debug_number(struct unit *unit, const struct spirv_instruction *i, uint32_t operand)
{
   uint64_t value;
   return unit_constant(unit, spirv_debug_operand(i, operand), 0, &value) ? value : 0;
}

const char *
unit_debug_string(struct unit *unit, const struct spirv_instruction *i, uint32_t operand)
{
   const char *text = spirv_find_string(&unit->reader, spirv_debug_operand(i, operand));
   return text && *text ? text : NULL;
}

uint32_t
unit_debug_operand_count(const struct spirv_instruction *i)
{
   return i->count > 5 ? i->count - 5 : 0;
}

/* ---- what it says of types of the module ---- */

/* DebugTypeMember: name, type, source, line, column, offset, size, flags. A base class is no member here, but the first
 * one in memory: where the numbers differ, members stand for each other by name, else by order. */
static void
name_member(struct unit *unit, struct hdb_member *member, const struct spirv_instruction *debug)
{
   /* glslang 12 takes one DebugTypeMember for all members of a type, whatever their names: OpMemberName is right.
    * Others change the names in OpMemberName. */
   const char *name = unit_debug_string(unit, debug, 0);
   if (name && (member->unnamed || !unit->by_glslang))
      member->name = name;
   member->type = lay_over(unit, member->type, spirv_debug_operand(debug, 1));
}

static void
name_members(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *composite)
{
   uint32_t operands = unit_debug_operand_count(composite), count = 0;
   struct spirv_instruction *debug = unit_alloc(unit->symbols, (operands + 1) * sizeof(*debug));
   struct hdb_member *members = unit_alloc(unit->symbols, (type->member_count + 1) * sizeof(*members));
   if (!debug || !members)
      return;
   for (uint32_t k = 9; k < operands; k++)
      count += spirv_find_debug_instruction(&unit->reader, spirv_debug_operand(composite, k),
                                            NonSemanticShaderDebugInfo100DebugTypeMember, &debug[count]);
   memcpy(members, type->members, type->member_count * sizeof(*members));
   type->members = members;
   if (count == type->member_count) {
      for (uint32_t m = 0; m < count; m++)
         name_member(unit, &members[m], &debug[m]);
      return;
   }
   for (uint32_t n = 0; n < count && count < MAX_UNORDERED_MEMBERS; n++) {
      const char *name = unit_debug_string(unit, &debug[n], 0);
      for (uint32_t m = 0; name && m < type->member_count; m++) {
         if (strcmp(members[m].name, name) == 0)
            name_member(unit, &members[m], &debug[n]);
      }
   }
}

/* DebugTypeComposite: name, tag, source, line, column, parent, linkage name, size, flags, members. */
static void
name_composite(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i)
{
   const char *name = unit_debug_string(unit, i, 0);
   if (type->kind != HDB_TYPE_STRUCT)
      return;
   if (name && name[0] != '@')
      type->name = name;
   name_members(unit, type, i);
}

/* DebugTypeEnum: name, underlying type, source, line, column, parent, size, flags, then values and their names. */
static void
name_enum(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i)
{
   uint32_t operands = unit_debug_operand_count(i), count = operands > 8 ? (operands - 8) / 2 : 0;
   if (type->kind != HDB_TYPE_INT && type->kind != HDB_TYPE_UINT)
      return;
   const char *name = unit_debug_string(unit, i, 0);
   if (name)
      type->name = name;
   struct hdb_enumerator *enumerators = unit_alloc(unit->symbols, (count + 1) * sizeof(*enumerators));
   for (uint32_t k = 0; enumerators && k < count; k++) {
      const char *value_name = unit_debug_string(unit, i, 9 + 2 * k);
      uint32_t value = unit_debug_number(unit, i, 8 + 2 * k);
      enumerators[k].name = value_name ? value_name : "?";
      enumerators[k].value = type->kind == HDB_TYPE_INT ? (int64_t)(int32_t)value : (int64_t)value;
   }
   type->enumerators = enumerators;
   type->enumerator_count = enumerators ? count : 0;
}

/* The elements' type laid over; for arrays of arrays by one instruction, `skip` of its sizes are used up. */
static const struct hdb_type *
lay_over_elements(struct unit *unit, const struct hdb_type *type, const struct spirv_instruction *i, uint32_t skip)
{
   uint32_t base = spirv_debug_operand(i, 0);
   if (skip + 2 >= unit_debug_operand_count(i) || type->element->kind != HDB_TYPE_ARRAY)
      return lay_over(unit, type->element, base);
   struct hdb_type *inner = unit_alloc(unit->symbols, sizeof(*inner));
   if (!inner)
      return type->element;
   *inner = *type->element;
   inner->element = lay_over_elements(unit, inner, i, skip + 1);
   inner->name = unit_type_name(unit->symbols, unit->language, inner);
   return inner;
}

/* GLSL's and HLSL's bool lies in buffers as an integer. */
static void
name_basic(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i)
{
   if (unit_debug_number(unit, i, 2) != NonSemanticShaderDebugInfo100Boolean || type->kind != HDB_TYPE_UINT ||
       type->bits != 32)
      return;
   type->kind = HDB_TYPE_BOOL;
   type->name = unit_type_name(unit->symbols, unit->language, type);
}

static void
name_type(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i)
{
   switch (spirv_operand(i, 3)) {
   case NonSemanticShaderDebugInfo100DebugTypeBasic:
      name_basic(unit, type, i);
      break;
   case NonSemanticShaderDebugInfo100DebugTypeComposite:
      name_composite(unit, type, i);
      break;
   case NonSemanticShaderDebugInfo100DebugTypeEnum:
      name_enum(unit, type, i);
      break;
   case NonSemanticShaderDebugInfo100DebugTypePointer:
      if (type->kind == HDB_TYPE_POINTER) {
         type->element = lay_over(unit, type->element, spirv_debug_operand(i, 0));
         type->name = unit_type_name(unit->symbols, unit->language, type);
      }
      break;
   case NonSemanticShaderDebugInfo100DebugTypeArray:
      if (type->kind == HDB_TYPE_ARRAY) {
         type->element = lay_over_elements(unit, type, i, 0);
         type->name = unit_type_name(unit->symbols, unit->language, type);
      }
      break;
   case NonSemanticShaderDebugInfo100DebugTypeVector:
      if (type->kind == HDB_TYPE_VECTOR) {
         type->element = lay_over(unit, type->element, spirv_debug_operand(i, 0));
         type->name = unit_type_name(unit->symbols, unit->language, type);
      }
      break;
   }
}

/* ---- both ---- */

static struct hdb_type *
add_overlay(struct unit *unit, const struct hdb_type *type, uint32_t debug, bool *added)
{
   struct unit_table *table = unit->symbols->table;
   *added = false;
   for (size_t i = 0; i < table->overlay_count; i++) {
      const struct unit_overlay *overlay = &table->overlays[i];
      if (overlay->unit == unit && overlay->type == type && overlay->debug == debug)
         return overlay->made;
   }
   struct hdb_type *made = unit_alloc(unit->symbols, sizeof(*made));
   struct unit_overlay *overlay = made ? array_append(table->overlays, table->overlay_count) : NULL;
   if (!overlay)
      return NULL;
   *made = type ? *type : unit_unknown_type;
   *overlay = (struct unit_overlay){unit, type, debug, made};
   *added = true;
   return made;
}

static bool
follow_name(struct unit *unit, const struct spirv_instruction *i, uint32_t *target, const char **name)
{
   switch (spirv_operand(i, 3)) {
   case NonSemanticShaderDebugInfo100DebugTypeQualifier: /* base type, qualifier */
   case NonSemanticShaderDebugInfo100DebugTypeTemplate:  /* target, parameters */
      *name = NULL;
      *target = spirv_debug_operand(i, 0);
      return true;
   case NonSemanticShaderDebugInfo100DebugTypedef: /* name, base type, source, line, column, parent */
      *name = unit_debug_string(unit, i, 0);
      *target = spirv_debug_operand(i, 1);
      return true;
   default:
      return false;
   }
}

static const struct hdb_type *
lay_over(struct unit *unit, const struct hdb_type *type, uint32_t debug)
{
   struct spirv_instruction i;
   const char *name;
   uint32_t target;
   bool added;
   const struct hdb_type *plain = type ? type : &unit_unknown_type;
   if (!unit_define(unit, debug, &i) || !unit_is_debug(unit, &i, spirv_operand(&i, 3)) || !unit_enter(unit))
      return plain;
   struct hdb_type *made = add_overlay(unit, type, debug, &added);
   if (added) {
      if (follow_name(unit, &i, &target, &name)) {
         *made = *lay_over(unit, type, target);
         if (name && made->kind != HDB_TYPE_OPAQUE)
            made->name = name;
      } else {
         if (!type)
            unit_make_debug_type(unit, made, &i);
         name_type(unit, made, &i);
      }
   }
   unit_leave(unit);
   return made ? made : plain;
}

const struct hdb_type *
unit_debug_type(struct unit *unit, const struct hdb_type *type, uint32_t debug_id)
{
   return lay_over(unit, type, debug_id);
}

const struct hdb_type *
unit_overlay_type(const struct unit_table *table, size_t index)
{
   return table->overlays[index].made;
}

struct hdb_position
unit_debug_position(struct unit *unit, const struct spirv_instruction *i, uint32_t first)
{
   struct spirv_instruction source;
   uint32_t line = unit_debug_number(unit, i, first + 1);
   if (!line || !spirv_find_debug_instruction(&unit->reader, spirv_debug_operand(i, first),
                                              NonSemanticShaderDebugInfo100DebugSource, &source))
      return (struct hdb_position){0};
   return (struct hdb_position){unit_debug_string(unit, &source, 0), line, unit_debug_number(unit, i, first + 2)};
}

/* DebugLexicalBlock: source, line, column, parent; DebugLexicalBlockDiscriminator: source, discriminator, parent. */
bool
unit_parent_scope(struct unit *unit, uint32_t scope, uint32_t *parent)
{
   struct spirv_instruction block;
   if (spirv_find_debug_instruction(&unit->reader, scope, NonSemanticShaderDebugInfo100DebugLexicalBlock, &block))
      *parent = spirv_debug_operand(&block, 3);
   else if (spirv_find_debug_instruction(&unit->reader, scope,
                                         NonSemanticShaderDebugInfo100DebugLexicalBlockDiscriminator, &block))
      *parent = spirv_debug_operand(&block, 2);
   else
      return false;
   return true;
}

bool
unit_scope_encloses(struct unit *unit, uint32_t outer, uint32_t scope)
{
   for (unsigned depth = 0; depth < UNIT_MAX_DEPTH; depth++) {
      if (scope == outer)
         return true;
      if (!unit_parent_scope(unit, scope, &scope))
         return false;
   }
   return false;
}
