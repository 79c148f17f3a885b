/* SPDX-License-Identifier: MIT */
/* Requests that let waves run. */
#include <string.h>

#include "dap/inspection.h"

int
handle_continue(struct request *request)
{
   if (!request->engine->stopped)
      return request_fail(request, "nothing is stopped");
   inspection_forget_handles(request->engine->inspection);
   request->body = json_pack("{s:b}", "allThreadsContinued", 1);
   return engine_continue(request->engine);
}

static int
step(struct request *request, enum hdb_line_step kind)
{
   struct card *card;
   struct hdb_wave *wave;
   const char *granularity = get_string(request->arguments, "granularity");
   bool by_instruction = granularity && strcmp(granularity, "instruction") == 0;
   json_int_t id = get_integer(request->arguments, "frameId", -1);
   uint32_t frame = 0;
   int result = need_stopped_wave(request, &card, &wave);
   if (!result && kind == HDB_STEP_OUT && id >= 0) {
      struct hdb_wave *of;
      result = need_frame(request, &card, &of, &frame);
      if (!result && of != wave)
         result = request_fail(request, "frameId: a frame of the thread expected");
   }
   if (result)
      return result;
   if (request->engine->focus_wave != wave->id) {
      request->engine->focus_lane = request->engine->chosen_lane = focus_lane_of(request->engine, card, wave);
      request->engine->focus_wave = wave->id;
   }
   inspection_forget_handles(request->engine->inspection);
   return engine_step(request->engine, wave, by_instruction, kind, frame, &request->error);
}

int
handle_next(struct request *request)
{
   return step(request, HDB_STEP_OVER);
}

int
handle_step_in(struct request *request)
{
   return step(request, HDB_STEP_INTO);
}

int
handle_step_out(struct request *request)
{
   return step(request, HDB_STEP_OUT);
}

int
handle_pause(struct request *request)
{
   if (request->engine->stopped && !request->engine->step.active)
      return request_fail(request, "the waves are stopped already");
   return engine_pause(request->engine, &request->error);
}
