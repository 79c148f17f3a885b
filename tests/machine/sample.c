/* SPDX-License-Identifier: MIT */
/*
 * A sample, whole, with a driver underneath that reports to hdb, and every instruction of every wave trapped. Linked in
 * front of the Vulkan loader (-Wl,--wrap) in place of a layer: only the machine-level debugger is under test here.
 *
 *   sample-NAME steps|traps debug|optimized [the sample's own arguments]
 *
 * Exit codes: the sample's own; 1 when anything was not transparent; 77 without a driver (HDB_TEST_DRIVER).
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vulkan/vulkan.h>

#include "gpu.h"
#include "sq/sq.h"
#include "stop/private.h"
#include "target/target.h"
#include "watch.h"

int sample_main(int argc, char **argv);

static const char *name;
static bool steps;
static bool debug_compiled;
static bool failed;
static uint32_t seed = 12345;

static struct hdb_driver_link link_info;
static struct hdb_driver *driver;
static struct hdb_target *target;
static struct hdb_machine *machine;
static VkQueue queue;
static atomic_bool idle;

/* Shaders created before there is a machine. */
enum { MAX_SHADERS = 256, MAX_DISPATCHES = 64 };
static const struct hdb_shader *early[MAX_SHADERS];
static size_t early_count;

VkResult __real_vkCreateDevice(VkPhysicalDevice, const VkDeviceCreateInfo *, const VkAllocationCallbacks *, VkDevice *);
VkResult __wrap_vkCreateDevice(VkPhysicalDevice, const VkDeviceCreateInfo *, const VkAllocationCallbacks *, VkDevice *);
void __real_vkDestroyDevice(VkDevice, const VkAllocationCallbacks *);
void __wrap_vkDestroyDevice(VkDevice, const VkAllocationCallbacks *);
VkResult __real_vkQueueSubmit(VkQueue, uint32_t, const VkSubmitInfo *, VkFence);
VkResult __wrap_vkQueueSubmit(VkQueue, uint32_t, const VkSubmitInfo *, VkFence);

static void
must(bool good, const char *what)
{
   if (good)
      return;
   fprintf(stderr, "%s: %s\n", name, what);
   _exit(1);
}

static void
shader_created(void *user, const struct hdb_shader *shader)
{
   if (machine)
      hdb_machine_add_shader(machine, shader);
   else if (early_count < MAX_SHADERS)
      early[early_count++] = shader;
}

static void
shader_destroyed(void *user, const struct hdb_shader *shader)
{
   if (machine)
      hdb_machine_remove_shader(machine, shader);
}

VkResult
__wrap_vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *alloc,
                      VkDevice *device)
{
   link_info = (struct hdb_driver_link){
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .pNext = info->pNext,
      .version = HDB_DRIVER_VERSION,
      .flags = debug_compiled ? HDB_DRIVER_COMPILE_DEBUG : 0,
      .shader_created = shader_created,
      .shader_destroyed = shader_destroyed,
      .driver = &driver,
   };
   VkDeviceCreateInfo linked = *info;
   linked.pNext = &link_info;
   VkResult result = __real_vkCreateDevice(physical, &linked, alloc, device);
   if (result != VK_SUCCESS)
      return result;
   must(driver, "the driver does not report");
   must(!hdb_target_vgpu_create(driver->drm_fd, &target), "no virtual GPU");
   must(!hdb_machine_create(driver, target, &machine), "hdb_machine_create");
   for (size_t i = 0; i < early_count; i++)
      hdb_machine_add_shader(machine, early[i]);
   return VK_SUCCESS;
}

void
__wrap_vkDestroyDevice(VkDevice device, const VkAllocationCallbacks *alloc)
{
   hdb_machine_destroy(machine);
   hdb_target_destroy(target);
   machine = NULL;
   __real_vkDestroyDevice(device, alloc);
}

static void *
wait_idle(void *unused)
{
   vkQueueWaitIdle(queue);
   atomic_store(&idle, true);
   hdb_machine_interrupt_wait(machine);
   return NULL;
}

static void
step_everything(struct watch *watch)
{
   for (;;) {
      bool done = atomic_load(&idle); /* asked first: nothing can stop after that */
      must(hdb_machine_wait(machine, done ? 0 : 100) >= 0, "hdb_machine_wait");
      watch_step_stopped(watch, true);
      if (done)
         return;
   }
}

static void
trap_at_random(struct watch *watch)
{
   while (!atomic_load(&idle)) {
      seed = seed * 1664525 + 1013904223;
      usleep(seed >> 24);
      if (seed >> 23 & 1)
         machine_host_trap(machine);
      else
         watch_stop_and_go(watch);
   }
}

/* Arms every dispatch of the submission, the driver's own included, submits, and traps until all has run. */
static void
trap_submission(const struct hdb_dispatch *dispatches, uint32_t count, struct watch *watch)
{
   pthread_t thread;
   atomic_store(&idle, false);
   pthread_create(&thread, NULL, wait_idle, NULL);
   if (steps)
      step_everything(watch);
   else
      trap_at_random(watch);
   pthread_join(thread, NULL);
   for (uint32_t i = 0; i < count; i++)
      hdb_machine_disarm(machine, &dispatches[i]);
}

VkResult
__wrap_vkQueueSubmit(VkQueue vk_queue, uint32_t submit_count, const VkSubmitInfo *submits, VkFence fence)
{
   static struct hdb_dispatch dispatches[MAX_DISPATCHES];
   uint32_t count = 0;
   for (uint32_t i = 0; i < submit_count; i++)
      for (uint32_t j = 0; j < submits[i].commandBufferCount; j++) {
         count += driver->get_dispatches(driver, (void *)submits[i].pCommandBuffers[j], dispatches + count,
                                         MAX_DISPATCHES - count);
         must(count <= MAX_DISPATCHES, "too many dispatches");
      }
   for (uint32_t i = 0; i < count; i++)
      must(!hdb_machine_arm(machine, &dispatches[i], steps ? HDB_ARM_STOP_AT_ENTRY : 0), "hdb_machine_arm");

   struct watch watch;
   struct check_result result;
   struct vgpu *gpu = vgpu_from_fd(driver->drm_fd);
   watch_begin(&watch, gpu, machine, &result);
   queue = vk_queue;
   if (!steps)
      gpu->sq->quantum = 3; /* host traps come between quanta */
   VkResult submitted = __real_vkQueueSubmit(vk_queue, submit_count, submits, fence);
   if (submitted == VK_SUCCESS)
      trap_submission(dispatches, count, &watch);
   watch_end(&watch);
   if (steps && result.stops != result.entries)
      watch_report(&watch, &result.wrong_stops, "%llu traps, %llu stops", (unsigned long long)result.entries,
                   (unsigned long long)result.stops);
   check_print(stdout, name, &result);
   failed |= !check_passed(&result) || (count && !result.stops);
   return submitted;
}

/* The loader takes drivers by their manifests. */
static char manifest[] = "/tmp/hdb-test-XXXXXX.json";

static void
remove_manifest(void)
{
   unlink(manifest);
}

static void
use_driver(const char *path)
{
   int fd = mkstemps(manifest, 5);
   must(fd >= 0, "no temporary file");
   atexit(remove_manifest);
   dprintf(fd,
           "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\", \"api_version\": \"1.4.305\"}}\n",
           path);
   close(fd);
   setenv("VK_DRIVER_FILES", manifest, 1);
   setenv("VK_ICD_FILENAMES", manifest, 1);
   setenv("HDB_GPU", "virtual", 1);
   setenv("HDB_VGPU", "poison,late-loads,strict-caches,check-dealloc", 1);
   unsetenv("VK_INSTANCE_LAYERS");
   unsetenv("HDB_ENABLE");
}

int
main(int argc, char **argv)
{
   const char *path = getenv("HDB_TEST_DRIVER");
   if (!path || !path[0])
      return 77;
   name = argv[0];
   if (argc < 3) {
      fprintf(stderr, "usage: %s steps|traps debug|optimized [ARGUMENTS]\n", argv[0]);
      return 2;
   }
   steps = !strcmp(argv[1], "steps");
   debug_compiled = !strcmp(argv[2], "debug");
   use_driver(path);
   argv[2] = argv[0];
   int code = sample_main(argc - 2, argv + 2);
   return failed ? 1 : code;
}
