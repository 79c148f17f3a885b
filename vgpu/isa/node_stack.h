/* SPDX-License-Identifier: MIT */
#ifndef VGPU_ISA_NODE_STACK_H
#define VGPU_ISA_NODE_STACK_H

#include "isa/isa.h"

/* ADDR and where the stack stands afterwards: src[0]; last visited node: src[1]; four nodes: src[2]; result: dst. */
enum isa_result execute_ds_bvh_stack_rtn_b32(struct wave *wave, const struct inst *inst);

#endif
