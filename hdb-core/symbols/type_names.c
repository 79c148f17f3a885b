/* SPDX-License-Identifier: MIT */
/* Names of types that have none in the module, as GLSL and HLSL spell them. */
#include "symbols/unit.h"

#include <stdio.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

/* SPV_KHR_cooperative_matrix; not in every version of the header. */
#define OP_TYPE_COOPERATIVE_MATRIX_KHR 4456

static const char *
scalar_name(enum hdb_language language, const struct hdb_type *type)
{
   bool hlsl = language == HDB_LANGUAGE_HLSL;
   switch (type->kind) {
   case HDB_TYPE_VOID:
      return "void";
   case HDB_TYPE_BOOL:
      return "bool";
   case HDB_TYPE_INT:
      return type->bits == 8 ? "int8_t" : type->bits == 16 ? "int16_t" : type->bits == 64 ? "int64_t" : "int";
   case HDB_TYPE_UINT:
      return type->bits == 8 ? "uint8_t" : type->bits == 16 ? "uint16_t" : type->bits == 64 ? "uint64_t" : "uint";
   case HDB_TYPE_FLOAT:
      if (type->bits == 16)
         return hlsl ? "half" : "float16_t";
      return type->bits == 64 ? "double" : "float";
   default:
      return "?";
   }
}

/* What stands before "vec3" and "mat3" in GLSL. */
static const char *
prefix(const struct hdb_type *scalar)
{
   switch (scalar->kind) {
   case HDB_TYPE_BOOL:
      return "b";
   case HDB_TYPE_INT:
      return scalar->bits == 8 ? "i8" : scalar->bits == 16 ? "i16" : scalar->bits == 64 ? "i64" : "i";
   case HDB_TYPE_UINT:
      return scalar->bits == 8 ? "u8" : scalar->bits == 16 ? "u16" : scalar->bits == 64 ? "u64" : "u";
   default:
      return scalar->bits == 16 ? "f16" : scalar->bits == 64 ? "d" : "";
   }
}

/* The sizes of an array of arrays stand from the outermost to the innermost. */
static const char *
array_name(struct hdb_symbols *symbols, const struct hdb_type *type)
{
   char sizes[256];
   size_t length = 0;
   for (; type->kind == HDB_TYPE_ARRAY && length + 16 < sizeof(sizes); type = type->element) {
      if (type->count)
         length += snprintf(sizes + length, sizeof(sizes) - length, "[%u]", type->count);
      else
         length += snprintf(sizes + length, sizeof(sizes) - length, "[]");
   }
   return unit_printf(symbols, "%s%s", type->name, sizes);
}

/* HLSL's float4x3 has four rows, which are SPIR-V's columns; GLSL's mat4x3 has four columns. */
const char *
unit_type_name(struct hdb_symbols *symbols, enum hdb_language language, const struct hdb_type *type)
{
   bool hlsl = language == HDB_LANGUAGE_HLSL;
   const struct hdb_type *element = type->element;
   switch (type->kind) {
   case HDB_TYPE_VECTOR:
      if (hlsl)
         return unit_printf(symbols, "%s%u", element->name, type->count);
      return unit_printf(symbols, "%svec%u", prefix(element), type->count);
   case HDB_TYPE_MATRIX:
      if (hlsl)
         return unit_printf(symbols, "%s%ux%u", element->element->name, type->count, element->count);
      if (type->count == element->count)
         return unit_printf(symbols, "%smat%u", prefix(element->element), type->count);
      return unit_printf(symbols, "%smat%ux%u", prefix(element->element), type->count, element->count);
   case HDB_TYPE_ARRAY:
      return array_name(symbols, type);
   case HDB_TYPE_POINTER:
      return unit_printf(symbols, "%s *", element->name);
   default:
      return scalar_name(language, type);
   }
}

/* ---- images and the like ---- */

static const char *const dimensions[] = {"1D", "2D", "3D", "Cube", "2DRect", "Buffer"};

/* OpTypeImage: sampled type, dimension, depth, arrayed, multisampled, sampled (SPIR-V specification, 3.42.6). */
static const char *
image_name(struct unit *unit, const struct spirv_instruction *image, bool combined)
{
   uint32_t dimension = spirv_operand(image, 2);
   struct spirv_instruction sampled;
   const struct hdb_type *texel = &unit_unknown_type;
   if (unit_define(unit, spirv_operand(image, 1), &sampled) &&
       (sampled.opcode == SpvOpTypeInt || sampled.opcode == SpvOpTypeFloat))
      texel = unit_type(unit, spirv_operand(image, 1), HDB_LAYOUT_NATURAL);
   bool storage = spirv_operand(image, 6) == 2;
   const char *multisampled = spirv_operand(image, 5) ? "MS" : "", *arrayed = spirv_operand(image, 4) ? "Array" : "";
   if (dimension == SpvDimSubpassData)
      return "subpassInput";
   if (dimension >= sizeof(dimensions) / sizeof(dimensions[0]))
      return "image";
   if (unit->language == HDB_LANGUAGE_HLSL && dimension == SpvDimBuffer)
      return unit_printf(unit->symbols, "%sBuffer<%s>", storage ? "RW" : "", texel->name);
   if (unit->language == HDB_LANGUAGE_HLSL)
      return unit_printf(unit->symbols, "%sTexture%s%s%s<%s4>", storage ? "RW" : "", dimensions[dimension],
                         multisampled, arrayed, texel->name);
   bool shadow = combined && spirv_operand(image, 3) == 1;
   return unit_printf(unit->symbols, "%s%s%s%s%s%s", prefix(texel),
                      combined  ? "sampler"
                      : storage ? "image"
                                : "texture",
                      dimensions[dimension], multisampled, arrayed, shadow ? "Shadow" : "");
}

const char *
unit_opaque_name(struct unit *unit, const struct spirv_instruction *type)
{
   bool hlsl = unit->language == HDB_LANGUAGE_HLSL;
   struct spirv_instruction image;
   switch (type->opcode) {
   case SpvOpTypeImage:
      return image_name(unit, type, false);
   case SpvOpTypeSampledImage:
      if (!spirv_find_definition(&unit->reader, spirv_operand(type, 1), SpvOpTypeImage, &image))
         return "?";
      return image_name(unit, &image, true);
   case SpvOpTypeSampler:
      return hlsl ? "SamplerState" : "sampler";
   case SpvOpTypeAccelerationStructureKHR:
      return hlsl ? "RaytracingAccelerationStructure" : "accelerationStructureEXT";
   case SpvOpTypeRayQueryKHR:
      return hlsl ? "RayQuery" : "rayQueryEXT";
   case SpvOpTypePointer:
      return "pointer";
   case SpvOpTypeCooperativeMatrixNV:
   case OP_TYPE_COOPERATIVE_MATRIX_KHR:
      return "coopmat";
   default: {
      const char *name = unit_name(unit, spirv_operand(type, 0));
      return name && *name ? name : "?";
   }
   }
}
