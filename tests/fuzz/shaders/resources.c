/* SPDX-License-Identifier: MIT */
#include "resources.h"

enum { MAX_LEVELS = 8 };

static bool
is_buffer(const struct job_resource *job)
{
   return job->type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || job->type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

static VkImageType
image_type(VkImageViewType shape)
{
   switch (shape) {
   case VK_IMAGE_VIEW_TYPE_1D:
   case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
      return VK_IMAGE_TYPE_1D;
   case VK_IMAGE_VIEW_TYPE_3D:
      return VK_IMAGE_TYPE_3D;
   default:
      return VK_IMAGE_TYPE_2D;
   }
}

static VkResult
create_buffer_view(struct resource *resource, struct gpu *gpu, VkBuffer buffer, VkDeviceSize offset)
{
   const struct job_resource *job = resource->job;
   const VkBufferViewCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
      .buffer = buffer,
      .format = job->format,
      .offset = offset,
      .range = job->width * job->texel_size,
   };
   TRY(vkCreateBufferView(gpu->device, &info, NULL, &resource->buffer_view));
   return VK_SUCCESS;
}

static VkResult
create_image(struct resource *resource, struct gpu *gpu)
{
   const struct job_resource *job = resource->job;
   const bool cube = job->shape == VK_IMAGE_VIEW_TYPE_CUBE;
   const VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
      .imageType = image_type(job->shape),
      .format = job->format,
      .extent = {job->width, job->height, job->depth},
      .mipLevels = job->levels,
      .arrayLayers = job->layers,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .usage =
         VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
         (job->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT),
   };
   TRY(vkCreateImage(gpu->device, &info, NULL, &resource->image));
   resource->memory = gpu_allocate_image(gpu, resource->image);
   const VkImageViewCreateInfo view_info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = resource->image,
      .viewType = job->shape,
      .format = job->format,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, job->levels, 0, job->layers},
   };
   TRY(vkCreateImageView(gpu->device, &view_info, NULL, &resource->image_view));
   return VK_SUCCESS;
}

static VkResult
create_sampler(struct resources *resources, struct gpu *gpu, const struct job *job)
{
   VkSamplerCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
      .maxLod = VK_LOD_CLAMP_NONE,
      .borderColor = VK_BORDER_COLOR_INT_TRANSPARENT_BLACK, /* all bits 0: that of floats, too */
   };
   for (uint32_t i = 0; i < job->resource_count; i++)
      info.addressModeU = info.addressModeV = info.addressModeW = job->resources[i].address_mode;
   TRY(vkCreateSampler(gpu->device, &info, NULL, &resources->sampler));
   return VK_SUCCESS;
}

static VkResult
create_set(struct resources *resources, struct gpu *gpu)
{
   VkDescriptorSetLayoutBinding bindings[1 + JOB_MAX_RESOURCES] = {
      {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
   VkDescriptorPoolSize sizes[1 + JOB_MAX_RESOURCES] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}};
   for (uint32_t i = 0; i < resources->count; i++) {
      const struct job_resource *job = resources->resources[i].job;
      bindings[1 + i] = (VkDescriptorSetLayoutBinding){job->binding, job->type, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
      sizes[1 + i] = (VkDescriptorPoolSize){job->type, 1};
   }
   const VkDescriptorSetLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = 1 + resources->count,
      .pBindings = bindings,
   };
   TRY(vkCreateDescriptorSetLayout(gpu->device, &layout_info, NULL, &resources->layout));
   const VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = 1,
      .poolSizeCount = 1 + resources->count,
      .pPoolSizes = sizes,
   };
   TRY(vkCreateDescriptorPool(gpu->device, &pool_info, NULL, &resources->pool));
   const VkDescriptorSetAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = resources->pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &resources->layout,
   };
   TRY(vkAllocateDescriptorSets(gpu->device, &allocate, &resources->set));
   return VK_SUCCESS;
}

static void
write_set(struct resources *resources, struct gpu *gpu, const VkDescriptorBufferInfo *uniform)
{
   VkWriteDescriptorSet write = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = resources->set,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      .pBufferInfo = uniform,
   };
   vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
   for (uint32_t i = 0; i < resources->count; i++) {
      const struct resource *resource = &resources->resources[i];
      write.dstBinding = resource->job->binding;
      write.descriptorType = resource->job->type;
      write.pImageInfo = &(VkDescriptorImageInfo){resources->sampler, resource->image_view, VK_IMAGE_LAYOUT_GENERAL};
      write.pTexelBufferView = &resource->buffer_view;
      vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
   }
}

VkResult
resources_init(struct resources *resources, struct gpu *gpu, const struct job *job, VkBuffer buffer,
               VkDeviceSize offset, const VkDescriptorBufferInfo *uniform)
{
   *resources = (struct resources){.buffer = buffer, .offset = offset};
   for (uint32_t i = 0; i < job->resource_count; i++) {
      struct resource *resource = &resources->resources[resources->count++];
      resource->job = &job->resources[i];
      TRY(is_buffer(resource->job) ? create_buffer_view(resource, gpu, buffer, offset + i * RESOURCE_SIZE)
                                   : create_image(resource, gpu));
   }
   TRY(create_sampler(resources, gpu, job));
   TRY(create_set(resources, gpu));
   write_set(resources, gpu, uniform);
   return VK_SUCCESS;
}

void
resources_finish(struct resources *resources, struct gpu *gpu)
{
   vkDestroyDescriptorPool(gpu->device, resources->pool, NULL);
   vkDestroyDescriptorSetLayout(gpu->device, resources->layout, NULL);
   vkDestroySampler(gpu->device, resources->sampler, NULL);
   for (uint32_t i = 0; i < resources->count; i++) {
      const struct resource *resource = &resources->resources[i];
      vkDestroyBufferView(gpu->device, resource->buffer_view, NULL);
      vkDestroyImageView(gpu->device, resource->image_view, NULL);
      vkDestroyImage(gpu->device, resource->image, NULL);
      vkFreeMemory(gpu->device, resource->memory, NULL);
   }
}

static uint32_t
smaller(uint32_t size, uint32_t level)
{
   return size >> level ? size >> level : 1;
}

/* The regions of all levels, one after the other. */
static uint32_t
find_regions(const struct job_resource *job, VkDeviceSize offset, VkBufferImageCopy regions[MAX_LEVELS])
{
   for (uint32_t level = 0; level < job->levels && level < MAX_LEVELS; level++) {
      const VkExtent3D extent = {smaller(job->width, level), smaller(job->height, level), smaller(job->depth, level)};
      regions[level] = (VkBufferImageCopy){
         .bufferOffset = offset,
         .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, job->layers},
         .imageExtent = extent,
      };
      const VkDeviceSize size = extent.width * extent.height * extent.depth * job->layers * job->texel_size;
      offset += (size + 15) & ~15ull; /* a multiple of every texel's size */
   }
   return job->levels;
}

void
resources_load(struct resources *resources, struct gpu *gpu)
{
   for (uint32_t i = 0; i < resources->count; i++) {
      const struct resource *resource = &resources->resources[i];
      if (!resource->image)
         continue;
      VkBufferImageCopy regions[MAX_LEVELS];
      const uint32_t count = find_regions(resource->job, resources->offset + i * RESOURCE_SIZE, regions);
      gpu_transition(gpu->commands, resource->image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
                     VK_IMAGE_LAYOUT_GENERAL);
      vkCmdCopyBufferToImage(gpu->commands, resources->buffer, resource->image, VK_IMAGE_LAYOUT_GENERAL, count,
                             regions);
   }
   if (resources->count)
      gpu_barrier(gpu->commands);
}

void
resources_store(struct resources *resources, struct gpu *gpu)
{
   if (resources->count)
      gpu_barrier(gpu->commands);
   for (uint32_t i = 0; i < resources->count; i++) {
      const struct resource *resource = &resources->resources[i];
      if (resource->job->type != VK_DESCRIPTOR_TYPE_STORAGE_IMAGE)
         continue;
      VkBufferImageCopy regions[MAX_LEVELS];
      const uint32_t count = find_regions(resource->job, resources->offset + i * RESOURCE_SIZE, regions);
      vkCmdCopyImageToBuffer(gpu->commands, resource->image, VK_IMAGE_LAYOUT_GENERAL, resources->buffer, count,
                             regions);
   }
}
