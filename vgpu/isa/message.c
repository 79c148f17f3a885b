/* SPDX-License-Identifier: MIT */
/* s_sendmsg and s_sendmsg_rtn (RDNA3 ISA guide, 4.7 and 16.3). */
#include "gpu.h"
#include "isa/access.h"
#include "isa/pending.h"
#include "isa/scalar.h"
#include "sq/interpret.h"
#include "sq/sq.h"

enum {
   MESSAGE_DEALLOC_VGPRS = 3,
   MESSAGE_RTN_GET_DOORBELL = 0x80,
   MESSAGE_RTN_GET_DDID = 0x81,
   MESSAGE_RTN_GET_TMA = 0x82,
   MESSAGE_RTN_GET_REALTIME = 0x83,
   MESSAGE_RTN_SAVE_WAVE = 0x84,
   MESSAGE_RTN_GET_TBA = 0x85,
   MESSAGE_RTN_GET_TBA_TO_PC = 0x86
};

enum isa_result
execute_s_sendmsg(struct wave *wave, const struct inst *inst)
{
   wave->message = (uint16_t)inst->offset;
   if ((wave->message & 0xff) == MESSAGE_DEALLOC_VGPRS) {
      wave_drain(wave);
      wave->status |= STATUS_NO_VGPRS;
   }
   return ISA_MESSAGE;
}

enum isa_result
execute_s_sendmsghalt(struct wave *wave, const struct inst *inst)
{
   wave->status |= STATUS_HALT;
   return execute_s_sendmsg(wave, inst);
}

/* A graphics queue has no doorbell id; it answers 0x0bad (reference: ROCR trap handler). */
static uint64_t
answer(const struct wave *wave, unsigned message)
{
   switch (message) {
   case MESSAGE_RTN_GET_DOORBELL:
      return 0x0bad;
   case MESSAGE_RTN_GET_TMA:
      return (sq_trap_memory(wave) & 0xffffffffffff) >> 8;
   case MESSAGE_RTN_GET_TBA:
      return (sq_trap_base(wave) & 0xffffffffffff) >> 8;
   case MESSAGE_RTN_GET_REALTIME:
      return vgpu_wave_timestamp(wave->gpu);
   default:
      return 0;
   }
}

static enum isa_result
send_and_receive(struct wave *wave, const struct inst *inst, unsigned dwords)
{
   if (inst->offset == MESSAGE_RTN_GET_TBA_TO_PC || inst->offset == MESSAGE_RTN_SAVE_WAVE)
      return isa_illegal(wave, inst);
   uint64_t value = answer(wave, (unsigned)inst->offset);
   sgprs_land(wave, inst->dst, dwords, (uint32_t[]){(uint32_t)value, (uint32_t)(value >> 32)});
   return ISA_NEXT;
}

enum isa_result
execute_s_sendmsg_rtn_b32(struct wave *wave, const struct inst *inst)
{
   return send_and_receive(wave, inst, 1);
}

enum isa_result
execute_s_sendmsg_rtn_b64(struct wave *wave, const struct inst *inst)
{
   return send_and_receive(wave, inst, 2);
}
