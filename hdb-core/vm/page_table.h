/* SPDX-License-Identifier: MIT */
/*
 * A walk over gfx11's page tables from outside the GPU, as its own walker makes it: pure functions over a callback that
 * reads physical memory. page_table.c has the layouts.
 */
#ifndef HDB_PAGE_TABLE_H
#define HDB_PAGE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `offset`: in dwords from GC segment 0. */
typedef int (*hdb_vm_read_register)(void *user, uint32_t offset, uint32_t *value);

/* `address`: a VRAM offset (0 is the first byte of VRAM), or with `system` one on the GPU's bus. Ranges may cross
 * pages: they are contiguous there. 0 or a negative errno, which the functions below pass on. */
typedef int (*hdb_vm_read)(void *user, bool system, uint64_t address, void *data, size_t size);
typedef int (*hdb_vm_write)(void *user, bool system, uint64_t address, const void *data, size_t size);

/* One address space, as the registers of its VMID describe it. */
struct hdb_vm {
   uint32_t vmid;
   bool enabled;
   uint32_t depth;      /* directories above the page table: 3 PDB2, PDB1, PDB0; 0: one flat table */
   uint32_t block_size; /* log2 of the 2 MiB blocks that a page table covers */
   uint64_t root;       /* PAGE_TABLE_BASE: a PDE that stands in no table */
   uint64_t start, end; /* first and last byte; 48 bits, as all addresses here unless they are said to be canonical */

   uint64_t fb_offset;           /* what addresses of VRAM in entries are ahead of VRAM offsets */
   uint64_t fb_base, fb_top;     /* where VRAM lies for VMID 0, first and last byte; base > top: there is none (ZFB) */
   uint64_t agp_bottom, agp_top; /* what goes to system memory untranslated; bottom > top: nothing */
   uint64_t agp_base;            /* the bus address for agp_bottom */
   uint64_t system_low, system_high; /* VMID 0: the system aperture, first and last byte */
   uint32_t system_access_mode;      /* VMID 0: 0 physical, 1 translated, 2 translated in the aperture, 3 outside it */
};

/* Reads them. -EIO: they read as all ones, the card sleeps. -EINVAL: no such VMID. */
int hdb_vm_init(struct hdb_vm *vm, uint32_t vmid, hdb_vm_read_register read, void *user);

/* Bits of entries. In a PDE that is no PTE, only V, S, C, MTYPE, NOALLOC and those named PDE mean anything. */
#define HDB_PTE_VALID (1ull << 0)
#define HDB_PTE_SYSTEM (1ull << 1)
#define HDB_PTE_SNOOPED (1ull << 2)
#define HDB_PTE_TMZ (1ull << 3)
#define HDB_PTE_EXECUTE (1ull << 4)
#define HDB_PTE_READ (1ull << 5)
#define HDB_PTE_WRITE (1ull << 6)
#define HDB_PTE_FRAGMENT(entry) ((uint32_t)((entry) >> 7) & 31)
#define HDB_PTE_ADDRESS 0x0000fffffffff000ull
#define HDB_PTE_MTYPE(entry) ((uint32_t)((entry) >> 48) & 7) /* 0 NC, 1 RW, 2 CC, 3 UC */
#define HDB_PTE_PRT (1ull << 51)
#define HDB_PDE_PTE (1ull << 54) /* P: this PDE is a PTE for all that it spans */
#define HDB_PTE_LOG (1ull << 55)
#define HDB_PTE_FURTHER (1ull << 56) /* this PTE is a PDE */
#define HDB_PTE_GCR (1ull << 57)
#define HDB_PDE_TFS (1ull << 57) /* what its PTEs with FURTHER hold is relative to this PDE's address */
#define HDB_PTE_NOALLOC (1ull << 58)
#define HDB_PDE_ADDRESS 0x0000ffffffffffc0ull
#define HDB_PDE_BFS(entry) ((uint32_t)((entry) >> 59)) /* block fragment size: log2 of the 4 KiB that a PTE is for */

enum hdb_vm_entry_kind {
   HDB_VM_ROOT,    /* the register */
   HDB_VM_PDE,     /* points at a table */
   HDB_VM_FURTHER, /* so does this PTE */
   HDB_VM_PTE      /* the last: a page, or what is none */
};

struct hdb_vm_entry {
   enum hdb_vm_entry_kind kind;
   uint32_t level; /* of its table: 3 PDB2, 2 PDB1, 1 PDB0, 0 page table; the root has that of the table below, + 1 */
   uint32_t index; /* in its table */
   bool system;    /* where it stands, as in hdb_vm_read; the root stands nowhere */
   uint64_t address;
   uint64_t value;
   uint64_t va, span; /* what it is for: the first byte (canonical) and how many */
};

enum hdb_vm_page {
   HDB_VM_NONE,
   HDB_VM_MEMORY,
   HDB_VM_PARTIALLY_RESIDENT, /* no memory: reads 0, drops writes */
   HDB_VM_UNTRANSLATED        /* VMID 0 beside the page tables: memory, flags are 0 */
};

#define HDB_VM_ENTRIES 6 /* root, PDE2, PDE1, PDE0, PTE with FURTHER, PTE */

struct hdb_vm_walk {
   uint32_t count;
   struct hdb_vm_entry entry[HDB_VM_ENTRIES]; /* those read, the root first */

   enum hdb_vm_page page;
   uint64_t page_va, page_size; /* page_va is canonical */
   uint64_t flags;              /* the last entry */
   bool system;                 /* where the memory is, as in hdb_vm_read */
   uint64_t address;            /* of the byte asked for, not of its page */

   const char *reason; /* why there is none; NULL: there is */
};

/* `va` may be canonical (sign-extended from bit 47) or 48 unsigned bits. 0; -EFAULT: nothing there, `walk` has what was
 * read until then and the reason; or what `read` returned. */
int hdb_vm_walk(const struct hdb_vm *vm, hdb_vm_read read, void *user, uint64_t va, struct hdb_vm_walk *walk);

/* All of [va, va + size), by runs that are contiguous in physical memory. Permissions are not applied. Tables are read
 * in blocks and kept meanwhile: they should not change. After -EFAULT all before the hole has been done. */
int hdb_vm_read_range(const struct hdb_vm *vm, hdb_vm_read read, void *user, uint64_t va, void *data, size_t size);
int hdb_vm_write_range(const struct hdb_vm *vm, hdb_vm_read read, hdb_vm_write write, void *user, uint64_t va,
                       const void *data, size_t size);

/* Pages that are alike: in what is there, and in R, W, X and MTYPE. Or the hole between some. */
struct hdb_vm_run {
   uint64_t va, size;     /* va is canonical */
   enum hdb_vm_page page; /* HDB_VM_NONE: the hole */
   uint64_t flags;        /* of the first entry */
};

/* The run from the page of `va` on. It takes a limited number of steps, and may go on behind its end. Not for VMID 0.
 */
int hdb_vm_get_run(const struct hdb_vm *vm, hdb_vm_read read, void *user, uint64_t va, struct hdb_vm_run *run);

/* Drops what the GPU's TLBs and caches hold of the tables of the VMIDs in `mask`, and waits for it: 0, or -ETIME. */
typedef int (*hdb_vm_write_register)(void *user, uint32_t offset, uint32_t value);
int hdb_vm_invalidate(uint32_t mask, hdb_vm_read_register read, hdb_vm_write_register write, void *user);

#endif
