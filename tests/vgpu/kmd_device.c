/* SPDX-License-Identifier: MIT */
/* What the card says of itself, ioctls that it does not have, descriptors, the process's card, forked children. */
#include "kmd_card.h"

#include <fcntl.h>
#include <linux/dma-buf.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>

static int
info(struct card *card, uint32_t query, uint32_t type, void *data, uint32_t size)
{
   struct drm_amdgpu_info args = {
      .query = query, .return_pointer = (uintptr_t)data, .return_size = size, .query_hw_ip = {.type = type}};
   return card_ioctl(card, DRM_IOCTL_AMDGPU_INFO, &args);
}

static void
version(void **state)
{
   struct card *card = *state;
   struct drm_version args = {0};
   card_must(card, DRM_IOCTL_VERSION, &args); /* first the lengths, as libdrm does it */
   assert_int_equal(args.version_major, 3);
   assert_true(args.version_minor >= 55);
   assert_true(args.name_len && args.date_len && args.desc_len);
   char name[16] = {0}, date[32] = {0}, text[64] = {0};
   args.name = name;
   args.date = date;
   args.desc = text;
   card_must(card, DRM_IOCTL_VERSION, &args);
   assert_string_equal(name, "amdgpu");

   struct drm_client client = {.idx = 0};
   card_must(card, DRM_IOCTL_GET_CLIENT, &client);
   assert_int_equal(client.auth, 1);
   struct drm_get_cap cap = {.capability = DRM_CAP_SYNCOBJ_TIMELINE};
   card_must(card, DRM_IOCTL_GET_CAP, &cap);
   assert_int_equal(cap.value, 1);
   cap.capability = 0x999;
   assert_int_equal(card_ioctl(card, DRM_IOCTL_GET_CAP, &cap), -EOPNOTSUPP);
}

static void
a_navi31(void **state)
{
   struct card *card = *state;
   struct drm_amdgpu_info_device device;
   assert_int_equal(info(card, AMDGPU_INFO_DEV_INFO, 0, &device, sizeof(device)), 0);
   assert_int_equal(device.family, AMDGPU_FAMILY_GC_11_0_0);
   uint32_t units = 0;
   for (int i = 0; i < 16; i++)
      units += __builtin_popcount(device.cu_bitmap[i / 4][i % 4]);
   assert_int_equal(units, device.cu_active_number);
   assert_int_equal(units, device.num_shader_engines * device.num_shader_arrays_per_engine * device.num_cu_per_sh);

   /* Shorter and longer structures than ours. */
   struct {
      struct drm_amdgpu_info_device device;
      uint64_t more;
   } longer = {.more = 7};
   memset(&longer.device, 0xff, sizeof(longer.device));
   assert_int_equal(info(card, AMDGPU_INFO_DEV_INFO, 0, &longer, 8), 0);
   assert_int_equal(longer.device.device_id, device.device_id);
   assert_int_equal(longer.device.external_rev, ~0u);
   assert_int_equal(info(card, AMDGPU_INFO_DEV_INFO, 0, &longer, sizeof(longer)), 0);
   assert_int_equal(longer.more, 7);

   for (uint32_t type = 0; type < AMDGPU_HW_IP_NUM; type++) {
      struct drm_amdgpu_info_hw_ip ip;
      uint32_t count;
      assert_int_equal(info(card, AMDGPU_INFO_HW_IP_INFO, type, &ip, sizeof(ip)), 0);
      assert_int_equal(info(card, AMDGPU_INFO_HW_IP_COUNT, type, &count, sizeof(count)), 0);
      uint32_t rings = type == AMDGPU_HW_IP_GFX ? 1 : type == AMDGPU_HW_IP_COMPUTE ? 15 : 0;
      assert_int_equal(ip.available_rings, rings);
      assert_int_equal(count, rings != 0);
      assert_int_equal(ip.ip_discovery_version, rings ? 0xb0000 : 0);
   }

   uint32_t value = 0;
   struct drm_amdgpu_info reg = {.query = AMDGPU_INFO_READ_MMR_REG,
                                 .return_pointer = (uintptr_t)&value,
                                 .return_size = 4,
                                 .read_mmr_reg = {.dword_offset = 0x263e, .count = 1}};
   card_must(card, DRM_IOCTL_AMDGPU_INFO, &reg);
   assert_int_equal(value, 0x545);
}

static void
memory_use_is_told(void **state)
{
   struct card *card = *state;
   struct drm_amdgpu_memory_info memory;
   uint64_t before, after;
   assert_int_equal(info(card, AMDGPU_INFO_MEMORY, 0, &memory, sizeof(memory)), 0);
   assert_int_equal(memory.vram.total_heap_size, CARD_VRAM);
   assert_int_equal(memory.cpu_accessible_vram.total_heap_size, CARD_VRAM);
   assert_int_equal(info(card, AMDGPU_INFO_VRAM_USAGE, 0, &before, 8), 0);
   bo_create(card, 1 << 20, AMDGPU_GEM_DOMAIN_VRAM);
   assert_int_equal(info(card, AMDGPU_INFO_VRAM_USAGE, 0, &after, 8), 0);
   assert_int_equal(after - before, 1 << 20);
   assert_int_equal(info(card, AMDGPU_INFO_GTT_USAGE, 0, &before, 8), 0);
   assert_int_equal(before, 4096); /* the kernel's own */
   bo_create(card, 1 << 20, AMDGPU_GEM_DOMAIN_GTT);
   assert_int_equal(info(card, AMDGPU_INFO_GTT_USAGE, 0, &after, 8), 0);
   assert_int_equal(after - before, 1 << 20);
}

static void
the_clock_runs_at_100_mhz(void **state)
{
   struct card *card = *state;
   uint64_t start, end;
   int64_t host = now_ns();
   assert_int_equal(info(card, AMDGPU_INFO_TIMESTAMP, 0, &start, 8), 0);
   usleep(20000);
   assert_int_equal(info(card, AMDGPU_INFO_TIMESTAMP, 0, &end, 8), 0);
   host = now_ns() - host;
   assert_true((int64_t)(end - start) * 10 >= 20000000 && (int64_t)(end - start) * 10 <= host + 10);
}

static uint32_t
count_lines(const char *log, const char *needle)
{
   uint32_t count = 0;
   for (const char *at = log; (at = strstr(at, needle)); at++)
      count++;
   return count;
}

static void
unknown_ioctls_are_named_once(void **state)
{
   struct card *card = *state;
   uint8_t data[64] = {0};
   for (int i = 0; i < 3; i++) {
      assert_int_equal(card_ioctl(card, DRM_IOWR(0x9e, uint64_t), data), -EINVAL);
      assert_int_equal(info(card, 0xee, 0, data, 8), -EINVAL);
   }
   assert_int_equal(count_lines(card->log, "0x9e"), 1);
   assert_int_equal(count_lines(card->log, "0xee"), 1);

   size_t length = strlen(card->log);
   assert_int_equal(card_ioctl(card, _IO('T', 1), data), -ENOTTY); /* isatty and the like */
   assert_int_equal(card_ioctl(card, DMA_BUF_IOCTL_SYNC, data), 0);
   assert_int_equal(strlen(card->log), length);
}

static void
reserving_an_id(void **state)
{
   struct card *card = *state;
   union drm_amdgpu_vm args = {.in = {.op = AMDGPU_VM_OP_RESERVE_VMID}};
   card_must(card, DRM_IOCTL_AMDGPU_VM, &args);
   uint32_t vmid = 0, again = 0;
   assert_int_equal(vgpu_reserve_vmid(card->gpu, &vmid), 0);
   assert_true(vmid >= 1 && vmid <= 7);
   args = (union drm_amdgpu_vm){.in = {.op = AMDGPU_VM_OP_UNRESERVE_VMID}};
   card_must(card, DRM_IOCTL_AMDGPU_VM, &args);
   assert_int_equal(vgpu_reserve_vmid(card->gpu, &again), 0);
   assert_int_equal(again, vmid);
   args = (union drm_amdgpu_vm){.in = {.op = 9}};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_VM, &args), -EINVAL);

   uint32_t bo = bo_create(card, 4096, AMDGPU_GEM_DOMAIN_VRAM), value = 0xabcd, back = 0;
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, bo, CARD_VA, 0, 4096, VA_RW), 0);
   assert_int_equal(vgpu_memory_write(card->gpu, vmid, CARD_VA + 100, &value, 4), 0);
   assert_int_equal(vgpu_memory_read(card->gpu, vmid, CARD_VA + 100, &back, 4), 0);
   assert_int_equal(back, value);
   assert_int_equal(vgpu_memory_read(card->gpu, vmid, CARD_VA + 4096, &back, 4), -EFAULT);
   assert_int_equal(vgpu_vram_read(card->gpu, CARD_VRAM - 4, &back, 4), 0);
   assert_int_equal(vgpu_vram_read(card->gpu, CARD_VRAM - 3, &back, 4), -EFAULT);
   assert_int_equal(vgpu_vram_write(card->gpu, ~0ull, &back, 4), -EFAULT);
}

static void
descriptors_are_known_by_inode(void **state)
{
   struct card *card = *state, *other;
   assert_int_equal(card_setup((void **)&other), 0);
   int copy = fcntl(vgpu_fd(card->gpu), F_DUPFD_CLOEXEC, 3);
   char path[64];
   snprintf(path, sizeof(path), "/proc/self/fd/%d", vgpu_fd(card->gpu));
   int opened = open(path, O_RDWR | O_CLOEXEC);
   assert_true(copy >= 0 && opened >= 0);
   assert_ptr_equal(vgpu_from_fd(copy), card->gpu);
   assert_ptr_equal(vgpu_from_fd(opened), card->gpu);
   assert_ptr_equal(vgpu_from_fd(vgpu_fd(other->gpu)), other->gpu);
   assert_null(vgpu_from_fd(0));
   assert_null(vgpu_from_fd(-1));

   /* The number comes to stand for something else. */
   int null = open("/dev/null", O_RDWR | O_CLOEXEC);
   assert_int_equal(dup2(null, copy), copy);
   assert_null(vgpu_from_fd(copy));
   close(null);
   close(copy);
   close(opened);
   card_teardown((void **)&other);
}

static void
a_card_is_cheap(void **state)
{
   long resident = resident_kib();
   int descriptors = open_descriptors();
   int64_t start = now_ns();
   for (int i = 0; i < 10; i++) {
      struct vgpu *gpu;
      assert_int_equal(vgpu_create(NULL, &gpu), 0); /* the default size */
      vgpu_destroy(gpu);
   }
   assert_true(now_ns() - start < 1000000000);
   assert_true(resident_kib() - resident < 8 * 1024 + GROWTH_LIMIT_KIB);
   assert_int_equal(open_descriptors(), descriptors);
}

/* ---- the process's card, and forks ------------------------------------------------------------------------------ */

static void
the_process_card(void **state)
{
   unsetenv("HDB_GPU");
   assert_null(vgpu_process_card());
   setenv("HDB_GPU", "amdgpu", 1);
   assert_null(vgpu_process_card());

   FILE *log = tmpfile();
   assert_non_null(log);
   fflush(stderr);
   int saved = dup(2);
   dup2(fileno(log), 2);
   setenv("HDB_GPU", "bogus", 1);
   struct vgpu *none = vgpu_process_card(), *again = vgpu_process_card();
   setenv("HDB_GPU", "virtual", 1);
   setenv("HDB_VGPU", "poison,,late-loads,nonsense,check-dealloc", 1);
   struct vgpu *gpu = vgpu_process_card();
   fflush(stderr);
   dup2(saved, 2);
   close(saved);

   char text[1024] = {0};
   rewind(log);
   assert_true(fread(text, 1, sizeof(text) - 1, log) > 0);
   fclose(log);
   assert_null(none);
   assert_null(again);
   assert_int_equal(count_lines(text, "\n"), 2);
   assert_non_null(strstr(text, "HDB_GPU=bogus is neither virtual nor amdgpu; ignored\n"));
   assert_non_null(strstr(text, "\"nonsense\""));
   assert_non_null(gpu);
   assert_ptr_equal(vgpu_process_card(), gpu);
   assert_int_equal(gpu->options.flags, VGPU_POISON | VGPU_LATE_LOADS | VGPU_CHECK_DEALLOC);
   vgpu_destroy(gpu);
}

static volatile bool stop;

static void *
keep_the_locks_busy(void *argument)
{
   struct card *card = argument;
   while (!stop) {
      union drm_amdgpu_gem_create args = {.in = {.bo_size = 4096, .domains = AMDGPU_GEM_DOMAIN_VRAM}};
      card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_CREATE, &args);
      struct drm_gem_close close_args = {.handle = args.out.handle};
      card_ioctl(card, DRM_IOCTL_GEM_CLOSE, &close_args);
      vgpu_from_fd(1);
   }
   return NULL;
}

/* In the child. Returns which step went wrong. */
static int
try_the_inherited_card(struct card *card)
{
   uint32_t value = 0;
   struct drm_syncobj_create args = {0};
   alarm(20);
   if (vgpu_from_fd(vgpu_fd(card->gpu)) != card->gpu)
      return 1;
   if (card_ioctl(card, DRM_IOCTL_SYNCOBJ_CREATE, &args) != -EIO)
      return 2;
   if (vgpu_vram_read(card->gpu, 0, &value, 4) != -EIO || vgpu_memory_read(card->gpu, 1, 0, &value, 4) != -EIO ||
       vgpu_reserve_vmid(card->gpu, &value) != -EIO)
      return 3;
   vgpu_wake(card->gpu);
   vgpu_hold_time(card->gpu, true);
   vgpu_destroy(card->gpu);

   /* A card of the child's own works. */
   struct vgpu_options options = {.vram_size = CARD_VRAM};
   struct card own = {0};
   if (vgpu_create(&options, &own.gpu) || card_ioctl(&own, DRM_IOCTL_SYNCOBJ_CREATE, &args))
      return 4;
   if (vgpu_from_fd(vgpu_fd(own.gpu)) != own.gpu)
      return 5;
   vgpu_destroy(own.gpu);
   return 0;
}

static void
a_forked_child_finds_it_inert(void **state)
{
   struct card *card = *state;
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   struct submit job = {
      .context = context_new(card), .ip = AMDGPU_HW_IP_COMPUTE, .va = gate.va + 256, .dwords = gate.dwords};
   assert_int_equal(submit(card, &job, NULL), 0);
   pthread_t thread;
   stop = false;
   assert_int_equal(pthread_create(&thread, NULL, keep_the_locks_busy, card), 0);

   for (int i = 0; i < 20; i++) {
      pid_t child = fork();
      assert_true(child >= 0);
      if (child == 0)
         _exit(try_the_inherited_card(card));
      int status;
      assert_int_equal(waitpid(child, &status, 0), child);
      assert_true(WIFEXITED(status));
      assert_int_equal(WEXITSTATUS(status), 0);
   }
   stop = true;
   pthread_join(thread, NULL);

   gate_open(card, &gate);
   bool busy = true;
   assert_int_equal(wait_cs(card, job.context, AMDGPU_HW_IP_COMPUTE, 0, 1, now_ns() + 10000000000, &busy), 0);
   assert_false(busy);
   gate_destroy(card, &gate);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, card_setup, card_teardown)
   const struct CMUnitTest tests[] = {
      TEST(version),
      TEST(a_navi31),
      TEST(memory_use_is_told),
      TEST(the_clock_runs_at_100_mhz),
      TEST(unknown_ioctls_are_named_once),
      TEST(reserving_an_id),
      TEST(descriptors_are_known_by_inode),
      TEST(a_forked_child_finds_it_inert),
      cmocka_unit_test(a_card_is_cheap),
      cmocka_unit_test(the_process_card),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
