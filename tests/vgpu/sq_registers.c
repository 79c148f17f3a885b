/* SPDX-License-Identifier: MIT */
/* The register file from outside: which registers exist, and their banks. */
#include <errno.h>

#include "sq_fixture.h"

/* The addresses themselves, against the numbers of the register database. */
static void
test_addresses(void **state)
{
   assert_int_equal(REG_COMPUTE_PGM_RSRC1, 0xb848);
   assert_int_equal(REG_COMPUTE_PGM_RSRC3, 0xb8a0);
   assert_int_equal(REG_COMPUTE_USER_DATA_0, 0xb900);
   assert_int_equal(REG_COMPUTE_TMPRING_SIZE, 0xb860);
   assert_int_equal(REG_COMPUTE_DISPATCH_SCRATCH_BASE_LO, 0xb840);
   assert_int_equal(REG_GRBM_GFX_INDEX, 0x30800);
   assert_int_equal(REG_SQ_CMD, 4 * (0x1260 + 0x111b));
   assert_int_equal(REG_SQ_SHADER_TBA_LO, 4 * (0xa000 + 0x9e6));
   assert_int_equal(REG_SPI_GDBG_PER_VMID_CNTL, 4 * (0x1260 + 0x1f72));
}

static void
test_unknown_registers(void **state)
{
   uint32_t value = 1;
   assert_int_equal(vgpu_register_read(machine.gpu, NULL, 0x100, &value), -EINVAL);
   assert_int_equal(vgpu_register_read(machine.gpu, NULL, REG_SQ_CMD + 1, &value), -EINVAL);
   assert_int_equal(vgpu_register_read(machine.gpu, NULL, 0x40000, &value), -EINVAL);
   assert_int_equal(vgpu_register_read(machine.gpu, NULL, 0xfffffffc, &value), -EINVAL);
   assert_int_equal(vgpu_register_write(machine.gpu, NULL, 0x100, 1), -EINVAL);
   struct vgpu_bank bank = {.me = 2};
   assert_int_equal(vgpu_register_read(machine.gpu, &bank, REG_COMPUTE_PGM_RSRC1, &value), -EINVAL);
}

static void
test_vmid_bank(void **state)
{
   struct vgpu_bank bank = {0};
   static const uint32_t registers[] = {REG_SQ_SHADER_TBA_LO, REG_SQ_SHADER_TMA_HI, REG_SH_MEM_CONFIG, REG_SQ_DEBUG,
                                        REG_SPI_GDBG_PER_VMID_CNTL};
   for (size_t r = 0; r < 5; r++) {
      for (bank.vmid = 0; bank.vmid < 16; bank.vmid++)
         write_register(&machine, &bank, registers[r], 0x1000 * (uint32_t)r + bank.vmid);
   }
   for (size_t r = 0; r < 5; r++) {
      for (bank.vmid = 0; bank.vmid < 16; bank.vmid++)
         assert_int_equal(read_register(&machine, &bank, registers[r]), 0x1000 * r + bank.vmid);
   }
   /* By hand: GRBM_GFX_CNTL.VMID 7:4. */
   write_register(&machine, NULL, REG_GRBM_GFX_CNTL, 9 << 4);
   assert_int_equal(read_register(&machine, NULL, REG_SQ_SHADER_TBA_LO), 9);
   write_register(&machine, NULL, REG_SQ_SHADER_TBA_LO, 0xabc);
   write_register(&machine, NULL, REG_GRBM_GFX_CNTL, 0);
   assert_int_equal(read_register(&machine, NULL, REG_SQ_SHADER_TBA_LO), 0);
   bank.vmid = 9;
   assert_int_equal(read_register(&machine, &bank, REG_SQ_SHADER_TBA_LO), 0xabc);
}

static void
test_queue_bank(void **state)
{
   struct vgpu_bank graphics = {0}, compute = {.me = 1, .pipe = 2};
   write_register(&machine, &graphics, REG_COMPUTE_PGM_RSRC2, 0x111);
   write_register(&machine, &compute, REG_COMPUTE_PGM_RSRC2, 0x222);
   assert_int_equal(read_register(&machine, &graphics, REG_COMPUTE_PGM_RSRC2), 0x111);
   /* By hand: PIPE 1:0, ME 3:2. */
   write_register(&machine, NULL, REG_GRBM_GFX_CNTL, 2 | 1 << 2);
   assert_int_equal(read_register(&machine, NULL, REG_COMPUTE_PGM_RSRC2), 0x222);
   assert_int_equal(read_register(&machine, NULL, REG_CP_HQD_VMID), 0);

   /* While a job waits on the queue its VMID shows. */
   struct commands c;
   uint64_t flag = machine_alloc(&machine, 4);
   commands_init(&c, &machine);
   emit_packet(&c, PM4_WAIT_REG_MEM, 6, 3 | 1 << 4, (uint32_t)flag, (uint32_t)(flag >> 32), 1, ~0u, 4);
   submit(&c, CP_RING_COMPUTE2);
   wait_until(read_register(&machine, &compute, REG_CP_HQD_VMID) == machine.vm.vmid);
   *(volatile uint32_t *)machine_host(&machine, flag) = 1;
   vgpu_wake(machine.gpu);
   assert_int_equal(finish(&c), 0);
   assert_int_equal(vgpu_register_write(machine.gpu, &compute, REG_CP_HQD_VMID, 1), -EACCES);
}

/* What a walk from outside needs. */
static void
test_page_table_registers(void **state)
{
   uint32_t id = machine.vm.vmid;
   uint32_t low = read_register(&machine, NULL, REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR + 8 * id);
   uint32_t high = read_register(&machine, NULL, REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR + 8 * id + 4);
   assert_true((low | (uint64_t)high << 32) == (machine.vm.root | 1));
   assert_int_equal(read_register(&machine, NULL, REG_GCVM_CONTEXT0_CNTL + 4 * id), 7);
   assert_int_equal(read_register(&machine, NULL, REG_GCVM_CONTEXT0_CNTL + 4 * 15), 0);
   assert_int_equal(read_register(&machine, NULL, REG_GCVM_CONTEXT0_PAGE_TABLE_END_ADDR + 8 * id), 0xffffffff);
   assert_int_equal(read_register(&machine, NULL, REG_GCVM_CONTEXT0_PAGE_TABLE_END_ADDR + 8 * id + 4), 0xf);
   assert_int_equal(read_register(&machine, NULL, REG_GCVM_CONTEXT0_PAGE_TABLE_START_ADDR + 8 * id), 0);
}

static void
test_hold_time(void **state)
{
   assert_false(vgpu_time_held(machine.gpu));
   uint64_t before = vgpu_held_ns(machine.gpu);
   vgpu_hold_time(machine.gpu, true);
   vgpu_hold_time(machine.gpu, true);
   nap_ms(20);
   vgpu_hold_time(machine.gpu, false);
   assert_true(vgpu_time_held(machine.gpu));
   nap_ms(20);
   uint64_t during = vgpu_held_ns(machine.gpu);
   assert_true(during - before >= 40000000);
   vgpu_hold_time(machine.gpu, false);
   uint64_t after = vgpu_held_ns(machine.gpu);
   nap_ms(5);
   assert_true(vgpu_held_ns(machine.gpu) == after);
   vgpu_hold_time(machine.gpu, false); /* one too many is ignored */
   assert_false(vgpu_time_held(machine.gpu));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_addresses, setup, teardown),
      cmocka_unit_test_setup_teardown(test_unknown_registers, setup, teardown),
      cmocka_unit_test_setup_teardown(test_vmid_bank, setup, teardown),
      cmocka_unit_test_setup_teardown(test_queue_bank, setup, teardown),
      cmocka_unit_test_setup_teardown(test_page_table_registers, setup, teardown),
      cmocka_unit_test_setup_teardown(test_hold_time, setup, teardown),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
