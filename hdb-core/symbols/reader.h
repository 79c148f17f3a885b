/* SPDX-License-Identifier: MIT */
/* What the parts of the SPIR-V reader share. */
#ifndef HDB_SPIRV_READER_H
#define HDB_SPIRV_READER_H

#include "symbols/spirv.h"

#define SPIRV_HEADER_WORDS 5

/* What is known of an id. Words are indices into the module, 0: none. */
struct spirv_id {
   uint32_t definition;
   uint32_t name;  /* its OpName, or OpEntryPoint */
   uint32_t index; /* of the file, function or inlining that it stands for, plus one */
};

/* The line state, as it changes from instruction to instruction. */
struct spirv_line_state {
   uint32_t file, line, column;
   uint32_t function, inlining, scope;
};

struct spirv_reader {
   struct spirv_module *module;
   const uint32_t *words;
   uint32_t word_count;
   uint32_t first_word; /* of the module, among those of all */
   size_t first_file;   /* of the module */
   uint32_t bound;
   uint32_t debug_set; /* id of NonSemantic.Shader.DebugInfo's import; 0: none */
   struct spirv_id *ids;
   struct spirv_line_state *entry_states; /* the line that a block begins with, when it has none of its own */
   uint32_t *entry_state_of;              /* by label id: index into entry_states plus one */
   size_t entry_state_count;
   struct spirv_line_state state;
   uint32_t declared;     /* the function as OpFunction begins it; SPIRV_NONE once its DebugFunction is known */
   size_t declared_place; /* its first place */
   char **error;
};

struct spirv_instruction {
   uint32_t word; /* where it stands */
   uint32_t opcode;
   uint32_t count; /* words, the first included */
   const uint32_t *words;
};

/* ---- access, checked: reader.c ---- */

/* Sets the reader's error, if it wants one; -EINVAL. */
int spirv_malformed(struct spirv_reader *reader, uint32_t word, const char *format, ...)
   __attribute__((format(printf, 3, 4)));
int spirv_read_instruction(struct spirv_reader *reader, uint32_t word, struct spirv_instruction *instruction);
/* Operand `i` counts words behind the first one; 0 (which is no id) when it is missing. */
uint32_t spirv_operand(const struct spirv_instruction *instruction, uint32_t i);
struct spirv_id *spirv_find_id(struct spirv_reader *reader, uint32_t id);
/* The instruction that defines an id, if it is of that opcode. The first pass has checked its length. */
bool spirv_find_definition(struct spirv_reader *reader, uint32_t id, uint32_t opcode,
                           struct spirv_instruction *instruction);
bool spirv_find_debug_instruction(struct spirv_reader *reader, uint32_t id, uint32_t number,
                                  struct spirv_instruction *instruction);
/* Operands of an extended instruction, behind the set and the number. */
uint32_t spirv_debug_operand(const struct spirv_instruction *instruction, uint32_t i);
/* A literal string at operand i, or NULL if its nul does not stand inside the instruction. */
const char *spirv_literal(const struct spirv_instruction *instruction, uint32_t i);
const char *spirv_find_string(struct spirv_reader *reader, uint32_t id);
/* The debug instructions' numbers are ids of 32-bit constants. 0 when unknown. */
uint32_t spirv_find_constant(struct spirv_reader *reader, uint32_t id);

bool spirv_is_debug_instruction(const struct spirv_reader *reader, const struct spirv_instruction *instruction);
bool spirv_is_debug_set(const char *name); /* an import of the debug instructions, any version */

/* Where the first of several modules ends, in words. */
size_t spirv_find_module_end(const uint32_t *words, size_t count);

/* ---- files, functions and inlined calls: scopes.c ---- */

int spirv_append_text(struct spirv_file *file, const char *text);
void spirv_strip_preamble(struct spirv_file *file);
int spirv_resolve_file(struct spirv_reader *reader, uint32_t id, uint32_t *index);
int spirv_resolve_scope(struct spirv_reader *reader, uint32_t scope, uint32_t *function);
int spirv_add_inlining(struct spirv_reader *reader, const struct spirv_instruction *instruction);
int spirv_begin_function(struct spirv_reader *reader, const struct spirv_instruction *instruction);

/* ---- the second pass, over the functions: places.c ---- */

int spirv_read_functions(struct spirv_reader *reader);
uint32_t spirv_switch_literal_words(struct spirv_reader *reader, const struct spirv_instruction *instruction);
bool spirv_is_terminator(uint32_t opcode);

#endif
