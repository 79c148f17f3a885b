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

/* NUMBER, NAME or label:GLOB, none of them empty */
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
   {"yes", "Yes", "Listens on $XDG_RUNTIME_DIR/hdb/PID.sock."},
   {"no", "No", "No socket is made."},
   {0},
};

static const struct layer_setting_value short_timeout_values[] = {
   {"refuse", "Refuse", "Says how to set amdgpu.lockup_timeout."},
   {"accept", "Accept", "Stops end with a reset of the GPU if they last."},
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
         .description = "Dispatches to attach to: a number, the name of a pipeline or entry point, or label:GLOB, "
                        "separated by commas.",
         .form = "NUMBER, NAME or label:GLOB, ...",
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
