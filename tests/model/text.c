/* SPDX-License-Identifier: MIT */
/* Instructions as text for llvm-mc. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

struct line {
   char *text;
   size_t size, used;
};

static void __attribute__((format(printf, 2, 3))) add(struct line *line, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   line->used += (size_t)vsnprintf(line->text + line->used, line->size - line->used, format, arguments);
   va_end(arguments);
}

static void
add_registers(struct line *line, char bank, int number, unsigned size)
{
   if (size <= 32)
      add(line, "%c%d", bank, number);
   else
      add(line, "%c[%d:%d]", bank, number, number + (int)size / 32 - 1);
}

static void
add_operand(struct line *line, const struct operand *operand, enum type type, bool wave64)
{
   static const char *const floats[] = {
      "0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494309189532"};
   unsigned size = type == MASK ? (wave64 ? 64 : 32) : type == MATRIX_C ? (wave64 ? 128 : 256) : type_bits(type);
   const char *part = size == 64 ? "" : operand->value ? "_hi" : "_lo";
   switch (operand->kind) {
   case VGPR:
      add_registers(line, 'v', operand->value, size);
      break;
   case SGPR:
      add_registers(line, 's', operand->value, size);
      break;
   case VCC:
      add(line, "vcc%s", part);
      break;
   case EXEC:
      add(line, "exec%s", part);
      break;
   case M0:
      add(line, "m0");
      break;
   case NULL_REGISTER:
      add(line, "null");
      break;
   case INLINE_INTEGER:
      add(line, "%d", operand->value);
      break;
   case INLINE_FLOAT:
      add(line, "%s", floats[operand->value]);
      break;
   case LITERAL:
      add(line, "0x%x", (uint32_t)operand->value);
      break;
   case NO_OPERAND:
      break;
   }
}

static unsigned
source_count(const struct op *op)
{
   unsigned count = 0;
   while (count < 3 && op->src[count])
      count++;
   return count;
}

static void
add_source(struct line *line, const struct instance *instance, unsigned s)
{
   const struct op *op = instance->op;
   bool listed = op->flags & (PACKED | RAW);
   bool negate = !listed && instance->neg >> s & 1;
   bool absolute = !listed && (op->flags & MIX ? instance->neg_hi : instance->abs) >> s & 1;
   add(line, ", %s%s", negate ? "neg(" : "", absolute ? "|" : "");
   add_operand(line, &instance->src[s], op->src[s], instance->wave64);
   add(line, "%s%s", absolute ? "|" : "", negate ? ")" : "");
}

static void
add_list(struct line *line, const char *name, unsigned list, unsigned count)
{
   add(line, " %s:[", name);
   for (unsigned i = 0; i < count; i++)
      add(line, "%s%u", i ? "," : "", list >> i & 1);
   add(line, "]");
}

static void
add_dpp16(struct line *line, const struct dpp *dpp)
{
   static const char *const names[] = {[0x10] = "row_shl", "row_shr", "row_ror", [0x15] = "row_share", "row_xmask"};
   unsigned control = dpp->control;
   if (control < 0x100)
      add(line, " quad_perm:[%u,%u,%u,%u]", control & 3, control >> 2 & 3, control >> 4 & 3, control >> 6);
   else if (control >> 4 == 0x14)
      add(line, " row_%smirror", control & 1 ? "half_" : "");
   else
      add(line, " %s:%u", names[control >> 4], control & 15);
   add(line, " row_mask:0x%x bank_mask:0x%x%s%s", dpp->row_mask, dpp->bank_mask, dpp->bound_ctrl ? " bound_ctrl:1" : "",
       dpp->fetch_inactive ? " fi:1" : "");
}

static void
add_dpp8(struct line *line, const struct dpp *dpp)
{
   add(line, " dpp8:[");
   for (unsigned i = 0; i < 8; i++)
      add(line, "%s%u", i ? "," : "", dpp->select[i]);
   add(line, "]%s", dpp->fetch_inactive ? " fi:1" : "");
}

static void
add_modifiers(struct line *line, const struct instance *instance)
{
   const struct op *op = instance->op;
   unsigned count = source_count(op);
   if (op->flags & VOP3P) {
      unsigned all = (1u << count) - 1;
      if (instance->op_sel & all)
         add_list(line, "op_sel", instance->op_sel, count);
      if (op->flags & MIX || (instance->op_sel_hi & all) != all)
         add_list(line, "op_sel_hi", instance->op_sel_hi, count);
      if (!(op->flags & MIX) && instance->neg)
         add_list(line, "neg_lo", instance->neg, count);
      if (!(op->flags & MIX) && instance->neg_hi)
         add_list(line, "neg_hi", instance->neg_hi, count);
   }
   if (instance->clamp)
      add(line, " clamp");
   if (instance->omod)
      add(line, " %s", instance->omod == 1 ? "mul:2" : instance->omod == 2 ? "mul:4" : "div:2");
   if (instance->form == FORM_DPP16 || instance->form == FORM_E64_DPP16)
      add_dpp16(line, &instance->dpp);
   if (instance->form == FORM_DPP8 || instance->form == FORM_E64_DPP8)
      add_dpp8(line, &instance->dpp);
}

static const char *
suffix(const struct instance *instance)
{
   bool only_long = instance->op->flags & (VOP3 | VOP3P);
   switch (instance->form) {
   case FORM_E32:
      return "_e32";
   case FORM_E64:
      return only_long ? "" : "_e64";
   case FORM_DPP16:
   case FORM_DPP8:
      return "_dpp";
   case FORM_E64_DPP16:
   case FORM_E64_DPP8:
      return "_e64_dpp";
   default:
      return "";
   }
}

void
instance_print(struct instance *instance)
{
   struct line line = {instance->text, sizeof instance->text, 0};
   const struct op *op = instance->op;
   add(&line, "%s%s", assembler_name(op), suffix(instance));
   const char *separator = " ";
   if (op->dst && !(op->dst == MASK && op->flags & WRITES_EXEC)) {
      add(&line, "%s", separator);
      add_operand(&line, &instance->dst, op->dst, instance->wave64);
      separator = ", ";
   }
   if (op->flags & CARRY_OUT) {
      add(&line, "%s", separator);
      add_operand(&line, &instance->sdst, MASK, instance->wave64);
   }
   for (unsigned s = 0; s < 3 && op->src[s]; s++) {
      size_t start = line.used;
      add_source(&line, instance, s);
      if (separator[0] == ' ') { /* the first operand has no comma */
         line.text[start] = ' ';
         memmove(line.text + start + 1, line.text + start + 2, line.used - start - 1);
         line.used--;
         separator = ", ";
      }
   }
   if (op->flags & CARRY_IN) {
      add(&line, ", ");
      add_operand(&line, &instance->carry, MASK, instance->wave64);
   }
   add_modifiers(&line, instance);
   add(&line, "%s", instance->tail);
}
