/* SPDX-License-Identifier: MIT */
/*
 * What exists once in a process: the settings, the engine, the answer to fork(). The library is never unloaded (linked
 * with -z nodelete), since the engine's thread outlives vkDestroyInstance.
 */
#include <assert.h>
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
   int channel; /* to `hdb run`, or -1 */

   _Atomic(struct hdb_engine *) engine;
   bool engine_failed;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER, .channel = -1};

static void
become_inert(void)
{
   layer_inert = true;
}

/* What the application gives with VK_EXT_layer_settings, an element after the other. */
struct application_settings {
   const VkBaseInStructure *structure; /* the one that is being read, and behind it */
   uint32_t next;                      /* element of it */
   char value[1024];
};

/* Strings, several of them as a list, and truth values; anything else is a value that no setting has. */
static void
format_application_setting(const VkLayerSettingEXT *setting, char *text, size_t size)
{
   size_t used = 0;
   snprintf(text, size, "a value that is neither text nor a truth value");
   for (uint32_t i = 0; i < setting->valueCount && used < size; i++) {
      const char *value = NULL;
      if (setting->type == VK_LAYER_SETTING_TYPE_STRING_EXT)
         value = ((const char *const *)setting->pValues)[i];
      else if (setting->type == VK_LAYER_SETTING_TYPE_BOOL32_EXT)
         value = ((const VkBool32 *)setting->pValues)[i] ? "yes" : "no";
      if (value)
         used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "", value);
   }
}

static bool
next_application_setting(void *user, const char **key, const char **value)
{
   struct application_settings *settings = user;
   for (; settings->structure; settings->structure = settings->structure->pNext, settings->next = 0) {
      const VkLayerSettingsCreateInfoEXT *info = (const void *)settings->structure;
      if (info->sType != VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT)
         continue;
      while (settings->next < info->settingCount) {
         const VkLayerSettingEXT *setting = &info->pSettings[settings->next++];
         if (strcmp(setting->pLayerName, LAYER_NAME) != 0)
            continue;
         format_application_setting(setting, settings->value, sizeof(settings->value));
         *key = setting->pSettingName;
         *value = settings->value;
         return true;
      }
   }
   return false;
}

/*
 * A validation layer below copies VkDeviceCreateInfo without the structures that it does not know, and complains of
 * them: it is told the type and size of the one that goes to hdb's driver, and of the one by which an application may
 * have callbacks. It reads the list when it creates its instance, which is after this. Only the first instance of the
 * process finds the variable without it, so the environment is changed once, and early.
 */
#define OWN_STYPES "0x68646200:56:0x68646201:72"
static_assert(HDB_STRUCTURE_TYPE_DRIVER_LINK == 0x68646200 && sizeof(struct hdb_driver_link) == 56 &&
                 HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO == 0x68646201 &&
                 sizeof(struct hdb_messenger_create_info) == 72,
              "OWN_STYPES has the types and sizes of others");

static void
announce_structures(void)
{
   const char *name = "VK_LAYER_CUSTOM_STYPE_LIST";
   const char *old = getenv(name);
   char *list;
   if (!old || !*old) {
      setenv(name, OWN_STYPES, 1);
   } else if (!strstr(old, OWN_STYPES) && asprintf(&list, "%s:%s", OWN_STYPES, old) > 0) {
      setenv(name, list, 1);
      free(list);
   }
}

void
layer_process_init(const VkInstanceCreateInfo *create_info)
{
   if (layer_inert)
      return;
   pthread_mutex_lock(&process.lock);
   if (!process.initialized) {
      process.initialized = true;
      process.channel = hdb_channel_find();
      announce_structures();
      struct application_settings application = {.structure = create_info->pNext};
      layer_settings_init(&process.settings, next_application_setting, &application, stderr);
      pthread_atfork(NULL, NULL, become_inert);
   }
   pthread_mutex_unlock(&process.lock);
}

bool
layer_process_compiles_debug(void)
{
   return layer_settings_is(&process.settings, LAYER_SETTING_COMPILE, "debug");
}

/* Settings that stop waves need somebody who is told. */
static void
check_debugger(const struct hdb_engine_options *options, struct hdb_engine *engine)
{
   if (process.channel >= 0 || options->client_fd >= 0 || layer_callbacks_exist() ||
       (!options->break_at && !options->attach_to))
      return;
   const char *names = !options->break_at ? "attach" : options->attach_to ? "break_at and attach" : "break_at";
   if (hdb_engine_socket_path(engine))
      fprintf(stderr, "hdb: %s: nothing stops until `hdb attach %d` comes; there is no prompt on a terminal\n", names,
              (int)getpid());
   else
      fprintf(stderr, "hdb: %s: nothing stops; there is no prompt on a terminal, and no debugger can attach\n", names);
}

/* Whether a virtual GPU is to be reached as the kernel's driver lets a Radeon card be: HDB_TARGET=amdgpu. */
static bool
wants_debugfs(void)
{
   const char *target = getenv("HDB_TARGET");
   return target && !strcmp(target, "amdgpu");
}

static struct hdb_engine *
create_engine(bool has_driver)
{
   bool prompt = false;
   int client_fd = process.channel >= 0 ? hdb_channel_connect(process.channel) : -1;
   if (process.channel < 0 && has_driver && layer_settings_is(&process.settings, LAYER_SETTING_PROMPT, "auto")) {
      client_fd = layer_prompt_start();
      prompt = client_fd >= 0;
   }
   struct hdb_engine_options options = {
      .client_fd = client_fd,
      .listen = layer_settings_is(&process.settings, LAYER_SETTING_LISTEN, "yes"),
      .listen_asked = layer_settings_is_given(&process.settings, LAYER_SETTING_LISTEN),
      .ask = prompt,
      .internal = layer_settings_is(&process.settings, LAYER_SETTING_INTERNAL, "yes"),
      .optimized = !layer_process_compiles_debug(),
      .break_at = layer_settings_get(&process.settings, LAYER_SETTING_BREAK_AT),
      .attach_to = layer_settings_get(&process.settings, LAYER_SETTING_ATTACH),
      .capture_folder = layer_process_setting(LAYER_SETTING_CAPTURE_FOLDER),
      .debugfs = wants_debugfs(),
      .helper = getenv("HDB_HELPER"),
      .sysfs = getenv("HDB_SYSFS"),
      .second_level = getenv("HDB_L2_TRAP"),
      .accept_short_timeout = layer_settings_is(&process.settings, LAYER_SETTING_SHORT_TIMEOUT, "accept"),
      .trap_on_start = layer_settings_is(&process.settings, LAYER_SETTING_ENTRY, "start"),
      .observer = &layer_observer,
      .client_ended = prompt ? layer_prompt_end : NULL,
      .next_frame = layer_frame_next,
      .shows_frames = layer_frames_have_window,
   };
   struct hdb_engine *engine;
   int result = hdb_engine_create(&options, &engine);
   if (result == 0) {
      hdb_engine_set_observed(engine, layer_callbacks_exist());
      layer_prints_join_engine(engine);
      check_debugger(&options, engine);
      return engine;
   }
   fprintf(stderr, "hdb: the debugger can't start: %s; the program runs without it\n", strerror(-result));
   return NULL;
}

const char *
layer_process_setting(enum layer_setting setting)
{
   return layer_settings_get(&process.settings, setting);
}

struct hdb_engine *
layer_process_engine_if_any(void)
{
   return atomic_load_explicit(&process.engine, memory_order_acquire);
}

void
layer_process_set_observed(bool observed)
{
   struct hdb_engine *engine = layer_process_engine_if_any();
   if (engine)
      hdb_engine_set_observed(engine, observed);
}

struct hdb_engine *
layer_process_engine(bool has_driver)
{
   pthread_mutex_lock(&process.lock);
   /* With nothing that can be attached to, dispatches can be listed, for whoever is there or comes. */
   bool listens = layer_settings_is(&process.settings, LAYER_SETTING_LISTEN, "yes");
   bool wanted = has_driver || listens || process.channel >= 0 || layer_callbacks_exist();
   if (!process.engine && !process.engine_failed && wanted) {
      process.engine = create_engine(has_driver);
      process.engine_failed = !process.engine;
   }
   struct hdb_engine *engine = process.engine;
   pthread_mutex_unlock(&process.lock);
   return engine;
}
