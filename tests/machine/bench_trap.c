/* SPDX-License-Identifier: MIT */
/* What a trap costs: `name value` lines for script/bench. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "card.h"

extern const uint32_t spin64[];
extern const size_t spin64_size;

static double
now_us(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static uint32_t
find_word(const struct hdb_shader *shader, uint32_t word)
{
   const uint32_t *code = shader->code;
   uint32_t i = 0;
   while (code[i] != word && i < shader->exec_size / 4)
      i++;
   return i * 4;
}

enum { GROUPS = 20000, STEPS = 5000, SPINNING = 64, STOPS = 20 };

static double
timed_job(struct card *card, struct job *job)
{
   double start = now_us();
   job_submit(card, job);
   while (!job_wait(card, job, 1000))
      ;
   return now_us() - start;
}

int
main(void)
{
   struct card *card = card_create(0, 0, NULL, 0);
   struct program *program = program_create(card, &(struct program_options){
                                                     .code = spin64,
                                                     .code_size = spin64_size,
                                                     .wave_size = 64,
                                                     .workgroup_size = {64, 1, 1},
                                                     .vgprs = 16,
                                                     .lds_size = 512,
                                                     .launch_sgprs = 1 << 7,
                                                  });
   struct buffer data = card_alloc(card, 4096, false);
   uint64_t arguments[] = {data.va + 256, data.va + 256, 1};
   memcpy(data.map, arguments, sizeof(arguments));
   volatile uint32_t *flag = (uint32_t *)data.map + 4;
   struct hdb_machine *machine = card->machine;
   const struct hdb_shader *shader = &program->shader;

   /* TRAP_ON_START of waves that nobody wants: the same dispatch unarmed and armed. */
   struct job *many = job_create(card, program, (uint32_t[]){GROUPS, 1, 1}, data.va);
   timed_job(card, many);
   double unarmed = timed_job(card, many);
   hdb_machine_arm(machine, &many->dispatch, 0);
   timed_job(card, many);
   double armed = timed_job(card, many);
   hdb_machine_disarm(machine, &many->dispatch);
   printf("trap.us_start_uninterested %.3f\n", (armed - unarmed) / GROUPS);

   /* A breakpoint in the loop, passed because of the workgroup filter: two traps a round (there and back). */
   struct job *one = job_create(card, program, (uint32_t[]){1, 1, 1}, data.va);
   hdb_machine_arm(machine, &one->dispatch, HDB_ARM_STOP_AT_ENTRY);
   *flag = 0;
   job_submit(card, one);
   card_wait_stop(card, one);
   uint32_t place = find_word(shader, 0x80088108); /* s_add_u32 s8, s8, 1 */
   hdb_machine_plant(machine, shader, place);
   hdb_machine_set_workgroup_filter(machine, (uint32_t[]){7, 0, 0});
   double start = now_us();
   hdb_machine_resume_all(machine);
   struct timespec nap = {.tv_nsec = 500000000};
   nanosleep(&nap, NULL);
   hdb_machine_stop_all(machine);
   double took = now_us() - start;
   struct hdb_wave *wave = card_first_stopped(card);
   uint32_t rounds = 0;
   hdb_wave_read_scalar(machine, wave, 8, &rounds);
   printf("trap.us_uninterested %.3f\n", took / rounds / 2);
   hdb_machine_unplant(machine, shader, place);
   hdb_machine_set_workgroup_filter(machine, NULL);

   /* A single step: resume, one instruction, full stop, read by the host. */
   start = now_us();
   for (int i = 0; i < STEPS; i++) {
      hdb_machine_resume(machine, wave, HDB_RESUME_STEP, 0, 0);
      hdb_machine_wait(machine, 1000);
   }
   printf("trap.ms_stop_and_resume %.4f\n", (now_us() - start) / STEPS / 1000);

   /* A range step that stays on the GPU: the whole program is the range. */
   uint32_t before, after;
   hdb_wave_read_scalar(machine, wave, 8, &before);
   start = now_us();
   hdb_machine_resume(machine, wave, HDB_RESUME_STEP_RANGE, shader->va, shader->va + shader->exec_size);
   nanosleep(&nap, NULL);
   hdb_machine_stop_all(machine);
   took = now_us() - start;
   hdb_wave_read_scalar(machine, card_first_stopped(card), 8, &after);
   printf("trap.us_range_step %.3f\n", took / (5.0 * (after - before)));

   *flag = 1;
   hdb_machine_resume_all(machine);
   while (!job_wait(card, one, 1000))
      ;
   job_destroy(card, one);

   /* All waves of a dispatch at once. */
   struct job *spinning = job_create(card, program, (uint32_t[]){SPINNING, 1, 1}, data.va);
   hdb_machine_arm(machine, &spinning->dispatch, 0);
   *flag = 0;
   job_submit(card, spinning);
   while (hdb_machine_resident_waves(machine) < SPINNING)
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
   took = 0;
   for (int i = 0; i < STOPS; i++) {
      start = now_us();
      hdb_machine_stop_all(machine);
      took += now_us() - start;
      hdb_machine_resume_all(machine);
   }
   printf("trap.ms_stop_all_64_waves %.3f\n", took / STOPS / 1000);
   *flag = 1;
   while (!job_wait(card, spinning, 1000))
      ;
   job_destroy(card, spinning);
   job_destroy(card, many);
   program_destroy(card, program);
   card_free(card, &data);
   card_destroy(card);
   return 0;
}
