/* SPDX-License-Identifier: MIT */
/*
 * The plain face: one dispatch in an address space of its own. Code, scratch and the commands that launch it lie in one
 * block of host memory that the page tables point at.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "cp/cp.h"
#include "cp/pm4.h"
#include "cp/registers.h"
#include "sq/sq.h"
#include "vm/vm.h"

/* Where a driver has its shaders too. */
#define CODE_VA UINT64_C(0xffff800000000000)

/* The instruction fetch runs ahead of the last instruction. */
#define CODE_PADDING 256

#define MAX_COMMANDS 128

/* Waves that need much scratch run fewer at a time. */
#define MAX_SCRATCH (UINT64_C(256) << 20)

struct commands {
   uint32_t dword[MAX_COMMANDS];
   uint32_t count;
};

struct run {
   struct cp_job job;
   struct vm vm;
   struct vgpu_fault *fault;
   pthread_mutex_t lock;
   pthread_cond_t finished;
   bool done;
   int status;
};

static uint64_t
page_align(uint64_t size)
{
   return (size + 4095) & ~UINT64_C(4095);
}

static void
emit(struct commands *commands, uint32_t value)
{
   commands->dword[commands->count++] = value;
}

static void
set_sh_reg(struct commands *commands, uint32_t address, const uint32_t *values, uint32_t count)
{
   emit(commands, PM4_TYPE3(PM4_SET_SH_REG, 1 + count));
   emit(commands, (address - REG_SH_BASE) / 4);
   for (uint32_t i = 0; i < count; i++)
      emit(commands, values[i]);
}

static void
set_address(struct commands *commands, uint32_t address, uint64_t va)
{
   uint64_t units = (va & ((UINT64_C(1) << 48) - 1)) >> 8;
   set_sh_reg(commands, address, (uint32_t[]){(uint32_t)units, (uint32_t)(units >> 32)}, 2);
}

static void
record(struct commands *commands, const struct vgpu_dispatch *dispatch, uint64_t scratch_va, uint32_t tmpring_size)
{
   uint32_t rsrc2 = dispatch->rsrc2;
   if ((rsrc2 >> 1 & 31) < 2)
      rsrc2 = (rsrc2 & ~(31u << 1)) | 2 << 1;
   if (dispatch->scratch_size)
      rsrc2 |= RSRC2_SCRATCH_EN;

   emit(commands, PM4_TYPE3(PM4_ACQUIRE_MEM, 7));
   for (int i = 0; i < 6; i++)
      emit(commands, 0);
   emit(commands, 1); /* GCR_CNTL: GLI_INV, all */
   set_address(commands, REG_COMPUTE_PGM_LO, CODE_VA);
   set_address(commands, REG_COMPUTE_DISPATCH_SCRATCH_BASE_LO, scratch_va);
   set_sh_reg(commands, REG_COMPUTE_PGM_RSRC1, (uint32_t[]){dispatch->rsrc1, rsrc2}, 2);
   set_sh_reg(commands, REG_COMPUTE_PGM_RSRC3, &dispatch->rsrc3, 1);
   set_sh_reg(commands, REG_COMPUTE_TMPRING_SIZE, &tmpring_size, 1);
   set_sh_reg(commands, REG_COMPUTE_NUM_THREAD_X, dispatch->workgroup_size, 3);
   set_sh_reg(commands, REG_COMPUTE_USER_DATA_0,
              (uint32_t[]){(uint32_t)dispatch->argument, (uint32_t)(dispatch->argument >> 32)}, 2);
   emit(commands, PM4_TYPE3(PM4_DISPATCH_DIRECT, 4));
   for (int i = 0; i < 3; i++)
      emit(commands, dispatch->workgroups[i]);
   emit(commands,
        INITIATOR_COMPUTE_SHADER_EN | INITIATOR_FORCE_START_AT_000 | (dispatch->wave32 ? INITIATOR_CS_W32_EN : 0));
}

static void
run_faulted(struct cp_job *job, const struct vgpu_fault *fault)
{
   struct run *run = job->user;
   *run->fault = *fault;
}

static void
run_done(struct cp_job *job, int status)
{
   struct run *run = job->user;
   pthread_mutex_lock(&run->lock);
   run->status = status;
   run->done = true;
   pthread_cond_signal(&run->finished);
   pthread_mutex_unlock(&run->lock);
}

static int
submit_and_wait(struct vgpu *gpu, struct run *run)
{
   pthread_mutex_init(&run->lock, NULL);
   pthread_cond_init(&run->finished, NULL);
   int ret = cp_submit(gpu, &run->job);
   if (!ret) {
      pthread_mutex_lock(&run->lock);
      while (!run->done)
         pthread_cond_wait(&run->finished, &run->lock);
      pthread_mutex_unlock(&run->lock);
      ret = run->status ? -EFAULT : 0;
   }
   pthread_cond_destroy(&run->finished);
   pthread_mutex_destroy(&run->lock);
   return ret;
}

static bool
is_valid(const struct vgpu_dispatch *dispatch)
{
   if (!dispatch->code || dispatch->code_size == 0 || dispatch->code_size % 4 || dispatch->code_size > UINT32_MAX)
      return false;
   uint64_t threads = 1;
   for (int i = 0; i < 3; i++) {
      if (dispatch->workgroup_size[i] == 0 || dispatch->workgroup_size[i] > 1024)
         return false;
      threads *= dispatch->workgroup_size[i];
   }
   uint64_t scratch = (uint64_t)dispatch->scratch_size * (dispatch->wave32 ? 32 : 64);
   return threads <= 1024 && scratch <= SQ_MAX_SCRATCH_PER_WAVE;
}

VGPU_API int
vgpu_run(struct vgpu *gpu, const struct vgpu_dispatch *dispatch, struct vgpu_fault *fault)
{
   struct vgpu_fault unwanted;
   if (!fault)
      fault = &unwanted;
   *fault = (struct vgpu_fault){.kind = VGPU_FAULT_NONE};
   if (vgpu_is_inert(gpu))
      return -EIO;
   if (!is_valid(dispatch))
      return -EINVAL;

   uint32_t lanes = dispatch->wave32 ? 32 : 64;
   uint32_t scratch_units = (uint32_t)(((uint64_t)dispatch->scratch_size * lanes + 255) / 256);
   uint64_t code_size = page_align(dispatch->code_size + CODE_PADDING);
   uint32_t waves_per_se = SQ_SLOTS_PER_SE;
   while (waves_per_se > SQ_MAX_WORKGROUP_WAVES && (uint64_t)scratch_units * 256 * waves_per_se * SQ_SES > MAX_SCRATCH)
      waves_per_se /= 2;
   uint64_t scratch_size = page_align((uint64_t)scratch_units * 256 * waves_per_se * SQ_SES);
   uint64_t commands_offset = code_size, scratch_offset = code_size + page_align(sizeof(struct commands));
   uint64_t size = scratch_offset + scratch_size;

   uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   if (memory == MAP_FAILED)
      return -errno;
   memcpy(memory, dispatch->code, dispatch->code_size);
   struct commands *commands = (struct commands *)(memory + commands_offset);
   record(commands, dispatch, CODE_VA + scratch_offset, waves_per_se | scratch_units << 12);

   struct cp_ib ib = {.va = CODE_VA + commands_offset, .size = commands->count};
   struct run run = {.fault = fault};
   run.job = (struct cp_job){
      .ring = CP_RING_COMPUTE0,
      .vm = &run.vm,
      .ibs = &ib,
      .ib_count = 1,
      .faulted = run_faulted,
      .done = run_done,
      .user = &run,
      .wave_ended = dispatch->wave_ended,
      .wave_ended_user = dispatch->user,
   };
   int ret = vm_init(&run.vm, gpu);
   if (!ret) {
      ret = vm_assign_vmid(&run.vm);
      if (!ret)
         ret = vm_map(&run.vm, CODE_VA, size, (uintptr_t)memory, true, VM_READ | VM_WRITE | VM_EXECUTE, 0);
      if (!ret)
         ret = submit_and_wait(gpu, &run);
      vm_finish(&run.vm);
   }
   munmap(memory, size);
   return ret;
}
