/* SPDX-License-Identifier: MIT */
/* Scalar instructions that are functions of their own: control.c, hwreg.c, message.c. */
#ifndef VGPU_ISA_SCALAR_H
#define VGPU_ISA_SCALAR_H

#include "isa/isa.h"

#define SOP1(...)
#define SOP1_EXEC(...)
#define SOP1_WREXEC(...)
#define SOP1_CONTROL(opcode, name, ...) enum isa_result execute_##name(struct wave *wave, const struct inst *inst);
#include "isa/sop1.inc"
#undef SOP1
#undef SOP1_EXEC
#undef SOP1_WREXEC
#undef SOP1_CONTROL

#define SOPK(...)
#define SOPK_COMPARE(...)
#define SOPK_CONTROL(opcode, name, ...) enum isa_result execute_##name(struct wave *wave, const struct inst *inst);
#include "isa/sopk.inc"
#undef SOPK
#undef SOPK_COMPARE
#undef SOPK_CONTROL

#define SOPP(opcode, name, flags) enum isa_result execute_##name(struct wave *wave, const struct inst *inst);
#define SOPP_HINT(...)
#define SOPP_BRANCH(...)
#define SOPP_NAME(...)
#include "isa/sopp.inc"
#undef SOPP
#undef SOPP_HINT
#undef SOPP_BRANCH
#undef SOPP_NAME

#endif
