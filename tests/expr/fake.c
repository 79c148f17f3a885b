/* SPDX-License-Identifier: MIT */
#include "fake_state.h"

#include <string.h>

#define LANES 32
#define SGPRS 16

struct fake_state fake;

struct wave_contents *
wave_contents_of(struct hdb_wave *wave)
{
   return &fake.contents;
}

int
hdb_wave_read_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, void *data, size_t size)
{
   fake.memory_reads++;
   return wave_transfer(fake.memory, MEMORY_SIZE, va - FAKE_MEMORY, data, size, false);
}

int
hdb_wave_write_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, const void *data, size_t size)
{
   return wave_transfer(fake.memory, MEMORY_SIZE, va - FAKE_MEMORY, (void *)data, size, true);
}

static void
put(uint32_t lane, uint32_t offset, const void *data, size_t size)
{
   memcpy(fake.contents.scratch[lane] + offset, data, size);
}

static void
fill_lane(uint32_t lane)
{
   int32_t acc = (int32_t)lane - 3, mode = 1, iv[2] = {7, -7}, seventeen = 17;
   float outer = lane * 0.5f, f = 1.5f, v[3] = {1, 2, 3}, w[3] = {0.5f, -1, 2}, v4[4] = {1, 2, 3, 4}, v2[2] = {3, 4};
   double d = 0.1;
   uint16_t h = 0x3e00, hv[2] = {0x3c00, 0xc000}, word = 65535; /* 1.5; 1, -2 */
   uint32_t u = 0xffffffff, flag = 1, bv[2] = {1, 0};
   int8_t small = -128;
   int64_t big = -9000000000;
   float m[12] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 10, 0}, m23[6] = {1, 2, 3, 4, 5, 6};
   float blade[4] = {1, 2, 3, 0.25f}, pair[8] = {1, 1, 1, 10, 2, 2, 2, 20};
   put(lane, 0, &acc, 4);
   put(lane, 4, &outer, 4);
   put(lane, 8, &f, 4);
   put(lane, 16, &d, 8);
   put(lane, 24, &h, 2);
   put(lane, 28, &u, 4);
   put(lane, 32, &flag, 4);
   put(lane, 36, &small, 1);
   put(lane, 38, &word, 2);
   put(lane, 40, &big, 8);
   put(lane, 48, v, sizeof(v));
   put(lane, 60, w, sizeof(w));
   put(lane, 72, iv, sizeof(iv));
   put(lane, 80, bv, sizeof(bv));
   put(lane, 88, hv, sizeof(hv));
   put(lane, 96, m, sizeof(m));
   put(lane, 144, m23, sizeof(m23));
   put(lane, 176, blade, sizeof(blade));
   put(lane, 192, pair, sizeof(pair));
   put(lane, 224, &mode, 4);
   put(lane, 656, v4, sizeof(v4));
   put(lane, 672, v2, sizeof(v2));
   put(lane, 680, &seventeen, 4);
}

/* The push constants, a list of two nodes, a field of three blades, a buffer of floats, two blocks. */
static void
fill_memory(void)
{
   uint64_t constants[4] = {FAKE_MEMORY + 0x200, FAKE_MEMORY + 0x100, 42, 0xdead0000};
   uint64_t list[4] = {FAKE_MEMORY + 0x110, 1, 0, 2};
   uint32_t count = 3;
   float field[12] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3};
   float values[6] = {10, 11, 12, 13, 14, 15};
   memcpy(fake.memory, constants, sizeof(constants));
   memcpy(fake.memory + 0x100, list, sizeof(list));
   memcpy(fake.memory + 0x200, &count, sizeof(count));
   memcpy(fake.memory + 0x210, field, sizeof(field));
   memcpy(fake.memory + 0x404, values, sizeof(values));
   for (uint32_t block = 0; block < 2; block++) {
      for (uint32_t i = 0; i < 9; i++) {
         float number = i + 1 + block * 100;
         memcpy(fake.memory + 0x600 + block * 0x100 + i / 3 * 16 + i % 3 * 4, &number, 4);
      }
      for (uint32_t i = 0; i < 4; i++) {
         float number = i + block * 10;
         memcpy(fake.memory + 0x600 + block * 0x100 + 48 + i * 16, &number, 4);
      }
   }
   for (uint32_t i = 0; i < 16; i++) {
      float number = i;
      memcpy(fake.contents.lds + 64 + i * 4, &number, 4);
   }
}

unsigned
fake_memory_reads(void)
{
   return fake.memory_reads;
}

unsigned
fake_look_ups(void)
{
   return fake.look_ups;
}

void
fake_set_language(enum hdb_language language)
{
   fake.language = language;
}

struct hdb_context
fake_context(void)
{
   static char some_symbols;
   memset(&fake, 0, sizeof(fake));
   fake.language = HDB_LANGUAGE_GLSL;
   fake.shader = (struct hdb_shader){.va = 0x2000, .exec_size = 64, .wave_size = LANES};
   fake.wave = (struct hdb_wave){
      .id = 7,
      .run = HDB_WAVE_STOPPED,
      .shader = &fake.shader,
      .pc = 0x2008,
      .exec = 0xffff00ff,
      .wave_size = LANES,
      .sgpr_count = SGPRS,
      .vgpr_count = WAVE_VGPRS,
      .status = 1,
   };
   for (uint32_t reg = 0; reg < 128; reg++)
      fake.contents.sgprs[reg] = 0x100 + reg;
   for (uint32_t reg = 0; reg < WAVE_VGPRS; reg++) {
      for (uint32_t lane = 0; lane < 64; lane++)
         fake.contents.vgprs[reg][lane] = reg * 0x1000 + lane;
   }
   fake.contents.sgprs[2] = 0x25;
   for (uint32_t lane = 0; lane < LANES; lane++)
      fill_lane(lane);
   fill_memory();
   return (struct hdb_context){
      .machine = NULL, .wave = &fake.wave, .symbols = (struct hdb_symbols *)&some_symbols, .lane = 5};
}
