/* SPDX-License-Identifier: MIT */
/* What the tests need to know of a SPIR-V module: which instruction is where, and the lines of its source. */
#ifndef TESTS_MESA_MODULE_H
#define TESTS_MESA_MODULE_H

#include <stdint.h>

#include "driver.h"

/* SPIR-V specification, 3.49 */
enum {
   OP_NONE = 0,
   OP_EXT_INST_IMPORT = 11,
   OP_EXT_INST = 12,
   OP_CONSTANT = 43,
   OP_FUNCTION = 54,
   OP_FUNCTION_END = 56,
   OP_FUNCTION_CALL = 57,
   OP_LOAD = 61,
   OP_STORE = 62,
   OP_COPY_MEMORY = 63,
   OP_CONTROL_BARRIER = 224,
   OP_ATOMIC_FIRST = 227, /* OpAtomicLoad */
   OP_ATOMIC_LAST = 242,  /* OpAtomicXor */
};

struct module {
   uint32_t word_count;
   uint16_t *ops;   /* for each word of the module: the opcode of the instruction in a function that begins there */
   uint32_t *lines; /* for each word: the line of the instruction that begins there, as DebugLine has it; or 0 */
};

struct module module_read(const struct spirv *spirv);
void module_free(struct module *module);

/* OP_NONE: no instruction of a function's body begins there. */
uint32_t module_op_at(const struct module *module, uint32_t spirv_offset);
uint32_t module_line_at(const struct module *module, uint32_t spirv_offset);

#endif
