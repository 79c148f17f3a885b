/* SPDX-License-Identifier: MIT */
/*
 * Sources: umr's vm decoder for GC 11 (fields of entries, the meaning of BFS, F and TFS), the kernel's gfxhub_v3_0.c
 * and gc_11_0_0_offset.h (registers).
 */
#include "space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BITS48 0xffffffffffffull
#define SYSTEM_MEMORY (1ull << 46)

uint64_t
space_random(struct space *space, uint64_t below)
{
   space->seed += 0x9e3779b97f4a7c15ull; /* splitmix64 */
   uint64_t x = space->seed;
   x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
   x = (x ^ x >> 27) * 0x94d049bb133111ebull;
   x ^= x >> 31;
   return below ? x % below : x;
}

static bool
chance(struct space *space, unsigned percent)
{
   return space_random(space, 100) < percent;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

uint8_t
space_byte(bool system, uint64_t address)
{
   uint64_t x = (address >> 3) * 0x9e3779b97f4a7c15ull + system;
   return (x ^ x >> 29) >> (address & 7) * 8;
}

void
space_init(struct space *space)
{
   memset(space, 0, sizeof(*space));
   for (int i = 0; i < 2; i++)
      space->tables[i] = mmap(NULL, SPACE_TABLES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void
space_finish(struct space *space)
{
   for (int i = 0; i < 2; i++)
      munmap(space->tables[i], SPACE_TABLES);
   free(space->pages);
}

static void
clear(struct space *space, uint64_t seed)
{
   space->seed = seed;
   space->count = space->reads = space->table_reads = space->written = 0;
   memset(space->registers, 0, sizeof(space->registers));
   for (int i = 0; i < 2; i++) {
      madvise(space->tables[i], SPACE_TABLES, MADV_DONTNEED);
      space->used[i] = 0;
   }
   space->tables_at[0] = (space_random(space, 64) << 26) + 4096 * space_random(space, 3);
   space->tables_at[1] = chance(space, 50) ? space->tables_at[0] : 0x0123ull << 32 | space_random(space, 64) << 26;
}

static bool
in_tables(const struct space *space, bool system, uint64_t address)
{
   return address >= space->tables_at[system] && address < space->tables_at[system] + SPACE_TABLES;
}

int
space_read(void *user, bool system, uint64_t address, void *data, size_t size)
{
   struct space *space = user;
   uint64_t limit = system ? SYSTEM_MEMORY : space->zero_frame_buffer ? 0 : SPACE_VRAM;
   if (address >= limit || size > limit - address)
      return -ENXIO;
   space->reads++;
   space->table_reads += in_tables(space, system, address);
   for (size_t i = 0; i < size; i++) {
      bool table = in_tables(space, system, address + i);
      ((uint8_t *)data)[i] =
         table ? space->tables[system][address + i - space->tables_at[system]] : space_byte(system, address + i);
   }
   return 0;
}

int
space_write(void *user, bool system, uint64_t address, const void *data, size_t size)
{
   struct space *space = user;
   for (size_t i = 0; i < size; i++) {
      if (in_tables(space, system, address + i) || ((const uint8_t *)data)[i] != space_byte(system, address + i))
         return -EPERM;
   }
   space->written += size;
   return 0;
}

int
space_read_register(void *user, uint32_t offset, uint32_t *value)
{
   struct space *space = user;
   if (offset >= SPACE_REGISTERS)
      return -EINVAL;
   *value = space->registers[offset];
   return 0;
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

struct table {
   bool system;
   uint64_t address; /* physical */
   uint64_t *entries;
};

/* 64 bytes are the alignment that a PDE's address has. */
static bool
allocate(struct space *space, bool system, uint64_t entries, struct table *table)
{
   uint64_t start = (space->used[system] + 63) / 64 * 64 + 64 * space_random(space, 4);
   if (entries > SPACE_TABLES / 8 || start + entries * 8 > SPACE_TABLES)
      return false;
   space->used[system] = start + entries * 8;
   table->system = system;
   table->address = space->tables_at[system] + start;
   table->entries = (uint64_t *)(space->tables[system] + start);
   return true;
}

static bool
tables_in_system(struct space *space)
{
   return space->zero_frame_buffer || chance(space, 15);
}

/* How an entry says where something is: bits 47:12 or 47:6, and bit 1. */
static uint64_t
encode(struct space *space, bool system, uint64_t address, uint64_t size)
{
   bool in_agp = address >= space->agp_base && address + size <= space->agp_base + space->agp_size;
   if (system && space->zero_frame_buffer && in_agp && chance(space, 60))
      return address - space->agp_base + space->agp_bottom + space->fb_offset;
   return system ? address | 2 : address + space->fb_offset;
}

static void
add_page(struct space *space, const struct space_page *page)
{
   if (space->count == space->capacity) {
      space->capacity = space->capacity ? space->capacity * 2 : 1024;
      space->pages = realloc(space->pages, space->capacity * sizeof(*page));
   }
   space->pages[space->count] = *page;
   space->pages[space->count].va = (page->va + space->start) & BITS48;
   space->count++;
}

/* An entry for a page of `size` at `va`; `next` is where the page before it ended, to be continued at times. */
static uint64_t
make_page(struct space *space, uint64_t va, uint64_t size, bool in_directory, struct space_page *next)
{
   struct space_page page = {.va = va, .size = size};
   uint64_t entry = in_directory ? 1ull << 54 : 0;
   unsigned kind = space_random(space, 100);
   if (kind < 8) { /* a hole with something in it */
      entry = chance(space, 50) ? entry : 0;
      entry |= chance(space, 50) ? space_random(space, 0) & 0x0700fffffffffffeull : 0;
   } else if (kind < 12) { /* the kernel's no-retry entry: V, S and T, and no permission */
      entry |= 1 | 2 | 1ull << 51;
   } else if (kind < 20) { /* T, with S, C and L, without V */
      page.mapped = true;
      entry |= 1ull << 51 | 2 | 4 | 1ull << 55;
   } else {
      page.mapped = page.memory = true;
      page.readable = chance(space, 90);
      page.writable = chance(space, 60);
      page.executable = chance(space, 30) || !page.readable;
      page.snooped = chance(space, 40);
      page.tmz = chance(space, 10);
      page.mtype = space_random(space, 4);
      page.fragment = space_random(space, 10);
      if (next && next->memory && chance(space, 75)) {
         page.system = next->system || chance(space, 5); /* the same address may be in both kinds of memory */
         page.address = next->address;
      } else {
         page.system = space->zero_frame_buffer || size > SPACE_VRAM / 4 || chance(space, 40);
         uint64_t room = (page.system ? SYSTEM_MEMORY : SPACE_VRAM) - size;
         page.address = space_random(space, room / 4096 + 1) * 4096;
         if (space->zero_frame_buffer && size < space->agp_size && chance(space, 50))
            page.address = space->agp_base + space_random(space, (space->agp_size - size) / 4096) * 4096;
      }
      uint64_t limit = page.system ? SYSTEM_MEMORY : SPACE_VRAM, tables = space->tables_at[page.system];
      if (page.address > limit - size)
         page.address = 0;
      if (page.address < tables + SPACE_TABLES && page.address + size > tables)
         page.address = tables + SPACE_TABLES;
      entry |= 1 | encode(space, page.system, page.address, size);
      entry |= (uint64_t)page.mtype << 48 | page.fragment << 7;
      entry |= page.snooped << 2 | page.tmz << 3 | page.executable << 4 | page.readable << 5 | page.writable << 6;
      entry |= space_random(space, 4) << 52 | space_random(space, 4) << 57; /* software's; GCR and NOALLOC */
   }
   page.entry = entry;
   add_page(space, &page);
   if (next) {
      *next = page;
      next->address += size;
   }
   return entry;
}

static void fill_page_table(struct space *space, const struct table *table, uint64_t va, uint64_t entries,
                            unsigned shift, uint64_t pde);

/* A PTE with F: a table over 2^`bits` times 4 KiB. With TFS in `pde` its address counts from that of `page_table`, and
 * is of the same kind. */
static uint64_t
make_further(struct space *space, const struct table *page_table, uint64_t pde, uint64_t va, unsigned bits)
{
   unsigned fragment = space_random(space, bits + 1);
   uint64_t entries = 1ull << (bits - fragment), entry = 1 | 1ull << 56 | (uint64_t)fragment << 59;
   bool relative = pde >> 57 & 1;
   struct table table;
   if (!allocate(space, relative ? page_table->system : tables_in_system(space), entries, &table))
      return 0;
   entry |= relative ? (table.address - page_table->address) | (pde & 2)
                     : encode(space, table.system, table.address, entries * 8);
   fill_page_table(space, &table, va, entries, 12 + fragment, 0);
   return entry;
}

/* Some strips of a page table that `pde` points at, by 2^`shift` bytes an entry. With `pde` 0 it is a further one. */
static void
fill_page_table(struct space *space, const struct table *table, uint64_t va, uint64_t entries, unsigned shift,
                uint64_t pde)
{
   for (uint64_t i = space_random(space, entries < 8 ? entries : 8); i < entries;
        i += 1 + space_random(space, entries / 3 + 1)) {
      struct space_page next = {0};
      for (uint64_t end = i + 1 + space_random(space, 24); i < end && i < entries; i++) {
         uint64_t at = va + (i << shift);
         if (at >= space->size)
            return;
         if (pde && shift > 12 && chance(space, 25))
            table->entries[i] = make_further(space, table, pde, at, shift - 12);
         else
            table->entries[i] = make_page(space, at, 1ull << shift, false, &next);
      }
   }
}

/* PDE0, or the register where there is no directory: the page table at `va`. 0: no room. */
static uint64_t
make_page_table(struct space *space, uint64_t va, uint64_t coverage)
{
   unsigned bits = __builtin_ctzll(coverage) - 12;
   unsigned fragment = chance(space, 50) ? 0 : space_random(space, (bits < 12 ? bits : 12) + 1);
   uint64_t entries = 1ull << (bits - fragment);
   struct table table;
   if (!allocate(space, tables_in_system(space), entries, &table))
      return 0;
   uint64_t pde = 1 | encode(space, table.system, table.address, entries * 8) | (uint64_t)fragment << 59;
   pde |= chance(space, 40) ? 1ull << 57 : 0;
   fill_page_table(space, &table, va, entries, 12 + fragment, pde);
   return pde;
}

/* An entry of a directory, or the register: what `level` more directories and a page table are for. */
static uint64_t
make_directory(struct space *space, unsigned level, uint64_t va, uint64_t entries)
{
   unsigned shift = 21 + space->block + 9 * (level - 1);
   struct table table;
   if (!allocate(space, tables_in_system(space), entries, &table))
      return 0;
   uint64_t entry = 1 | encode(space, table.system, table.address, entries * 8);
   for (unsigned n = 1 + space_random(space, 4); n-- > 0;) {
      uint64_t i = space_random(space, entries), at = va + (i << shift);
      if (table.entries[i] || at >= space->size)
         continue;
      if (chance(space, 30) && shift < 42)
         table.entries[i] = make_page(space, at, 1ull << shift, true, NULL);
      else if (level > 1)
         table.entries[i] = make_directory(space, level - 1, at, 512);
      else
         table.entries[i] = make_page_table(space, at, 1ull << shift);
   }
   return entry;
}

/* ---- spaces ----------------------------------------------------------------------------------------------------- */

static int
compare_pages(const void *a, const void *b)
{
   const struct space_page *first = a, *second = b;
   return first->va < second->va ? -1 : first->va > second->va;
}

static void
set_pair(struct space *space, uint32_t offset, uint64_t value)
{
   space->registers[offset + 2 * space->vmid] = value;
   space->registers[offset + 2 * space->vmid + 1] = value >> 32;
}

static void
set_registers(struct space *space, uint64_t root)
{
   uint32_t *registers = space->registers;
   registers[0x1688 + space->vmid] = 1 | space->depth << 1 | space->block << 3 | 0x1fe00; /* CONTEXTn_CNTL */
   set_pair(space, 0x16f3, root);
   set_pair(space, 0x1713, space->start >> 12);
   set_pair(space, 0x1733, (space->start + space->size - 1) >> 12);
   registers[0x15a7] = space->fb_offset >> 24;
   registers[0x1678] = 0x8000; /* FB_LOCATION_BASE and TOP */
   registers[0x1679] = 0x8000 + (SPACE_VRAM >> 24) - 1;
   registers[0x167a] = 0; /* AGP_TOP below AGP_BOT: none */
   registers[0x167b] = 0xffffff;
   if (space->zero_frame_buffer) {
      registers[0x1678] = 0xffffff;
      registers[0x1679] = 0;
      registers[0x167a] = (space->agp_bottom + space->agp_size - 1) >> 24;
      registers[0x167b] = space->agp_bottom >> 24;
      registers[0x167c] = space->agp_base >> 24;
   }
   registers[0x167f] = 1 << 3; /* SYSTEM_ACCESS_MODE: VMID 0 is translated as the others */
}

void
space_generate(struct space *space, uint64_t seed)
{
   clear(space, seed);
   space->vmid = space_random(space, 16);
   space->depth = space_random(space, 4);
   space->block = space->depth ? space_random(space, chance(space, 50) ? 1 : 10) : space_random(space, 16);
   space->fb_offset = chance(space, 50) ? 0 : space_random(space, 0x1000) << 24;
   space->zero_frame_buffer = chance(space, 15);
   space->agp_bottom = space_random(space, 0x10000) << 24;
   space->agp_base = space->tables_at[1] >> 24 << 24;
   space->agp_size = 1ull << 32;
   space->start = chance(space, 50) ? 0 : space_random(space, 1 << 20) << 12;

   uint64_t root;
   if (space->depth == 0) {
      uint64_t coverage = 1ull << (24 + space_random(space, 10));
      space->size = coverage - 4096 * space_random(space, 16);
      root = make_page_table(space, 0, coverage);
   } else {
      unsigned shift = 21 + space->block + 9 * (space->depth - 1);
      unsigned bits = shift >= 47 ? 0 : space_random(space, (47 - shift < 11 ? 47 - shift : 11) + 1);
      space->size = 1ull << (shift + bits);
      if (shift + bits == 47 && chance(space, 70))
         space->size = 1ull << 48; /* the whole of it, as amdgpu has it */
      if (space->size == 1ull << 48)
         space->start = 0;
      uint64_t entries = space->size >> shift;
      space->size -= chance(space, 50) ? 0 : 4096 * space_random(space, 300);
      root = make_directory(space, space->depth, 0, entries);
   }
   set_registers(space, root);
   qsort(space->pages, space->count, sizeof(space->pages[0]), compare_pages);
}

void
space_generate_flat(struct space *space, uint64_t va, uint64_t address, size_t pages)
{
   clear(space, 1);
   space->vmid = 1;
   space->depth = 1;
   space->block = 0;
   space->fb_offset = 0x8000ull << 24;
   space->zero_frame_buffer = false;
   space->start = va;
   space->size = pages * 4096;
   struct table directory = {0}, table = {0};
   allocate(space, false, pages / 512, &directory);
   for (size_t i = 0; i < pages; i++) {
      if (i % 512 == 0) {
         allocate(space, false, 512, &table);
         directory.entries[i / 512] = 1 | (table.address + space->fb_offset);
      }
      table.entries[i % 512] = 0x61 | (address + i * 4096 + space->fb_offset);
   }
   set_registers(space, 1 | (directory.address + space->fb_offset));
}

void
space_spoil(struct space *space)
{
   for (int system = 0; system < 2; system++) {
      uint64_t *entries = (uint64_t *)space->tables[system];
      for (uint64_t i = 0; i < space->used[system] / 8; i++) {
         uint64_t near = space->tables_at[system] + space_random(space, SPACE_TABLES / 64) * 64;
         entries[i] = chance(space, 40) ? space_random(space, 0) : encode(space, system, near, 8);
         entries[i] |= chance(space, 70) ? 1 : 0;
         entries[i] |= chance(space, 20) ? 1ull << 56 : 0;
      }
   }
}
