/* SPDX-License-Identifier: MIT */
/* MUBUF and MTBUF: loads, stores and atomics through descriptors of every kind, as they are or with conversion. */
#include <string.h>

#include "buffer_cases.h"
#include "families.h"
#include "memory.h"
#include "real.h"
#include "texel.h"

struct access {
   struct buffer buffer;
   struct buffer_place place;
};

static struct access
access_of(const struct call *call, unsigned lane)
{
   return (struct access){buffer_decode(&call->machine->sgpr[call->instance->resource]),
                          buffer_place(call->instance, call->machine, lane)};
}

static uint8_t *
memory_at(const struct call *call, const struct access *access, unsigned skip)
{
   return call->after->memory + (buffer_address(&access->buffer, &access->place, skip) - PAGE);
}

/* "The resource's data format must not be INVALID; that format has specific meaning (unbound resource)" (9.3, 9.6). */
static bool
is_unbound(const struct buffer *buffer)
{
   return !buffer->format && !buffer->add_tid;
}

static bool
is_out(const struct access *access, unsigned skip, unsigned bytes)
{
   return is_unbound(&access->buffer) || buffer_is_out(&access->buffer, &access->place, skip, bytes);
}

/* ---- without conversion: each dword on its own --------------------------------------------------------------------
 */

static void
load(struct call *call)
{
   const char *name = call->op->name;
   unsigned bytes = access_bytes(name), vgpr = (unsigned)call->instance->dst.value;
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      struct access access = access_of(call, lane);
      for (unsigned skip = 0; skip < bytes; skip += 4) {
         unsigned part = bytes < 4 ? bytes : 4;
         uint32_t value = 0;
         if (!is_out(&access, skip, part))
            memcpy(&value, memory_at(call, &access, skip), part);
         uint32_t *to = &call->after->vgpr[vgpr + skip / 4][lane];
         *to = part < 4 ? extend(name, value, call->machine->vgpr[vgpr][lane]) : value;
      }
   }
}

static void
store(struct call *call)
{
   const char *name = call->op->name;
   unsigned bytes = access_bytes(name), vgpr = (unsigned)call->instance->dst.value;
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      struct access access = access_of(call, lane);
      for (unsigned skip = 0; lane_is_on(call->machine, lane) && skip < bytes; skip += 4) {
         unsigned part = bytes < 4 ? bytes : 4;
         uint32_t value = call->machine->vgpr[vgpr + skip / 4][lane] >> (has(name, "d16_hi") ? 16 : 0);
         if (!is_out(&access, skip, part))
            memcpy(memory_at(call, &access, skip), &value, part);
      }
   }
}

/* The data's registers get what was there. */
static void
atomic(struct call *call)
{
   const struct instance *instance = call->instance;
   unsigned bytes = access_bytes(call->op->name), vgpr = (unsigned)instance->dst.value;
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      struct access access = access_of(call, lane);
      bits old = 0,
           data = read_dwords(call->machine, vgpr, lane, has(call->op->name, "cmpswap") ? bytes / 2 : bytes / 4);
      if (!is_out(&access, 0, bytes))
         old = atomic_memory(call, data, memory_at(call, &access, 0));
      if (has(instance->tail, "glc"))
         write_dwords(call, lane, old, bytes);
   }
}

/* ---- with conversion: all components or none ----------------------------------------------------------------------
 */

static void
write_component(const struct call *call, unsigned lane, unsigned i, uint32_t value)
{
   bool d16 = has(call->op->name, "d16"), upper = has(call->op->name, "d16_hi") || (d16 && i % 2);
   unsigned vgpr = (unsigned)call->instance->dst.value + (d16 ? i / 2 : i);
   put_component(call, vgpr, lane, d16, upper, value);
   enum type type = d16 ? F16 : F32;
   if (!texel_is_integer(call->instance->format) && real_is_nan(type, value))
      allow_any_nan(call, vgpr, lane, type, upper);
   /* "X and HI_X write only 16 bits": nothing is said of the half that XYZ leaves over. */
   if (d16 && i == 2 && component_count(call->op->name) == 3)
      allow_anything(call, vgpr, lane, type, true);
}

static void
allow_w(const struct call *call, unsigned lane, unsigned i)
{
   bool d16 = has(call->op->name, "d16");
   allow_anything(call, (unsigned)call->instance->dst.value + (d16 ? i / 2 : i), lane, d16 ? F16 : F32, d16 && i % 2);
}

static void
load_format(struct call *call)
{
   const struct instance *instance = call->instance;
   unsigned format = instance->format;
   bool d16 = has(call->op->name, "d16");
   uint32_t one = texel_is_integer(format) ? 1 : d16 ? 0x3c00 : 0x3f800000;
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      struct access access = access_of(call, lane);
      bool out = is_out(&access, 0, texel_bytes(format));
      const uint8_t *from = out ? NULL : memory_at(call, &access, 0);
      for (unsigned i = 0; i < component_count(call->op->name); i++) {
         /* Table 42: MTBUF has its own format, and no selection. */
         unsigned select = has(call->op->name, "tbuffer") ? 4 + i : access.buffer.select[i], c = select - 4;
         bool present = select >= 4 && c < texel_components(format) && !out;
         if (select == 7 && texel_components(format) < 4) /* "X000, XY00, XYZ0" (table 42), but others have seen 1 */
            allow_w(call, lane, i);
         write_component(call, lane, i,
                         present       ? texel_decode(format, c, texel_field(format, from, c), d16)
                         : select == 1 ? one
                                       : 0);
      }
   }
}

static uint32_t
stored_component(const struct call *call, unsigned lane, unsigned i)
{
   bool d16 = has(call->op->name, "d16"), upper = has(call->op->name, "d16_hi") || i % 2;
   uint32_t value = call->machine->vgpr[(unsigned)call->instance->dst.value + (d16 ? i / 2 : i)][lane];
   return !d16 ? value : upper ? value >> 16 : value & 0xffff;
}

static void
store_format(struct call *call)
{
   unsigned format = call->instance->format;
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      struct access access = access_of(call, lane);
      if (!lane_is_on(call->machine, lane) || is_out(&access, 0, texel_bytes(format)))
         continue;
      for (unsigned c = 0; c < texel_components(format); c++) {
         uint32_t value = c < component_count(call->op->name) ? stored_component(call, lane, c) : 0;
         texel_set_field(
            format, memory_at(call, &access, 0), c,
            texel_encode(format, c, value, has(call->op->name, "d16"), call->mode->stores_nearest ? 0 : 3));
      }
   }
}

/* ---- table ------------------------------------------------------------------------------------------------------ */

#define OP(name, function)                 \
   {                                       \
      name, SCALAR, NONE, {NONE}, function \
   }
#define COMPONENTS(name, function, flags)                                                                     \
   {name "_x", SCALAR | flags, NONE, {NONE}, function}, {name "_xy", SCALAR | flags, NONE, {NONE}, function}, \
      {name "_xyz", SCALAR | flags, NONE, {NONE}, function},                                                  \
   {                                                                                                          \
      name "_xyzw", SCALAR | flags, NONE, {NONE}, function                                                    \
   }
#define FORMATTED(prefix)                                                                                  \
   COMPONENTS(prefix "load_format", load_format, 0), COMPONENTS(prefix "load_d16_format", load_format, 0), \
      COMPONENTS(prefix "store_format", store_format, UNSURE_ROUNDING),                                    \
      COMPONENTS(prefix "store_d16_format", store_format, UNSURE_ROUNDING)
#define ATOMICS(size)                                                                     \
   OP("buffer_atomic_swap_b" #size, atomic), OP("buffer_atomic_cmpswap_b" #size, atomic), \
      OP("buffer_atomic_add_u" #size, atomic), OP("buffer_atomic_sub_u" #size, atomic),   \
      OP("buffer_atomic_min_i" #size, atomic), OP("buffer_atomic_min_u" #size, atomic),   \
      OP("buffer_atomic_max_i" #size, atomic), OP("buffer_atomic_max_u" #size, atomic),   \
      OP("buffer_atomic_and_b" #size, atomic), OP("buffer_atomic_or_b" #size, atomic),    \
      OP("buffer_atomic_xor_b" #size, atomic), OP("buffer_atomic_inc_u" #size, atomic),   \
      OP("buffer_atomic_dec_u" #size, atomic)

static const struct op ops[] = {
   OP("buffer_load_u8", load),
   OP("buffer_load_i8", load),
   OP("buffer_load_u16", load),
   OP("buffer_load_i16", load),
   OP("buffer_load_d16_u8", load),
   OP("buffer_load_d16_i8", load),
   OP("buffer_load_d16_b16", load),
   OP("buffer_load_d16_hi_u8", load),
   OP("buffer_load_d16_hi_i8", load),
   OP("buffer_load_d16_hi_b16", load),
   OP("buffer_load_b32", load),
   OP("buffer_load_b64", load),
   OP("buffer_load_b96", load),
   OP("buffer_load_b128", load),
   OP("buffer_store_b8", store),
   OP("buffer_store_b16", store),
   OP("buffer_store_d16_hi_b8", store),
   OP("buffer_store_d16_hi_b16", store),
   OP("buffer_store_b32", store),
   OP("buffer_store_b64", store),
   OP("buffer_store_b96", store),
   OP("buffer_store_b128", store),
   ATOMICS(32),
   ATOMICS(64),
   OP("buffer_atomic_csub_u32", atomic),
   OP("buffer_atomic_cmpswap_f32", atomic),
   OP("buffer_atomic_min_f32", atomic),
   OP("buffer_atomic_max_f32", atomic),
   OP("buffer_atomic_add_f32", atomic),
   FORMATTED("buffer_"),
   OP("buffer_load_d16_hi_format_x", load_format),
   {"buffer_store_d16_hi_format_x", SCALAR | UNSURE_ROUNDING, NONE, {NONE}, store_format},
   FORMATTED("tbuffer_"),
};

const struct family buffer_family = {
   .name = "buffer",
   .ops = ops,
   .count = sizeof ops / sizeof ops[0],
   .execute = whole_execute,
   .choose = buffer_choose,
   .prepare = buffer_prepare,
   .describe = buffer_describe,
};
