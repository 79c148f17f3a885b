/* SPDX-License-Identifier: MIT */
/* What is said of a dispatch that has run: whether it came out as captured. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "replay/private.h"

/* ---- words ---- */

void
replay_say(const struct hdb_capture_dispatch *dispatch, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   printf("dispatch %u (%s): ", dispatch->number, *dispatch->pipeline ? dispatch->pipeline : dispatch->program);
   vprintf(format, arguments);
   printf("\n");
   fflush(stdout);
   va_end(arguments);
}

const struct hdb_capture_object *
replay_find_object(const struct replay *replay, uint64_t va)
{
   for (uint32_t i = 0; i < replay->info->object_count; i++) {
      const struct hdb_capture_object *object = hdb_capture_object(replay->capture, i);
      if (va - object->va < object->size)
         return object;
   }
   return NULL;
}

static void
describe_address(const struct replay *replay, uint64_t va, char *text, size_t size)
{
   const struct hdb_capture_object *object = replay_find_object(replay, va);
   if (object)
      snprintf(text, size, "0x%" PRIx64 ", byte %" PRIu64 " of %s", va, va - object->va, object->name);
   else
      snprintf(text, size, "0x%" PRIx64, va);
}

/* ---- what there is to compare with ---- */

/* The state behind a dispatch: what the next one of its submission has found, if there is one, or that at the end of
 * the submission. */
static uint32_t
state_behind(const struct replay *replay, uint32_t index)
{
   const struct hdb_capture_dispatch *dispatch = hdb_capture_dispatch(replay->capture, index);
   const uint32_t disorder = HDB_CAPTURE_OVERLAPPED | HDB_CAPTURE_BEGUN_BEFORE;
   if (dispatch->flags & disorder || dispatch->after == HDB_CAPTURE_NO_STATE)
      return HDB_CAPTURE_NO_STATE;
   for (uint32_t i = index + 1; i < replay->info->dispatch_count; i++) {
      const struct hdb_capture_dispatch *next = hdb_capture_dispatch(replay->capture, i);
      if (next->after == dispatch->after && !(next->flags & HDB_CAPTURE_DID_NOT_RUN))
         return next->flags & disorder ? HDB_CAPTURE_NO_STATE : next->before;
   }
   return dispatch->after;
}

static const char *
why_uncompared(const struct hdb_capture_dispatch *dispatch)
{
   return dispatch->flags & HDB_CAPTURE_BEGUN_BEFORE ? "it had begun before it was captured"
          : dispatch->flags & HDB_CAPTURE_OVERLAPPED ? "others were running beside it"
          : dispatch->after == HDB_CAPTURE_NO_STATE  ? "the capture ends before it did"
                                                     : "the next one was running beside it";
}

/* ---- the verdict ---- */

/* `edited`: behind what is different, that the debugger has changed something. */
static bool
say_different(const struct replay *replay, const struct hdb_capture_dispatch *dispatch,
              const struct replay_difference *difference, const char *edited)
{
   char place[160];
   describe_address(replay, difference->wrong ? difference->wrong_va : difference->lost_va, place, sizeof(place));
   if (difference->wrong)
      replay_say(dispatch, "DIFFERENT: %" PRIu64 " of %" PRIu64 " bytes changed are not as captured, the first at %s%s",
                 difference->wrong, difference->written, place, edited);
   else
      replay_say(dispatch,
                 "DIFFERENT: %" PRIu64 " bytes changed; %" PRIu64 " more did in the capture, the first at %s%s",
                 difference->written, difference->lost, place, edited);
   return false;
}

static bool
say_equal(const struct hdb_capture_dispatch *dispatch, const struct replay_difference *difference, bool edited)
{
   if (difference->other && edited) {
      replay_say(dispatch,
                 "DIFFERENT, perhaps: changed in the debugger; %" PRIu64 " bytes changed as captured, and %" PRIu64
                 " did in the capture alone, by it or by something else",
                 difference->written, difference->other);
      return false;
   }
   const char *so = edited ? ", whatever was changed in the debugger" : "";
   if (difference->other)
      replay_say(dispatch, "as captured, %" PRIu64 " bytes changed; %" PRIu64 " more by something else%s",
                 difference->written, difference->other, so);
   else
      replay_say(dispatch, "as captured, %" PRIu64 " bytes changed%s", difference->written, so);
   return true;
}

/* What was written has to be what the capture has, unless the GPU may have made further dispatches of the same record,
 * which a capture does not have; and what changed there, in memory that the dispatch reaches, has to have been written.
 * What else is different may be something else's, that came behind it in its submission; unless the dispatch has
 * written nothing, and there is nothing to go by. */
bool
replay_judge(struct replay *replay, uint32_t index, bool edited)
{
   const struct hdb_capture_dispatch *dispatch = hdb_capture_dispatch(replay->capture, index);
   struct replay_difference difference;
   uint32_t behind = state_behind(replay, index);
   int error = replay_compare(replay, behind, &difference);
   if (error) {
      replay_say(dispatch, "has run; the file can't be read where memory is to be compared: %s", strerror(-error));
      return false;
   }
   if (behind == HDB_CAPTURE_NO_STATE) {
      replay_say(dispatch, "has run, %" PRIu64 " bytes changed%s; not compared: %s", difference.written,
                 edited ? ", with what was changed in the debugger" : "", why_uncompared(dispatch));
      return true;
   }
   if (dispatch->record.flags & HDB_DISPATCH_GENERATED && difference.wrong + difference.lost && !edited) {
      replay_say(dispatch,
                 "has run, %" PRIu64 " bytes changed; not compared: the GPU made it, and perhaps more behind it",
                 difference.written);
      return true;
   }
   if (!difference.written && !difference.lost) {
      difference.lost = difference.other;
      difference.lost_va = difference.other_va;
   }
   if (difference.wrong || difference.lost)
      return say_different(replay, dispatch, &difference, edited ? "; changed in the debugger" : "");
   return say_equal(dispatch, &difference, edited);
}
