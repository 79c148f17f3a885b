/* SPDX-License-Identifier: MIT */
/* vkCmdClearColorImage and vkCmdClearDepthStencilImage; and as a rendering does it: when it begins, and within. */
#include <string.h>

#include "operation.h"

/* ---- colours ---- */

VkClearColorValue
clear_color(const struct format *format, unsigned variant)
{
   static const VkClearColorValue floats[] = {{{1, 0, 1, 1}}, {{0, 1, 0.5f, 0}}, {{0.25f, 0.75f, 1, 1}}};
   static const VkClearColorValue integers[] = {
      {.uint32 = {1, 2, 3, 1}}, {.uint32 = {0, 7, 5, 0}}, {.uint32 = {6, 0, 1, 1}}};
   return format->numbers == NUMBERS_FLOAT ? floats[variant] : integers[variant];
}

VkClearValue
clear_value(const struct format *format, unsigned variant)
{
   static const VkClearDepthStencilValue depths[] = {{1, 200}, {0, 3}, {0.25f, 255}};
   return format->aspect & VK_IMAGE_ASPECT_COLOR_BIT ? (VkClearValue){.color = clear_color(format, variant)}
                                                     : (VkClearValue){.depthStencil = depths[variant]};
}

/* ---- clear commands ---- */

static bool
supported(const struct side *side, const struct format *format, const struct shape *shape)
{
   const bool is_block = format->width > 1 || strstr(format->name, "X6") || strstr(format->name, "X4");
   return !is_block && shape->samples == 1 && (side->graphics || format->aspect == VK_IMAGE_ASPECT_COLOR_BIT) &&
          image_supported(side, format, shape, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                          VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT);
}

static void
clear(struct side *side, const struct image *image, unsigned variant, VkImageSubresourceRange range)
{
   const VkClearValue value = clear_value(image->format, variant);
   if (image->format->aspect & VK_IMAGE_ASPECT_COLOR_BIT)
      vkCmdClearColorImage(side->gpu.commands, image->image, VK_IMAGE_LAYOUT_GENERAL, &value.color, 1, &range);
   else
      vkCmdClearDepthStencilImage(side->gpu.commands, image->image, VK_IMAGE_LAYOUT_GENERAL, &value.depthStencil, 1,
                                  &range);
   gpu_barrier(side->gpu.commands);
}

static void
run(struct side *side, const struct format *format, const struct shape *shape)
{
   struct image image;
   gpu_begin(&side->gpu);
   image_init(side, &image, format, shape, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
   image_upload(side, &image, 0);
   clear(side, &image, 0, image_range(&image, 0, 1, shape->layers - 1, 1));
   if (shape->levels > 2)
      clear(side, &image, 1, image_range(&image, 2, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS));
   if (format->aspect == (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) {
      clear(side, &image, 1, (VkImageSubresourceRange){VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1});
      clear(side, &image, 2, (VkImageSubresourceRange){VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1});
   }
   image_download(side, &image);
   gpu_submit(&side->gpu, side->gpu.commands);
   image_finish(side, &image);
}

const struct operation clear_operation = {.name = "clear", .supported = supported, .run = run};

/* ---- renderings ---- */

static VkImageUsageFlags
attachment_usage(const struct format *format)
{
   return VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
          (format->aspect & VK_IMAGE_ASPECT_COLOR_BIT ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                                      : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
}

static bool
render_supported(const struct side *side, const struct format *format, const struct shape *shape)
{
   const bool is_color = format->aspect & VK_IMAGE_ASPECT_COLOR_BIT;
   return shape->type == VK_IMAGE_TYPE_2D && shape->samples == 1 && shape->tiling == VK_IMAGE_TILING_OPTIMAL &&
          image_supported(side, format, shape, attachment_usage(format),
                          is_color ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT
                                   : VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT);
}

static void
clear_attachment(struct side *side, const struct image *image, VkRect2D area, uint32_t layers)
{
   const VkClearAttachment attachment = {.aspectMask = image->format->aspect,
                                         .clearValue = clear_value(image->format, 1)};
   const VkClearRect rects[] = {
      {{{area.offset.x + 1, area.offset.y + 2}, {3, 2}}, 0, layers},
      {{{area.offset.x + 2, area.offset.y + 3}, {2, 3}}, layers - 1, 1},
   };
   vkCmdClearAttachments(side->gpu.commands, 1, &attachment, 2, rects);
}

/* The layers from `first` on, or those of the mask. */
static void
render(struct side *side, const struct image *image, VkImageView view, VkRect2D area, unsigned variant, uint32_t layers,
       uint32_t view_mask)
{
   const bool is_color = image->format->aspect & VK_IMAGE_ASPECT_COLOR_BIT;
   const VkRenderingAttachmentInfo attachment = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = view,
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .clearValue = clear_value(image->format, variant),
   };
   const VkRenderingInfo rendering = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
      .renderArea = area,
      .layerCount = layers,
      .viewMask = view_mask,
      .colorAttachmentCount = is_color,
      .pColorAttachments = &attachment,
      .pDepthAttachment = image->format->aspect & VK_IMAGE_ASPECT_DEPTH_BIT ? &attachment : NULL,
      .pStencilAttachment = image->format->aspect & VK_IMAGE_ASPECT_STENCIL_BIT ? &attachment : NULL,
   };
   vkCmdBeginRendering(side->gpu.commands, &rendering);
   clear_attachment(side, image, area, layers); /* with a mask: of each of its views */
   vkCmdEndRendering(side->gpu.commands);
   gpu_barrier(side->gpu.commands);
}

static void
render_run(struct side *side, const struct format *format, const struct shape *shape)
{
   struct image image;
   gpu_begin(&side->gpu);
   image_init(side, &image, format, shape, attachment_usage(format));
   image_upload(side, &image, 0);
   const uint32_t layers = shape->layers, first = layers > 1;
   const VkImageView part = image_view(side, &image, 0, first, layers - first);
   const VkImageView all = image_view(side, &image, shape->levels > 1, 0, layers);
   render(side, &image, part, (VkRect2D){{3, 2}, {10, 9}}, 0, layers - first, 0);
   if (layers > 2)
      render(side, &image, all, (VkRect2D){{0, 0}, {7, 7}}, 2, 1, 5);
   image_download(side, &image);
   gpu_submit(&side->gpu, side->gpu.commands);
   vkDestroyImageView(side->gpu.device, part, NULL);
   vkDestroyImageView(side->gpu.device, all, NULL);
   image_finish(side, &image);
}

const struct operation render_clear_operation = {
   .name = "clear in a rendering", .graphics = true, .supported = render_supported, .run = render_run};
