/* SPDX-License-Identifier: MIT */
/* GPU virtual memory: page tables standing in VRAM, a walk over them, and a TLB in front of the walk. */
#ifndef VGPU_VM_H
#define VGPU_VM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu;

enum vm_access { VM_READ = 1, VM_WRITE = 2, VM_EXECUTE = 4 };

/* One GPU address space; its root page directory lies in VRAM. */
struct vm {
   struct vgpu *gpu;
   uint64_t root;    /* physical address of the root page directory */
   uint32_t vmid;    /* hardware id; 0 while it has none */
   uint64_t *tables; /* physical addresses of all of them, the root first */
   uint64_t table_pages, table_capacity;
   pthread_mutex_t lock; /* held by those who change the tables; the walk takes no lock */
};

int vm_init(struct vm *vm, struct vgpu *gpu);
void vm_finish(struct vm *vm);

/* `target` is a VRAM offset, or with `system` a host address. va, target and size are multiples of 4096.
 * `access` is a set of enum vm_access; `mtype` as in the PTE (0 NC, 1 RW, 2 CC, 3 UC). */
int vm_map(struct vm *vm, uint64_t va, uint64_t size, uint64_t target, bool system, uint32_t access, uint32_t mtype);
int vm_map_prt(struct vm *vm, uint64_t va, uint64_t size); /* reads 0, drops writes */
/* -ENOMEM: a 2 MiB page had to be split and there is no VRAM left for the table; nothing was unmapped in it. */
int vm_unmap(struct vm *vm, uint64_t va, uint64_t size);

/* Gives the address space a hardware id if it has none; it keeps it until vm_finish. -EBUSY: all are taken. */
int vm_assign_vmid(struct vm *vm);

/* What a walk over the tables finds. */
enum vm_walk_result {
   VM_MAPPED,
   VM_PRT,       /* no backing: reads 0, drops writes */
   VM_NOT_MAPPED /* an entry is not valid */
};

struct vm_walk {
   enum vm_walk_result result;
   uint32_t level;         /* of the last entry read: 3 root (PDB2), 2 PDB1, 1 PDB0, 0 PTB */
   uint64_t entry;         /* that entry */
   uint64_t entry_address; /* physical address it was read from */
   bool system;            /* target is a host address, otherwise a VRAM offset */
   uint64_t target;        /* of the address itself, not of its page */
   uint32_t access;        /* set of enum vm_access */
   uint32_t mtype;
};

void vm_walk(struct vm *vm, uint64_t va, struct vm_walk *walk);

/* The walk's entry stands for this many bytes, from a multiple of it on. */
static inline uint64_t
vm_walk_span(const struct vm_walk *walk)
{
   return 4096ull << 9 * walk->level;
}

/* GCVM_L2_PROTECTION_FAULT_STATUS as the hardware sets it after `access` (one of enum vm_access) failed at `va`. */
uint32_t vm_fault_status(struct vm *vm, uint64_t va, uint32_t access);

/* Translations cached by one thread. They are dropped when any mapping of the card changes (gpu->vm_generation). */
#define TLB_ENTRIES 256
struct tlb {
   uint64_t generation;
   struct tlb_entry {
      uint64_t page; /* va >> 12, canonical; ~0: empty */
      struct vm *vm;
      uint8_t *host; /* of the page's first byte; NULL: PRT */
      uint32_t access;
      uint32_t mtype;
   } entry[TLB_ENTRIES];
};

void tlb_flush(struct tlb *tlb);

/* The host address of `va`, good up to the end of its 4 KiB page; NULL with *prt set for a PRT page; NULL with *prt
 * clear for a fault: no mapping, or one that lacks `access`. `va` may come canonical or as 48 unsigned bits. */
void *vm_translate_slow(struct vm *vm, struct tlb *tlb, uint64_t va, uint32_t access, bool *prt);

static inline void *
vm_translate(struct vm *vm, struct tlb *tlb, uint64_t generation, uint64_t va, uint32_t access, bool *prt)
{
   uint64_t page = (uint64_t)((int64_t)(va << 16) >> 16) >> 12;
   struct tlb_entry *entry = &tlb->entry[page % TLB_ENTRIES];
   if (__builtin_expect(tlb->generation == generation && entry->page == page && entry->vm == vm &&
                           (entry->access & access) == access && entry->host,
                        1))
      return entry->host + (va & 4095);
   return vm_translate_slow(vm, tlb, va, access, prt);
}

/* With VGPU_HOST_POINTERS: maps the page of the process at `va` at its own address, if there is one. */
bool vm_map_host_page(struct vm *vm, uint64_t va);

/* Host accesses through the tables, page by page; protection is not applied. 0 or -EFAULT. */
int vm_copy_from(struct vm *vm, uint64_t va, void *data, size_t size);
int vm_copy_to(struct vm *vm, uint64_t va, const void *data, size_t size);

#endif
