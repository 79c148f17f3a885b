/* SPDX-License-Identifier: MIT */
/* Variables of a shader: which are in scope at a pc, and what is known of where they are. */
#ifndef HDB_VARIABLES_H
#define HDB_VARIABLES_H

#include "symbols/symbols.h"
#include "symbols/types.h"

enum hdb_storage {
   HDB_STORAGE_LOCAL,     /* Function variables, and names for values (DebugValue) */
   HDB_STORAGE_PARAMETER, /* of the function */
   HDB_STORAGE_PRIVATE,   /* globals of an invocation */
   HDB_STORAGE_WORKGROUP, /* LDS */
   HDB_STORAGE_BUFFER,    /* StorageBuffer */
   HDB_STORAGE_UNIFORM,   /* uniform blocks, inline ones too */
   HDB_STORAGE_PUSH_CONSTANT,
   HDB_STORAGE_HANDLE, /* UniformConstant: images, samplers, acceleration structures */
   HDB_STORAGE_BUILTIN,
   HDB_STORAGE_CONSTANT /* specialization constants, named constants */
};

#define HDB_NO_OFFSET UINT32_MAX

struct hdb_symbol {
   const char *name; /* as in the source, else OpName, else "%17" */
   const struct hdb_type *type;
   enum hdb_storage storage;
   uint32_t id;    /* in the module: of the OpVariable, OpFunctionParameter, constant, or of the debug variable */
   uint32_t scope; /* number of the lexical scope; greater is more deeply nested; 0: global */
   struct hdb_position declared; /* file NULL: unknown */
   uint32_t set, binding;        /* buffers, uniforms, handles */
   uint32_t builtin;             /* SpvBuiltIn */
   uint32_t workgroup_offset;    /* bytes in LDS; HDB_NO_OFFSET: it has no place there */
   uint32_t constant_id;         /* specialization constants; UINT32_MAX: other constants */
   /* A block without a name of its own (`buffer B { float x[]; };`): its members are in scope as names. */
   bool anonymous;
   const char *block; /* name of the block, buffers and uniforms; may be NULL */
};

/* The symbols in scope in a frame of the call stack at `pc` (0: innermost), those of the innermost scope first; a name
 * may come twice, the first one shadows. Globals are at the end. Returns how many there are. */
size_t hdb_symbols_variables(struct hdb_symbols *symbols, uint32_t pc, uint32_t frame, const struct hdb_symbol **list,
                             size_t capacity);

/* Another variable that may as well be what the name of that one, the first of its name in the list, means there: how
 * far the scope of one of them goes is not known. NULL: there is none. */
const struct hdb_symbol *hdb_symbols_rival(struct hdb_symbols *symbols, uint32_t pc, uint32_t frame,
                                           const struct hdb_symbol *symbol);

/* The result of the (inlined) call that the OpFunctionCall at an offset of the SPIR-V is, for a stop behind it. NULL:
 * there is no such call, or it returns nothing that can be shown. */
const struct hdb_symbol *hdb_symbols_returned(struct hdb_symbols *symbols, uint32_t spirv_offset);

/* ---- where a value is ---- */

enum hdb_piece_kind {
   HDB_PIECE_UNAVAILABLE, /* `why` says so in a word or two: "optimized out", "not yet loaded" */
   HDB_PIECE_SCRATCH,     /* bytes `where` on of the lane's scratch */
   HDB_PIECE_VGPR,        /* register `where`, from byte `byte` on; what needs more goes on in the next register */
   HDB_PIECE_SGPR,        /* the same */
   HDB_PIECE_LANE_MASK,   /* a bool: bit `lane` of the SGPRs from `where` on */
   HDB_PIECE_SCC,         /* a bool */
   HDB_PIECE_VGPR_LANE,   /* an SGPR that was spilled: lane `byte` of VGPR `where` */
   HDB_PIECE_BYTES,       /* known: `bytes` */
   HDB_PIECE_COMPUTED     /* nowhere, but `computation` tells what it is */
};

struct hdb_computation;

struct hdb_piece {
   enum hdb_piece_kind kind;
   uint32_t offset, size; /* of the piece in the variable, in the natural layout */
   uint32_t where;
   uint8_t byte;
   uint8_t bytes[8];
   const char *why;
   const struct hdb_computation *computation; /* lives as long as the symbols */
};

enum hdb_computation_kind {
   HDB_COMPUTATION_PIECE,         /* what `piece` holds */
   HDB_COMPUTATION_BUILTIN,       /* dword `number` of the SpvBuiltIn `what` */
   HDB_COMPUTATION_PUSH_CONSTANT, /* bytes `number` on of the push constants */
   HDB_COMPUTATION_OPERATION,     /* `what` (symbols/operations.h) of `operands` of `from` bits */
   /* The vote (OpGroupNonUniformAll, Any, AllEqual), or dword `number` of the ballot, of all lanes that the wave was
    * launched with on the first of `operands`. */
   HDB_COMPUTATION_VOTE
};

/* A scalar by the instructions that define it, of others that are somewhere. */
struct hdb_computation {
   enum hdb_computation_kind kind;
   uint32_t bits; /* of the scalar; a bool: 1 */
   uint32_t what, number, from;
   /* OpSelect may lack one of those that it selects from, NULL: then it is not known in lanes that select it. */
   const struct hdb_computation *operands[3];
   struct hdb_piece piece;
};

/* Where a local, parameter or private variable (or a constant) is at `pc`, in that frame: pieces that cover it from
 * start to end, in the natural layout. Returns how many there are, 0 when its storage is none of these. */
size_t hdb_symbols_locate(struct hdb_symbols *symbols, uint32_t pc, uint32_t frame, const struct hdb_symbol *symbol,
                          struct hdb_piece *pieces, size_t capacity);

/* ---- types ---- */

/* A type by the name the source gives it (structs, enums, typedefs) or the language's own; NULL: there is none.
 * For casts and `ptype`. */
const struct hdb_type *hdb_symbols_find_type(struct hdb_symbols *symbols, const char *name, enum hdb_layout layout);
/* Those that the source has named; a name may come more than once. NULL: no more. */
const struct hdb_type *hdb_symbols_type(struct hdb_symbols *symbols, size_t index);
/* The layouts that blocks give to a struct of that name: std140, std430 and scalar ones differ. Returns how many, up to
 * `capacity`; 0: no such struct is in a block. */
struct hdb_struct_layout {
   const struct hdb_type *type;
   const char *blocks; /* "Camera, Lights" */
};
size_t hdb_symbols_layouts(struct hdb_symbols *symbols, const char *name, struct hdb_struct_layout *list,
                           size_t capacity);
/* Derived types, as expressions make them; they live as long as the symbols. */
const struct hdb_type *hdb_symbols_vector_type(struct hdb_symbols *symbols, const struct hdb_type *scalar,
                                               uint32_t count);
const struct hdb_type *hdb_symbols_array_type(struct hdb_symbols *symbols, const struct hdb_type *element,
                                              uint32_t count);

/* Whether an optimiser of SPIR-V has put values in the place of vectors, matrices, arrays or structs: its debug
 * information does not tell of all stores to parts of them. Those that are found out are "optimized out". */
bool hdb_symbols_has_composites_of_values(struct hdb_symbols *symbols);

/* Debug instructions of the modules that are of no known kind, and were passed over. */
size_t hdb_symbols_unknown_debug_instructions(struct hdb_symbols *symbols);

enum hdb_language { HDB_LANGUAGE_UNKNOWN, HDB_LANGUAGE_GLSL, HDB_LANGUAGE_HLSL };
enum hdb_language hdb_symbols_language(const struct hdb_symbols *symbols);

#endif
