/* SPDX-License-Identifier: MIT */
/* vkCmdResolveImage, and the resolves that end a rendering: colours, depths and stencils. */
#include "fill.h"
#include "operation.h"

static struct shape
resolved(const struct shape *shape)
{
   struct shape single = *shape;
   single.samples = 1;
   return single;
}

static VkImageUsageFlags
single_usage(VkImageUsageFlags attachment)
{
   return attachment | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
}

/* ---- colours, by command ---- */

/* Samples that differ come from a shader; where it cannot store, all of a layer are alike. */
static const VkImageUsageFlags multi_usage =
   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;

static bool
can_fill(const struct side *side, const struct format *format, const struct shape *shape)
{
   return image_supported(side, format, shape, multi_usage | VK_IMAGE_USAGE_STORAGE_BIT,
                          VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT);
}

static bool
supported(const struct side *side, const struct format *format, const struct shape *shape)
{
   const struct shape single = resolved(shape);
   return shape->samples > 1 && format->aspect == VK_IMAGE_ASPECT_COLOR_BIT &&
          image_supported(side, format, shape, multi_usage, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) &&
          image_supported(side, format, &single, single_usage(VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT),
                          VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
}

static void
fill_samples(struct side *side, const struct image *image, struct fill *fill, bool by_shader)
{
   if (by_shader) {
      fill_record(side, fill, image);
      return;
   }
   for (uint32_t layer = 0; layer < image->shape.layers; layer++) {
      const VkClearColorValue color = clear_color(image->format, layer);
      const VkImageSubresourceRange range = image_range(image, 0, 1, layer, 1);
      vkCmdClearColorImage(side->gpu.commands, image->image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range);
   }
   gpu_barrier(side->gpu.commands);
}

static void
resolve(struct side *side, const struct image *from, const struct image *to)
{
   const VkImageResolve regions[] = {
      {
         .srcSubresource = image_layers(from, 0, 0, 1),
         .dstSubresource = image_layers(to, 0, 0, 1),
         .extent = from->shape.size,
      },
      {
         .srcSubresource = image_layers(from, 0, 0, 1),
         .srcOffset = {3, 1, 0},
         .dstSubresource = image_layers(to, 0, to->shape.layers - 1, 1),
         .dstOffset = {5, 4, 0},
         .extent = {9, 7, 1},
      },
   };
   for (unsigned i = 0; i < 2; i++) {
      vkCmdResolveImage(side->gpu.commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                        &regions[i]);
      gpu_barrier(side->gpu.commands);
   }
}

/* Multisampled images can be copied, too. */
static void
copy(struct side *side, const struct image *from, const struct image *to)
{
   const VkImageCopy region = {
      .srcSubresource = image_layers(from, 0, 0, from->shape.layers),
      .dstSubresource = image_layers(to, 0, 0, from->shape.layers),
      .extent = from->shape.size,
   };
   vkCmdCopyImage(side->gpu.commands, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                  &region);
   gpu_barrier(side->gpu.commands);
}

static void
run(struct side *side, const struct format *format, const struct shape *shape)
{
   const struct shape single = resolved(shape);
   const bool by_shader =
      format->numbers == NUMBERS_FLOAT && can_fill(side, format, shape) && can_fill(side->peer, format, shape);
   struct image from, copied, to;
   struct fill fill;
   gpu_begin(&side->gpu);
   image_init(side, &from, format, shape, multi_usage | (by_shader ? VK_IMAGE_USAGE_STORAGE_BIT : 0));
   image_init(side, &copied, format, shape, multi_usage);
   image_init(side, &to, format, &single, single_usage(0));
   image_upload(side, &to, 0);
   fill_samples(side, &from, &fill, by_shader);
   copy(side, &from, &copied);
   resolve(side, &copied, &to);
   image_download(side, &to);
   gpu_submit(&side->gpu, side->gpu.commands);
   if (by_shader)
      fill_finish(side, &fill);
   image_finish(side, &from);
   image_finish(side, &copied);
   image_finish(side, &to);
}

const struct operation resolve_operation = {
   .name = "resolve", .graphics = true, .filters = true, .supported = supported, .run = run};

/* ---- at the end of a rendering ---- */

static VkImageUsageFlags
attachment_of(const struct format *format)
{
   return format->aspect & VK_IMAGE_ASPECT_COLOR_BIT ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                                     : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
}

static bool
render_supported(const struct side *side, const struct format *format, const struct shape *shape)
{
   const VkFormatFeatureFlags features = format->aspect & VK_IMAGE_ASPECT_COLOR_BIT
                                            ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT
                                            : VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT;
   const struct shape single = resolved(shape);
   return shape->samples > 1 && image_supported(side, format, shape, attachment_of(format), features) &&
          image_supported(side, format, &single, single_usage(attachment_of(format)), features);
}

/* Floats are averaged, of others the first sample is taken. */
static VkResolveModeFlagBits
mode_of(const struct format *format)
{
   const bool averages = format->aspect == VK_IMAGE_ASPECT_COLOR_BIT && format->numbers == NUMBERS_FLOAT;
   return averages ? VK_RESOLVE_MODE_AVERAGE_BIT : VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
}

static void
render(struct side *side, const struct image *image, VkImageView from, VkImageView to)
{
   const struct shape *shape = &image->shape;
   const VkImageAspectFlags aspect = image->format->aspect;
   const VkRenderingAttachmentInfo attachment = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = from,
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      .resolveMode = mode_of(image->format),
      .resolveImageView = to,
      .resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL,
      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
      .clearValue = clear_value(image->format, 2),
   };
   const VkRenderingInfo rendering = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
      .renderArea = {{0, 0}, {shape->size.width, shape->size.height}},
      .layerCount = shape->layers,
      .colorAttachmentCount = !!(aspect & VK_IMAGE_ASPECT_COLOR_BIT),
      .pColorAttachments = &attachment,
      .pDepthAttachment = aspect & VK_IMAGE_ASPECT_DEPTH_BIT ? &attachment : NULL,
      .pStencilAttachment = aspect & VK_IMAGE_ASPECT_STENCIL_BIT ? &attachment : NULL,
   };
   const VkClearAttachment clear = {.aspectMask = aspect, .clearValue = clear_value(image->format, 1)};
   const VkClearRect rect = {{{2, 3}, {11, 5}}, 0, shape->layers};
   vkCmdBeginRendering(side->gpu.commands, &rendering);
   vkCmdClearAttachments(side->gpu.commands, 1, &clear, 1, &rect);
   vkCmdEndRendering(side->gpu.commands);
   gpu_barrier(side->gpu.commands);
}

static void
render_run(struct side *side, const struct format *format, const struct shape *shape)
{
   const struct shape single = resolved(shape);
   struct image from, to;
   gpu_begin(&side->gpu);
   image_init(side, &from, format, shape, attachment_of(format));
   image_init(side, &to, format, &single, single_usage(attachment_of(format)));
   image_upload(side, &to, 0);
   const VkImageView from_view = image_view(side, &from, 0, 0, shape->layers);
   const VkImageView to_view = image_view(side, &to, 0, 0, shape->layers);
   render(side, &from, from_view, to_view);
   image_download(side, &to);
   gpu_submit(&side->gpu, side->gpu.commands);
   vkDestroyImageView(side->gpu.device, from_view, NULL);
   vkDestroyImageView(side->gpu.device, to_view, NULL);
   image_finish(side, &from);
   image_finish(side, &to);
}

const struct operation render_resolve_operation = {
   .name = "resolve in a rendering", .graphics = true, .supported = render_supported, .run = render_run};
