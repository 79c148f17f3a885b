/* SPDX-License-Identifier: MIT */
/*
 * Drops fall on water: two dispatches a frame, in a window if there is a place for one. It runs for -n frames and then
 * compares the water with the same computed by the CPU.
 *
 *    ripple [--window x11|xlib|wayland|none] [-n FRAMES] [OPTION]...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

#include "ripple.comp.h"
#include "tone.comp.h"

#define EDGE 128
#define GROUPS (EDGE / 8)
#define ELEMENTS (EDGE * EDGE)

struct constants {
   int32_t edge, drop;
};

/* A drop every sixteenth frame, each elsewhere. */
static struct constants
constants_of(uint32_t frame)
{
   return (struct constants){.edge = EDGE, .drop = frame % 16 ? -1 : (int32_t)(frame / 16 * 5003 % ELEMENTS)};
}

/* ---- the same on the CPU ---- */

static int32_t
at(const int32_t *now, int x, int y)
{
   return x < 0 || y < 0 || x >= EDGE || y >= EDGE ? 0 : now[y * EDGE + x];
}

static void
step(int32_t *before, const int32_t *now, struct constants constants)
{
   for (int i = 0; i < ELEMENTS; i++) {
      int x = i % EDGE, y = i / EDGE;
      int32_t height = (at(now, x - 1, y) + at(now, x + 1, y) + at(now, x, y - 1) + at(now, x, y + 1)) / 2 - before[i];
      height -= height / 32;
      before[i] = i == constants.drop ? height + 4096 : height;
   }
}

static uint32_t
count_right(const int32_t *water, uint32_t frames)
{
   static int32_t heights[2][ELEMENTS];
   uint32_t right = 0;
   for (uint32_t frame = 0; frame < frames; frame++)
      step(heights[frame % 2], heights[!(frame % 2)], constants_of(frame));
   for (uint32_t i = 0; i < ELEMENTS; i++)
      right += water[i] == heights[!(frames % 2)][i];
   return right;
}

/* ---- the program ---- */

/* Takes `--window SYSTEM` out of the arguments. */
static enum window_system
take_window(int *argc, char **argv)
{
   const char *name = getenv("WAYLAND_DISPLAY") ? "wayland" : getenv("DISPLAY") ? "x11" : "none";
   for (int i = 1; i + 1 < *argc; i++) {
      if (strcmp(argv[i], "--window") != 0)
         continue;
      name = argv[i + 1];
      memmove(&argv[i], &argv[i + 2], (size_t)(*argc - i - 1) * sizeof(*argv));
      *argc -= 2;
      break;
   }
   if (!strcmp(name, "none"))
      return WINDOW_NONE;
   if (!strcmp(name, "x11") || !strcmp(name, "xlib"))
      return !strcmp(name, "x11") ? WINDOW_X11 : WINDOW_XLIB;
   if (!strcmp(name, "wayland"))
      return WINDOW_WAYLAND;
   fprintf(stderr, "ripple: --window takes x11, xlib, wayland or none, not '%s'\n", name);
   exit(2);
}

static struct sample_kernel
make_kernel(const struct sample *sample, const char *name, const uint32_t *spirv, size_t size)
{
   struct sample_kernel kernel;
   sample_kernel_init(&kernel, sample,
                      &(struct sample_kernel_info){
                         .name = name,
                         .spirv = spirv,
                         .spirv_size = size,
                         .buffer_count = 2,
                         .push_constant_size = sizeof(struct constants),
                         .max_sets = 2,
                      });
   return kernel;
}

int
main(int argc, char **argv)
{
   enum window_system system = take_window(&argc, argv);
   struct sample sample;
   const char *const instance_extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME, window_extension(system), NULL};
   const char *const device_extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, NULL};
   if (system == WINDOW_NONE)
      sample_init(&sample, "ripple", 100, argc, argv);
   else
      sample_init_with(&sample, "ripple", 100, instance_extensions, device_extensions, argc, argv);
   struct window *window = system == WINDOW_NONE ? NULL : window_create(&sample, system, EDGE);

   struct sample_buffer water[2], pixels;
   for (int i = 0; i < 2; i++) {
      sample_buffer_init(&water[i], &sample, ELEMENTS * sizeof(int32_t));
      memset(water[i].map, 0, ELEMENTS * sizeof(int32_t));
   }
   sample_buffer_init(&pixels, &sample, ELEMENTS * sizeof(uint32_t));
   struct sample_kernel ripple = make_kernel(&sample, "ripple", ripple_spirv, sizeof(ripple_spirv));
   struct sample_kernel tone = make_kernel(&sample, "tone", tone_spirv, sizeof(tone_spirv));
   VkDescriptorSet steps[2], tones[2];
   for (int i = 0; i < 2; i++) {
      steps[i] = sample_kernel_set(&ripple, &sample, (const struct sample_buffer *const[]){&water[i], &water[!i]});
      tones[i] = sample_kernel_set(&tone, &sample, (const struct sample_buffer *const[]){&water[i], &pixels});
   }

   uint32_t frame = 0;
   bool open = true;
   for (; frame < sample.n && open; frame++) {
      struct constants constants = constants_of(frame);
      VkCommandBuffer commands = sample_begin(&sample);
      sample_begin_label(&sample, commands, "water");
      sample_dispatch_2d(&sample, commands, &ripple, steps[frame % 2], &constants, GROUPS, GROUPS, "one step");
      sample_barrier(commands);
      sample_dispatch_2d(&sample, commands, &tone, tones[frame % 2], &constants, GROUPS, GROUPS, "to pixels");
      sample_end_label(&sample, commands);
      if (window)
         window_copy(window, commands, &pixels);
      sample_submit(&sample, commands);
      open = !window || window_present(window);
   }
   uint32_t right = frame ? count_right(water[!(frame % 2)].map, frame) : ELEMENTS;

   if (window)
      window_destroy(window);
   sample_kernel_finish(&tone, &sample);
   sample_kernel_finish(&ripple, &sample);
   sample_buffer_finish(&pixels, &sample);
   for (int i = 0; i < 2; i++)
      sample_buffer_finish(&water[i], &sample);
   sample_finish(&sample);
   return sample_report(&sample, right, ELEMENTS);
}
