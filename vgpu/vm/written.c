/* SPDX-License-Identifier: MIT */
#include "vm/written.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cp/cp.h"
#include "gpu.h"

#define PAGE 4096ull

/* A bit for each page of the card's memory. */
struct written {
   uint64_t pages;
   size_t words;
   uint64_t *host;         /* the host may write there */
   uint64_t *now, *before; /* the card has written, since the last look and until then; NULL: nobody has looked */
   _Atomic bool noted;
};

int
written_create(struct vgpu *gpu)
{
   struct written *written = calloc(1, sizeof(*written));
   if (!written)
      return -ENOMEM;
   written->pages = (gpu->vram_size + gpu->gtt_size) / PAGE;
   written->words = (written->pages + 63) / 64;
   written->host = calloc(written->words, sizeof(uint64_t)); /* backed where it is touched */
   gpu->written = written;
   return written->host ? 0 : -ENOMEM;
}

void
written_destroy(struct written *written)
{
   if (!written)
      return;
   free(written->host);
   free(written->now);
   free(written->before);
   free(written);
}

/* ---- marking ---- */

static void
mark(const struct written *written, uint64_t *bits, uint64_t offset, uint64_t size)
{
   uint64_t first = offset / PAGE, end = (offset + size + PAGE - 1) / PAGE;
   for (uint64_t page = first; page < end && page < written->pages; page++)
      __atomic_fetch_or(&bits[page / 64], 1ull << page % 64, __ATOMIC_RELAXED);
}

static bool
is_marked(const uint64_t *bits, uint64_t page)
{
   return __atomic_load_n(&bits[page / 64], __ATOMIC_RELAXED) >> page % 64 & 1;
}

static bool
written_is_noted(const struct vgpu *gpu)
{
   return atomic_load_explicit(&gpu->written->noted, memory_order_acquire);
}

void
written_add(struct vgpu *gpu, uint64_t offset, uint64_t size)
{
   if (!written_is_noted(gpu))
      return;
   mark(gpu->written, gpu->written->now, offset, size);
   mark(gpu->written, gpu->written->before, offset, size); /* somebody may be looking just now */
}

void
written_add_host(struct vgpu *gpu, uint64_t offset, uint64_t size)
{
   mark(gpu->written, gpu->written->host, offset, size);
}

uint32_t
written_filter(struct vgpu *gpu, const uint8_t *host, uint32_t access, uint32_t allowed)
{
   const struct written *written = gpu->written;
   uint64_t page = (uint64_t)(host - gpu->memory) / PAGE;
   if (!written_is_noted(gpu) || page >= written->pages)
      return allowed;
   if (access & VM_WRITE)
      mark(written, written->now, page * PAGE, PAGE);
   return is_marked(written->now, page) ? allowed : allowed & ~VM_WRITE;
}

/* ---- looking ---- */

static int
begin_noting(struct written *written)
{
   if (!written->now)
      written->now = calloc(written->words, sizeof(uint64_t));
   if (!written->before)
      written->before = malloc(written->words * sizeof(uint64_t));
   if (!written->now || !written->before)
      return -ENOMEM;
   memset(written->now, 0xff, written->words * sizeof(uint64_t)); /* nobody knows */
   return 0;
}

int
vgpu_collect_writes(struct vgpu *gpu, bool on)
{
   if (vgpu_is_inert(gpu))
      return -EIO;
   int r = cp_lock(gpu);
   if (r)
      return r;
   struct written *written = gpu->written;
   if (on && !written_is_noted(gpu))
      r = begin_noting(written);
   if (on && !r) {
      uint64_t *before = written->now;
      written->now = written->before;
      written->before = before;
      memset(written->now, 0, written->words * sizeof(uint64_t));
   }
   atomic_store_explicit(&written->noted, on && !r, memory_order_release);
   atomic_fetch_add(&gpu->vm_generation, 1); /* TLBs forget what they may write to */
   cp_unlock(gpu);
   return r;
}

/* Of what the walk has found, to whose entry all of it belongs. A page of the process's own may always have changed. */
static bool
may_have_changed(const struct vgpu *gpu, const struct vm_walk *walk, uint64_t size)
{
   const struct written *written = gpu->written;
   const uint8_t *host = walk->system ? (const uint8_t *)walk->target : gpu->memory + walk->target;
   uint64_t offset = (uint64_t)(host - gpu->memory);
   uint64_t page = offset / PAGE, end = page + (offset % PAGE + size + PAGE - 1) / PAGE;
   for (; page < end; page++) {
      if (page >= written->pages || is_marked(written->host, page) || is_marked(written->before, page))
         return true;
   }
   return false;
}

bool
vgpu_memory_may_have_changed(struct vgpu *gpu, uint32_t vmid, uint64_t va, uint64_t size)
{
   struct vm *vm = vmid < VGPU_VMIDS ? __atomic_load_n(&gpu->vmid[vmid], __ATOMIC_ACQUIRE) : NULL;
   if (vgpu_is_inert(gpu) || !vm || !written_is_noted(gpu))
      return true;
   for (uint64_t done = 0, length; done < size; done += length) {
      struct vm_walk walk;
      vm_walk(vm, va + done, &walk);
      length = vm_walk_span(&walk) - (va + done) % vm_walk_span(&walk);
      length = length < size - done ? length : size - done;
      if (walk.result != VM_PRT && (walk.result == VM_NOT_MAPPED || may_have_changed(gpu, &walk, length)))
         return true;
   }
   return false;
}
