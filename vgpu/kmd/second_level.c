/* SPDX-License-Identifier: MIT */
/*
 * A trap handler of user mode's own, without any privilege: two interfaces that were proposed for amdgpu, neither of
 * which is final. Without HDB_VGPU_L2_TRAP the card has neither, as kernels up to now.
 *
 * - vm: SET_L2_TRAP and CLEAR_L2_TRAP of the VM ioctl. What waves of the address space enter, whatever queue they come
 *   from. (Numbers and layout were not in what was posted; here they follow RESERVE_VMID's.)
 * - cwsr: an ioctl of its own, DRM_AMDGPU_CWSR, number 0x1b; cwsr-0x20: with the number of its first posting. There it
 *   is for user queues alone; this card has none, and lets its other queues have it.
 * - cwsr-none: that ioctl on a card without user queues: EOPNOTSUPP.
 *
 * In both the kernel has a first-level handler in every address space at AMDGPU_VA_RESERVED_TRAP_START, and behind it
 * the memory where that one looks for the second level. SQ_SHADER_TBA and TMA of its VMIDs point there.
 */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cp/registers.h"
#include "kmd/kmd.h"

#if VGPU_HAVE_FIRST_LEVEL
extern const uint32_t kmd_first_level[];
extern const size_t kmd_first_level_size;
#else
static const uint32_t kmd_first_level[1];
static const size_t kmd_first_level_size;
#endif

#define PAGE 4096ull
#define TRAP_SIZE (2 * PAGE)
#define TMA_OFFSET 0x1800 /* KFD_CWSR_TMA_OFFSET */

/* As amdgpu_vm_wait_idle is called elsewhere. */
#define IDLE_TIMEOUT_NS 2000000000ll

enum shape { NONE, VM, CWSR, CWSR_0X20, CWSR_NONE };

/* What stands at the first level's TMA. */
struct descriptor {
   uint64_t tba, tma;
   uint32_t debugger;
};

struct second_level {
   enum shape shape;
   uint64_t memory; /* VRAM offset of both levels' */
};

static enum shape
chosen_shape(struct vgpu *gpu)
{
   static const char *const names[] = {"", "vm", "cwsr", "cwsr-0x20", "cwsr-none"};
   const char *choice = getenv("HDB_VGPU_L2_TRAP");
   for (int i = 0; choice && i < (int)(sizeof(names) / sizeof(names[0])); i++)
      if (!strcmp(names[i], choice))
         return i;
   if (choice)
      vgpu_log(gpu, "HDB_VGPU_L2_TRAP=%s is none of vm, cwsr, cwsr-0x20, cwsr-none; ignored", choice);
   return NONE;
}

/* ---- the operations ---- */

static int
wait_idle(struct kmd *kmd)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   struct deadline deadline = deadline_at(kmd, now.tv_sec * 1000000000ll + now.tv_nsec + IDLE_TIMEOUT_NS);
   while (kmd->jobs) {
      if (!kmd_wait(kmd, &deadline))
         return -ETIME;
   }
   return 0;
}

static int
set(struct kmd *kmd, uint64_t tba, uint64_t tma)
{
   int r = wait_idle(kmd);
   if (r)
      return r;
   struct descriptor descriptor = {.tba = tba, .tma = tma};
   memcpy(kmd->gpu->memory + kmd->second_level->memory + TMA_OFFSET, &descriptor, sizeof(descriptor));
   atomic_fetch_add(&kmd->gpu->vm_generation, 1); /* drops what is cached of translations */
   return 0;
}

static bool
is_mapped(const struct kmd *kmd, uint64_t va, uint64_t size)
{
   va &= (1ull << 48) - 1;
   for (uint32_t i = 0; i < kmd->mapping_count; i++) {
      const struct va_mapping *mapping = &kmd->mappings[i];
      if (va >= mapping->start && va - mapping->start < mapping->size)
         return size <= mapping->start + mapping->size - va;
   }
   return false;
}

int
second_level_vm(struct kmd *kmd, const struct kmd_vm_arguments *args)
{
   int r = -EINVAL;
   if (!kmd->second_level || kmd->second_level->shape != VM)
      return r;
   kmd_lock(kmd);
   if (args->op == KMD_VM_OP_SET_L2_TRAP && args->tba % 4 == 0 && is_mapped(kmd, args->tba, 4) &&
       is_mapped(kmd, args->tma, 1))
      r = set(kmd, args->tba, args->tma);
   else if (args->op == KMD_VM_OP_CLEAR_L2_TRAP)
      r = set(kmd, 0, 0);
   kmd_unlock(kmd);
   return r;
}

/* union drm_amdgpu_cwsr */
struct cwsr_arguments {
   uint32_t op;
   struct {
      uint64_t tba;
      uint32_t tba_size;
      uint64_t tma;
      uint32_t tma_size;
   } l2_trap;
};
_Static_assert(sizeof(struct cwsr_arguments) == KMD_CWSR_SIZE, "the table of ioctls has its size");
enum { CWSR_OP_SET_L2_TRAP = 1 };

static int
cwsr(struct kmd *kmd, const struct cwsr_arguments *args, enum shape number)
{
   const struct second_level *second_level = kmd->second_level;
   if (second_level && second_level->shape == CWSR_NONE)
      return number == CWSR ? -EOPNOTSUPP : -EINVAL;
   if (!second_level || second_level->shape != number || args->op != CWSR_OP_SET_L2_TRAP)
      return -EINVAL;

   int r = -EINVAL;
   kmd_lock(kmd);
   if (is_mapped(kmd, args->l2_trap.tba, args->l2_trap.tba_size) &&
       is_mapped(kmd, args->l2_trap.tma, args->l2_trap.tma_size))
      r = set(kmd, args->l2_trap.tba, args->l2_trap.tma);
   kmd_unlock(kmd);
   return r;
}

int
kmd_cwsr(struct kmd *kmd, void *data)
{
   return cwsr(kmd, data, CWSR);
}

int
kmd_cwsr_0x20(struct kmd *kmd, void *data)
{
   return cwsr(kmd, data, CWSR_0X20);
}

bool
second_level_offers(const struct kmd *kmd, uint32_t command)
{
   enum shape shape = kmd->second_level ? kmd->second_level->shape : NONE;
   if (command == KMD_CWSR)
      return shape == CWSR || shape == CWSR_NONE;
   return command != KMD_CWSR_0X20 || shape == CWSR_0X20;
}

/* ---- life ---- */

int
second_level_init(struct kmd *kmd)
{
   struct vgpu *gpu = kmd->gpu;
   enum shape shape = chosen_shape(gpu);
   if (shape == NONE)
      return 0;
   if (!kmd_first_level_size) {
      vgpu_log(gpu, "HDB_VGPU_L2_TRAP: built without an assembler for the first-level handler; ignored");
      return 0;
   }
   struct second_level *second_level = calloc(1, sizeof(*second_level));
   if (!second_level)
      return -ENOMEM;
   int r = heap_alloc(&gpu->vram, TRAP_SIZE, PAGE, true, &second_level->memory);
   if (r) {
      free(second_level);
      return r;
   }
   second_level->shape = shape;
   kmd->second_level = second_level;
   memset(gpu->memory + second_level->memory, 0, TRAP_SIZE);
   memcpy(gpu->memory + second_level->memory, kmd_first_level, kmd_first_level_size);
   r = vm_map(&kmd->vm, KMD_RESERVED_TRAP_START, TRAP_SIZE, second_level->memory, false, VM_READ | VM_EXECUTE, 3);
   if (!r) {
      gpu->first_level_tba = KMD_RESERVED_TRAP_START;
      gpu->first_level_tma = KMD_RESERVED_TRAP_START + TMA_OFFSET;
      registers_reset(gpu);
   }
   return r;
}

void
second_level_release(struct kmd *kmd)
{
   if (kmd->second_level)
      memset(kmd->gpu->memory + kmd->second_level->memory + TMA_OFFSET, 0, sizeof(struct descriptor));
}

void
second_level_finish(struct kmd *kmd)
{
   if (kmd->second_level)
      heap_free(&kmd->gpu->vram, kmd->second_level->memory, TRAP_SIZE);
   free(kmd->second_level);
   kmd->second_level = NULL;
}
