/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cp/ring.h"
#include "isa/table.h"

struct stats *
stats_create(struct vgpu *gpu)
{
   const char *text = getenv("HDB_VGPU_STATS");
   if (!text || !*text || !strcmp(text, "0"))
      return NULL;
   if (strcmp(text, "1")) {
      vgpu_log(gpu, "HDB_VGPU_STATS=%s is neither 0 nor 1; using 0", text);
      return NULL;
   }
   return calloc(1, sizeof(struct stats));
}

/* ---- counting ---- */

void
stats_job_begun(struct vgpu *gpu)
{
   struct stats *stats = gpu->stats;
   if (!stats)
      return;
   stats->jobs++;
   if (stats->busy_rings++ == 0)
      stats->busy_since = vgpu_running_ns(gpu);
}

void
stats_job_ended(struct vgpu *gpu)
{
   struct stats *stats = gpu->stats;
   if (stats && --stats->busy_rings == 0)
      stats->busy_ns += vgpu_running_ns(gpu) - stats->busy_since;
}

enum stats_family
stats_family_of(const struct inst *inst)
{
   static const uint8_t families[ISA_ENCODINGS] = {
      [ISA_SOP1] = STATS_SALU,       [ISA_SOP2] = STATS_SALU,       [ISA_SOPC] = STATS_SALU,
      [ISA_SOPK] = STATS_SALU,       [ISA_SOPP] = STATS_CONTROL,    [ISA_SMEM] = STATS_SMEM,
      [ISA_VOP1] = STATS_VALU,       [ISA_VOP2] = STATS_VALU,       [ISA_VOPC] = STATS_VALU,
      [ISA_VOP3] = STATS_VALU,       [ISA_VOP3SD] = STATS_VALU,     [ISA_VOP3P] = STATS_VALU,
      [ISA_VOPD] = STATS_VALU,       [ISA_VINTERP] = STATS_ILLEGAL, [ISA_LDSDIR] = STATS_ILLEGAL,
      [ISA_DS] = STATS_DS,           [ISA_FLAT] = STATS_FLAT,       [ISA_GLOBAL] = STATS_GLOBAL,
      [ISA_SCRATCH] = STATS_SCRATCH, [ISA_MUBUF] = STATS_BUFFER,    [ISA_MTBUF] = STATS_BUFFER,
      [ISA_MIMG] = STATS_IMAGE,      [ISA_EXP] = STATS_ILLEGAL,
   };
   if (inst->execute == isa_illegal)
      return STATS_ILLEGAL;

   /* Branches, messages and waits among the scalar instructions, by opcode (RDNA3 ISA guide, 16.2, 16.3, 16.5). */
   switch (inst->encoding) {
   case ISA_SOP1: {
      ptrdiff_t opcode = inst->op - isa_sop1;
      if (opcode >= 72 && opcode <= 74) /* s_setpc, s_swappc, s_rfe */
         return STATS_BRANCH;
      if (opcode == 76 || opcode == 77) /* s_sendmsg_rtn */
         return STATS_MESSAGE;
      break;
   }
   case ISA_SOPK: {
      ptrdiff_t opcode = inst->op - isa_sopk;
      if (opcode == 20 || opcode == 22 || opcode == 23) /* s_call, s_subvector_loop */
         return STATS_BRANCH;
      if (opcode == 1 || opcode >= 24) /* s_version, s_waitcnt */
         return STATS_CONTROL;
      break;
   }
   case ISA_SOPP: {
      ptrdiff_t opcode = inst->op - isa_sopp;
      if (opcode >= 32 && opcode < 48)
         return STATS_BRANCH;
      if (opcode == 54 || opcode == 55) /* s_sendmsg */
         return STATS_MESSAGE;
      break;
   }
   }
   return families[inst->encoding];
}

/* ---- the report ---- */

static void
print_instructions(FILE *out, const struct stats *stats)
{
   static const char *const names[STATS_FAMILIES] = {"SALU",    "SMEM",    "VALU",   "LDS",   "global",
                                                     "flat",    "scratch", "buffer", "image", "branch",
                                                     "message", "control", "illegal"};
   uint64_t program = 0, handler = 0;
   for (int i = 0; i < STATS_FAMILIES; i++) {
      program += stats->program.instructions[i];
      handler += stats->handler.instructions[i];
   }
   fprintf(out, "  %-14s %16s %16s\n", "instructions", "program", "trap handler");
   for (int i = 0; i < STATS_FAMILIES; i++) {
      if (stats->program.instructions[i] || stats->handler.instructions[i])
         fprintf(out, "    %-12s %16" PRIu64 " %16" PRIu64 "\n", names[i], stats->program.instructions[i],
                 stats->handler.instructions[i]);
   }
   fprintf(out, "    %-12s %16" PRIu64 " %16" PRIu64 "\n", "all", program, handler);
}

static void
print_row(FILE *out, const char *name, const uint64_t row[STATS_DIRECTIONS])
{
   if (row[STATS_READ] || row[STATS_WRITTEN] || row[STATS_ATOMICS])
      fprintf(out, "    %-12s %16" PRIu64 " %16" PRIu64 " %16" PRIu64 "\n", name, row[STATS_READ], row[STATS_WRITTEN],
              row[STATS_ATOMICS]);
}

static void
add_up(const struct stats_waves *waves, uint64_t sum[STATS_DIRECTIONS])
{
   for (int memory = 0; memory < STATS_MEMORIES; memory++) {
      for (int direction = 0; direction < STATS_DIRECTIONS; direction++)
         sum[direction] += waves->traffic[memory][direction];
   }
}

static void
print_traffic(FILE *out, const struct stats *stats)
{
   static const char *const names[STATS_MEMORIES] = {"scalar", "global", "scratch", "buffer", "image", "LDS"};
   uint64_t handler[STATS_DIRECTIONS] = {0};
   add_up(&stats->handler, handler);
   fprintf(out, "  %-14s %16s %16s %16s\n", "memory", "bytes read", "bytes written", "atomics");
   for (int i = 0; i < STATS_MEMORIES; i++)
      print_row(out, names[i], stats->program.traffic[i]);
   print_row(out, "trap handler", handler);
}

static void
print_time(FILE *out, const struct stats *stats, uint64_t busy_ns)
{
   uint64_t instructions = 0, sum[STATS_DIRECTIONS] = {0};
   for (int i = 0; i < STATS_FAMILIES; i++)
      instructions += stats->program.instructions[i];
   add_up(&stats->program, sum);
   fprintf(out, "  time: busy %.6f s, interpreting %.6f s, in the trap handler %.6f s\n", (double)busy_ns * 1e-9,
           (double)stats->program.ns * 1e-9, (double)stats->handler.ns * 1e-9);
   if (stats->program.ns) {
      double seconds = (double)stats->program.ns * 1e-9;
      fprintf(out, "  rate while interpreting: %.3f million instructions/s, %.3f MB/s read, %.3f MB/s written\n",
              (double)instructions / seconds * 1e-6, (double)sum[STATS_READ] / seconds * 1e-6,
              (double)sum[STATS_WRITTEN] / seconds * 1e-6);
   }
}

/* As one write, so that what others have to say does not come between its lines; for scripts, so that numbers have
 * points whatever the application's locale. */
static void
print(const struct stats *stats, uint64_t busy_ns)
{
   char *text = NULL;
   size_t size = 0;
   FILE *out = open_memstream(&text, &size);
   if (!out)
      return;
   locale_t c_locale = newlocale(LC_ALL_MASK, "C", NULL), before = uselocale(c_locale);
   fprintf(out,
           "hdb-vgpu: statistics\n"
           "  jobs %" PRIu64 ", dispatches %" PRIu64 ", workgroups %" PRIu64 ", waves %" PRIu64 ", threads %" PRIu64
           "\n",
           stats->jobs, stats->dispatches, stats->workgroups, stats->waves, stats->threads);
   print_instructions(out, stats);
   print_traffic(out, stats);
   print_time(out, stats, busy_ns);
   uselocale(before);
   if (c_locale)
      freelocale(c_locale);
   if (!fclose(out))
      fwrite(text, 1, size, stderr);
   free(text);
}

void
stats_report(struct vgpu *gpu)
{
   if (!gpu->stats)
      return;
   /* A callback on the card's own thread may be what ends the process. */
   struct cp *cp = gpu->cp;
   bool stopped = cp && !(cp->started && pthread_equal(pthread_self(), cp->thread)) && !cp_lock(gpu);
   struct stats stats = *gpu->stats;
   uint64_t busy_ns = stats.busy_ns;
   if (stats.busy_rings)
      busy_ns += vgpu_running_ns(gpu) - stats.busy_since;
   if (stopped)
      cp_unlock(gpu);
   print(&stats, busy_ns);
}
