/* SPDX-License-Identifier: MIT */
/* Waves and their registers against the same through vgpu.h, in the program. */
#include <sys/ioctl.h>

#include "session.h"

/* Of the wave in the first slot of the bank, through the program's own register accesses. */
static uint32_t
wave_value(struct vgpu_bank bank, uint32_t index, uint32_t lane)
{
   ask((struct program_message){
      .operation = PROGRAM_WRITE_REGISTER, .bank = bank, .address = SQ_IND_INDEX, .value = index << 16 | lane << 5});
   return register_value(bank, SQ_IND_DATA);
}

struct gprwave {
   uint32_t gpr_or_wave, se, sh, cu, wave, simd, xcc_id, thread, vgpr_or_sgpr;
};

/* Where the halted wave is; waits for it. */
static bool
find_wave(int fd, uint32_t *se, uint32_t *sh, uint32_t *cu)
{
   for (*se = 0; *se < 6; ++*se)
      for (*sh = 0; *sh < 2; ++*sh)
         for (*cu = 0; *cu < 16; ++*cu) {
            uint64_t offset = (uint64_t)*se << 7 | (uint64_t)*sh << 15 | (uint64_t)*cu << 23;
            uint32_t status = read32(fd, offset + 4);
            if (status & 1 << 16 && status & 1 << 13) /* VALID, HALT */
               return true;
         }
   return false;
}

static void
test_waves(void **state)
{
   int wave = open_file("amdgpu_wave", O_RDONLY), gpr = open_file("amdgpu_gpr", O_RDONLY);
   int gprwave = open_file("amdgpu_gprwave", O_RDONLY), regs2 = open_file("amdgpu_regs2", O_RDWR);
   uint32_t se = 0, sh = 0, cu = 0;
   launch(SHADER_HALTED, PROGRAM_VRAM_VA);
   wait_until(find_wave(wave, &se, &sh, &cu));
   struct vgpu_bank bank = {.se = se, .sa = sh, .instance = cu};

   static const uint16_t order[15] = {0x102, 0x108, 0x109, 0x27e, 0x27f, 0x117, 0x118, 0x105,
                                      0x106, 0x103, 0x107, 0x11c, 0x10d, 0x27d, 0x101};
   uint32_t data[16], again[16];
   uint64_t offset = (uint64_t)se << 7 | (uint64_t)sh << 15 | (uint64_t)cu << 23;
   assert_int_equal(read_at(wave, offset, data, 64), 0);
   assert_int_equal(data[0], 3); /* gfx11's type of data */
   for (int i = 0; i < 15; i++)
      assert_int_equal(data[1 + i], wave_value(bank, order[i], 0));
   assert_int_equal(data[1] & 1, 1); /* SCC */
   assert_int_equal(data[4], ALL);   /* EXEC */
   assert_int_equal(data[7] >> 24 & 15, session.facts.vmid);
   assert_int_not_equal(data[9] >> 12 & 511, 0); /* LDS_ALLOC: its size */
   assert_int_equal(data[10], 0x24);             /* TRAPSTS */
   assert_int_equal(data[14], 0x77);             /* M0 */
   assert_int_equal(pread(wave, again, 64, (off_t)offset + 16), 48);
   assert_memory_equal(again, data + 4, 48);
   assert_int_equal(read_at(wave, offset + 2, again, 4), -EINVAL);
   /* Another slot of the same SIMD is empty. */
   assert_int_equal(read32(wave, (offset | 1ull << 31) + 4), 0);

   struct gprwave at = {.se = se, .sh = sh, .cu = cu};
   assert_int_equal(ioctl(gprwave, GPRWAVE_SET_STATE, &at), 0);
   assert_int_equal(read_at(gprwave, 0, again, 64), 0);
   assert_memory_equal(again, data, 64);

   uint32_t sgpr[124], vgpr[24];
   at.gpr_or_wave = 1;
   assert_int_equal(ioctl(gprwave, GPRWAVE_SET_STATE, &at), 0);
   assert_int_equal(read_at(gprwave, 0, sgpr, sizeof(sgpr)), 0);
   assert_int_equal(sgpr[0], (uint32_t)PROGRAM_VRAM_VA);
   assert_int_equal(sgpr[1], (uint32_t)(PROGRAM_VRAM_VA >> 32));
   assert_int_equal(sgpr[20], 0x1234);
   assert_int_equal(sgpr[21], 0xabcd0000);
   for (uint32_t i = 0; i < 124; i += 31)
      assert_int_equal(sgpr[i], wave_value(bank, 0x200 + i, 0));
   at.vgpr_or_sgpr = 1;
   at.thread = 37;
   assert_int_equal(ioctl(gprwave, GPRWAVE_SET_STATE, &at), 0);
   assert_int_equal(read_at(gprwave, 0, vgpr, sizeof(vgpr)), 0);
   assert_int_equal(vgpr[5], 37 << 4);
   assert_int_equal(vgpr[6], 0x8000 | 37);
   assert_int_equal(vgpr[6], wave_value(bank, 0x406, 37));
   /* The kernel takes the offset twice: 4 is register 4, and then the second of what was read. */
   assert_int_equal(pread(gprwave, again, 16, 4), 12);
   assert_int_equal(again[0], vgpr[5]);

   offset = (uint64_t)se << 12 | (uint64_t)sh << 20 | (uint64_t)cu << 28;
   assert_int_equal(read32(gpr, offset | 37ull << 52 | 5 * 4), 37 << 4);
   assert_int_equal(read32(gpr, offset | 1ull << 60 | 21 * 4), 0xabcd0000);
   assert_int_equal(read_at(gprwave, 0, sgpr, 4100), -EINVAL);

   /* Another VMID's halt is not this wave's; this one's is taken back. */
   set_state(regs2, (struct regs2_v2){.use_grbm = 1, .se = ALL, .sh = ALL, .instance = ALL});
   uint32_t resume_all = 1 | 1 << 4 | 1 << 7; /* SETHALT, broadcast, CHECK_VMID, DATA 0 */
   write32(regs2, SQ_CMD, resume_all | (session.facts.vmid + 1) << 28);
   assert_false(job_ends_within(50));
   write32(regs2, SQ_CMD, resume_all | session.facts.vmid << 28);
   assert_true(job_ends_within(5000));
   assert_int_equal(read_memory(PROGRAM_VRAM_VA), 1);
   close(wave);
   close(gpr);
   close(gprwave);
   close(regs2);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_waves, session_setup, session_teardown),
   };
   return fuse_works() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
