/* SPDX-License-Identifier: MIT */
/* The shaders of shaders/, assembled. */
#ifndef SQ_SHADERS_H
#define SQ_SHADERS_H

#include <stddef.h>
#include <stdint.h>

#define SHADER(name)                      \
   extern const uint32_t shader_##name[]; \
   extern const size_t shader_##name##_size

SHADER(barrier);
SHADER(countdown);
SHADER(divide);
SHADER(echo);
SHADER(end);
SHADER(forever);
SHADER(halt);
SHADER(handler);
SHADER(held_barrier);
SHADER(identity);
SHADER(illegal);
SHADER(load);
SHADER(messages);
SHADER(scratch);
SHADER(second_handler);
SHADER(spin);
SHADER(step_barrier);
SHADER(store);
SHADER(trap_once);
SHADER(traps);

/* Puts one into the machine's memory. */
#define load_shader(machine, name) machine_code(machine, shader_##name, shader_##name##_size)

#endif
