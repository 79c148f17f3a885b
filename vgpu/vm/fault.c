/* SPDX-License-Identifier: MIT */
/*
 * GCVM_L2_PROTECTION_FAULT_STATUS (umr's register database, GC 11.0.0):
 *   0 MORE_FAULTS   3:1 WALKER_ERROR   7:4 PERMISSION_FAULTS   8 MAPPING_ERROR   17:9 CID   18 RW (1: write)
 *   19 ATOMIC   23:20 VMID   24 VF   28:25 VFID   29 PRT
 *
 * WALKER_ERROR counts from the level at which the walk ended: 1 for an address out of range, 2 PDE0, 3 PDE1, 4 PDE2;
 * an invalid PTE is no walker error. PERMISSION_FAULTS has one bit for each bit that the PTE lacks: 0 valid, 1 read,
 * 2 write, 3 execute. CID names the client: 8 TCP (vector memory), 9 SQC instruction cache, 10 SQC data cache.
 */
#include "gpu.h"
#include "vm/vm.h"

enum { CID_TCP = 8, CID_SQC_INSTRUCTION = 9 };

uint32_t
vm_fault_status(struct vm *vm, uint64_t va, uint32_t access)
{
   struct vm_walk walk;
   vm_walk(vm, va, &walk);

   uint32_t walker = walk.result == VM_NOT_MAPPED && walk.level > 0 ? walk.level + 1 : 0;
   uint32_t missing = access & ~walk.access;
   uint32_t permission = walk.result == VM_NOT_MAPPED ? 1 : 0;
   if (missing & VM_READ)
      permission |= 1 << 1;
   if (missing & VM_WRITE)
      permission |= 1 << 2;
   if (missing & VM_EXECUTE)
      permission |= 1 << 3;
   uint32_t cid = access & VM_EXECUTE ? CID_SQC_INSTRUCTION : CID_TCP;

   return walker << 1 | permission << 4 | cid << 9 | (access & VM_WRITE ? 1u : 0) << 18 | vm->vmid << 20;
}
