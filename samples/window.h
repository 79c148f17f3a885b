/* SPDX-License-Identifier: MIT */
/* A window that shows buffers of pixels: on X11 by XCB or Xlib, or on Wayland. As common.h, it ends the program on
 * errors. */
#ifndef SAMPLES_WINDOW_H
#define SAMPLES_WINDOW_H

#include "common.h"

struct window;

enum window_system { WINDOW_NONE, WINDOW_X11, WINDOW_XLIB, WINDOW_WAYLAND };

/* The instance extension that surfaces of that window system need. */
const char *window_extension(enum window_system system);

/* Of edge * edge pixels. The sample has been made for windows, with VK_KHR_swapchain and the extensions for it. */
struct window *window_create(const struct sample *sample, enum window_system system, uint32_t edge);
void window_destroy(struct window *window);

/* Records that the pixels (32 bits each: blue, green, red, nothing) come to the window's next image. */
void window_copy(struct window *window, VkCommandBuffer commands, const struct sample_buffer *pixels);
/* Shows that image; the command buffer has ended. False: the window is gone. */
bool window_present(struct window *window);

#endif
