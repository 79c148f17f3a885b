/* SPDX-License-Identifier: MIT */
/* Part of vector.c: instructions over the whole wave, which look beyond their lane or index registers. */

static enum isa_result
v_nop(struct wave *wave, const struct inst *inst)
{
   return ISA_NEXT;
}

static enum isa_result
v_pipeflush(struct wave *wave, const struct inst *inst)
{
   return ISA_NEXT;
}

/* The first active lane, or lane 0 without any. */
static enum isa_result
v_readfirstlane_b32(struct wave *wave, const struct inst *inst)
{
   uint64_t active = active_lanes(wave);
   unsigned lane = active ? (unsigned)__builtin_ctzll(active) : 0;
   sreg_write(wave, inst->dst, vgpr_source(wave, inst->src[0] - SRC_VGPR0)[lane]);
   return ISA_NEXT;
}

/* Whatever EXEC says. */
static enum isa_result
v_readlane_b32(struct wave *wave, const struct inst *inst)
{
   unsigned lane = source32(wave, inst, 1) % LANES;
   sreg_write(wave, inst->dst, vgpr_source(wave, inst->src[0] - SRC_VGPR0)[lane]);
   return ISA_NEXT;
}

static enum isa_result
v_writelane_b32(struct wave *wave, const struct inst *inst)
{
   uint32_t *vgpr = vgpr_destination(wave, inst->dst);
   if (vgpr)
      vgpr[source32(wave, inst, 1) % LANES] = source32(wave, inst, 0);
   return ISA_NEXT;
}

/* Lanes of another row (permlanex16) or the same one, by four bits of selector a lane. op_sel 0 is FI, op_sel 1
 * BOUND_CTRL (RDNA3 ISA guide, 16.12). */
static enum isa_result
permute_row(struct wave *wave, const struct inst *inst, unsigned other_row)
{
   uint64_t selectors = source32(wave, inst, 1) | (uint64_t)source32(wave, inst, 2) << 32, exec = wave_exec(wave);
   uint32_t source[LANES], *vgpr = vgpr_destination(wave, inst->dst);
   refresh_exec(wave);
   memcpy(source, vgpr_source(wave, inst->src[0] - SRC_VGPR0), sizeof source);
   for (unsigned l = 0; l < LANES && vgpr; l++) {
      unsigned from = ((l & ~15u) ^ other_row) | (selectors >> (l & 15) * 4 & 15);
      bool valid = (inst->op_sel & 1) || (exec >> from & 1);
      if (wave->exec_mask[l] && (valid || (inst->op_sel & 2)))
         vgpr[l] = valid ? source[from] : 0;
   }
   return ISA_NEXT;
}

static enum isa_result
v_permlane16_b32(struct wave *wave, const struct inst *inst)
{
   return permute_row(wave, inst, 0);
}

static enum isa_result
v_permlanex16_b32(struct wave *wave, const struct inst *inst)
{
   return permute_row(wave, inst, 16);
}

/* Swaps the halves of a wave of 64; nothing in one of 32. */
static enum isa_result
v_permlane64_b32(struct wave *wave, const struct inst *inst)
{
   uint32_t source[LANES], *vgpr = vgpr_destination(wave, inst->dst);
   refresh_exec(wave);
   memcpy(source, vgpr_source(wave, inst->src[0] - SRC_VGPR0), sizeof source);
   for (unsigned l = 0; l < LANES && LANES == 64 && vgpr; l++)
      vgpr[l] = select_lane(wave->exec_mask[l], source[l ^ 32], vgpr[l]);
   return ISA_NEXT;
}

static void
swap(struct wave *wave, unsigned first, unsigned second)
{
   uint32_t *a = vgpr_destination(wave, first), *b = vgpr_destination(wave, second);
   refresh_exec(wave);
   for (unsigned l = 0; l < LANES && a && b; l++) {
      uint32_t mask = wave->exec_mask[l], from_a = a[l], from_b = b[l];
      a[l] = select_lane(mask, from_b, from_a);
      b[l] = select_lane(mask, from_a, from_b);
   }
}

static enum isa_result
v_swap_b32(struct wave *wave, const struct inst *inst)
{
   swap(wave, inst->dst, inst->src[0] - SRC_VGPR0);
   return ISA_NEXT;
}

/* Halves, chosen as in other instructions of 16 bits. The assembler of LLVM 19 has no name for it. */
static enum isa_result
v_swap_b16(struct wave *wave, const struct inst *inst)
{
   uint32_t *a = vgpr_destination(wave, inst->dst), *b = vgpr_destination(wave, inst->src[0] - SRC_VGPR0);
   unsigned shift_a = inst->op_sel & 8 ? 16 : 0, shift_b = inst->op_sel & 1 ? 16 : 0;
   refresh_exec(wave);
   for (unsigned l = 0; l < LANES && a && b; l++) {
      uint32_t differ = (a[l] >> shift_a ^ b[l] >> shift_b) & 0xffff & wave->exec_mask[l];
      a[l] ^= differ << shift_a;
      b[l] ^= differ << shift_b;
   }
   return ISA_NEXT;
}

/* M0 moves the source by bits 9:0 and the destination by bits 25:16. */
static enum isa_result
v_swaprel_b32(struct wave *wave, const struct inst *inst)
{
   uint32_t m0 = wave->sreg[SREG_M0];
   swap(wave, inst->dst + (m0 >> 16 & 0x3ff), inst->src[0] - SRC_VGPR0 + (m0 & 0x3ff));
   return ISA_NEXT;
}

/* Moves between registers that M0 has a say in. */
static enum isa_result
move(struct wave *wave, const struct inst *inst, unsigned to, const uint32_t *source)
{
   struct operands o;
   uint32_t *vgpr = vgpr_destination(wave, to);
   refresh_exec(wave);
   o.mask = wave->exec_mask;
   o.lo[0] = source;
   if (inst->flags & INST_MODIFIED)
      modify_sources(&o, wave, inst);
   for (unsigned l = 0; l < LANES && vgpr; l++)
      vgpr[l] = select_lane(o.mask[l], o.lo[0][l], vgpr[l]);
   return ISA_NEXT;
}

static enum isa_result
v_movreld_b32(struct wave *wave, const struct inst *inst)
{
   struct operands o;
   fetch(&o, wave, inst, 0, TYPE_B32);
   return move(wave, inst, inst->dst + wave->sreg[SREG_M0], o.lo[0]);
}

static enum isa_result
v_movrels_b32(struct wave *wave, const struct inst *inst)
{
   return move(wave, inst, inst->dst, vgpr_source(wave, inst->src[0] - SRC_VGPR0 + wave->sreg[SREG_M0]));
}

static enum isa_result
v_movrelsd_b32(struct wave *wave, const struct inst *inst)
{
   uint32_t m0 = wave->sreg[SREG_M0];
   return move(wave, inst, inst->dst + m0, vgpr_source(wave, inst->src[0] - SRC_VGPR0 + m0));
}

static enum isa_result
v_movrelsd_2_b32(struct wave *wave, const struct inst *inst)
{
   uint32_t m0 = wave->sreg[SREG_M0];
   return move(wave, inst, inst->dst + (m0 >> 16 & 0x3ff), vgpr_source(wave, inst->src[0] - SRC_VGPR0 + (m0 & 0x3ff)));
}

/* Four sums of masked differences, of the four bytes of A from each of its first four on; they do not fit the loop of
 * the others, having results of 128 bits. */
static enum isa_result
v_mqsad_u32_u8(struct wave *wave, const struct inst *inst)
{
   uint32_t result[4][LANES];
   bool clamp = inst->flags & INST_CLAMP;
   struct operands o;
   refresh_exec(wave);
   fetch(&o, wave, inst, 0, TYPE_B64);
   fetch(&o, wave, inst, 1, TYPE_B32);
   for (unsigned i = 0; i < 4; i++) {
      const uint32_t *sums = vgpr_source(wave, inst->src[2] - SRC_VGPR0 + i);
      for (unsigned l = 0; l < LANES; l++) {
         uint64_t bytes = o.lo[0][l] | (uint64_t)o.hi[0][l] << 32;
         result[i][l] = SUM_U32((uint64_t)sad_u8((uint32_t)(bytes >> i * 8), o.lo[1][l], 0, true) + sums[l]);
      }
   }
   for (unsigned i = 0; i < 4; i++)
      blend(wave, inst->dst + i, result[i]);
   return ISA_NEXT;
}
