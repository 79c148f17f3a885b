/* SPDX-License-Identifier: MIT */
#include "capture/diff.h"

#include <string.h>

#define GAP 16 /* equal bytes that end a difference */

struct side {
   struct hdb_capture *capture;
   uint32_t state;
   uint64_t va;
   uint32_t page; /* HDB_CAPTURE_NO_PAGE: behind the last one */
   const uint8_t *data;
};

static void
go_on(struct side *side, uint64_t from)
{
   side->va = from;
   if (!hdb_capture_next_page(side->capture, side->state, &side->va, &side->page))
      side->page = HDB_CAPTURE_NO_PAGE;
}

/* Of the page at `va`; NULL: this side has none. */
static int
load(struct side *side, uint64_t va)
{
   const void *data = NULL;
   int result = 0;
   if (side->page != HDB_CAPTURE_NO_PAGE && side->va == va)
      result = hdb_capture_page(side->capture, side->page, &data);
   side->data = data;
   return result;
}

static void
compare(uint64_t va, const uint8_t *a, const uint8_t *b, hdb_capture_difference difference, void *user)
{
   for (size_t i = 0; i < HDB_CAPTURE_PAGE; i++) {
      if (a[i] == b[i])
         continue;
      size_t end = i + 1;
      for (size_t k = end; k < HDB_CAPTURE_PAGE && k < end + GAP; k++) {
         if (a[k] != b[k])
            end = k + 1;
      }
      difference(user, va + i, end - i, a + i, b + i);
      i = end;
   }
}

int
hdb_capture_diff(struct hdb_capture *a, uint32_t state_a, struct hdb_capture *b, uint32_t state_b,
                 hdb_capture_difference difference, void *user)
{
   struct side one = {.capture = a, .state = state_a}, other = {.capture = b, .state = state_b};
   go_on(&one, 0);
   go_on(&other, 0);
   while (one.page != HDB_CAPTURE_NO_PAGE || other.page != HDB_CAPTURE_NO_PAGE) {
      bool first = other.page == HDB_CAPTURE_NO_PAGE || (one.page != HDB_CAPTURE_NO_PAGE && one.va <= other.va);
      uint64_t va = first ? one.va : other.va;
      bool both = one.page != HDB_CAPTURE_NO_PAGE && other.page != HDB_CAPTURE_NO_PAGE && one.va == other.va;
      if (!(both && a == b && one.page == other.page)) {
         int result = load(&one, va);
         result = result ? result : load(&other, va);
         if (result)
            return result;
         if (!one.data || !other.data)
            difference(user, va, HDB_CAPTURE_PAGE, one.data, other.data);
         else if (memcmp(one.data, other.data, HDB_CAPTURE_PAGE) != 0)
            compare(va, one.data, other.data, difference, user);
      }
      bool advances_one = one.page != HDB_CAPTURE_NO_PAGE && one.va == va;
      bool advances_other = other.page != HDB_CAPTURE_NO_PAGE && other.va == va;
      if (advances_one)
         go_on(&one, va + HDB_CAPTURE_PAGE);
      if (advances_other)
         go_on(&other, va + HDB_CAPTURE_PAGE);
   }
   return 0;
}
