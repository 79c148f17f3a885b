/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "stop/private.h"

uint32_t *
at(struct fixture *f, uint32_t offset)
{
   return (uint32_t *)((uint8_t *)f->data.map + offset);
}

void
setup(struct fixture *f, const uint32_t *code, size_t size, uint32_t wave_size, uint32_t workgroup_size,
      uint32_t launch_sgprs, const uint32_t grid[3])
{
   f->card = card_create(VGPU_POISON | VGPU_LATE_LOADS, 0, NULL, 0);
   f->machine = f->card->machine;
   f->program = program_create(f->card, &(struct program_options){
                                           .code = code,
                                           .code_size = size,
                                           .wave_size = wave_size,
                                           .workgroup_size = {workgroup_size, 1, 1},
                                           .vgprs = 16,
                                           .lds_size = 512,
                                           .launch_sgprs = launch_sgprs,
                                        });
   f->shader = &f->program->shader;
   f->data = card_alloc(f->card, DATA_SIZE, false);
   uint64_t pointers[] = {f->data.va + INPUT, f->data.va + OUTPUT};
   memcpy(at(f, ARGUMENTS), pointers, sizeof(pointers));
   for (uint32_t i = 0; i < 1024; i++)
      at(f, INPUT)[i] = i * 77;
   f->job = job_create(f->card, f->program, grid, f->data.va);
}

void
teardown(struct fixture *f)
{
   job_destroy(f->card, f->job);
   program_destroy(f->card, f->program);
   card_free(f->card, &f->data);
   card_destroy(f->card);
}

void
setup_branches(struct fixture *f, uint32_t wave_size)
{
   if (wave_size == 64)
      setup(f, branches64, branches64_size, 64, 64, TGID_X, (uint32_t[]){4, 1, 1});
   else
      setup(f, branches32, branches32_size, 32, 64, TGID_X, (uint32_t[]){4, 1, 1});
}

void
check_branches(struct fixture *f)
{
   assert_true(job_wait(f->card, f->job, 5000));
   for (uint32_t i = 0; i < 256; i++)
      assert_int_equal(at(f, OUTPUT)[i], i * 77 * 3 + 3080 + 5 * (i & 1 ? 7 : 11) + 100);
   memset(at(f, OUTPUT), 0, 4096);
}

/* Spinning waves: `out` is at OUTPUT, the flag behind the two pointers. */
void
setup_spin(struct fixture *f, uint32_t wave_size, uint32_t groups)
{
   if (wave_size == 64)
      setup(f, spin64, spin64_size, 64, 64, TGID_X | TG_SIZE, (uint32_t[]){groups, 1, 1});
   else
      setup(f, spin32, spin32_size, 32, 64, TGID_X | TG_SIZE, (uint32_t[]){groups, 1, 1});
   uint64_t pointers[] = {f->data.va + OUTPUT, 0xffff8007deadb000};
   memcpy(at(f, ARGUMENTS), pointers, sizeof(pointers));
}

void
set_flag(struct fixture *f, uint32_t value)
{
   __atomic_store_n(at(f, 16), value, __ATOMIC_RELEASE);
}

struct hdb_wave *
wait_stop(struct fixture *f)
{
   struct hdb_wave *wave = card_first_stopped(f->card);
   if (!wave)
      assert_int_equal(hdb_machine_wait(f->machine, 2000), 1);
   wave = card_first_stopped(f->card);
   assert_non_null(wave);
   return wave;
}

uint32_t
count_stopped(struct fixture *f)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(f->machine, &waves);
   uint32_t stopped = 0;
   for (size_t i = 0; i < count; i++)
      stopped += waves[i]->run == HDB_WAVE_STOPPED;
   return stopped;
}

/* Offset of the n-th occurrence of a dword in the code. */
uint32_t
find_word(const struct hdb_shader *shader, uint32_t word, uint32_t n)
{
   const uint32_t *code = shader->code;
   for (uint32_t i = 0; i < shader->exec_size / 4; i++)
      if (code[i] == word && n-- == 0)
         return i * 4;
   fail();
   return 0;
}

void
plant_everywhere(struct fixture *f, uint32_t *planted)
{
   *planted = 0;
   for (uint32_t pc = 0; pc < f->shader->exec_size; pc += 4) {
      int error = hdb_machine_plant(f->machine, f->shader, pc);
      assert_true(error == 0 || error == -EINVAL);
      *planted += !error;
   }
}

static uint32_t
count_spinning(struct fixture *f)
{
   uint64_t loop = f->shader->va + find_word(f->shader, S_ADD_U32_S8_S8_1, 0) - 8;
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(f->machine, &waves);
   uint32_t spinning = 0;
   for (size_t i = 0; i < count; i++)
      spinning += waves[i]->run == HDB_WAVE_STOPPED && waves[i]->pc >= loop;
   return spinning;
}

/* However long the card's thread takes to launch them: a sanitizer and other processes make it slow. */
int
stop_spinning(struct fixture *f, uint32_t count)
{
   int64_t deadline = machine_now_ms() + 5000;
   while (machine_now_ms() < deadline) {
      usleep(1000);
      if (hdb_machine_resident_waves(f->machine) < (int)count)
         continue;
      int stopped = hdb_machine_stop_all(f->machine);
      if (count_spinning(f) == count)
         return stopped;
      hdb_machine_resume_all(f->machine);
   }
   fail_msg("not %u spinning waves within 5 s", count);
   return -1;
}
