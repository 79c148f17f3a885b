/* SPDX-License-Identifier: MIT */
/* The virtual GPU and the driver, tried for real: in child processes, since what is broken may crash or hang. */
#include "doctor/doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "hdb/hdb_driver.h"
#include "vgpu.h"

#define PATIENCE_MS 20000

struct attempt {
   const char *library, *manifest;
   char text[160]; /* the outcome in words */
};

/* Runs `work` in a child; its text comes back through a pipe. */
static bool
try(bool (*work)(struct attempt *attempt), struct attempt *attempt, char *text, size_t size)
{
   int ends[2];
   if (pipe(ends) < 0) {
      snprintf(text, size, "no pipe: %s", strerror(errno));
      return false;
   }
   fflush(NULL);
   pid_t child = fork();
   if (child == 0) {
      close(ends[0]);
      bool good = work(attempt);
      bool told = write(ends[1], attempt->text, strlen(attempt->text)) >= 0;
      _exit(good && told ? 0 : 1);
   }
   close(ends[1]);
   char buffer[sizeof(attempt->text) + 1] = ""; /* room for the end of file */
   size_t length = 0;
   struct pollfd fd = {ends[0], POLLIN, 0};
   ssize_t n = child < 0 ? 0 : 1;
   while (n > 0 && length < sizeof(buffer) - 1 && poll(&fd, 1, PATIENCE_MS) > 0) {
      n = read(ends[0], buffer + length, sizeof(buffer) - 1 - length);
      length += n > 0 ? n : 0;
   }
   bool late = n > 0;
   close(ends[0]);
   if (child < 0) {
      snprintf(text, size, "no process: %s", strerror(errno));
      return false;
   }
   if (late)
      kill(child, SIGKILL);
   int status = 0;
   waitpid(child, &status, 0);
   if (late)
      snprintf(text, size, "no answer within %d s", PATIENCE_MS / 1000);
   else if (WIFSIGNALED(status))
      snprintf(text, size, "tried, and it crashed: %s", strsignal(WTERMSIG(status)));
   else
      snprintf(text, size, "%s", length ? buffer : "tried, and it ended without a word");
   return !late && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool
fail(struct attempt *attempt, const char *text)
{
   snprintf(attempt->text, sizeof(attempt->text), "%.150s", text);
   return false;
}

/* ---- the virtual GPU -------------------------------------------------------------------------------------------- */

/* v_lshlrev_b32 v1, 2, v0; global_store_b32 v1, v0, s[0:1]; s_endpgm: each thread stores its number (llvm-mc 19). */
static const uint32_t store_ids[] = {0x30020082, 0xdc6a0000, 0x00000001, 0xbfb00000};
#define THREADS 64

static bool
run_program(struct attempt *attempt)
{
   void *library = dlopen(attempt->library, RTLD_NOW | RTLD_LOCAL);
   if (!library)
      return fail(attempt, dlerror());
   int (*create)(const struct vgpu_options *, struct vgpu **) = dlsym(library, "vgpu_create");
   int (*run)(struct vgpu *, const struct vgpu_dispatch *, struct vgpu_fault *) = dlsym(library, "vgpu_run");
   if (!create || !run)
      return fail(attempt, "the library has no vgpu_create or vgpu_run: it is another build's");

   static uint32_t result[THREADS];
   const struct vgpu_options options = {.vram_size = 64 << 20, .flags = VGPU_HOST_POINTERS};
   const struct vgpu_dispatch dispatch = {
      .code = store_ids,
      .code_size = sizeof(store_ids),
      .workgroups = {1, 1, 1},
      .workgroup_size = {THREADS, 1, 1},
      .argument = (uintptr_t)result,
   };
   struct vgpu *gpu;
   struct vgpu_fault fault = {0};
   memset(result, 0xff, sizeof(result));
   int error = create(&options, &gpu);
   if (error < 0)
      return fail(attempt, strerror(-error));
   if (run(gpu, &dispatch, &fault) < 0)
      return fail(attempt, fault.text);
   for (uint32_t i = 0; i < THREADS; i++) {
      if (result[i] != i)
         return fail(attempt, "a program gave wrong results");
   }
   snprintf(attempt->text, sizeof(attempt->text), "ran a program of %d threads", THREADS);
   return true;
}

bool
try_virtual_gpu(const char *library, char *text, size_t size)
{
   struct attempt attempt = {.library = library};
   return try(run_program, &attempt, text, size);
}

/* ---- the layer -------------------------------------------------------------------------------------------------- */

static bool
load_layer(struct attempt *attempt)
{
   void *library = dlopen(attempt->library, RTLD_NOW | RTLD_LOCAL);
   if (!library)
      return fail(attempt, dlerror());
   if (!dlsym(library, "vkNegotiateLoaderLayerInterfaceVersion"))
      return fail(attempt, "the library is no Vulkan layer");
   strcpy(attempt->text, "loads");
   return true;
}

bool
try_layer(const char *library, char *text, size_t size)
{
   struct attempt attempt = {.library = library};
   return try(load_layer, &attempt, text, size);
}

/* ---- the driver ------------------------------------------------------------------------------------------------- */

#define LOAD(function) PFN_##function function = (PFN_##function)get(instance, #function)

/* A device, made as the layer makes it: a driver that knows hdb fills in what it is asked for. */
static bool
make_device(struct attempt *attempt, PFN_vkGetInstanceProcAddr get, VkInstance instance, VkPhysicalDevice physical)
{
   LOAD(vkGetPhysicalDeviceProperties);
   LOAD(vkCreateDevice);
   VkPhysicalDeviceProperties properties;
   vkGetPhysicalDeviceProperties(physical, &properties);
   struct hdb_driver *driver = NULL;
   struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .driver = &driver,
   };
   const float priority = 1;
   const VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueCount = 1,
      .pQueuePriorities = &priority,
   };
   const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &link,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue,
   };
   VkDevice device;
   VkResult result = vkCreateDevice(physical, &info, NULL, &device);
   if (result != VK_SUCCESS) {
      snprintf(attempt->text, sizeof(attempt->text), "vkCreateDevice gives %d", result);
      return false;
   }
   if (!driver)
      return fail(attempt, "the driver is not hdb's, or of another version than this hdb");
   if (driver->version != HDB_DRIVER_VERSION) {
      snprintf(attempt->text, sizeof(attempt->text), "the driver speaks version %u of hdb's contract, hdb %u",
               driver->version, HDB_DRIVER_VERSION);
      return false;
   }
   snprintf(attempt->text, sizeof(attempt->text), "%.80s, hdb's RADV, contract version %u", properties.deviceName,
            driver->version);
   return true;
}

static bool
start_driver(struct attempt *attempt)
{
   setenv("HDB_GPU", "virtual", 1);
   setenv("VK_DRIVER_FILES", attempt->manifest, 1);
   setenv("VK_ICD_FILENAMES", attempt->manifest, 1); /* its name in older loaders */
   unsetenv("VK_INSTANCE_LAYERS");
   unsetenv("HDB_ENABLE");
   void *library = dlopen(attempt->library, RTLD_NOW | RTLD_LOCAL);
   if (!library)
      return fail(attempt, dlerror());
   PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
   VkInstance instance = NULL;
   LOAD(vkCreateInstance);
   const VkApplicationInfo application = {
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
      .pApplicationName = "hdb doctor",
      .apiVersion = VK_API_VERSION_1_3,
   };
   const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pApplicationInfo = &application,
   };
   VkResult result = vkCreateInstance(&info, NULL, &instance);
   if (result != VK_SUCCESS) {
      snprintf(attempt->text, sizeof(attempt->text), "vkCreateInstance gives %d", result);
      return false;
   }
   LOAD(vkEnumeratePhysicalDevices);
   uint32_t count = 1;
   VkPhysicalDevice physical;
   result = vkEnumeratePhysicalDevices(instance, &count, &physical);
   if (result < 0 || count == 0)
      return fail(attempt, "the driver has no virtual device to offer");
   return make_device(attempt, get, instance, physical);
}

bool
try_driver(const char *loader, const char *manifest, char *text, size_t size)
{
   struct attempt attempt = {.library = loader, .manifest = manifest};
   return try(start_driver, &attempt, text, size);
}
