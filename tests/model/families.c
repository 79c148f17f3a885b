/* SPDX-License-Identifier: MIT */
#include "families.h"

const struct family *const families[] = {
   &float_family,  &select_family,       &convert_family, &approximate_family, &round_family,   &integer_family,
   &bits_family,   &bytes_family,        &compare_family, &carry_family,       &divide_family,  &dot_family,
   &scalar_family, &scalar_pairs_family, &lanes_family,   &lds_family,         &memory_family,  &matrix_family,
   &dual_family,   &mode_family,         &smem_family,    &buffer_family,      &scratch_family, &image_family,
   &sample_family, &exception_family,
};
const size_t family_count = sizeof families / sizeof families[0];
