/* SPDX-License-Identifier: MIT */
/* Trap handlers set by user mode: both interfaces, and the first level's hand-over. */
#include "kmd_card.h"

#include "cp/pm4.h"
#include "cp/registers.h"
#include "sq/wave.h"
#include "sq_shaders.h"

/* Where things are in the one buffer. */
enum { HANDLER = 0x0, SHADER = 0x2000, COMMANDS = 0x4000, TMA = 0x6000, RESULT = 0x7000, SIZE = 0x8000 };

/* TRAP_START as amdgpu_vm.h has it: 2^48 - 2 MiB - 2 MiB - 64 KiB, canonical; the descriptor is 0x1800 on. */
#define TRAP_START 0xffffffffffbf0000ull

struct record {
   uint32_t count, ttmp0, ttmp1, ttmp12, ttmp11;
};

static struct card *card;
static uint32_t buffer, context;
static uint8_t *memory;

static void
create(const char *shape)
{
   if (shape)
      setenv("HDB_VGPU_L2_TRAP", shape, true);
   else
      unsetenv("HDB_VGPU_L2_TRAP");
   void *state;
   assert_int_equal(card_setup(&state), 0);
   card = state;
   buffer = bo_create(card, SIZE, AMDGPU_GEM_DOMAIN_GTT);
   memory = bo_map(card, buffer, SIZE);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, buffer, CARD_VA, 0, SIZE, VA_RW | AMDGPU_VM_PAGE_EXECUTABLE), 0);
   context = context_new(card);
   memcpy(memory + HANDLER, shader_second_handler, shader_second_handler_size);
   memcpy(memory + SHADER, shader_trap_once, shader_trap_once_size);
}

static void
destroy(void)
{
   void *state = card;
   card_teardown(&state);
}

static uint32_t
read_vmid_register(uint32_t vmid, uint32_t address)
{
   uint32_t value;
   assert_int_equal(vgpu_register_read(card->gpu, &(struct vgpu_bank){.vmid = vmid}, address, &value), 0);
   return value;
}

/* One wave of 64 lanes, which has a trap handler if there is one. */
static uint32_t
run_trap_once(void)
{
   uint64_t pc = ((CARD_VA + SHADER) & ((1ull << 48) - 1)) >> 8;
   const struct {
      uint32_t address, value;
   } registers[] = {
      {REG_COMPUTE_PGM_LO, (uint32_t)pc},
      {REG_COMPUTE_PGM_HI, (uint32_t)(pc >> 32)},
      {REG_COMPUTE_PGM_RSRC1, 0x602c0000 | 5},
      {REG_COMPUTE_PGM_RSRC2, 2 << 1 | RSRC2_TRAP_PRESENT},
      {REG_COMPUTE_PGM_RSRC3, 0},
      {REG_COMPUTE_NUM_THREAD_X, 64},
      {REG_COMPUTE_NUM_THREAD_X + 4, 1},
      {REG_COMPUTE_NUM_THREAD_X + 8, 1},
      {REG_COMPUTE_USER_DATA_0, (uint32_t)(CARD_VA + RESULT)},
      {REG_COMPUTE_USER_DATA_0 + 4, (uint32_t)((CARD_VA + RESULT) >> 32)},
   };
   uint32_t *commands = (uint32_t *)(memory + COMMANDS), *at = commands;
   for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
      *at++ = PM4_TYPE3(PM4_SET_SH_REG, 2);
      *at++ = (registers[i].address - REG_SH_BASE) / 4;
      *at++ = registers[i].value;
   }
   *at++ = PM4_TYPE3(PM4_DISPATCH_DIRECT, 4);
   *at++ = 1;
   *at++ = 1;
   *at++ = 1;
   *at++ = INITIATOR_COMPUTE_SHADER_EN | INITIATOR_FORCE_START_AT_000;
   *(uint32_t *)(memory + RESULT) = 0;

   uint64_t sequence;
   struct submit job = {
      .context = context, .ip = AMDGPU_HW_IP_COMPUTE, .va = CARD_VA + COMMANDS, .dwords = (uint32_t)(at - commands)};
   assert_int_equal(submit(card, &job, &sequence), 0);
   bool busy = true;
   assert_int_equal(wait_cs(card, context, AMDGPU_HW_IP_COMPUTE, 0, sequence, now_ns() + 10000000000, &busy), 0);
   assert_false(busy);
   return *(uint32_t *)(memory + RESULT);
}

static const struct record *
record(void)
{
   return (const struct record *)(memory + TMA);
}

/* The handler is entered, with what the first level promises. */
static void
check_entered(uint32_t times)
{
   uint64_t trap = CARD_VA + SHADER + 8; /* behind two instructions */
   assert_int_equal(run_trap_once(), 7);
   assert_int_equal(record()->count, times);
   assert_int_equal(record()->ttmp0, (uint32_t)trap);
   assert_int_equal(record()->ttmp1, (trap >> 32 & 0xffff) | 5 << 16);
   assert_true(record()->ttmp12 & STATUS_SCC);
   assert_int_equal(record()->ttmp12 & 6, 0);       /* SPI_PRIO */
   assert_int_equal(record()->ttmp11 >> 23 & 1, 0); /* no debugger by the kernel's account */
}

/* ---- the ioctls, by hand ---- */

struct vm_arguments {
   uint32_t op, flags;
   uint64_t tba, tma;
};

static int
vm(uint32_t op, uint64_t tba, uint64_t tma)
{
   struct vm_arguments args = {.op = op, .tba = tba, .tma = tma};
   return card_ioctl(card, DRM_IOWR(DRM_COMMAND_BASE + 0x13, struct vm_arguments), &args);
}

struct cwsr_arguments {
   uint32_t op, pad;
   uint64_t tba;
   uint32_t tba_size, pad2;
   uint64_t tma;
   uint32_t tma_size, pad3;
};

static int
cwsr(unsigned number, uint32_t op, uint64_t tba, uint32_t tba_size, uint64_t tma, uint32_t tma_size)
{
   struct cwsr_arguments args = {.op = op, .tba = tba, .tba_size = tba_size, .tma = tma, .tma_size = tma_size};
   return card_ioctl(card, DRM_IOWR(DRM_COMMAND_BASE + number, struct cwsr_arguments), &args);
}

/* ---- tests ---- */

static void
test_old_kernel(void **state)
{
   create(NULL);
   assert_int_equal(vm(3, CARD_VA, CARD_VA + TMA), -EINVAL);
   assert_int_equal(vm(4, 0, 0), -EINVAL);
   assert_int_equal(cwsr(0x1b, 1, CARD_VA, 4096, CARD_VA + TMA, 4096), -EINVAL);
   assert_int_equal(cwsr(0x20, 1, CARD_VA, 4096, CARD_VA + TMA, 4096), -EINVAL);
   assert_int_equal(read_vmid_register(1, REG_SQ_SHADER_TBA_HI), 0);
   assert_int_equal(run_trap_once(), 7);
   assert_string_equal(card->log, ""); /* asking is no offence */
   destroy();

   create("nonsense");
   assert_int_equal(vm(3, CARD_VA, CARD_VA + TMA), -EINVAL);
   assert_non_null(strstr(card->log, "HDB_VGPU_L2_TRAP=nonsense"));
   destroy();
}

static void
test_reserved_addresses(void **state)
{
   create(NULL);
   struct drm_amdgpu_info_device info;
   struct drm_amdgpu_info args = {
      .return_pointer = (uintptr_t)&info, .return_size = sizeof(info), .query = AMDGPU_INFO_DEV_INFO};
   card_must(card, DRM_IOCTL_AMDGPU_INFO, &args);
   assert_int_equal(info.high_va_max, TRAP_START);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, buffer, TRAP_START, 0, 4096, VA_RW), -EINVAL);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, buffer, TRAP_START - 4096, 0, 8192, VA_RW), -EINVAL);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, buffer, 0xfffffffffffff000, 0, 4096, VA_RW), -EINVAL);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, buffer, TRAP_START - 4096, 0, 4096, VA_RW), 0);
   destroy();
}

static void
check_first_level(void)
{
   uint64_t tba = (TRAP_START & ((1ull << 48) - 1)) >> 8, tma = ((TRAP_START + 0x1800) & ((1ull << 48) - 1)) >> 8;
   for (uint32_t vmid = 1; vmid < 8; vmid++) {
      assert_int_equal(read_vmid_register(vmid, REG_SQ_SHADER_TBA_LO), (uint32_t)tba);
      assert_int_equal(read_vmid_register(vmid, REG_SQ_SHADER_TBA_HI), (uint32_t)(tba >> 32) | 1u << 31);
      assert_int_equal(read_vmid_register(vmid, REG_SQ_SHADER_TMA_LO), (uint32_t)tma);
      assert_int_equal(read_vmid_register(vmid, REG_SQ_SHADER_TMA_HI), (uint32_t)(tma >> 32));
   }
   assert_int_equal(read_vmid_register(0, REG_SQ_SHADER_TBA_HI), 0);
   assert_int_equal(read_vmid_register(8, REG_SQ_SHADER_TBA_HI), 0);
}

static void
test_vm(void **state)
{
   create("vm");
   check_first_level();
   assert_int_equal(run_trap_once(), 7); /* nobody behind it: the trap is passed over */
   assert_int_equal(vm(3, CARD_VA + SIZE, CARD_VA + TMA), -EINVAL);
   assert_int_equal(vm(3, CARD_VA + HANDLER, CARD_VA - 4096), -EINVAL);
   assert_int_equal(vm(3, 0, 0), -EINVAL);
   assert_int_equal(vm(5, 0, 0), -EINVAL);
   struct vm_arguments flagged = {.op = 3, .flags = 1, .tba = CARD_VA, .tma = CARD_VA + TMA};
   assert_int_equal(card_ioctl(card, DRM_IOWR(DRM_COMMAND_BASE + 0x13, struct vm_arguments), &flagged), -EINVAL);
   /* Headers of before do not reach it. */
   union drm_amdgpu_vm old = {.in.op = 3};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_VM, &old), -EINVAL);
   assert_int_equal(cwsr(0x1b, 1, CARD_VA, 4096, CARD_VA + TMA, 4096), -EINVAL);

   assert_int_equal(vm(3, CARD_VA + HANDLER, CARD_VA + TMA), 0);
   check_entered(1);
   check_entered(2);
   assert_int_equal(vm(4, 0, 0), 0);
   assert_int_equal(run_trap_once(), 7);
   assert_int_equal(record()->count, 2);

   /* A reset keeps it: the kernel sets its address spaces up anew. */
   assert_int_equal(vm(3, CARD_VA + HANDLER, CARD_VA + TMA), 0);
   assert_int_equal(cp_reset(card->gpu), 0);
   check_first_level();
   check_entered(3);
   destroy();
}

static void
test_busy(void **state)
{
   create("vm");
   struct gate gate;
   gate_create(card, &gate, CARD_VA + 0x100000);
   uint64_t sequence;
   assert_int_equal(
      submit(
         card,
         &(struct submit){.context = context, .ip = AMDGPU_HW_IP_COMPUTE, .va = gate.va + 256, .dwords = gate.dwords},
         &sequence),
      0);
   assert_int_equal(vm(3, CARD_VA + HANDLER, CARD_VA + TMA), -ETIME);
   gate_open(card, &gate);
   assert_int_equal(vm(3, CARD_VA + HANDLER, CARD_VA + TMA), 0); /* waits for the end */
   check_entered(1);
   gate_destroy(card, &gate);
   destroy();
}

static void
test_cwsr(void **state)
{
   static const struct {
      const char *shape;
      unsigned number, other;
   } cases[] = {{"cwsr", 0x1b, 0x20}, {"cwsr-0x20", 0x20, 0x1b}};
   for (size_t i = 0; i < 2; i++) {
      unsigned number = cases[i].number;
      create(cases[i].shape);
      check_first_level();
      assert_int_equal(cwsr(cases[i].other, 1, CARD_VA, 4096, CARD_VA + TMA, 4096), -EINVAL);
      assert_int_equal(cwsr(number, 2, CARD_VA, 4096, CARD_VA + TMA, 4096), -EINVAL);
      assert_int_equal(cwsr(number, 1, CARD_VA, SIZE + 4096, CARD_VA + TMA, 4096), -EINVAL);
      assert_int_equal(cwsr(number, 1, CARD_VA, 4096, CARD_VA + SIZE, 4096), -EINVAL);
      assert_int_equal(vm(3, CARD_VA, CARD_VA + TMA), -EINVAL);
      assert_int_equal(cwsr(number, 1, CARD_VA + HANDLER, 4096, CARD_VA + TMA, 4096), 0);
      check_entered(1);

      /* The file's end is its end. */
      kmd_lock(card->gpu->kmd);
      kmd_release_file(card->gpu->kmd);
      kmd_unlock(card->gpu->kmd);
      uint64_t second_tba = 1;
      uint32_t vmid;
      assert_int_equal(vgpu_reserve_vmid(card->gpu, &vmid), 0);
      assert_int_equal(vgpu_memory_read(card->gpu, vmid, TRAP_START + 0x1800, &second_tba, 8), 0);
      assert_int_equal(second_tba, 0);
      destroy();
   }
   create("cwsr-none");
   assert_int_equal(cwsr(0x1b, 1, CARD_VA, 4096, CARD_VA + TMA, 4096), -EOPNOTSUPP);
   destroy();
}

static void
test_reserve_vmid(void **state)
{
   create(NULL);
   union drm_amdgpu_vm args = {.in.op = AMDGPU_VM_OP_RESERVE_VMID};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_VM, &args), 0);
   uint32_t vmid, again;
   assert_int_equal(vgpu_reserve_vmid(card->gpu, &vmid), 0);
   assert_in_range(vmid, 1, 7);
   args.in.op = AMDGPU_VM_OP_RESERVE_VMID; /* twice is once */
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_VM, &args), 0);
   args.in.op = AMDGPU_VM_OP_UNRESERVE_VMID;
   args.in.flags = 1;
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_VM, &args), -EINVAL);
   args.in.flags = 0;
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_VM, &args), 0);
   assert_int_equal(vgpu_reserve_vmid(card->gpu, &again), 0);
   assert_int_equal(again, vmid);
   card->gpu->options.flags |= VGPU_VMID_TAKEN;
   args.in.op = AMDGPU_VM_OP_RESERVE_VMID;
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_VM, &args), -ENOENT);
   destroy();
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_old_kernel), cmocka_unit_test(test_reserved_addresses),
      cmocka_unit_test(test_vm),         cmocka_unit_test(test_busy),
      cmocka_unit_test(test_cwsr),       cmocka_unit_test(test_reserve_vmid),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
