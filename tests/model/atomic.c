/* SPDX-License-Identifier: MIT */
#include "atomic.h"

#include <string.h>

#include "families.h"
#include "real.h"

uint64_t
bytes_get(const uint8_t *bytes, unsigned count)
{
   uint64_t value = 0;
   for (unsigned i = 0; i < count; i++)
      value |= (uint64_t)bytes[i] << 8 * i;
   return value;
}

void
bytes_set(uint8_t *bytes, unsigned count, uint64_t value)
{
   for (unsigned i = 0; i < count; i++)
      bytes[i] = (uint8_t)(value >> 8 * i);
}

enum type
atomic_type(const char *name)
{
   static const struct {
      const char *suffix;
      enum type type;
   } types[] = {{"_u32", U32}, {"_i32", I32}, {"_b32", B32}, {"_f32", F32},
                {"_u64", U64}, {"_i64", I64}, {"_b64", B64}, {"_f64", F64}};
   const char *suffix = name + strlen(name) - 4;
   for (unsigned i = 0; i < 8; i++) {
      if (!strcmp(suffix, types[i].suffix))
         return types[i].type;
   }
   return NONE;
}

/* RDNA3 ISA guide, chapter 13. LDS obeys MODE's denormal bits, additions in memory always flush; rounding is to nearest
 * even. Minimum and maximum flush for the comparison only; -0 is below +0; a quiet NaN loses to any number. */
static uint64_t
float_result(const char *operation, enum type type, enum memory_kind memory, const struct mode *mode, uint64_t old,
             uint64_t data, uint64_t compare)
{
   bool flush = mode_flushes_inputs(mode, type);
   if (!strcmp(operation, "add")) {
      struct mode nearest = *mode;
      nearest.round_32 = 0;
      /* "The output is that same NaN [...] Signaling NaN is converted to Quiet NaN." */
      if (real_is_nan(type, old) || real_is_nan(type, data))
         return real_quiet(type, real_is_nan(type, old) ? old : data);
      if (memory == GLOBAL_MEMORY)
         flush = nearest.flush_out_32 = true;
      return real_add(&nearest, type, flush ? real_flush(type, old) : old, flush ? real_flush(type, data) : data);
   }
   uint64_t a = flush ? real_flush(type, old) : old, b = flush ? real_flush(type, data) : data;
   if (!strncmp(operation, "cmp", 3))
      return real_compare(type, a, flush ? real_flush(type, compare) : compare) == 0 ? data : old;
   if (real_is_signaling(type, data))
      return real_quiet(type, data);
   if (real_is_signaling(type, old))
      return real_quiet(type, old);
   if (real_is_nan(type, old) || real_is_nan(type, data))
      return real_is_nan(type, old) ? data : old;
   bool less = real_order(type, b)<real_order(type, a), greater = real_order(type, b)> real_order(type, a);
   return (operation[1] == 'i' ? less : greater) ? data : old;
}

uint64_t
atomic_result(const char *operation, enum type type, enum memory_kind memory, const struct mode *mode, uint64_t old,
              uint64_t data, uint64_t compare)
{
   if (!strcmp(operation, "swap") || !strcmp(operation, "storexchg"))
      return data;
   if (type_is_float(type))
      return float_result(operation, type, memory, mode, old, data, compare);
   wide a = integer(type, old), b = integer(type, data);
   if (!strcmp(operation, "add"))
      return old + data;
   if (!strcmp(operation, "sub"))
      return old - data;
   if (!strcmp(operation, "rsub"))
      return data - old;
   if (!strcmp(operation, "csub"))
      return old < data ? 0 : old - data;
   if (!strcmp(operation, "inc"))
      return a >= b ? 0 : old + 1;
   if (!strcmp(operation, "dec"))
      return a == 0 || a > b ? data : old - 1;
   if (!strcmp(operation, "min"))
      return b < a ? data : old;
   if (!strcmp(operation, "max"))
      return b >= a ? data : old;
   if (!strcmp(operation, "and"))
      return old & data;
   if (!strcmp(operation, "or"))
      return old | data;
   if (!strcmp(operation, "xor"))
      return old ^ data;
   if (!strcmp(operation, "mskor"))
      return (old & ~data) | compare;
   if (!strcmp(operation, "wrap"))
      return a >= b ? old - data : old + compare;
   return old == compare ? data : old; /* cmpstore, cmpswap */
}
