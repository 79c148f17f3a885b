/* SPDX-License-Identifier: MIT */
#include <X11/Xlib.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <wayland-client.h>
#include <xcb/xcb.h>

#include "window.h"
#include "xdg-shell.h"

#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>

#define MAX_IMAGES 8

struct window {
   const struct sample *sample;
   uint32_t edge;
   bool closed;

   xcb_connection_t *connection; /* X11 */
   xcb_window_t id;

   Display *xlib; /* the same by Xlib */

   struct wl_display *display; /* Wayland */
   struct wl_compositor *compositor;
   struct xdg_wm_base *shell;
   struct wl_surface *wl_surface;
   struct xdg_surface *xdg_surface;
   struct xdg_toplevel *toplevel;
   bool configured;

   VkSurfaceKHR surface;
   VkSwapchainKHR swapchain;
   VkImage images[MAX_IMAGES];
   uint32_t image; /* the one that comes next */
   VkFence acquired;
};

const char *
window_extension(enum window_system system)
{
   return system == WINDOW_X11    ? VK_KHR_XCB_SURFACE_EXTENSION_NAME
          : system == WINDOW_XLIB ? VK_KHR_XLIB_SURFACE_EXTENSION_NAME
                                  : VK_KHR_WAYLAND_SURFACE_EXTENSION_NAME;
}

/* ---- X11 ---- */

static void
create_x11(struct window *window)
{
   window->connection = xcb_connect(NULL, NULL);
   if (xcb_connection_has_error(window->connection))
      sample_fail(window->sample, "no X server%s", "");
   const xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(window->connection)).data;
   window->id = xcb_generate_id(window->connection);
   xcb_create_window(window->connection, XCB_COPY_FROM_PARENT, window->id, screen->root, 0, 0, (uint16_t)window->edge,
                     (uint16_t)window->edge, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, NULL);
   xcb_map_window(window->connection, window->id);
   xcb_flush(window->connection);
   VkXcbSurfaceCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
      .connection = window->connection,
      .window = window->id,
   };
   PFN_vkCreateXcbSurfaceKHR create =
      (PFN_vkCreateXcbSurfaceKHR)(void *)vkGetInstanceProcAddr(window->sample->instance, "vkCreateXcbSurfaceKHR");
   sample_check(window->sample, create(window->sample->instance, &info, NULL, &window->surface),
                "vkCreateXcbSurfaceKHR");
}

static void
handle_x11(struct window *window)
{
   xcb_generic_event_t *event;
   while ((event = xcb_poll_for_event(window->connection)))
      free(event);
   window->closed |= xcb_connection_has_error(window->connection);
}

static void
create_xlib(struct window *window)
{
   window->xlib = XOpenDisplay(NULL);
   if (!window->xlib)
      sample_fail(window->sample, "no X server%s", "");
   Window id =
      XCreateSimpleWindow(window->xlib, DefaultRootWindow(window->xlib), 0, 0, window->edge, window->edge, 0, 0, 0);
   XStoreName(window->xlib, id, window->sample->name);
   XMapWindow(window->xlib, id);
   XFlush(window->xlib);
   VkXlibSurfaceCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR,
      .dpy = window->xlib,
      .window = id,
   };
   PFN_vkCreateXlibSurfaceKHR create =
      (PFN_vkCreateXlibSurfaceKHR)(void *)vkGetInstanceProcAddr(window->sample->instance, "vkCreateXlibSurfaceKHR");
   sample_check(window->sample, create(window->sample->instance, &info, NULL, &window->surface),
                "vkCreateXlibSurfaceKHR");
}

static void
handle_xlib(struct window *window)
{
   XEvent event;
   while (XPending(window->xlib))
      XNextEvent(window->xlib, &event);
}

/* ---- Wayland ---- */

static void
on_ping(void *data, struct xdg_wm_base *shell, uint32_t serial)
{
   xdg_wm_base_pong(shell, serial);
}

static const struct xdg_wm_base_listener shell_listener = {.ping = on_ping};

static void
on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version)
{
   struct window *window = data;
   if (!strcmp(interface, wl_compositor_interface.name))
      window->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 1);
   else if (!strcmp(interface, xdg_wm_base_interface.name))
      window->shell = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
}

static void
on_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {.global = on_global, .global_remove = on_global_remove};

static void
on_configure(void *data, struct xdg_surface *surface, uint32_t serial)
{
   xdg_surface_ack_configure(surface, serial);
   ((struct window *)data)->configured = true;
}

static const struct xdg_surface_listener surface_listener = {.configure = on_configure};

static void
on_toplevel_configure(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height, struct wl_array *states)
{
}

static void
on_close(void *data, struct xdg_toplevel *toplevel)
{
   ((struct window *)data)->closed = true;
}

static const struct xdg_toplevel_listener toplevel_listener = {.configure = on_toplevel_configure, .close = on_close};

static void
create_wayland(struct window *window)
{
   window->display = wl_display_connect(NULL);
   if (!window->display)
      sample_fail(window->sample, "no Wayland compositor%s", "");
   struct wl_registry *registry = wl_display_get_registry(window->display);
   wl_registry_add_listener(registry, &registry_listener, window);
   wl_display_roundtrip(window->display);
   wl_registry_destroy(registry);
   if (!window->compositor || !window->shell)
      sample_fail(window->sample, "the compositor has no xdg_wm_base%s", "");
   xdg_wm_base_add_listener(window->shell, &shell_listener, window);
   window->wl_surface = wl_compositor_create_surface(window->compositor);
   window->xdg_surface = xdg_wm_base_get_xdg_surface(window->shell, window->wl_surface);
   xdg_surface_add_listener(window->xdg_surface, &surface_listener, window);
   window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
   xdg_toplevel_add_listener(window->toplevel, &toplevel_listener, window);
   xdg_toplevel_set_title(window->toplevel, window->sample->name);
   wl_surface_commit(window->wl_surface);
   while (!window->configured && wl_display_dispatch(window->display) >= 0)
      continue;
   VkWaylandSurfaceCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR,
      .display = window->display,
      .surface = window->wl_surface,
   };
   PFN_vkCreateWaylandSurfaceKHR create = (PFN_vkCreateWaylandSurfaceKHR)(void *)vkGetInstanceProcAddr(
      window->sample->instance, "vkCreateWaylandSurfaceKHR");
   sample_check(window->sample, create(window->sample->instance, &info, NULL, &window->surface),
                "vkCreateWaylandSurfaceKHR");
}

static void
handle_wayland(struct window *window)
{
   struct pollfd fd = {.fd = wl_display_get_fd(window->display), .events = POLLIN};
   while (wl_display_prepare_read(window->display) < 0)
      wl_display_dispatch_pending(window->display);
   wl_display_flush(window->display);
   if (poll(&fd, 1, 0) > 0)
      window->closed |= wl_display_read_events(window->display) < 0;
   else
      wl_display_cancel_read(window->display);
   window->closed |= wl_display_dispatch_pending(window->display) < 0;
}

static void
finish_wayland(struct window *window)
{
   xdg_toplevel_destroy(window->toplevel);
   xdg_surface_destroy(window->xdg_surface);
   wl_surface_destroy(window->wl_surface);
   xdg_wm_base_destroy(window->shell);
   wl_compositor_destroy(window->compositor);
   wl_display_disconnect(window->display);
}

/* ---- Vulkan ---- */

static void
create_swapchain(struct window *window)
{
   const struct sample *sample = window->sample;
   VkBool32 supported;
   VkSurfaceCapabilitiesKHR capabilities;
   SAMPLE_CALL(sample, vkGetPhysicalDeviceSurfaceSupportKHR, sample->physical_device, sample->queue_family,
               window->surface, &supported);
   if (!supported)
      sample_fail(sample, "the queue can't present to the window%s", "");
   SAMPLE_CALL(sample, vkGetPhysicalDeviceSurfaceCapabilitiesKHR, sample->physical_device, window->surface,
               &capabilities);
   uint32_t count = capabilities.minImageCount;
   VkSwapchainCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
      .surface = window->surface,
      .minImageCount = count < 3 && (capabilities.maxImageCount >= 3 || !capabilities.maxImageCount) ? 3 : count,
      .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
      .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
      .imageExtent = {window->edge, window->edge},
      .imageArrayLayers = 1,
      .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
      .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
      .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
      .presentMode = VK_PRESENT_MODE_FIFO_KHR,
   };
   SAMPLE_CALL(sample, vkCreateSwapchainKHR, sample->device, &info, NULL, &window->swapchain);
   count = MAX_IMAGES;
   SAMPLE_CALL(sample, vkGetSwapchainImagesKHR, sample->device, window->swapchain, &count, window->images);
}

struct window *
window_create(const struct sample *sample, enum window_system system, uint32_t edge)
{
   struct window *window = calloc(1, sizeof(*window));
   if (!window)
      sample_fail(sample, "out of memory%s", "");
   window->sample = sample;
   window->edge = edge;
   if (system == WINDOW_X11)
      create_x11(window);
   else if (system == WINDOW_XLIB)
      create_xlib(window);
   else
      create_wayland(window);
   create_swapchain(window);
   VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   SAMPLE_CALL(sample, vkCreateFence, sample->device, &fence_info, NULL, &window->acquired);
   return window;
}

void
window_destroy(struct window *window)
{
   const struct sample *sample = window->sample;
   vkDeviceWaitIdle(sample->device);
   vkDestroyFence(sample->device, window->acquired, NULL);
   vkDestroySwapchainKHR(sample->device, window->swapchain, NULL);
   vkDestroySurfaceKHR(sample->instance, window->surface, NULL);
   if (window->display)
      finish_wayland(window);
   else if (window->xlib)
      XCloseDisplay(window->xlib);
   else
      xcb_disconnect(window->connection);
   free(window);
}

static void
change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
   VkImageMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .oldLayout = from,
      .newLayout = to,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = image,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
   };
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                        NULL, 1, &barrier);
}

void
window_copy(struct window *window, VkCommandBuffer commands, const struct sample_buffer *pixels)
{
   const struct sample *sample = window->sample;
   VkResult result = vkAcquireNextImageKHR(sample->device, window->swapchain, UINT64_MAX, VK_NULL_HANDLE,
                                           window->acquired, &window->image);
   if (result != VK_SUBOPTIMAL_KHR)
      sample_check(sample, result, "vkAcquireNextImageKHR");
   SAMPLE_CALL(sample, vkWaitForFences, sample->device, 1, &window->acquired, VK_TRUE, UINT64_MAX);
   SAMPLE_CALL(sample, vkResetFences, sample->device, 1, &window->acquired);
   VkImage image = window->images[window->image];
   VkBufferImageCopy region = {
      .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
      .imageExtent = {window->edge, window->edge, 1},
   };
   change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
   vkCmdCopyBufferToImage(commands, pixels->buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
   change_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

bool
window_present(struct window *window)
{
   VkPresentInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
      .swapchainCount = 1,
      .pSwapchains = &window->swapchain,
      .pImageIndices = &window->image,
   };
   VkResult result = vkQueuePresentKHR(window->sample->queue, &info);
   if (result != VK_SUBOPTIMAL_KHR)
      sample_check(window->sample, result, "vkQueuePresentKHR");
   if (window->display)
      handle_wayland(window);
   else if (window->xlib)
      handle_xlib(window);
   else
      handle_x11(window);
   return !window->closed;
}
