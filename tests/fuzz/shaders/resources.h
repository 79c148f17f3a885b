/* SPDX-License-Identifier: MIT */
/* The images and texel buffers of a job. What they hold lies in a buffer, of which texel buffers are views; images are
 * copied from there and, if shaders write to them, back. */
#ifndef RESOURCES_H
#define RESOURCES_H

#include "device.h"
#include "job.h"

#define RESOURCE_SIZE (1u << 15) /* bytes of one of them in the buffer */

struct resources {
   VkBuffer buffer;
   VkDeviceSize offset; /* of the first one; the others follow */
   VkDescriptorSetLayout layout;
   VkDescriptorPool pool;
   VkDescriptorSet set;
   VkSampler sampler;
   struct resource {
      const struct job_resource *job;
      VkBufferView buffer_view;
      VkImage image;
      VkImageView image_view;
      VkDeviceMemory memory;
   } resources[JOB_MAX_RESOURCES];
   uint32_t count;
};

/* Binding 0 of the set is a uniform buffer, `uniform`. To be finished even after an error. */
VkResult resources_init(struct resources *resources, struct gpu *gpu, const struct job *job, VkBuffer buffer,
                        VkDeviceSize offset, const VkDescriptorBufferInfo *uniform);
void resources_finish(struct resources *resources, struct gpu *gpu);

/* Record the copies before and after a dispatch. */
void resources_load(struct resources *resources, struct gpu *gpu);
void resources_store(struct resources *resources, struct gpu *gpu);

#endif
