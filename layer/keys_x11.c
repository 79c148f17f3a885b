/* SPDX-License-Identifier: MIT */
/*
 * Keys in X11, by the program's own connection: the state of the keyboard is asked for, which takes no events from the
 * program. The answer to one frame's question is looked at in the next, so that nothing waits for the server.
 */
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

#include "keys.h"

/* In the order of the names below. */
static struct {
   xcb_query_keymap_cookie_t (*query_keymap)(xcb_connection_t *connection);
   xcb_get_keyboard_mapping_cookie_t (*get_keyboard_mapping)(xcb_connection_t *connection, xcb_keycode_t first,
                                                             uint8_t count);
   xcb_get_keyboard_mapping_reply_t *(*get_keyboard_mapping_reply)(xcb_connection_t *connection,
                                                                   xcb_get_keyboard_mapping_cookie_t cookie,
                                                                   xcb_generic_error_t **error);
   xcb_get_input_focus_cookie_t (*get_input_focus)(xcb_connection_t *connection);
   xcb_get_input_focus_reply_t *(*get_input_focus_reply)(xcb_connection_t *connection,
                                                         xcb_get_input_focus_cookie_t cookie,
                                                         xcb_generic_error_t **error);
   xcb_query_tree_cookie_t (*query_tree)(xcb_connection_t *connection, xcb_window_t window);
   xcb_query_tree_reply_t *(*query_tree_reply)(xcb_connection_t *connection, xcb_query_tree_cookie_t cookie,
                                               xcb_generic_error_t **error);
   int (*poll_for_reply)(xcb_connection_t *connection, unsigned int request, void **reply, xcb_generic_error_t **error);
   void (*discard_reply)(xcb_connection_t *connection, unsigned int sequence);
   int (*flush)(xcb_connection_t *connection);
   const xcb_setup_t *(*get_setup)(xcb_connection_t *connection);
} xcb;

static const char *const names[] = {
   "xcb_query_keymap",
   "xcb_get_keyboard_mapping",
   "xcb_get_keyboard_mapping_reply",
   "xcb_get_input_focus",
   "xcb_get_input_focus_reply",
   "xcb_query_tree",
   "xcb_query_tree_reply",
   "xcb_poll_for_reply",
   "xcb_discard_reply",
   "xcb_flush",
   "xcb_get_setup",
};

static bool loaded;

static void
load(void)
{
   loaded = keys_load("libxcb.so.1", names, sizeof(names) / sizeof(names[0]), &xcb);
}

struct x11_source {
   struct key_source base;
   xcb_connection_t *connection;
   xcb_window_t window;
   bool asked;
   xcb_query_keymap_cookie_t question;
   bool down[KEY_COUNT]; /* by the last answer, and in a window of the program */
};

/* ---- whose keys they are ---- */

/* Whether `ancestor` is the window, or one around it. */
static bool
is_inside(struct x11_source *source, xcb_window_t window, xcb_window_t ancestor)
{
   while (window && window != ancestor) {
      xcb_query_tree_reply_t *tree =
         xcb.query_tree_reply(source->connection, xcb.query_tree(source->connection, window), NULL);
      window = tree ? tree->parent : 0;
      free(tree);
   }
   return window;
}

/* The focus may be in a window around the surface's, as toolkits have them, or in one within. Where it is given to no
 * window but the root's, keys are everybody's. Waits for the server: for what was pressed only. */
static bool
has_focus(struct x11_source *source)
{
   xcb_get_input_focus_reply_t *reply =
      xcb.get_input_focus_reply(source->connection, xcb.get_input_focus(source->connection), NULL);
   xcb_window_t focus = reply ? reply->focus : 0;
   free(reply);
   if (focus == XCB_INPUT_FOCUS_NONE || focus == XCB_INPUT_FOCUS_POINTER_ROOT)
      return reply;
   return is_inside(source, source->window, focus) || is_inside(source, focus, source->window);
}

/* ---- polling ---- */

/* A bit for each keycode (X Window System Protocol, QueryKeymap). */
static void
take_answer(struct x11_source *source, const uint8_t bits[32])
{
   bool down[KEY_COUNT] = {0};
   for (unsigned keycode = 0; keycode < 256; keycode++) {
      uint8_t key = bits[keycode / 8] & 1 << keycode % 8 ? source->base.keys[keycode] : 0;
      if (key)
         down[key - 1] = true;
   }
   for (size_t i = 0; i < KEY_COUNT; i++)
      source->down[i] = down[i] && (source->down[i] || has_focus(source));
}

static void
x11_poll(struct key_source *base, bool down[KEY_COUNT])
{
   struct x11_source *source = (struct x11_source *)base;
   void *reply = NULL;
   xcb_generic_error_t *failure = NULL;
   if (source->asked && xcb.poll_for_reply(source->connection, source->question.sequence, &reply, &failure)) {
      source->asked = false;
      if (reply)
         take_answer(source, ((xcb_query_keymap_reply_t *)reply)->keys);
      free(reply);
      free(failure);
   }
   if (!source->asked) {
      source->question = xcb.query_keymap(source->connection);
      source->asked = true;
      xcb.flush(source->connection);
   }
   for (size_t i = 0; i < KEY_COUNT; i++)
      down[i] |= source->down[i];
}

static void
x11_destroy(struct key_source *base)
{
   struct x11_source *source = (struct x11_source *)base;
   if (source->asked)
      xcb.discard_reply(source->connection, source->question.sequence);
   free(source);
}

/* ---- creation ---- */

static void
read_layout(struct x11_source *source)
{
   const xcb_setup_t *setup = xcb.get_setup(source->connection);
   unsigned first = setup->min_keycode, count = setup->max_keycode - first + 1u;
   xcb_get_keyboard_mapping_reply_t *mapping = xcb.get_keyboard_mapping_reply(
      source->connection, xcb.get_keyboard_mapping(source->connection, (xcb_keycode_t)first, (uint8_t)count), NULL);
   if (!mapping)
      return;
   const xcb_keysym_t *keysyms = (const xcb_keysym_t *)(mapping + 1);
   for (unsigned i = 0; i < count; i++) {
      for (unsigned k = 0; k < mapping->keysyms_per_keycode; k++)
         key_source_set(&source->base, first + i, keysyms[i * mapping->keysyms_per_keycode + k]);
   }
   free(mapping);
}

struct key_source *
key_source_create_xcb(xcb_connection_t *connection, uint32_t window)
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   pthread_once(&once, load);
   struct x11_source *source = loaded ? calloc(1, sizeof(*source)) : NULL;
   if (!source)
      return NULL;
   source->base.poll = x11_poll;
   source->base.destroy = x11_destroy;
   source->connection = connection;
   source->window = window;
   key_source_set_codes(&source->base);
   read_layout(source);
   return &source->base;
}
