/* SPDX-License-Identifier: MIT */
/*
 * Types, from OpType* and the decorations that lay them out.
 *
 * Decorated: SPIR-V specification, 2.16.2 and 3.20 (Offset, ArrayStride, MatrixStride, RowMajor); Vulkan, "Offset and
 * Stride Assignment". Natural: as Mesa 25.0.7 lays variables out, glsl_get_explicit_type_for_size_align with
 * glsl_get_natural_size_align_bytes (src/compiler/glsl_types.c); RADV's shared_var_info gives the same. Where a
 * decoration is missing, the natural layout takes its place.
 */
#define SPV_ENABLE_UTILITY_CODE
#include "symbols/unit.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "array.h"

const struct hdb_type unit_unknown_type = {.kind = HDB_TYPE_OPAQUE, .name = "?", .align = 1};

/* How matrices in a member lie; the decorations are the member's. */
struct matrix_layout {
   uint32_t stride; /* 0: none is given */
   bool row_major;
};

static const struct hdb_type *build(struct unit *unit, uint32_t id, enum hdb_layout layout,
                                    const struct matrix_layout *matrix, unsigned depth);

static uint64_t
align_up(uint64_t value, uint32_t alignment)
{
   return (value + alignment - 1) / alignment * alignment;
}

static uint64_t
multiply(uint64_t a, uint64_t b)
{
   return b && a > UINT64_MAX / 4 / b ? UINT64_MAX / 4 : a * b;
}

static size_t
add_scalars(size_t a, size_t b)
{
   return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* Size and alignment of what has elements at a stride. The last one is as long as it is itself. */
void
unit_lay_out(struct hdb_type *type)
{
   size_t each = type->element->scalars;
   type->align = type->element->align;
   type->scalars = each && type->count > SIZE_MAX / each ? SIZE_MAX : each * type->count;
   if (type->kind == HDB_TYPE_MATRIX && type->row_stride > type->stride)
      type->size = multiply(type->element->count - 1, type->row_stride) + multiply(type->count, type->stride);
   else
      type->size = type->count ? multiply(type->count - 1, type->stride) + type->element->size : 0;
}

static void
build_scalar(struct hdb_type *type, enum hdb_type_kind kind, uint32_t bits)
{
   type->kind = kind;
   type->bits = bits;
   type->size = type->align = bits / 8;
   type->scalars = 1;
}

static bool
build_integer(struct hdb_type *type, uint32_t bits, bool is_signed)
{
   if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      return false;
   build_scalar(type, is_signed ? HDB_TYPE_INT : HDB_TYPE_UINT, bits);
   return true;
}

/* A fourth operand names another encoding than IEEE 754's (BFloat16, FP8): those are not shown. */
static bool
build_float(struct hdb_type *type, const struct spirv_instruction *i)
{
   uint32_t bits = spirv_operand(i, 1);
   if ((bits != 16 && bits != 32 && bits != 64) || i->count > 3)
      return false;
   build_scalar(type, HDB_TYPE_FLOAT, bits);
   return true;
}

static bool
build_vector(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i, enum hdb_layout layout,
             unsigned depth)
{
   type->kind = HDB_TYPE_VECTOR;
   type->element = build(unit, spirv_operand(i, 1), layout, NULL, depth);
   type->count = spirv_operand(i, 2);
   if (type->element->kind < HDB_TYPE_BOOL || type->element->kind > HDB_TYPE_FLOAT || type->count < 2 ||
       type->count > 16)
      return false;
   type->bits = type->element->bits;
   type->stride = type->element->size;
   unit_lay_out(type);
   return true;
}

static bool
build_matrix(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i, enum hdb_layout layout,
             const struct matrix_layout *matrix, unsigned depth)
{
   type->kind = HDB_TYPE_MATRIX;
   const struct hdb_type *column = build(unit, spirv_operand(i, 1), layout, NULL, depth);
   type->element = column;
   type->count = spirv_operand(i, 2);
   if (column->kind != HDB_TYPE_VECTOR || type->count < 2 || type->count > 4 || column->count > 4)
      return false;
   type->bits = column->bits;
   type->stride = column->size;
   type->row_stride = column->stride;
   if (matrix && matrix->stride && matrix->row_major) {
      struct hdb_type *spread = unit_alloc(unit->symbols, sizeof(*spread));
      if (!spread)
         return false;
      *spread = *column;
      spread->stride = matrix->stride;
      unit_lay_out(spread);
      type->element = spread;
      type->stride = column->stride;
      type->row_stride = matrix->stride;
   } else if (matrix && matrix->stride) {
      type->stride = matrix->stride;
   }
   unit_lay_out(type);
   return true;
}

static bool
build_array(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i, enum hdb_layout layout,
            const struct matrix_layout *matrix, unsigned depth)
{
   type->kind = HDB_TYPE_ARRAY;
   type->element = build(unit, spirv_operand(i, 1), layout, matrix, depth);
   uint64_t count = 0;
   if (i->opcode == SpvOpTypeArray &&
       (!unit_constant(unit, spirv_operand(i, 2), 0, &count) || count == 0 || count > UINT32_MAX))
      return false;
   type->count = count;
   uint64_t stride = align_up(type->element->size, type->element->align);
   type->stride = stride > UINT32_MAX ? UINT32_MAX : stride;
   if (layout == HDB_LAYOUT_DECORATED)
      unit_decoration(unit, spirv_operand(i, 0), SPIRV_NONE, SpvDecorationArrayStride, &type->stride);
   unit_lay_out(type);
   return true;
}

static bool
build_struct(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i, enum hdb_layout layout,
             unsigned depth)
{
   uint32_t id = spirv_operand(i, 0), count = i->count - 2;
   struct hdb_member *members = unit_alloc(unit->symbols, (count + 1) * sizeof(*members));
   if (!members)
      return false;
   uint64_t end = 0;
   type->kind = HDB_TYPE_STRUCT;
   type->align = 1;
   for (uint32_t m = 0; m < count; m++) {
      struct matrix_layout matrix = {0};
      if (layout == HDB_LAYOUT_DECORATED) {
         unit_decoration(unit, id, m, SpvDecorationMatrixStride, &matrix.stride);
         matrix.row_major = unit_decoration(unit, id, m, SpvDecorationRowMajor, NULL);
      }
      const char *name = unit_member_name(unit, id, m);
      members[m].unnamed = !name || !*name;
      members[m].name = members[m].unnamed ? unit_printf(unit->symbols, "member%u", m) : name;
      members[m].type = build(unit, spirv_operand(i, 1 + m), layout, matrix.stride ? &matrix : NULL, depth);
      members[m].offset = align_up(end, members[m].type->align);
      if (layout == HDB_LAYOUT_DECORATED)
         unit_decoration(unit, id, m, SpvDecorationOffset, &members[m].offset);
      if (members[m].type->align > type->align)
         type->align = members[m].type->align;
      type->scalars = add_scalars(type->scalars, members[m].type->scalars);
      uint64_t member_end = members[m].offset + members[m].type->size;
      if (member_end > end)
         end = member_end;
   }
   /* Padding behind the last member is counted where all that is in it is ours. */
   type->size = layout == HDB_LAYOUT_NATURAL ? align_up(end, type->align) : end;
   type->members = members;
   type->member_count = count;
   type->unblocked = layout == HDB_LAYOUT_NATURAL;
   return true;
}

static bool
build_opaque(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i)
{
   *type = (struct hdb_type){.kind = HDB_TYPE_OPAQUE, .name = unit_opaque_name(unit, i), .align = 1};
   return true;
}

static const char *
struct_name(struct unit *unit, uint32_t id)
{
   const char *name = unit_name(unit, id);
   if (!name || !*name)
      return "struct";
   /* DXC calls the type of `cbuffer Camera` "type.Camera". */
   return strncmp(name, "type.", 5) == 0 && name[5] ? name + 5 : name;
}

/* What it points at may contain it, so that is built when all else is. */
static bool
build_pointer(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i)
{
   if (spirv_operand(i, 1) != SpvStorageClassPhysicalStorageBuffer)
      return build_opaque(unit, type, i);
   struct unit_pointer *pending = array_append(unit->pointers, unit->pointer_count);
   if (!pending)
      return false;
   build_scalar(type, HDB_TYPE_POINTER, 64);
   type->element = &unit_unknown_type;
   struct spirv_instruction pointee;
   if (unit_define(unit, spirv_operand(i, 2), &pointee) && pointee.opcode == SpvOpTypeStruct)
      type->name = unit_printf(unit->symbols, "%s *", struct_name(unit, spirv_operand(i, 2)));
   *pending = (struct unit_pointer){.id = spirv_operand(i, 0), .pointee = spirv_operand(i, 2)};
   return true;
}

/* GLSL_EXT_buffer_reference2: elements are the struct's size apart, rounded up to buffer_reference_align. glslang works
 * with addresses and decorates nothing, but says of each access how it is aligned: by what the reference has in common
 * with the member's offset. Where that is less than the offset's own, it is the reference's. */
static void
note_alignment(struct unit *unit, const struct spirv_instruction *access)
{
   uint32_t mask = access->opcode == SpvOpLoad ? 3 : 2, aligned = spirv_operand(access, mask + 1), offset;
   struct spirv_instruction chain, base, pointer;
   if (!(spirv_operand(access, mask) & SpvMemoryAccessAlignedMask) || !aligned ||
       !unit_define(unit, spirv_operand(access, access->opcode == SpvOpLoad ? 2 : 0), &chain) ||
       chain.opcode != SpvOpAccessChain || chain.count != 5 || !unit_define(unit, spirv_operand(&chain, 2), &base) ||
       !unit_define(unit, spirv_operand(&base, 0), &pointer) || pointer.opcode != SpvOpTypePointer)
      return;
   uint32_t member = spirv_find_constant(&unit->reader, spirv_operand(&chain, 3));
   if (unit_decoration(unit, spirv_operand(&pointer, 2), member, SpvDecorationOffset, &offset) &&
       (!offset || (offset & -offset) > aligned))
      unit->alignments[spirv_operand(&pointer, 0)] = aligned;
}

static uint32_t
reference_alignment(struct unit *unit, uint32_t pointer)
{
   enum { HEADER_WORDS = 5, UNSEEN = 16 }; /* the extension's default */
   struct spirv_instruction i;
   if (!unit->alignments) {
      unit->alignments = unit_alloc(unit->symbols, unit->reader.bound * sizeof(*unit->alignments));
      if (!unit->alignments)
         return UNSEEN;
      for (uint32_t word = HEADER_WORDS; word < unit->reader.word_count; word += i.count) {
         if (spirv_read_instruction(&unit->reader, word, &i))
            break;
         if (i.opcode == SpvOpLoad || i.opcode == SpvOpStore)
            note_alignment(unit, &i);
      }
   }
   return pointer < unit->reader.bound && unit->alignments[pointer] ? unit->alignments[pointer] : UNSEEN;
}

static void
build_pointees(struct unit *unit)
{
   while (unit->pointer_count) {
      struct unit_pointer pointer = unit->pointers[--unit->pointer_count];
      const struct hdb_type *pointee = build(unit, pointer.pointee, HDB_LAYOUT_DECORATED, NULL, 0);
      uint64_t align = unit->by_glslang ? reference_alignment(unit, pointer.id) : pointee->align;
      uint64_t size = align_up(pointee->size, align);
      uint32_t stride = size > UINT32_MAX ? UINT32_MAX : size;
      unit_decoration(unit, pointer.id, SPIRV_NONE, SpvDecorationArrayStride, &stride);
      for (int layout = 0; layout < 2; layout++) {
         struct hdb_type *type = unit->types[layout][pointer.id];
         if (!type || type->kind != HDB_TYPE_POINTER)
            continue;
         type->element = pointee;
         type->stride = stride;
         type->name = unit_printf(unit->symbols, "%s *", pointee->name);
      }
   }
}

static bool
build_kind(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i, enum hdb_layout layout,
           const struct matrix_layout *matrix, unsigned depth)
{
   switch (i->opcode) {
   case SpvOpTypeVoid:
      *type = (struct hdb_type){.kind = HDB_TYPE_VOID, .align = 1}; /* also where it has no place, as a member */
      return true;
   case SpvOpTypeBool:
      build_scalar(type, HDB_TYPE_BOOL, 32);
      return true;
   case SpvOpTypeInt:
      return build_integer(type, spirv_operand(i, 1), spirv_operand(i, 2));
   case SpvOpTypeFloat:
      return build_float(type, i);
   case SpvOpTypeVector:
      return build_vector(unit, type, i, layout, depth);
   case SpvOpTypeMatrix:
      return build_matrix(unit, type, i, layout, matrix, depth);
   case SpvOpTypeArray:
   case SpvOpTypeRuntimeArray:
      return build_array(unit, type, i, layout, matrix, depth);
   case SpvOpTypeStruct:
      return build_struct(unit, type, i, layout, depth);
   case SpvOpTypePointer:
      return build_pointer(unit, type, i);
   default:
      return build_opaque(unit, type, i);
   }
}

/* A type that contains itself, or is nested deeper than any real one, ends as unknown. */
static const struct hdb_type *
build(struct unit *unit, uint32_t id, enum hdb_layout layout, const struct matrix_layout *matrix, unsigned depth)
{
   static struct hdb_type in_progress;
   struct spirv_instruction i;
   if (!unit_define(unit, id, &i) || i.count < 2 || depth >= UNIT_MAX_DEPTH)
      return &unit_unknown_type;
   if (i.opcode != SpvOpTypeMatrix && i.opcode != SpvOpTypeArray && i.opcode != SpvOpTypeRuntimeArray)
      matrix = NULL;
   struct hdb_type **known = &unit->types[layout][id];
   if (!matrix && *known)
      return *known == &in_progress ? &unit_unknown_type : *known;
   struct hdb_type *type = unit_alloc(unit->symbols, sizeof(*type));
   if (!type)
      return &unit_unknown_type;
   if (!matrix)
      *known = &in_progress;
   if (!build_kind(unit, type, &i, layout, matrix, depth + 1))
      *type = unit_unknown_type;
   else if (i.opcode == SpvOpTypeStruct)
      type->name = struct_name(unit, id);
   else if (!type->name)
      type->name = unit_type_name(unit->symbols, unit->language, type);
   if (!matrix)
      *known = type;
   return type;
}

const struct hdb_type *
unit_type(struct unit *unit, uint32_t id, enum hdb_layout layout)
{
   if (!unit_enter(unit))
      return &unit_unknown_type;
   const struct hdb_type *type = build(unit, id, layout, NULL, 0);
   if (unit->nesting == 1) /* the length of an array may need other types */
      build_pointees(unit);
   unit_leave(unit);
   return type;
}

/* The type of an id's value; unknown if it is a type itself. */
const struct hdb_type *
unit_type_of(struct unit *unit, uint32_t id)
{
   struct spirv_instruction i;
   bool has_result, has_type;
   if (!unit_define(unit, id, &i))
      return &unit_unknown_type;
   SpvHasResultAndType((SpvOp)i.opcode, &has_result, &has_type);
   return has_type ? unit_type(unit, spirv_operand(&i, 0), HDB_LAYOUT_NATURAL) : &unit_unknown_type;
}

/* ---- parts of a type ---- */

bool
unit_step(struct unit_part *part, uint64_t index)
{
   const struct hdb_type *type = part->type;
   if (type->kind == HDB_TYPE_STRUCT) {
      if (index >= type->member_count)
         return false;
      for (uint32_t m = 0; m < index; m++)
         part->first = add_scalars(part->first, type->members[m].type->scalars);
      part->offset += type->members[index].offset;
      part->type = type->members[index].type;
      return true;
   }
   if (type->kind < HDB_TYPE_VECTOR || type->kind > HDB_TYPE_ARRAY || index >= type->count)
      return false;
   size_t each = type->element->scalars;
   part->first = each && index > SIZE_MAX / each ? SIZE_MAX : add_scalars(part->first, index * each);
   part->offset += index * type->stride;
   part->type = type->element;
   return true;
}

const struct hdb_type *
unit_find_leaf(const struct hdb_type *type, size_t leaf, uint64_t *offset)
{
   struct unit_part part = {.type = type};
   if (leaf >= type->scalars)
      return NULL;
   while (part.type->kind >= HDB_TYPE_VECTOR && part.type->kind <= HDB_TYPE_STRUCT) {
      size_t rest = leaf - part.first;
      uint64_t index = 0;
      if (part.type->kind == HDB_TYPE_STRUCT) {
         for (; rest >= part.type->members[index].type->scalars; index++)
            rest -= part.type->members[index].type->scalars;
      } else {
         index = rest / part.type->element->scalars;
      }
      if (!unit_step(&part, index))
         return NULL;
   }
   *offset = part.offset;
   return part.type;
}
