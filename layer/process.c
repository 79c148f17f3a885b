/* SPDX-License-Identifier: MIT */
/*
 * What exists once in a process: the settings, the engine, the answer to fork(). The library is never unloaded (linked
 * with -z nodelete), since the engine's thread outlives vkDestroyInstance.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer.h"
#include "settings.h"

atomic_bool layer_inert;

static struct {
   pthread_mutex_t lock;
   bool initialized;
   struct layer_settings settings;
   int client_fd; /* from `hdb run`, or -1 */

   struct hdb_engine *engine;
   bool engine_failed;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER, .client_fd = -1};

static void
become_inert(void)
{
   layer_inert = true;
}

/* HDB_CLIENT_FD is for the first process that uses Vulkan, not for its children. */
static int
take_client_fd(void)
{
   const char *text = getenv("HDB_CLIENT_FD");
   if (!text)
      return -1;
   char *end;
   long fd = strtol(text, &end, 10);
   bool good = end != text && !*end && fd >= 0 && fcntl((int)fd, F_SETFD, FD_CLOEXEC) == 0;
   if (!good)
      fprintf(stderr, "hdb: HDB_CLIENT_FD is '%s', which is not an open descriptor\n", text);
   unsetenv("HDB_CLIENT_FD");
   return good ? (int)fd : -1;
}

/* VK_EXT_layer_settings: what the application gave for a key, if it is a string. */
static const char *
application_setting(void *user, const char *key)
{
   const VkInstanceCreateInfo *create_info = user;
   for (const VkBaseInStructure *next = create_info->pNext; next; next = next->pNext) {
      if (next->sType != VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT)
         continue;
      const VkLayerSettingsCreateInfoEXT *info = (const void *)next;
      for (uint32_t i = 0; i < info->settingCount; i++) {
         const VkLayerSettingEXT *setting = &info->pSettings[i];
         if (!strcmp(setting->pLayerName, LAYER_NAME) && !strcmp(setting->pSettingName, key) &&
             setting->type == VK_LAYER_SETTING_TYPE_STRING_EXT && setting->valueCount == 1)
            return *(const char *const *)setting->pValues;
      }
   }
   return NULL;
}

/* The driver and the virtual GPU read it too, silently. */
static void
check_gpu(void)
{
   const char *gpu = getenv("HDB_GPU");
   if (gpu && *gpu && strcmp(gpu, "virtual") && strcmp(gpu, "amdgpu"))
      fprintf(stderr, "hdb: HDB_GPU is '%s'; allowed: virtual|amdgpu (all devices are shown)\n", gpu);
}

void
layer_process_init(const VkInstanceCreateInfo *create_info)
{
   if (layer_inert)
      return;
   pthread_mutex_lock(&process.lock);
   if (!process.initialized) {
      process.initialized = true;
      process.client_fd = take_client_fd();
      check_gpu();
      layer_settings_init(&process.settings, application_setting, (void *)create_info, stderr);
      pthread_atfork(NULL, NULL, become_inert);
   }
   pthread_mutex_unlock(&process.lock);
}

bool
layer_process_compiles_debug(void)
{
   return layer_settings_is(&process.settings, LAYER_SETTING_COMPILE, "debug");
}

static struct hdb_engine *
create_engine(bool has_driver)
{
   bool prompt = false;
   int client_fd = process.client_fd;
   if (client_fd < 0 && has_driver && layer_settings_is(&process.settings, LAYER_SETTING_PROMPT, "auto")) {
      client_fd = layer_prompt_start();
      prompt = client_fd >= 0;
   }
   struct hdb_engine_options options = {
      .client_fd = client_fd,
      .listen = layer_settings_is(&process.settings, LAYER_SETTING_LISTEN, "yes"),
      .ask = prompt,
      .optimized = !layer_process_compiles_debug(),
      .break_at = layer_settings_get(&process.settings, LAYER_SETTING_BREAK_AT),
      .attach_to = layer_settings_get(&process.settings, LAYER_SETTING_ATTACH),
   };
   struct hdb_engine *engine;
   int result = hdb_engine_create(&options, &engine);
   if (result == 0)
      return engine;
   fprintf(stderr, "hdb: the debugger can't start: %s; the program runs without it\n", strerror(-result));
   return NULL;
}

struct hdb_engine *
layer_process_engine(bool has_driver)
{
   pthread_mutex_lock(&process.lock);
   /* With nothing that can be attached to, only someone who is already there is served. */
   bool wanted = has_driver || process.client_fd >= 0;
   if (!process.engine && !process.engine_failed && wanted) {
      process.engine = create_engine(has_driver);
      process.engine_failed = !process.engine;
   }
   struct hdb_engine *engine = process.engine;
   pthread_mutex_unlock(&process.lock);
   return engine;
}
