/* SPDX-License-Identifier: MIT */
/*
 * Keys in Wayland: a seat and keyboard of our own on the program's connection. Their events go to a queue of our own
 * (by a wrapper of the program's wl_display), so that the program sees none of ours and we take none of its. The
 * program reads the connection; once a frame what came for us is looked at.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client-core.h>
#include <xkbcommon/xkbcommon.h>

#include "keys.h"

/* ---- the libraries ---- */

/* In the order of the names below. */
static struct {
   int (*display_dispatch_queue_pending)(struct wl_display *display, struct wl_event_queue *queue);
   struct wl_event_queue *(*display_create_queue)(struct wl_display *display);
   int (*display_flush)(struct wl_display *display);
   void (*event_queue_destroy)(struct wl_event_queue *queue);
   void *(*proxy_create_wrapper)(void *proxy);
   void (*proxy_wrapper_destroy)(void *wrapper);
   void (*proxy_set_queue)(struct wl_proxy *proxy, struct wl_event_queue *queue);
   int (*proxy_add_listener)(struct wl_proxy *proxy, void (**listener)(void), void *data);
   void (*proxy_destroy)(struct wl_proxy *proxy);
   uint32_t (*proxy_get_version)(struct wl_proxy *proxy);
   struct wl_proxy *(*proxy_marshal_flags)(struct wl_proxy *proxy, uint32_t opcode,
                                           const struct wl_interface *interface, uint32_t version, uint32_t flags, ...);
   const struct wl_interface *registry, *seat, *keyboard;
} wayland;

static const char *const wayland_names[] = {
   "wl_display_dispatch_queue_pending",
   "wl_display_create_queue",
   "wl_display_flush",
   "wl_event_queue_destroy",
   "wl_proxy_create_wrapper",
   "wl_proxy_wrapper_destroy",
   "wl_proxy_set_queue",
   "wl_proxy_add_listener",
   "wl_proxy_destroy",
   "wl_proxy_get_version",
   "wl_proxy_marshal_flags",
   "wl_registry_interface",
   "wl_seat_interface",
   "wl_keyboard_interface",
};

/* The protocol's header is made of inline functions, which call the library: here what was loaded. Its declarations of
 * interfaces become those of these pointers. */
static const struct wl_interface *registry_interface, *seat_interface, *keyboard_interface;
#define wl_proxy_add_listener (*wayland.proxy_add_listener)
#define wl_proxy_destroy (*wayland.proxy_destroy)
#define wl_proxy_get_version (*wayland.proxy_get_version)
#define wl_proxy_marshal_flags (*wayland.proxy_marshal_flags)
#define wl_registry_interface (*registry_interface)
#define wl_seat_interface (*seat_interface)
#define wl_keyboard_interface (*keyboard_interface)
#include <wayland-client-protocol.h>

static struct {
   struct xkb_context *(*context_new)(enum xkb_context_flags flags);
   void (*context_unref)(struct xkb_context *context);
   struct xkb_keymap *(*keymap_new_from_buffer)(struct xkb_context *context, const char *text, size_t length,
                                                enum xkb_keymap_format format, enum xkb_keymap_compile_flags flags);
   void (*keymap_unref)(struct xkb_keymap *keymap);
   xkb_keycode_t (*keymap_min_keycode)(struct xkb_keymap *keymap);
   xkb_keycode_t (*keymap_max_keycode)(struct xkb_keymap *keymap);
   xkb_layout_index_t (*keymap_num_layouts_for_key)(struct xkb_keymap *keymap, xkb_keycode_t key);
   xkb_level_index_t (*keymap_num_levels_for_key)(struct xkb_keymap *keymap, xkb_keycode_t key,
                                                  xkb_layout_index_t layout);
   int (*keymap_key_get_syms_by_level)(struct xkb_keymap *keymap, xkb_keycode_t key, xkb_layout_index_t layout,
                                       xkb_level_index_t level, const xkb_keysym_t **keysyms);
} xkb;

static const char *const xkb_names[] = {
   "xkb_context_new",
   "xkb_context_unref",
   "xkb_keymap_new_from_buffer",
   "xkb_keymap_unref",
   "xkb_keymap_min_keycode",
   "xkb_keymap_max_keycode",
   "xkb_keymap_num_layouts_for_key",
   "xkb_keymap_num_levels_for_key",
   "xkb_keymap_key_get_syms_by_level",
};

static bool loaded;

static void
load(void)
{
   loaded =
      keys_load("libwayland-client.so.0", wayland_names, sizeof(wayland_names) / sizeof(wayland_names[0]), &wayland) &&
      keys_load("libxkbcommon.so.0", xkb_names, sizeof(xkb_names) / sizeof(xkb_names[0]), &xkb);
   registry_interface = wayland.registry;
   seat_interface = wayland.seat;
   keyboard_interface = wayland.keyboard;
}

/* ---- the keyboard ---- */

struct wayland_source {
   struct key_source base;
   struct wl_display *display; /* the program's */
   struct wl_event_queue *queue;
   struct wl_registry *registry;
   struct wl_seat *seat; /* the first that there is */
   uint32_t seat_name;
   struct wl_keyboard *keyboard; /* NULL: the seat has none now */
   bool down[KEY_COUNT], pressed[KEY_COUNT];
};

static void
read_layout(struct wayland_source *source, struct xkb_keymap *keymap)
{
   xkb_keycode_t last = xkb.keymap_max_keycode(keymap);
   for (xkb_keycode_t code = xkb.keymap_min_keycode(keymap); code <= last && code < KEYCODES; code++) {
      for (xkb_layout_index_t layout = 0; layout < xkb.keymap_num_layouts_for_key(keymap, code); layout++) {
         for (xkb_level_index_t level = 0; level < xkb.keymap_num_levels_for_key(keymap, code, layout); level++) {
            const xkb_keysym_t *keysyms;
            int count = xkb.keymap_key_get_syms_by_level(keymap, code, layout, level, &keysyms);
            for (int i = 0; i < count; i++)
               key_source_set(&source->base, code, keysyms[i]);
         }
      }
   }
}

static void
on_keymap(void *data, struct wl_keyboard *keyboard, uint32_t format, int32_t fd, uint32_t size)
{
   struct wayland_source *source = data;
   key_source_set_codes(&source->base);
   void *text =
      format == WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1 && size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
   close(fd);
   if (text == MAP_FAILED)
      return;
   struct xkb_context *context = xkb.context_new(XKB_CONTEXT_NO_FLAGS);
   struct xkb_keymap *keymap = context
                                  ? xkb.keymap_new_from_buffer(context, text, strnlen(text, size),
                                                               XKB_KEYMAP_FORMAT_TEXT_V1, XKB_KEYMAP_COMPILE_NO_FLAGS)
                                  : NULL;
   if (keymap) {
      read_layout(source, keymap);
      xkb.keymap_unref(keymap);
   }
   if (context)
      xkb.context_unref(context);
   munmap(text, size);
}

static void
on_enter(void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface, struct wl_array *keys)
{
   /* Keys that are held when the focus comes were pressed for something else. */
}

static void
on_leave(void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface)
{
   struct wayland_source *source = data;
   memset(source->down, 0, sizeof(source->down));
}

static void
on_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time, uint32_t code, uint32_t state)
{
   struct wayland_source *source = data;
   /* evdev's numbers; xkbcommon's are larger by 8 (wayland.xml, wl_keyboard.keymap_format) */
   uint8_t key = code < KEYCODES - 8 ? source->base.keys[code + 8] : 0;
   if (key) {
      source->down[key - 1] = state == WL_KEYBOARD_KEY_STATE_PRESSED;
      source->pressed[key - 1] |= source->down[key - 1];
   }
}

static void
on_modifiers(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t depressed, uint32_t latched,
             uint32_t locked, uint32_t group)
{
}

static void
on_repeat_info(void *data, struct wl_keyboard *keyboard, int32_t rate, int32_t delay)
{
}

static const struct wl_keyboard_listener keyboard_listener = {
   .keymap = on_keymap,
   .enter = on_enter,
   .leave = on_leave,
   .key = on_key,
   .modifiers = on_modifiers,
   .repeat_info = on_repeat_info,
};

static void
drop_keyboard(struct wayland_source *source)
{
   if (source->keyboard && wl_keyboard_get_version(source->keyboard) >= WL_KEYBOARD_RELEASE_SINCE_VERSION)
      wl_keyboard_release(source->keyboard);
   else if (source->keyboard)
      wl_keyboard_destroy(source->keyboard);
   source->keyboard = NULL;
   memset(source->down, 0, sizeof(source->down));
}

/* ---- the seat ---- */

static void
on_capabilities(void *data, struct wl_seat *seat, uint32_t capabilities)
{
   struct wayland_source *source = data;
   bool has_keyboard = capabilities & WL_SEAT_CAPABILITY_KEYBOARD;
   if (has_keyboard && !source->keyboard) {
      source->keyboard = wl_seat_get_keyboard(seat);
      if (source->keyboard)
         wl_keyboard_add_listener(source->keyboard, &keyboard_listener, source);
   } else if (!has_keyboard) {
      drop_keyboard(source);
   }
}

static void
on_name(void *data, struct wl_seat *seat, const char *name)
{
}

static const struct wl_seat_listener seat_listener = {.capabilities = on_capabilities, .name = on_name};

static void
drop_seat(struct wayland_source *source)
{
   drop_keyboard(source);
   if (source->seat && wl_seat_get_version(source->seat) >= WL_SEAT_RELEASE_SINCE_VERSION)
      wl_seat_release(source->seat);
   else if (source->seat)
      wl_seat_destroy(source->seat);
   source->seat = NULL;
}

static void
on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version)
{
   struct wayland_source *source = data;
   if (source->seat || strcmp(interface, "wl_seat") != 0)
      return;
   /* Version 5: what is released is; nothing newer is of use. */
   source->seat = wl_registry_bind(registry, name, &wl_seat_interface, version < 5 ? version : 5);
   source->seat_name = name;
   if (source->seat)
      wl_seat_add_listener(source->seat, &seat_listener, source);
}

static void
on_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
   struct wayland_source *source = data;
   if (source->seat && name == source->seat_name)
      drop_seat(source);
}

static const struct wl_registry_listener registry_listener = {.global = on_global, .global_remove = on_global_remove};

/* ---- polling ---- */

static void
wayland_poll(struct key_source *base, bool down[KEY_COUNT])
{
   struct wayland_source *source = (struct wayland_source *)base;
   if (wayland.display_dispatch_queue_pending(source->display, source->queue) > 0)
      wayland.display_flush(source->display); /* what the events made us ask for */
   for (size_t i = 0; i < KEY_COUNT; i++) {
      down[i] |= source->down[i] || source->pressed[i];
      source->pressed[i] = false;
   }
}

static void
wayland_destroy(struct key_source *base)
{
   struct wayland_source *source = (struct wayland_source *)base;
   drop_seat(source);
   if (source->registry)
      wl_registry_destroy(source->registry);
   if (source->queue)
      wayland.event_queue_destroy(source->queue);
   free(source);
}

struct key_source *
key_source_create_wayland(struct wl_display *display)
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   pthread_once(&once, load);
   struct wayland_source *source = loaded ? calloc(1, sizeof(*source)) : NULL;
   if (!source)
      return NULL;
   source->base.poll = wayland_poll;
   source->base.destroy = wayland_destroy;
   source->display = display;
   source->queue = wayland.display_create_queue(display);
   struct wl_display *wrapper = source->queue ? wayland.proxy_create_wrapper(display) : NULL;
   if (wrapper) {
      wayland.proxy_set_queue((struct wl_proxy *)wrapper, source->queue);
      source->registry = wl_display_get_registry(wrapper);
      wayland.proxy_wrapper_destroy(wrapper);
   }
   if (!source->registry) {
      wayland_destroy(&source->base);
      return NULL;
   }
   key_source_set_codes(&source->base);
   wl_registry_add_listener(source->registry, &registry_listener, source);
   wayland.display_flush(display);
   return &source->base;
}
