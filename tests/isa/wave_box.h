/* SPDX-License-Identifier: MIT */
/* One wave in a box: registers in, instructions run by the interpreter itself, registers out. No command processor. */
#ifndef WAVE_BOX_H
#define WAVE_BOX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu.h"
#include "isa/table.h"
#include "sq/interpret.h"
#include "sq/wave.h"

#define BOX_CODE_VA UINT64_C(0x100000)
#define BOX_CODE_SIZE (1u << 16)
#define BOX_DATA_VA UINT64_C(0xffff800000000000) /* as drivers place 32-bit addresses */
#define BOX_DATA_SIZE (1u << 16)
#define BOX_LDS_SIZE 4096
#define BOX_VGPRS 64
#define BOX_MODE 0x1c0 /* as RADV's: f32 denormals flushed, f16 and f64 kept, DX10_CLAMP */

struct box {
   struct vgpu *gpu;
   struct vm vm;
   struct tlb tlb;
   struct icache *icache;
   uint32_t *code, *data;
   uint8_t lds[BOX_LDS_SIZE];
   uint32_t vgpr[BOX_VGPRS][64];
   struct wave wave;
};

/* The box of a program that has one, and its main(). */
extern struct box box;
int box_setup(void **state);
int box_teardown(void **state);
#define BOX_TESTS(...)                                               \
   int main(void)                                                    \
   {                                                                 \
      const struct CMUnitTest tests[] = {__VA_ARGS__};               \
      return cmocka_run_group_tests(tests, box_setup, box_teardown); \
   }

void box_init(struct box *a_box, uint32_t flags);
void box_finish(struct box *a_box);

/* A fresh wave at the start of the code: registers poisoned, EXEC full, memory and LDS zero. */
void box_reset(struct box *a_box, bool wave64);

/* Runs `words` (an s_endpgm is added) until the wave leaves the loop for something else than a jump. */
enum isa_result box_run(struct box *a_box, const uint32_t *words, unsigned count);

/* Goes on where the wave stands. */
enum isa_result box_continue(struct box *a_box);

/* Assembles with llvm-mc (BOX_LLVM_MC, or the one of the build): lines to words; returns how many, or fails the test.
 */
unsigned box_assemble(const char *text, bool wave64, uint32_t *words, unsigned capacity);

/* Both. */
enum isa_result box_run_text(struct box *a_box, const char *text);

#endif
