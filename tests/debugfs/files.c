/* SPDX-License-Identifier: MIT */
/* The tree, and files of registers against the same value through vgpu.h, in the program. */
#include <dirent.h>
#include <sys/ioctl.h>

#include "session.h"

static void
test_tree(void **state)
{
   static const char *const names[] = {
      "amdgpu_gfxoff",      "amdgpu_gfxoff_status", "amdgpu_gpr",  "amdgpu_gprwave",
      "amdgpu_gpu_recover", "amdgpu_iomem",         "amdgpu_regs", "amdgpu_regs2",
      "amdgpu_vram",        "amdgpu_wave",          "clients",     "name",
   };
   char path[128], text[512];
   snprintf(path, sizeof(path), "%s/128", session.directory); /* the render node's directory is the card's */
   struct dirent **entries;
   int count = scandir(path, &entries, NULL, alphasort);
   assert_int_equal(count, 2 + 12);
   for (int i = 0; i < count; i++) {
      if (i >= 2)
         assert_string_equal(entries[i]->d_name, names[i - 2]);
      free(entries[i]);
   }
   free(entries);

   read_text("name", text, sizeof(text));
   assert_int_equal(strncmp(text, "amdgpu dev=", 11), 0);
   read_text("clients", text, sizeof(text));
   char command[32];
   unsigned pid;
   assert_int_equal(sscanf(strchr(text, '\n'), " %31s %u", command, &pid), 2);
   assert_int_equal(pid, session.facts.pid);
   assert_int_equal(open_file("amdgpu_nothing", O_RDONLY), -ENOENT);
}

static int
try_state(int fd, unsigned long request, const struct regs2_v2 *state)
{
   return ioctl(fd, request, state) ? -errno : 0;
}

static void
test_regs2(void **state)
{
   int fd = open_file("amdgpu_regs2", O_RDWR), other = open_file("amdgpu_regs2", O_RDWR);
   assert_true(fd >= 0 && other >= 0);
   struct vgpu_bank bank = {.se = ALL, .sa = ALL, .instance = ALL};
   assert_int_equal(read32(fd, GCMC_VM_FB_LOCATION_TOP), register_value(bank, GCMC_VM_FB_LOCATION_TOP));
   assert_int_not_equal(read32(fd, GCMC_VM_FB_LOCATION_TOP), 0);

   /* A VMID's copy, both ways; the state belongs to the open file. */
   set_state(fd, (struct regs2_v2){.use_srbm = 1, .vmid = 5});
   set_state(other, (struct regs2_v2){.use_srbm = 1, .vmid = 6});
   const uint32_t tba[4] = {0x11111111, 0x80000022, 0x33333333, 0x44};
   assert_int_equal(write_at(fd, SQ_SHADER_TBA_LO, tba, 16), 0);
   write32(other, SQ_SHADER_TBA_LO, 0x66666666);
   for (int i = 0; i < 4; i++) {
      bank.vmid = 5;
      assert_int_equal(register_value(bank, SQ_SHADER_TBA_LO + 4 * i), tba[i]);
   }
   bank.vmid = 6;
   assert_int_equal(register_value(bank, SQ_SHADER_TBA_LO), 0x66666666);
   ask((struct program_message){
      .operation = PROGRAM_WRITE_REGISTER, .bank = bank, .address = SPI_GDBG_PER_VMID_CNTL, .value = 0x1008});
   assert_int_equal(read32(other, SPI_GDBG_PER_VMID_CNTL), 0x1008);
   assert_int_equal(read32(fd, SPI_GDBG_PER_VMID_CNTL), 0);

   /* A queue's. */
   set_state(fd, (struct regs2_v2){.use_srbm = 1, .me = 1, .pipe = 2});
   write32(fd, COMPUTE_PGM_RSRC3, 0x2a0);
   assert_int_equal(register_value((struct vgpu_bank){.me = 1, .pipe = 2}, COMPUTE_PGM_RSRC3), 0x2a0);
   assert_int_equal(register_value((struct vgpu_bank){.me = 1, .pipe = 1}, COMPUTE_PGM_RSRC3), 0);

   /* What is selected does not stay: all broadcast again. */
   set_state(fd, (struct regs2_v2){.use_grbm = 1, .se = 2, .sh = 1, .instance = 7});
   assert_int_equal(read32(fd, GRBM_GFX_INDEX), 2 << 16 | 1 << 8 | 7);
   set_state(fd, (struct regs2_v2){.use_grbm = 1, .se = ALL, .sh = ALL, .instance = ALL});
   assert_int_equal(read32(fd, GRBM_GFX_INDEX), 7u << 29);
   set_state(fd, (struct regs2_v2){0});
   assert_int_equal(read32(fd, GRBM_GFX_INDEX), 7u << 29);

   /* Where no register is: a bus does not mind. Offsets are 32 bits. */
   write32(fd, 0x100, 1);
   assert_int_equal(read32(fd, 0x100), 0);
   assert_int_equal(read32(fd, 1ull << 32 | GRBM_GFX_INDEX), 7u << 29);
   close(fd);
   close(other);
}

static void
test_regs2_refusals(void **state)
{
   int fd = open_file("amdgpu_regs2", O_RDWR);
   uint32_t value[2];
   assert_int_equal(read_at(fd, SQ_CMD + 2, value, 4), -EINVAL);
   assert_int_equal(read_at(fd, SQ_CMD, value, 6), -EINVAL);
   assert_int_equal(write_at(fd, SQ_CMD + 1, value, 4), -EINVAL);
   set_state(fd, (struct regs2_v2){.use_grbm = 1, .se = 6, .sh = ALL, .instance = ALL});
   assert_int_equal(read_at(fd, GRBM_GFX_INDEX, value, 4), -EINVAL);
   set_state(fd, (struct regs2_v2){.use_grbm = 1, .se = 5, .sh = 2, .instance = ALL});
   assert_int_equal(read_at(fd, GRBM_GFX_INDEX, value, 4), -EINVAL);
   struct regs2_v2 other = {0};
   assert_int_equal(try_state(fd, 0xc02c2002ul, &other), -EINVAL);
   assert_int_equal(try_state(fd, 0xc0302001ul, &other), -EINVAL); /* another size */

   /* The first version has no word of the VMID: the one before stays. */
   set_state(fd, (struct regs2_v2){.use_srbm = 1, .vmid = 3});
   write32(fd, SQ_SHADER_TMA_LO, 0x333);
   other = (struct regs2_v2){.use_srbm = 1, .vmid = 4};
   assert_int_equal(try_state(fd, SET_STATE_V1, &other), 0);
   assert_int_equal(read32(fd, SQ_SHADER_TMA_LO), 0x333);
   close(fd);
   fd = open_file("amdgpu_regs2", O_RDWR);
   other.vmid = 3;
   assert_int_equal(try_state(fd, SET_STATE_V1, &other), 0);
   assert_int_equal(read32(fd, SQ_SHADER_TMA_LO), 0); /* of VMID 0 */
   close(fd);

   fd = open_file("amdgpu_vram", O_RDWR);
   assert_int_equal(try_state(fd, SET_STATE_V2, &other), -ENOTTY);
   close(fd);
}

static void
test_regs(void **state)
{
   int fd = open_file("amdgpu_regs", O_RDWR);
   const uint64_t srbm = 1ull << 61, grbm = 1ull << 62;
   write32(fd, srbm | 9ull << 54 | SQ_SHADER_TBA_LO, 0x999);
   struct vgpu_bank bank = {.vmid = 9};
   assert_int_equal(register_value(bank, SQ_SHADER_TBA_LO), 0x999);
   assert_int_equal(read32(fd, srbm | 9ull << 54 | 1ull << 23 | SQ_SHADER_TBA_LO), 0x999);
   assert_int_equal(read32(fd, SQ_SHADER_TBA_LO), 0);
   write32(fd, srbm | 1ull << 24 | 3ull << 34 | COMPUTE_PGM_RSRC3, 0x3a0);
   assert_int_equal(register_value((struct vgpu_bank){.me = 1, .pipe = 3}, COMPUTE_PGM_RSRC3), 0x3a0);

   assert_int_equal(read32(fd, grbm | 4ull << 24 | 1ull << 34 | 0x3ffull << 44 | GRBM_GFX_INDEX),
                    4 << 16 | 1 << 8 | 1 << 30);
   assert_int_equal(read32(fd, grbm | 0x3ffull << 24 | 0x3ffull << 34 | 6ull << 44 | GRBM_GFX_INDEX),
                    1u << 31 | 1u << 29 | 6);
   uint32_t value;
   assert_int_equal(read_at(fd, grbm | 6ull << 24 | GRBM_GFX_INDEX, &value, 4), -EINVAL);
   assert_int_equal(read_at(fd, grbm | srbm | GRBM_GFX_INDEX, &value, 4), -EINVAL);
   assert_int_equal(read_at(fd, SQ_CMD + 2, &value, 4), -EINVAL);
   close(fd);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_tree, session_setup, session_teardown),
      cmocka_unit_test_setup_teardown(test_regs2, session_setup, session_teardown),
      cmocka_unit_test_setup_teardown(test_regs2_refusals, session_setup, session_teardown),
      cmocka_unit_test_setup_teardown(test_regs, session_setup, session_teardown),
   };
   return fuse_works() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
