/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "isa/access.h"
#include "isa/pending.h"
#include "sq/interpret.h"

struct pending_load {
   struct pending_load *next;
   unsigned counters; /* that it is still outstanding in */
   bool scalar, store;
   unsigned half_word;
   unsigned first, count;
   uint64_t mask;
   uint32_t data[]; /* scalar: a dword a register; vector: 64 */
};

/* Lanes of `mask` as all ones or 0. */
static void
expand(uint64_t mask, uint32_t lanes[64])
{
   for (unsigned half = 0; half < 2; half++) {
      uint32_t part = (uint32_t)(mask >> (32 * half));
      for (unsigned i = 0; i < 32; i++)
         lanes[half * 32 + i] = part & (1u << i) ? ~0u : 0;
   }
}

static void
write_vgprs(struct wave *wave, unsigned first, unsigned count, uint64_t mask, unsigned half_word,
            const uint32_t (*data)[64])
{
   uint32_t lanes[64];
   expand(mask, lanes);
   if (half_word) {
      for (unsigned l = 0; l < 64; l++)
         lanes[l] &= half_word == 1 ? 0xffff : 0xffff0000;
   }
   unsigned shift = half_word == 2 ? 16 : 0;
   for (unsigned i = 0; i < count; i++) {
      uint32_t *vgpr = vgpr_destination(wave, first + i);
      for (unsigned l = 0; l < 64 && vgpr; l++)
         vgpr[l] = (data[i][l] << shift & lanes[l]) | (vgpr[l] & ~lanes[l]);
   }
}

static void
write_sgprs(struct wave *wave, unsigned first, unsigned count, const uint32_t *data)
{
   if (first == SREG_NULL)
      return;
   for (unsigned i = 0; i < count && first + i < SREG_COUNT; i++)
      sreg_write(wave, first + i, data[i]);
}

/* Scalar loads of more than a dword count twice in LGKMcnt (RDNA3 ISA guide, 4.4). */
static unsigned
weight(const struct pending_load *load)
{
   return load->scalar && load->count > 1 ? 2 : 1;
}

static unsigned *
counts(struct wave *wave, unsigned which[3])
{
   which[0] = which[1] = which[2] = 0;
   for (struct pending_load *load = wave->pending; load; load = load->next) {
      if (load->store)
         which[2]++;
      if (load->counters & COUNT_VM)
         which[0]++;
      if (load->counters & COUNT_LGKM)
         which[1] += weight(load);
   }
   return which;
}

static void
show_counts(struct wave *wave)
{
   unsigned count[3];
   counts(wave, count);
   wave->vmcnt = (uint8_t)(count[0] > 63 ? 63 : count[0]);
   wave->lgkmcnt = (uint8_t)(count[1] > 63 ? 63 : count[1]);
   wave->vscnt = (uint8_t)(count[2] > 63 ? 63 : count[2]);
}

/* NULL: it cannot be put off (not asked for, or no memory). */
static struct pending_load *
put_off(struct wave *wave, size_t dwords)
{
   if (!(wave->gpu->options.flags & VGPU_LATE_LOADS))
      return NULL;
   struct pending_load *load = calloc(1, sizeof *load + dwords * sizeof(uint32_t));
   if (!load)
      return NULL;
   struct pending_load **end = &wave->pending;
   while (*end)
      end = &(*end)->next;
   *end = load;
   return load;
}

void
vgprs_land(struct wave *wave, unsigned counters, unsigned first, unsigned count, uint64_t mask, unsigned half_word,
           const uint32_t (*data)[64])
{
   struct pending_load *load = put_off(wave, count * 64);
   if (!load) {
      write_vgprs(wave, first, count, mask, half_word, data);
      return;
   }
   load->counters = counters;
   load->first = first;
   load->count = count;
   load->mask = mask;
   load->half_word = half_word;
   memcpy(load->data, data, count * 64 * sizeof(uint32_t));
   show_counts(wave);
}

void
sgprs_land(struct wave *wave, unsigned first, unsigned count, const uint32_t *data)
{
   struct pending_load *load = put_off(wave, count);
   if (!load) {
      write_sgprs(wave, first, count, data);
      return;
   }
   load->counters = COUNT_LGKM | COUNT_SMEM;
   load->scalar = true;
   load->first = first;
   load->count = count;
   memcpy(load->data, data, count * sizeof(uint32_t));
   show_counts(wave);
}

void
store_count(struct wave *wave, bool lds)
{
   struct pending_load *store = put_off(wave, 0);
   if (!store)
      return;
   store->store = !lds;
   store->counters = lds ? COUNT_LGKM : 0;
   show_counts(wave);
}

static void
land(struct wave *wave, struct pending_load *load)
{
   if (load->scalar)
      write_sgprs(wave, load->first, load->count, load->data);
   else if (load->count)
      write_vgprs(wave, load->first, load->count, load->mask, load->half_word, (const uint32_t(*)[64])load->data);
}

/* What scalar loads make up of LGKMcnt. */
static unsigned
scalar_share(const struct wave *wave)
{
   unsigned share = 0;
   for (const struct pending_load *load = wave->pending; load; load = load->next)
      share += load->counters & COUNT_SMEM ? weight(load) : 0;
   return share;
}

/* Takes the oldest off one counter until it is down to `limit`. Scalar loads come back in any order, LDS in its own
 * (RDNA3 ISA guide, 4.4): with both outstanding an LGKMcnt other than 0 says nothing of scalar loads, and of LDS that
 * no more than `limit` instructions are. */
static void
settle(struct wave *wave, unsigned counter, unsigned outstanding, unsigned limit)
{
   unsigned any_order = counter == COUNT_LGKM && limit ? scalar_share(wave) : 0;
   for (struct pending_load *load = wave->pending; load && outstanding - any_order > limit; load = load->next) {
      if (!(load->counters & counter) || (any_order && load->counters & COUNT_SMEM))
         continue;
      load->counters &= ~counter;
      if (counter == COUNT_LGKM)
         load->counters &= ~(unsigned)COUNT_SMEM;
      outstanding -= weight(load);
   }
}

void
wave_wait(struct wave *wave, unsigned vmcnt, unsigned lgkmcnt, unsigned vscnt)
{
   if (!wave->pending)
      return;
   unsigned count[3];
   counts(wave, count);
   settle(wave, COUNT_VM, count[0], vmcnt);
   settle(wave, COUNT_LGKM, count[1], lgkmcnt);

   struct pending_load **link = &wave->pending;
   while (*link) {
      struct pending_load *load = *link;
      bool done = load->store ? count[2] > vscnt : !load->counters;
      if (!done) {
         link = &load->next;
         continue;
      }
      if (load->store)
         count[2]--;
      land(wave, load);
      *link = load->next;
      free(load);
   }
   show_counts(wave);
}

struct pending_load *
pending_copy(const struct pending_load *pending)
{
   struct pending_load *copy = NULL, **end = &copy;
   for (; pending; pending = pending->next) {
      size_t size = sizeof *pending + (pending->scalar ? pending->count : pending->count * 64) * sizeof(uint32_t);
      *end = malloc(size);
      if (!*end)
         break;
      memcpy(*end, pending, size);
      end = &(*end)->next;
   }
   *end = NULL;
   return copy;
}

void
wave_drain(struct wave *wave)
{
   wave_wait(wave, 0, 0, 0);
}
