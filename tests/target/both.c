/* SPDX-License-Identifier: MIT */
/*
 * One card, two ways to it: target_amdgpu over debugfs and hdb-helper, target_vgpu directly. What one writes the other
 * reads; what the road refuses stays as it was. With --bench: how long things take, both ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../machine/card.h"
#include "target/registers.h"

enum { BIG = 64 << 20 };

static struct card *card;
static struct hdb_target *road, *direct;
static uint32_t vmid;

static double
now_ms(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void
open_both(void)
{
   card = card_of_process();
   struct hdb_amdgpu_options options = {.helper = getenv("HDB_HELPER"), .sysfs = getenv("HDB_SYSFS")};
   if (hdb_target_vgpu_create(card->driver.drm_fd, &direct) ||
       hdb_target_amdgpu_create(&card->driver, &options, &road)) {
      fprintf(stderr, "no targets\n");
      exit(1);
   }
}

static struct hdb_bank
bank_of(uint32_t of_vmid)
{
   return (struct hdb_bank){.vmid = of_vmid, .se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST};
}

static uint32_t
get(struct hdb_target *target, uint32_t of_vmid, uint32_t reg)
{
   struct hdb_bank bank = bank_of(of_vmid);
   uint32_t value;
   assert_int_equal(target->ops->read_register(target, &bank, reg, &value), 0);
   return value;
}

/* ---- tests ---- */

static void
test_vmid(void **state)
{
   uint32_t same;
   if (road->ops->get_vmid(road, &vmid))
      fail_msg("%s", road->ops->problem(road));
   assert_int_equal(direct->ops->get_vmid(direct, &same), 0);
   assert_int_equal(vmid, same);
}

static void
test_registers(void **state)
{
   const uint32_t registers[] = {REG_SQ_SHADER_TBA_LO, REG_SQ_SHADER_TBA_HI, REG_SQ_SHADER_TMA_LO, REG_SQ_SHADER_TMA_HI,
                                 REG_SPI_GDBG_PER_VMID_CNTL};
   enum { COUNT = sizeof(registers) / sizeof(*registers) };
   uint32_t before[COUNT];
   for (int i = 0; i < COUNT; i++)
      before[i] = get(direct, vmid, registers[i]);
   assert_int_equal(road->ops->install_trap(road, vmid, 0xffff812345678900, 0x00007654321ff000 | 0x200), 0);
   const uint32_t after[COUNT] = {0x23456789, 0x80000081, 0x54321ff2, 0x76, before[4] | 1 << 3};
   for (int i = 0; i < COUNT; i++) {
      assert_int_equal(get(direct, vmid, registers[i]), after[i]);
      assert_int_equal(get(road, vmid, registers[i]), after[i]);
   }
   assert_int_equal(hdb_target_set_watch(road, vmid, 2, 0xffff800100000400, 1024, HDB_WATCH_ALL), 0);
   assert_int_equal(get(direct, 0, REG_TCP_WATCH_ADDR_H(2)), 0x8001);
   assert_int_equal(get(direct, 0, REG_TCP_WATCH_ADDR_L(2)), 0x400);
   assert_int_equal(get(direct, 0, REG_TCP_WATCH_CNTL(2)), 0x7ffff8 | vmid << 24 | 3u << 29 | 1u << 31);
   assert_int_equal(hdb_target_set_watch(road, vmid, 2, 0x1040, 128, HDB_WATCH_READ), -EINVAL);
   assert_int_equal(hdb_target_set_watch(road, vmid, HDB_WATCHES, 0x1000, 128, HDB_WATCH_READ), -EINVAL);

   struct hdb_bank other = bank_of(vmid + 1);
   assert_int_equal(road->ops->write_register(road, &other, REG_SQ_SHADER_TBA_LO, 1), -EACCES);
   road->ops->remove_trap(road, vmid);
   for (int i = 0; i < COUNT; i++)
      assert_int_equal(get(direct, vmid, registers[i]), before[i]);
   assert_int_equal(get(direct, 0, REG_TCP_WATCH_CNTL(2)), 0);
}

static void
fill(uint8_t *data, size_t size)
{
   uint64_t state = 0x9e3779b97f4a7c15;
   for (size_t i = 0; i + 8 <= size; i += 8) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      memcpy(data + i, &state, 8);
   }
}

static void
test_memory(void **state)
{
   struct buffer buffer = card_alloc(card, 1 << 20, false);
   uint8_t *copy = malloc(buffer.size);
   fill(buffer.map, buffer.size);
   assert_int_equal(road->ops->read_memory(road, vmid, buffer.va, copy, buffer.size), 0);
   assert_memory_equal(copy, buffer.map, buffer.size);
   for (size_t offset = 4090; offset < 4100; offset++) {
      for (size_t size = 1; size < 14; size++) {
         memset(copy, 0, 16);
         assert_int_equal(road->ops->read_memory(road, vmid, buffer.va + offset, copy, size), 0);
         assert_memory_equal(copy, (uint8_t *)buffer.map + offset, size);
         assert_int_equal(copy[size], 0);
      }
   }
   uint8_t expected[32];
   memcpy(expected, (uint8_t *)buffer.map + 8190, sizeof(expected));
   memcpy(expected + 3, "seven b", 7);
   assert_int_equal(road->ops->write_memory(road, vmid, buffer.va + 8193, "seven b", 7), 0);
   assert_memory_equal((uint8_t *)buffer.map + 8190, expected, sizeof(expected));
   assert_int_equal(direct->ops->read_memory(direct, vmid, buffer.va + 8190, copy, sizeof(expected)), 0);
   assert_memory_equal(copy, expected, sizeof(expected));

   assert_int_equal(road->ops->read_memory(road, vmid, buffer.va + buffer.size - 4, copy, 8), -EFAULT);
   assert_int_equal(road->ops->read_memory(road, vmid + 1, buffer.va, copy, 8), -EACCES);
   assert_int_equal(road->ops->read_vram(road, 0, copy, 8), -EACCES);
   card_free(card, &buffer);
   free(copy);
}

/* Whatever the driver and this test have mapped, one way tells of it as the other does. */
static void
test_mappings(void **state)
{
   struct buffer large = card_alloc(card, 40 << 20, false), small = card_alloc(card, 4096, true);
   bool found_large = false, found_small = false;
   uint64_t va = 0;
   uint32_t count = 0;
   for (;; count++) {
      struct hdb_mapping told, right;
      int result = road->ops->next_mapping(road, vmid, va, &told);
      assert_int_equal(result, direct->ops->next_mapping(direct, vmid, va, &right));
      if (result) {
         assert_int_equal(result, -ENOENT);
         break;
      }
      assert_int_equal(told.va, right.va);
      assert_int_equal(told.size, right.size);
      assert_int_equal(told.access, right.access);
      assert_int_equal(told.mtype, right.mtype);
      assert_int_equal(told.backed, right.backed);
      found_large |= large.va - told.va < told.size && large.va + large.size - told.va <= told.size;
      found_small |= small.va - told.va < told.size;
      va = told.va + told.size;
   }
   assert_true(count && found_large && found_small);

   struct hdb_mapping rest;
   assert_int_equal(road->ops->next_mapping(road, vmid, large.va + 8191, &rest), 0);
   assert_int_equal(rest.va, large.va + 4096);
   assert_int_equal(road->ops->next_mapping(road, vmid + 1, 0, &rest), -EACCES);
   card_free(card, &large);
   card_free(card, &small);
}

/* ---- figures ---- */

static void
time_reads(const char *name, struct hdb_target *target, uint64_t va, uint8_t *copy)
{
   double start = now_ms();
   for (int i = 0; i < 1000; i++)
      get(target, vmid, REG_SPI_GDBG_PER_VMID_CNTL);
   printf("%s.us_per_register %.3f\n", name, now_ms() - start);

   /* A wave's scalars and 64 vector registers of 32 lanes, as SQ_IND gives them, one by one. */
   struct hdb_bank simd = {0};
   uint32_t value;
   start = now_ms();
   for (uint32_t i = 0; i < 128 + 64 * 32; i++) {
      target->ops->write_register(target, &simd, REG_SQ_IND_INDEX, SQ_WAVE_HW_ID2 << 16);
      target->ops->read_register(target, &simd, REG_SQ_IND_DATA, &value);
   }
   printf("%s.ms_per_wave_dump %.3f\n", name, now_ms() - start);

   start = now_ms();
   if (target->ops->read_memory(target, vmid, va, copy, BIG))
      printf("%s: the memory can't be read\n", name);
   printf("%s.ms_per_64_mib %.3f\n", name, now_ms() - start);
}

static int
bench(void)
{
   double start = now_ms();
   if (road->ops->get_vmid(road, &vmid)) {
      fprintf(stderr, "%s\n", road->ops->problem(road));
      return 1;
   }
   printf("road.ms_to_claim %.3f\n", now_ms() - start);
   start = now_ms();
   road->ops->install_trap(road, vmid, 0x1000, 0x2000);
   printf("road.ms_to_arm %.3f\n", now_ms() - start);
   start = now_ms();
   direct->ops->install_trap(direct, vmid, 0x1000, 0x2000);
   printf("direct.ms_to_arm %.3f\n", now_ms() - start);
   road->ops->remove_trap(road, vmid);
   struct buffer buffer = card_alloc(card, BIG, false);
   uint8_t *copy = malloc(BIG);
   fill(buffer.map, BIG);
   time_reads("road", road, buffer.va, copy);
   time_reads("direct", direct, buffer.va, copy);
   free(copy);
   card_free(card, &buffer);
   return 0;
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vmid),
      cmocka_unit_test(test_registers),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_mappings),
   };
   open_both();
   int result = argc > 1 && !strcmp(argv[1], "--bench") ? bench() : cmocka_run_group_tests(tests, NULL, NULL);
   hdb_target_destroy(road);
   hdb_target_destroy(direct);
   return result;
}
