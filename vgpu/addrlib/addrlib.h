/* SPDX-License-Identifier: MIT */
/* AMD's address library, as far as the virtual card asks it: a shared library of its own, see README.md. */
#ifndef VGPU_ADDRLIB_H
#define VGPU_ADDRLIB_H

#include "image/layout.h"

#define ADDRLIB_SONAME "libhdb-addrlib.so.0"

struct addrlib_functions {
   /* A handle for a card with this GB_ADDR_CONFIG; NULL: not possible. */
   void *(*create)(uint32_t gb_addr_config);
   void (*destroy)(void *handle);
   /* Fills in all of the layout but its surface and its swizzle. 0 or -EINVAL: there is no such surface. */
   int (*layout)(void *handle, const struct surface *surface, struct image_layout *layout);
   /* The address of an element from the start of the surface. */
   int (*address)(void *handle, const struct surface *surface, unsigned level, uint32_t x, uint32_t y, uint32_t z,
                  unsigned sample, uint64_t *address);
};

/* What the library exports; the name by which it is looked up. */
#define ADDRLIB_SYMBOL "hdb_addrlib"
extern const struct addrlib_functions hdb_addrlib;

#endif
