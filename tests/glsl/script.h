/* SPDX-License-Identifier: MIT */
/* What a shader of these tests is given and must compute: the lines of its source that begin with //! (README.md). */
#ifndef TESTS_GLSL_SCRIPT_H
#define TESTS_GLSL_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRIPT_MAX_BYTES 4096
#define SCRIPT_MAX_EXPECTED 4096
#define SCRIPT_RESULT_BYTES 16384
#define SCRIPT_MAX_CONSTANTS 8
#define SCRIPT_MAX_ADDRESSES 8

enum type {
   TYPE_U8,
   TYPE_I8,
   TYPE_U16,
   TYPE_I16,
   TYPE_U32,
   TYPE_I32,
   TYPE_U64,
   TYPE_I64,
   TYPE_F16,
   TYPE_F32,
   TYPE_F64
};

struct bytes {
   uint8_t data[SCRIPT_MAX_BYTES];
   size_t size;
};

/* One value of the result buffer: equal in every bit, or near. Any NaN is as good as another. */
struct expected {
   enum type type;
   uint32_t offset;
   uint64_t bits;
   double ulps;     /* how many units in the last place it may be off, or */
   double absolute; /* how much */
};

/* A value of the push constants that is known only when the buffers are there. */
struct address {
   uint32_t offset;
   bool of_result; /* else of the input */
};

struct constant {
   uint32_t id;
   enum type type;
   uint64_t bits;
};

struct script {
   uint32_t workgroups[3];
   bool images;   /* it uses some: they are made and filled */
   uint32_t fill; /* every word of the result, before */
   struct bytes input, uniform, push;
   uint32_t expected_count, constant_count, address_count;
   struct expected expected[SCRIPT_MAX_EXPECTED];
   struct constant constants[SCRIPT_MAX_CONSTANTS];
   struct address addresses[SCRIPT_MAX_ADDRESSES];
   char lavapipe_lacks[128]; /* why it is not run there; empty if it is */
};

/* Complains and gives false if the file cannot be read or a line be understood. */
bool script_read(struct script *script, const char *path);

uint32_t type_size(enum type type);
/* How many of the values in `result` are wrong; the first few are printed, each after `prefix`. */
uint32_t script_check(const struct script *script, const void *result, const char *prefix);

#endif
