/* SPDX-License-Identifier: MIT */
/* Every file against the same value through vgpu.h, in the program. */
#include <dirent.h>
#include <sys/ioctl.h>

#include "session.h"

static struct session session;

static int
start(void **state)
{
   session_start(&session, NULL, NULL);
   return 0;
}

static int
finish(void **state)
{
   session_finish(&session);
   return 0;
}

static uint32_t
registers_value(struct vgpu_bank bank, uint64_t address)
{
   return ask(&session, (struct program_message){.operation = PROGRAM_READ_REGISTER, .bank = bank, .address = address})
      .value;
}

static void
set_state(int fd, struct regs2_v2 state)
{
   assert_int_equal(ioctl(fd, SET_STATE_V2, &state), 0);
}

static int
try_state(int fd, unsigned long request, const struct regs2_v2 *state)
{
   return ioctl(fd, request, state) ? -errno : 0;
}

/* ---- names ---- */

static void
read_text(const char *name, char *text, size_t size)
{
   int fd = open_file(&session, name, O_RDONLY);
   assert_true(fd >= 0);
   ssize_t n = read(fd, text, size - 1);
   assert_true(n > 0);
   text[n] = 0;
   assert_int_equal(read(fd, text + n, 1), 0);
   close(fd);
}

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
   assert_int_equal(open_file(&session, "amdgpu_nothing", O_RDONLY), -ENOENT);
}

/* ---- registers ---- */

static void
test_regs2(void **state)
{
   int fd = open_file(&session, "amdgpu_regs2", O_RDWR), other = open_file(&session, "amdgpu_regs2", O_RDWR);
   assert_true(fd >= 0 && other >= 0);
   struct vgpu_bank bank = {.se = ALL, .sa = ALL, .instance = ALL};
   assert_int_equal(read32(fd, GCMC_VM_FB_LOCATION_TOP), registers_value(bank, GCMC_VM_FB_LOCATION_TOP));
   assert_int_not_equal(read32(fd, GCMC_VM_FB_LOCATION_TOP), 0);

   /* A VMID's copy, both ways; the state belongs to the open file. */
   set_state(fd, (struct regs2_v2){.use_srbm = 1, .vmid = 5});
   set_state(other, (struct regs2_v2){.use_srbm = 1, .vmid = 6});
   const uint32_t tba[4] = {0x11111111, 0x80000022, 0x33333333, 0x44};
   assert_int_equal(write_at(fd, SQ_SHADER_TBA_LO, tba, 16), 0);
   write32(other, SQ_SHADER_TBA_LO, 0x66666666);
   for (int i = 0; i < 4; i++) {
      bank.vmid = 5;
      assert_int_equal(registers_value(bank, SQ_SHADER_TBA_LO + 4 * i), tba[i]);
   }
   bank.vmid = 6;
   assert_int_equal(registers_value(bank, SQ_SHADER_TBA_LO), 0x66666666);
   ask(&session,
       (struct program_message){
          .operation = PROGRAM_WRITE_REGISTER, .bank = bank, .address = SPI_GDBG_PER_VMID_CNTL, .value = 0x1008});
   assert_int_equal(read32(other, SPI_GDBG_PER_VMID_CNTL), 0x1008);
   assert_int_equal(read32(fd, SPI_GDBG_PER_VMID_CNTL), 0);

   /* A queue's. */
   set_state(fd, (struct regs2_v2){.use_srbm = 1, .me = 1, .pipe = 2});
   write32(fd, COMPUTE_PGM_RSRC3, 0x2a0);
   assert_int_equal(registers_value((struct vgpu_bank){.me = 1, .pipe = 2}, COMPUTE_PGM_RSRC3), 0x2a0);
   assert_int_equal(registers_value((struct vgpu_bank){.me = 1, .pipe = 1}, COMPUTE_PGM_RSRC3), 0);

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
   int fd = open_file(&session, "amdgpu_regs2", O_RDWR);
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
   fd = open_file(&session, "amdgpu_regs2", O_RDWR);
   other.vmid = 3;
   assert_int_equal(try_state(fd, SET_STATE_V1, &other), 0);
   assert_int_equal(read32(fd, SQ_SHADER_TMA_LO), 0); /* of VMID 0 */
   close(fd);

   fd = open_file(&session, "amdgpu_vram", O_RDWR);
   assert_int_equal(try_state(fd, SET_STATE_V2, &other), -ENOTTY);
   close(fd);
}

static void
test_regs(void **state)
{
   int fd = open_file(&session, "amdgpu_regs", O_RDWR);
   const uint64_t srbm = 1ull << 61, grbm = 1ull << 62;
   write32(fd, srbm | 9ull << 54 | SQ_SHADER_TBA_LO, 0x999);
   struct vgpu_bank bank = {.vmid = 9};
   assert_int_equal(registers_value(bank, SQ_SHADER_TBA_LO), 0x999);
   assert_int_equal(read32(fd, srbm | 9ull << 54 | 1ull << 23 | SQ_SHADER_TBA_LO), 0x999);
   assert_int_equal(read32(fd, SQ_SHADER_TBA_LO), 0);
   write32(fd, srbm | 1ull << 24 | 3ull << 34 | COMPUTE_PGM_RSRC3, 0x3a0);
   assert_int_equal(registers_value((struct vgpu_bank){.me = 1, .pipe = 3}, COMPUTE_PGM_RSRC3), 0x3a0);

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

/* ---- memory ---- */

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
write_memory(uint64_t va, uint32_t value)
{
   ask(&session,
       (struct program_message){.operation = PROGRAM_WRITE_MEMORY, .address = va, .size = 4, .data = {value}});
}

static uint32_t
read_memory(uint64_t va)
{
   return ask(&session, (struct program_message){.operation = PROGRAM_READ_MEMORY, .address = va, .size = 4}).data[0];
}

static void
test_memory(void **state)
{
   int regs2 = open_file(&session, "amdgpu_regs2", O_RDWR);
   int vram = open_file(&session, "amdgpu_vram", O_RDWR), iomem = open_file(&session, "amdgpu_iomem", O_RDWR);
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
   int regs2 = open_file(&session, "amdgpu_regs2", O_RDWR);
   int vram = open_file(&session, "amdgpu_vram", O_RDWR), iomem = open_file(&session, "amdgpu_iomem", O_RDWR);
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
   int vram = open_file(&session, "amdgpu_vram", O_RDWR), iomem = open_file(&session, "amdgpu_iomem", O_RDWR);
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

/* ---- waves ---- */

/* Of the wave in the first slot of the bank, through the program's own register accesses. */
static uint32_t
wave_value(struct vgpu_bank bank, uint32_t index, uint32_t lane)
{
   ask(&session, (struct program_message){.operation = PROGRAM_WRITE_REGISTER,
                                          .bank = bank,
                                          .address = SQ_IND_INDEX,
                                          .value = index << 16 | lane << 5});
   return registers_value(bank, SQ_IND_DATA);
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
launch(enum program_shader shader, uint64_t buffer)
{
   ask(&session, (struct program_message){.operation = PROGRAM_LAUNCH, .value = shader, .address = buffer});
}

static bool
job_ends_within(uint32_t ms)
{
   return !ask(&session, (struct program_message){.operation = PROGRAM_WAIT, .value = ms}).value;
}

static void
test_waves(void **state)
{
   int wave = open_file(&session, "amdgpu_wave", O_RDONLY), gpr = open_file(&session, "amdgpu_gpr", O_RDONLY);
   int gprwave = open_file(&session, "amdgpu_gprwave", O_RDONLY), regs2 = open_file(&session, "amdgpu_regs2", O_RDWR);
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

/* ---- the TLB ---- */

static void
test_invalidate(void **state)
{
   int regs2 = open_file(&session, "amdgpu_regs2", O_RDWR), vram = open_file(&session, "amdgpu_vram", O_RDWR);
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

/* ---- a reset ---- */

static void
test_recover(void **state)
{
   int regs2 = open_file(&session, "amdgpu_regs2", O_RDWR), vram = open_file(&session, "amdgpu_vram", O_RDWR);
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
      cmocka_unit_test_setup_teardown(test_tree, start, finish),
      cmocka_unit_test_setup_teardown(test_regs2, start, finish),
      cmocka_unit_test_setup_teardown(test_regs2_refusals, start, finish),
      cmocka_unit_test_setup_teardown(test_regs, start, finish),
      cmocka_unit_test_setup_teardown(test_memory, start, finish),
      cmocka_unit_test_setup_teardown(test_gart, start, finish),
      cmocka_unit_test_setup_teardown(test_memory_refusals, start, finish),
      cmocka_unit_test_setup_teardown(test_waves, start, finish),
      cmocka_unit_test_setup_teardown(test_invalidate, start, finish),
      cmocka_unit_test_setup_teardown(test_recover, start, finish),
   };
   return fuse_works() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
