/* SPDX-License-Identifier: MIT */
#include "buffer_cases.h"

#include <stdio.h>
#include <string.h>

#include "atomic.h"
#include "memory.h"
#include "real.h"
#include "texel.h"
#include "texel_cases.h"

unsigned
component_count(const char *name)
{
   const char *format = strstr(name, "format_");
   return format ? (unsigned)strlen(format + strlen("format_")) : 0;
}

struct buffer_place
buffer_place(const struct instance *instance, const struct machine *machine, unsigned lane)
{
   unsigned vgpr = (unsigned)instance->src[0].value;
   uint32_t first = machine->vgpr[vgpr][lane], second = machine->vgpr[vgpr + 1][lane];
   uint32_t offset = !instance->offen ? 0 : instance->idxen ? second : first;
   return (struct buffer_place){.indexed = instance->idxen,
                                .index = instance->idxen ? first : 0,
                                .offset = offset + instance->offset[0],
                                .soffset = (uint32_t)operand_value(&instance->src[1], B32, machine, 0),
                                .lane = lane};
}

/* What is transferred to or from one place. */
static unsigned
payload(const struct instance *instance)
{
   return component_count(instance->op->name) ? texel_bytes(instance->format) : access_bytes(instance->op->name);
}

/* 9.5: formatted accesses to their size or a dword, atomics to their size. */
static unsigned
alignment(const struct instance *instance)
{
   unsigned bytes = payload(instance);
   return has(instance->op->name, "atomic") || bytes < 4 ? bytes : 4;
}

/* ---- instructions -------------------------------------------------------------------------------------------------
 */

static void
choose_soffset(struct random *random, struct instance *instance, char text[12])
{
   unsigned kind = random_below(random, 8);
   if (kind < 2) {
      instance->src[1] = (struct operand){NULL_REGISTER, 0, false};
      snprintf(text, 12, "null");
   } else if (kind < 3) {
      instance->src[1] = (struct operand){M0, 0, false};
      snprintf(text, 12, "m0");
   } else if (kind < 4) {
      instance->src[1] = (struct operand){INLINE_INTEGER, (int32_t)random_below(random, 9) * 8, false};
      snprintf(text, 12, "%d", instance->src[1].value);
   } else {
      instance->src[1] = choose_sgpr(random, 80, MODEL_SGPRS - 80, 1);
      snprintf(text, 12, "s%d", instance->src[1].value);
   }
}

static unsigned
data_dwords(const struct instance *instance)
{
   const char *name = instance->op->name;
   unsigned components = component_count(name);
   if (components)
      return has(name, "d16") ? (components + 1) / 2 : components;
   return (access_bytes(name) + 3) / 4 * (has(name, "cmpswap") ? 2 : 1);
}

/* Integers of 32 bits do not fit in 16, and no source says what comes of them. */
static unsigned
choose_format(struct random *random, const char *name)
{
   unsigned format;
   do
      format = 1 + random_below(random, BUFFER_FORMATS - 1);
   while (has(name, "d16") && texel_is_integer(format) && texel_format(format)->bits[0] == 32);
   return format;
}

void
buffer_choose(struct random *random, struct instance *instance)
{
   const char *name = instance->op->name;
   char data[24], address[24] = "off", soffset[12], format[16] = "";
   instance->format = component_count(name) ? choose_format(random, name) : 22;
   instance->dst = choose_vgpr(random, 0, 56);
   instance->src[0] = choose_vgpr(random, 0, 60);
   instance->resource = (unsigned)choose_sgpr(random, 0, 76, 4).value;
   instance->idxen = random_chance(random, 60);
   instance->offen = random_chance(random, 60);
   choose_soffset(random, instance, soffset);
   unsigned align = alignment(instance), kind = random_below(random, 10);
   instance->offset[0] = kind < 4 ? 0 : random_below(random, kind < 8 ? 48 : 1000) / align * align;
   print_registers(data, 'v', (unsigned)instance->dst.value, data_dwords(instance));
   if (instance->idxen || instance->offen)
      print_registers(address, 'v', (unsigned)instance->src[0].value, instance->idxen + instance->offen);
   if (has(name, "tbuffer"))
      snprintf(format, sizeof format, " format:%u", instance->format);
   bool returns = has(name, "csub") || (has(name, "atomic") && random_chance(random, 50));
   snprintf(instance->tail, sizeof instance->tail, " %s, %s, s[%u:%u], %s%s%s%s offset:%u%s", data, address,
            instance->resource, instance->resource + 3, soffset, format, instance->idxen ? " idxen" : "",
            instance->offen ? " offen" : "", instance->offset[0], returns ? " glc" : "");
}

/* ---- descriptors --------------------------------------------------------------------------------------------------
 */

/* The guide's selections name components that the format has, or constants. */
static void
choose_selection(struct random *random, const struct instance *instance, struct buffer *buffer)
{
   unsigned components = texel_components(instance->format);
   for (unsigned i = 0; i < 4; i++) {
      unsigned kind = random_below(random, 8);
      buffer->select[i] = has(instance->op->name, "store") ? 4 + i
                          : kind < 2                       ? kind
                                                           : 4 + random_below(random, components);
   }
}

static void
choose_layout(struct random *random, const struct instance *instance, struct buffer *buffer)
{
   unsigned bytes = payload(instance);
   buffer->index_stride = random_below(random, 4);
   buffer->add_tid = random_chance(random, 20);
   buffer->swizzle = random_chance(random, 50) ? 0 : bytes <= 4 && random_chance(random, 60) ? 1 : 3;
   buffer->stride = 16 * random_below(random, 4);
   if (!buffer->swizzle && random_chance(random, 50))
      buffer->stride = alignment(instance) * random_below(random, 12);
   buffer->oob_select = random_below(random, 4);
   buffer->records = random_chance(random, 10) ? UINT32_MAX : random_below(random, 70);
   bool indexed = instance->idxen || buffer->add_tid;
   if (buffer->add_tid) /* "no range checking (using OOB mode 2)" */
      buffer->oob_select = 2;
   /* "The stride field is ignored" of raw buffers: with an index, what would it be for? */
   if (buffer->oob_select == 3 && indexed && !buffer->swizzle)
      buffer->stride = 0;
   if (buffer->oob_select == 3 && !(indexed && buffer->swizzle && buffer->stride))
      buffer->records = 4 * random_below(random, 600);
}

/* ---- lanes --------------------------------------------------------------------------------------------------------
 */

static void
set_soffset(const struct instance *instance, struct machine *machine, uint32_t value)
{
   if (instance->src[1].kind == M0)
      machine->m0 = value;
   else if (instance->src[1].kind == SGPR)
      machine->sgpr[instance->src[1].value] = value;
}

static void
set_lane(const struct instance *instance, struct machine *machine, unsigned lane, uint32_t index, uint32_t offset)
{
   unsigned vgpr = (unsigned)instance->src[0].value;
   if (instance->idxen)
      machine->vgpr[vgpr++][lane] = index;
   if (instance->offen)
      machine->vgpr[vgpr][lane] = offset;
}

/* Within an element of a swizzled buffer, else anywhere: RADV has hardware allow any alignment. */
static uint32_t
random_offset(struct random *random, const struct instance *instance, const struct buffer *buffer)
{
   unsigned bytes = payload(instance), align = alignment(instance);
   if (buffer->swizzle) {
      unsigned element = buffer->swizzle == 1 ? 4 : 16;
      uint32_t start = random_below(random, 3) * element + random_below(random, element - bytes + 1) / align * align;
      return start + (element - instance->offset[0] % element) % element; /* the instruction's offset counts, too */
   }
   if (buffer->oob_select == 3 && !instance->offset[0] && random_chance(random, 5))
      return UINT32_MAX - random_below(random, 40);
   return random_below(random, buffer->stride && instance->idxen ? buffer->stride + 4 : 2000) / align * align;
}

static bool
is_safe(const struct instance *instance, const struct buffer *buffer, const struct buffer_place *place)
{
   unsigned bytes = payload(instance), part = component_count(instance->op->name) || bytes < 4 ? bytes : 4;
   unsigned element = buffer->swizzle == 1 ? 4 : 16;
   bool atomic = has(instance->op->name, "atomic");
   if (atomic)
      part = bytes;
   /* "A single fetch instruction must not fetch a unit larger than const_element_size." */
   if (buffer->swizzle && !buffer_is_out(buffer, place, 0, bytes) && place->offset % element + bytes > element)
      return false;
   for (unsigned skip = 0; skip < bytes; skip += part) {
      uint64_t address = buffer_address(buffer, place, skip) - PAGE;
      if (!buffer_is_out(buffer, place, skip, part) && address > MODEL_MEMORY - part)
         return false;
   }
   return true;
}

static void
fill_lanes(struct random *random, const struct instance *instance, struct buffer *buffer, struct machine *machine)
{
   unsigned turn = random_below(random, 64);
   for (unsigned lane = 0; lane < 64; lane++) {
      uint32_t index = (lane * 5 + turn) % 64, far = random_below(random, 200);
      index = far < 4 && instance->idxen ? buffer->records - 2 + far : far == 4 ? UINT32_MAX : index;
      set_lane(instance, machine, lane, index, random_offset(random, instance, buffer));
      struct buffer_place place = buffer_place(instance, machine, lane);
      if (is_safe(instance, buffer, &place))
         continue;
      set_lane(instance, machine, lane, 0, (16 - instance->offset[0] % 16) % 16);
      place = buffer_place(instance, machine, lane);
      if (!is_safe(instance, buffer, &place))
         buffer->records = 0;
   }
}

/* Values whose result is told: no NaN on either side of a float atomic, no denormals. */
static void
fill_float_atomics(struct random *random, const struct instance *instance, const struct buffer *buffer,
                   struct machine *machine)
{
   unsigned data = (unsigned)instance->dst.value;
   for (unsigned lane = 0; lane < 64; lane++) {
      struct buffer_place place = buffer_place(instance, machine, lane);
      uint32_t old = (0x3f800000u + (random_32(random) & 0xffffff)) | random_below(random, 2) << 31;
      machine->vgpr[data][lane] = (0x3f800000u + (random_32(random) & 0xffffff)) | random_below(random, 2) << 31;
      if (has(instance->op->name, "cmpswap"))
         machine->vgpr[data + 1][lane] = random_chance(random, 50) ? old : 0x40000000;
      if (!buffer_is_out(buffer, &place, 0, 4))
         bytes_set(machine->memory + (buffer_address(buffer, &place, 0) - PAGE), 4, old);
   }
}

static bool
overlaps(const struct instance *instance)
{
   int data = instance->dst.value, address = instance->src[0].value;
   return data <= address + 1 && address < data + (int)data_dwords(instance);
}

void
buffer_prepare(struct random *random, const struct instance *instance, struct machine *machine)
{
   struct buffer buffer = {.base = PAGE + 16 * random_below(random, 16), .format = instance->format};
   if (has(instance->op->name, "tbuffer"))
      buffer.format = 22;
   choose_selection(random, instance, &buffer);
   choose_layout(random, instance, &buffer);
   bool stores = has(instance->op->name, "store") || has(instance->op->name, "atomic");
   uint32_t soffset = 8 * random_below(random, 32);
   set_soffset(instance, machine, buffer.swizzle && buffer.oob_select == 3 ? 0 : soffset);
   if (stores && component_count(instance->op->name))
      texel_fill(random, instance, machine);
   if (stores && overlaps(instance)) /* the data are the address: any will do that does not harm */
      buffer.records = 0;
   fill_lanes(random, instance, &buffer, machine);
   if (atomic_type(instance->op->name) == F32)
      fill_float_atomics(random, instance, &buffer, machine);
   unsigned kind = random_below(random, 40);
   if (kind == 0) /* no resource at all; what its format says is enough */
      memset(&buffer, 0, sizeof buffer);
   if (kind == 1 && !buffer.add_tid) {
      buffer.format = 0;
      for (unsigned i = 0; i < 4; i++)
         buffer.select[i] = 4 + i;
   }
   buffer_encode(&buffer, &machine->sgpr[instance->resource]);
}

void
buffer_describe(const struct instance *instance, const struct machine *machine, unsigned lane)
{
   struct buffer buffer = buffer_decode(&machine->sgpr[instance->resource]);
   struct buffer_place place = buffer_place(instance, machine, lane);
   printf(" base +%llx stride %u records %x swizzle %u/%u select %u%u%u%u format %u oob %u%s;"
          " index %x offset %x soffset %x",
          (unsigned long long)(buffer.base - PAGE), buffer.stride, buffer.records, buffer.swizzle,
          8 << buffer.index_stride, buffer.select[0], buffer.select[1], buffer.select[2], buffer.select[3],
          buffer.format, buffer.oob_select, buffer.add_tid ? " add_tid" : "", place.index, place.offset, place.soffset);
}
