/* SPDX-License-Identifier: MIT */
/* How two captures differ, dispatch by dispatch, or what each dispatch of one has changed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../cli.h"
#include "captures.h"
#include "capture/diff.h"

#define SHOWN 16       /* differences of one state */
#define SHOWN_BYTES 16 /* of each */

struct memory_diff {
   struct hdb_capture *capture; /* for names */
   bool all;
   uint64_t count, bytes;
};

static const struct hdb_capture_object *
object_at(const struct hdb_capture *capture, uint64_t va)
{
   const struct hdb_capture_object *best = NULL;
   for (uint32_t i = 0; i < hdb_capture_info(capture)->object_count; i++) {
      const struct hdb_capture_object *object = hdb_capture_object(capture, i);
      if (va - object->va < object->size && (!best || object->size < best->size))
         best = object;
   }
   return best;
}

static void
print_bytes(const uint8_t *bytes, uint64_t size)
{
   for (uint64_t i = 0; bytes && i < size && i < SHOWN_BYTES; i++)
      printf("%s%02x", i && i % 4 == 0 ? " " : "", bytes[i]);
   printf("%s", bytes ? size > SHOWN_BYTES ? "..." : "" : "not mapped");
}

static void
print_difference(void *user, uint64_t va, uint64_t size, const uint8_t *a, const uint8_t *b)
{
   struct memory_diff *diff = user;
   diff->bytes += size;
   if (diff->count++ >= SHOWN && !diff->all)
      return;
   const struct hdb_capture_object *object = object_at(diff->capture, va);
   printf("   0x%" PRIx64 ", %" PRIu64 " byte%s", va, size, size == 1 ? "" : "s");
   if (object)
      printf(", %s + 0x%" PRIx64, object->name, va - object->va);
   printf(": ");
   print_bytes(a, size);
   printf(" | ");
   print_bytes(b, size);
   printf("\n");
}

/* 1: they differ. A negative errno. */
static int
diff_states(struct hdb_capture *a, uint32_t state_a, struct hdb_capture *b, uint32_t state_b, const char *title,
            bool all)
{
   struct memory_diff diff = {.capture = a, .all = all};
   if (state_a == HDB_CAPTURE_NO_STATE || state_b == HDB_CAPTURE_NO_STATE) {
      if (state_a != state_b)
         printf("%s: only in one of them\n", title);
      return state_a != state_b;
   }
   printf("%s:\n", title);
   int result = hdb_capture_diff(a, state_a, b, state_b, print_difference, &diff);
   if (result)
      return result;
   if (diff.count > SHOWN && !all)
      printf("   and %" PRIu64 " more; --all shows them\n", diff.count - SHOWN);
   if (diff.count)
      printf("   %" PRIu64 " bytes in %" PRIu64 " places\n", diff.bytes, diff.count);
   else
      printf("   no difference\n");
   return diff.count > 0;
}

static bool
registers_differ(const struct hdb_capture_dispatch *a, const struct hdb_capture_dispatch *b)
{
   bool differ = false;
   for (uint32_t i = 0; i < a->register_count; i++) {
      uint32_t value;
      bool known = hdb_capture_register(b, a->registers[i].reg, &value);
      if (known && value == a->registers[i].value)
         continue;
      differ = true;
      printf("   register 0x%06x: 0x%08x | ", a->registers[i].reg, a->registers[i].value);
      printf(known ? "0x%08x\n" : "not known\n", value);
   }
   return differ;
}

static bool
launches_differ(struct hdb_capture *a, const struct hdb_capture_dispatch *x, struct hdb_capture *b,
                const struct hdb_capture_dispatch *y)
{
   const struct hdb_shader *s = hdb_capture_find_shader(a, x->record.shader_id);
   const struct hdb_shader *t = hdb_capture_find_shader(b, y->record.shader_id);
   bool differ = registers_differ(x, y);
   if (memcmp(x->record.grid, y->record.grid, sizeof(x->record.grid)) != 0) {
      const uint32_t *g = x->record.grid, *h = y->record.grid;
      printf("   grid %ux%ux%u | %ux%ux%u\n", g[0], g[1], g[2], h[0], h[1], h[2]);
      differ = true;
   }
   if (s->code_size != t->code_size || memcmp(s->code, t->code, s->code_size) != 0) {
      printf("   the code differs\n");
      differ = true;
   }
   return differ;
}

static int
diff_dispatches(struct hdb_capture *a, const struct hdb_capture_dispatch *x, struct hdb_capture *b,
                const struct hdb_capture_dispatch *y, bool all)
{
   printf("Dispatch %u %s | %u %s\n", x->number, x->program, y->number, y->program);
   int differ = launches_differ(a, x, b, y);
   int before = diff_states(a, x->before, b, y->before, " before", all);
   int after = before < 0 ? before : diff_states(a, x->after, b, y->after, " after", all);
   return after < 0 ? after : differ || before || after;
}

int
capture_diff(struct hdb_capture *a, struct hdb_capture *b, bool all)
{
   uint32_t count = hdb_capture_info(a)->dispatch_count;
   uint32_t others = b ? hdb_capture_info(b)->dispatch_count : count;
   int differ = count != others;
   if (differ)
      printf("%u dispatches | %u\n", count, others);
   for (uint32_t i = 0; i < count && i < others; i++) {
      const struct hdb_capture_dispatch *x = hdb_capture_dispatch(a, i);
      int result;
      if (b) {
         result = diff_dispatches(a, x, b, hdb_capture_dispatch(b, i), all);
      } else {
         printf("Dispatch %u %s\n", x->number, x->program);
         result = diff_states(a, x->before, a, x->after, " before | after its submission", all);
      }
      if (result < 0)
         return result;
      differ |= result;
   }
   return differ;
}
