/* SPDX-License-Identifier: MIT */
/* Growing arrays: a pointer and a count, grown by powers of two. */
#ifndef HDB_ARRAY_H
#define HDB_ARRAY_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more behind `count` elements; NULL: out of memory, `array` is untouched. */
static inline void *
array_grow(void *array, size_t count, size_t element_size)
{
   if (count & (count - 1))
      return array;
   size_t capacity = count ? 2 * count : 1;
   if (capacity > (size_t)-1 / element_size)
      return NULL;
   return realloc(array, capacity * element_size);
}

/* The address of a new element at the end, or NULL. */
#define array_append(array, count)                               \
   ({                                                            \
      void *grown_ = array_grow(array, count, sizeof(*(array))); \
      if (grown_)                                                \
         (array) = grown_;                                       \
      grown_ ? &(array)[(count)++] : NULL;                       \
   })

/* Removes element i by moving the later ones down. */
#define array_remove(array, count, i)                                           \
   do {                                                                         \
      size_t i_ = (i);                                                          \
      (count)--;                                                                \
      memmove(&(array)[i_], &(array)[i_ + 1], ((count)-i_) * sizeof(*(array))); \
   } while (0)

#endif
