/* SPDX-License-Identifier: MIT */
/* Frames, and the keys by which one is stopped in or captured: frames.c, keys.c. Part of layer.h. */
#ifndef LAYER_FRAMES_H
#define LAYER_FRAMES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct layer_device;

/* What ends a frame, in rising order: the highest kind that the program has shown counts, the others end none. */
enum layer_frame_end {
   LAYER_FRAME_SUBMITS, /* a number of submissions */
   LAYER_FRAME_PRESENT, /* vkQueuePresentKHR, once there is a surface */
   LAYER_FRAME_MARKED,  /* the application says so: VK_EXT_frame_boundary, or a marker */
   LAYER_FRAME_ENDS
};

uint32_t layer_frame_next(void);                /* the first that nothing has been submitted to */
void layer_frames_expect(enum layer_frame_end); /* ends of this kind will come */
bool layer_frames_have_window(void);
/* Looked at by each submission. */
extern struct layer_frames {
   atomic_int by;       /* enum layer_frame_end that counts */
   atomic_uint submits; /* begun, while they count */
   atomic_bool begun;   /* something was submitted to the frame; unless submissions count */
   atomic_bool markers; /* some command buffer has had one */
} layer_frames;

/* Before the engine is asked whether it wants the submission: of a frame that it waits for it sees all. What is
 * returned is the number of the submission, where submissions count. */
static inline uint32_t
layer_frames_begin_submission(void)
{
   if (atomic_load_explicit(&layer_frames.by, memory_order_relaxed) == LAYER_FRAME_SUBMITS) {
      uint32_t number = atomic_load_explicit(&layer_frames.submits, memory_order_relaxed);
      atomic_store_explicit(&layer_frames.submits, number + 1, memory_order_relaxed);
      return number;
   }
   if (!atomic_load_explicit(&layer_frames.begun, memory_order_relaxed))
      layer_frames.begun = true;
   return 0;
}

/* Behind a submission that the engine has wanted, or that ends the frame: `marked`. */
void layer_frames_end_submission(uint32_t submission, bool marked);
uint32_t layer_frame_of(uint32_t submission);
void layer_frames_end(enum layer_frame_end by);

/* Whether a label is one that ends a frame. */
bool layer_frame_is_marker(const char *label);
void layer_frame_note_marker(struct layer_device *device, VkCommandBuffer commands, const char *label);
void layer_frame_note_execution(struct layer_device *device, VkCommandBuffer commands, uint32_t count,
                                const VkCommandBuffer *secondaries);
bool layer_frame_has_marker(struct layer_device *device, VkCommandBuffer commands);

/* ---- keys: keys.c ---- */

struct xcb_connection_t;
struct wl_display;

/* The program has made a surface of a window; it is to be removed before it is destroyed. */
void layer_keys_add_xcb(VkSurfaceKHR surface, struct xcb_connection_t *connection, uint32_t window);
void layer_keys_add_wayland(VkSurfaceKHR surface, struct wl_display *display);
void layer_keys_remove(VkSurfaceKHR surface);
void layer_keys_poll(void); /* once a frame */

#endif
