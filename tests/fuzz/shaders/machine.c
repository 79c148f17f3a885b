/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include "hdb/hdb_driver.h"

#define INSTANCE_FUNCTIONS(X)           \
   X(CreateDevice)                      \
   X(EnumeratePhysicalDevices)          \
   X(GetDeviceProcAddr)                 \
   X(GetPhysicalDeviceFeatures2)        \
   X(GetPhysicalDeviceMemoryProperties) \
   X(GetPhysicalDeviceProperties2)

#define DEVICE_FUNCTIONS(X)       \
   X(AllocateCommandBuffers)      \
   X(AllocateDescriptorSets)      \
   X(AllocateMemory)              \
   X(BeginCommandBuffer)          \
   X(BindBufferMemory)            \
   X(CmdBindDescriptorSets)       \
   X(CmdBindPipeline)             \
   X(CmdDispatch)                 \
   X(CmdPushConstants)            \
   X(CreateBuffer)                \
   X(CreateCommandPool)           \
   X(CreateComputePipelines)      \
   X(CreateDescriptorPool)        \
   X(CreateDescriptorSetLayout)   \
   X(CreatePipelineLayout)        \
   X(CreateShaderModule)          \
   X(DestroyPipeline)             \
   X(DestroyShaderModule)         \
   X(EndCommandBuffer)            \
   X(GetBufferMemoryRequirements) \
   X(GetDeviceQueue)              \
   X(MapMemory)                   \
   X(QueueSubmit)                 \
   X(QueueWaitIdle)               \
   X(UpdateDescriptorSets)

struct machine {
   VkInstance instance;
   VkPhysicalDevice physical_device;
   VkDevice device;
   VkQueue queue;
   uint32_t min_wave_size, max_wave_size;
   VkPipelineLayout layout;
   VkDescriptorSet set;
   VkCommandBuffer commands;
   VkBuffer buffer;
   uint8_t *memory;
   struct hdb_driver *hdb;
#define X(name) PFN_vk##name name;
   INSTANCE_FUNCTIONS(X)
   DEVICE_FUNCTIONS(X)
#undef X
};

/* For what must not fail while the machine is made. */
#define TRY(call)                                     \
   do {                                               \
      const VkResult try_result = (call);             \
      if (try_result != VK_SUCCESS) {                 \
         fprintf(stderr, #call ": %d\n", try_result); \
         return false;                                \
      }                                               \
   } while (0)

static bool
open_instance(struct machine *machine, const char *path)
{
   void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
   if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return false;
   }
   VkResult (*negotiate)(uint32_t *) =
      (VkResult(*)(uint32_t *))dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
   PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
   uint32_t version = 5;
   if (!negotiate || !get || negotiate(&version) != VK_SUCCESS) {
      fprintf(stderr, "%s: not a Vulkan driver\n", path);
      return false;
   }
   const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pApplicationInfo =
         &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3},
   };
   PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
   TRY(create(&info, NULL, &machine->instance));
#define X(name) machine->name = (PFN_vk##name)get(machine->instance, "vk" #name);
   INSTANCE_FUNCTIONS(X)
#undef X
   uint32_t count = 1;
   VkResult result = machine->EnumeratePhysicalDevices(machine->instance, &count, &machine->physical_device);
   if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || !count) {
      fprintf(stderr, "%s: no device\n", path);
      return false;
   }
   return true;
}

static void
ignore_shader(void *user, const struct hdb_shader *shader)
{
}

static bool
open_device(struct machine *machine, bool debug)
{
   VkPhysicalDeviceSubgroupSizeControlProperties waves = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
   VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                              .pNext = &waves};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
   machine->GetPhysicalDeviceProperties2(machine->physical_device, &properties);
   machine->min_wave_size = waves.minSubgroupSize;
   machine->max_wave_size = waves.maxSubgroupSize;

   VkPhysicalDeviceVulkan13Features vulkan13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
   VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .pNext = &vulkan13};
   VkPhysicalDeviceVulkan11Features vulkan11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                .pNext = &vulkan12};
   VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vulkan11};
   machine->GetPhysicalDeviceFeatures2(machine->physical_device, &features);
   features.features.robustBufferAccess = false;

   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .flags = debug ? HDB_DRIVER_COMPILE_DEBUG : 0,
      .shader_created = ignore_shader,
      .shader_destroyed = ignore_shader,
      .driver = &machine->hdb,
   };
   if (strstr(driver.driverInfo, HDB_DRIVER_INFO_MARK))
      vulkan13.pNext = (void *)&link;
   const float priority = 1.0f;
   const VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueCount = 1,
      .pQueuePriorities = &priority,
   };
   const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &features,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue,
   };
   TRY(machine->CreateDevice(machine->physical_device, &info, NULL, &machine->device));
#define X(name) machine->name = (PFN_vk##name)machine->GetDeviceProcAddr(machine->device, "vk" #name);
   DEVICE_FUNCTIONS(X)
#undef X
   machine->GetDeviceQueue(machine->device, 0, 0, &machine->queue);
   const VkCommandPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
   };
   VkCommandPool pool;
   TRY(machine->CreateCommandPool(machine->device, &pool_info, NULL, &pool));
   const VkCommandBufferAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1,
   };
   TRY(machine->AllocateCommandBuffers(machine->device, &allocate, &machine->commands));
   return true;
}

static bool
create_memory(struct machine *machine)
{
   const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = MACHINE_MEMORY_SIZE,
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
   };
   TRY(machine->CreateBuffer(machine->device, &info, NULL, &machine->buffer));
   VkMemoryRequirements requirements;
   machine->GetBufferMemoryRequirements(machine->device, machine->buffer, &requirements);
   VkPhysicalDeviceMemoryProperties properties;
   machine->GetPhysicalDeviceMemoryProperties(machine->physical_device, &properties);
   const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
   uint32_t type = 0;
   while ((properties.memoryTypes[type].propertyFlags & wanted) != wanted || !(requirements.memoryTypeBits >> type & 1))
      type++;
   const VkMemoryAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .allocationSize = requirements.size,
      .memoryTypeIndex = type,
   };
   VkDeviceMemory memory;
   TRY(machine->AllocateMemory(machine->device, &allocate, NULL, &memory));
   TRY(machine->BindBufferMemory(machine->device, machine->buffer, memory, 0));
   TRY(machine->MapMemory(machine->device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&machine->memory));
   return true;
}

static const struct {
   VkDescriptorType type;
   uint32_t size;
} bindings[MACHINE_BINDINGS] = {
   {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MACHINE_INPUT_SIZE},
   {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MACHINE_OUTPUT_SIZE},
   {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MACHINE_UNIFORM_SIZE},
   {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MACHINE_ATOMIC_SIZE},
};

static bool
create_set(struct machine *machine)
{
   VkDescriptorSetLayoutBinding layouts[MACHINE_BINDINGS];
   for (uint32_t i = 0; i < MACHINE_BINDINGS; i++) {
      layouts[i] = (VkDescriptorSetLayoutBinding){
         .binding = i,
         .descriptorType = bindings[i].type,
         .descriptorCount = 1,
         .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
      };
   }
   const VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = MACHINE_BINDINGS,
      .pBindings = layouts,
   };
   VkDescriptorSetLayout set_layout;
   TRY(machine->CreateDescriptorSetLayout(machine->device, &set_info, NULL, &set_layout));
   const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, MACHINE_PUSH_SIZE};
   const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 1,
      .pSetLayouts = &set_layout,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push,
   };
   TRY(machine->CreatePipelineLayout(machine->device, &layout_info, NULL, &machine->layout));

   const VkDescriptorPoolSize sizes[2] = {
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MACHINE_BINDINGS},
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MACHINE_BINDINGS},
   };
   const VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = 1,
      .poolSizeCount = 2,
      .pPoolSizes = sizes,
   };
   VkDescriptorPool pool;
   TRY(machine->CreateDescriptorPool(machine->device, &pool_info, NULL, &pool));
   const VkDescriptorSetAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = pool,
      .descriptorSetCount = 1,
      .pSetLayouts = &set_layout,
   };
   TRY(machine->AllocateDescriptorSets(machine->device, &allocate, &machine->set));
   VkDeviceSize offset = 0;
   for (uint32_t i = 0; i < MACHINE_BINDINGS; offset += bindings[i++].size) {
      const VkDescriptorBufferInfo range = {machine->buffer, offset, bindings[i].size};
      const VkWriteDescriptorSet write = {
         .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstSet = machine->set,
         .dstBinding = i,
         .descriptorCount = 1,
         .descriptorType = bindings[i].type,
         .pBufferInfo = &range,
      };
      machine->UpdateDescriptorSets(machine->device, 1, &write, 0, NULL);
   }
   return true;
}

struct machine *
machine_create(const char *driver, bool debug)
{
   struct machine *machine = calloc(1, sizeof(*machine));
   if (machine && open_instance(machine, driver) && open_device(machine, debug) && create_memory(machine) &&
       create_set(machine))
      return machine;
   free(machine); /* the caller ends: the driver's own objects go with the process */
   return NULL;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t
random_word(uint64_t *state)
{
   uint64_t z = (*state += 0x9e3779b97f4a7c15);
   z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
   z = (z ^ z >> 27) * 0x94d049bb133111eb;
   return z ^ z >> 31;
}

static VkResult
create_pipeline(struct machine *machine, const struct job *job, const uint32_t *words, size_t word_count,
                VkPipeline *pipeline)
{
   const VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = word_count * sizeof(*words),
      .pCode = words,
   };
   VkShaderModule module;
   VkResult result = machine->CreateShaderModule(machine->device, &module_info, NULL, &module);
   if (result != VK_SUCCESS)
      return result;

   VkSpecializationMapEntry entries[JOB_MAX_CONSTANTS];
   uint64_t values[JOB_MAX_CONSTANTS];
   for (uint32_t i = 0; i < job->constant_count; i++) {
      const struct job_constant *constant = &job->constants[i];
      entries[i] = (VkSpecializationMapEntry){constant->id, i * sizeof(values[0]), constant->size};
      values[i] = constant->bits;
   }
   const VkSpecializationInfo constants = {
      .mapEntryCount = job->constant_count,
      .pMapEntries = entries,
      .dataSize = job->constant_count * sizeof(values[0]),
      .pData = values,
   };
   const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo wave_size = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = job->wave_size,
   };
   const bool choose = job->wave_size >= machine->min_wave_size && job->wave_size <= machine->max_wave_size;
   const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage =
         {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .pNext = choose ? &wave_size : NULL,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
            .pSpecializationInfo = &constants,
         },
      .layout = machine->layout,
   };
   result = machine->CreateComputePipelines(machine->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
   machine->DestroyShaderModule(machine->device, module, NULL);
   return result;
}

const char *
machine_run(struct machine *machine, const struct job *job, const uint32_t *words, size_t word_count,
            const uint8_t **memory)
{
   VkPipeline pipeline;
   if (create_pipeline(machine, job, words, word_count, &pipeline) != VK_SUCCESS)
      return "the pipeline is not created";

   uint64_t state = job->seed, push[MACHINE_PUSH_SIZE / 8];
   for (uint32_t i = 0; i < MACHINE_PUSH_SIZE / 8; i++)
      push[i] = random_word(&state);
   for (uint32_t i = 0; i < MACHINE_MEMORY_SIZE / 8; i++)
      ((uint64_t *)machine->memory)[i] = random_word(&state);

   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   machine->BeginCommandBuffer(machine->commands, &begin);
   machine->CmdBindPipeline(machine->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   machine->CmdBindDescriptorSets(machine->commands, VK_PIPELINE_BIND_POINT_COMPUTE, machine->layout, 0, 1,
                                  &machine->set, 0, NULL);
   machine->CmdPushConstants(machine->commands, machine->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
   machine->CmdDispatch(machine->commands, job->groups[0], job->groups[1], job->groups[2]);
   VkResult result = machine->EndCommandBuffer(machine->commands);
   const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &machine->commands,
   };
   if (result == VK_SUCCESS)
      result = machine->QueueSubmit(machine->queue, 1, &submit, VK_NULL_HANDLE);
   if (result == VK_SUCCESS)
      result = machine->QueueWaitIdle(machine->queue);
   machine->DestroyPipeline(machine->device, pipeline, NULL);
   *memory = machine->memory;
   return result == VK_SUCCESS ? NULL : result == VK_ERROR_DEVICE_LOST ? "the device is lost" : "does not run";
}
