/* SPDX-License-Identifier: MIT */
/* Cases of callbacks.c: what a stop callback sees, changes and answers. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "callbacks.h"

/* ---- looking ---- */

static enum hdb_dispatch_answer
check_dispatch(const struct hdb_dispatch_info *info, void *user)
{
   const struct program *program = user;
   const struct hdb_shader_info *shader;
   const struct hdb_resource *resources;
   const struct affine_step *step = info->push_constants;
   uint32_t count, words[4];
   CHECK(info->device == program->sample.device && info->queue == program->sample.queue);
   CHECK(info->pipeline_name && strcmp(info->pipeline_name, "affine") == 0);
   CHECK(info->label_count == 1 && strcmp(info->labels[0], "adding") == 0);
   CHECK(info->attachable && !info->indirect && !info->generated);
   CHECK(info->grid[0] == 2 && info->grid[1] == 1 && info->grid[2] == 1 && info->base[0] == 0);
   CHECK(info->push_constant_size == sizeof(*step) && step->count == N && step->amount == 7);
   CHECK(info->functions->describe_shader(info, &shader) == 0);
   CHECK(strcmp(shader->program, "affine.comp:main") == 0 && strcmp(shader->entry_point, "main") == 0);
   CHECK(shader->workgroup[0] == 64 && shader->wave_size == 64 && shader->debug_compiled);
   CHECK(info->functions->list_resources(info, &resources, &count) == 0 && count == 1);
   CHECK(resources[0].kind == HDB_RESOURCE_BUFFER && resources[0].size == N * sizeof(uint32_t));
   CHECK(resources[0].address == program->affine.buffer.address);
   CHECK(resources[0].name && strcmp(resources[0].name, "Values") == 0);
   CHECK(resources[0].object && strcmp(resources[0].object, "buffer \"numbers\"") == 0);
   CHECK(info->functions->read_memory(info, resources[0].address, words, sizeof(words)) == 0);
   CHECK(words[0] == 3 && words[3] == 3);
   CHECK(info->functions->read_memory(info, UINT64_C(0x123456789000), words, sizeof(words)) < 0);
   CHECK(info->functions->read_memory(info, UINT64_MAX - 2, words, sizeof(words)) == -EFAULT);
   CHECK(info->functions->read_memory(info, resources[0].address, NULL, sizeof(words)) == -EINVAL);
   CHECK(info->functions->describe_shader(info, NULL) == -EINVAL);
   CHECK(info->functions->list_resources(info, NULL, &count) == -EINVAL);
   CHECK(info->functions->list_resources(info, &resources, NULL) == -EINVAL);
   return HDB_DISPATCH_ATTACH;
}

static void
check_questions(const struct hdb_stop *stop)
{
   const struct hdb_stop_functions *functions = stop->functions;
   struct hdb_value_info value;
   uint64_t number;
   CHECK(functions->evaluate(stop, 0, 64, "i", &value) == -EINVAL && strstr(stop->error, "lanes 0 to 63"));
   CHECK(functions->evaluate(stop, 4711, 0, "i", &value) == -ESRCH && strstr(stop->error, "no wave 4711"));
   CHECK(functions->evaluate(stop, 0, 0, "nothing", &value) < 0 && strstr(stop->error, "nothing"));
   CHECK(functions->evaluate(stop, 0, 0, "values[128]", &value) < 0 && strstr(stop->error, "128"));
   CHECK(functions->read_register(stop, 0, 0, "v0 + 1", &number) == -EINVAL && strstr(stop->error, "no register"));
   CHECK(functions->read_register(stop, 0, 0, "v255", &number) < 0);
   static const char *const none[] = {"foo", "V0",    "null", "a0", "vcc_mid", "s", "v",
                                      "vv1", "exec_", "",     "$",  "$1",      "$$"};
   for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
      CHECK(functions->read_register(stop, 0, 0, none[i], &number) == -EINVAL && strstr(stop->error, "no register"));
      CHECK(functions->write_register(stop, 0, 0, none[i], 3) == -EINVAL);
   }
   CHECK(functions->read_memory(stop, UINT64_C(0x123456789000), &number, sizeof(number)) < 0 && stop->error);
}

/* Sizes that pass the end of the address space, or of what is mapped: the handler would fault. */
static void
check_ranges(const struct hdb_stop *stop, uint64_t address)
{
   const struct hdb_stop_functions *functions = stop->functions;
   static const struct {
      uint64_t address;
      size_t size;
   } ends[] = {{UINT64_MAX - 2, 16}, {UINT64_MAX, 1}, {UINT64_MAX - 4095, 4096}, {UINT64_MAX - 4095, 8192}, {0, 16}};
   static const size_t sizes[] = {(size_t)1 << 60, SIZE_MAX, SIZE_MAX - 126, SIZE_MAX / 2, (size_t)1 << 40};
   uint8_t bytes[16] = {0};
   for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
      CHECK(functions->read_memory(stop, ends[i].address, bytes, ends[i].size) == -EFAULT);
      CHECK(functions->write_memory(stop, ends[i].address, bytes, ends[i].size) == -EFAULT);
   }
   for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
      CHECK(functions->read_memory(stop, address, bytes, sizes[i]) == -EFAULT);
      CHECK(functions->write_memory(stop, address, bytes, sizes[i]) == -EFAULT);
   }
   CHECK(functions->read_memory(stop, address, bytes, 0) == 0 && functions->write_memory(stop, address, bytes, 0) == 0);
}

static void
check_nulls(const struct hdb_stop *stop)
{
   const struct hdb_stop_functions *functions = stop->functions;
   const struct hdb_wave_info *waves;
   const struct hdb_resource *resources;
   struct hdb_value_info value;
   uint64_t number;
   uint32_t count;
   size_t size = 16;
   CHECK(functions->list_waves(stop, NULL, &count) == -EINVAL && functions->list_waves(stop, &waves, NULL) == -EINVAL);
   CHECK(functions->evaluate(stop, 0, 0, NULL, &value) == -EINVAL && strstr(stop->error, "NULL"));
   CHECK(functions->evaluate(stop, 0, 0, "i", NULL) == -EINVAL);
   CHECK(functions->read_register(stop, 0, 0, NULL, &number) == -EINVAL);
   CHECK(functions->read_register(stop, 0, 0, "s0", NULL) == -EINVAL);
   CHECK(functions->write_register(stop, 0, 0, NULL, 0) == -EINVAL);
   CHECK(functions->read_memory(stop, stop->pc, NULL, 4) == -EINVAL);
   CHECK(functions->write_memory(stop, stop->pc, NULL, 4) == -EINVAL);
   CHECK(functions->read_push_constants(stop, NULL, &size) == -EINVAL);
   CHECK(functions->read_push_constants(stop, &number, NULL) == -EINVAL);
   CHECK(functions->list_resources(stop, NULL, &count) == -EINVAL);
   CHECK(functions->list_resources(stop, &resources, NULL) == -EINVAL);
   CHECK(functions->read_image(stop, NULL, 0, 0, NULL, 0) == -EINVAL);
   CHECK(functions->list_waves(NULL, &waves, &count) == -EINVAL && functions->set_focus(NULL, 0, 0) == -EINVAL);
}

static enum hdb_stop_answer
look(const struct hdb_stop *stop, void *user)
{
   const struct program *program = user;
   const struct hdb_stop_functions *functions = stop->functions;
   const struct hdb_wave_info *waves;
   const struct hdb_resource *resources;
   struct affine_step step;
   struct hdb_value_info value;
   uint32_t count, words[2];
   uint64_t number, vcc;
   size_t size = sizeof(step);
   if (stop->line < STORE_LINE)
      return HDB_STOP_STEP_OVER;
   callbacks_note('S');
   CHECK(stop->device == program->sample.device && stop->reason == HDB_STOP_REASON_STEP && !stop->error);
   CHECK(strcmp(stop->dispatch, "affine") == 0 && strcmp(stop->label, "adding") == 0);
   CHECK(strcmp(stop->text, "step in affine at affine.comp:12") == 0);
   CHECK(functions->list_waves(stop, &waves, &count) == 0 && count == 2);
   for (uint32_t i = 0; i < count; i++) {
      CHECK(waves[i].stopped && waves[i].workgroup_known && waves[i].workgroup[0] == i && waves[i].index == 0);
      CHECK(waves[i].wave_size == 64 && waves[i].active_lanes == UINT64_MAX);
   }
   CHECK(functions->evaluate(stop, 0, 5, "i", &value) == 0 && value.is_number && value.number == 5);
   CHECK(strcmp(value.type, "uint") == 0 && strcmp(value.text, "5") == 0);
   CHECK(functions->evaluate(stop, 0, 5, "values[i] * 2 + amount", &value) == 0 && value.number == 3 * 2 + 7);
   CHECK(functions->evaluate(stop, 0, 5, "values[6]", &value) == 0 && value.in_memory);
   CHECK(value.address == program->affine.buffer.address + 6 * sizeof(uint32_t));
   CHECK(functions->evaluate(stop, 0, HDB_LANE_FOCUS, "i < 1000", &value) == 0 && value.is_number && value.number == 1);
   CHECK(functions->read_memory(stop, program->affine.buffer.address, words, sizeof(words)) == 0 && words[1] == 3);
   CHECK(functions->read_register(stop, 0, 0, "exec", &number) == 0 && number == UINT64_MAX);
   CHECK(functions->read_register(stop, 0, 0, "exec_lo", &number) == 0 && number == UINT32_MAX);
   CHECK(functions->read_register(stop, 0, 0, "exec_hi", &number) == 0 && number == UINT32_MAX);
   CHECK(functions->read_register(stop, 0, 0, "vcc", &vcc) == 0);
   CHECK(functions->read_register(stop, 0, 0, "vcc_lo", &number) == 0 && number == (uint32_t)vcc);
   CHECK(functions->write_register(stop, 0, 0, "vcc_hi", ~(vcc >> 32) & UINT32_MAX) == 0);
   CHECK(functions->read_register(stop, 0, 0, "vcc", &number) == 0 && number == (vcc ^ UINT64_C(0xffffffff00000000)));
   CHECK(functions->write_register(stop, 0, 0, "vcc", vcc) == 0);
   CHECK(functions->read_register(stop, 0, 0, "pc", &number) == 0 && number == stop->pc);
   CHECK(functions->read_register(stop, 0, 9, "v0", &number) == 0 && (number & 0x3ff) == 9);
   CHECK(functions->read_push_constants(stop, &step, &size) == 0 && size == sizeof(step));
   CHECK(step.first == 0 && step.count == N && step.scale == 1 && step.amount == 7);
   size = sizeof(step) - 1;
   CHECK(functions->read_push_constants(stop, &step, &size) == -ENOSPC && size == sizeof(step));
   size = 0;
   CHECK(functions->read_push_constants(stop, NULL, &size) == -ENOSPC && size == sizeof(step));
   CHECK(functions->list_resources(stop, &resources, &count) == 0 && count == 1);
   CHECK(resources[0].set == 0 && resources[0].binding == 0 && strstr(resources[0].description, "512 bytes"));
   check_questions(stop);
   check_ranges(stop, program->affine.buffer.address);
   check_nulls(stop);
   return HDB_STOP_RESUME;
}

void
case_look(struct program *program)
{
   program_dispatch(program, 3);
   sample_set_name(&program->sample, VK_OBJECT_TYPE_BUFFER, (uint64_t)program->affine.buffer.buffer, "numbers");
   struct hdb_messenger *messenger = program_messenger(program, check_dispatch, look, program);
   program_dispatch(program, 7);
   CHECK(strcmp(callbacks_order, "S") == 0);
   program->destroy(program->sample.device, messenger);
   CHECK(affine_count(&program->affine, 10) == N);
}

/* ---- changing ---- */

static enum hdb_stop_answer
change(const struct hdb_stop *stop, void *user)
{
   const struct program *program = user;
   const struct hdb_stop_functions *functions = stop->functions;
   struct hdb_value_info value;
   uint64_t number;
   uint32_t hundred = 100;
   if (stop->line < STORE_LINE)
      return HDB_STOP_STEP_OVER;
   /* Lane 3 works on element 100; element 7 has another value; lane 9 is switched off. */
   CHECK(functions->evaluate(stop, 0, 3, "i = 100", &value) == 0);
   CHECK(functions->write_memory(stop, program->affine.buffer.address + 7 * sizeof(hundred), &hundred,
                                 sizeof(hundred)) == 0);
   CHECK(functions->write_register(stop, 0, 0, "exec", ~(UINT64_C(1) << 9)) == 0);
   CHECK(functions->read_register(stop, 0, 0, "exec", &number) == 0 && number == ~(UINT64_C(1) << 9));
   CHECK(functions->read_register(stop, 0, 20, "v0", &number) == 0);
   CHECK(functions->write_register(stop, 0, 20, "v0", number ^ 0x5a5a) == 0);
   uint64_t changed;
   CHECK(functions->read_register(stop, 0, 20, "v0", &changed) == 0 && changed == (number ^ 0x5a5a));
   CHECK(functions->write_register(stop, 0, 20, "v0", number) == 0);
   return HDB_STOP_RESUME;
}

void
case_change(struct program *program)
{
   const uint32_t *values = program->affine.buffer.map;
   struct hdb_messenger *messenger = program_messenger(program, attach_always, change, program);
   program_dispatch(program, 7);
   program->destroy(program->sample.device, messenger);
   CHECK(values[3] == 0);    /* nobody's element now */
   CHECK(values[7] == 107);  /* 100 + 7 */
   CHECK(values[9] == 0);    /* its lane was off */
   CHECK(values[100] == 14); /* two lanes' */
   CHECK(affine_count(&program->affine, 7) == N - 4);
}

/* ---- steps ---- */

struct steps {
   uint32_t first_wave, count, lines[16];
   uint64_t pc;
};

static enum hdb_stop_answer
step(const struct hdb_stop *stop, void *user)
{
   struct steps *steps = user;
   const struct hdb_wave_info *waves;
   uint32_t count;
   uint32_t number = steps->count++;
   if (number < 16)
      steps->lines[number] = stop->line;
   switch (number) {
   case 0:
      CHECK(stop->reason == HDB_STOP_REASON_ENTRY);
      CHECK(stop->functions->list_waves(stop, &waves, &count) == 0 && count == 2);
      CHECK(stop->functions->set_focus(stop, waves[1].wave, 33) == 0);
      CHECK(stop->functions->set_focus(stop, waves[1].wave, 64) == -EINVAL);
      steps->first_wave = waves[1].wave;
      return HDB_STOP_STEP_OVER;
   case 1:
      CHECK(stop->reason == HDB_STOP_REASON_STEP && stop->wave == steps->first_wave && stop->lane == 33);
      steps->pc = stop->pc;
      return HDB_STOP_STEP_INSTRUCTION;
   case 2:
      CHECK(stop->pc > steps->pc && stop->pc <= steps->pc + 12); /* the longest instruction has 12 bytes */
      return HDB_STOP_STEP_INTO;
   default:
      return HDB_STOP_STEP_OUT; /* of the outermost function: there is no such step, the waves run on */
   }
}

/* Of either wave, until it ends. */
static enum hdb_stop_answer
step_to_end(const struct hdb_stop *stop, void *user)
{
   struct steps *steps = user;
   CHECK(stop->reason == (steps->count ? HDB_STOP_REASON_STEP : HDB_STOP_REASON_ENTRY));
   if (!steps->count++)
      steps->first_wave = stop->wave;
   if (stop->wave == steps->first_wave)
      return HDB_STOP_STEP_OVER;
   CHECK(stop->line == FIRST_LINE && strcmp(stop->text, "step in affine at affine.comp:10") == 0);
   callbacks_note('E');
   return HDB_STOP_RESUME;
}

void
case_step(struct program *program)
{
   struct steps steps = {0};
   struct hdb_messenger *messenger = program_messenger(program, attach_always, step, &steps);
   program_dispatch(program, 7);
   program->destroy(program->sample.device, messenger);
   CHECK(steps.count == 4);
   CHECK(steps.lines[0] == FIRST_LINE && steps.lines[1] == FIRST_LINE + 1 && steps.lines[3] == STORE_LINE);
   CHECK(affine_count(&program->affine, 7) == N);
   steps = (struct steps){0};
   messenger = program_messenger(program, attach_always, step_to_end, &steps);
   program_dispatch(program, 7);
   program->destroy(program->sample.device, messenger);
   CHECK(strcmp(callbacks_order, "E") == 0);
}

/* ---- holding ---- */

static enum hdb_stop_answer
hold(const struct hdb_stop *stop, void *user)
{
   callbacks_note('H');
   return HDB_STOP_HOLD;
}

static enum hdb_stop_answer
visit_and_pass(const struct hdb_stop *stop, void *user)
{
   struct hdb_value_info value;
   CHECK(stop->functions->evaluate(stop, 0, 4, "amount", &value) == 0 && value.number == 7);
   callbacks_note('V');
   return HDB_STOP_PASS;
}

static enum hdb_stop_answer
visit_and_resume(const struct hdb_stop *stop, void *user)
{
   callbacks_note('R');
   return HDB_STOP_RESUME;
}

static void *
visit_later(void *user)
{
   struct program *program = user;
   void *device = program->sample.device;
   int result = -ENOENT;
   while (result == -ENOENT) {
      usleep(1000);
      result = program->visit(device, visit_and_pass, NULL);
   }
   CHECK(result == 0);
   usleep(20000);
   CHECK(affine_count(&program->affine, 0) == N); /* it stands still */
   CHECK(program->visit(device, visit_and_resume, NULL) == 0);
   return NULL;
}

void
case_hold(struct program *program)
{
   pthread_t thread;
   struct hdb_messenger *messenger = program_messenger(program, attach_always, hold, NULL);
   CHECK(program->visit(program->sample.device, visit_and_resume, NULL) == -ENOENT);
   pthread_create(&thread, NULL, visit_later, program);
   program_dispatch(program, 7);
   pthread_join(thread, NULL);
   CHECK(strcmp(callbacks_order, "HVR") == 0);
   CHECK(affine_count(&program->affine, 7) == N);
   /* What nobody can let go any more runs on. */
   VkCommandBuffer commands = sample_begin(&program->sample);
   affine_record(&program->affine, commands, &(struct affine_step){0, N, 1, 1}, "held");
   affine_barrier(commands);
   SAMPLE_CALL(&program->sample, vkEndCommandBuffer, commands);
   VkFence fence = affine_submit(&program->sample, commands);
   while (strcmp(callbacks_order, "HVRH") != 0)
      usleep(1000);
   program->destroy(program->sample.device, messenger);
   SAMPLE_CALL(&program->sample, vkWaitForFences, program->sample.device, 1, &fence, VK_TRUE, UINT64_MAX);
   vkDestroyFence(program->sample.device, fence, NULL);
   CHECK(affine_count(&program->affine, 8) == N);
}

/* ---- many visitors ---- */

static atomic_uint holds, visits;
static atomic_bool visitors_leave;

static enum hdb_stop_answer
count_and_hold(const struct hdb_stop *stop, void *user)
{
   holds++;
   return HDB_STOP_HOLD;
}

static enum hdb_stop_answer
resume_slowly(const struct hdb_stop *stop, void *user)
{
   visits++;
   usleep(500);
   return HDB_STOP_RESUME;
}

static void *
visit_always(void *user)
{
   struct program *program = user;
   while (!visitors_leave) {
      program->visit(program->sample.device, resume_slowly, NULL);
      usleep(300);
   }
   return NULL;
}

/* Each stop is answered once, by whoever comes first, and the waves go on. */
void
case_visits(struct program *program)
{
   pthread_t threads[4];
   struct hdb_messenger *messenger = program_messenger(program, attach_always, count_and_hold, NULL);
   for (size_t i = 0; i < 4; i++)
      pthread_create(&threads[i], NULL, visit_always, program);
   for (size_t i = 0; i < 10; i++)
      program_dispatch(program, 1);
   visitors_leave = true;
   for (size_t i = 0; i < 4; i++)
      pthread_join(threads[i], NULL);
   CHECK(holds >= 10 && visits == holds);
   CHECK(affine_count(&program->affine, 10) == N);
   program->destroy(program->sample.device, messenger);
}
