/* SPDX-License-Identifier: MIT */
/* The keys that stop in the next frame, or capture it: which they are, and noticing that one is pressed. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "keys.h"

/* ---- libraries ---- */

bool
keys_load(const char *library, const char *const *names, size_t count, void *functions)
{
   void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
   for (size_t i = 0; handle && i < count; i++) {
      void *function = dlsym(handle, names[i]);
      if (!function) {
         fprintf(stderr, "hdb: keys in the program's window are not seen: %s has no %s\n", library, names[i]);
         return false;
      }
      ((void **)functions)[i] = function;
   }
   if (!handle)
      fprintf(stderr, "hdb: keys in the program's window are not seen: %s\n", dlerror());
   return handle;
}

/* ---- which keys ---- */

/* The values of keysyms are X11's, in the name of XKB_KEY_NoSymbol 0 is none. */
struct key {
   uint32_t keysym, keycode;
};

static struct key wanted[KEY_COUNT];

static struct key
find_key(enum layer_setting setting)
{
   const char *name = layer_process_setting(setting);
   struct {
      uint32_t (*keysym_from_name)(const char *name, int flags);
   } xkb;
   static const char *const functions[] = {"xkb_keysym_from_name"};
   struct key key = {0};
   if (!name)
      return key;
   if (!name[strspn(name, "0123456789")]) {
      key.keycode = (uint32_t)strtoul(name, NULL, 10);
   } else if (keys_load("libxkbcommon.so.0", functions, 1, &xkb)) {
      key.keysym = xkb.keysym_from_name(name, 1 /* XKB_KEYSYM_CASE_INSENSITIVE */);
      if (!key.keysym)
         fprintf(stderr, "hdb: %s is '%s': no key has that name; xev and wev show the names of keys\n",
                 layer_setting_infos[setting].key, name);
   }
   return key;
}

static void
find_keys(void)
{
   struct key stop = find_key(LAYER_SETTING_STOP_KEY), capture = find_key(LAYER_SETTING_CAPTURE_KEY);
   bool same = stop.keysym == capture.keysym && stop.keycode == capture.keycode;
   if (same && (stop.keysym || stop.keycode)) {
      fprintf(stderr, "hdb: stop_key and capture_key are the same key; it stops\n");
      capture = (struct key){0};
   }
   wanted[HDB_TRIGGER_STOP] = stop;
   wanted[HDB_TRIGGER_CAPTURE] = capture;
}

void
key_source_set_codes(struct key_source *source)
{
   memset(source->keys, 0, sizeof(source->keys));
   for (size_t i = 0; i < KEY_COUNT; i++) {
      if (wanted[i].keycode && wanted[i].keycode < KEYCODES)
         source->keys[wanted[i].keycode] = (uint8_t)(i + 1);
   }
}

void
key_source_set(struct key_source *source, uint32_t keycode, uint32_t keysym)
{
   for (size_t i = 0; i < KEY_COUNT && keysym && keycode < KEYCODES; i++) {
      if (wanted[i].keysym == keysym)
         source->keys[keycode] = (uint8_t)(i + 1);
   }
}

/* ---- sources ---- */

static struct {
   pthread_mutex_t lock;
   _Atomic(struct key_source *) first; /* read without the lock to see whether there are any */
   bool down[KEY_COUNT];
} sources = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
add(struct key_source *source, VkSurfaceKHR surface)
{
   if (!source)
      return;
   source->surface = surface;
   pthread_mutex_lock(&sources.lock);
   source->next = sources.first;
   sources.first = source;
   pthread_mutex_unlock(&sources.lock);
}

static bool
any_wanted(void)
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   pthread_once(&once, find_keys);
   bool any = false;
   for (size_t i = 0; i < KEY_COUNT; i++)
      any |= wanted[i].keysym || wanted[i].keycode;
   return any;
}

void
layer_keys_add_xcb(VkSurfaceKHR surface, struct xcb_connection_t *connection, uint32_t window)
{
   if (!layer_inert && any_wanted())
      add(key_source_create_xcb(connection, window), surface);
}

void
layer_keys_add_wayland(VkSurfaceKHR surface, struct wl_display *display)
{
   if (!layer_inert && any_wanted())
      add(key_source_create_wayland(display), surface);
}

void
layer_keys_remove(VkSurfaceKHR surface)
{
   if (layer_inert)
      return;
   pthread_mutex_lock(&sources.lock);
   struct key_source *previous = NULL;
   for (struct key_source *source = sources.first; source; source = source->next) {
      if (source->surface == surface) {
         if (previous)
            previous->next = source->next;
         else
            sources.first = source->next;
         source->destroy(source);
         break;
      }
      previous = source;
   }
   pthread_mutex_unlock(&sources.lock);
}

/* ---- pressed ---- */

static void
pull(enum hdb_trigger trigger)
{
   struct hdb_engine *engine = layer_process_engine_if_any();
   if (!engine) {
      fprintf(stderr, "hdb: nothing to debug: no device of the program has hdb's driver\n");
      return;
   }
   hdb_engine_trigger(engine, trigger, NULL);
}

void
layer_keys_poll(void)
{
   bool down[KEY_COUNT] = {0}, pressed[KEY_COUNT] = {0};
   if (layer_inert || !atomic_load_explicit(&sources.first, memory_order_relaxed) ||
       pthread_mutex_trylock(&sources.lock)) /* another thread is at it */
      return;
   for (struct key_source *source = sources.first; source; source = source->next)
      source->poll(source, down);
   for (size_t i = 0; i < KEY_COUNT; i++) {
      pressed[i] = down[i] && !sources.down[i];
      sources.down[i] = down[i];
   }
   pthread_mutex_unlock(&sources.lock);
   for (enum hdb_trigger i = 0; i < KEY_COUNT; i++) {
      if (pressed[i])
         pull(i);
   }
}
