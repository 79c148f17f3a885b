/* SPDX-License-Identifier: MIT */
/* Contexts, and what a fault does to them. */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdlib.h>

#include "kmd/kmd.h"

void
context_unref(struct kmd *kmd, struct context *context)
{
   if (--context->refs)
      return;
   for (struct context **link = &kmd->all_contexts; *link; link = &(*link)->next) {
      if (*link == context) {
         *link = context->next;
         break;
      }
   }
   free(context);
}

static int
create(struct kmd *kmd, int32_t priority, uint32_t *handle)
{
   struct context *context = calloc(1, sizeof(*context));
   if (!context)
      return -ENOMEM;

   context->handle = handle_table_add(&kmd->contexts, context);
   if (!context->handle) {
      free(context);
      return -ENOMEM;
   }
   context->refs = 1;
   context->priority = priority;
   context->next = kmd->all_contexts;
   kmd->all_contexts = context;
   *handle = context->handle;
   return 0;
}

/* The card recovers without a reset: only the context that brought the fault about is touched, as with amdgpu's soft
 * recovery. It sees a reset that it is guilty of; the others go on and see none. */
static void
query_state2(const struct context *context, union drm_amdgpu_ctx *args)
{
   args->out.state.flags = context->guilty ? AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY : 0;
   args->out.state.hangs = context->hangs;
   args->out.state.reset_status = AMDGPU_CTX_NO_RESET;
}

static void
query_state(struct context *context, union drm_amdgpu_ctx *args)
{
   bool news = context->guilty && !context->guilty_reported;
   context->guilty_reported = context->guilty;
   args->out.state.flags = 0;
   args->out.state.hangs = context->hangs;
   args->out.state.reset_status = news ? AMDGPU_CTX_GUILTY_RESET : AMDGPU_CTX_NO_RESET;
}

int
kmd_context(struct kmd *kmd, void *data)
{
   union drm_amdgpu_ctx *args = data;
   struct drm_amdgpu_ctx_in in = args->in;
   int r = 0;

   kmd_lock(kmd);
   if (in.op == AMDGPU_CTX_OP_ALLOC_CTX) {
      uint32_t handle = 0;
      r = in.flags ? -EINVAL : create(kmd, in.priority, &handle);
      if (!r) {
         args->out.alloc.ctx_id = handle;
         args->out.alloc._pad = 0;
      }
      goto out;
   }

   struct context *context = handle_table_get(&kmd->contexts, in.ctx_id);
   if (!context) {
      r = -EINVAL;
      goto out;
   }

   switch (in.op) {
   case AMDGPU_CTX_OP_FREE_CTX:
      handle_table_remove(&kmd->contexts, in.ctx_id);
      context_unref(kmd, context);
      break;
   case AMDGPU_CTX_OP_QUERY_STATE:
      query_state(context, args);
      break;
   case AMDGPU_CTX_OP_QUERY_STATE2:
      query_state2(context, args);
      break;
   case AMDGPU_CTX_OP_GET_STABLE_PSTATE:
      args->out.pstate.flags = context->stable_pstate;
      args->out.pstate._pad = 0;
      break;
   case AMDGPU_CTX_OP_SET_STABLE_PSTATE:
      if (in.flags & ~AMDGPU_CTX_STABLE_PSTATE_FLAGS_MASK || in.flags > AMDGPU_CTX_STABLE_PSTATE_PEAK)
         r = -EINVAL;
      else
         context->stable_pstate = in.flags; /* the clock is what it is */
      break;
   default:
      r = -EINVAL;
   }
out:
   kmd_unlock(kmd);
   return r;
}

int
kmd_vm(struct kmd *kmd, void *data)
{
   const struct kmd_vm_arguments *args = data;
   if (args->flags)
      return -EINVAL;

   switch (args->op) {
   case AMDGPU_VM_OP_RESERVE_VMID:
      return kmd->gpu->options.flags & VGPU_VMID_TAKEN ? -ENOENT : vm_assign_vmid(&kmd->vm);
   case AMDGPU_VM_OP_UNRESERVE_VMID: /* it keeps the one it has in any case */
      return 0;
   default:
      return second_level_vm(kmd, args);
   }
}

int
vgpu_reserve_vmid(struct vgpu *gpu, uint32_t *vmid)
{
   if (vgpu_is_inert(gpu))
      return -EIO;
   int r = vm_assign_vmid(&gpu->kmd->vm);
   if (!r)
      *vmid = gpu->kmd->vm.vmid;
   return r;
}
