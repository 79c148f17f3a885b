/* SPDX-License-Identifier: MIT */
#include "sq_machine.h"

#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

uint64_t
now_ns(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void
nap_ms(unsigned ms)
{
   nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static void
collect_log(void *user, const char *line)
{
   struct machine *machine = user;
   size_t used = strlen(machine->log);
   snprintf(machine->log + used, sizeof(machine->log) - used, "%s\n", line);
}

void
machine_init(struct machine *machine, const struct vgpu_options *options)
{
   memset(machine, 0, sizeof(*machine));
   struct vgpu_options all = options ? *options : (struct vgpu_options){0};
   all.vram_size = 64 << 20;
   all.log = collect_log;
   all.log_user = machine;
   assert_int_equal(vgpu_create(&all, &machine->gpu), 0);
   machine->memory =
      mmap(NULL, MACHINE_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   assert_ptr_not_equal(machine->memory, MAP_FAILED);
   assert_int_equal(vm_init(&machine->vm, machine->gpu), 0);
   assert_int_equal(vm_assign_vmid(&machine->vm), 0);
   assert_int_equal(vm_map(&machine->vm, MACHINE_VA, MACHINE_MEMORY, (uintptr_t)machine->memory, true,
                           VM_READ | VM_WRITE | VM_EXECUTE, 0),
                    0);
}

void
machine_finish(struct machine *machine)
{
   cp_finish(machine->gpu); /* a job that still runs needs the address space */
   vm_finish(&machine->vm);
   vgpu_destroy(machine->gpu);
   munmap(machine->memory, MACHINE_MEMORY);
}

uint64_t
machine_alloc(struct machine *machine, size_t size)
{
   uint64_t va = MACHINE_VA + machine->used;
   machine->used += ((uint32_t)size + 511) & ~255u; /* and room for the instruction fetch running ahead */
   assert_true(machine->used <= MACHINE_MEMORY);
   return va;
}

uint64_t
machine_code(struct machine *machine, const uint32_t *code, size_t size)
{
   uint64_t va = machine_alloc(machine, size);
   memcpy(machine_host(machine, va), code, size);
   return va;
}

void *
machine_host(struct machine *machine, uint64_t va)
{
   return machine->memory + (va - MACHINE_VA);
}

/* ---- commands ---- */

enum { COMMAND_DWORDS = 4096 };

static void
job_done(struct cp_job *job, int status)
{
   struct commands *commands = job->user;
   pthread_mutex_lock(&commands->lock);
   commands->status = status;
   commands->done = true;
   commands->done_at = now_ns();
   pthread_cond_signal(&commands->changed);
   pthread_mutex_unlock(&commands->lock);
}

static void
job_faulted(struct cp_job *job, const struct vgpu_fault *fault)
{
   struct commands *commands = job->user;
   commands->fault = *fault;
}

void
commands_init(struct commands *commands, struct machine *machine)
{
   memset(commands, 0, sizeof(*commands));
   commands->machine = machine;
   commands->ib.va = machine_alloc(machine, 4 * COMMAND_DWORDS);
   commands->dword = machine_host(machine, commands->ib.va);
   commands->job = (struct cp_job){.vm = &machine->vm,
                                   .ibs = &commands->ib,
                                   .ib_count = 1,
                                   .faulted = job_faulted,
                                   .done = job_done,
                                   .user = commands};
   pthread_mutex_init(&commands->lock, NULL);
   pthread_condattr_t monotonic;
   pthread_condattr_init(&monotonic);
   pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
   pthread_cond_init(&commands->changed, &monotonic);
   pthread_condattr_destroy(&monotonic);
}

void
emit(struct commands *commands, uint32_t dword)
{
   assert_true(commands->ib.size < COMMAND_DWORDS);
   commands->dword[commands->ib.size++] = dword;
}

void
emit_packet(struct commands *commands, uint32_t opcode, uint32_t count, ...)
{
   va_list arguments;
   va_start(arguments, count);
   emit(commands, PM4_TYPE3(opcode, count));
   for (uint32_t i = 0; i < count; i++)
      emit(commands, va_arg(arguments, uint32_t));
   va_end(arguments);
}

void
set_sh(struct commands *commands, uint32_t address, uint32_t value)
{
   emit_packet(commands, PM4_SET_SH_REG, 2, (address - REG_SH_BASE) / 4, value);
}

void
submit(struct commands *commands, enum cp_ring ring)
{
   commands->job.ring = ring;
   commands->done = false;
   assert_int_equal(cp_submit(commands->machine->gpu, &commands->job), 0);
}

bool
is_finished_within(struct commands *commands, unsigned ms)
{
   uint64_t end = now_ns() + ms * UINT64_C(1000000);
   struct timespec until = {.tv_sec = (time_t)(end / 1000000000), .tv_nsec = (long)(end % 1000000000)};
   pthread_mutex_lock(&commands->lock);
   while (!commands->done && pthread_cond_timedwait(&commands->changed, &commands->lock, &until) == 0)
      ;
   bool done = commands->done;
   pthread_mutex_unlock(&commands->lock);
   return done;
}

int
finish(struct commands *commands)
{
   if (!is_finished_within(commands, 20000))
      fail_msg("job not done after 20 s; log: %s", commands->machine->log);
   return commands->status;
}

/* ---- dispatches ---- */

struct launch
launch_of(uint64_t code, uint64_t argument)
{
   return (struct launch){
      .code = code,
      .grid = {1, 1, 1},
      .group = {64, 1, 1},
      .rsrc1 = 0x602c0000 | 5, /* 24 VGPRs, FLOAT_MODE 0xc0, DX10_CLAMP, WGP_MODE, MEM_ORDERED */
      .rsrc2 = 2 << 1 | 1 << 7,
      .initiator = INITIATOR_FORCE_START_AT_000,
      .user = {(uint32_t)argument, (uint32_t)(argument >> 32)},
   };
}

void
emit_launch_state(struct commands *commands, const struct launch *launch)
{
   uint64_t code = (launch->code & ((UINT64_C(1) << 48) - 1)) >> 8;
   set_sh(commands, REG_COMPUTE_PGM_LO, (uint32_t)code);
   set_sh(commands, REG_COMPUTE_PGM_HI, (uint32_t)(code >> 32));
   set_sh(commands, REG_COMPUTE_PGM_RSRC1, launch->rsrc1);
   set_sh(commands, REG_COMPUTE_PGM_RSRC2, launch->rsrc2);
   set_sh(commands, REG_COMPUTE_PGM_RSRC3, launch->rsrc3);
   for (int i = 0; i < 3; i++)
      set_sh(commands, REG_COMPUTE_NUM_THREAD_X + 4 * i, launch->group[i]);
   for (int i = 0; i < 16; i++)
      set_sh(commands, REG_COMPUTE_USER_DATA_0 + 4 * i, launch->user[i]);
}

void
emit_dispatch(struct commands *commands, const struct launch *launch)
{
   emit_launch_state(commands, launch);
   emit_packet(commands, PM4_DISPATCH_DIRECT, 4, launch->grid[0], launch->grid[1], launch->grid[2],
               INITIATOR_COMPUTE_SHADER_EN | launch->initiator);
}

int
run(struct machine *machine, const struct launch *launch)
{
   struct commands commands;
   commands_init(&commands, machine);
   emit_dispatch(&commands, launch);
   submit(&commands, CP_RING_COMPUTE0);
   return finish(&commands);
}

/* ---- registers ---- */

uint32_t
read_register(struct machine *machine, const struct vgpu_bank *bank, uint32_t address)
{
   uint32_t value;
   assert_int_equal(vgpu_register_read(machine->gpu, bank, address, &value), 0);
   return value;
}

void
write_register(struct machine *machine, const struct vgpu_bank *bank, uint32_t address, uint32_t value)
{
   assert_int_equal(vgpu_register_write(machine->gpu, bank, address, value), 0);
}

struct vgpu_bank
vmid_bank(struct machine *machine)
{
   return (struct vgpu_bank){
      .vmid = machine->vm.vmid, .se = VGPU_BROADCAST, .sa = VGPU_BROADCAST, .instance = VGPU_BROADCAST};
}

struct vgpu_bank
wave_bank(uint32_t se, uint32_t sa, uint32_t wgp, uint32_t simd)
{
   return (struct vgpu_bank){.se = se, .sa = sa, .instance = wgp << 2 | simd};
}

void
install_handler(struct machine *machine, uint64_t code, uint64_t memory)
{
   struct vgpu_bank bank = vmid_bank(machine);
   uint64_t tba = (code & ((UINT64_C(1) << 48) - 1)) >> 8, tma = (memory & ((UINT64_C(1) << 48) - 1)) >> 8;
   write_register(machine, &bank, REG_SQ_SHADER_TBA_LO, (uint32_t)tba);
   write_register(machine, &bank, REG_SQ_SHADER_TBA_HI, (uint32_t)(tba >> 32) | TBA_HI_TRAP_EN);
   write_register(machine, &bank, REG_SQ_SHADER_TMA_LO, (uint32_t)tma);
   write_register(machine, &bank, REG_SQ_SHADER_TMA_HI, (uint32_t)(tma >> 32));
}
