// SPDX-License-Identifier: MIT
/* The second reader: the waves on a Navi31 and the pages of a VMID, as amdgpu's debugfs files show them, knowing
 * nothing of how hdb reads them. It takes the kernel's own road to registers (amdgpu_gprwave) and visits every entry of
 * the page tables instead of looking an address up. All that it prints is hexadecimal. */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Six shader engines of two arrays of four WGPs of four SIMDs, which hold 16 waves each. WGP and SIMD are one number,
 * the INSTANCE of GRBM_GFX_INDEX, that the kernel goes on calling a CU. Registers count from segment 0 of GC, in
 * dwords. */
enum { ENGINES = 6, ARRAYS = 2, UNITS = 4 * 4, SLOTS = 16, GC_BASE = 0x1260 };

static const char *folder;
static struct file {
   const char *name;
   int fd; /* 0: not opened yet */
} regs = {.name = "amdgpu_regs"}, gprwave = {.name = "amdgpu_gprwave"}, vram = {.name = "amdgpu_vram"},
  iomem = {.name = "amdgpu_iomem"};

static int
open_file(struct file *file)
{
   char path[4096];
   snprintf(path, sizeof path, "%s/%s", folder, file->name);
   if (!file->fd && (file->fd = open(path, file == &regs ? O_RDWR : O_RDONLY)) < 0)
      err(1, "%s", path);
   return file->fd;
}

static void
read_file(struct file *file, void *data, size_t size, uint64_t offset)
{
   if (pread(open_file(file), data, size, offset) != (ssize_t)size)
      err(1, "%s: %zu bytes at %#" PRIx64, file->name, size, offset);
}

/* amdgpu_umr.h: which wave, and which of its registers, the next read of amdgpu_gprwave is of. */
struct wave_selector {
   uint32_t is_gpr, se, sh, cu, wave, simd, xcc_id, lane, is_vgpr;
};

static void
read_wave(struct wave_selector which, uint32_t *values, size_t count)
{
   if (ioctl(open_file(&gprwave), _IOWR(0x20, 0, struct wave_selector), &which))
      err(1, "%s: selecting a wave", gprwave.name);
   read_file(&gprwave, values, count * sizeof *values, 0);
}

/* SQ_CMD to every wave there is (amdgpu_regs takes the bank in the offset): general registers can be read of halted and
 * idle waves only, and one in a trap handler obeys no other command than SETFATALHALT. */
static void
set_halted(uint32_t halted)
{
   enum { SETFATALHALT = 7, BROADCAST = 1 };
   uint32_t command = SETFATALHALT | BROADCAST << 4 | halted << 8;
   uint64_t everywhere = 1ull << 62 | 0x3ffull << 24 | 0x3ffull << 34 | 0x3ffull << 44;
   if (pwrite(open_file(&regs), &command, sizeof command, everywhere | 4 * (GC_BASE + 0x111b)) != sizeof command)
      warn("%s: SQ_CMD", regs.name);
}

static void
let_go(void)
{
   set_halted(0);
}

static void
print_wave(struct wave_selector which, uint32_t vgprs)
{
   /* gfx_v11_0_read_wave_data: how a dump of type 3 begins. */
   static const char *const names[] = {"type",   "status",    "pc_lo",     "pc_hi",   "exec_lo", "exec_hi", "hw_id1",
                                       "hw_id2", "gpr_alloc", "lds_alloc", "trapsts", "ib_sts",  "ib_sts2"};
   enum {
      TYPE,
      STATUS,
      GPR_ALLOC = 8,
      IB_STS2 = 12,
      STATE,
      SGPRS = 124,
      TTMP0 = 0x6c,
      VALID = 1 << 16,
      IDLE = 1 << 28
   };
   uint32_t state[STATE], sgprs[SGPRS], values[256];
   for (int tries = 0; tries == 0 || !(state[STATUS] & IDLE); tries++) {
      read_wave(which, state, STATE);
      if (state[TYPE] != 3 || tries == 1000)
         errx(1, "%s: a wave's state is %" PRIx32 ", %" PRIx32, gprwave.name, state[TYPE], state[STATUS]);
      if (!(state[STATUS] & VALID))
         return;
   }
   which.is_gpr = 1;
   read_wave(which, sgprs, SGPRS);
   printf("wave");
   for (int i = STATUS; i < STATE; i++)
      printf(" %s=%" PRIx32, names[i], state[i]);
   for (int i = 0; i < SGPRS; i++)
      printf("%s%" PRIx32, i == 0 ? " sgpr=" : i == TTMP0 ? " ttmp=" : ",", sgprs[i]);
   bool wave64 = state[IB_STS2] >> 11 & 1; /* WAVE64 */
   uint32_t allocated = ((state[GPR_ALLOC] >> 12 & 0xff) + 1) * (wave64 ? 4 : 8);
   vgprs = vgprs < allocated ? vgprs : allocated;
   which.is_vgpr = 1;
   for (which.lane = 0; which.lane < (wave64 ? 64 : 32); which.lane++) {
      read_wave(which, values, vgprs);
      printf("\nlane %" PRIx32, which.lane);
      for (uint32_t i = 0; i < vgprs; i++)
         printf(" %" PRIx32, values[i]);
   }
   putchar('\n');
}

static void
print_waves(uint32_t vgprs)
{
   atexit(let_go);
   set_halted(1);
   for (uint32_t place = 0; place < ENGINES * ARRAYS * UNITS * SLOTS; place++) {
      struct wave_selector which = {.wave = place % SLOTS, .cu = place / SLOTS % UNITS};
      which.sh = place / (SLOTS * UNITS) % ARRAYS;
      which.se = place / (SLOTS * UNITS * ARRAYS);
      print_wave(which, vgprs);
   }
}

/* Page tables of gfx11 (amdgpu_vm.h): PDEs and PTEs have V, S, P and "further" in the same places; bits 63:59 are a
 * PDE's block fragment size, log2 of the 4 KiB pages that each entry of the table below it covers. */
enum { PRESENT = 0, SYSTEM = 1, PRT = 51, IS_PTE = 54, FURTHER = 56, TFS = 57, FRAGMENT = 59 };
static const uint64_t TABLE_ADDRESS = 0xffffffffffc0, PAGE_ADDRESS = 0xfffffffff000;
static uint64_t fb_offset;

static bool
bit(uint64_t entry, int number)
{
   return entry >> number & 1;
}

/* Every page below a table at `address` (in VRAM or not as `parent` says), whose entries cover 2^shift bytes each. */
static void
print_table(uint64_t parent, uint64_t address, unsigned level, unsigned shift, uint64_t count, uint64_t va)
{
   uint64_t entry, size = 1ull << shift;
   for (uint64_t i = 0; i < count; i++, va += size) {
      read_file(bit(parent, SYSTEM) ? &iomem : &vram, &entry, sizeof entry, address + 8 * i);
      uint64_t base = bit(entry, SYSTEM) ? 0 : fb_offset;
      if (bit(entry, PRESENT) && (level ? !bit(entry, IS_PTE) : bit(entry, FURTHER))) {
         unsigned next = level > 1 ? shift - 9 : 12 + (entry >> FRAGMENT);
         if (next > shift - !level)
            errx(1, "%#" PRIx64 " for 2^%u bytes leads to larger ones", entry, shift);
         /* With TFS in the PDE0, a PTE that leads further counts from where that PDE0 points. */
         uint64_t below = (entry & TABLE_ADDRESS) + (!level && bit(parent, TFS) ? address : -base);
         print_table(entry, below, level ? level - 1 : 0, next, 1ull << (shift - next), va);
      } else if (bit(entry, PRESENT) || bit(entry, PRT)) { /* addresses of 48 bits, sign-extended */
         const char *where = bit(entry, SYSTEM) ? "system" : "vram";
         printf("page %" PRIx64 " %" PRIx64 " %s %" PRIx64 " %016" PRIx64 "\n", (uint64_t)((int64_t)(va << 16) >> 16),
                size, bit(entry, PRT) ? "none" : where, (entry & PAGE_ADDRESS) - base, entry);
      }
   }
}

static uint64_t
read_register(uint32_t offset, int dwords)
{
   uint64_t value = 0;
   read_file(&regs, &value, 4 * dwords, 4 * (GC_BASE + offset));
   return value;
}

static void
print_pages(uint32_t vmid)
{
   fb_offset = read_register(0x15a7, 1) << 24;
   uint64_t control = read_register(0x1688 + vmid, 1), root = read_register(0x16f3 + 2 * vmid, 2); /* GCVM_CONTEXTn */
   uint64_t start = read_register(0x1713 + 2 * vmid, 2) << 12, end = read_register(0x1733 + 2 * vmid, 2) << 12;
   if (!bit(control, 0) || !bit(root, PRESENT) || end < start)
      errx(1, "VMID %" PRIu32 " has no page table", vmid);
   unsigned depth = control >> 1 & 3, block_size = control >> 3 & 15;
   unsigned shift = depth ? 21 + block_size + 9 * (depth - 1) : 12 + (root >> FRAGMENT);
   uint64_t address = (root & TABLE_ADDRESS) - (bit(root, SYSTEM) ? 0 : fb_offset);
   print_table(root, address, depth, shift, ((end - start) >> shift) + 1, start);
}

int
main(int argc, char **argv)
{
   if (argc != 4 || (strcmp(argv[2], "waves") && strcmp(argv[2], "pages")))
      errx(2, "usage: dump FOLDER waves VGPRS | dump FOLDER pages VMID");
   folder = argv[1];
   uint32_t number = strtoul(argv[3], NULL, 0);
   strcmp(argv[2], "waves") ? print_pages(number % 16) : print_waves(number < 256 ? number : 256);
   return fflush(stdout) ? 1 : 0;
}
