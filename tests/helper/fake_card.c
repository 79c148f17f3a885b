/* SPDX-License-Identifier: MIT */
#include "fake_card.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { IND_INDEX = 0x1118, IND_DATA = 0x1119, GDBG = 0x1f72, TBA_LO = 0x9e6 };

uint32_t *
fake_card_register(struct fake_card *fake, uint32_t vmid, uint32_t reg)
{
   uint32_t segment = reg >> 24, offset = reg & 0xffffff;
   if (segment == 1 && offset >= TBA_LO && offset < TBA_LO + 4)
      return &fake->banked[vmid][offset - TBA_LO];
   if (segment == 0 && offset == GDBG)
      return &fake->banked[vmid][4];
   if (segment > 1 || offset >= 0x3000)
      abort(); /* whoever asks for that has not looked */
   return &fake->registers[segment][offset];
}

static int
count(struct fake_card *fake)
{
   fake->operations++;
   return fake->operations >= fake->fail_from && fake->operations <= fake->fail_to ? -EIO : 0;
}

/* ACTIVE 0x0a, STATUS 0x102, HW_ID2 0x118 with VMID in 27:24 */
static uint32_t
read_wave(const struct fake_card *fake)
{
   uint32_t index = fake->registers[0][IND_INDEX], wave = index & 31;
   if (index >> 16 == 0x0a)
      return 3;
   if (wave > 1)
      return 0;
   return index >> 16 == 0x118 ? fake->wave_vmid[wave] << 24 : 0x1000 + wave;
}

static int
read_register(void *user, const struct hdb_bank *bank, uint32_t reg, uint32_t *value)
{
   struct fake_card *fake = user;
   int error = count(fake);
   if (!error)
      *value = reg == GC_REGISTER(0, IND_DATA) ? read_wave(fake) : *fake_card_register(fake, bank->vmid, reg);
   return error;
}

static int
write_register(void *user, const struct hdb_bank *bank, uint32_t reg, uint32_t value)
{
   struct fake_card *fake = user;
   int error = count(fake);
   if (!error) {
      *fake_card_register(fake, bank->vmid, reg) = value;
      fake->last = (struct fake_access){true, *bank, reg, value};
      if (reg == GC_REGISTER(0, 0x16bc)) /* GCVM_INVALIDATE_ENG17_REQ; ACK */
         fake->registers[0][0x16ce] = value & 0xffff;
   }
   return error;
}

static uint8_t *
memory(struct fake_card *fake, bool system, uint64_t address, size_t size)
{
   uint64_t offset = system ? address - SYSTEM_BASE : address, limit = system ? SYSTEM_SIZE : VRAM_SIZE;
   if (offset >= limit || size > limit - offset)
      return NULL;
   return (system ? fake->system : fake->vram) + offset;
}

static int
read_memory(void *user, bool system, uint64_t address, void *data, size_t size)
{
   struct fake_card *fake = user;
   int error = count(fake);
   const uint8_t *place = memory(fake, system, address, size);
   if (!error && place)
      memcpy(data, place, size);
   return error ? error : place ? 0 : -ENXIO;
}

static int
write_memory(void *user, bool system, uint64_t address, const void *data, size_t size)
{
   struct fake_card *fake = user;
   int error = count(fake);
   uint8_t *place = memory(fake, system, address, size);
   if (!error && place)
      memcpy(place, data, size);
   return error ? error : place ? 0 : -ENXIO;
}

void
fake_card_set_root(struct fake_card *fake, uint32_t vmid, uint64_t pde)
{
   fake->registers[0][0x16f3 + 2 * vmid] = (uint32_t)pde;
   fake->registers[0][0x16f4 + 2 * vmid] = pde >> 32;
}

static void
put_entry(struct fake_card *fake, uint32_t table, uint32_t index, uint64_t entry)
{
   memcpy(fake->vram + table + 8 * index, &entry, sizeof(entry));
}

/* Four levels of 512 entries: V is bit 0, S 1, R 5, W 6. */
static void
build_tables(struct fake_card *fake, uint32_t vmid, uint32_t tables, uint32_t page, uint32_t system_page)
{
   uint64_t va = VA & 0xffffffffffff;
   for (uint32_t level = 0; level < 3; level++)
      put_entry(fake, tables + 0x1000 * level, va >> (39 - 9 * level) & 511, (tables + 0x1000 * (level + 1)) | 1);
   uint32_t first = va >> 12 & 511;
   put_entry(fake, tables + 0x3000, first, page | 1 | 1 << 5 | 1 << 6);
   put_entry(fake, tables + 0x3000, first + 1, (page + 0x1000) | 1 | 1 << 5);
   put_entry(fake, tables + 0x3000, first + 2, (SYSTEM_BASE + system_page) | 1 | 2 | 1 << 5 | 1 << 6);
   fake->registers[0][0x1688 + vmid] = 1 | 3 << 1; /* GCVM_CONTEXT_CNTL: ENABLE, DEPTH 3 */
   fake_card_set_root(fake, vmid, tables | 1);
   fake->registers[0][0x1733 + 2 * vmid] = 0xffffffff; /* END: 48 bits of addresses */
   fake->registers[0][0x1734 + 2 * vmid] = 0xf;
}

/* TBA and TMA, LO and HI each, and SPI_GDBG_PER_VMID_CNTL: of a kernel that has a trap handler of its own. */
uint32_t
fake_card_initial(uint32_t vmid, uint32_t i)
{
   return i == 0 ? 0xffffbf00 + vmid : i == 1 ? TBA_HI_TRAP_EN | 0xff : 0x100 * vmid + i;
}

struct fake_card *
fake_card_create(void)
{
   struct fake_card *fake = calloc(1, sizeof(*fake));
   if (!fake)
      abort();
   fake->card = (struct server_card){read_register, write_register, read_memory, write_memory, fake};
   build_tables(fake, OURS, 0x1000, OUR_PAGE, 0);
   build_tables(fake, OTHER, 0x8000, OTHER_PAGE, 0x1000);
   fake->wave_vmid[0] = OURS;
   fake->wave_vmid[1] = OTHER;
   for (uint32_t vmid = 0; vmid < 16; vmid++) {
      for (uint32_t i = 0; i < 5; i++)
         fake->banked[vmid][i] = fake_card_initial(vmid, i);
   }
   return fake;
}
