/* SPDX-License-Identifier: MIT */
/*
 * spoil CAPTURE SEED FILE: the capture once more, in a file whose checksums are right, but with a few wrong values in
 * what its shaders and dispatches say. How to read the values is up to the debugger: none may crash it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/writer.h"
#include "target/registers.h"

#define COMPUTE_DIM_X GC_REGISTER(0, 0x1ba1)

static uint64_t random_state;

static uint32_t
draw(uint32_t limit)
{
   random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
   return (uint32_t)(random_state >> 33) % limit;
}

static uint32_t
any_value(uint32_t old)
{
   static const uint32_t extremes[] = {0, 1, 31, 32, 64, 255, 256, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff};
   switch (draw(4)) {
   case 0:
      return extremes[draw(sizeof(extremes) / sizeof(*extremes))];
   case 1:
      return old ^ 1u << draw(32);
   case 2:
      return old + draw(8) - 4;
   default:
      return draw(0x7fffffff);
   }
}

static struct copy {
   struct copy *next;
   uint32_t words[];
} * copies;

static uint32_t *
copy(const void *data, size_t size)
{
   struct copy *copy = malloc(sizeof(*copy) + size);
   copy->next = copies;
   copies = copy;
   return memcpy(copy->words, data, size);
}

static void
free_copies(void)
{
   for (struct copy *next; copies; copies = next) {
      next = copies->next;
      free(copies);
   }
}

/* A copy with a few other words; pointers are not among them. */
static void *
spoiled(const void *data, size_t size)
{
   if (!size)
      return NULL;
   uint32_t *words = copy(data, size);
   for (uint32_t n = draw(3); n-- > 0 && size >= sizeof(*words);) {
      uint32_t at = draw((uint32_t)(size / sizeof(*words)));
      words[at] = any_value(words[at]);
   }
   return words;
}

static void
maybe(uint32_t *value)
{
   if (!draw(12))
      *value = any_value(*value);
}

#define SPOIL(array, count) array = spoiled(array, (count) * sizeof(*(array)))

static void
write_shader(struct hdb_capture_writer *writer, const struct hdb_shader *whole)
{
   struct hdb_shader shader = *whole;
   maybe(&shader.flags);
   maybe(&shader.wave_size);
   maybe(&shader.workgroup_size[draw(3)]);
   maybe(&shader.rsrc1);
   maybe(&shader.sgpr_count);
   maybe(&shader.vgpr_count);
   maybe(&shader.lds_size);
   maybe(&shader.scratch_size_per_wave);
   maybe(&shader.exec_size);
   maybe(&shader.push_constant_size);
   maybe(&shader.address_high);
   SPOIL(shader.locations, shader.location_count);
   SPOIL(shader.pc_locations, shader.pc_location_count);
   SPOIL(shader.variables, shader.variable_count);
   SPOIL(shader.values, shader.value_count);
   SPOIL(shader.specializations, shader.specialization_count);
   SPOIL(shader.bindings, shader.binding_count);
   shader.spirv = spoiled(shader.spirv, shader.spirv_size);
   if (!draw(4))
      shader.user_sgprs.descriptor_set[0] = (uint8_t)draw(256);
   if (!draw(4))
      shader.user_sgprs.push_constants = (uint8_t)draw(256);
   hdb_capture_write_shader(writer, &shader);
}

/* A bit for each 4096 bytes of a page that are mapped. */
static uint16_t
mapped_part(const struct hdb_capture_range *ranges, size_t count, uint64_t va)
{
   uint16_t mapped = 0;
   for (size_t i = 0; i < count; i++) {
      for (uint32_t bit = 0; bit < 16; bit++)
         mapped |= (uint16_t)((va + bit * 4096 - ranges[i].va < ranges[i].size) << bit);
   }
   return mapped;
}

static uint32_t
write_state(struct hdb_capture_writer *writer, struct hdb_capture *capture, uint32_t state, bool after)
{
   const struct hdb_capture_range *ranges;
   size_t count = hdb_capture_ranges(capture, state, &ranges);
   uint32_t page;
   const void *data;
   hdb_capture_begin_state(writer, ranges, count);
   for (uint64_t va = 0; hdb_capture_next_page(capture, state, &va, &page); va += HDB_CAPTURE_PAGE) {
      if (!hdb_capture_page(capture, page, &data))
         hdb_capture_put_page(writer, va, mapped_part(ranges, count, va), data);
   }
   return hdb_capture_end_state(writer, after);
}

static void
write_dispatch(struct hdb_capture_writer *writer, const struct hdb_capture_dispatch *whole, uint32_t before,
               uint32_t after)
{
   struct hdb_capture_dispatch dispatch = *whole;
   dispatch.before = before;
   maybe(&dispatch.number);
   maybe(&dispatch.record.grid[draw(3)]);
   maybe(&dispatch.record.base[draw(3)]);
   maybe(&dispatch.record.push_constant_size);
   maybe(&dispatch.record.dynamic_descriptor_count);
   maybe((uint32_t *)&dispatch.record.descriptor_set_va[0]);
   for (int i = 0; i < 3; i++) /* what runs for ever is no fault, but no test either */
      dispatch.record.grid[i] %= 64;
   struct hdb_capture_register *registers =
      spoiled(dispatch.registers, dispatch.register_count * sizeof(*dispatch.registers));
   for (uint32_t i = 0; i < dispatch.register_count; i++) {
      if (registers[i].reg - COMPUTE_DIM_X < 3)
         registers[i].value %= 64;
   }
   dispatch.registers = registers;
   uint32_t position = hdb_capture_write_dispatch(writer, &dispatch);
   hdb_capture_write_after(writer, after, &position, 1);
}

int
main(int argc, char **argv)
{
   struct hdb_capture *capture;
   struct hdb_capture_writer *writer;
   char *error;
   if (argc != 4 || hdb_capture_open(argv[1], &capture, &error) ||
       hdb_capture_writer_create(argv[3], hdb_capture_info(capture), &writer)) {
      fprintf(stderr, "usage: spoil CAPTURE SEED FILE\n");
      return 2;
   }
   random_state = strtoull(argv[2], NULL, 0);
   const struct hdb_capture_info *info = hdb_capture_info(capture);
   for (uint32_t i = 0; i < info->shader_count; i++)
      write_shader(writer, hdb_capture_shader(capture, i));
   for (uint32_t i = 0; i < info->dispatch_count; i++) {
      const struct hdb_capture_dispatch *dispatch = hdb_capture_dispatch(capture, i);
      if (dispatch->before == HDB_CAPTURE_NO_STATE || dispatch->after == HDB_CAPTURE_NO_STATE)
         continue;
      uint32_t before = write_state(writer, capture, dispatch->before, false);
      write_dispatch(writer, dispatch, before, write_state(writer, capture, dispatch->after, true));
   }
   hdb_capture_write_done(writer);
   int result = hdb_capture_writer_destroy(writer);
   hdb_capture_close(capture);
   free_copies();
   return result ? 1 : 0;
}
