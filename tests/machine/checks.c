/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include <string.h>
#include <unistd.h>

#include "card.h"
#include "stop/private.h"

extern const uint32_t loop32[], loop64[], reduce32[], reduce64[];
extern const size_t loop32_size, loop64_size, reduce32_size, reduce64_size;

/* ---- programs and their results ---- */

enum { LOOP_GROUP = 100, LOOP_COUNT = 430, REDUCE_GROUP = 128 };
static const uint32_t loop_grid[3] = {5, 1, 1}, reduce_grid[3] = {3, 2, 1};

struct run {
   struct card *card;
   struct watch watch;
   enum check_program which;
   struct program *program;
   struct buffer data; /* arguments, then input, then output */
   struct job *job;
};

enum { INPUT = 256, OUTPUT = 8192 };

static uint32_t *
data_at(struct run *run, uint32_t offset)
{
   return (uint32_t *)((uint8_t *)run->data.map + offset);
}

static uint32_t
input_value(uint32_t i)
{
   return i * 2654435761u;
}

static void
begin(struct run *run, const struct handler *handler, enum check_program which, uint32_t wave_size, uint32_t quantum,
      struct check_result *result)
{
   memset(run, 0, sizeof(*run));
   run->which = which;
   run->card = card_create(VGPU_POISON | VGPU_LATE_LOADS | VGPU_STRICT_CACHES | VGPU_CHECK_DEALLOC, quantum,
                           handler->code, *handler->size);
   watch_begin(&run->watch, run->card->gpu, run->card->machine, result);

   bool loop = which == CHECK_LOOP, wide = wave_size == 64;
   run->program = program_create(
      run->card, &(struct program_options){
                    .code = loop ? (wide ? loop64 : loop32) : (wide ? reduce64 : reduce32),
                    .code_size = loop ? (wide ? loop64_size : loop32_size) : (wide ? reduce64_size : reduce32_size),
                    .wave_size = wave_size,
                    .workgroup_size = {loop ? LOOP_GROUP : REDUCE_GROUP, 1, 1},
                    .vgprs = wide ? 12 : 24,
                    .lds_size = loop ? 0 : REDUCE_GROUP * 4,
                    .launch_sgprs = loop ? 1 << 7 : 0xf << 7,
                 });
   run->data = card_alloc(run->card, 16384, false);
   uint64_t arguments[] = {run->data.va + INPUT, run->data.va + OUTPUT, LOOP_COUNT};
   memcpy(run->data.map, arguments, sizeof(arguments));
   for (uint32_t i = 0; i < 1024; i++)
      data_at(run, INPUT)[i] = input_value(i);
   run->job = job_create(run->card, run->program, loop ? loop_grid : reduce_grid, run->data.va);
}

static uint32_t
loop_result(uint32_t i)
{
   uint32_t value = ((i & 3) + 1) * i;
   if (i >= 64)
      value = (value + 1000) ^ 0x55;
   if (i % LOOP_GROUP >= 50)
      value = 7;
   return value + 2 * input_value(i) + 0xfffffff7 + 8 + 33;
}

static uint32_t
reduce_result(uint32_t group)
{
   /* the program numbers workgroups y * 4 + x */
   uint32_t sum = 0;
   for (uint32_t i = 0; i < REDUCE_GROUP; i++)
      sum += input_value(group * REDUCE_GROUP + i);
   return sum;
}

static void
check_results(struct run *run)
{
   uint64_t *counter = &run->watch.result->wrong_results;
   const uint32_t *output = data_at(run, OUTPUT);
   for (uint32_t i = 0; run->which == CHECK_LOOP && i < 500; i++) {
      uint32_t right = i < LOOP_COUNT ? loop_result(i) : 0;
      if (output[i] != right)
         watch_report(&run->watch, counter, "out[%u] is 0x%x, should be 0x%x", i, output[i], right);
   }
   for (uint32_t y = 0; run->which == CHECK_REDUCE && y < reduce_grid[1]; y++)
      for (uint32_t x = 0; x < reduce_grid[0]; x++)
         if (output[y * 4 + x] != reduce_result(y * 4 + x))
            watch_report(&run->watch, counter, "sum of group %u,%u is wrong", x, y);
   memset(data_at(run, OUTPUT), 0, 4096);
}

static void
finish(struct run *run)
{
   if (!job_wait(run->card, run->job, 5000))
      run->watch.result->unfinished = true;
   check_results(run);
   hdb_machine_disarm(run->card->machine, &run->job->dispatch);
   watch_pause(&run->watch);
   job_destroy(run->card, run->job);
   program_destroy(run->card, run->program);
   card_free(run->card, &run->data);
   watch_end(&run->watch);
   card_destroy(run->card);
}

/* ---- the checks ---- */

void
check_steps(const struct handler *handler, enum check_program which, uint32_t wave_size, struct check_result *result)
{
   struct run run;
   begin(&run, handler, which, wave_size, 0, result);
   struct hdb_machine *machine = run.card->machine;
   hdb_machine_arm(machine, &run.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
   job_submit(run.card, run.job);
   while (card_wait_stop(run.card, run.job))
      watch_step_stopped(&run.watch, which == CHECK_REDUCE);
   if (result->stops != result->entries)
      watch_report(&run.watch, &result->wrong_stops, "%llu traps, %llu stops", (unsigned long long)result->entries,
                   (unsigned long long)result->stops);
   finish(&run);
}

static uint32_t
next_random(uint32_t *state)
{
   *state = *state * 1664525 + 1013904223;
   return *state >> 8;
}

void
check_host_traps(const struct handler *handler, enum check_program which, uint32_t wave_size, uint32_t seed,
                 struct check_result *result)
{
   struct run run;
   begin(&run, handler, which, wave_size, 1 + seed % 7, result);
   struct hdb_machine *machine = run.card->machine;
   hdb_machine_arm(machine, &run.job->dispatch, 0);
   for (int submission = 0; submission < 10; submission++) {
      if (submission) {
         if (!job_wait(run.card, run.job, 5000))
            break;
         check_results(&run);
      }
      job_submit(run.card, run.job);
      while (!job_is_done(run.card, run.job)) {
         usleep(next_random(&seed) % 200);
         if (next_random(&seed) % 2)
            machine_host_trap(machine);
         else
            watch_stop_and_go(&run.watch);
      }
   }
   finish(&run);
}

void
check_breakpoint(const struct handler *handler, uint32_t wave_size, struct check_result *result)
{
   struct run run;
   begin(&run, handler, CHECK_LOOP, wave_size, 0, result);
   watch_pause(&run.watch); /* a passed trap changes the pc: here stops and results count */
   struct hdb_machine *machine = run.card->machine;
   const struct hdb_shader *shader = &run.program->shader;
   const uint32_t *code = shader->code;
   uint32_t place = 0;
   while (code[place / 4] != 0xbf800000 && place < shader->exec_size) /* the first s_nop: every wave comes by */
      place += 4;

   hdb_machine_arm(machine, &run.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
   job_submit(run.card, run.job);
   uint32_t waves = 5 * (wave_size == 64 ? 2 : 4), hits = 0, entries = 0;
   for (int i = 0; entries < waves && i < 200; i++) {
      struct hdb_wave *const *list;
      hdb_machine_wait(machine, 10);
      size_t count = hdb_machine_waves(machine, &list);
      entries = 0;
      for (size_t j = 0; j < count; j++)
         entries += list[j]->run == HDB_WAVE_STOPPED;
   }
   if (entries != waves)
      watch_report(&run.watch, &result->wrong_stops, "%u waves, %u stops at entry", waves, entries);
   /* One wave runs to its end, so that the code is in the instruction cache; then a pad is planted, the instruction
    * behind it, and one of two dwords. */
   hdb_machine_resume(machine, card_first_stopped(run.card), HDB_RESUME_CONTINUE, 0, 0);
   for (int i = 0; hdb_machine_resident_waves(machine) == (int)waves && i < 200; i++)
      usleep(1000);
   uint32_t places[] = {place, place + 4, 0x10};
   for (int i = 0; i < 3; i++)
      if (hdb_machine_plant(machine, shader, places[i]))
         watch_report(&run.watch, &result->wrong_stops, "can't plant at 0x%x", places[i]);
   hdb_machine_resume_all(machine);
   struct hdb_wave *wave;
   while (card_wait_stop(run.card, run.job))
      while ((wave = card_first_stopped(run.card))) {
         uint32_t pc = wave->pc - shader->va;
         if (wave->cause != HDB_STOP_BREAKPOINT || (pc != places[0] && pc != places[1] && pc != places[2]))
            watch_report(&run.watch, &result->wrong_stops, "stopped at +0x%x for reason %d", pc, wave->cause);
         hits++;
         hdb_machine_resume(machine, wave, HDB_RESUME_CONTINUE, 0, 0);
      }
   result->stops = hits;
   /* Where the pad is no lane is active: waves pass. The instruction behind restores EXEC; so only the last one counts.
    */
   if (hits != waves - 1)
      watch_report(&run.watch, &result->wrong_stops, "%u waves, %u breakpoint hits", waves - 1, hits);
   for (int i = 0; i < 3; i++)
      hdb_machine_unplant(machine, shader, places[i]);
   finish(&run);
}
