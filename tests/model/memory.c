/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <stdio.h>
#include <string.h>

#include "atomic.h"
#include "generate.h"

bool
has(const char *name, const char *part)
{
   return strstr(name, part) != NULL;
}

unsigned
access_bytes(const char *name)
{
   if (has(name, "_b128"))
      return 16;
   if (has(name, "_b96"))
      return 12;
   if (!strcmp(name + strlen(name) - 2, "64"))
      return 8;
   if (has(name, "_u8") || has(name, "_i8") || has(name, "_b8"))
      return 1;
   if (has(name, "16"))
      return 2;
   return 4;
}

uint32_t
extend(const char *name, uint32_t value, uint32_t old)
{
   if (has(name, "_i8"))
      value = (uint32_t)(int8_t)value;
   if (has(name, "_i16"))
      value = (uint32_t)(int16_t)value;
   if (has(name, "_d16_hi"))
      return (old & 0xffff) | value << 16;
   return has(name, "_d16") ? (old & 0xffff0000) | (value & 0xffff) : value;
}

bits
source(const struct call *call, unsigned s, unsigned lane)
{
   return operand_value(&call->instance->src[s], call->op->src[s], call->machine, lane);
}

void
write_dwords(const struct call *call, unsigned lane, bits value, unsigned bytes)
{
   unsigned number = (unsigned)call->instance->dst.value;
   for (unsigned i = 0; i < (bytes + 3) / 4; i++)
      call->after->vgpr[number + i][lane] = (uint32_t)(value >> 32 * i);
}

void
write_loaded(const struct call *call, unsigned lane, bits value)
{
   const char *name = call->op->name;
   unsigned bytes = access_bytes(name);
   if (bytes <= 2)
      value = extend(name, (uint32_t)value, call->machine->vgpr[call->instance->dst.value][lane]);
   write_dwords(call, lane, value, bytes);
}

void
print_registers(char text[24], char bank, unsigned first, unsigned count)
{
   if (count == 1)
      snprintf(text, 24, "%c%u", bank, first);
   else
      snprintf(text, 24, "%c[%u:%u]", bank, first, first + count - 1);
}

bits
read_dwords(const struct machine *machine, unsigned vgpr, unsigned lane, unsigned count)
{
   bits value = 0;
   for (unsigned i = 0; i < count; i++)
      value |= (bits)machine->vgpr[vgpr + i][lane] << 32 * i;
   return value;
}

bits
atomic_memory(const struct call *call, bits data, uint8_t *place)
{
   const char *name = call->op->name;
   enum type type = atomic_type(name);
   unsigned size = type_bits(type);
   bits mask = ((bits)1 << size) - 1;
   char operation[16];
   sscanf(strstr(name, "atomic_"), "atomic_%15[a-z]", operation);
   uint64_t second = !strcmp(operation, "cmpswap") ? (uint64_t)(data >> size & mask) : 0;
   uint64_t old = bytes_get(place, size / 8);
   bytes_set(place, size / 8,
             atomic_result(operation, type, GLOBAL_MEMORY, call->mode, old, (uint64_t)(data & mask), second));
   return old;
}

static void
tolerate(const struct call *call, struct tolerance tolerance)
{
   struct machine *after = call->after;
   if (after->tolerance && after->tolerances < MODEL_TOLERANCES)
      after->tolerance[after->tolerances++] = tolerance;
}

void
allow_anything(const struct call *call, unsigned vgpr, unsigned lane, enum type type, bool upper)
{
   tolerate(call, (struct tolerance){
                     .vgpr = (uint8_t)vgpr, .lane = (uint8_t)lane, .upper = upper, .type = type, .anything = true});
}

void
allow_any_nan(const struct call *call, unsigned vgpr, unsigned lane, enum type type, bool upper)
{
   tolerate(call, (struct tolerance){
                     .vgpr = (uint8_t)vgpr, .lane = (uint8_t)lane, .upper = upper, .type = type, .any_nan = true});
}

void
allow_range(const struct call *call, unsigned vgpr, unsigned lane, enum type type, bool upper, uint32_t low,
            uint32_t high)
{
   tolerate(call,
            (struct tolerance){
               .vgpr = (uint8_t)vgpr, .lane = (uint8_t)lane, .upper = upper, .type = type, .low = low, .high = high});
}

void
put_component(const struct call *call, unsigned vgpr, unsigned lane, bool d16, bool upper, uint32_t value)
{
   uint32_t *to = &call->after->vgpr[vgpr][lane];
   *to = !d16 ? value : upper ? (*to & 0xffff) | value << 16 : (*to & 0xffff0000) | (value & 0xffff);
}

struct operand
choose_vgpr(struct random *random, unsigned first, unsigned count)
{
   return (struct operand){VGPR, (int32_t)(first + random_below(random, count)), false};
}

struct operand
choose_sgpr(struct random *random, unsigned first, unsigned count, unsigned align)
{
   return (struct operand){SGPR, (int32_t)((first + random_below(random, count)) / align * align), false};
}
