/* SPDX-License-Identifier: MIT */
/*
 * Frames. A program that presents ends one at each vkQueuePresentKHR. One that renders nowhere, or that presents what
 * is no frame, says so: with VK_EXT_frame_boundary, or by the marker "vr-marker,frame_end,type,application" of VR
 * runtimes, which other tools look for, too. In all others a set number of submissions is one.
 *
 * With nothing waiting for a frame, a submission costs an addition. Those of two threads at once may be counted as one:
 * frames of programs that say nothing of frames are worth no locked instruction.
 */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

#define MARKER "vr-marker,frame_end,type,application"

struct layer_frames layer_frames;

static struct {
   atomic_uint submits_a_frame;
   atomic_bool window; /* the program shows frames */
   atomic_uint ends[LAYER_FRAME_ENDS];
} frames;

static uint32_t
submits_a_frame(void)
{
   uint32_t count = atomic_load_explicit(&frames.submits_a_frame, memory_order_relaxed);
   if (!count) {
      const char *setting = layer_process_setting(LAYER_SETTING_FRAME_SUBMITS);
      count = setting ? (uint32_t)strtoul(setting, NULL, 10) : 1;
      atomic_store_explicit(&frames.submits_a_frame, count, memory_order_relaxed);
   }
   return count;
}

static bool
by_submissions(void)
{
   return layer_frames.by == LAYER_FRAME_SUBMITS;
}

uint32_t
layer_frame_of(uint32_t submission)
{
   return by_submissions() ? submission / submits_a_frame() : frames.ends[layer_frames.by];
}

uint32_t
layer_frame_next(void)
{
   if (!by_submissions())
      return frames.ends[layer_frames.by] + layer_frames.begun;
   uint32_t size = submits_a_frame(), begun = layer_frames.submits;
   return begun / size + (begun % size != 0);
}

void
layer_frames_expect(enum layer_frame_end by)
{
   int before = layer_frames.by;
   if (by == LAYER_FRAME_PRESENT && !frames.window)
      frames.window = true;
   while (before < (int)by && !atomic_compare_exchange_weak(&layer_frames.by, &before, by))
      continue;
}

bool
layer_frames_have_window(void)
{
   return frames.window;
}

static void
tell_end(uint32_t frame)
{
   struct hdb_engine *engine = layer_process_engine_if_any();
   if (engine && hdb_engine_wants_frames(engine))
      hdb_engine_end_frame(engine, frame);
}

void
layer_frames_end(enum layer_frame_end by)
{
   if (layer_inert)
      return;
   layer_frames_expect(by);
   if ((int)by < layer_frames.by)
      return;
   layer_frames.begun = false;
   tell_end(atomic_fetch_add(&frames.ends[by], 1));
}

void
layer_frames_end_submission(uint32_t submission, bool marked)
{
   if (marked)
      layer_frames_end(LAYER_FRAME_MARKED);
   else if (by_submissions() && (submission + 1) % submits_a_frame() == 0)
      tell_end(layer_frame_of(submission));
}

/* ---- markers ---- */

bool
layer_frame_is_marker(const char *label)
{
   return label && strstr(label, MARKER);
}

void
layer_frame_note_marker(struct layer_device *device, VkCommandBuffer handle, const char *label)
{
   if (layer_inert || !layer_frame_is_marker(label))
      return;
   struct layer_command_buffer *commands = layer_command_buffer_find(device, handle);
   if (commands)
      commands->ends_frame = true;
   layer_frames.markers = true;
}

/* What is executed has been recorded before: whether there is a marker in it is known. */
void
layer_frame_note_execution(struct layer_device *device, VkCommandBuffer handle, uint32_t count,
                           const VkCommandBuffer *secondaries)
{
   struct layer_command_buffer *commands = layer_command_buffer_find(device, handle);
   for (uint32_t i = 0; commands && i < count; i++)
      commands->ends_frame |= layer_frame_has_marker(device, secondaries[i]);
}

bool
layer_frame_has_marker(struct layer_device *device, VkCommandBuffer handle)
{
   struct layer_command_buffer *commands = layer_command_buffer_find(device, handle);
   return commands && commands->ends_frame;
}
