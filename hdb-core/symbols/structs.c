/* SPDX-License-Identifier: MIT */
/* Structs by name. A compiler has the same one of the source once for each layout that blocks give to it. */
#include "symbols/unit.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

static bool
is_named(struct unit *unit, uint32_t id)
{
   struct spirv_instruction i;
   const char *name;
   return unit_define(unit, id, &i) && i.opcode == SpvOpTypeStruct && (name = unit_name(unit, id)) && *name;
}

static enum hdb_layout
layout_of(struct unit *unit, uint32_t id)
{
   bool decorated = unit_decoration(unit, id, 0, SpvDecorationOffset, NULL);
   return decorated ? HDB_LAYOUT_DECORATED : HDB_LAYOUT_NATURAL;
}

const struct hdb_type *
unit_find_struct(struct unit *unit, const char *name, enum hdb_layout layout)
{
   const struct hdb_type *found = NULL;
   for (uint32_t id = 1; id < unit->reader.bound; id++) {
      if (!is_named(unit, id))
         continue;
      enum hdb_layout own = layout == HDB_LAYOUT_DECORATED ? layout_of(unit, id) : layout;
      const struct hdb_type *type = unit_type(unit, id, own);
      if (strcmp(type->name, name) == 0 && (!found || (found->unblocked && !type->unblocked)))
         found = type;
   }
   return found;
}

/* Structs, enums and typedefs of the debug information; the basic types in it are the language's own. */
static bool
is_of_source(const struct hdb_type *type)
{
   return type->kind != HDB_TYPE_OPAQUE && type->kind != HDB_TYPE_ARRAY && type->kind != HDB_TYPE_POINTER &&
          !unit_is_own_type(type->name);
}

const struct hdb_type *
hdb_symbols_type(struct hdb_symbols *symbols, size_t index)
{
   struct unit_table *table = unit_table(symbols);
   for (size_t u = 0; table && u < table->unit_count; u++) {
      struct unit *unit = &table->units[u];
      for (uint32_t id = 1; id < unit->reader.bound; id++) {
         if (is_named(unit, id) && index-- == 0)
            return unit_type(unit, id, layout_of(unit, id));
      }
   }
   for (size_t i = 0; table && i < table->overlay_count; i++) {
      const struct hdb_type *type = unit_overlay_type(table, i);
      if (is_of_source(type) && index-- == 0)
         return type;
   }
   return NULL;
}

/* ---- layouts ---- */

/* Types may be nested so that there is no end to the ways through them. */
static bool
goes_on(unsigned *steps)
{
   return *steps && (*steps)--;
}

static bool
same_layout(const struct hdb_type *a, const struct hdb_type *b, unsigned *steps)
{
   if (a == b)
      return true;
   if (!goes_on(steps) || a->kind != b->kind || a->bits != b->bits || a->count != b->count || a->size != b->size ||
       a->stride != b->stride || a->row_stride != b->row_stride || a->member_count != b->member_count)
      return false;
   for (uint32_t m = 0; m < a->member_count; m++) {
      if (a->members[m].offset != b->members[m].offset || !same_layout(a->members[m].type, b->members[m].type, steps))
         return false;
   }
   return a->kind == HDB_TYPE_POINTER || !a->element || !b->element || same_layout(a->element, b->element, steps);
}

/* Without pointers between them. */
static bool
contains(const struct hdb_type *type, const struct hdb_type *part, unsigned *steps)
{
   while (type->kind == HDB_TYPE_ARRAY && type->element)
      type = type->element;
   if (type->kind != HDB_TYPE_STRUCT || !goes_on(steps))
      return false;
   if (strcmp(type->name, part->name) == 0 && same_layout(type, part, steps))
      return true;
   for (uint32_t m = 0; m < type->member_count; m++) {
      if (contains(type->members[m].type, part, steps))
         return true;
   }
   return false;
}

/* "Camera, Lights": the blocks that have the struct in them; "": none. */
static const char *
name_blocks(struct unit *unit, const struct hdb_type *type)
{
   const char *names = "";
   for (uint32_t id = 1; id < unit->reader.bound; id++) {
      unsigned steps = UNIT_MAX_STEPS;
      if (!is_named(unit, id) || (!unit_decoration(unit, id, SPIRV_NONE, SpvDecorationBlock, NULL) &&
                                  !unit_decoration(unit, id, SPIRV_NONE, SpvDecorationBufferBlock, NULL)))
         continue;
      const struct hdb_type *block = unit_type(unit, id, HDB_LAYOUT_DECORATED);
      if (contains(block, type, &steps))
         names = *names ? unit_printf(unit->symbols, "%s, %s", names, block->name) : block->name;
   }
   return names;
}

size_t
hdb_symbols_layouts(struct hdb_symbols *symbols, const char *name, struct hdb_struct_layout *list, size_t capacity)
{
   struct unit_table *table = unit_table(symbols);
   size_t count = 0;
   for (size_t u = 0; table && u < table->unit_count; u++) {
      struct unit *unit = &table->units[u];
      for (uint32_t id = 1; id < unit->reader.bound && count < capacity; id++) {
         if (!is_named(unit, id) || layout_of(unit, id) != HDB_LAYOUT_DECORATED)
            continue;
         const struct hdb_type *type = unit_type(unit, id, HDB_LAYOUT_DECORATED);
         bool known = strcmp(type->name, name) != 0;
         for (size_t i = 0; i < count && !known; i++) {
            unsigned steps = UNIT_MAX_STEPS;
            known = same_layout(list[i].type, type, &steps);
         }
         if (!known)
            list[count++] = (struct hdb_struct_layout){type, name_blocks(unit, type)};
      }
   }
   return count;
}
