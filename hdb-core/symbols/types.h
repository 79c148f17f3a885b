/* SPDX-License-Identifier: MIT */
/* Types of a shader, as its source spells them and as its memory lays them out. */
#ifndef HDB_TYPES_H
#define HDB_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hdb_type_kind {
   HDB_TYPE_VOID,
   HDB_TYPE_BOOL,
   HDB_TYPE_INT,
   HDB_TYPE_UINT,
   HDB_TYPE_FLOAT,
   HDB_TYPE_VECTOR, /* of `count` scalars */
   HDB_TYPE_MATRIX, /* of `count` columns, which are vectors */
   HDB_TYPE_ARRAY,  /* `count` 0: as long as its memory is */
   HDB_TYPE_STRUCT,
   HDB_TYPE_POINTER, /* an address in GPU memory (PhysicalStorageBuffer) */
   HDB_TYPE_OPAQUE   /* image, sampler, acceleration structure, ray query, cooperative matrix: has no bits to show */
};

/*
 * How a type lies in memory. Decorated: by the module's Offset, ArrayStride and MatrixStride. Natural: the driver's
 * choice for scratch (Mesa's glsl_get_natural_size_align_bytes) and for workgroup variables without an explicit layout
 * (RADV's shared_var_info): every scalar aligned to its size, nothing else padded. A bool takes four bytes.
 */
enum hdb_layout { HDB_LAYOUT_DECORATED, HDB_LAYOUT_NATURAL };

struct hdb_member {
   const char *name; /* never NULL: "member0" when the module has none */
   const struct hdb_type *type;
   uint32_t offset; /* bytes */
   bool unnamed;    /* the name is made up */
};

struct hdb_enumerator {
   const char *name;
   int64_t value;
};

struct hdb_type {
   enum hdb_type_kind kind;
   const char *name;               /* "float", "vec3", "Blade", "mat4x3"; as HLSL spells it in HLSL; never NULL */
   uint32_t bits;                  /* of a scalar; a bool has 32 in memory */
   uint32_t count;                 /* components, columns, elements */
   uint32_t stride;                /* bytes from one element, column, component or pointee to the next */
   uint32_t row_stride;            /* matrices: bytes from one component of a column to the next */
   uint64_t size;                  /* bytes; of one without a length, 0 elements of the array at its end counted */
   uint32_t align;                 /* bytes, as the layout needs it */
   size_t scalars;                 /* that it is made of, SIZE_MAX: too many to count; 0 in what is opaque */
   const struct hdb_type *element; /* component, column, element, what a pointer points at */
   const struct hdb_member *members;
   uint32_t member_count;
   bool unblocked;                           /* a struct in the natural layout, as variables are; it is in no block */
   const struct hdb_enumerator *enumerators; /* an integer type that is an enum in the source */
   uint32_t enumerator_count;
};

#endif
