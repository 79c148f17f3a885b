/* SPDX-License-Identifier: MIT */
/*
 * Random instructions on random registers: what the virtual GPU does against what the model says.
 *
 *   test-model [--seed N] [--count N] [--op NAME] [--limit N]
 *
 * `count` instructions are tried of each operation in each encoding, for waves of 32 and of 64 lanes. Up to `limit`
 * mismatches are printed for each operation.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "families.h"
#include "generate.h"
#include "real.h"
#include "wave_box.h"

static struct tolerance tolerance[MODEL_TOLERANCES];

static struct {
   uint64_t seed;
   unsigned count, limit;
   const char *op;
} options = {.seed = 1, .count = 10, .limit = 2};

static struct {
   unsigned long runs, rejected;
   unsigned mismatches, faulty_ops, silent_ops;
} totals;

/* ---- the machine that is judged -----------------------------------------------------------------------------------
 */

static void
load_box(const struct machine *machine)
{
   struct wave *wave = &box.wave;
   memcpy(box.vgpr, machine->vgpr, sizeof box.vgpr);
   memcpy(wave->sreg, machine->sgpr, sizeof machine->sgpr);
   wave->sreg[SREG_VCC_LO] = (uint32_t)machine->vcc;
   wave->sreg[SREG_VCC_HI] = (uint32_t)(machine->vcc >> 32);
   wave->sreg[SREG_EXEC_LO] = (uint32_t)machine->exec;
   wave->sreg[SREG_EXEC_HI] = (uint32_t)(machine->exec >> 32);
   wave->exec_dirty = true;
   wave->sreg[SREG_M0] = machine->m0;
   wave->scc = machine->scc;
   wave->mode = machine->mode;
   wave->trapsts = machine->trapsts;
   wave->reads_exceptions = machine->trapsts_unknown != UINT32_MAX;
   wave->scratch_base = BOX_DATA_VA;
   memcpy(box.lds, machine->lds, MODEL_LDS);
   memcpy(box.data, machine->memory, MODEL_MEMORY);
}

static void
store_box(struct machine *machine)
{
   const struct wave *wave = &box.wave;
   memcpy(machine->vgpr, box.vgpr, sizeof box.vgpr);
   memcpy(machine->sgpr, wave->sreg, sizeof machine->sgpr);
   machine->vcc = wave->sreg[SREG_VCC_LO] | (uint64_t)wave->sreg[SREG_VCC_HI] << 32;
   machine->exec = wave_exec(wave);
   machine->m0 = wave->sreg[SREG_M0];
   machine->scc = wave->scc;
   machine->mode = wave->mode;
   machine->trapsts = wave->trapsts;
   memcpy(machine->lds, box.lds, MODEL_LDS);
   memcpy(machine->memory, box.data, MODEL_MEMORY);
}

/* ---- a mismatch ------------------------------------------------------------------------------------------------- */

static void
print_mismatch(const struct family *family, const struct instance *instance, const struct machine *before,
               const struct difference *difference)
{
   unsigned lane = difference->lane;
   printf("- `%s` wave%u mode %06x exec %llx: %s lane %u is %08llx, model %08llx;", instance->text,
          instance->wave64 ? 64 : 32, before->mode, (unsigned long long)before->exec, difference->place, lane,
          (unsigned long long)difference->actual, (unsigned long long)difference->expected);
   if (instance->op_sel && !(instance->op->flags & VOP3P))
      printf(" op_sel %x", instance->op_sel);
   for (unsigned s = 0; s < 3 && instance->op->src[s]; s++) {
      bits value = valu_source(instance, before, s, lane);
      printf(" src%u%s %llx", s, instance->src[s].high ? ".h" : "", (unsigned long long)value);
   }
   bits old = operand_value(&instance->dst, instance->op->dst, before, lane);
   if (instance->op->dst)
      printf(" dst%s %llx", instance->dst.high ? ".h" : "", (unsigned long long)old);
   if (family->describe)
      family->describe(instance, before, lane);
   putchar('\n');
}

/* Every reading of what documents leave open is as good as another, a lane at a time: takes over where one agrees. */
static bool
agrees(const struct family *family, const struct instance *instance, const struct machine *before,
       const struct machine *actual, struct difference *difference)
{
   static struct machine expected, first;
   unsigned readings = READ_NAN_BY_SIGN | READ_OMOD_UNDERFLOW_POSITIVE;
   if (instance->op->flags & UNSURE_IN)
      readings |= READ_INPUTS_KEPT;
   if (instance->op->flags & UNSURE_OUT)
      readings |= READ_RESULTS_KEPT;
   if (instance->op->flags & FORCE_FLUSH)
      readings |= READ_OMOD_ALWAYS;
   if (instance->op->flags & UNSURE_ROUNDING)
      readings |= READ_STORES_NEAREST;
   for (unsigned reading = 0; reading < READINGS; reading++) {
      if (reading & ~readings)
         continue;
      expected = *before;
      expected.tolerances = 0;
      expected.unknown_mask = 0;
      family->execute(instance, &expected, reading);
      if (!machines_differ(instance, &expected, actual, difference))
         return true;
      if (reading == 0)
         first = expected;
      for (unsigned v = 0; v < MODEL_VGPRS; v++) {
         for (unsigned lane = 0; lane < 64; lane++) {
            if (expected.vgpr[v][lane] == actual->vgpr[v][lane])
               first.vgpr[v][lane] = actual->vgpr[v][lane];
         }
      }
      first.tolerances = 0;
      if (!machines_differ(instance, &first, actual, difference))
         return true;
   }
   return false;
}

static bool
try(const struct family *family, struct random *random, const struct instance *instance, bool quiet)
{
   static struct machine before, actual;
   before.tolerance = tolerance;
   machine_randomize(random, instance, &before);
   if (family->prepare)
      family->prepare(random, instance, &before);
   load_box(&before);
   enum isa_result result = box_run(&box, instance->word, instance->words);
   if (result != ISA_END) {
      if (!quiet) {
         printf("- `%s` wave%u (%08x %08x): did not run to its end;", instance->text, instance->wave64 ? 64 : 32,
                instance->word[0], instance->word[1]);
         if (family->describe)
            family->describe(instance, &before, 0);
         putchar('\n');
      }
      box_reset(&box, instance->wave64);
      return false;
   }
   actual = before;
   store_box(&actual);
   struct difference difference;
   if (agrees(family, instance, &before, &actual, &difference))
      return true;
   if (!quiet)
      print_mismatch(family, instance, &before, &difference);
   return false;
}

/* ---- families --------------------------------------------------------------------------------------------------- */

#define RUNS 2 /* of each instruction */

static bool
is_wanted(const struct op *op)
{
   return !options.op || strstr(op->name, options.op);
}

static size_t
generate(const struct family *family, struct random *random, struct instance *instances, size_t capacity)
{
   size_t count = 0;
   for (size_t i = 0; i < family->count; i++) {
      for (unsigned form = 0; form < FORM_COUNT; form++) {
         if (!is_wanted(&family->ops[i]) || !op_has_form(&family->ops[i], form))
            continue;
         for (unsigned n = 0; n < 2 * options.count && count < capacity; n++) {
            struct instance *instance = &instances[count++];
            instance_randomize(random, &family->ops[i], form, n & 1, instance);
            if (family->choose)
               family->choose(random, instance);
            instance_print(instance);
         }
      }
   }
   return count;
}

static void
judge(const struct family *family, struct random *random)
{
   size_t capacity = family->count * FORM_COUNT * 2 * options.count;
   struct instance *instances = calloc(capacity, sizeof *instances);
   assert_non_null(instances);
   size_t count = generate(family, random, instances, capacity);
   instances_assemble(instances, count, false);
   instances_assemble(instances, count, true);
   const struct op *op = NULL;
   unsigned bad = 0, tried[FORM_COUNT] = {0};
   for (size_t i = 0; i <= count; i++) {
      if (i == count || instances[i].op != op) {
         for (unsigned form = 0; op && form < FORM_COUNT; form++) {
            if (op_has_form(op, form) && !tried[form]) {
               printf("- %s: LLVM has no instance of form %u\n", op->name, form);
               totals.silent_ops++;
            }
         }
         totals.faulty_ops += bad > 0;
         totals.mismatches += bad;
         bad = 0;
         memset(tried, 0, sizeof tried);
         if (i == count)
            break;
         op = instances[i].op;
      }
      if (!instances[i].words) {
         totals.rejected++;
         continue;
      }
      tried[instances[i].form]++;
      if (box.wave.wave64 != instances[i].wave64)
         box_reset(&box, instances[i].wave64);
      for (unsigned run = 0; run < RUNS; run++, totals.runs++)
         bad += !try(family, random, &instances[i], bad >= options.limit);
   }
   free(instances);
}

int
main(int argc, char **argv)
{
   static const struct option names[] = {{"seed", required_argument, NULL, 's'},
                                         {"count", required_argument, NULL, 'c'},
                                         {"op", required_argument, NULL, 'o'},
                                         {"limit", required_argument, NULL, 'l'},
                                         {0}};
   for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
      if (option == 's')
         options.seed = strtoull(optarg, NULL, 0);
      else if (option == 'c')
         options.count = (unsigned)strtoul(optarg, NULL, 0);
      else if (option == 'o')
         options.op = optarg;
      else if (option == 'l')
         options.limit = (unsigned)strtoul(optarg, NULL, 0);
      else
         return 2;
   }
   box_init(&box, 0);
   for (size_t i = 0; i < family_count; i++) {
      struct random random = {.state = options.seed};
      judge(families[i], &random);
   }
   box_finish(&box);
   mpfr_free_cache();
   printf("seed %llu: %lu runs, %lu texts that LLVM rejects, %u mismatches in %u operations, %u forms not tried\n",
          (unsigned long long)options.seed, totals.runs, totals.rejected, totals.mismatches, totals.faulty_ops,
          totals.silent_ops);
   return totals.mismatches || totals.silent_ops || !totals.runs;
}
