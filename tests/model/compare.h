/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_H
#define COMPARE_H

#include "model.h"

struct difference {
   char place[16];
   uint64_t actual, expected;
   unsigned lane;
};

/* Takes over into `expected` what it tolerates of `actual`. */
bool machines_differ(const struct instance *instance, struct machine *expected, const struct machine *actual,
                     struct difference *difference);

#endif
