/* SPDX-License-Identifier: MIT */
/* hdb/capture: the dispatch that stands at its entry, or those to come, into a file. */
#include <errno.h>

#include "dap/requests.h"

/* The one that is looked at, if it can still be captured: none of its waves has run. */
static struct dispatch *
find_entered(struct hdb_engine *engine)
{
   struct hdb_wave *const *waves;
   struct card *card = engine->stopped;
   struct hdb_wave *shown = card ? hdb_machine_find_wave(card->machine, engine->focus_wave) : NULL;
   struct dispatch *dispatch = shown ? engine_dispatch_of(engine, shown) : NULL;
   size_t count = dispatch ? hdb_machine_waves(card->machine, &waves) : 0;
   for (size_t i = 0; i < count; i++) {
      bool waits = waves[i]->run == HDB_WAVE_STOPPED && waves[i]->cause == HDB_STOP_ENTRY;
      if (!waits && engine_dispatch_of(engine, waves[i]) == dispatch)
         return NULL;
   }
   return dispatch;
}

int
handle_hdb_capture(struct request *request)
{
   struct hdb_engine *engine = request->engine;
   const char *file = get_string(request->arguments, "file"), *which = get_string(request->arguments, "which");
   json_int_t count = get_integer(request->arguments, "count", 0);
   struct dispatch *entered = which || count ? NULL : find_entered(engine);
   if (json_is_true(json_object_get(request->arguments, "end"))) {
      engine_end_selected_capture(engine);
      return 0;
   }
   if (count < 0 || count >= UINT32_MAX)
      return request_fail(request, "count: a number of dispatches expected");
   if (which && selector_check(which, &request->error))
      return -EINVAL;
   if (!engine_can_stop(engine))
      return request_fail(request,
                          "nothing can be captured: hdb has no link to the driver of any device of the program");
   int result = engine_begin_capture(engine, file, -1, &request->error);
   if (result)
      return result;
   request->body = json_pack("{s:s}", "file", engine_capture_path(engine));
   if (!entered) {
      engine_capture_matching(engine, which, which ? count : count ? count : 1);
      return 0;
   }
   json_object_set_new(request->body, "dispatch", json_integer(entered->number));
   engine_capture_dispatch(engine, entered);
   engine_end_capture(engine);
   engine_capture_entries(engine, engine->stopped);
   return 0;
}
