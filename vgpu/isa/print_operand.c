/* SPDX-License-Identifier: MIT */
/* Registers and constants as text. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/print.h"

void
put(struct text *text, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   int length = vsnprintf(text->at, text->left, format, args);
   va_end(args);
   if (length < 0)
      return;
   text->length += (size_t)length;
   size_t written = (size_t)length < text->left ? (size_t)length : text->left ? text->left - 1 : 0;
   text->at += written;
   text->left -= written;
}

void
put_separator(struct text *text, bool *first)
{
   put(text, *first ? " " : ", ");
   *first = false;
}

void
put_vgprs(struct text *text, unsigned first, unsigned dwords)
{
   if (dwords <= 1)
      put(text, "v%u", first);
   else
      put(text, "v[%u:%u]", first, first + dwords - 1);
}

static void
put_range(struct text *text, const char *name, unsigned first, unsigned dwords)
{
   if (dwords <= 1)
      put(text, "%s%u", name, first);
   else
      put(text, "%s[%u:%u]", name, first, first + dwords - 1);
}

void
put_scalar(struct text *text, unsigned selector, unsigned dwords)
{
   static const char *const special[] = {
      [106] = "vcc_lo",
      [107] = "vcc_hi",
      [124] = "null",
      [125] = "m0",
      [126] = "exec_lo",
      [127] = "exec_hi",
      [235] = "src_shared_base",
      [236] = "src_shared_limit",
      [237] = "src_private_base",
      [238] = "src_private_limit",
      [239] = "src_pops_exiting_wave_id",
      [251] = "src_vccz",
      [252] = "src_execz",
      [253] = "src_scc",
      [254] = "src_lds_direct",
   };
   if (selector < 106)
      put_range(text, "s", selector, dwords);
   else if (selector >= 108 && selector < 124)
      put_range(text, "ttmp", selector - 108, dwords);
   else if (dwords == 2 && selector == 106)
      put(text, "vcc");
   else if (dwords == 2 && selector == 126)
      put(text, "exec");
   else
      put(text, "%s", selector < 255 && special[selector] ? special[selector] : "?");
}

/* ---- constants: integers from -16 to 64 in decimal, the inline floats by their names, all else in hexadecimal ---- */

static const char inverse_two_pi[] = "0.15915494309189532"; /* in full */
static const char *const float_names[9] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};

static bool
is_inline_integer(int64_t value)
{
   return value >= -16 && value <= 64;
}

static const char *
half_name(uint16_t bits)
{
   static const uint16_t halfs[9] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
   for (unsigned i = 0; i < 9; i++) {
      if (bits == halfs[i])
         return float_names[i];
   }
   return NULL;
}

static void
put_constant16(struct text *text, uint16_t value)
{
   if (is_inline_integer((int16_t)value))
      put(text, "%d", (int16_t)value);
   else if (half_name(value))
      put(text, "%s", half_name(value));
   else
      put(text, "0x%x", value);
}

static const char *
float_name(uint32_t bits)
{
   static const uint32_t floats[9] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                      0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
   for (unsigned i = 0; i < 9; i++) {
      if (bits == floats[i])
         return float_names[i];
   }
   return NULL;
}

void
put_constant32(struct text *text, uint32_t value)
{
   const char *name = float_name(value);
   if (is_inline_integer((int32_t)value))
      put(text, "%d", (int32_t)value);
   else if (name)
      put(text, "%s", name);
   else
      put(text, "0x%x", value);
}

static void
put_constant_bf16(struct text *text, uint32_t value)
{
   const char *name = value >> 16 ? NULL : float_name(value << 16);
   if (is_inline_integer((int16_t)value))
      put(text, "%d", (int16_t)value);
   else if (value == 0x3e22)
      put(text, "%s", float_names[8]);
   else if (name)
      put(text, "%s", name);
   else
      put(text, "0x%x", value);
}

static void
put_constant64(struct text *text, uint64_t value, enum isa_type type)
{
   static const double doubles[8] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0};
   if (is_inline_integer((int64_t)value)) {
      put(text, "%d", (int)value);
      return;
   }
   for (unsigned i = 0; i < 8; i++) {
      uint64_t bits;
      memcpy(&bits, &doubles[i], sizeof bits);
      if (value == bits) {
         put(text, "%s", float_names[i]);
         return;
      }
   }
   if (value == UINT64_C(0x3fc45f306dc9c882))
      put(text, "%s", inverse_two_pi);
   else if (type == TYPE_F64)
      put(text, "0x%x", (uint32_t)(value >> 32));
   else
      put(text, "0x%x", (uint32_t)value);
}

static void
put_constant(struct text *text, uint64_t value, enum isa_type type, bool literal)
{
   switch (type) {
   case TYPE_F16:
   case TYPE_TIED16:
   case TYPE_LITERAL16:
      put_constant16(text, (uint16_t)value);
      break;
   case TYPE_B16:
   case TYPE_U16:
   case TYPE_I16:
      if (is_inline_integer((int32_t)value))
         put(text, "%d", (int32_t)value);
      else if (float_name((uint32_t)value))
         put(text, "%s", float_name((uint32_t)value));
      else
         put(text, "0x%x", (uint16_t)value);
      break;
   case TYPE_MIX:
      if (literal)
         put_constant16(text, (uint16_t)value);
      else
         put_constant32(text, (uint32_t)value);
      break;
   case TYPE_BF16:
      put_constant_bf16(text, (uint32_t)value);
      break;
   case TYPE_PBF16:
      if (literal && !is_inline_integer((int32_t)value))
         put(text, "0x%x", (uint32_t)value);
      else
         put_constant32(text, (uint32_t)value);
      break;
   case TYPE_PF16:
      if (is_inline_integer((int32_t)value))
         put(text, "%d", (int32_t)value);
      else if ((uint32_t)value >> 16 == 0 && half_name((uint16_t)value))
         put(text, "%s", half_name((uint16_t)value));
      else
         put(text, "0x%x", (uint32_t)value);
      break;
   case TYPE_B64:
   case TYPE_U64:
   case TYPE_I64:
   case TYPE_F64:
      put_constant64(text, value, type);
      break;
   case TYPE_B256: /* a matrix, whose constant LLVM writes as if it were of 64 bits */
      if (!literal && (uint32_t)value == 0x3e22f983)
         put(text, "%s", inverse_two_pi);
      else if (literal && !is_inline_integer((int64_t)value))
         put(text, "0x%x", (uint32_t)value);
      else
         put_constant32(text, (uint32_t)value);
      break;
   default:
      put_constant32(text, (uint32_t)value);
      break;
   }
}

static bool
is_constant(unsigned selector)
{
   return (selector >= SRC_INTEGER_0 && selector <= 208) || (selector >= SRC_HALF && selector <= SRC_INV_2PI) ||
          selector == SRC_LITERAL;
}

void
put_operand(struct text *text, unsigned selector, enum isa_type type, uint64_t value, uint32_t literal)
{
   unsigned dwords = isa_type_dwords(type);
   if (selector >= SRC_VGPR0)
      put_vgprs(text, selector - SRC_VGPR0, dwords);
   else if (!is_constant(selector))
      put_scalar(text, selector, dwords);
   else if (selector == SRC_LITERAL && dwords == 2 && type != TYPE_F64)
      put_constant(text, literal, type, true);
   else
      put_constant(text, value, type, selector == SRC_LITERAL);
}

void
put_source(struct text *text, const struct inst *inst, unsigned n, enum isa_type type)
{
   if (type == TYPE_MATRIX)
      type = isa_operand_dwords(inst, type) == 8 ? TYPE_B256 : TYPE_B128;
   put_operand(text, inst->src[n], type, inst->value[n], inst->literal);
}

void
put_mask(struct text *text, const struct inst *inst, unsigned selector)
{
   put_operand(text, selector, inst->flags & INST_WAVE64 ? TYPE_B64 : TYPE_B32, 0, 0);
}

void
put_caching(struct text *text, const struct inst *inst)
{
   put(text, "%s%s%s", inst->flags & INST_GLC ? " glc" : "", inst->flags & INST_SLC ? " slc" : "",
       inst->flags & INST_DLC ? " dlc" : "");
}
