/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <stdio.h>
#include <time.h>

#include "../vgpu/kmd_card.h"
#include "cp/pm4.h"
#include "cp/registers.h"

extern const uint32_t shader_halted[], shader_polling[];
extern const size_t shader_halted_size, shader_polling_size;

enum { COMMANDS_OFFSET = 0x4000 }; /* in the buffer that has the code */

static struct card card;
static uint8_t *code;
static uint32_t context;
static uint64_t sequence;
static uint32_t *user_pages;

static void
nap(unsigned ms)
{
   nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static uint32_t
map_buffer(uint32_t domains, uint64_t va, uint32_t flags)
{
   uint32_t bo = bo_create(&card, PROGRAM_BO_SIZE, domains);
   assert_int_equal(va_op(&card, AMDGPU_VA_OP_MAP, bo, va, 0, PROGRAM_BO_SIZE, flags), 0);
   return bo;
}

static void
set_up(void)
{
   card.gpu = vgpu_process_card();
   assert_non_null(card.gpu);
   map_buffer(AMDGPU_GEM_DOMAIN_VRAM, PROGRAM_VRAM_VA, VA_RW);
   map_buffer(AMDGPU_GEM_DOMAIN_GTT, PROGRAM_SYSTEM_VA, VA_RW);
   uint32_t bo = map_buffer(AMDGPU_GEM_DOMAIN_GTT, PROGRAM_CODE_VA, VA_RW | AMDGPU_VM_PAGE_EXECUTABLE);
   code = bo_map(&card, bo, PROGRAM_BO_SIZE);

   user_pages = aligned_alloc(4096, PROGRAM_BO_SIZE);
   memset(user_pages, 0, PROGRAM_BO_SIZE);
   struct drm_amdgpu_gem_userptr userptr = {.addr = (uintptr_t)user_pages,
                                            .size = PROGRAM_BO_SIZE,
                                            .flags = AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_REGISTER};
   card_must(&card, DRM_IOCTL_AMDGPU_GEM_USERPTR, &userptr);
   assert_int_equal(va_op(&card, AMDGPU_VA_OP_MAP, userptr.handle, PROGRAM_USER_VA, 0, PROGRAM_BO_SIZE, VA_RW), 0);
   context = context_new(&card);
}

/* ---- what it is told ---- */

static uint32_t vmid;

static struct program_facts
about(const struct program_message *message)
{
   assert_int_equal(vgpu_reserve_vmid(card.gpu, &vmid), 0);
   return (struct program_facts){
      .pid = (uint32_t)getpid(),
      .vmid = vmid,
      .vram_size = card.gpu->vram_size,
      .user_pages = (uintptr_t)user_pages,
      .stack = (uintptr_t)message & ~4095ull,
   };
}

static uint32_t *
set_sh(uint32_t *at, uint32_t address, uint32_t value)
{
   *at++ = PM4_TYPE3(PM4_SET_SH_REG, 2);
   *at++ = (address - REG_SH_BASE) / 4;
   *at++ = value;
   return at;
}

/* One wave of 64 lanes, on a compute ring. */
static int
launch(enum program_shader shader, uint64_t argument)
{
   if (shader == SHADER_HALTED)
      memcpy(code, shader_halted, shader_halted_size);
   else
      memcpy(code, shader_polling, shader_polling_size);

   uint32_t *commands = (uint32_t *)(code + COMMANDS_OFFSET), *at = commands;
   uint64_t pc = (PROGRAM_CODE_VA & ((1ull << 48) - 1)) >> 8;
   at = set_sh(at, REG_COMPUTE_PGM_LO, (uint32_t)pc);
   at = set_sh(at, REG_COMPUTE_PGM_HI, (uint32_t)(pc >> 32));
   at = set_sh(at, REG_COMPUTE_PGM_RSRC1, 0x602c0000 | 5);   /* 24 VGPRs, DX10_CLAMP, WGP_MODE, MEM_ORDERED */
   at = set_sh(at, REG_COMPUTE_PGM_RSRC2, 2 << 1 | 4 << 15); /* two user SGPRs, 2 KiB of LDS */
   at = set_sh(at, REG_COMPUTE_PGM_RSRC3, 0);
   at = set_sh(at, REG_COMPUTE_NUM_THREAD_X, 64);
   at = set_sh(at, REG_COMPUTE_NUM_THREAD_X + 4, 1);
   at = set_sh(at, REG_COMPUTE_NUM_THREAD_X + 8, 1);
   at = set_sh(at, REG_COMPUTE_USER_DATA_0, (uint32_t)argument);
   at = set_sh(at, REG_COMPUTE_USER_DATA_0 + 4, (uint32_t)(argument >> 32));
   *at++ = PM4_TYPE3(PM4_DISPATCH_DIRECT, 4);
   *at++ = 1;
   *at++ = 1;
   *at++ = 1;
   *at++ = INITIATOR_COMPUTE_SHADER_EN | INITIATOR_FORCE_START_AT_000;
   return submit(&card,
                 &(struct submit){.context = context,
                                  .ip = AMDGPU_HW_IP_COMPUTE,
                                  .va = PROGRAM_CODE_VA + COMMANDS_OFFSET,
                                  .dwords = (uint32_t)(at - commands)},
                 &sequence);
}

static int
wait_for_job(uint32_t ms, uint32_t *busy)
{
   bool is_busy = false;
   int r = wait_cs(&card, context, AMDGPU_HW_IP_COMPUTE, 0, sequence, now_ns() + ms * 1000000ll, &is_busy);
   *busy = is_busy;
   return r;
}

static int
obey(struct program_message *message)
{
   switch (message->operation) {
   case PROGRAM_ABOUT:
      message->facts = about(message);
      return 0;
   case PROGRAM_READ_REGISTER:
      return vgpu_register_read(card.gpu, &message->bank, (uint32_t)message->address, &message->value);
   case PROGRAM_WRITE_REGISTER:
      return vgpu_register_write(card.gpu, &message->bank, (uint32_t)message->address, message->value);
   case PROGRAM_READ_MEMORY:
      return vgpu_memory_read(card.gpu, vmid, message->address, message->data, message->size);
   case PROGRAM_WRITE_MEMORY:
      return vgpu_memory_write(card.gpu, vmid, message->address, message->data, message->size);
   case PROGRAM_LAUNCH:
      return launch(message->value, message->address);
   case PROGRAM_WAIT:
      return wait_for_job(message->value, &message->value);
   case PROGRAM_FORK: {
      pid_t pid = fork();
      if (pid == 0) {
         nap(message->value);
         _exit(0);
      }
      message->value = (uint32_t)pid;
      return 0;
   }
   case PROGRAM_EXIT:
      exit((int)message->value);
   }
   return -EINVAL;
}

int
main(int argc, char **argv)
{
   if (argc < 2)
      return 2;
   int fd = atoi(argv[1]);
   set_up();
   struct program_message message;
   while (read(fd, &message, sizeof(message)) == sizeof(message)) {
      message.result = obey(&message);
      if (write(fd, &message, sizeof(message)) != sizeof(message))
         break;
   }
   return 0;
}
