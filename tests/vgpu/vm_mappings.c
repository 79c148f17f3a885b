/* SPDX-License-Identifier: MIT */
/* What is mapped, listed from outside, and what of it may have changed. */
#include "kmd_card.h"
#include "vm/vm.h"

#define PAGE 4096ull
#define HUGE_PAGE (2ull << 20)

struct space {
   struct vgpu *gpu;
   struct vm vm;
   struct tlb tlb;
};

static struct space *
space_init(struct space *space, void **state)
{
   space->gpu = ((struct card *)*state)->gpu;
   tlb_flush(&space->tlb);
   space->tlb.generation = 0;
   assert_int_equal(vm_init(&space->vm, space->gpu), 0);
   assert_int_equal(vm_assign_vmid(&space->vm), 0);
   return space;
}

/* ---- mappings ---- */

static uint64_t
expect_mapping(struct space *space, uint64_t va, struct vgpu_mapping expected)
{
   struct vgpu_mapping found;
   assert_int_equal(vgpu_memory_next(space->gpu, space->vm.vmid, va, &found), 0);
   assert_int_equal(found.va, expected.va);
   assert_int_equal(found.size, expected.size);
   assert_int_equal(found.access, expected.access);
   assert_int_equal(found.mtype, expected.mtype);
   assert_int_equal(found.backed, expected.backed);
   return found.va + found.size;
}

static void
runs_of_pages_are_listed(void **state)
{
   struct space space;
   struct vm *vm = &space_init(&space, state)->vm;
   struct vgpu_mapping none;
   assert_int_equal(vgpu_memory_next(space.gpu, vm->vmid, 0, &none), -ENOENT);

   /* Low: three pages that are not neighbours in VRAM, one that is read only. High: a huge page and one behind it, in
    * system memory too, a hole, no memory. */
   assert_int_equal(vm_map(vm, 0x10000, PAGE, 0x5000, false, VM_READ | VM_WRITE, 1), 0);
   assert_int_equal(vm_map(vm, 0x11000, 2 * PAGE, 0x9000, false, VM_READ | VM_WRITE, 1), 0);
   assert_int_equal(vm_map(vm, 0x13000, PAGE, 0x20000, false, VM_READ | VM_EXECUTE, 3), 0);
   assert_int_equal(vm_map(vm, CARD_VA, HUGE_PAGE, HUGE_PAGE, false, VM_READ, 0), 0);
   assert_int_equal(vm_map(vm, CARD_VA + HUGE_PAGE, PAGE, (uintptr_t)space.gpu->memory, true, VM_READ, 0), 0);
   assert_int_equal(vm_map_prt(vm, CARD_VA + 3 * HUGE_PAGE, 4 * PAGE), 0);

   const uint32_t rw = VGPU_ACCESS_READ | VGPU_ACCESS_WRITE;
   uint64_t va = expect_mapping(&space, 0, (struct vgpu_mapping){0x10000, 3 * PAGE, rw, 1, true});
   va =
      expect_mapping(&space, va, (struct vgpu_mapping){0x13000, PAGE, VGPU_ACCESS_READ | VGPU_ACCESS_EXECUTE, 3, true});
   va = expect_mapping(&space, va, (struct vgpu_mapping){CARD_VA, HUGE_PAGE + PAGE, VGPU_ACCESS_READ, 0, true});
   va = expect_mapping(&space, va, (struct vgpu_mapping){CARD_VA + 3 * HUGE_PAGE, 4 * PAGE, rw, 0, false});
   assert_int_equal(vgpu_memory_next(space.gpu, vm->vmid, va, &none), -ENOENT);

   /* From the middle of one: what is left. */
   expect_mapping(&space, CARD_VA + 5, (struct vgpu_mapping){CARD_VA, HUGE_PAGE + PAGE, VGPU_ACCESS_READ, 0, true});
   expect_mapping(&space, CARD_VA + HUGE_PAGE - PAGE,
                  (struct vgpu_mapping){CARD_VA + HUGE_PAGE - PAGE, 2 * PAGE, VGPU_ACCESS_READ, 0, true});
   assert_int_equal(vgpu_memory_next(space.gpu, 15, 0, &none), -EFAULT);
   vm_finish(vm);
}

/* ---- writes ---- */

static bool
may_have_changed(struct space *space, uint64_t va, uint64_t size)
{
   return vgpu_memory_may_have_changed(space->gpu, space->vm.vmid, va, size);
}

/* As a wave does it. */
static void
write_word(struct space *space, uint64_t va)
{
   bool prt;
   uint32_t *word = vm_translate(&space->vm, &space->tlb, atomic_load(&space->gpu->vm_generation), va, VM_WRITE, &prt);
   assert_non_null(word);
   *word += 1;
}

static void
read_word(struct space *space, uint64_t va)
{
   bool prt;
   assert_non_null(vm_translate(&space->vm, &space->tlb, atomic_load(&space->gpu->vm_generation), va, VM_READ, &prt));
}

static void
collect(struct space *space)
{
   assert_int_equal(vgpu_collect_writes(space->gpu, true), 0);
}

static void
writes_are_noted(void **state)
{
   struct space space;
   struct vm *vm = &space_init(&space, state)->vm;
   assert_int_equal(vm_map(vm, CARD_VA, 16 * PAGE, HUGE_PAGE, false, VM_READ | VM_WRITE, 0), 0);
   write_word(&space, CARD_VA); /* its translation is cached from before anybody looked */
   assert_true(may_have_changed(&space, CARD_VA + 8 * PAGE, PAGE)); /* nobody knows */
   collect(&space);
   assert_true(may_have_changed(&space, CARD_VA, 16 * PAGE)); /* likewise: all of before */

   read_word(&space, CARD_VA + PAGE); /* then its translation is cached, and the write comes by that */
   write_word(&space, CARD_VA + PAGE);
   write_word(&space, CARD_VA);
   write_word(&space, CARD_VA);
   read_word(&space, CARD_VA + 2 * PAGE);
   collect(&space);
   assert_true(may_have_changed(&space, CARD_VA, PAGE));
   assert_true(may_have_changed(&space, CARD_VA + PAGE, 4));
   assert_true(may_have_changed(&space, CARD_VA + 2 * PAGE - 1, 2)); /* a part of it is enough */
   assert_false(may_have_changed(&space, CARD_VA + 2 * PAGE, 14 * PAGE));

   collect(&space); /* nothing since */
   assert_false(may_have_changed(&space, CARD_VA, 16 * PAGE));
   write_word(&space, CARD_VA + PAGE); /* its translation must not be one from the first time */
   collect(&space);
   assert_true(may_have_changed(&space, CARD_VA + PAGE, PAGE));
   assert_false(may_have_changed(&space, CARD_VA, PAGE));

   assert_int_equal(vgpu_collect_writes(space.gpu, false), 0);
   assert_true(may_have_changed(&space, CARD_VA, PAGE));
   vm_finish(vm);
}

/* One entry stands for all of a huge page; what is behind it has others. */
static void
huge_pages_are_told_apart_by_pages(void **state)
{
   const uint64_t behind = CARD_VA + HUGE_PAGE, changed = CARD_VA + 100 * PAGE, changed_behind = behind + PAGE;
   struct space space;
   struct vm *vm = &space_init(&space, state)->vm;
   assert_int_equal(vm_map(vm, CARD_VA, HUGE_PAGE + 3 * PAGE, HUGE_PAGE, false, VM_READ | VM_WRITE, 0), 0);
   collect(&space);
   collect(&space);
   assert_false(may_have_changed(&space, CARD_VA, HUGE_PAGE + 3 * PAGE));
   assert_true(may_have_changed(&space, CARD_VA, HUGE_PAGE + 3 * PAGE + 1)); /* is not mapped any more */

   write_word(&space, changed);
   write_word(&space, changed_behind);
   collect(&space);
   assert_false(may_have_changed(&space, CARD_VA, 100 * PAGE));
   assert_true(may_have_changed(&space, changed, PAGE));
   assert_true(may_have_changed(&space, changed - 1, 2));
   assert_true(may_have_changed(&space, changed + PAGE - 1, 1));
   assert_false(may_have_changed(&space, changed + PAGE, changed_behind - changed - PAGE));
   assert_true(may_have_changed(&space, changed + PAGE, changed_behind - changed - PAGE + 1));
   assert_false(may_have_changed(&space, changed_behind + PAGE, PAGE));
   assert_int_equal(vgpu_collect_writes(space.gpu, false), 0);
   vm_finish(vm);
}

static void
other_ways_to_change_memory(void **state)
{
   struct space space;
   struct vm *vm = &space_init(&space, state)->vm;
   uint32_t word = 5;
   assert_int_equal(vm_map(vm, CARD_VA, 16 * PAGE, HUGE_PAGE, false, VM_READ | VM_WRITE, 0), 0);
   collect(&space);
   collect(&space);
   assert_false(may_have_changed(&space, CARD_VA, 16 * PAGE));

   assert_int_equal(vgpu_memory_write(space.gpu, vm->vmid, CARD_VA + 3 * PAGE - 2, &word, 4), 0);
   assert_int_equal(vgpu_vram_write(space.gpu, HUGE_PAGE + 5 * PAGE, &word, 4), 0);
   assert_int_equal(vm_map(vm, CARD_VA + 7 * PAGE, PAGE, HUGE_PAGE + 20 * PAGE, false, VM_READ, 0), 0);
   assert_int_equal(vm_unmap(vm, CARD_VA + 9 * PAGE, PAGE), 0);
   collect(&space);
   const uint32_t changed = 1 << 2 | 1 << 3 | 1 << 5 | 1 << 7 | 1 << 9;
   for (uint32_t i = 0; i < 16; i++)
      assert_int_equal(may_have_changed(&space, CARD_VA + i * PAGE, PAGE), changed >> i & 1);
   assert_int_equal(vgpu_collect_writes(space.gpu, false), 0);
   vm_finish(vm);
}

/* As drivers map a buffer: by mmap(2) on the card's descriptor, which the card hears nothing of. */
static void
what_the_host_has_mapped_may_always_have_changed(void **state)
{
   struct card *card = *state;
   uint32_t vmid, apart = bo_create(card, 4 * PAGE, AMDGPU_GEM_DOMAIN_VRAM);
   uint32_t shared = bo_create(card, 4 * PAGE, AMDGPU_GEM_DOMAIN_VRAM);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, apart, CARD_VA, 0, 4 * PAGE, VA_RW), 0);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, shared, CARD_VA + 4 * PAGE, 0, 4 * PAGE, VA_RW), 0);
   assert_int_equal(vgpu_reserve_vmid(card->gpu, &vmid), 0);
   union drm_amdgpu_gem_mmap where = {.in.handle = shared};
   card_must(card, DRM_IOCTL_AMDGPU_GEM_MMAP, &where);
   uint32_t *map =
      mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, vgpu_fd(card->gpu), (off_t)where.out.addr_ptr);
   assert_true(map != MAP_FAILED);
   for (int i = 0; i < 3; i++) {
      assert_int_equal(vgpu_collect_writes(card->gpu, true), 0);
      map[1] += 1;
   }
   assert_false(vgpu_memory_may_have_changed(card->gpu, vmid, CARD_VA, 4 * PAGE));
   assert_true(vgpu_memory_may_have_changed(card->gpu, vmid, CARD_VA + 4 * PAGE, 4));
   munmap(map, 4 * PAGE);
   assert_int_equal(vgpu_collect_writes(card->gpu, false), 0);
   bo_close(card, apart);
   bo_close(card, shared);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(runs_of_pages_are_listed, card_setup, card_teardown),
      cmocka_unit_test_setup_teardown(writes_are_noted, card_setup, card_teardown),
      cmocka_unit_test_setup_teardown(huge_pages_are_told_apart_by_pages, card_setup, card_teardown),
      cmocka_unit_test_setup_teardown(other_ways_to_change_memory, card_setup, card_teardown),
      cmocka_unit_test_setup_teardown(what_the_host_has_mapped_may_always_have_changed, card_setup, card_teardown),
   };
   return cmocka_run_group_tests_name("mappings", tests, NULL, NULL);
}
