/* SPDX-License-Identifier: MIT */
/* Values and their types. Part of private.h. */
#ifndef HDB_EXPR_VALUE_H
#define HDB_EXPR_VALUE_H

#include "expr/number.h"
#include "values/place.h"

struct expr;

/* ---- types: types.c ---- */

const struct hdb_type *expr_scalar_type(enum hdb_type_kind kind, uint32_t bits);
extern const struct hdb_type expr_register_type; /* 32 bits, shown in hexadecimal */
extern const struct hdb_type expr_pair_type;     /* 64 */
/* NULL: out of memory, the error is set. */
const struct hdb_type *expr_vector_type(struct expr *expr, const struct hdb_type *scalar, uint32_t count);
const struct hdb_type *expr_matrix_type(struct expr *expr, const struct hdb_type *scalar, uint32_t columns,
                                        uint32_t rows);
const struct hdb_type *expr_array_type(struct expr *expr, const struct hdb_type *element, uint32_t count,
                                       uint32_t stride);
/* `stride`: from one object to the next; 0: as they are packed. */
const struct hdb_type *expr_pointer_type(struct expr *expr, const struct hdb_type *element, uint32_t stride);
/* A type by its name in GLSL, HLSL or the shader. NULL: none, or (with an error) it has more than one layout. */
const struct hdb_type *expr_find_type(struct expr *expr, const char *name);
const struct hdb_type *expr_find_own_type(struct expr *expr, const char *name); /* of the language; NULL: none */
bool expr_is_numeric(const struct hdb_type *type); /* bool, int, uint, float, vectors and matrices of them */
bool expr_is_scalar(const struct hdb_type *type);
const char *expr_type_name(struct expr *expr, const struct hdb_type *type); /* "Blade *" */
/* A copy of a type, and all it refers to, that needs no symbols; allocates in `clone`. */
struct type_clone {
   const struct hdb_type **from, **to;
   size_t count;
   void **memory; /* to be freed */
   size_t memory_count;
};
const struct hdb_type *type_clone_add(struct type_clone *clone, const struct hdb_type *type); /* NULL: no memory */
void type_clone_finish(struct type_clone *clone);

/* ---- values: value.c ---- */

enum value_kind {
   VALUE_BYTES,      /* the value itself */
   VALUE_PLACE,      /* an object: in memory, LDS, scratch, registers */
   VALUE_BINDINGS,   /* an array of blocks or handles, each of which is somewhere else */
   VALUE_UNAVAILABLE /* `why` says so */
};

enum register_kind {
   REGISTER_NONE,
   REGISTER_SCALARS,
   REGISTER_VECTOR,
   REGISTER_PAIR,
   REGISTER_PC,
   REGISTER_SCC,
   REGISTER_MODE,
   REGISTER_STATUS
};

/* What an assignment sets, if the value is a register's. */
struct expr_register {
   enum register_kind kind;
   uint32_t first, count;
   int32_t lane; /* -1: all */
};

struct value {
   enum value_kind kind;
   const struct hdb_type *type;
   const uint8_t *bytes; /* VALUE_BYTES; as the type lays them out */
   size_t size;
   const struct hdb_place *place;   /* VALUE_PLACE */
   uint64_t offset;                 /* in it */
   uint32_t stride;                 /* from one component to the next; 0: as the type says */
   uint32_t spacing;                /* from one element to the next of the array that it is in; 0: it is in none */
   uint8_t swizzle[4];              /* components of the vector at `offset` that this one is made of */
   uint8_t swizzled;                /* how many; 0: not a swizzle */
   const struct hdb_symbol *symbol; /* VALUE_BINDINGS; and where the object begins, for messages */
   uint64_t element;                /* VALUE_BINDINGS: the first one */
   uint64_t count;                  /* VALUE_BINDINGS whose type has no length: how many there are, at most */
   bool uncounted;                  /* a descriptor set may have fewer than that */
   const char *why;
   struct expr_register reg;
};

struct value value_from_bytes(const struct hdb_type *type, const void *bytes, size_t size);
struct value value_unavailable(const struct hdb_type *type, const char *why);
/* Part of a value. -ERANGE and the like: *why (of the evaluation's memory) says so; nothing else is set. */
int value_read(struct expr *expr, const struct value *value, uint64_t offset, void *data, size_t size,
               const char **why);
uint64_t value_room(const struct value *value);  /* bytes that its object has from its start on */
uint64_t value_count(const struct value *value); /* elements of an array */
int value_member(struct expr *expr, uint32_t column, const struct value *value, uint32_t member, struct value *out);
int value_element(struct expr *expr, uint32_t column, const struct value *value, uint64_t index, struct value *out);
int value_dereference(struct expr *expr, uint32_t column, const struct value *pointer, struct value *out);
int value_at(struct expr *expr, const struct hdb_type *type, uint64_t address, struct value *out);
int value_of_symbol(struct expr *expr, const struct hdb_symbol *symbol, struct value *out);
/* Elements `first` to `last` of an array, as one. */
int value_slice(struct expr *expr, uint32_t column, const struct value *value, uint64_t first, uint64_t last,
                struct value *out);
bool value_in_memory(const struct value *value, uint64_t *address);
int value_load(struct expr *expr, uint32_t column, const struct value *value, struct numeric *number);
int value_load_pointer(struct expr *expr, uint32_t column, const struct value *value, uint64_t *address);
int value_from_numeric(struct expr *expr, const struct numeric *number, struct value *out);
/* All of its bytes, for keeping. */
int value_copy(struct expr *expr, uint32_t column, const struct value *value, struct value *out);

/* ---- composites.c ---- */

bool expr_is_composite(const struct hdb_type *type); /* an array or a struct */
int composite_assign(struct expr *expr, uint32_t column, const struct value *to, const struct value *from);
int composite_equals(struct expr *expr, uint32_t column, const struct value *a, const struct value *b, bool *equal);
/* Of one value for each element or member, as `int[3](1, 2, 3)`; an array type without a length gets one. */
int composite_make(struct expr *expr, uint32_t column, const struct hdb_type *type, const struct value *parts,
                   uint32_t count, struct value *out);

/* ---- construct.c ---- */

/* A value of the type from arguments, as `vec3(a, b)`. */
int expr_construct(struct expr *expr, uint32_t column, const struct hdb_type *type, const struct numeric *arguments,
                   uint32_t count, struct value *out);
int expr_cast(struct expr *expr, uint32_t column, const struct hdb_type *type, const struct value *from,
              struct value *out);

#endif
