/* SPDX-License-Identifier: MIT */
/* ioctls on sync files: merge two, ask about one (linux/sync_file.h). */
#include <errno.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <string.h>

#include "kmd/shared.h"

static int
merge(struct kmd *kmd, int file, struct sync_merge_data *args)
{
   if (args->flags || args->pad)
      return -EINVAL;

   kmd_lock(kmd);
   struct fence *parts[2] = {shared_file_object(kmd, file, SHARED_FENCE),
                             shared_file_object(kmd, args->fd2, SHARED_FENCE)};
   int r = parts[0] && parts[1] ? 0 : -ENOENT;
   if (!r) {
      struct fence *both = fence_create_array(parts, 2);
      r = both ? shared_file_create(kmd, SHARED_FENCE, both) : -ENOMEM;
      fence_unref(both);
   }
   kmd_unlock(kmd);
   if (r < 0)
      return r;
   args->fence = r;
   return 0;
}

static int
status_of(struct fence *fence)
{
   if (!fence_is_signaled(fence))
      return 0;
   return fence->error ? fence->error : 1;
}

/* A merged file counts as one fence. */
static int
info(struct kmd *kmd, int file, struct sync_file_info *args)
{
   if (args->flags || args->pad)
      return -EINVAL;

   kmd_lock(kmd);
   struct fence *fence = shared_file_object(kmd, file, SHARED_FENCE);
   if (fence) {
      snprintf(args->name, sizeof(args->name), "hdb-vgpu");
      args->status = status_of(fence);
      if (args->num_fences && args->sync_fence_info) {
         struct sync_fence_info *one = (struct sync_fence_info *)args->sync_fence_info;
         memset(one, 0, sizeof(*one));
         snprintf(one->obj_name, sizeof(one->obj_name), "hdb-vgpu");
         snprintf(one->driver_name, sizeof(one->driver_name), "amdgpu");
         one->status = args->status;
         one->timestamp_ns = fence->signal_time;
      }
      args->num_fences = 1;
   }
   kmd_unlock(kmd);
   return fence ? 0 : -ENOTTY;
}

int
kmd_sync_file_ioctl(struct kmd *kmd, int file, unsigned long request, void *argument)
{
   switch (request) {
   case SYNC_IOC_MERGE:
      return merge(kmd, file, argument);
   case SYNC_IOC_FILE_INFO:
      return info(kmd, file, argument);
   default:
      return -ENOTTY;
   }
}
