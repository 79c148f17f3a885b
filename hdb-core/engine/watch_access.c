/* SPDX-License-Identifier: MIT */
/*
 * Which instruction has touched what is watched, and for which lanes: by its addresses, which the card has seen or
 * which follow from the registers that it has left behind. Layouts are those of the RDNA3 ISA guide: 15.6 (FLAT,
 * GLOBAL, SCRATCH), 15.5 (MUBUF, MTBUF), 9.1.6 (buffer resource).
 */
#include <string.h>

#include "engine/watch.h"

#define SGPR_NULL 124
#define ADDRESS_MASK ((1ull << 48) - 1)

/* An instruction may have followed, where the card reports late. */
#define LATE_LIMIT 32

#define FIELD(word, low, width) ((uint32_t)((word) >> (low)) & ((1u << (width)) - 1))

uint64_t
watch_possible_lanes(const struct hdb_wave *wave)
{
   uint64_t active = active_lanes(wave);
   return active ? active : UINT64_MAX >> (64 - wave->wave_size);
}

struct instruction {
   struct card *card;
   struct hdb_wave *wave;
   uint64_t pc, code;
   char name[64]; /* its mnemonic */
   uint32_t size; /* of what it accesses, in bytes */
   bool reads, writes;
   bool kept; /* nothing that the wave has run since writes VGPRs */
};

/* ---- what it is ---- */

/* "b32", "u8", "d16_hi_b16", "format_xyz", "pk_add_f16". */
static uint32_t
access_size(const char *name)
{
   const char *last = strrchr(name, '_');
   const char *digits = last ? last + 1 + strspn(last + 1, "abcdefghijklmnopqrstuvwz") : "";
   if (strncmp(digits, "128", 3) == 0)
      return 16;
   if (strncmp(digits, "96", 2) == 0)
      return 12;
   if (strncmp(digits, "64", 2) == 0)
      return 8;
   if (strncmp(digits, "32", 2) == 0)
      return 4;
   if (strncmp(digits, "16", 2) == 0)
      return strstr(name, "_pk_") ? 4 : 2;
   if (*digits == '8')
      return 1;
   return last && strstr(name, "format") ? 4 * (uint32_t)strlen(last + 1) : 0;
}

static bool
decode(struct instruction *in)
{
   char text[128];
   if (hdb_machine_read_memory(in->card->machine, in->pc, &in->code, sizeof(in->code)) ||
       engine_disassemble(in->card->machine, in->wave->wave_size, in->pc, text, sizeof(text)) < 0)
      return false;
   size_t length = strcspn(text, " ");
   if (length >= sizeof(in->name))
      return false;
   memcpy(in->name, text, length);
   in->name[length] = 0;
   bool atomic = strstr(in->name, "_atomic_");
   in->reads = atomic || strstr(in->name, "_load_");
   in->writes = atomic || strstr(in->name, "_store_");
   in->size = access_size(in->name);
   return in->reads || in->writes;
}

/* SOP2, SOPK, SOP1, SOPC and SOPP: 31:30 are 2. */
static bool
is_scalar(const struct instruction *in)
{
   return FIELD(in->code, 30, 2) == 2;
}

static bool
is_flat(const struct instruction *in)
{
   return FIELD(in->code, 26, 6) == 0x37;
}

static bool
is_buffer(const struct instruction *in)
{
   return FIELD(in->code, 26, 6) == 0x38 || FIELD(in->code, 26, 6) == 0x3a;
}

/* ---- its addresses ---- */

static uint64_t
read_scalars(struct instruction *in, uint32_t reg, uint32_t count)
{
   uint32_t low = 0, high = 0;
   hdb_wave_read_scalar(in->card->machine, in->wave, reg, &low);
   if (count == 2)
      hdb_wave_read_scalar(in->card->machine, in->wave, reg + 1, &high);
   return low | (uint64_t)high << 32;
}

static bool
add_vgpr(struct instruction *in, uint32_t vgpr, uint32_t shift, uint64_t addresses[64])
{
   uint32_t lanes[64];
   if (hdb_wave_read_vgpr(in->card->machine, in->wave, vgpr, lanes))
      return false;
   for (uint32_t lane = 0; lane < 64; lane++)
      addresses[lane] += (uint64_t)lanes[lane] << shift;
   return true;
}

static void
add_to_all(uint64_t addresses[64], uint64_t value)
{
   for (uint32_t lane = 0; lane < 64; lane++)
      addresses[lane] += value;
}

/* A result has gone to where an address came from: that is not known any more. */
static bool
is_overwritten(const struct instruction *in, uint32_t result, uint32_t first, uint32_t count)
{
   bool returns = in->reads && (!in->writes || FIELD(in->code, 14, 1)); /* GLC: an atomic gives the old value */
   uint32_t results = (in->size + 3) / 4;
   return returns && count && first < result + results && result < first + count;
}

/* OFFSET 12:0 signed, SEG 17:16 (0 flat, 1 scratch, 2 global), ADDR 39:32, SADDR 54:48, SVE 55, VDST 63:56. In scratch
 * an address is an offset in the lane's part. */
static bool
find_flat(struct instruction *in, uint64_t addresses[64])
{
   bool scratch = FIELD(in->code, 16, 2) == 1, vector = !scratch || FIELD(in->code, 55, 1);
   uint32_t base = FIELD(in->code, 48, 7), address = FIELD(in->code, 32, 8);
   uint32_t registers = !vector ? 0 : scratch || base != SGPR_NULL ? 1 : 2;
   if (is_overwritten(in, FIELD(in->code, 56, 8), address, registers))
      return false;
   if (base != SGPR_NULL)
      add_to_all(addresses, read_scalars(in, base, scratch ? 1 : 2));
   for (uint32_t i = 0; i < registers; i++) {
      if (!add_vgpr(in, address + i, 32 * i, addresses))
         return false;
   }
   add_to_all(addresses, (uint64_t)((int64_t)(in->code << 51) >> 51));
   return true;
}

/* Buffer resource: base 47:0, stride 61:48, swizzle 63:62, num_records 95:64. */
struct buffer {
   uint64_t base;
   uint32_t stride, records;
   bool swizzled;
};

static struct buffer
read_buffer(struct instruction *in, uint32_t reg)
{
   uint64_t low = read_scalars(in, reg, 2);
   return (struct buffer){
      .base = low & ((1ull << 48) - 1),
      .stride = FIELD(low, 48, 14),
      .records = (uint32_t)read_scalars(in, reg + 2, 1),
      .swizzled = FIELD(low, 62, 2) != 0,
   };
}

/* OFFSET 11:0, VADDR 39:32, VDATA 47:40, SRSRC 52:48 (in fours), OFFEN 54, IDXEN 55, SOFFSET 63:56. What is out of the
 * buffer is not accessed: its address becomes 0. */
static bool
find_buffer(struct instruction *in, uint64_t addresses[64])
{
   bool offset_on = FIELD(in->code, 54, 1), index_on = FIELD(in->code, 55, 1);
   uint32_t vgpr = FIELD(in->code, 32, 8), soffset = FIELD(in->code, 56, 8);
   struct buffer buffer = read_buffer(in, FIELD(in->code, 48, 5) * 4);
   uint64_t indices[64] = {0};
   if (buffer.swizzled || is_overwritten(in, FIELD(in->code, 40, 8), vgpr, offset_on + index_on))
      return false;
   if (index_on && !add_vgpr(in, vgpr, 0, indices))
      return false;
   if (offset_on && !add_vgpr(in, vgpr + index_on, 0, addresses))
      return false;
   add_to_all(addresses, FIELD(in->code, 0, 12));
   for (uint32_t lane = 0; lane < 64; lane++) {
      bool structured = buffer.stride && index_on;
      bool inside =
         structured ? indices[lane] < buffer.records : addresses[lane] + in->size <= (uint64_t)buffer.records;
      addresses[lane] = inside ? addresses[lane] + indices[lane] * buffer.stride + buffer.base : 0;
   }
   uint32_t integer = soffset >= 128 && soffset <= 192 ? soffset - 128 : 0; /* SSRC: 128..192 are 0..64 */
   uint64_t scalar = soffset < 126 && soffset != SGPR_NULL ? read_scalars(in, soffset, 1) : integer;
   for (uint32_t lane = 0; lane < 64; lane++)
      addresses[lane] += addresses[lane] ? scalar : 0;
   return true;
}

/* ---- what it has stored ---- */

/* Bits 47:40 name the data's first VGPR in FLAT and MUBUF. As long as nothing has run since, they are still there. What
 * is converted on its way (format) is not looked into. */
static bool
find_stored(struct instruction *in, uint8_t stored[64][16])
{
   uint32_t shift = strstr(in->name, "_d16_hi_") ? 16 : 0;
   if (!in->writes || in->reads || strstr(in->name, "format"))
      return false;
   for (uint32_t i = 0; i < (in->size + 3) / 4; i++) {
      uint32_t lanes[64];
      if (hdb_wave_read_vgpr(in->card->machine, in->wave, FIELD(in->code, 40, 8) + i, lanes))
         return false;
      for (uint32_t lane = 0; lane < 64; lane++) {
         uint32_t value = lanes[lane] >> shift;
         memcpy(&stored[lane][4 * i], &value, sizeof(value));
      }
   }
   return true;
}

/* ---- whether that is what is watched ---- */

/* As the card has seen it, else as it can be told from the registers: then addresses in scratch are offsets there. */
static bool
find_done(struct instruction *in, struct access *access)
{
   struct hdb_watched *done = &access->done;
   if (!hdb_machine_read_watched(in->card->machine, in->wave, done)) {
      access->found_known = access->left_known = done->values;
      return true;
   }
   *done = (struct hdb_watched){.lanes = active_lanes(in->wave), .stride = 4};
   memset(done->bytes, in->size, sizeof(done->bytes));
   access->scratch = is_flat(in) && FIELD(in->code, 16, 2) == 1;
   access->left_known = in->kept && find_stored(in, done->after);
   return in->size && (is_flat(in) ? find_flat(in, done->va) : is_buffer(in) && find_buffer(in, done->va));
}

/* Both may be canonical, or not. */
static bool
overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
   uint64_t ahead = (b - a) & ADDRESS_MASK, behind = (a - b) & ADDRESS_MASK;
   return ahead < a_size || behind < b_size;
}

static bool
touches(const struct instruction *in, const struct access *access, uint32_t lane, const struct watch *watch)
{
   const struct hdb_watched *done = &access->done;
   if (access->scratch && (!watch->in_scratch || lane != watch->lane))
      return false;
   uint64_t from = access->scratch ? watch->address : watch->low;
   uint64_t size = access->scratch ? watch->size : watch->high - watch->low;
   if (watch->in_scratch && (in->wave->id != watch->wave || lane != watch->lane))
      return false;
   for (uint32_t i = 0; i < done->bytes[lane]; i += 4) {
      uint32_t part = done->bytes[lane] - i < 4 ? done->bytes[lane] - i : 4;
      if (overlaps(from, size, done->va[lane] + (uint64_t)(i / 4) * done->stride, part))
         return true;
   }
   return false;
}

static void
check(struct instruction *in, const struct watch *watch, struct access *access)
{
   uint64_t lanes = 0;
   bool known = find_done(in, access);
   access->pc = in->pc;
   access->kinds = (in->reads ? WATCH_READS : 0) | (in->writes ? WATCH_WRITES : 0);
   for (uint64_t rest = access->done.lanes; known && rest; rest &= rest - 1) {
      uint32_t lane = __builtin_ctzll(rest);
      if (touches(in, access, lane, watch))
         lanes |= 1ull << lane;
   }
   access->found_known &= known;
   access->left_known &= known;
   access->lanes = known ? lanes : watch_possible_lanes(in->wave);
   access->which = known;
   access->elsewhere = known && !lanes;
   access->found = !access->elsewhere;
}

void
watch_overlay(const struct watch *watch, const struct access *access, const uint8_t from[64][16], uint8_t *bytes)
{
   const struct hdb_watched *done = &access->done;
   for (uint64_t rest = access->lanes; rest; rest &= rest - 1) {
      uint32_t lane = __builtin_ctzll(rest);
      for (uint32_t i = 0; i < done->bytes[lane]; i++) {
         uint64_t at = done->va[lane] + (uint64_t)(i / 4) * done->stride + i % 4;
         uint64_t offset = (at - watch->address) & ADDRESS_MASK;
         if (offset < watch->size)
            bytes[offset] = from[lane][i];
      }
   }
}

struct access
watch_find_access(struct card *card, struct hdb_wave *wave, const struct watch *watch)
{
   struct access access = {0}, last = {0};
   uint32_t pc = wave->shader ? (uint32_t)(wave->pc - wave->shader->va) : 0, start, next;
   bool late = !hdb_machine_has_precise_watches(card->machine), kept = true;
   for (uint32_t i = 0; pc && i < (late ? LATE_LIMIT : 1); i++, pc = start) {
      if (!hdb_machine_find_instruction(card->machine, wave->shader, pc - 4, &start, &next))
         break;
      struct instruction in = {.card = card, .wave = wave, .pc = wave->shader->va + start, .kept = kept};
      bool decoded = decode(&in);
      kept &= is_scalar(&in);
      if (!decoded)
         continue;
      access = (struct access){0};
      check(&in, watch, &access);
      if (access.found)
         return access;
      last = access;
   }
   return last;
}
