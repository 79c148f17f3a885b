/* SPDX-License-Identifier: MIT */
/* Hooks: the surfaces of windows, whose connections are where keys are seen. */
#include <X11/Xlib.h>
#include <dlfcn.h>
#include <wayland-client-core.h>
#include <xcb/xcb.h>

#include "hooks.h"

#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateXcbSurfaceKHR(VkInstance handle, const VkXcbSurfaceCreateInfoKHR *info,
                          const VkAllocationCallbacks *allocator, VkSurfaceKHR *surface)
{
   struct layer_instance *instance = layer_instance_of(handle);
   PFN_vkCreateXcbSurfaceKHR create = (PFN_vkCreateXcbSurfaceKHR)instance->next.CreateXcbSurfaceKHR;
   VkResult result = create(handle, info, allocator, surface);
   if (result == VK_SUCCESS) {
      layer_frames_expect(LAYER_FRAME_PRESENT);
      layer_keys_add_xcb(*surface, info->connection, info->window);
   }
   return result;
}

/* Underneath it is an XCB connection. Who uses Xlib for Vulkan has this library: the drivers need it, too. */
static xcb_connection_t *
xcb_connection_of(Display *display)
{
   void *library = dlopen("libX11-xcb.so.1", RTLD_LAZY | RTLD_LOCAL);
   xcb_connection_t *(*get)(Display *) =
      library ? (xcb_connection_t * (*)(Display *)) dlsym(library, "XGetXCBConnection") : NULL;
   return get ? get(display) : NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateXlibSurfaceKHR(VkInstance handle, const VkXlibSurfaceCreateInfoKHR *info,
                           const VkAllocationCallbacks *allocator, VkSurfaceKHR *surface)
{
   struct layer_instance *instance = layer_instance_of(handle);
   PFN_vkCreateXlibSurfaceKHR create = (PFN_vkCreateXlibSurfaceKHR)instance->next.CreateXlibSurfaceKHR;
   VkResult result = create(handle, info, allocator, surface);
   if (result == VK_SUCCESS) {
      xcb_connection_t *connection = xcb_connection_of(info->dpy);
      layer_frames_expect(LAYER_FRAME_PRESENT);
      if (connection)
         layer_keys_add_xcb(*surface, connection, (uint32_t)info->window);
   }
   return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateWaylandSurfaceKHR(VkInstance handle, const VkWaylandSurfaceCreateInfoKHR *info,
                              const VkAllocationCallbacks *allocator, VkSurfaceKHR *surface)
{
   struct layer_instance *instance = layer_instance_of(handle);
   PFN_vkCreateWaylandSurfaceKHR create = (PFN_vkCreateWaylandSurfaceKHR)instance->next.CreateWaylandSurfaceKHR;
   VkResult result = create(handle, info, allocator, surface);
   if (result == VK_SUCCESS) {
      layer_frames_expect(LAYER_FRAME_PRESENT);
      layer_keys_add_wayland(*surface, info->display);
   }
   return result;
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroySurfaceKHR(VkInstance handle, VkSurfaceKHR surface, const VkAllocationCallbacks *allocator)
{
   struct layer_instance *instance = layer_instance_of(handle);
   if (surface)
      layer_keys_remove(surface);
   instance->next.DestroySurfaceKHR(handle, surface, allocator);
}
