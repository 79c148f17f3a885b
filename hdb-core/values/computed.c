/* SPDX-License-Identifier: MIT */
/* Values that are computed again, by the instructions that define them. */
#include <errno.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "symbols/operations.h"
#include "values/private.h"

static int
read_piece(const struct hdb_context *context, const struct hdb_computation *computation, uint64_t *value, char **error)
{
   struct hdb_piece piece = computation->piece;
   struct hdb_place place = {.kind = HDB_PLACE_PIECES, .size = piece.size, .pieces = &piece, .piece_count = 1};
   piece.offset = 0;
   int result = pieces_transfer(context, &place, 0, value, piece.size, false, error);
   if (computation->bits == 1)
      *value = *value != 0;
   return result;
}

static int
read_builtin(const struct hdb_context *context, const struct hdb_computation *computation, uint64_t *value,
             char **error)
{
   uint32_t dwords[4], count;
   int result = builtin_derive(context, computation->what, dwords, &count, error);
   if (result)
      return result;
   if (computation->number >= count)
      return place_fail(error, -ENOENT, "optimized out");
   *value = dwords[computation->number];
   return 0;
}

static int
read_push_constant(const struct hdb_context *context, const struct hdb_computation *computation, uint64_t *value,
                   char **error)
{
   const struct hdb_dispatch *dispatch = context->dispatch;
   uint32_t size = computation->bits / 8;
   if (!dispatch || dispatch->flags & HDB_DISPATCH_GENERATED)
      return place_fail(error, -ENOENT, "the push constants are not known");
   if (computation->number > dispatch->push_constant_size || size > dispatch->push_constant_size - computation->number)
      return place_fail(error, -ENOENT, "beyond the push constants");
   memcpy(value, dispatch->push_constants + computation->number, size);
   return 0;
}

/* Of those it selects from, only the one is read that it selects: the other need not be known. */
static int
operate(const struct hdb_context *context, const struct hdb_computation *computation, uint64_t *value, char **error)
{
   uint64_t operands[OPERATION_MAX_OPERANDS] = {0};
   for (unsigned k = 0; k < OPERATION_MAX_OPERANDS; k++) {
      bool wanted = computation->what != SpvOpSelect || k == 0 || (operands[0] != 0) == (k == 1);
      if (!wanted || k >= operation_operands(computation->what))
         continue;
      if (!computation->operands[k])
         return place_fail(error, -ENOENT, "optimized out");
      int result = computed_read(context, computation->operands[k], &operands[k], error);
      if (result)
         return result;
   }
   if (!operation_compute(computation->what, operands, computation->from, computation->bits, value))
      return place_fail(error, -ENOENT, "optimized out");
   return 0;
}

/* ---- votes ---- */

/* Registers and scratch hold the values of active lanes; those of others may be from another way. */
static bool
needs_active_lane(const struct hdb_computation *computation)
{
   const enum hdb_piece_kind kind = computation->piece.kind;
   if (computation->kind == HDB_COMPUTATION_PIECE)
      return kind == HDB_PIECE_VGPR || kind == HDB_PIECE_LANE_MASK || kind == HDB_PIECE_SCRATCH;
   for (int k = 0; k < OPERATION_MAX_OPERANDS; k++) {
      if (computation->operands[k] && needs_active_lane(computation->operands[k]))
         return true;
   }
   return false;
}

/* Lanes that the wave was launched with: the last one of a workgroup may have fewer. */
static uint32_t
count_lanes(const struct hdb_wave *wave)
{
   const uint32_t *size = wave->shader->workgroup_size;
   uint32_t invocations = size[0] * size[1] * size[2], first = wave->index * wave->wave_size;
   uint32_t left = invocations > first ? invocations - first : 0;
   return left < wave->wave_size ? left : wave->wave_size;
}

static int
vote(const struct hdb_context *context, const struct hdb_computation *computation, uint64_t *value, char **error)
{
   const struct hdb_computation *operand = computation->operands[0];
   const struct hdb_wave *wave = context->wave;
   uint32_t lanes = wave->workgroup_known ? count_lanes(wave) : 0;
   uint64_t all = lanes < 64 ? (UINT64_C(1) << lanes) - 1 : UINT64_MAX, in_favour = 0, first = 0;
   bool equal = true;
   if (!lanes || (needs_active_lane(operand) && (wave->exec & all) != all))
      return place_fail(error, -ENOENT, "optimized out");
   for (uint32_t lane = 0; lane < lanes; lane++) {
      struct hdb_context voter = *context;
      uint64_t voice;
      voter.lane = lane;
      int result = computed_read(&voter, operand, &voice, error);
      if (result)
         return result;
      first = lane ? first : voice;
      equal &= voice == first;
      in_favour |= (uint64_t)(voice != 0) << lane;
   }
   switch (computation->what) {
   case SpvOpGroupNonUniformAll:
      *value = in_favour == all;
      return 0;
   case SpvOpGroupNonUniformAny:
      *value = in_favour != 0;
      return 0;
   case SpvOpGroupNonUniformAllEqual:
      *value = equal;
      return 0;
   default: /* SpvOpGroupNonUniformBallot: four dwords */
      *value = computation->number < 2 ? (uint32_t)(in_favour >> 32 * computation->number) : 0;
      return 0;
   }
}

int
computed_read(const struct hdb_context *context, const struct hdb_computation *computation, uint64_t *value,
              char **error)
{
   *value = 0;
   switch (computation->kind) {
   case HDB_COMPUTATION_PIECE:
      return read_piece(context, computation, value, error);
   case HDB_COMPUTATION_BUILTIN:
      return read_builtin(context, computation, value, error);
   case HDB_COMPUTATION_PUSH_CONSTANT:
      return read_push_constant(context, computation, value, error);
   case HDB_COMPUTATION_OPERATION:
      return operate(context, computation, value, error);
   case HDB_COMPUTATION_VOTE:
      return vote(context, computation, value, error);
   }
   return place_fail(error, -ENOENT, "optimized out");
}
