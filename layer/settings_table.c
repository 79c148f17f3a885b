/* SPDX-License-Identifier: MIT */
/* Every setting of the layer. After a change run script/settings, which brings it to the manifest and the documents. */
#include <stdlib.h>
#include <string.h>

#include "settings.h"

/* FILE:LINE[,FILE:LINE...] */
static bool
is_line_list(const char *value)
{
   while (true) {
      size_t length = strcspn(value, ",");
      const char *colon = memrchr(value, ':', length);
      if (!colon || colon == value)
         return false;
      size_t digits = strspn(colon + 1, "0123456789");
      if (!digits || colon + 1 + digits != value + length || strtoul(colon + 1, NULL, 10) == 0)
         return false;
      if (!value[length])
         return true;
      value += length + 1;
   }
}

/* NUMBER, NAME, label:GLOB or expression, none of them empty */
static bool
is_dispatch_list(const char *value)
{
   while (true) {
      size_t length = strcspn(value, ",");
      if (!length || (length == strlen("label:") && !strncmp(value, "label:", length)))
         return false;
      if (!value[length])
         return true;
      value += length + 1;
   }
}

/* 1 to a million */
static bool
is_frame_size(const char *value)
{
   size_t digits = strspn(value, "0123456789");
   unsigned long number = digits && digits <= 7 && !value[digits] ? strtoul(value, NULL, 10) : 0;
   return number >= 1 && number <= 1000000;
}

/* The name of a keysym, or a keycode: 8 to 255 in X11, and to KEY_MAX + 8 in Wayland. What names there are is known to
 * libxkbcommon alone, once there is a window. */
static bool
is_key(const char *value)
{
   size_t length = strlen(value);
   if (length && strspn(value, "0123456789") == length)
      return length <= 3 && strtoul(value, NULL, 10) >= 8 && strtoul(value, NULL, 10) <= 775;
   return !value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static bool
is_folder(const char *value)
{
   return strlen(value) < 4096;
}

static const struct layer_setting_value internal_values[] = {
   {"yes", "Yes", "They are dispatches like others."},
   {"no", "No", "The program's dispatches only."},
   {0},
};

static const struct layer_setting_value compile_values[] = {
   {"debug", "Debug", "Statements as written; every line can be stopped at."},
   {"optimized", "Optimized", "The machine code that ships."},
   {0},
};

static const struct layer_setting_value prompt_values[] = {
   {"auto", "When there is a terminal", "hdb takes the terminal's foreground."},
   {"never", "Never", "The program runs as without a terminal."},
   {0},
};

static const struct layer_setting_value listen_values[] = {
   {"yes", "Yes", "Listens on $XDG_RUNTIME_DIR/hdb/PID.sock, without such a variable on /tmp/hdb-UID/PID.sock."},
   {"no", "No", "No socket is made."},
   {0},
};

static const struct layer_setting_value short_timeout_values[] = {
   {"refuse", "Refuse", "Says how to set amdgpu.lockup_timeout."},
   {"accept", "Accept", "Stops end with a reset of the GPU if they last."},
   {0},
};

static const struct layer_setting_value entry_values[] = {
   {"trap", "A trap in the code", "An s_trap stands for the shader's first instruction while the dispatch runs."},
   {"start", "TRAP_ON_START", "Nobody has seen that it works on Navi31; kernels offer it from GC 11.0.4 on."},
   {0},
};

const struct layer_setting_info layer_setting_infos[LAYER_SETTING_COUNT] = {
   [LAYER_SETTING_BREAK_AT] =
      {
         .key = "break_at",
         .label = "Break at",
         .description = "Lines to stop at: FILE:LINE, separated by commas. Every dispatch of a shader with such a line "
                        "is attached to.",
         .form = "FILE:LINE,...",
         .valid = is_line_list,
         .preset = "",
      },
   [LAYER_SETTING_ATTACH] =
      {
         .key = "attach",
         .label = "Attach to",
         .description = "Dispatches to attach to: a number, the name of a pipeline or entry point, label:GLOB, or an "
                        "expression such as grid.x > 64, separated by commas.",
         .form = "NUMBER, NAME, label:GLOB or EXPRESSION, ...",
         .valid = is_dispatch_list,
         .preset = "",
      },
   [LAYER_SETTING_INTERNAL] =
      {
         .key = "internal",
         .label = "Internal dispatches",
         .description = "Whether the driver's own dispatches (copies, clears, acceleration structures) are shown, "
                        "counted and can be attached to.",
         .values = internal_values,
         .preset = "no",
      },
   [LAYER_SETTING_COMPILE] =
      {
         .key = "compile",
         .label = "Compile",
         .description = "How shaders are compiled: statements as written, or as they ship.",
         .values = compile_values,
         .preset = "debug",
      },
   [LAYER_SETTING_PROMPT] =
      {
         .key = "prompt",
         .label = "Prompt",
         .description = "Whether the layer starts hdb on the program's terminal when no debugger is there.",
         .values = prompt_values,
         .preset = "auto",
      },
   [LAYER_SETTING_LISTEN] =
      {
         .key = "listen",
         .label = "Listen",
         .description = "Whether debuggers can attach later, on a socket that only the same user can open.",
         .values = listen_values,
         .preset = "yes",
      },
   [LAYER_SETTING_SHORT_TIMEOUT] =
      {
         .key = "short_timeout",
         .label = "Short lockup timeout",
         .description =
            "Whether waves of a Radeon card may be stopped although the kernel resets the GPU within ten minutes.",
         .values = short_timeout_values,
         .preset = "refuse",
      },
   [LAYER_SETTING_ENTRY] =
      {
         .key = "entry",
         .label = "Stops at entry",
         .description = "What stops waves of a Radeon card at their first instruction.",
         .values = entry_values,
         .preset = "trap",
      },
   [LAYER_SETTING_FRAME_SUBMITS] =
      {
         .key = "frame_submits",
         .label = "Submissions of a frame",
         .description = "In programs without a window that do not mark the ends of frames, either: how many "
                        "submissions make a frame.",
         .form = "a number from 1 to 1000000",
         .valid = is_frame_size,
         .preset = "1",
      },
   [LAYER_SETTING_STOP_KEY] =
      {
         .key = "stop_key",
         .label = "Key to stop",
         .description = "The key that stops in the next frame: the name of a keysym as xev or wev show it, or a "
                        "keycode. Empty: none.",
         .form = "a key's name, or a keycode from 8 to 775",
         .valid = is_key,
         .preset = "F10",
      },
   [LAYER_SETTING_CAPTURE_KEY] =
      {
         .key = "capture_key",
         .label = "Key to capture",
         .description = "The key that captures the next frame, named as the key to stop.",
         .form = "a key's name, or a keycode from 8 to 775",
         .valid = is_key,
         .preset = "F11",
      },
   [LAYER_SETTING_CAPTURE_FOLDER] =
      {
         .key = "capture_folder",
         .label = "Folder for captures",
         .description = "Where captures that nobody names are written to: PROGRAM-PID-frameN.hdbcap of a frame, "
                        "PROGRAM-PID-N.hdbcap of single dispatches. Empty: the working directory.",
         .form = "a folder",
         .valid = is_folder,
         .preset = "",
      },
};

void
layer_setting_describe(const struct layer_setting_info *info, char *text, size_t size)
{
   if (!info->values) {
      snprintf(text, size, "%s", info->form);
      return;
   }
   size_t used = 0;
   for (const struct layer_setting_value *value = info->values; value->key && used < size; value++)
      used += (size_t)snprintf(text + used, size - used, "%s%s", value == info->values ? "" : "|", value->key);
}
