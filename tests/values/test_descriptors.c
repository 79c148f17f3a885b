/* SPDX-License-Identifier: MIT */
/* What descriptors of mutable bindings are, by words that RADV has written for them, and which variables they are for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "values/private.h"
#include "values/words.h"

static const uint32_t image[8] = {0x01001800, 0xc1400080, 0x0000c000, 0x93600204, 0, 0x00400000},
                      images_3d[8] = {0x01003000, 0xc3200080, 0x0001c001, 0xa150022c, 3, 0x00400000},
                      texels[8] = {0x000c0000, 0x00048001, 0x00000400, 0x00014204},
                      sampler[8] = {0x08000002, 0x00400000, 0x08500000, 0x00000000},
                      white_border[8] = {0x080000db, 0x00400000, 0x08500000, 0x80000000},
                      /* ac_descriptors.c: a raw buffer has the format 32_FLOAT, no stride and OOB_SELECT_RAW */
   buffer[8] = {0x00080000, 0x00008001, 0x00001000, 0x31016fac}, null[8];

static const struct hdb_binding mutable = {.type = TYPE_MUTABLE, .count = 8, .stride = 32},
                                images = {.type = TYPE_STORAGE_IMAGE, .count = 8, .stride = 32};

static void
test_types(void **state)
{
   assert_int_equal(descriptor_type(&mutable, image), TYPE_STORAGE_IMAGE);
   assert_int_equal(descriptor_type(&mutable, images_3d), TYPE_STORAGE_IMAGE);
   assert_int_equal(descriptor_type(&mutable, texels), TYPE_STORAGE_TEXEL_BUFFER);
   assert_int_equal(descriptor_type(&mutable, buffer), TYPE_STORAGE_BUFFER);
   assert_int_equal(descriptor_type(&mutable, sampler), TYPE_SAMPLER);
   assert_int_equal(descriptor_type(&mutable, white_border), TYPE_SAMPLER);
   assert_int_equal(descriptor_type(&mutable, null), TYPE_MUTABLE);
   assert_int_equal(descriptor_type(&images, buffer), TYPE_STORAGE_IMAGE); /* as the layout has it */
}

static void
test_variables(void **state)
{
   const struct hdb_type handle = {.kind = HDB_TYPE_OPAQUE, .name = "uimage2D"},
                         block = {.kind = HDB_TYPE_STRUCT, .name = "Block"},
                         three = {.kind = HDB_TYPE_ARRAY, .name = "uimage2D[3]", .element = &handle, .count = 3},
                         many = {.kind = HDB_TYPE_ARRAY, .name = "uimage2D[]", .element = &handle};
   const struct hdb_symbol few_images = {.type = &three, .storage = HDB_STORAGE_HANDLE},
                           many_images = {.type = &many, .storage = HDB_STORAGE_HANDLE},
                           one_buffer = {.type = &block, .storage = HDB_STORAGE_BUFFER};
   assert_true(descriptor_suits(&mutable, 2, TYPE_STORAGE_IMAGE, &few_images));
   assert_false(descriptor_suits(&mutable, 3, TYPE_STORAGE_IMAGE, &few_images));
   assert_true(descriptor_suits(&mutable, 7, TYPE_STORAGE_IMAGE, &many_images));
   assert_false(descriptor_suits(&mutable, 2, TYPE_STORAGE_BUFFER, &few_images));
   assert_true(descriptor_suits(&mutable, 0, TYPE_STORAGE_BUFFER, &one_buffer));
   assert_false(descriptor_suits(&mutable, 1, TYPE_STORAGE_BUFFER, &one_buffer));
   assert_true(descriptor_suits(&mutable, 2, TYPE_MUTABLE, &few_images)); /* null */
   assert_true(descriptor_suits(&images, 7, TYPE_STORAGE_IMAGE, &many_images));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {cmocka_unit_test(test_types), cmocka_unit_test(test_variables)};
   return cmocka_run_group_tests(tests, NULL, NULL);
}
