/* SPDX-License-Identifier: MIT */
/*
 * The application's own debug-utils messengers, which hear of stops, and of what shaders print, as informational
 * messages. They are called from
 * the engine's thread, while the application may create and destroy some: so the layer keeps a list of its own rather
 * than submit messages down the chain, which may not be done at the same time.
 */
#include <stdlib.h>

#include "hooks.h"

struct layer_messenger {
   VkDebugUtilsMessengerEXT handle;
   VkDebugUtilsMessengerCreateInfoEXT info;
   struct layer_messenger *next;
};

static const VkDebugUtilsMessageSeverityFlagBitsEXT severity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
static const VkDebugUtilsMessageTypeFlagsEXT type = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;

static bool
is_concerned(const struct layer_messenger *messenger)
{
   return messenger->info.messageSeverity & severity && messenger->info.messageType & type;
}

static void
free_messenger(struct layer_messenger *messenger)
{
   if (is_concerned(messenger))
      layer_prints_listen(-1);
   free(messenger);
}

void
layer_messengers_init(struct layer_instance *instance)
{
   pthread_mutexattr_t attributes;
   pthread_mutexattr_init(&attributes);
   pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE); /* one may be destroyed in its own callback */
   pthread_mutex_init(&instance->messengers_lock, &attributes);
   pthread_mutexattr_destroy(&attributes);
}

void
layer_messengers_finish(struct layer_instance *instance)
{
   while (instance->messengers) {
      struct layer_messenger *next = instance->messengers->next;
      free_messenger(instance->messengers);
      instance->messengers = next;
   }
   pthread_mutex_destroy(&instance->messengers_lock);
}

void
layer_messengers_tell(struct layer_instance *instance, const char *id, const char *text)
{
   const VkDebugUtilsMessengerCallbackDataEXT data = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
      .pMessageIdName = id,
      .pMessage = text,
   };
   pthread_mutex_lock(&instance->messengers_lock);
   struct layer_messenger *messenger = instance->messengers, *next;
   for (; messenger; messenger = next) {
      next = messenger->next;
      if (is_concerned(messenger))
         messenger->info.pfnUserCallback(severity, type, &data, messenger->info.pUserData);
   }
   pthread_mutex_unlock(&instance->messengers_lock);
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateDebugUtilsMessengerEXT(VkInstance handle, const VkDebugUtilsMessengerCreateInfoEXT *info,
                                   const VkAllocationCallbacks *allocator, VkDebugUtilsMessengerEXT *messenger)
{
   struct layer_instance *instance = layer_instance_of(handle);
   VkResult result = instance->next.CreateDebugUtilsMessengerEXT(handle, info, allocator, messenger);
   struct layer_messenger *added = result == VK_SUCCESS && !layer_inert ? malloc(sizeof(*added)) : NULL;
   if (added) {
      pthread_mutex_lock(&instance->messengers_lock);
      *added = (struct layer_messenger){.handle = *messenger, .info = *info, .next = instance->messengers};
      added->info.pNext = NULL;
      instance->messengers = added;
      pthread_mutex_unlock(&instance->messengers_lock);
      if (is_concerned(added))
         layer_prints_listen(1);
   }
   return result;
}

VKAPI_ATTR void VKAPI_CALL
layer_DestroyDebugUtilsMessengerEXT(VkInstance handle, VkDebugUtilsMessengerEXT messenger,
                                    const VkAllocationCallbacks *allocator)
{
   struct layer_instance *instance = layer_instance_of(handle);
   if (messenger && !layer_inert) {
      pthread_mutex_lock(&instance->messengers_lock);
      struct layer_messenger **link = &instance->messengers, *gone;
      while (*link && (*link)->handle != messenger)
         link = &(*link)->next;
      gone = *link;
      if (gone) {
         *link = gone->next;
         free_messenger(gone);
      }
      pthread_mutex_unlock(&instance->messengers_lock);
   }
   instance->next.DestroyDebugUtilsMessengerEXT(handle, messenger, allocator);
}
