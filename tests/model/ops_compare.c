/* SPDX-License-Identifier: MIT */
/* Comparisons: a bit for each lane, to VCC or SGPRs, and with V_CMPX to EXEC. */
#include <string.h>

#include "families.h"
#include "real.h"

/* The relations that hold between two values. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, NO_ORDER = 8 };

/* v_cmp_NAME_TYPE, v_cmpx_NAME_TYPE: the relations for which NAME is true. */
static unsigned
wanted(const char *name)
{
   static const struct {
      const char *name;
      unsigned relations;
   } conditions[] = {{"f", 0},
                     {"lt", LESS},
                     {"eq", EQUAL},
                     {"le", LESS | EQUAL},
                     {"gt", GREATER},
                     {"lg", LESS | GREATER}, /* ordered */
                     {"ne", LESS | GREATER},
                     {"ge", GREATER | EQUAL},
                     {"o", LESS | EQUAL | GREATER},
                     {"u", NO_ORDER},
                     {"nge", LESS | NO_ORDER},
                     {"nlg", EQUAL | NO_ORDER},
                     {"ngt", LESS | EQUAL | NO_ORDER},
                     {"nle", GREATER | NO_ORDER},
                     {"neq", LESS | GREATER | NO_ORDER},
                     {"nlt", GREATER | EQUAL | NO_ORDER},
                     {"t", LESS | EQUAL | GREATER | NO_ORDER}};
   const char *start = strchr(name + 2, '_') + 1;
   size_t length = (size_t)(strchr(start, '_') - start);
   for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
      if (strlen(conditions[i].name) == length && !memcmp(conditions[i].name, start, length))
         return conditions[i].relations;
   }
   return 0;
}

static void
compare(struct call *call)
{
   enum type type = call->op->src[0];
   unsigned relation;
   if (type_is_float(type)) {
      int order = real_compare(type, S0(call), S1(call));
      relation = order == UNORDERED ? NO_ORDER : order < 0 ? LESS : order ? GREATER : EQUAL;
   } else {
      wide a = integer(type, call->s[0]), b = integer(type, call->s[1]);
      relation = a < b ? LESS : a > b ? GREATER : EQUAL;
   }
   call->carry = wanted(call->op->name) & relation;
}

static void
classify(struct call *call)
{
   enum type type = call->op->src[0];
   uint64_t value = S0(call);
   bool negative = real_is_negative(type, value);
   unsigned class;
   if (real_is_nan(type, value))
      class = !real_is_signaling(type, value);
   else if (real_is_infinite(type, value))
      class = negative ? 2 : 9;
   else if (real_is_zero(type, value))
      class = negative ? 5 : 6;
   else if (real_is_denormal(type, value))
      class = negative ? 4 : 7;
   else
      class = negative ? 3 : 8;
   call->carry = call->s[1] >> class & 1;
}

#define ONE(name, type, flags)                                                  \
   {"v_cmp_" name, VOPC | (flags), MASK, {type, type}, compare},                \
   {                                                                            \
      "v_cmpx_" name, VOPC | (flags) | WRITES_EXEC, MASK, {type, type}, compare \
   }
#define SIX(suffix, type, flags)                                                                   \
   ONE("lt_" suffix, type, flags), ONE("eq_" suffix, type, flags), ONE("le_" suffix, type, flags), \
      ONE("gt_" suffix, type, flags), ONE("ne_" suffix, type, flags), ONE("ge_" suffix, type, flags)
#define EIGHT(suffix, type, flags) \
   ONE("f_" suffix, type, flags), SIX(suffix, type, flags), ONE("t_" suffix, type, flags)
#define FLOATS(suffix, type, flags)                                                                      \
   ONE("f_" suffix, type, flags), ONE("lt_" suffix, type, flags), ONE("eq_" suffix, type, flags),        \
      ONE("le_" suffix, type, flags), ONE("gt_" suffix, type, flags), ONE("lg_" suffix, type, flags),    \
      ONE("ge_" suffix, type, flags), ONE("o_" suffix, type, flags), ONE("u_" suffix, type, flags),      \
      ONE("nge_" suffix, type, flags), ONE("nlg_" suffix, type, flags), ONE("ngt_" suffix, type, flags), \
      ONE("nle_" suffix, type, flags), ONE("neq_" suffix, type, flags), ONE("nlt_" suffix, type, flags), \
      ONE("t_" suffix, type, flags)
#define CLASS(suffix, type, flags)                                                                     \
   {"v_cmp_class_" suffix, VOPC | KEEP_DENORMS | (flags), MASK, {type, U32}, classify},                \
   {                                                                                                   \
      "v_cmpx_class_" suffix, VOPC | KEEP_DENORMS | WRITES_EXEC | (flags), MASK, {type, U32}, classify \
   }

static const struct op ops[] = {
   FLOATS("f16", F16, 0),     FLOATS("f32", F32, 0), FLOATS("f64", F64, NO_DPP), SIX("i16", I16, 0),
   SIX("u16", U16, 0),        EIGHT("i32", I32, 0),  EIGHT("u32", U32, 0),       EIGHT("i64", I64, NO_DPP),
   EIGHT("u64", U64, NO_DPP), CLASS("f16", F16, 0),  CLASS("f32", F32, 0),       CLASS("f64", F64, NO_DPP),
};

const struct family compare_family = {
   .name = "compare", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
