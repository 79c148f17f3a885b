/* SPDX-License-Identifier: MIT */
/* A capture file written by hand and read back: whole, cut off at every byte, damaged in every byte, and hostile. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/diff.h"
#include "capture/writer.h"

#define VA 0xffff800100000000ull

static char path[] = "/tmp/hdb-capture-XXXXXX";

static int
make_path(void **state)
{
   int fd = mkstemp(path);
   return fd < 0 ? -1 : close(fd);
}

static int
remove_path(void **state)
{
   return unlink(path);
}

/* ---- a capture of two dispatches ---- */

static const struct hdb_capture_range ranges[] = {
   {VA, 0x21000, HDB_CAPTURE_READ | HDB_CAPTURE_WRITE, 1},
   {VA + 0x100000, 0x1000, HDB_CAPTURE_READ | HDB_CAPTURE_EXECUTE, 3},
   {VA + 0x200000, 0x10000, HDB_CAPTURE_READ | HDB_CAPTURE_UNBACKED, 0},
};

static const uint32_t code[] = {0x7e000280, 0xbfb00000};
static const uint32_t spirv[] = {0x07230203, 0x00010600, 0, 1, 0};
static const struct hdb_location locations[] = {{0, 0}, {4, 0}};
static const struct hdb_pc_location pc_locations[] = {{0, 1, 0}, {4, 1, 0}};
static const struct hdb_value values[] = {
   {.low = 4, .high = 8, .location = 1, .kind = HDB_VALUE_CONSTANT, .bits = 64, .constant = 0x123456789abcdef0},
};

static const struct hdb_shader shader = {
   .id = 77,
   .va = VA + 0x100000,
   .code_size = sizeof(code),
   .exec_size = sizeof(code),
   .code = (void *)code,
   .flags = HDB_SHADER_DEBUG_COMPILED,
   .wave_size = 32,
   .workgroup_size = {64, 1, 1},
   .rsrc1 = 0x11,
   .user_sgprs = {.push_constants = 3, .inline_push_constant_mask = 5},
   .entry_point = "main",
   .spirv = spirv,
   .spirv_size = sizeof(spirv),
   .location_count = 2,
   .pc_location_count = 2,
   .locations = locations,
   .pc_locations = pc_locations,
   .value_count = 1,
   .values = values,
   .address_high = 0xffff8001,
};

static uint8_t *
fill(uint8_t *page, uint32_t seed)
{
   uint32_t *words = (uint32_t *)page;
   for (size_t i = 0; i < HDB_CAPTURE_PAGE / 4; i++)
      words[i] = seed = seed * 1664525 + 1013904223; /* does not get smaller */
   return page;
}

static uint32_t
put_state(struct hdb_capture_writer *writer, uint32_t changing, bool after)
{
   static uint8_t page[HDB_CAPTURE_PAGE];
   hdb_capture_begin_state(writer, ranges, 3);
   hdb_capture_put_page(writer, VA, 0xffff, fill(page, 1));
   hdb_capture_put_page(writer, VA + 0x10000, 0xffff, fill(page, changing));
   memset(page, 0, sizeof(page));
   page[0xfff] = 7;
   hdb_capture_put_page(writer, VA + 0x20000, 1, page);
   if (!hdb_capture_keep_page(writer, VA + 0x100000, 1))
      hdb_capture_put_page(writer, VA + 0x100000, 1, fill(page, 1)); /* the contents of the first once more */
   return hdb_capture_end_state(writer, after);
}

static const char *const labels[] = {"frame", "a\nb"};

static void
write_capture(struct hdb_capture_writer *writer)
{
   static const struct hdb_capture_register registers[] = {{0x1bac, 0x1000}, {0x1be0, 42}};
   const struct hdb_capture_object object = {"buffer \"x\"", VA + 0x10000, 0x100};
   struct hdb_capture_dispatch dispatch = {
      .number = 5,
      .program = "two.comp:main",
      .label = "frame > a\nb",
      .queue = "queue 0.0",
      .record = {.shader_id = 77,
                 .grid = {2, 3, 4},
                 .push_constant_size = 4,
                 .push_constants = {1, 2, 3, 4},
                 .descriptor_set_size = {[2] = 96}},
      .registers = registers,
      .register_count = 2,
      .labels = labels,
      .label_count = 2,
   };
   hdb_capture_write_shader(writer, &shader);
   hdb_capture_write_objects(writer, &object, 1, &(struct hdb_memory){.va = 0x8000, .size = 64});
   dispatch.before = put_state(writer, 2, false);
   uint32_t positions[2] = {hdb_capture_write_dispatch(writer, &dispatch)};
   dispatch.number = 6;
   dispatch.before = put_state(writer, 3, false);
   dispatch.flags = HDB_CAPTURE_OVERLAPPED;
   positions[1] = hdb_capture_write_dispatch(writer, &dispatch);
   hdb_capture_write_after(writer, put_state(writer, 2, true), positions, 2);
   hdb_capture_write_note(writer, "dispatch 7 is not captured");
   hdb_capture_write_done(writer);
}

static const struct hdb_capture_info info = {
   .time = 1000, .program = "two --fast", .device = "some GPU", .writer = "hdb test"};

static void
make_capture(void)
{
   struct hdb_capture_writer *writer;
   assert_int_equal(hdb_capture_writer_create(path, &info, &writer), 0);
   write_capture(writer);
   assert_int_equal(hdb_capture_writer_destroy(writer), 0);
}

static struct hdb_capture *
open_capture(void)
{
   struct hdb_capture *capture;
   char *error;
   assert_int_equal(hdb_capture_open(path, &capture, &error), 0);
   return capture;
}

/* ---- whole ---- */

static void
what_was_written_is_read(void **state)
{
   make_capture();
   struct hdb_capture *capture = open_capture();
   const struct hdb_capture_info *read = hdb_capture_info(capture);
   assert_true(read->complete);
   assert_string_equal(read->note, "dispatch 7 is not captured");
   assert_string_equal(read->program, "two --fast");
   assert_string_equal(read->device, "some GPU");
   assert_int_equal(read->time, 1000);
   assert_int_equal(read->dispatch_count, 2);
   assert_int_equal(read->state_count, 3);
   assert_int_equal(read->page_count, 4); /* two contents come twice, one three times */

   const struct hdb_shader *found = hdb_capture_find_shader(capture, 77);
   assert_memory_equal(found->code, code, sizeof(code));
   assert_memory_equal(found->spirv, spirv, sizeof(spirv));
   assert_memory_equal(found->locations, locations, sizeof(locations));
   assert_memory_equal(found->pc_locations, pc_locations, sizeof(pc_locations));
   assert_int_equal(found->values[0].constant, 0x123456789abcdef0);
   assert_int_equal(found->user_sgprs.inline_push_constant_mask, 5);
   assert_int_equal(found->address_high, 0xffff8001);
   assert_string_equal(found->entry_point, "main");

   const struct hdb_capture_dispatch *second = hdb_capture_dispatch(capture, 1);
   uint32_t value;
   assert_int_equal(second->number, 6);
   assert_int_equal(second->flags, HDB_CAPTURE_OVERLAPPED);
   assert_string_equal(second->label, "frame > a?b"); /* nothing that a terminal would obey */
   assert_int_equal(second->label_count, 2);
   assert_string_equal(second->labels[0], "frame");
   assert_string_equal(second->labels[1], "a?b");
   assert_string_equal(second->pipeline, "");
   assert_int_equal(second->record.grid[2], 4);
   assert_int_equal(second->record.descriptor_set_size[2], 96);
   assert_true(hdb_capture_register(second, 0x1be0, &value) && value == 42);
   assert_false(hdb_capture_register(second, 0x1be1, &value));
   assert_int_equal(second->before, 1);
   assert_int_equal(second->after, 2);
   assert_string_equal(hdb_capture_object(capture, 0)->name, "buffer \"x\"");
   hdb_capture_close(capture);
}

static void
states_have_their_memory(void **state)
{
   static uint8_t page[HDB_CAPTURE_PAGE], other[HDB_CAPTURE_PAGE];
   struct hdb_capture *capture = open_capture();
   static const uint32_t changing[] = {2, 3, 2};
   for (uint32_t i = 0; i < 3; i++) {
      assert_int_equal(hdb_capture_read(capture, i, VA + 0x10000, page, sizeof(page)), 0);
      assert_memory_equal(page, fill(other, changing[i]), sizeof(page));
      assert_int_equal(hdb_capture_read(capture, i, VA, page, sizeof(page)), 0);
      assert_memory_equal(page, fill(other, 1), sizeof(page));
   }
   assert_int_equal(hdb_capture_page_of(capture, 0, VA + 0x10000), hdb_capture_page_of(capture, 2, VA + 0x10000));
   assert_int_not_equal(hdb_capture_page_of(capture, 0, VA + 0x10000), hdb_capture_page_of(capture, 1, VA + 0x10000));
   assert_int_equal(hdb_capture_page_of(capture, 0, VA), hdb_capture_page_of(capture, 0, VA + 0x100000));
   assert_int_equal(hdb_capture_page_of(capture, 0, VA + 0x30000), HDB_CAPTURE_NO_PAGE);

   assert_int_equal(hdb_capture_read(capture, 0, VA + 0xfffe, page, 4), 0); /* across pages */
   assert_int_equal(hdb_capture_read(capture, 0, VA + 0x20fff, page, 1), 0);
   assert_int_equal(page[0], 7);
   assert_int_equal(hdb_capture_read(capture, 0, VA + 0x20fff, page, 2), -EFAULT);
   assert_int_equal(hdb_capture_read(capture, 0, VA - 1, page, 1), -EFAULT);
   assert_int_equal(hdb_capture_read(capture, 0, VA + 0x20fff0, page, 32), -EFAULT);
   assert_int_equal(hdb_capture_read(capture, 0, VA + 0x200010, page, 16), 0); /* no memory: zeros */
   assert_int_equal(page[0], 0);

   uint64_t va = 0, expected[] = {VA, VA + 0x10000, VA + 0x20000, VA + 0x100000};
   uint32_t number;
   for (size_t i = 0; i < 4; i++, va += HDB_CAPTURE_PAGE) {
      assert_true(hdb_capture_next_page(capture, 1, &va, &number));
      assert_int_equal(va, expected[i]);
   }
   assert_false(hdb_capture_next_page(capture, 1, &va, &number));
   hdb_capture_close(capture);
}

static void
count_difference(void *user, uint64_t va, uint64_t size, const uint8_t *a, const uint8_t *b)
{
   uint64_t *total = user;
   assert_in_range(va, VA + 0x10000, VA + 0x1ffff);
   for (uint64_t i = 0; i < size; i++)
      *total += a[i] != b[i];
}

static void
differences_are_found(void **state)
{
   static uint8_t page[HDB_CAPTURE_PAGE], other[HDB_CAPTURE_PAGE];
   struct hdb_capture *capture = open_capture();
   uint64_t total = 0, expected = 0;
   assert_int_equal(hdb_capture_diff(capture, 0, capture, 2, count_difference, &total), 0);
   assert_int_equal(total, 0);
   assert_int_equal(hdb_capture_diff(capture, 0, capture, 1, count_difference, &total), 0);
   fill(page, 2);
   fill(other, 3);
   for (size_t i = 0; i < sizeof(page); i++)
      expected += page[i] != other[i];
   assert_int_equal(total, expected);
   hdb_capture_close(capture);
}

static uint8_t *
read_whole(size_t *size)
{
   struct stat status;
   int fd = open(path, O_RDONLY);
   assert_int_equal(fstat(fd, &status), 0);
   uint8_t *bytes = malloc(status.st_size);
   *size = status.st_size;
   assert_int_equal(read(fd, bytes, *size), *size);
   close(fd);
   return bytes;
}

static void
write_whole(const uint8_t *bytes, size_t size)
{
   int fd = open(path, O_WRONLY | O_TRUNC);
   assert_int_equal(write(fd, bytes, size), size);
   close(fd);
}

/* ---- as older versions wrote them ---- */

/* docs/capture-format.md: the low half of the XXH64 of tag, length and contents. */
static uint32_t
checksum(uint32_t tag, uint64_t length, const uint8_t *contents)
{
   XXH64_state_t state;
   XXH64_reset(&state, 0);
   XXH64_update(&state, &tag, 4);
   XXH64_update(&state, &length, 8);
   XXH64_update(&state, contents, length);
   return (uint32_t)XXH64_digest(&state);
}

/* What is at the end of DISP. */
static const uint64_t size_bytes = HDB_MAX_DESCRIPTOR_SETS * 4;

static uint64_t
label_bytes(void)
{
   return 4 + 4 + strlen(labels[0]) + 4 + strlen(labels[1]);
}

/* Cuts the last bytes of each DISP section off. Gives the new size. */
static size_t
cut_dispatches(uint8_t *bytes, size_t size, uint64_t cut)
{
   uint64_t length;
   for (size_t at = 16; at < size; at += 16 + length) {
      memcpy(&length, bytes + at + 8, 8);
      if (memcmp(bytes + at, "DISP", 4) != 0)
         continue;
      memmove(bytes + at + 16 + length - cut, bytes + at + 16 + length, size - at - 16 - length);
      length -= cut;
      size -= cut;
      uint32_t sum = checksum('D' | 'I' << 8 | 'S' << 16 | 'P' << 24, length, bytes + at + 16);
      memcpy(bytes + at + 4, &sum, 4);
      memcpy(bytes + at + 8, &length, 8);
   }
   return size;
}

static struct hdb_capture *
open_older(uint64_t cut)
{
   size_t size;
   make_capture();
   uint8_t *bytes = read_whole(&size);
   size_t older = cut_dispatches(bytes, size, cut);
   assert_int_equal(older, size - 2 * cut);
   write_whole(bytes, older);
   free(bytes);
   struct hdb_capture *capture = open_capture();
   assert_true(hdb_capture_info(capture)->complete);
   assert_int_equal(hdb_capture_info(capture)->dispatch_count, 2);
   return capture;
}

static void
without_sizes_of_sets_none_are_known(void **state)
{
   struct hdb_capture *capture = open_older(size_bytes);
   const struct hdb_capture_dispatch *dispatch = hdb_capture_dispatch(capture, 1);
   assert_int_equal(dispatch->label_count, 2);
   assert_string_equal(dispatch->labels[0], "frame");
   assert_int_equal(dispatch->record.descriptor_set_size[2], 0);
   hdb_capture_close(capture);
}

static void
without_a_list_of_labels_there_is_their_text(void **state)
{
   struct hdb_capture *capture = open_older(label_bytes() + size_bytes);
   for (uint32_t i = 0; i < 2; i++) {
      const struct hdb_capture_dispatch *dispatch = hdb_capture_dispatch(capture, i);
      assert_int_equal(dispatch->label_count, 1);
      assert_string_equal(dispatch->labels[0], "frame > a?b");
      assert_int_equal(dispatch->before, i);
   }
   hdb_capture_close(capture);
}

/* ---- not whole ---- */

/* Goes through all that the file claims to have: whatever it is, it can be looked at. */
static void
look_at_everything(struct hdb_capture *capture)
{
   static uint8_t block[4096];
   const struct hdb_capture_info *read = hdb_capture_info(capture);
   for (uint32_t s = 0; s < read->state_count; s++) {
      const struct hdb_capture_range *all;
      size_t count = hdb_capture_ranges(capture, s, &all);
      for (size_t i = 0; i < count; i++)
         hdb_capture_read(capture, s, all[i].va, block, sizeof(block));
      uint64_t va = 0;
      uint32_t page;
      for (uint32_t i = 0; i < 64 && hdb_capture_next_page(capture, s, &va, &page); i++, va += HDB_CAPTURE_PAGE) {
         const void *data;
         hdb_capture_page(capture, page, &data);
      }
   }
   for (uint32_t i = 0; i < read->dispatch_count; i++) {
      const struct hdb_capture_dispatch *dispatch = hdb_capture_dispatch(capture, i);
      assert_non_null(hdb_capture_find_shader(capture, dispatch->record.shader_id));
      assert_true(strlen(dispatch->program) < 100);
      assert_true(dispatch->before < read->state_count || dispatch->flags & HDB_CAPTURE_DID_NOT_RUN);
      assert_true(dispatch->after < read->state_count || dispatch->after == HDB_CAPTURE_NO_STATE);
   }
}

static void
cut_off_it_has_what_comes_before(void **state)
{
   size_t size;
   make_capture();
   uint8_t *bytes = read_whole(&size);
   uint32_t dispatches = 2;
   for (size_t length = size - 1; length > 0; length -= length > 300 ? length % 97 + 1 : 1) {
      struct hdb_capture *capture = NULL;
      char *error;
      assert_int_equal(truncate(path, length), 0);
      if (hdb_capture_open(path, &capture, &error)) {
         assert_true(length < 16); /* not even a header */
         assert_non_null(error);
         assert_null(strchr(error, '\n'));
         free(error);
         continue;
      }
      assert_false(hdb_capture_info(capture)->complete);
      assert_true(*hdb_capture_info(capture)->problem);
      assert_true(hdb_capture_info(capture)->dispatch_count <= dispatches); /* fewer and fewer */
      dispatches = hdb_capture_info(capture)->dispatch_count;
      look_at_everything(capture);
      hdb_capture_close(capture);
   }
   assert_int_equal(dispatches, 0);
   free(bytes);
}

static void
damage_is_noticed(void **state)
{
   size_t size;
   make_capture();
   uint8_t *bytes = read_whole(&size);
   for (size_t at = 0; at < size; at += at < 600 ? 1 : 211) {
      struct hdb_capture *capture = NULL;
      char *error = NULL;
      uint8_t old = bytes[at];
      bytes[at] ^= 1 << at % 8;
      write_whole(bytes, size);
      bytes[at] = old;
      if (hdb_capture_open(path, &capture, &error)) {
         assert_true(at < 16);
         free(error);
         continue;
      }
      const struct hdb_capture_info *read = hdb_capture_info(capture);
      bool damaged_page = false;
      for (uint32_t page = 0; page < read->page_count; page++) {
         const void *data;
         int result = hdb_capture_page(capture, page, &data);
         assert_true(result == 0 || result == -EBADMSG);
         damaged_page |= result != 0;
      }
      assert_true(!read->complete || damaged_page);
      look_at_everything(capture);
      hdb_capture_close(capture);
   }
   free(bytes);
}

/* ---- disks that are full ---- */

static void
a_full_disk_leaves_a_file_that_says_so(void **state)
{
   /* The writer's thread takes no signal: SIGXFSZ, whose default is to kill, must not come through. */
   struct rlimit old, limit;
   assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
   limit = (struct rlimit){.rlim_cur = 150000, .rlim_max = old.rlim_max};
   struct hdb_capture_writer *writer;
   assert_int_equal(hdb_capture_writer_create(path, &info, &writer), 0);
   assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
   write_capture(writer);
   assert_int_equal(hdb_capture_writer_destroy(writer), -EFBIG);
   assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
   struct hdb_capture *capture = open_capture();
   assert_false(hdb_capture_info(capture)->complete);
   assert_string_equal(hdb_capture_info(capture)->problem, "writing failed: File too large");
   assert_int_equal(hdb_capture_info(capture)->shader_count, 1);
   look_at_everything(capture);
   hdb_capture_close(capture);
}

static void
a_place_that_cant_be_written_is_an_error(void **state)
{
   struct hdb_capture_writer *writer;
   assert_int_equal(hdb_capture_writer_create("/nowhere/at/all", &info, &writer), -ENOENT);
   assert_int_equal(hdb_capture_writer_create("/tmp", &info, &writer), -EISDIR);
   assert_int_equal(hdb_capture_writer_create("/dev/full", &info, &writer), -ENOSPC);
}

static void
others_are_refused(void **state)
{
   struct hdb_capture *capture;
   char *error;
   write_whole((const uint8_t *)"hdbcap\r\n\2\0\0\0\0\0\1\0", 16);
   assert_int_equal(hdb_capture_open(path, &capture, &error), -ENOTSUP);
   assert_non_null(strstr(error, "version 2"));
   free(error);
   write_whole((const uint8_t *)"%PDF-1.4 and so on", 18);
   assert_int_equal(hdb_capture_open(path, &capture, &error), -EINVAL);
   assert_non_null(strstr(error, "not a capture file"));
   free(error);
   assert_int_equal(hdb_capture_open("/dev/zero", &capture, &error), -EINVAL);
   free(error);
   assert_int_equal(hdb_capture_open("/tmp/no such file", &capture, &error), -ENOENT);
   free(error);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_written_is_read),
      cmocka_unit_test(states_have_their_memory),
      cmocka_unit_test(differences_are_found),
      cmocka_unit_test(without_sizes_of_sets_none_are_known),
      cmocka_unit_test(without_a_list_of_labels_there_is_their_text),
      cmocka_unit_test(cut_off_it_has_what_comes_before),
      cmocka_unit_test(damage_is_noticed),
      cmocka_unit_test(a_full_disk_leaves_a_file_that_says_so),
      cmocka_unit_test(a_place_that_cant_be_written_is_an_error),
      cmocka_unit_test(others_are_refused),
   };
   return cmocka_run_group_tests_name("capture file", tests, make_path, remove_path);
}
