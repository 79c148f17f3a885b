/* SPDX-License-Identifier: MIT */
/* $v3, $v3[5], $s7, $s[4:7], $exec, $exec_lo, $vcc, $vcc_hi, $scc, $m0, $pc, $mode, $status */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

/* Scalar selectors (RDNA3 ISA guide, 15.1: SSRC0). */
#define REGISTER_NUMBER_VCC 106
#define REGISTER_NUMBER_M0 125
#define REGISTER_NUMBER_EXEC 126

#define MAX_SCALARS 128

static int
give_bytes(struct expr *expr, const struct hdb_type *type, const void *data, size_t size, struct expr_register reg,
           struct value *out)
{
   uint8_t *bytes = type ? expr_allocate(expr, size) : NULL;
   if (!bytes)
      return -ENOMEM;
   memcpy(bytes, data, size);
   *out = value_from_bytes(type, bytes, size);
   out->reg = reg;
   return 0;
}

static int
give_vector(struct expr *expr, uint32_t column, uint64_t number, struct value *out)
{
   const struct hdb_wave *wave = expr->context.wave;
   uint32_t lanes[64] = {0};
   if (number >= wave->vgpr_count)
      return expr_fail(expr, column, "$v%" PRIu64 ": the wave has VGPRs 0 to %u", number, wave->vgpr_count - 1);
   int result = hdb_wave_read_vgpr(expr->context.machine, expr->context.wave, (uint32_t)number, lanes);
   if (result)
      return expr_fail(expr, column, "%s", strerror(-result));
   uint32_t count = wave->wave_size <= 64 ? wave->wave_size : 64;
   return give_bytes(expr, expr_array_type(expr, &expr_register_type, count, 4), lanes, count * 4,
                     (struct expr_register){REGISTER_VECTOR, (uint32_t)number, 1, -1}, out);
}

static int
read_scalars(struct expr *expr, uint32_t column, uint32_t first, uint32_t count, uint32_t *words)
{
   for (uint32_t i = 0; i < count; i++) {
      int result = hdb_wave_read_scalar(expr->context.machine, expr->context.wave, first + i, &words[i]);
      if (result)
         return expr_fail(expr, column, "%s", strerror(-result));
   }
   return 0;
}

static int
give_scalars(struct expr *expr, uint32_t column, uint64_t first, uint64_t last, struct value *out)
{
   uint32_t words[MAX_SCALARS], limit = expr->context.wave->sgpr_count;
   if (limit > MAX_SCALARS)
      limit = MAX_SCALARS;
   if (last < first || last >= limit)
      return expr_fail(expr, column, "$s%" PRId64 ": the wave has SGPRs 0 to %u", (int64_t)last, limit - 1);
   uint32_t count = (uint32_t)(last - first + 1);
   int result = read_scalars(expr, column, (uint32_t)first, count, words);
   if (result)
      return result;
   const struct hdb_type *type =
      count == 1 ? &expr_register_type : expr_array_type(expr, &expr_register_type, count, 4);
   return give_bytes(expr, type, words, count * 4, (struct expr_register){REGISTER_SCALARS, (uint32_t)first, count, -1},
                     out);
}

/* EXEC and VCC are as wide as the wave. */
static int
give_pair(struct expr *expr, uint32_t column, uint32_t first, struct value *out)
{
   uint32_t words[2] = {0, 0};
   int result = read_scalars(expr, column, first, expr->context.wave->wave_size == 64 ? 2 : 1, words);
   return result ? result
                 : give_bytes(expr, &expr_pair_type, words, sizeof(words),
                              (struct expr_register){REGISTER_PAIR, first, 2, -1}, out);
}

static int
give_special(struct expr *expr, uint32_t column, enum register_kind kind, uint32_t number, struct value *out)
{
   const struct hdb_wave *wave = expr->context.wave;
   struct expr_register reg = {kind, number, 1, -1};
   uint32_t word = kind == REGISTER_MODE ? wave->mode : wave->status;
   switch (kind) {
   case REGISTER_PAIR:
      return give_pair(expr, column, number, out);
   case REGISTER_PC:
      return give_bytes(expr, &expr_pair_type, &wave->pc, sizeof(wave->pc), reg, out);
   case REGISTER_SCC: /* STATUS bit 0 (RDNA3 ISA guide, 3.3) */
      word = wave->status & 1;
      return give_bytes(expr, expr_scalar_type(HDB_TYPE_UINT, 32), &word, sizeof(word), reg, out);
   case REGISTER_MODE:
   case REGISTER_STATUS:
      return give_bytes(expr, &expr_register_type, &word, sizeof(word), reg, out);
   default: {
      int result = read_scalars(expr, column, number, 1, &word);
      return result ? result : give_bytes(expr, &expr_register_type, &word, sizeof(word), reg, out);
   }
   }
}

static const struct special {
   const char *name;
   enum register_kind kind;
   uint32_t number;
} specials[] = {
   {"exec", REGISTER_PAIR, REGISTER_NUMBER_EXEC},
   {"exec_lo", REGISTER_SCALARS, REGISTER_NUMBER_EXEC},
   {"exec_hi", REGISTER_SCALARS, REGISTER_NUMBER_EXEC + 1},
   {"vcc", REGISTER_PAIR, REGISTER_NUMBER_VCC},
   {"vcc_lo", REGISTER_SCALARS, REGISTER_NUMBER_VCC},
   {"vcc_hi", REGISTER_SCALARS, REGISTER_NUMBER_VCC + 1},
   {"m0", REGISTER_SCALARS, REGISTER_NUMBER_M0},
   {"pc", REGISTER_PC, 0},
   {"scc", REGISTER_SCC, 0},
   {"mode", REGISTER_MODE, 0},
   {"status", REGISTER_STATUS, 0},
};

static const struct special *
find_special(const char *name)
{
   for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
      if (strcmp(specials[i].name, name) == 0)
         return &specials[i];
   }
   return NULL;
}

/* "v12", "s3" */
static bool
is_numbered(const char *name)
{
   return (name[0] == 'v' || name[0] == 's') && name[1] && strspn(name + 1, "0123456789") == strlen(name + 1);
}

bool
hdb_expr_is_register(const char *name)
{
   return find_special(name) || is_numbered(name);
}

void
registers_complete(const char *prefix, void (*add)(void *user, const char *name), void *user)
{
   for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
      if (strncmp(specials[i].name, prefix, strlen(prefix)) == 0)
         add(user, specials[i].name);
   }
}

bool
expr_find_register(struct expr *expr, const struct node *node, struct value *out, int *result)
{
   const char *name = node->name;
   const struct special *special = find_special(name);
   if (special) {
      *result = give_special(expr, node->column, special->kind, special->number, out);
      return true;
   }
   if (strcmp(name, "s") == 0) {
      uint32_t count = expr->context.wave->sgpr_count;
      *result = give_scalars(expr, node->column, 0, count ? count - 1 : 0, out);
      return true;
   }
   if (!is_numbered(name))
      return false;
   uint64_t number = strtoull(name + 1, NULL, 10);
   *result = name[0] == 'v' ? give_vector(expr, node->column, number, out)
                            : give_scalars(expr, node->column, number, number, out);
   return true;
}

int
register_element(struct expr *expr, uint32_t column, const struct value *value, uint64_t first, uint64_t last,
                 struct value *out)
{
   struct expr_register reg = value->reg;
   if (reg.kind == REGISTER_SCALARS && value->type->kind == HDB_TYPE_ARRAY) {
      if (first > MAX_SCALARS || last > MAX_SCALARS)
         first = last = MAX_SCALARS;
      return give_scalars(expr, column, reg.first + first, reg.first + last, out);
   }
   if (reg.kind != REGISTER_VECTOR || value->type->kind != HDB_TYPE_ARRAY)
      return expr_fail(expr, column, "this register has no elements");
   uint32_t lanes = value->type->count;
   if (last >= lanes || first > last)
      return expr_fail(expr, column, "lane %" PRId64 ": the wave has lanes 0 to %u", (int64_t)last, lanes - 1);
   if (first != last)
      return give_bytes(expr, expr_array_type(expr, &expr_register_type, (uint32_t)(last - first + 1), 4),
                        value->bytes + first * 4, (last - first + 1) * 4, (struct expr_register){.lane = -1}, out);
   reg.lane = (int32_t)first;
   return give_bytes(expr, &expr_register_type, value->bytes + first * 4, 4, reg, out);
}

/* ---- assignment ---- */

static int
assign_pc(struct expr *expr, uint64_t pc)
{
   struct hdb_machine *machine = expr->context.machine;
   struct hdb_wave *wave = expr->context.wave;
   const struct hdb_shader *shader = wave->shader;
   uint32_t start, next;
   int result = hdb_wave_set_pc(machine, wave, pc);
   if (result != -EINVAL)
      return result;
   if (!shader)
      return expr_fail(expr, 0, "no instruction of a known shader starts at 0x%" PRIx64, pc);
   if (pc - shader->va >= shader->exec_size ||
       !hdb_machine_find_instruction(machine, shader, pc - shader->va, &start, &next))
      return expr_fail(expr, 0, "0x%" PRIx64 " is not in the wave's shader, which is at 0x%" PRIx64 " to 0x%" PRIx64,
                       pc, shader->va, shader->va + shader->exec_size - 1);
   return expr_fail(expr, 0,
                    "0x%" PRIx64 " is not the start of an instruction; the nearest are 0x%" PRIx64 " and 0x%" PRIx64,
                    pc, shader->va + start, shader->va + next);
}

/* A register takes bits: those of a float, too. */
static int
bits_of(struct expr *expr, uint32_t column, const struct value *from, uint64_t *bits, bool *fits)
{
   struct numeric number;
   int result = value_load(expr, column, from, &number);
   if (!result && numeric_count(&number) != 1)
      result = expr_fail(expr, column, "a number expected");
   if (result)
      return result;
   *bits = number.at[0].u;
   if (number.kind == HDB_TYPE_FLOAT) {
      *bits = 0;
      number_encode(number.kind, number.bits, number.at[0], bits);
   }
   *fits = *bits <= UINT32_MAX || (number.kind == HDB_TYPE_INT && number.at[0].i >= INT32_MIN);
   return 0;
}

static int
assign_vector(struct expr *expr, uint32_t column, const struct expr_register *reg, uint32_t bits)
{
   bool all = expr->context.all_lanes;
   if (reg->lane < 0 && !all)
      return expr_fail(expr, column, "which lane? $v%u[LANE] = ...", reg->first);
   return hdb_wave_write_vgpr(expr->context.machine, expr->context.wave, reg->first,
                              reg->lane < 0 ? expr->context.lane : (uint32_t)reg->lane, bits);
}

static int
assign_bits(struct expr *expr, uint32_t column, const struct expr_register *reg, uint64_t bits)
{
   struct hdb_machine *machine = expr->context.machine;
   struct hdb_wave *wave = expr->context.wave;
   switch (reg->kind) {
   case REGISTER_VECTOR:
      return assign_vector(expr, column, reg, bits);
   case REGISTER_SCALARS:
      if (reg->count > 1)
         return expr_fail(expr, column, "one register at a time can be assigned to");
      return hdb_wave_write_scalar(machine, wave, reg->first, bits);
   case REGISTER_PAIR: {
      int result = hdb_wave_write_scalar(machine, wave, reg->first, bits);
      if (!result && wave->wave_size == 64)
         result = hdb_wave_write_scalar(machine, wave, reg->first + 1, bits >> 32);
      return result;
   }
   case REGISTER_PC:
      return assign_pc(expr, bits);
   case REGISTER_SCC:
      return bits > 1 ? expr_fail(expr, column, "$scc is 0 or 1") : hdb_wave_set_scc(machine, wave, bits);
   default:
      return expr_fail(expr, column, "$%s can only be read", reg->kind == REGISTER_MODE ? "mode" : "status");
   }
}

int
register_assign(struct expr *expr, uint32_t column, const struct expr_register *reg, const struct value *from)
{
   uint64_t bits = 0;
   bool fits = true;
   bool wide = reg->kind == REGISTER_PC || (reg->kind == REGISTER_PAIR && expr->context.wave->wave_size == 64);
   int result = bits_of(expr, column, from, &bits, &fits);
   if (!result && !wide && !fits)
      result = expr_fail(expr, column, "the number does not fit 32 bits");
   result = result ?: assign_bits(expr, column, reg, bits);
   return result ? expr_fail(expr, column, "%s", strerror(-result)) : 0;
}
