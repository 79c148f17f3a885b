/* SPDX-License-Identifier: MIT */
/* Buffers: memory, mappings for host and GPU, sharing. */
#include "kmd_card.h"

#include <fcntl.h>
#include <sys/stat.h>

#define PAGE 4096ull
#define HUGE_PAGE (2ull << 20)
#define MAP AMDGPU_VA_OP_MAP
#define UNMAP AMDGPU_VA_OP_UNMAP
#define CLEAR AMDGPU_VA_OP_CLEAR
#define REPLACE AMDGPU_VA_OP_REPLACE

static int
create(struct card *card, uint64_t size, uint64_t alignment, uint32_t domains)
{
   union drm_amdgpu_gem_create args = {.in = {.bo_size = size, .alignment = alignment, .domains = domains}};
   return card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_CREATE, &args);
}

/* Host and GPU see the same bytes, in VRAM and in GTT, whatever the size. */
static void
host_and_gpu_share_memory(void **state)
{
   struct card *card = *state;
   const uint32_t domains[] = {AMDGPU_GEM_DOMAIN_VRAM, AMDGPU_GEM_DOMAIN_GTT,
                               AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT};
   const uint64_t sizes[] = {48, 640, PAGE, 3 * PAGE, HUGE_PAGE, HUGE_PAGE + 5 * PAGE};

   for (int d = 0; d < 3; d++) {
      for (int s = 0; s < 6; s++) {
         uint64_t size = (sizes[s] + PAGE - 1) & ~(PAGE - 1);
         uint32_t bo = bo_create(card, sizes[s], domains[d]);
         uint32_t *memory = bo_map(card, bo, size);
         assert_int_equal(memory[0], 0);
         assert_int_equal(memory[size / 4 - 1], 0);
         assert_int_equal(va_op(card, MAP, bo, CARD_VA, 0, size, VA_RW), 0);
         memory[size / 4 - 1] = 0x1234;
         assert_int_equal(va_read(card, CARD_VA + size - 4), 0x1234);
         uint32_t value = 0x5678;
         assert_int_equal(vm_copy_to(&card->gpu->kmd->vm, CARD_VA, &value, 4), 0);
         assert_int_equal(memory[0], 0x5678);
         assert_int_equal(va_op(card, UNMAP, bo, CARD_VA, 0, size, 0), 0);
         assert_false(va_is_mapped(card, CARD_VA));
         munmap(memory, size);
         bo_close(card, bo);
      }
   }
}

static void
flags_become_protection(void **state)
{
   struct card *card = *state;
   struct vm_walk walk;
   uint32_t bo = bo_create(card, PAGE, AMDGPU_GEM_DOMAIN_VRAM);
   uint32_t flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE | AMDGPU_VM_MTYPE_UC;
   assert_int_equal(va_op(card, MAP, bo, CARD_VA, 0, PAGE, flags), 0);
   vm_walk(&card->gpu->kmd->vm, CARD_VA, &walk);
   assert_int_equal(walk.access, VM_READ | VM_EXECUTE);
   assert_int_equal(walk.mtype, 3);
   assert_false(walk.system);
   bo_close(card, bo); /* takes its mappings along */
   assert_false(va_is_mapped(card, CARD_VA));
}

static void
an_address_is_used_again(void **state)
{
   struct card *card = *state;
   uint32_t bo[2];
   for (int i = 0; i < 2; i++) {
      bo[i] = bo_create(card, PAGE, AMDGPU_GEM_DOMAIN_VRAM);
      uint32_t *memory = bo_map(card, bo[i], PAGE);
      memory[0] = 100 + i;
      munmap(memory, PAGE);
   }
   uint64_t before = atomic_load(&card->gpu->vm_generation);
   assert_int_equal(va_op(card, MAP, bo[0], CARD_VA, 0, PAGE, VA_RW), 0);
   assert_int_equal(va_read(card, CARD_VA), 100);
   assert_int_equal(va_op(card, MAP, bo[1], CARD_VA, 0, PAGE, VA_RW), -EINVAL); /* taken */
   assert_int_equal(va_op(card, UNMAP, bo[0], CARD_VA, 0, PAGE, 0), 0);
   assert_int_equal(va_op(card, MAP, bo[1], CARD_VA, 0, PAGE, VA_RW), 0);
   assert_int_equal(va_read(card, CARD_VA), 101);
   assert_true(atomic_load(&card->gpu->vm_generation) >= before + 3);
}

static void
freed_memory_is_clear_and_gone(void **state)
{
   struct card *card = *state;
   for (int round = 0; round < 3; round++) {
      uint32_t bo = bo_create(card, 16 * HUGE_PAGE, AMDGPU_GEM_DOMAIN_VRAM);
      uint8_t *memory = bo_map(card, bo, 16 * HUGE_PAGE);
      for (uint64_t at = 0; at < 16 * HUGE_PAGE; at += PAGE) {
         assert_int_equal(memory[at], 0);
         memory[at] = 0xff;
      }
      munmap(memory, 16 * HUGE_PAGE);
      bo_close(card, bo);
   }
   struct stat status;
   assert_int_equal(fstat(vgpu_fd(card->gpu), &status), 0);
   assert_true(status.st_blocks * 512 < 1 << 20); /* what is left: page tables */
}

static void
heaps_run_out_cleanly(void **state)
{
   struct card *card = *state;
   assert_int_equal(create(card, CARD_VRAM + PAGE, 0, AMDGPU_GEM_DOMAIN_VRAM), -ENOMEM);
   assert_int_equal(create(card, 1ull << 60, 0, AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT), -ENOMEM);
   assert_int_equal(create(card, CARD_VRAM + PAGE, 0, AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT), 0);
   assert_int_equal(create(card, 0, 0, AMDGPU_GEM_DOMAIN_VRAM), -EINVAL);
   assert_int_equal(create(card, PAGE, 3, AMDGPU_GEM_DOMAIN_VRAM), -EINVAL);
   assert_int_equal(create(card, PAGE, 0, AMDGPU_GEM_DOMAIN_DOORBELL), -EINVAL);
   assert_non_null(strstr(card->log, "doorbell"));
}

static void
bad_handles_and_ranges(void **state)
{
   struct card *card = *state;
   uint32_t bo = bo_create(card, 2 * PAGE, AMDGPU_GEM_DOMAIN_VRAM);
   assert_int_equal(va_op(card, MAP, 99, CARD_VA, 0, PAGE, VA_RW), -ENOENT);
   assert_int_equal(va_op(card, MAP, bo, CARD_VA, PAGE, 2 * PAGE, VA_RW), -EINVAL);
   assert_int_equal(va_op(card, MAP, bo, CARD_VA + 1, 0, PAGE, VA_RW), -EINVAL);
   assert_int_equal(va_op(card, MAP, bo, 0x1000, 0, PAGE, VA_RW), -EINVAL);             /* below what INFO says */
   assert_int_equal(va_op(card, MAP, bo, 0x0000800000000000, 0, PAGE, VA_RW), -EINVAL); /* in the hole */
   assert_int_equal(va_op(card, MAP, bo, CARD_VA, 0, 0, VA_RW), -EINVAL);
   assert_int_equal(va_op(card, MAP, bo, CARD_VA, 0, PAGE, 1u << 30), -EINVAL);
   assert_int_equal(va_op(card, 77, bo, CARD_VA, 0, PAGE, VA_RW), -EINVAL);
   assert_int_equal(va_op(card, UNMAP, bo, CARD_VA, 0, PAGE, 0), -ENOENT);

   union drm_amdgpu_gem_mmap map = {.in = {.handle = 99}};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -ENOENT);
   struct drm_gem_close close_args = {.handle = 99};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_GEM_CLOSE, &close_args), -EINVAL);
   union drm_amdgpu_gem_create hidden = {
      .in = {.bo_size = PAGE, .domains = AMDGPU_GEM_DOMAIN_VRAM, .domain_flags = AMDGPU_GEM_CREATE_NO_CPU_ACCESS}};
   card_must(card, DRM_IOCTL_AMDGPU_GEM_CREATE, &hidden);
   map.in.handle = hidden.out.handle;
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -EPERM);
}

/* Sparse resources: a PRT range, pieces of buffers put into it and taken out again. */
static void
sparse(void **state)
{
   struct card *card = *state;
   const uint64_t size = 2 * HUGE_PAGE;
   uint32_t bo = bo_create(card, 8 * PAGE, AMDGPU_GEM_DOMAIN_VRAM);
   uint32_t *memory = bo_map(card, bo, 8 * PAGE);
   for (int page = 0; page < 8; page++)
      memory[page * 1024] = page + 1;

   assert_int_equal(va_op(card, MAP, 0, CARD_VA, 0, size, AMDGPU_VM_PAGE_PRT), 0);
   assert_int_equal(va_read(card, CARD_VA + HUGE_PAGE), 0);
   assert_int_equal(va_op(card, REPLACE, bo, CARD_VA + 3 * PAGE, 0, 8 * PAGE, VA_RW), 0);
   for (int page = 0; page < 16; page++)
      assert_int_equal(va_read(card, CARD_VA + page * PAGE), page >= 3 && page < 11 ? page - 2 : 0);

   /* The middle of the buffer goes back to PRT, then other pages of it come in: what stays keeps its offset. */
   assert_int_equal(va_op(card, REPLACE, 0, CARD_VA + 5 * PAGE, 0, 2 * PAGE, AMDGPU_VM_PAGE_PRT), 0);
   assert_int_equal(va_read(card, CARD_VA + 4 * PAGE), 2);
   assert_int_equal(va_read(card, CARD_VA + 5 * PAGE), 0);
   assert_int_equal(va_read(card, CARD_VA + 7 * PAGE), 5);
   assert_int_equal(va_op(card, REPLACE, bo, CARD_VA + 9 * PAGE, 0, PAGE, VA_RW), 0);
   assert_int_equal(va_read(card, CARD_VA + 8 * PAGE), 6);
   assert_int_equal(va_read(card, CARD_VA + 9 * PAGE), 1);
   assert_int_equal(va_read(card, CARD_VA + 10 * PAGE), 8);
   assert_true(va_is_mapped(card, CARD_VA + size - PAGE));

   /* Closing the buffer leaves the holes that it filled. */
   munmap(memory, 8 * PAGE);
   bo_close(card, bo);
   assert_false(va_is_mapped(card, CARD_VA + 3 * PAGE));
   assert_true(va_is_mapped(card, CARD_VA + 5 * PAGE));
   assert_int_equal(va_op(card, CLEAR, 0, CARD_VA, 0, size, 0), 0);
   assert_false(va_is_mapped(card, CARD_VA));
   assert_false(va_is_mapped(card, CARD_VA + size - PAGE));
   assert_int_equal(card->gpu->kmd->mapping_count, 0);
}

static void
metadata_and_create_info(void **state)
{
   struct card *card = *state;
   uint32_t bo = bo_create(card, 100, AMDGPU_GEM_DOMAIN_VRAM);
   struct drm_amdgpu_gem_metadata set = {.handle = bo, .op = AMDGPU_GEM_METADATA_OP_SET_METADATA};
   set.data.tiling_info = 0x1122334455;
   set.data.data_size_bytes = 8;
   set.data.data[1] = 7;
   card_must(card, DRM_IOCTL_AMDGPU_GEM_METADATA, &set);
   struct drm_amdgpu_gem_metadata get = {.handle = bo, .op = AMDGPU_GEM_METADATA_OP_GET_METADATA};
   card_must(card, DRM_IOCTL_AMDGPU_GEM_METADATA, &get);
   assert_int_equal(get.data.tiling_info, 0x1122334455);
   assert_int_equal(get.data.data_size_bytes, 8);
   assert_int_equal(get.data.data[1], 7);

   struct drm_amdgpu_gem_create_in info = {0};
   struct drm_amdgpu_gem_op op = {.handle = bo, .op = AMDGPU_GEM_OP_GET_GEM_CREATE_INFO, .value = (uintptr_t)&info};
   card_must(card, DRM_IOCTL_AMDGPU_GEM_OP, &op);
   assert_int_equal(info.bo_size, PAGE);
   assert_int_equal(info.domains, AMDGPU_GEM_DOMAIN_VRAM);

   union drm_amdgpu_gem_wait_idle idle = {.in = {.handle = bo}};
   card_must(card, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &idle);
   assert_int_equal(idle.out.status, 0);
   assert_int_equal(idle.out.domain, AMDGPU_GEM_DOMAIN_VRAM);
}

static void
buffers_as_descriptors(void **state)
{
   struct card *card = *state;
   uint32_t bo = bo_create(card, 3 * PAGE, AMDGPU_GEM_DOMAIN_VRAM);
   uint32_t *before = bo_map(card, bo, 3 * PAGE);
   before[0] = 77;

   struct drm_prime_handle args = {.handle = bo, .flags = DRM_CLOEXEC | DRM_RDWR};
   card_must(card, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);
   int fd = args.fd;
   assert_ptr_equal(vgpu_from_fd(fd), card->gpu);
   assert_int_equal(lseek(fd, 0, SEEK_END), 3 * PAGE);

   /* The descriptor, what was mapped before, what is mapped now and what the card has are one memory. */
   uint32_t *through = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
   assert_ptr_not_equal(through, MAP_FAILED);
   uint32_t *memory = bo_map(card, bo, 3 * PAGE);
   assert_int_equal(through[0], 77);
   before[1] = 78;
   through[2 * PAGE / 4] = 79;
   assert_int_equal(through[1], 78);
   assert_int_equal(memory[1], 78);
   assert_int_equal(before[2 * PAGE / 4], 79);
   assert_int_equal(memory[2 * PAGE / 4], 79);
   munmap(memory, 3 * PAGE);
   munmap(through, 3 * PAGE);
   munmap(before, 3 * PAGE);
   assert_int_equal(ftruncate(fd, 0), -1); /* no mapping of it can be made to fault */

   struct drm_prime_handle import = {.fd = fd};
   card_must(card, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import);
   assert_int_equal(import.handle, bo); /* still open: the same handle */
   bo_close(card, bo);
   card_must(card, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import);
   memory = bo_map(card, import.handle, PAGE);
   assert_int_equal(memory[0], 77);
   munmap(memory, PAGE);

   uint64_t used = heap_used(&card->gpu->vram);
   close(fd);
   bo_close(card, import.handle);
   assert_int_equal(heap_used(&card->gpu->vram), used - 3 * PAGE); /* nobody has it any more */

   import.fd = vgpu_fd(card->gpu);
   assert_int_equal(card_ioctl(card, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), -EINVAL);
   assert_non_null(strstr(card->log, "cannot be imported"));
}

/* Two cards are as two processes to each other. */
static void
buffers_of_another_card(void **state)
{
   struct card *card = *state, *other;
   assert_int_equal(card_setup((void **)&other), 0);
   uint32_t theirs = bo_create(other, 3 * PAGE, AMDGPU_GEM_DOMAIN_VRAM);
   struct drm_amdgpu_gem_metadata metadata = {
      .handle = theirs,
      .op = AMDGPU_GEM_METADATA_OP_SET_METADATA,
      .data = {.flags = 5, .tiling_info = 0x123456789abcdef0, .data_size_bytes = 8, .data = {10, 11}},
   };
   card_must(other, DRM_IOCTL_AMDGPU_GEM_METADATA, &metadata);
   uint32_t *memory = bo_map(other, theirs, PAGE);
   memory[0] = 1;
   struct drm_prime_handle prime = {.handle = theirs};
   card_must(other, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);

   card_must(card, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
   close(prime.fd);
   uint32_t ours = prime.handle;
   uint32_t *seen = bo_map(card, ours, PAGE);
   assert_int_equal(seen[0], 1);
   seen[1] = 2;
   assert_int_equal(memory[1], 2);
   memset(&metadata, 0, sizeof(metadata));
   metadata.handle = ours;
   metadata.op = AMDGPU_GEM_METADATA_OP_GET_METADATA;
   card_must(card, DRM_IOCTL_AMDGPU_GEM_METADATA, &metadata);
   assert_int_equal(metadata.data.flags, 5);
   assert_int_equal(metadata.data.tiling_info, 0x123456789abcdef0);
   assert_int_equal(metadata.data.data_size_bytes, 8);
   assert_int_equal(metadata.data.data[1], 11);

   /* The GPU of one reads what the other's host wrote; the buffer outlives the card that it came from. */
   assert_int_equal(va_op(card, MAP, ours, CARD_VA, 0, 3 * PAGE, VA_RW), 0);
   memory[2] = 3;
   uint32_t word, vmid;
   assert_int_equal(vgpu_reserve_vmid(card->gpu, &vmid), 0);
   assert_int_equal(vgpu_memory_read(card->gpu, vmid, CARD_VA + 8, &word, 4), 0);
   assert_int_equal(word, 3);
   munmap(memory, PAGE);
   card_teardown((void **)&other);
   assert_int_equal(seen[2], 3);
   munmap(seen, PAGE);
   bo_close(card, ours);
}

static void
no_growth(void **state)
{
   struct card *card = *state;
   long before = 0;
   int descriptors = 0;
   uint64_t used = 0;
   for (int round = 0; round < 1100; round++) {
      if (round == 100) {
         before = resident_kib();
         descriptors = open_descriptors();
         used = heap_used(&card->gpu->vram) + heap_used(&card->gpu->gtt);
      }
      uint32_t domain = round & 1 ? AMDGPU_GEM_DOMAIN_VRAM : AMDGPU_GEM_DOMAIN_GTT;
      uint32_t bo = bo_create(card, 64 * PAGE, domain);
      uint8_t *memory = bo_map(card, bo, 64 * PAGE);
      memset(memory, 1, 64 * PAGE);
      assert_int_equal(va_op(card, MAP, bo, CARD_VA + (round % 7) * HUGE_PAGE, 0, 64 * PAGE, VA_RW), 0);
      munmap(memory, 64 * PAGE);
      struct drm_prime_handle prime = {.handle = bo};
      card_must(card, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
      close(prime.fd);
      bo_close(card, bo);

      union drm_amdgpu_ctx context = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
      card_must(card, DRM_IOCTL_AMDGPU_CTX, &context);
      uint32_t id = context.out.alloc.ctx_id;
      context = (union drm_amdgpu_ctx){.in = {.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = id}};
      card_must(card, DRM_IOCTL_AMDGPU_CTX, &context);
   }
   assert_true(resident_kib() - before < GROWTH_LIMIT_KIB);
   assert_int_equal(open_descriptors(), descriptors);
   assert_int_equal(heap_used(&card->gpu->vram) + heap_used(&card->gpu->gtt), used);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, card_setup, card_teardown)
   const struct CMUnitTest tests[] = {
      TEST(host_and_gpu_share_memory),
      TEST(flags_become_protection),
      TEST(an_address_is_used_again),
      TEST(freed_memory_is_clear_and_gone),
      TEST(heaps_run_out_cleanly),
      TEST(bad_handles_and_ranges),
      TEST(sparse),
      TEST(metadata_and_create_info),
      TEST(buffers_as_descriptors),
      TEST(buffers_of_another_card),
      TEST(no_growth),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
