/* SPDX-License-Identifier: MIT */
/* What the parts that read types, variables and values out of a shader's modules share. */
#ifndef HDB_UNIT_H
#define HDB_UNIT_H

#include "symbols/private.h"
#include "symbols/reader.h"
#include "symbols/variables.h"

/* Nothing that a module nests, deeper than this, is followed. */
#define UNIT_MAX_DEPTH 64
#define UNIT_MAX_STEPS 65536

/* An OpDecorate (member SPIRV_NONE), OpMemberDecorate or OpMemberName. */
struct unit_annotation {
   uint32_t target, member;
   uint32_t word;
};

struct unit_function {
   uint32_t id, first, end; /* words, of OpFunction and behind OpFunctionEnd */
   uint32_t debug;          /* its DebugFunction; 0: none */
};

/* What a DebugDeclare (for good) or a DebugValue (from there on) says of a variable or a part of it. */
struct unit_binding {
   uint32_t word;  /* of the instruction */
   uint32_t value; /* id */
   bool declare;
   bool pointer;    /* `value` points at it */
   bool understood; /* else it is somewhere that its expression says and we don't know */
   uint32_t index_count;
   uint32_t fragment_offset, fragment_size; /* bits; size 0: no fragment */
};

/* A variable of one function, or (function SPIRV_NONE) a global. `symbol` comes first: it is what others see. */
struct unit_variable {
   struct hdb_symbol symbol;
   struct unit *unit;
   uint32_t function;
   bool by_value;                        /* symbol.id is an id with the value, not of a pointer to it */
   bool bound;                           /* only its bindings say where it is */
   bool hidden;                          /* the compiler's own */
   uint32_t debug, scope, inlined_at;    /* ids of debug instructions; 0: none */
   uint32_t file, first_line, last_line; /* where it is in scope, by the source; first_line 0: not known */
   struct unit_binding *bindings;
   size_t binding_count;
};

/* A pointer type whose pointee is not built yet. */
struct unit_pointer {
   uint32_t id, pointee;
};

/* One module of a shader. */
struct unit {
   struct hdb_symbols *symbols;
   struct spirv_reader reader;
   struct unit_annotation *annotations; /* sorted by target, then member, then word */
   size_t annotation_count;
   struct hdb_type **types[2];    /* by layout, then id */
   struct unit_pointer *pointers; /* while types are built */
   size_t pointer_count;
   uint32_t *alignments; /* of buffer references, by the id of the pointer type; 0: not seen. NULL: not looked for */
   struct unit_function *functions;
   size_t function_count;
   struct unit_variable **variables;
   size_t variable_count;
   enum hdb_language language;
   bool by_glslang;
   bool composites_of_values; /* composite locals have values in the place of variables: lost_stores.c */
   bool explicit_workgroup;   /* workgroup variables have decorated layouts */
   size_t unknown_debug_count;
   unsigned nesting, steps; /* of types and constants that need each other: a module must not hang or exhaust us */
};

/* Of the driver's, sorted by offset. */
struct unit_location {
   uint32_t spirv_offset, index;
};

#define UNIT_COMPUTATION_LISTS 256

struct unit_table {
   struct unit *units;
   size_t unit_count;
   struct unit_memory *memory; /* of types, names, variables: freed with all the rest */
   struct unit_overlay *overlays;
   size_t overlay_count;
   struct unit_location *locations;
   struct unit_computation *computations[UNIT_COMPUTATION_LISTS]; /* by hash */
};

/* NULL: out of memory, or there is no module. */
struct unit_table *unit_table(struct hdb_symbols *symbols);
void unit_free_table(struct hdb_symbols *symbols);
void *unit_alloc(struct hdb_symbols *symbols, size_t size); /* zeroed; NULL: out of memory */
const char *unit_printf(struct hdb_symbols *symbols, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool unit_define(struct unit *unit, uint32_t id, struct spirv_instruction *instruction);
bool unit_is_debug(struct unit *unit, const struct spirv_instruction *instruction, uint32_t number);
const char *unit_name(struct unit *unit, uint32_t id); /* its OpName, or NULL */
/* The first operand behind a decoration; false: it has none such. member SPIRV_NONE: of the target itself. */
bool unit_decoration(struct unit *unit, uint32_t target, uint32_t member, uint32_t decoration, uint32_t *value);
const char *unit_member_name(struct unit *unit, uint32_t target, uint32_t member);
bool unit_enter(struct unit *unit); /* before following what may lead here again; false: far enough */
void unit_leave(struct unit *unit);
const struct unit_function *unit_function_at(struct unit *unit, uint32_t word);
struct unit *unit_at(struct hdb_symbols *symbols, uint32_t spirv_offset, uint32_t *word);

/* ---- types: types.c, type_names.c, debug_types.c ---- */

const struct hdb_type *unit_type(struct unit *unit, uint32_t id, enum hdb_layout layout); /* never NULL */
extern const struct hdb_type unit_unknown_type;
bool unit_is_own_type(const char *name); /* of the language */
const struct hdb_type *unit_find_struct(struct unit *unit, const char *name, enum hdb_layout layout); /* structs.c */
const char *unit_type_name(struct hdb_symbols *symbols, enum hdb_language language, const struct hdb_type *type);
const char *unit_opaque_name(struct unit *unit, const struct spirv_instruction *type);
void unit_lay_out(struct hdb_type *type); /* size and align of a scalar, vector or array, from its parts and stride */
/* Operands of a debug instruction: numbers (ids of constants; 0: unknown), strings (NULL: empty), how many there are.
 */
uint32_t unit_debug_number(struct unit *unit, const struct spirv_instruction *i, uint32_t operand);
const char *unit_debug_string(struct unit *unit, const struct spirv_instruction *i, uint32_t operand);
uint32_t unit_debug_operand_count(const struct spirv_instruction *i);
/* The same type as the debug information has it; `type` NULL: what it says is all there is. */
const struct hdb_type *unit_overlay_type(const struct unit_table *table, size_t index); /* those made so far */
const struct hdb_type *unit_debug_type(struct unit *unit, const struct hdb_type *type, uint32_t debug_id);
void unit_make_debug_type(struct unit *unit, struct hdb_type *type, const struct spirv_instruction *i);
const struct hdb_type *unit_type_of(struct unit *unit, uint32_t id); /* of a value */
/* A part of a variable: where it lies, and the number of its first scalar among the variable's. */
struct unit_part {
   const struct hdb_type *type;
   uint64_t offset;
   size_t first;
};
bool unit_step(struct unit_part *part, uint64_t index); /* into a member, element, column, component */
/* One of the scalars that a type is made of, in order, and its offset. NULL: there is none such. */
const struct hdb_type *unit_find_leaf(const struct hdb_type *type, size_t leaf, uint64_t *offset);

/* ---- constants.c ---- */

/* One scalar of a constant's value, as its bits. False: it is not a constant, or not known. */
bool unit_constant(struct unit *unit, uint32_t id, size_t leaf, uint64_t *value);

/* ---- frames and variables: frames.c, variables.c ---- */

struct unit_frame {
   struct unit *unit;
   uint32_t word;              /* of the instruction it stands at */
   uint32_t location;          /* the driver's; the calls around it follow from there */
   uint32_t scope, inlined_at; /* ids of debug instructions; 0: none */
   uint32_t file, line;        /* file SPIRV_NONE: unknown */
};

bool unit_find_frame(struct hdb_symbols *symbols, uint32_t pc, uint32_t frame, struct unit_frame *found);
/* The frame of the call that the driver inlined; false: there is none, or it is unknown. */
bool unit_caller(struct hdb_symbols *symbols, const struct unit_frame *frame, struct unit_frame *caller);
/* Whether two of the driver's locations are in the same inlined call. */
bool unit_same_call(const struct hdb_symbols *symbols, uint32_t a, uint32_t b);

struct unit_variable *unit_add_variable(struct unit *unit, const char *name, uint32_t id);
int unit_read_globals(struct unit *unit);    /* globals.c */
int unit_read_locals(struct unit *unit);     /* locals.c */
int unit_find_lines(struct unit *unit);      /* of the locals: local_lines.c */
void unit_doubt_bindings(struct unit *unit); /* that do not tell of all stores: lost_stores.c; after the lines */
/* From its operand `first` on: source, line, column. */
struct hdb_position unit_debug_position(struct unit *unit, const struct spirv_instruction *i, uint32_t first);
bool unit_parent_scope(struct unit *unit, uint32_t scope, uint32_t *parent); /* false: it is a function's, or none */
bool unit_scope_encloses(struct unit *unit, uint32_t outer, uint32_t scope); /* or is the same */

/* ---- variables of one name: shadowing.c ---- */

/* The word of the first instruction in a part of a function that uses a pointer; SPIRV_NONE: none does. */
uint32_t unit_find_use(struct unit *unit, uint32_t pointer, uint32_t from, uint32_t to);

enum unit_order {
   UNIT_SHADOWS,     /* `a` is meant, not `b` */
   UNIT_IS_SHADOWED, /* `b` is */
   UNIT_UNORDERED    /* not known */
};
/* Of two local variables or parameters of one name that are in scope. */
enum unit_order unit_shadows(const struct unit_frame *frame, const struct unit_variable *a,
                             const struct unit_variable *b);

/* ---- storage, and what is stored there: storage.c, effects.c, flow.c ---- */

/* Where a pointer points: at a variable or a part of it. */
struct unit_storage {
   struct unit_frame frame;     /* the one the variable belongs to */
   uint32_t variable;           /* id of its OpVariable */
   uint32_t class;              /* SpvStorageClass */
   const struct hdb_type *type; /* of all of it */
   struct unit_part part;
};

/* Through accesses to parts by constants, and through parameters to what the callers passed. */
bool unit_find_storage(struct hdb_symbols *symbols, const struct unit_frame *frame, uint32_t pointer,
                       struct unit_storage *storage);
/* What the caller passed for an OpFunctionParameter, in the caller's frame. */
bool unit_find_argument(struct hdb_symbols *symbols, const struct unit_frame *frame, uint32_t parameter,
                        struct unit_frame *caller, uint32_t *argument);
/* What an OpFunctionCall that the driver inlined has returned, in a frame at the end of it; false: there are more
 * places than one that return something. */
bool unit_find_returned(struct hdb_symbols *symbols, const struct unit_frame *frame,
                        const struct spirv_instruction *call, struct unit_frame *callee, uint32_t *value);
/* For the result of a call that has returned: returned.c. */
void unit_step_past_call(const struct unit_variable *variable, struct unit_frame *frame);
const struct hdb_type *unit_pointee_type(struct unit *unit, uint32_t pointer); /* natural; unknown: it is no pointer */
bool unit_follow_access(struct unit *unit, const struct spirv_instruction *access, struct unit_part *part);

/* ---- what the driver's tables say: tables.c ---- */

bool symbols_specialization(const struct hdb_symbols *symbols, uint32_t constant_id, uint64_t *value);
/* Of the OpVariable at a word of the unit, in the inlined call that the frame is in (Private ones: in none). */
bool symbols_scratch_offset(struct unit *unit, uint32_t word, const struct unit_frame *frame, uint32_t *offset);
bool symbols_workgroup_offset(struct unit *unit, uint32_t word, uint32_t *offset);
bool symbols_sort_locations(struct hdb_symbols *symbols);
/* Offers the values of the instruction (OpVariable: of what is merged of it) at a word, in the frame's call, at `pc`,
 * until one is taken. */
bool symbols_find_value(struct unit *unit, uint32_t word, const struct unit_frame *frame, uint32_t pc,
                        bool (*take)(void *user, const struct hdb_value *value), void *user);
bool symbols_make_piece(const struct hdb_value *value, const struct hdb_type *scalar, struct hdb_piece *piece);

/* ---- computations: computations.c ---- */

/* The one kept of those that are equal: there are no more of them than there are different ones. NULL: out of
 * memory, or too large. */
const struct hdb_computation *symbols_keep_computation(struct hdb_symbols *symbols,
                                                       const struct hdb_computation *computation);

#endif
