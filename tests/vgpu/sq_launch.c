/* SPDX-License-Identifier: MIT */
/* The state that waves start with, seen in the registers of waves that do next to nothing. */
#include <errno.h>
#include <stdlib.h>

#include "sq_fixture.h"
#include "sq_shaders.h"

#define MAX_WAVES 256

static struct seen {
   struct vgpu_wave_state state;
   uint32_t vgpr[2][64];
} seen[MAX_WAVES];
static uint32_t seen_count;

static void
see(void *user, const struct vgpu_wave_state *state)
{
   assert_true(seen_count < MAX_WAVES);
   struct seen *wave = &seen[seen_count++];
   wave->state = *state;
   memcpy(wave->vgpr, state->vgpr, sizeof(wave->vgpr));
}

static int
by_place(const void *a, const void *b)
{
   const struct vgpu_wave_state *x = a, *y = b; /* the first member */
   for (int i = 2; i >= 0; i--)
      if (x->workgroup[i] != y->workgroup[i])
         return x->workgroup[i] < y->workgroup[i] ? -1 : 1;
   return x->wave < y->wave ? -1 : x->wave > y->wave;
}

/* Waves end in any order. */
static void
run_and_see(struct commands *commands, enum cp_ring ring)
{
   seen_count = 0;
   commands->job.wave_ended = see;
   submit(commands, ring);
   assert_int_equal(finish(commands), 0);
   qsort(seen, seen_count, sizeof(seen[0]), by_place);
}

static void
run_launch(const struct launch *launch)
{
   struct commands commands;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, launch);
   run_and_see(&commands, CP_RING_COMPUTE0);
}

static int
setup_poison(void **state)
{
   machine_init(&machine, &(struct vgpu_options){.flags = VGPU_POISON});
   return 0;
}

static void
test_sgprs(void **state)
{
   struct launch launch = launch_of(load_shader(&machine, end), 0x1122334455667788);
   for (uint32_t i = 2; i < 16; i++)
      launch.user[i] = 100 + i;
   launch.rsrc2 = 5 << 1 | 7 << 7 | 1 << 10; /* five user SGPRs, TGID_X, Y, Z, TG_SIZE */
   memcpy(launch.grid, (uint32_t[]){3, 2, 2}, 12);
   memcpy(launch.group, (uint32_t[]){10, 5, 3}, 12); /* 150 threads, 3 waves of 64 */
   run_launch(&launch);
   assert_int_equal(seen_count, 3 * 2 * 2 * 3);
   for (uint32_t i = 0; i < seen_count; i++) {
      const struct vgpu_wave_state *wave = &seen[i].state;
      uint32_t group = i / 3;
      uint32_t expected[] = {
         0x55667788, 0x11223344, 102, 103, 104, group % 3, group / 3 % 2, group / 6, 3 | i % 3 << 6 | i % 3 << 20};
      assert_memory_equal(wave->sgpr, expected, sizeof(expected));
      assert_int_equal(wave->sgpr[9], 0);
      assert_int_equal(wave->wave, i % 3);
      assert_int_equal(wave->mode, 0x1c0);
      assert_int_equal(wave->trapsts, 0);
      assert_int_equal(wave->vgpr_count, 24);
      uint64_t exec = i % 3 == 2 ? (1 << 22) - 1 : ~UINT64_C(0); /* 150 = 64 + 64 + 22 */
      assert_true(wave->exec == exec);
      for (uint32_t lane = 0; lane < 64; lane++) {
         uint32_t thread = i % 3 * 64 + lane;
         uint32_t id = thread % 10 | thread / 10 % 5 << 10 | thread / 50 << 20;
         assert_int_equal(seen[i].vgpr[0][lane], thread < 150 ? id : 0);
      }
   }

   /* Only Z, no TG_SIZE. */
   launch.rsrc2 = 2 << 1 | 1 << 9;
   run_launch(&launch);
   for (uint32_t i = 0; i < seen_count; i++) {
      assert_int_equal(seen[i].state.sgpr[2], i / 3 / 6);
      assert_int_equal(seen[i].state.sgpr[3], 0);
   }
}

static void
test_wave32(void **state)
{
   struct launch launch = launch_of(load_shader(&machine, identity), 0);
   launch.rsrc1 = 0x602c0000 | 2;
   launch.rsrc2 |= 1 << 10 | 3 << 15; /* TG_SIZE, LDS of 3 * 512 bytes */
   launch.initiator |= INITIATOR_CS_W32_EN;
   launch.group[0] = 70;
   run_launch(&launch);
   assert_int_equal(seen_count, 3);
   for (uint32_t i = 0; i < 3; i++) {
      const struct vgpu_wave_state *wave = &seen[i].state;
      assert_int_equal(wave->wave_size, 32);
      assert_int_equal(wave->vgpr_count, 24);
      assert_true(wave->exec == (i == 2 ? 0x3f : 0xffffffff));
      assert_int_equal(wave->sgpr[3], 3 | i << 6 | i << 20);
      assert_int_equal(wave->sgpr[44] >> 12 & 0xff, 2);  /* GPR_ALLOC.VGPR_SIZE */
      assert_int_equal(wave->sgpr[45] >> 12 & 0x1ff, 4); /* LDS_ALLOC.SIZE: allocated in twos */
      assert_int_equal(wave->sgpr[46] >> 11 & 1, 0);     /* IB_STS2.WAVE64 */
      for (uint32_t lane = 0; lane < 32; lane++)
         assert_int_equal(seen[i].vgpr[0][lane], i * 32 + lane < 70 ? i * 32 + lane : 0);
   }
   launch.initiator = INITIATOR_FORCE_START_AT_000;
   run_launch(&launch);
   assert_int_equal(seen[0].state.vgpr_count, 12);
   assert_int_equal(seen[0].state.sgpr[46] >> 11 & 1, 1);
}

static void
test_mode(void **state)
{
   struct launch launch = launch_of(load_shader(&machine, end), 0);
   /* FLOAT_MODE 0xf5, IEEE, FP16_OVFL, no DX10_CLAMP; EXCP_EN 0x41, EXCP_EN_MSB 2. */
   launch.rsrc1 = 5 | 0xf5 << 12 | 1 << 23 | 1 << 26;
   launch.rsrc2 |= 0x41u << 24 | 2 << 13;
   run_launch(&launch);
   assert_int_equal(seen[0].state.mode, 0xf5 | 1 << 9 | 1 << 23 | (0x41 | 0x100) << 12);
   assert_int_equal(seen[0].state.status & (STATUS_VALID | STATUS_TRAP_EN | STATUS_IN_TG), STATUS_VALID);
}

/* HW_ID1 says where a wave sits: workgroups go round the shader engines, waves round the SIMDs. */
static void
test_hardware_id(void **state)
{
   struct launch launch = launch_of(load_shader(&machine, identity), 0);
   launch.grid[0] = 13;
   launch.group[0] = 256;
   struct commands commands;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   run_and_see(&commands, CP_RING_COMPUTE2);
   assert_int_equal(seen_count, 52);
   for (uint32_t i = 0; i < seen_count; i++) {
      uint32_t group = i / 4, id1 = seen[i].state.sgpr[40], id2 = seen[i].state.sgpr[41];
      assert_int_equal(id1 >> 18 & 7, group % 6);
      assert_int_equal(id1 >> 16 & 1, group / 6 % 2);
      assert_int_equal(id1 >> 10 & 15, group / 12);
      assert_int_equal(id1 >> 8 & 3, i % 4);
      assert_int_equal(id2 & 15, 0);                     /* queue */
      assert_int_equal(id2 >> 4 & 3, 2);                 /* pipe */
      assert_int_equal(id2 >> 8 & 3, 1);                 /* ME */
      assert_int_equal(id2 >> 24 & 15, machine.vm.vmid); /* VMID */
   }
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   run_and_see(&commands, CP_RING_GFX);
   assert_int_equal(seen[0].state.sgpr[41] >> 8 & 3, 0);
}

static void
test_base_and_partial_workgroups(void **state)
{
   struct launch launch = launch_of(load_shader(&machine, end), 0);
   launch.rsrc2 = 2 << 1 | 7 << 7;
   memcpy(launch.group, (uint32_t[]){8 | 3 << 16, 4 | 4 << 16, 1 | 1 << 16}, 12); /* FULL, PARTIAL */
   memcpy(launch.grid, (uint32_t[]){4, 6, 8}, 12);                                /* ends */

   struct commands commands;
   commands_init(&commands, &machine);
   set_sh(&commands, REG_COMPUTE_START_X, 2);
   set_sh(&commands, REG_COMPUTE_START_X + 4, 5);
   set_sh(&commands, REG_COMPUTE_START_X + 8, 7);
   launch.initiator = INITIATOR_PARTIAL_TG_EN;
   emit_dispatch(&commands, &launch);
   run_and_see(&commands, CP_RING_COMPUTE0);
   assert_int_equal(seen_count, 2);
   for (uint32_t i = 0; i < 2; i++) {
      assert_memory_equal(&seen[i].state.sgpr[2], ((uint32_t[]){2 + i, 5, 7}), 12);
      assert_true(seen[i].state.exec == (i ? (1 << 12) - 1 : UINT32_MAX)); /* 3 * 4 threads, or 8 * 4 */
   }
   assert_int_equal(seen[1].vgpr[0][4], 1 | 1 << 10); /* thread 4 of 3 x 4 */

   /* Dimensions in threads: 20 of 8 are two full workgroups and one of 4. */
   memcpy(launch.grid, (uint32_t[]){20, 4, 1}, 12);
   launch.initiator = INITIATOR_USE_THREAD_DIMENSIONS | INITIATOR_FORCE_START_AT_000;
   run_launch(&launch);
   assert_int_equal(seen_count, 3);
   for (uint32_t i = 0; i < 3; i++) {
      assert_int_equal(seen[i].state.sgpr[2], i);
      assert_true(seen[i].state.exec == (i == 2 ? (1 << 16) - 1 : UINT32_MAX));
   }
}

static void
test_indirect(void **state)
{
   struct launch launch = launch_of(load_shader(&machine, end), 0);
   uint64_t at = machine_alloc(&machine, 64);
   memcpy(machine_host(&machine, at + 16), (uint32_t[]){2, 3, 1}, 12);

   struct commands commands;
   commands_init(&commands, &machine);
   emit_launch_state(&commands, &launch);
   emit_packet(&commands, PM4_SET_BASE, 3, 1, (uint32_t)at, (uint32_t)(at >> 32));
   emit_packet(&commands, PM4_DISPATCH_INDIRECT, 2, 16, INITIATOR_COMPUTE_SHADER_EN | INITIATOR_FORCE_START_AT_000);
   run_and_see(&commands, CP_RING_GFX);
   assert_int_equal(seen_count, 6);

   commands_init(&commands, &machine);
   emit_launch_state(&commands, &launch);
   emit_packet(&commands, PM4_DISPATCH_INDIRECT, 3, (uint32_t)(at + 16), (uint32_t)(at >> 32),
               INITIATOR_COMPUTE_SHADER_EN | INITIATOR_FORCE_START_AT_000);
   run_and_see(&commands, CP_RING_COMPUTE0);
   assert_int_equal(seen_count, 6);

   *(uint32_t *)machine_host(&machine, at + 20) = 0; /* no workgroups */
   run_and_see(&commands, CP_RING_COMPUTE0);
   assert_int_equal(seen_count, 0);
}

/* Every other register but M0 is garbage, and not the same garbage in two waves. */
static void
test_poison(void **state)
{
   struct launch launch = launch_of(load_shader(&machine, end), 0x1122334455667788);
   launch.group[0] = 128;
   run_launch(&launch);
   assert_int_equal(seen_count, 2);
   uint32_t zero = 0, same = 0;
   for (uint32_t i = 3; i < 106; i++) {
      zero += seen[0].state.sgpr[i] == 0;
      same += seen[0].state.sgpr[i] == seen[1].state.sgpr[i];
   }
   for (uint32_t lane = 0; lane < 64; lane++) {
      zero += seen[0].vgpr[1][lane] == 0;
      same += seen[0].vgpr[1][lane] == seen[1].vgpr[1][lane];
      assert_int_equal(seen[0].vgpr[0][lane], lane);
   }
   assert_in_range(zero, 0, 2);
   assert_in_range(same, 0, 2);
   assert_true(seen[0].state.vcc != 0 || seen[1].state.vcc != 0);
   assert_int_equal(seen[0].state.m0, 0);
   assert_int_equal(seen[1].state.m0, 0);
   assert_int_equal(seen[0].state.sgpr[0], 0x55667788);
   assert_int_equal(seen[0].state.sgpr[2], 0);
   assert_true(seen[0].state.exec == ~UINT64_C(0));
   assert_int_equal(seen[0].state.mode, 0x1c0);
}

/* Scratch: each resident wave has its own, at base + slot * WAVESIZE. */
static void
test_scratch(void **state)
{
   enum { GROUPS = 40, WAVES_PER_SE = 2, STRIDE = 512 };
   uint64_t base = machine_alloc(&machine, SQ_SES * WAVES_PER_SE * STRIDE), out = machine_alloc(&machine, GROUPS * 256);
   struct launch launch = launch_of(load_shader(&machine, scratch), out);
   launch.rsrc2 |= RSRC2_SCRATCH_EN;
   launch.grid[0] = GROUPS;

   struct commands commands;
   commands_init(&commands, &machine);
   uint64_t units = (base & ((UINT64_C(1) << 48) - 1)) >> 8;
   set_sh(&commands, REG_COMPUTE_DISPATCH_SCRATCH_BASE_LO, (uint32_t)units);
   set_sh(&commands, REG_COMPUTE_DISPATCH_SCRATCH_BASE_HI, (uint32_t)(units >> 32));
   set_sh(&commands, REG_COMPUTE_TMPRING_SIZE, WAVES_PER_SE | STRIDE / 256 << 12);
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_COMPUTE0);
   assert_int_equal(finish(&commands), 0);
   const uint32_t *result = machine_host(&machine, out);
   for (uint32_t i = 0; i < GROUPS * 64; i++)
      assert_int_equal(result[i], i / 64);

   launch.code = load_shader(&machine, identity);
   launch.grid[0] = 1;
   commands.ib.size = 0;
   emit_dispatch(&commands, &launch);
   run_and_see(&commands, CP_RING_COMPUTE0);
   uint64_t own = seen[0].state.sgpr[42] | (uint64_t)seen[0].state.sgpr[43] << 32;
   assert_int_equal((own - base) % STRIDE, 0);
   assert_in_range(own - base, 0, SQ_SES * WAVES_PER_SE * STRIDE - 1);
}

static void
test_what_can_never_launch(void **state)
{
   struct launch launch = launch_of(load_shader(&machine, end), 0);
   launch.rsrc2 |= 511 << 15; /* 256 KiB of LDS */
   struct commands commands;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_COMPUTE0);
   assert_int_equal(finish(&commands), -ECANCELED);
   assert_non_null(strstr(machine.log, "bytes of LDS"));

   launch = launch_of(launch.code, 0);
   memcpy(launch.group, (uint32_t[]){64, 64, 1}, 12);
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_COMPUTE0);
   assert_int_equal(finish(&commands), -ECANCELED);
   assert_non_null(strstr(machine.log, "4096 threads"));
}

/* The largest workgroup with the most registers fits, and many of the smallest. */
static void
test_large_and_many(void **state)
{
   struct launch launch = launch_of(load_shader(&machine, end), 0);
   memcpy(launch.group, (uint32_t[]){32, 32, 1}, 12);
   launch.rsrc1 = 0x602c0000 | 47; /* 192 VGPRs in waves of 64: four of them fill a SIMD */
   launch.rsrc2 |= 128 << 15;      /* 64 KiB of LDS */
   launch.grid[0] = 16;
   run_launch(&launch);
   assert_int_equal(seen_count, 256);

   launch = launch_of(launch.code, 0);
   launch.grid[0] = 100;
   launch.grid[1] = 100;
   assert_int_equal(run(&machine, &launch), 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_sgprs, setup, teardown),
      cmocka_unit_test_setup_teardown(test_wave32, setup, teardown),
      cmocka_unit_test_setup_teardown(test_mode, setup, teardown),
      cmocka_unit_test_setup_teardown(test_hardware_id, setup, teardown),
      cmocka_unit_test_setup_teardown(test_base_and_partial_workgroups, setup, teardown),
      cmocka_unit_test_setup_teardown(test_indirect, setup, teardown),
      cmocka_unit_test_setup_teardown(test_poison, setup_poison, teardown),
      cmocka_unit_test_setup_teardown(test_scratch, setup, teardown),
      cmocka_unit_test_setup_teardown(test_what_can_never_launch, setup, teardown),
      cmocka_unit_test_setup_teardown(test_large_and_many, setup, teardown),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
