/* SPDX-License-Identifier: MIT */
/* From machine code to source and back, for one shader: the driver's location table joined with its SPIR-V's lines. */
#ifndef HDB_SYMBOLS_H
#define HDB_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hdb/hdb_driver.h"

struct hdb_symbols;

/* Never fails for want of debug information: a shader without any has no files and answers false everywhere.
 * *error gets one line (to be freed) when the module cannot be read; the result is then -EINVAL. */
int hdb_symbols_create(const struct hdb_shader *shader, struct hdb_symbols **symbols, char **error);
void hdb_symbols_destroy(struct hdb_symbols *symbols);

struct hdb_position {
   const char *file; /* as the module spells it */
   uint32_t line;    /* from 1 */
   uint32_t column;  /* from 1; 0: unknown */
};

/* The stage of ray tracing that the code at `pc` is of; NULL: none, or unknown. */
#define HDB_STAGE_RAYGEN "raygen"
const char *hdb_symbols_stage(const struct hdb_symbols *symbols, uint32_t pc);

/* One level of the (inlined) call stack at a pc, innermost first. */
struct hdb_frame {
   struct hdb_position position; /* file NULL: the module has no lines */
   const char *function;         /* as in the source; NULL: unknown */
   uint32_t spirv_offset;        /* 0: unknown (a call that a SPIR-V optimiser inlined) */
};

size_t hdb_symbols_frames(const struct hdb_symbols *symbols, uint32_t pc, struct hdb_frame *frames, size_t capacity);
bool hdb_symbols_position(const struct hdb_symbols *symbols, uint32_t pc, struct hdb_position *position);

/* Line steps: from where the step began (`origin`) to the next statement on another line. */
enum hdb_line_step {
   HDB_STEP_INTO, /* inlined calls are entered */
   HDB_STEP_OVER, /* inlined calls deeper than the origin's are run through */
   HDB_STEP_OUT   /* until the origin's inlined call has returned */
};
bool hdb_symbols_ends_step(const struct hdb_symbols *symbols, uint32_t origin, enum hdb_line_step kind, uint32_t pc);
/* The stretch around `pc` in which, the instruction at `pc` apart, no step from `origin` ends. */
void hdb_symbols_step_range(const struct hdb_symbols *symbols, uint32_t origin, enum hdb_line_step kind, uint32_t pc,
                            uint32_t *low, uint32_t *high);

/* With quads of derivatives, the shader deals its invocations out anew: their order is the driver's. */
bool hdb_symbols_shuffles_invocations(const struct hdb_symbols *symbols);

bool hdb_symbols_has_lines(const struct hdb_symbols *symbols);
/* Whether a line step may stop at `pc`: the first instruction of a statement (debug build) or a key instruction. */
bool hdb_symbols_is_statement(const struct hdb_symbols *symbols, uint32_t pc);
/* Whether the instruction at `pc` does nothing but mark a statement. */
bool hdb_symbols_is_pad(const struct hdb_symbols *symbols, uint32_t pc);

/* The pcs where a breakpoint at file:line goes (`file` matches by its last path components). When the line has no code,
 * *actual is the nearest one of its function at or after it that has, else the nearest before it; for a line outside of
 * every function, the nearest of the file. 0 places: the file has no code in this shader (*actual is 0), or the line's
 * function has none. */
size_t hdb_symbols_find_line(const struct hdb_symbols *symbols, const char *file, uint32_t line, uint32_t *pcs,
                             size_t capacity, uint32_t *actual);

/* The stretches of instructions that belong to a line, however it came to them; returns how many there are. */
struct hdb_pc_range {
   uint32_t low, high;
};
size_t hdb_symbols_line_places(const struct hdb_symbols *symbols, const char *file, uint32_t line,
                               struct hdb_pc_range *places, size_t capacity);

const char *hdb_symbols_file_name(const struct hdb_symbols *symbols, size_t index); /* NULL: there are no more */
bool hdb_symbols_has_file(const struct hdb_symbols *symbols, const char *file);     /* matched as above */
/* Text of a source file (matched as above): from the module, else from the disk. NULL: not to be had. `line` counts
 * from 1. */
const char *hdb_symbols_source(const struct hdb_symbols *symbols, const char *file, size_t *size);
const char *hdb_symbols_line_text(const struct hdb_symbols *symbols, const char *file, uint32_t line, size_t *length);

#endif
