/* SPDX-License-Identifier: MIT */
/* Memory against the same through vgpu.h, in the program; translations that are dropped, and a reset. */
#include "session.h"

/* By hand: four levels of nine bits over 4 KiB (AMDGPU_PTE_*: V 0, S 1, address 47:12, P 54). */
static uint64_t
walk(int regs2, int vram, uint64_t va, uint64_t *entry_address)
{
   uint64_t base[1];
   assert_int_equal(read32(regs2, GCVM_CONTEXT0_CNTL + 4 * session.facts.vmid) & 7, 1 | 3 << 1);
   assert_int_equal(read_at(regs2, GCVM_CONTEXT0_PAGE_TABLE_BASE + 8 * session.facts.vmid, base, 8), 0);
   uint64_t entry = base[0];
   for (int shift = 39; shift >= 12; shift -= 9) {
      assert_true(entry & 1);
      *entry_address = (entry & 0x0000ffffffffffc0ull) + 8 * (va >> shift & 511);
      assert_int_equal(read_at(vram, *entry_address, &entry, 8), 0);
      if (entry >> 54 & 1)
         return entry + (va & ((1ull << shift) - 1) & ~4095ull);
   }
   return entry;
}

static void
test_memory(void **state)
{
   int regs2 = open_file("amdgpu_regs2", O_RDWR);
   int vram = open_file("amdgpu_vram", O_RDWR), iomem = open_file("amdgpu_iomem", O_RDWR);
   uint64_t at;

   uint64_t entry = walk(regs2, vram, PROGRAM_VRAM_VA + 0x3000, &at);
   assert_int_equal(entry & 3, 1); /* valid, no system page */
   uint64_t address = entry & 0x0000fffffffff000ull;
   write_memory(PROGRAM_VRAM_VA + 0x3010, 0xcafe0001);
   assert_int_equal(read32(vram, address + 0x10), 0xcafe0001);
   write32(vram, address + 0x14, 0xcafe0002);
   assert_int_equal(read_memory(PROGRAM_VRAM_VA + 0x3014), 0xcafe0002);

   entry = walk(regs2, vram, PROGRAM_SYSTEM_VA + 0x5000, &at);
   assert_int_equal(entry & 3, 3);
   address = entry & 0x0000fffffffff000ull;
   write_memory(PROGRAM_SYSTEM_VA + 0x5020, 0xbeef0001);
   assert_int_equal(read32(iomem, address + 0x20), 0xbeef0001);
   const uint8_t odd[3] = {1, 2, 3};
   assert_int_equal(write_at(iomem, address + 0x25, odd, 3), 0); /* any bytes will do */
   assert_int_equal(read_memory(PROGRAM_SYSTEM_VA + 0x5024), 0x03020100);

   entry = walk(regs2, vram, PROGRAM_USER_VA, &at);
   assert_int_equal(entry & 3, 3);
   assert_int_equal(entry & 0x0000fffffffff000ull, session.facts.user_pages);
   write_memory(PROGRAM_USER_VA + 4, 0x12345678);
   assert_int_equal(read32(iomem, session.facts.user_pages + 4), 0x12345678);

   close(regs2);
   close(vram);
   close(iomem);
}

/* VMID 0: one flat table, for a window of 2 MiB. */
static void
test_gart(void **state)
{
   int regs2 = open_file("amdgpu_regs2", O_RDWR);
   int vram = open_file("amdgpu_vram", O_RDWR), iomem = open_file("amdgpu_iomem", O_RDWR);
   uint64_t base, start, end, entry[2];
   assert_int_equal(read32(regs2, GCVM_CONTEXT0_CNTL) & 7, 1); /* ENABLE, DEPTH 0 */
   assert_int_equal(read_at(regs2, GCVM_CONTEXT0_PAGE_TABLE_BASE, &base, 8), 0);
   assert_int_equal(read_at(regs2, GCVM_CONTEXT0_PAGE_TABLE_START, &start, 8), 0);
   assert_int_equal(read_at(regs2, GCVM_CONTEXT0_PAGE_TABLE_END, &end, 8), 0);
   assert_int_equal(end - start + 1, 512);
   assert_int_equal(read_at(vram, base & ~63ull, entry, 16), 0);
   assert_int_equal(entry[0] & 3, 3); /* V, S */
   assert_int_equal(entry[1], 0);
   write32(iomem, (entry[0] & 0x0000fffffffff000ull) + 8, 0x4711);
   assert_int_equal(read32(iomem, (entry[0] & 0x0000fffffffff000ull) + 8), 0x4711);
   close(regs2);
   close(vram);
   close(iomem);
}

static void
test_memory_refusals(void **state)
{
   int vram = open_file("amdgpu_vram", O_RDWR), iomem = open_file("amdgpu_iomem", O_RDWR);
   uint32_t data[4];
   assert_int_equal(lseek(vram, 0, SEEK_END), session.facts.vram_size);
   assert_int_equal(read_at(vram, 2, data, 4), -EINVAL);
   assert_int_equal(read_at(vram, 0, data, 6), -EINVAL);
   assert_int_equal(read_at(vram, session.facts.vram_size, data, 4), -ENXIO);
   assert_int_equal(write_at(vram, session.facts.vram_size, data, 4), -ENXIO);
   assert_int_equal(pread(vram, data, 16, (off_t)session.facts.vram_size - 8), 8);
   assert_int_equal(pwrite(vram, data, 16, (off_t)session.facts.vram_size - 8), 8);

   assert_int_equal(read_at(iomem, session.facts.stack, data, 4), -EPERM);
   assert_int_equal(write_at(iomem, session.facts.stack, data, 4), -EPERM);
   assert_int_equal(read_at(iomem, 0, data, 4), -EPERM);
   assert_int_equal(read_at(iomem, session.facts.user_pages + PROGRAM_BO_SIZE - 8, data, 16), -EPERM);

   /* Large transfers come in several requests. */
   size_t size = 1 << 20;
   uint8_t *from = malloc(size), *to = malloc(size);
   for (size_t i = 0; i < size; i++)
      from[i] = (uint8_t)(i * 7 + i / 256);
   assert_int_equal(write_at(vram, 32 << 20, from, size), 0);
   assert_int_equal(read_at(vram, 32 << 20, to, size), 0);
   assert_memory_equal(from, to, size);
   free(from);
   free(to);
   close(vram);
   close(iomem);
}

static void
test_invalidate(void **state)
{
   int regs2 = open_file("amdgpu_regs2", O_RDWR), vram = open_file("amdgpu_vram", O_RDWR);
   assert_int_equal(read32(regs2, GCVM_INVALIDATE_ENG17_SEM), 1);
   assert_int_equal(read32(regs2, GCVM_INVALIDATE_ENG17_SEM), 0); /* somebody has it */
   write32(regs2, GCVM_INVALIDATE_ENG17_SEM, 0);
   assert_int_equal(read32(regs2, GCVM_INVALIDATE_ENG17_SEM), 1);
   write32(regs2, GCVM_INVALIDATE_ENG17_SEM, 0);

   /* The wave polls a page of zeros; then its entry is that of a page with a 1. It is seen only afterwards. */
   write_memory(PROGRAM_VRAM_VA, 0);
   write_memory(PROGRAM_VRAM_VA + 0x1000, 1);
   uint64_t at, next;
   walk(regs2, vram, PROGRAM_VRAM_VA, &at);
   uint64_t entry = walk(regs2, vram, PROGRAM_VRAM_VA + 0x1000, &next);
   assert_int_equal(next, at + 8); /* small pages */
   launch(SHADER_POLLING, PROGRAM_VRAM_VA);
   assert_false(job_ends_within(50));
   assert_int_equal(write_at(vram, at, &entry, 8), 0);
   assert_false(job_ends_within(100));
   write32(regs2, GCVM_INVALIDATE_ENG17_REQ, 1u << session.facts.vmid | 2 << 16 | 0x1f << 19);
   assert_int_equal(read32(regs2, GCVM_INVALIDATE_ENG17_ACK), 1u << session.facts.vmid);
   assert_true(job_ends_within(5000));
   close(regs2);
   close(vram);
}

static void
test_recover(void **state)
{
   int regs2 = open_file("amdgpu_regs2", O_RDWR), vram = open_file("amdgpu_vram", O_RDWR);
   write_memory(PROGRAM_VRAM_VA, 0);
   write_memory(PROGRAM_VRAM_VA + 8, 0x600d);
   launch(SHADER_POLLING, PROGRAM_VRAM_VA);
   assert_false(job_ends_within(50));
   set_state(regs2, (struct regs2_v2){.use_srbm = 1, .vmid = session.facts.vmid});
   write32(regs2, SQ_SHADER_TBA_LO, 0x77);

   char text[8];
   read_text("amdgpu_gpu_recover", text, sizeof(text));
   assert_string_equal(text, "0\n");
   struct program_message wait = {.operation = PROGRAM_WAIT, .value = 5000};
   assert_int_equal(write(session.program, &wait, sizeof(wait)), sizeof(wait));
   assert_int_equal(read(session.program, &wait, sizeof(wait)), sizeof(wait));
   assert_int_equal(wait.result, -ECANCELED);
   assert_int_equal(read32(regs2, SQ_SHADER_TBA_LO), 0);
   assert_int_equal(read_memory(PROGRAM_VRAM_VA + 8), 0x600d);
   close(regs2);
   close(vram);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_memory, session_setup, session_teardown),
      cmocka_unit_test_setup_teardown(test_gart, session_setup, session_teardown),
      cmocka_unit_test_setup_teardown(test_memory_refusals, session_setup, session_teardown),
      cmocka_unit_test_setup_teardown(test_invalidate, session_setup, session_teardown),
      cmocka_unit_test_setup_teardown(test_recover, session_setup, session_teardown),
   };
   return fuse_works() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
