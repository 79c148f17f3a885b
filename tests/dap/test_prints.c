/* SPDX-License-Identifier: MIT */
/* What shaders have printed when their device is lost: a ring written by hand, as waves leave it where they are killed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_machine.h"
#include "hdb_core.h"
#include "prints.comp.h"
#include "symbols/prints.h"

#define TOKEN 77 /* of a submission without dispatches */
#define MAX_LINES 16

static char lines[MAX_LINES][128];
static uint32_t line_count;

static void
take_line(void *device, const char *line)
{
   assert_true(line_count < MAX_LINES);
   snprintf(lines[line_count++], sizeof(lines[0]), "%s", line);
}

struct box {
   struct hdb_engine *engine;
   struct hdb_device *device;
   struct hdb_print_ring *ring;
   struct hdb_shader shader;
   uint32_t offset; /* of "%u of %u" */
};

static void
begin(struct box *box)
{
   static const struct hdb_observer observer = {.printed = take_line};
   const struct hdb_engine_options options = {.client_fd = -1, .observer = &observer};
   struct hdb_prints prints;
   *box = (struct box){.ring = calloc(1, sizeof(struct hdb_print_ring))};
   line_count = 0;
   assert_int_equal(hdb_prints_init(&prints, prints_spirv, sizeof(prints_spirv) / 4), 0);
   for (size_t i = 0; i < prints.count; i++) {
      if (strcmp(prints.prints[i].format, "%u of %u") == 0)
         box->offset = prints.prints[i].spirv_offset;
   }
   hdb_prints_finish(&prints);
   assert_int_not_equal(box->offset, 0);
   assert_int_equal(hdb_engine_create(&options, &box->engine), 0);
   assert_int_equal(hdb_engine_add_device(box->engine, fake_driver(), "fake", NULL, &box->device), 0);
   box->shader = (struct hdb_shader){.id = 1, .spirv = prints_spirv, .spirv_size = sizeof(prints_spirv)};
   hdb_device_add_shader(box->device, &box->shader);
   hdb_device_set_prints(box->device, &(struct hdb_memory){.map = box->ring, .size = sizeof(*box->ring)});
}

static void
end(struct box *box)
{
   hdb_device_remove_shader(box->device, &box->shader);
   hdb_engine_remove_device(box->device);
   hdb_engine_destroy(box->engine);
   fake_driver()->prints.map = NULL;
   free(box->ring);
}

/* A record of so many lanes: 0 of 9, 1 of 9, ... */
static struct hdb_print_record *
put(struct box *box, uint32_t lanes)
{
   uint32_t size = HDB_PRINT_HEADER_DWORDS + 2 * lanes;
   struct hdb_print_record *record = (void *)&box->ring->records[box->ring->head % HDB_PRINT_RING_DWORDS];
   uint32_t *values = (uint32_t *)(record + 1);
   *record = (struct hdb_print_record){
      .size = size,
      .module = hdb_print_module(prints_spirv, sizeof(prints_spirv) / 4),
      .spirv_offset = box->offset,
      .lanes = lanes,
   };
   for (uint32_t i = 0; i < lanes; i++) {
      values[2 * i] = i;
      values[2 * i + 1] = 9;
   }
   box->ring->head += size;
   return record;
}

static void
expect_lines(const char *const *expected, uint32_t count)
{
   for (uint32_t i = 0; i < count && i < line_count; i++)
      assert_string_equal(lines[i], expected[i]);
   assert_int_equal(line_count, count);
}

#define LOST(lines, were) lines " of debugPrintf " were ": their waves were lost before they had written them"

/* Of a submission that finishes, what is not whole may still come; nothing is told twice. */
static void
test_unfinished(void **state)
{
   static const char *const expected[] = {"0 of 9", "0 of 9", "1 of 9", LOST("6 lines", "were dropped")};
   struct box box;
   begin(&box);
   put(&box, 1);
   put(&box, 5)->lanes = 0;
   put(&box, 2);
   put(&box, 1)->lanes = 0;
   hdb_device_completed(box.device, TOKEN, HDB_OUTCOME_FINISHED);
   hdb_device_deliver_prints(box.device);
   hdb_device_completed(box.device, TOKEN, HDB_OUTCOME_LOST);
   hdb_device_completed(box.device, TOKEN, HDB_OUTCOME_LOST);
   end(&box);
   expect_lines(expected, 4);
}

/* Nothing says how many lanes a wave had that only took room. */
static void
test_unwritten(void **state)
{
   static const char *const expected[] = {LOST("3 lines", "were dropped, at least")};
   struct box box;
   begin(&box);
   memset(put(&box, 7), 0, (HDB_PRINT_HEADER_DWORDS + 2 * 7) * 4);
   put(&box, 2)->lanes = 0;
   hdb_device_completed(box.device, TOKEN, HDB_OUTCOME_LOST);
   end(&box);
   expect_lines(expected, 1);
}

static void
test_whole(void **state)
{
   static const char *const expected[] = {"0 of 9"};
   struct box box;
   begin(&box);
   put(&box, 1);
   hdb_device_completed(box.device, TOKEN, HDB_OUTCOME_LOST);
   end(&box);
   expect_lines(expected, 1);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unfinished),
      cmocka_unit_test(test_unwritten),
      cmocka_unit_test(test_whole),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
