/* SPDX-License-Identifier: MIT */
/* How kernels and cards misbehave, and single operations that fail. */
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "session.h"

static void
start_with(const char *option, const char *argument)
{
   session_start((const char *[]){option, argument, NULL}, NULL);
}

static void
launch_polling(void)
{
   write_memory(PROGRAM_VRAM_VA, 0);
   launch(SHADER_POLLING, PROGRAM_VRAM_VA);
   assert_false(job_ends_within(50));
}

static void
end_polling(void)
{
   write_memory(PROGRAM_VRAM_VA, 1);
   assert_true(job_ends_within(5000));
}

/* ---- faults ---- */

static void
test_gfxoff(void **state)
{
   start_with("--fault", "gfxoff");
   int regs2 = open_file("amdgpu_regs2", O_RDWR), gfxoff = open_file("amdgpu_gfxoff", O_RDWR);
   int status = open_file("amdgpu_gfxoff_status", O_RDONLY);
   assert_int_equal(read32(status, 0), 0);
   assert_int_equal(read32(gfxoff, 0), 1);
   assert_int_equal(read32(regs2, GCMC_VM_FB_LOCATION_TOP), ALL);
   write32(regs2, SQ_SHADER_TBA_LO, 0x123); /* lost */

   write32(gfxoff, 0, 0);
   assert_int_equal(read32(status, 0), 2);
   assert_int_equal(read32(gfxoff, 0), 0);
   assert_int_not_equal(read32(regs2, GCMC_VM_FB_LOCATION_TOP), ALL);
   assert_int_equal(read32(regs2, SQ_SHADER_TBA_LO), 0);
   /* Counted: two holds want to be taken back twice. */
   write32(gfxoff, 0, 0);
   write32(gfxoff, 0, 1);
   assert_int_not_equal(read32(regs2, GCMC_VM_FB_LOCATION_TOP), ALL);
   write32(gfxoff, 0, 1);
   assert_int_equal(read32(regs2, GCMC_VM_FB_LOCATION_TOP), ALL);

   /* A card that works does not sleep. */
   launch_polling();
   assert_int_equal(read32(status, 0), 2);
   assert_int_not_equal(read32(regs2, GCMC_VM_FB_LOCATION_TOP), ALL);
   end_polling();
   assert_int_equal(read32(regs2, GCMC_VM_FB_LOCATION_TOP), ALL);
   close(regs2);
   close(gfxoff);
   close(status);
   session_finish();
}

static void
test_awake(void **state)
{
   session_start(NULL, NULL);
   int status = open_file("amdgpu_gfxoff_status", O_RDONLY);
   assert_int_equal(read32(status, 0), 2);
   close(status);
   session_finish();
}

static void
test_powered_down(void **state)
{
   start_with("--fault", "powered-down");
   int regs2 = open_file("amdgpu_regs2", O_RDWR), vram = open_file("amdgpu_vram", O_RDONLY);
   int wave = open_file("amdgpu_wave", O_RDONLY);
   assert_int_equal(read32(regs2, GCMC_VM_FB_LOCATION_TOP), ALL);
   assert_int_equal(read32(vram, 0), ALL);
   assert_int_equal(read32(wave, 0), 3);
   assert_int_equal(read32(wave, 4), ALL);
   close(regs2);
   close(vram);
   close(wave);
   session_finish();
}

static void
check_opens(const char *file, int flags, int expected)
{
   int fd = open_file(file, flags);
   assert_int_equal(fd < 0 ? fd : 0, expected);
   if (fd >= 0)
      close(fd);
}

static void
test_lockdown(void **state)
{
   start_with("--fault", "lockdown");
   check_opens("amdgpu_regs2", O_RDONLY, -EPERM); /* it has an ioctl */
   check_opens("amdgpu_gprwave", O_RDONLY, -EPERM);
   check_opens("amdgpu_regs", O_RDWR, -EPERM);
   check_opens("amdgpu_regs", O_RDONLY, 0);
   check_opens("amdgpu_vram", O_WRONLY, -EPERM);
   check_opens("amdgpu_vram", O_RDONLY, 0);
   check_opens("name", O_RDONLY, 0);
   session_finish();

   start_with("--fault", "lockdown-reads");
   check_opens("amdgpu_regs2", O_RDONLY, -EPERM);
   check_opens("amdgpu_regs", O_RDONLY, -EPERM);
   check_opens("amdgpu_vram", O_RDONLY, -EPERM);
   check_opens("amdgpu_iomem", O_RDONLY, -EPERM);
   check_opens("name", O_RDONLY, 0);
   session_finish();
}

static void
test_old_kernels(void **state)
{
   start_with("--fault", "no-regs2");
   check_opens("amdgpu_regs2", O_RDWR, -ENOENT);
   check_opens("amdgpu_regs", O_RDWR, 0);
   session_finish();

   start_with("--fault", "no-v2");
   int fd = open_file("amdgpu_regs2", O_RDWR);
   struct regs2_v2 select = {.use_grbm = 1, .se = 1, .sh = 1, .instance = 2};
   assert_int_equal(ioctl(fd, SET_STATE_V2, &select), -1);
   assert_int_equal(errno, EINVAL);
   assert_int_equal(ioctl(fd, SET_STATE_V1, &select), 0);
   assert_int_equal(read32(fd, GRBM_GFX_INDEX), 1 << 16 | 1 << 8 | 2);
   close(fd);
   session_finish();
}

static void
test_no_user_pages(void **state)
{
   start_with("--fault", "no-user-pages");
   int fd = open_file("amdgpu_iomem", O_RDONLY);
   uint32_t value;
   assert_int_equal(read_at(fd, session.facts.user_pages, &value, 4), -EPERM);
   close(fd);
   session_finish();
}

/* ---- injection ---- */

static void
test_errors(void **state)
{
   const char *const options[] = {"--inject", "amdgpu_regs2:open:2:eacces", "--inject", "amdgpu_regs2:read:2:fail",
                                  "--inject", "amdgpu_regs2:read:4:eintr",  "--inject", "amdgpu_regs2:write:1-2:enxio",
                                  "--inject", "amdgpu_regs2:ioctl:2-:fail", NULL};
   session_start(options, NULL);
   int fd = open_file("amdgpu_regs2", O_RDWR);
   assert_true(fd >= 0);
   check_opens("amdgpu_regs2", O_RDWR, -EACCES);
   check_opens("amdgpu_regs2", O_RDWR, 0);
   check_opens("amdgpu_vram", O_RDWR, 0);

   static const int expected[] = {0, -EIO, 0, -EINTR, 0, 0};
   uint32_t value = 5;
   for (int i = 0; i < 6; i++)
      assert_int_equal(read_at(fd, GRBM_GFX_INDEX, &value, 4), expected[i]);
   assert_int_equal(write_at(fd, SQ_SHADER_TBA_LO, &value, 4), -ENXIO);
   assert_int_equal(write_at(fd, SQ_SHADER_TBA_LO, &value, 4), -ENXIO);
   assert_int_equal(read32(fd, SQ_SHADER_TBA_LO), 0);
   write32(fd, SQ_SHADER_TBA_LO, 5);
   struct regs2_v2 select = {0};
   assert_int_equal(ioctl(fd, SET_STATE_V2, &select), 0);
   for (int i = 0; i < 3; i++) {
      assert_int_equal(ioctl(fd, SET_STATE_V2, &select), -1);
      assert_int_equal(errno, EIO);
   }
   close(fd);
   session_finish();
}

static void
test_short_and_ones(void **state)
{
   const char *const options[] = {"--inject", "*:read:1:short",  "--inject", "amdgpu_vram:read:2:ones",
                                  "--inject", "*:write:1:short", "--inject", "*:write:2:ones",
                                  NULL};
   session_start(options, NULL);
   int fd = open_file("amdgpu_vram", O_RDWR);
   uint32_t data[4] = {1, 2, 3, 4}, read[4];
   assert_int_equal(pread(fd, read, 16, 0x100000), 8);
   assert_int_equal(read_at(fd, 0x100000, read, 16), 0);
   for (int i = 0; i < 4; i++)
      assert_int_equal(read[i], ALL);
   assert_int_equal(pwrite(fd, data, 16, 0x100000), 8);
   assert_int_equal(write_at(fd, 0x100008, data + 2, 8), 0); /* lost */
   assert_int_equal(read_at(fd, 0x100000, read, 16), 0);
   assert_int_equal(read[1], 2);
   assert_int_equal(read[2], 0);
   close(fd);
   session_finish();
}

static void
nothing(int signal)
{
}

static void
test_hang(void **state)
{
   const char *const options[] = {"--inject", "amdgpu_regs2:read:1-2:hang", "--inject", "amdgpu_vram:read:1:hang",
                                  NULL};
   session_start(options, NULL);
   int fd = open_file("amdgpu_regs2", O_RDWR);
   uint32_t value;

   /* A signal ends it. */
   struct sigaction action = {.sa_handler = nothing}, old;
   sigaction(SIGALRM, &action, &old);
   alarm(1);
   assert_int_equal(read_at(fd, GRBM_GFX_INDEX, &value, 4), -EINTR);
   sigaction(SIGALRM, &old, NULL);

   /* Nobody becomes unkillable; meanwhile others are served. */
   pid_t child = fork();
   if (child == 0) {
      read_at(fd, GRBM_GFX_INDEX, &value, 4);
      _exit(1);
   }
   nap(200);
   assert_int_equal(read32(fd, GRBM_GFX_INDEX), 7u << 29);
   kill(child, SIGKILL);
   int status = 0;
   wait_until(waitpid(child, &status, WNOHANG) == child);
   assert_int_equal(WTERMSIG(status), SIGKILL);

   /* The program's end does, too. */
   child = fork();
   if (child == 0) {
      int vram = open_file("amdgpu_vram", O_RDONLY);
      _exit(read_at(vram, 0, &value, 4) == -EIO ? 0 : 1);
   }
   nap(200);
   assert_int_equal(waitpid(child, &status, WNOHANG), 0);
   close(fd);
   session_finish();
   wait_until(waitpid(child, &status, WNOHANG) == child);
   assert_int_equal(status, 0);
}

/* A rule about a file that a fault hides is no mistake. */
static void
test_rule_of_hidden_file(void **state)
{
   static const char *const options[] = {"--fault", "no-regs2", "--inject",
                                         "amdgpu_regs2:read:18446744073709551615:fail", NULL};
   session_start(options, "exit 0");
   assert_int_equal(session_wait(), 0);
   session_remove();
}

static void
test_refused_options(void **state)
{
   static const char *const bad[][2] = {{"--fault", "none"},
                                        {"--inject", "amdgpu_regs2:read:1"},
                                        {"--inject", "amdgpu_regs2:read:0:fail"},
                                        {"--inject", "amdgpu_regs2:seek:1:fail"},
                                        {"--inject", "amdgpu_regs2:open:1:short"},
                                        {"--inject", "amdgpu_regs2:read:3-1:fail"},
                                        {"--inject", "amdgpu_regs2:read:1:nothing"},
                                        {"--inject", "amdgpu_regs3:read:1:fail"},
                                        {"--inject", "amdgpu_regs2:read:18446744073709551616:fail"},
                                        {"--inject", "amdgpu_regs2:read:1-18446744073709551616:fail"},
                                        {"--inject", "amdgpu_regs2:read: 1:fail"},
                                        {"--inject", "amdgpu_regs2:read:1--1:fail"}};
   for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
      session_start((const char *[]){bad[i][0], bad[i][1], NULL}, "exit 0");
      assert_int_equal(WEXITSTATUS(session_wait()), 125);
      session_remove();
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gfxoff),
      cmocka_unit_test(test_awake),
      cmocka_unit_test(test_powered_down),
      cmocka_unit_test(test_lockdown),
      cmocka_unit_test(test_old_kernels),
      cmocka_unit_test(test_no_user_pages),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_short_and_ones),
      cmocka_unit_test(test_hang),
      cmocka_unit_test(test_refused_options),
      cmocka_unit_test(test_rule_of_hidden_file),
   };
   return fuse_works() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
