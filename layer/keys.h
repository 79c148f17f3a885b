/* SPDX-License-Identifier: MIT */
/*
 * Keys that trigger something, in programs that have a window: what keys.c, which knows the keys, and the two window
 * systems share. Libraries are loaded when the first such surface is made; nothing here links them.
 */
#ifndef LAYER_KEYS_H
#define LAYER_KEYS_H

#include "layer.h"

#define KEY_COUNT 2 /* enum hdb_trigger: the key of each */
#define KEYCODES 1024

/* Where keys come from: the connection of a surface. */
struct key_source {
   VkSurfaceKHR surface;
   /* Which key, counted from 1, a keycode stands for (as X11 and xkbcommon count them); 0: none. A key is matched by
    * its keysym, wherever the layout has it, or by its keycode. */
   uint8_t keys[KEYCODES];
   /* Never waits. `down`: the keys that are held now, or were since the last time, in a window of the program. */
   void (*poll)(struct key_source *source, bool down[KEY_COUNT]);
   void (*destroy)(struct key_source *source);
   struct key_source *next;
};

/* Of the source's surface: the program has just made it, on this connection. They take no hold of the connection, which
 * lives at least as long as the surface. NULL: there are no keys, which has been said if it is of interest. */
struct key_source *key_source_create_xcb(struct xcb_connection_t *connection, uint32_t window);
struct key_source *key_source_create_wayland(struct wl_display *display);

/* keys.c, for the sources */
void key_source_set(struct key_source *source, uint32_t keycode, uint32_t keysym); /* the layout has it there */
void key_source_set_codes(struct key_source *source); /* first: forgets the layout, keeps keys given as codes */

/* Looks all of the functions up in a library; false after a line that says what is missing. `functions` is a struct of
 * function pointers in the order of `names`. */
bool keys_load(const char *library, const char *const *names, size_t count, void *functions);

#endif
