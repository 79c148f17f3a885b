/* SPDX-License-Identifier: MIT */
/* The command processor's own accesses to memory, through the page tables of the job. */
#include <string.h>

#include "cp/ring.h"
#include "vm/vm.h"

static void *
translate(struct ring *ring, uint64_t va, uint32_t access, bool *prt)
{
   struct vgpu *gpu = ring->gpu;
   uint64_t generation = atomic_load_explicit(&gpu->vm_generation, memory_order_acquire);
   return vm_translate(ring->job->vm, &gpu->sq->tlb, generation, va, access, prt);
}

/* Bytes from `va` to the end of its page, at most `size`. */
static size_t
within_page(uint64_t va, size_t size)
{
   size_t left = 4096 - (va & 4095);
   return size < left ? size : left;
}

bool
ring_read(struct ring *ring, uint64_t va, void *data, size_t size, const char *what)
{
   uint8_t *to = data;
   while (size) {
      size_t part = within_page(va, size);
      bool prt = false;
      const void *from = translate(ring, va, VM_READ, &prt);
      if (!from && !prt) {
         ring_fault(ring, va, false, what);
         return false;
      }
      if (from)
         memcpy(to, from, part);
      else
         memset(to, 0, part);
      va += part;
      to += part;
      size -= part;
   }
   return true;
}

bool
ring_write(struct ring *ring, uint64_t va, const void *data, size_t size, const char *what)
{
   const uint8_t *from = data;
   while (size) {
      size_t part = within_page(va, size);
      bool prt = false;
      void *to = translate(ring, va, VM_WRITE, &prt);
      if (!to && !prt) {
         ring_fault(ring, va, true, what);
         return false;
      }
      if (to)
         memcpy(to, from, part);
      va += part;
      from += part;
      size -= part;
   }
   return true;
}

bool
ring_fill(struct ring *ring, uint64_t va, uint32_t value, size_t size, const char *what)
{
   uint32_t page[1024];
   for (size_t i = 0; i < 1024; i++)
      page[i] = value;
   while (size) {
      size_t part = size < sizeof(page) ? size : sizeof(page);
      if (!ring_write(ring, va, page, part, what))
         return false;
      va += part;
      size -= part;
   }
   return true;
}

bool
ring_copy(struct ring *ring, uint64_t to, uint64_t from, size_t size, const char *what)
{
   uint8_t page[4096];
   while (size) {
      size_t part = size < sizeof(page) ? size : sizeof(page);
      if (!ring_read(ring, from, page, part, what) || !ring_write(ring, to, page, part, what))
         return false;
      to += part;
      from += part;
      size -= part;
   }
   return true;
}

void *
ring_pointer(struct ring *ring, uint64_t va, size_t size, bool write, const char *what)
{
   /* behind PRT pages; initial-exec: an access allocates nothing */
   static _Thread_local uint64_t nothing __attribute__((tls_model("initial-exec")));
   bool prt = false;
   va &= ~(uint64_t)(size - 1);
   void *pointer = translate(ring, va, write ? VM_READ | VM_WRITE : VM_READ, &prt);
   if (pointer)
      return pointer;
   if (prt) {
      nothing = 0;
      return &nothing;
   }
   ring_fault(ring, va, write, what);
   return NULL;
}
