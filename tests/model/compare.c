/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <stdio.h>
#include <string.h>

#include "real.h"

static bool
within(const struct tolerance *tolerance, uint64_t value)
{
   enum type type = tolerance->type;
   if (tolerance->anything)
      return true;
   if (real_is_nan(type, value))
      return tolerance->any_nan;
   if (tolerance->any_nan || real_is_nan(type, (uint64_t)tolerance->low))
      return false;
   int64_t order = real_order(type, value);
   return order >= real_order(type, (uint64_t)tolerance->low) && order <= real_order(type, (uint64_t)tolerance->high);
}

/* The register as the model has it, or as `actual` has it where that is as good. */
static void
accept_tolerated(struct machine *expected, const struct machine *actual)
{
   for (unsigned i = 0; i < expected->tolerances; i++) {
      const struct tolerance *tolerance = &expected->tolerance[i];
      unsigned v = tolerance->vgpr, lane = tolerance->lane;
      uint32_t low = actual->vgpr[v][lane];
      unsigned size = type_bits(tolerance->type);
      if (size == 64) {
         if (within(tolerance, low | (uint64_t)actual->vgpr[v + 1][lane] << 32)) {
            expected->vgpr[v][lane] = low;
            expected->vgpr[v + 1][lane] = actual->vgpr[v + 1][lane];
         }
      } else {
         uint32_t mask = size == 32 ? ~0u : tolerance->upper ? 0xffff0000 : 0xffff;
         if (within(tolerance, (low & mask) >> (tolerance->upper ? 16 : 0)))
            expected->vgpr[v][lane] = (expected->vgpr[v][lane] & ~mask) | (low & mask);
      }
   }
}

static bool
differs(struct difference *difference, const char *place, uint64_t actual, uint64_t expected, unsigned lane)
{
   if (actual == expected)
      return false;
   snprintf(difference->place, sizeof difference->place, "%s", place);
   difference->actual = actual;
   difference->expected = expected;
   difference->lane = lane;
   return true;
}

static bool
bytes_differ(struct difference *difference, const char *name, const uint8_t *actual, const uint8_t *expected,
             unsigned size)
{
   for (unsigned i = 0; i < size; i += 4) {
      char place[16];
      uint32_t got, want;
      snprintf(place, sizeof place, "%s[%u]", name, i);
      memcpy(&got, actual + i, 4);
      memcpy(&want, expected + i, 4);
      if (differs(difference, place, got, want, 0))
         return true;
   }
   return false;
}

/* Bits of a mask that may be anything, wherever the mask went. */
static void
accept_mask(struct machine *expected, const struct machine *actual, const struct operand *mask)
{
   uint64_t unknown = expected->unknown_mask;
   if (mask->kind == VCC) {
      expected->vcc = (expected->vcc & ~unknown) | (actual->vcc & unknown);
   } else if (mask->kind == SGPR) {
      for (unsigned i = 0; i < (expected->wave64 ? 2 : 1); i++) {
         uint32_t part = (uint32_t)(unknown >> 32 * i), *to = &expected->sgpr[mask->value + (int)i];
         *to = (*to & ~part) | (actual->sgpr[mask->value + (int)i] & part);
      }
   }
}

bool
machines_differ(const struct instance *instance, struct machine *expected, const struct machine *actual,
                struct difference *difference)
{
   char place[16];
   accept_tolerated(expected, actual);
   if (expected->unknown_mask)
      accept_mask(expected, actual, &instance->sdst);
   for (unsigned v = 0; v < MODEL_VGPRS; v++) {
      snprintf(place, sizeof place, "v%u", v);
      for (unsigned lane = 0; lane < 64; lane++) {
         if (differs(difference, place, actual->vgpr[v][lane], expected->vgpr[v][lane], lane))
            return true;
      }
   }
   for (unsigned s = 0; s < MODEL_SGPRS; s++) {
      snprintf(place, sizeof place, "s%u", s);
      if (differs(difference, place, actual->sgpr[s], expected->sgpr[s], 0))
         return true;
   }
   if (differs(difference, "vcc", actual->vcc, expected->vcc, 0) ||
       differs(difference, "exec", actual->exec, expected->exec, 0) ||
       differs(difference, "scc", actual->scc, expected->scc, 0) ||
       differs(difference, "m0", actual->m0, expected->m0, 0) ||
       differs(difference, "mode", actual->mode, expected->mode, 0) ||
       differs(difference, "trapsts", actual->trapsts & ~expected->trapsts_unknown,
               expected->trapsts & ~expected->trapsts_unknown,
               expected->exec ? (unsigned)__builtin_ctzll(expected->exec) : 0))
      return true;
   return bytes_differ(difference, "lds", actual->lds, expected->lds, MODEL_LDS) ||
          bytes_differ(difference, "mem", actual->memory, expected->memory, MODEL_MEMORY);
}
