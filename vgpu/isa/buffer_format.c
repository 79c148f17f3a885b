/* SPDX-License-Identifier: MIT */
/* Buffer accesses with format conversion: MUBUF's *_format_* and MTBUF (RDNA3 ISA guide, 9.4). */
#include "image/format.h"
#include "isa/buffer.h"
#include "isa/half.h"
#include "isa/mimg.h"
#include "isa/pending.h"

/* How components lie in registers: one each, two each (D16), or one in the upper half. */
enum layout { DWORDS, HALFS, UPPER_HALF };

/* The elements that lanes access. MTBUF names the format itself and does without DST_SEL. */
struct format_access {
   struct buffer buffer;
   const struct format *format; /* NULL: none; reads 0, drops writes */
   struct lane_access lanes;
};

static bool
format_access(struct wave *wave, const struct inst *inst, struct format_access *access)
{
   access->buffer = buffer_read(wave, inst->src[1]);
   unsigned number = access->buffer.format;
   if (inst->encoding == ISA_MTBUF) {
      number = inst->opcode_x;
      for (uint8_t i = 0; i < 4; i++)
         access->buffer.select[i] = 4 + i;
   }
   access->format = format_get(number);
   if (access->format && access->format->packing != PACKING_FIELDS &&
       access->format->packing != PACKING_SHARED_EXPONENT)
      access->format = NULL;
   if (!access->format) {
      access->lanes.lanes = active_lanes(wave);
      return true;
   }
   unsigned bytes = access->format->bytes, dwords = (bytes + 3) / 4;
   if (!buffer_access(wave, inst, &access->buffer, &access->lanes, bytes))
      return false;
   for (unsigned l = 0; l < wave_lanes(wave) && access->lanes.bounded; l++) {
      if (access->lanes.in_bounds[l] < dwords) /* an element is in the buffer as a whole or not at all */
         access->lanes.in_bounds[l] = 0;
   }
   return true;
}

/* The four components of each lane. False: a fault was raised. */
static bool
load_components(struct wave *wave, const struct inst *inst, struct format_access *access, uint32_t (*data)[64])
{
   uint32_t raw[4][64] = {{0}};
   const struct format *format = access->format;
   for (unsigned i = 0; i < 4 && !format; i++) {
      for (unsigned l = 0; l < 64; l++)
         data[i][l] = 0;
   }
   if (!format)
      return true;
   if (!lanes_load(wave, inst, &access->lanes, format->bytes, false, raw))
      return false;
   for (unsigned l = 0; l < wave_lanes(wave); l++) {
      if (!(access->lanes.lanes >> l & 1))
         continue;
      struct texel texel;
      format_decode(format, (uint32_t[]){raw[0][l], raw[1][l], raw[2][l], raw[3][l]}, 0, 0, &texel);
      for (unsigned i = 0; i < 4; i++)
         data[i][l] = format_select(format, access->buffer.select[i], &texel);
   }
   return true;
}

static enum isa_result
load(struct wave *wave, const struct inst *inst, unsigned count, enum layout layout)
{
   struct format_access access;
   uint32_t data[4][64] = {{0}};
   if (!format_access(wave, inst, &access) || !load_components(wave, inst, &access, data))
      return ISA_TRAP;
   unsigned rows = count;
   if (layout != DWORDS) {
      enum mimg_result result = mimg_result_of(access.format);
      rows = (count + 1) / 2;
      for (unsigned l = 0; l < 64; l++) {
         for (unsigned i = 0; i < rows; i++)
            data[i][l] = mimg_half(data[2 * i][l], result) |
                         (2 * i + 1 < count ? (uint32_t)mimg_half(data[2 * i + 1][l], result) << 16 : 0);
      }
   }
   unsigned half = layout == UPPER_HALF ? HIGH_HALF : layout == HALFS && count == 1 ? LOW_HALF : WHOLE;
   vgprs_land(wave, COUNT_VM, inst->dst, rows, access.lanes.lanes, half, (const uint32_t(*)[64])data);
   if (access.format)
      buffer_return_status(wave, inst, &access.lanes, access.format->bytes, rows);
   return ISA_NEXT;
}

static uint32_t
stored_component(const struct wave *wave, const struct inst *inst, const struct format *format, unsigned i,
                 enum layout layout, unsigned lane)
{
   if (layout == DWORDS)
      return vgpr_source(wave, inst->dst + i)[lane];
   bool upper = layout == UPPER_HALF || i % 2;
   uint16_t half = (uint16_t)(vgpr_source(wave, inst->dst + i / 2)[lane] >> (upper ? 16 : 0));
   return mimg_widened(half, mimg_result_of(format));
}

/* Components that are not given are 0. */
static enum isa_result
store(struct wave *wave, const struct inst *inst, unsigned count, enum layout layout)
{
   struct format_access access;
   if (!format_access(wave, inst, &access))
      return ISA_TRAP;
   uint32_t raw[4][64] = {{0}};
   const uint32_t *rows[4] = {raw[0], raw[1], raw[2], raw[3]};
   for (unsigned l = 0; l < wave_lanes(wave) && access.format; l++) {
      uint32_t data[4] = {0}, element[4] = {0};
      for (unsigned i = 0; i < count; i++)
         data[i] = stored_component(wave, inst, access.format, i, layout, l);
      struct texel texel = format_unselect(access.buffer.select, data);
      format_encode(access.format, &texel, element);
      for (unsigned i = 0; i < 4; i++)
         raw[i][l] = element[i];
   }
   if (access.format && !lanes_store_rows(wave, inst, &access.lanes, access.format->bytes, 0, rows))
      return ISA_TRAP;
   store_count(wave, false);
   return ISA_NEXT;
}

static enum isa_result
load_lds(struct wave *wave, const struct inst *inst)
{
   struct format_access access;
   uint32_t data[4][64] = {{0}};
   if (!format_access(wave, inst, &access) || !load_components(wave, inst, &access, data))
      return ISA_TRAP;
   buffer_to_lds(wave, inst, &access.lanes, data[0]);
   return ISA_NEXT;
}

#define MUBUF_FORMAT_LOAD(opcode, name, registers, count, layout)    \
   enum isa_result name(struct wave *wave, const struct inst *inst)  \
   {                                                                 \
      mimg_leave_mode();                                             \
      return mimg_enter_mode(wave, load(wave, inst, count, layout)); \
   }
#define MUBUF_FORMAT_STORE(opcode, name, registers, count, layout)    \
   enum isa_result name(struct wave *wave, const struct inst *inst)   \
   {                                                                  \
      mimg_leave_mode();                                              \
      return mimg_enter_mode(wave, store(wave, inst, count, layout)); \
   }
#define MUBUF_FORMAT_LDS(opcode, name)                              \
   enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                \
      mimg_leave_mode();                                            \
      return mimg_enter_mode(wave, load_lds(wave, inst));           \
   }
#define MUBUF_LDS(...)
#define MUBUF_CACHE(...)
#include "isa/mubuf.inc"

#define MTBUF_LOAD(...) static MUBUF_FORMAT_LOAD(__VA_ARGS__)
#define MTBUF_STORE(...) static MUBUF_FORMAT_STORE(__VA_ARGS__)
#include "isa/mtbuf.inc"
#undef MTBUF_LOAD
#undef MTBUF_STORE

const isa_execute_fn execute_mtbuf[ISA_MTBUF_OPS] = {
#define MTBUF_LOAD(opcode, name, ...) [opcode] = name,
#define MTBUF_STORE MTBUF_LOAD
#include "isa/mtbuf.inc"
};
