/* SPDX-License-Identifier: MIT */
/*
 * make_capture FILE [WRONG]: a capture that no program was needed for. Two dispatches of order.S, from the same memory;
 * what they leave is the order in which their waves ended. With a word, one whose checksums are right, but not what it
 * says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/writer.h"
#include "target/registers.h"

extern const uint32_t order[];
extern const uint32_t order_size;

enum { WAVES = 16, FIRST = 3, SECOND = 7, RSRC2_SCRATCH_EN = 1 };
enum { PAGE = HDB_CAPTURE_PAGE };
#define CODE 0xffff800000000000ull
#define DATA 0xffff800100000000ull
#define NOWHERE 0xffff900000000000ull /* reads 0, drops writes */

/* {count, list}, the count, the list */
enum { ARGUMENTS, COUNT = 0x100, LIST = 0x200 };

static void
put(uint8_t *page, uint32_t offset, uint64_t value, size_t size)
{
   memcpy(page + offset, &value, size);
}

static const char *wrong = "";

static bool
is(const char *kind)
{
   return strcmp(wrong, kind) == 0;
}

static uint32_t
write_state(struct hdb_capture_writer *writer, const uint8_t *data, bool after)
{
   static uint8_t code[PAGE];
   struct hdb_capture_range ranges[] = {
      {.va = CODE, .size = PAGE, .flags = HDB_CAPTURE_READ | HDB_CAPTURE_EXECUTE},
      {.va = DATA, .size = 4096, .flags = HDB_CAPTURE_READ | HDB_CAPTURE_WRITE},
      {.va = NOWHERE, .size = 4096, .flags = HDB_CAPTURE_READ | HDB_CAPTURE_UNBACKED},
   };
   if (is("huge"))
      ranges[1].size = 1ull << 40;
   if (is("endless")) {
      ranges[2].size = 17ull << 30;
      ranges[2].flags |= HDB_CAPTURE_WRITE;
   }
   if (is("reserved")) /* by the kernel, at the end of the address space */
      ranges[2] = (struct hdb_capture_range){.va = -0x10000ull, .size = 4096, .flags = HDB_CAPTURE_READ};
   memcpy(code, order, order_size);
   if (is("code"))
      code[4] ^= 1;
   hdb_capture_begin_state(writer, ranges, 3);
   hdb_capture_put_page(writer, CODE, 0xffff, code);
   hdb_capture_put_page(writer, DATA, 1, data);
   return hdb_capture_end_state(writer, after);
}

static void
write_dispatch(struct hdb_capture_writer *writer, const struct hdb_shader *shader, uint32_t number, uint32_t before,
               const uint8_t *after)
{
   const struct hdb_capture_register registers[] = {
      {GC_REGISTER(0, 0x1bac), (uint32_t)(shader->va >> 8)}, /* COMPUTE_PGM_LO, HI */
      {GC_REGISTER(0, 0x1bad), shader->va >> 40 & 0xff},
      {GC_REGISTER(0, 0x1bb2), shader->rsrc1},
      {GC_REGISTER(0, 0x1bb3), shader->rsrc2},
      {GC_REGISTER(0, 0x1bc8), shader->rsrc3},
      {GC_REGISTER(0, 0x1be0), is("pointer") ? 0x1000 : (uint32_t)DATA}, /* COMPUTE_USER_DATA_0, 1 */
      {GC_REGISTER(0, 0x1be1), DATA >> 32},
      {is("packet") ? GC_REGISTER(0, 0xfffffff) : GC_REGISTER(1, 0x2380), 0},
   };
   struct hdb_capture_dispatch dispatch = {
      .number = number,
      .pipeline = number == FIRST ? "" : "again",
      .program = "order",
      .queue = "queue 0.0",
      .record = {.shader_id = shader->id, .grid = {WAVES, 1, 1}},
      .register_count = sizeof(registers) / sizeof(*registers),
      .registers = registers,
      .before = before,
   };
   if (is("grid")) {
      dispatch.record.grid[0] = 0xffffffff;
      dispatch.record.grid[1] = 3;
   }
   if (is("endless")) /* what Vulkan allows, and runs for hours */
      dispatch.record.grid[0] = dispatch.record.grid[1] = 65535;
   uint32_t position = hdb_capture_write_dispatch(writer, &dispatch);
   hdb_capture_write_after(writer, write_state(writer, after, true), &position, 1);
}

int
main(int argc, char **argv)
{
   static uint8_t data[PAGE], done[PAGE];
   const struct hdb_capture_info info = {.program = "order", .device = "by hand", .writer = "a test"};
   struct hdb_capture_writer *writer;
   if (argc < 2 || hdb_capture_writer_create(argv[1], &info, &writer)) {
      fprintf(stderr, "usage: make_capture FILE [WRONG]\n");
      return 2;
   }
   wrong = argc > 2 ? argv[2] : "";
   const struct hdb_shader shader = {
      .id = 1,
      .va = CODE,
      .code = (void *)order,
      .code_size = order_size,
      .exec_size = order_size,
      .wave_size = 64,
      .workgroup_size = {64, 1, 1},
      .rsrc1 = 1 | 0xc0 << 12 | 1 << 21 | 1 << 30, /* 8 VGPRS, FLOAT_MODE, DX10_CLAMP, MEM_ORDERED */
      .rsrc2 = 2 << 1 | 1 << 7 | (is("scratch") ? RSRC2_SCRATCH_EN : 0), /* USER_SGPR, TGID_X_EN */
      .sgpr_count = 106,
      .vgpr_count = 8,
      .scratch_size_per_wave = is("scratch") ? 0xffffffff : 0,
      .entry_point = "order",
      .address_high = DATA >> 32,
   };
   put(data, ARGUMENTS, DATA + COUNT, 8);
   put(data, ARGUMENTS + 8, is("endless") ? NOWHERE : DATA + LIST, 8);
   memcpy(done, data, PAGE);
   put(done, COUNT, WAVES, 4);
   /* An even wave ends within its first slice of 2048 instructions, an odd one in its second. */
   for (uint32_t i = 0; i < WAVES; i++) {
      uint32_t number = i < WAVES / 2 ? 2 * i : 2 * i - WAVES + 1;
      put(done, LIST + 4 * i, is("result") ? number ^ 1 : number, 4);
   }
   hdb_capture_write_shader(writer, &shader);
   for (uint32_t number = FIRST; number <= SECOND; number += SECOND - FIRST)
      write_dispatch(writer, &shader, number, write_state(writer, data, false), done);
   hdb_capture_write_done(writer);
   return hdb_capture_writer_destroy(writer) ? 1 : 0;
}
