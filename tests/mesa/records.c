/* SPDX-License-Identifier: MIT */
/*
 * What the fork records of dispatches, on the virtual GPU. Nothing is submitted.
 *
 * usage: records saxpy.spv raygen.spv
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver.h"

enum { GENERAL, COMPUTE }; /* RADV's queue families */

struct session {
   struct driver driver;
   struct hdb_driver *hdb;
   VkDevice device;
   struct pipeline_layout layout;
   VkPipeline pipeline;
   VkDescriptorPool descriptor_pool;
   VkDescriptorSet sets[2];
   VkCommandPool pools[2];
   VkBuffer buffer;
   VkDeviceMemory memory;
   const struct hdb_shader *shader;          /* the application's last */
   const struct hdb_shader *internal_shader; /* the driver's last */
};

static struct session session;
static const char *raygen_path;

static void
shader_created(void *user, const struct hdb_shader *shader)
{
   if (shader->flags & HDB_SHADER_INTERNAL)
      session.internal_shader = shader;
   else
      session.shader = shader;
}

static void
shader_destroyed(void *user, const struct hdb_shader *shader)
{
}

static void
create_descriptor_sets(void)
{
   const VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4},
      {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 2},
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
   };
   const VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = 2,
      .poolSizeCount = 3,
      .pPoolSizes = sizes,
   };
   assert_int_equal(session.driver.CreateDescriptorPool(session.device, &pool_info, NULL, &session.descriptor_pool),
                    VK_SUCCESS);
   const VkDescriptorSetAllocateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = session.descriptor_pool,
      .descriptorSetCount = 2,
      .pSetLayouts = session.layout.sets,
   };
   assert_int_equal(session.driver.AllocateDescriptorSets(session.device, &set_info, session.sets), VK_SUCCESS);
}

static void
create_buffer(void)
{
   const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = 65536,
      .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
   };
   assert_int_equal(session.driver.CreateBuffer(session.device, &info, NULL, &session.buffer), VK_SUCCESS);
   VkMemoryRequirements requirements;
   session.driver.GetBufferMemoryRequirements(session.device, session.buffer, &requirements);
   const VkMemoryAllocateInfo memory_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .allocationSize = requirements.size,
      .memoryTypeIndex = 0, /* VRAM */
   };
   assert_int_equal(session.driver.AllocateMemory(session.device, &memory_info, NULL, &session.memory), VK_SUCCESS);
   assert_int_equal(session.driver.BindBufferMemory(session.device, session.buffer, session.memory, 0), VK_SUCCESS);
}

static int
session_open(const char *saxpy_path)
{
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .shader_created = shader_created,
      .shader_destroyed = shader_destroyed,
      .driver = &session.hdb,
   };
   driver_open(&session.driver, driver_fork_path());
   session.device = driver_create_device(&session.driver, &link);
   session.layout = driver_create_layout(&session.driver, session.device);

   struct spirv spirv = spirv_load(saxpy_path);
   session.pipeline = driver_create_pipeline(&session.driver, session.device, session.layout.layout, &spirv,
                                             &(struct pipeline_options){.wave_size = 64});
   spirv_free(&spirv);

   for (uint32_t family = 0; family < 2; family++) {
      const VkCommandPoolCreateInfo info = {
         .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
         .queueFamilyIndex = family,
      };
      if (session.driver.CreateCommandPool(session.device, &info, NULL, &session.pools[family]) != VK_SUCCESS)
         return -1;
   }
   return session.hdb ? 0 : -1;
}

static void
session_close(void)
{
   struct driver *driver = &session.driver;
   driver->DestroyBuffer(session.device, session.buffer, NULL);
   driver->FreeMemory(session.device, session.memory, NULL);
   driver->DestroyCommandPool(session.device, session.pools[GENERAL], NULL);
   driver->DestroyCommandPool(session.device, session.pools[COMPUTE], NULL);
   driver->DestroyDescriptorPool(session.device, session.descriptor_pool, NULL);
   driver->DestroyPipeline(session.device, session.pipeline, NULL);
   driver_destroy_layout(driver, session.device, &session.layout);
   driver->DestroyDevice(session.device, NULL);
   driver_close(driver);
}

static VkCommandBuffer
begin(uint32_t family, VkCommandBufferLevel level)
{
   const VkCommandBufferAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = session.pools[family],
      .level = level,
      .commandBufferCount = 1,
   };
   VkCommandBuffer commands;
   assert_int_equal(session.driver.AllocateCommandBuffers(session.device, &info, &commands), VK_SUCCESS);

   const VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
   const VkCommandBufferBeginInfo begin_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
      .pInheritanceInfo = level == VK_COMMAND_BUFFER_LEVEL_SECONDARY ? &inheritance : NULL,
   };
   assert_int_equal(session.driver.BeginCommandBuffer(commands, &begin_info), VK_SUCCESS);
   return commands;
}

static void
bind(VkCommandBuffer commands)
{
   session.driver.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, session.pipeline);
   session.driver.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, session.layout.layout, 0, 2,
                                        session.sets, 0, NULL);
}

static void
push(VkCommandBuffer commands, uint32_t value)
{
   uint32_t constants[32];
   for (uint32_t i = 0; i < 32; i++)
      constants[i] = value + i;
   session.driver.CmdPushConstants(commands, session.layout.layout,
                                   VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0, 128, constants);
}

static struct hdb_dispatch *
get_dispatches(VkCommandBuffer commands, uint32_t *count)
{
   *count = session.hdb->get_dispatches(session.hdb, commands, NULL, 0);
   struct hdb_dispatch *dispatches = calloc(*count + 1, sizeof(*dispatches));
   assert_non_null(dispatches);
   assert_int_equal(session.hdb->get_dispatches(session.hdb, commands, dispatches, *count), *count);
   return dispatches;
}

/* SET_SH_REG of one register is {type 3, count 1, opcode 0x76}, (register - 0xb000) / 4, value. */
static void
check_launch_registers(const struct hdb_dispatch *dispatch)
{
   assert_int_equal(dispatch->rsrc2_dword[-2], 0xc0017600);
   assert_int_equal(dispatch->rsrc2_dword[-1], (0xb84c - 0xb000) / 4);
   assert_int_equal(dispatch->rsrc3_dword[-2], 0xc0017600);
   assert_int_equal(dispatch->rsrc3_dword[-1], (0xb8a0 - 0xb000) / 4);
   if (dispatch->shader_id == session.shader->id) {
      assert_int_equal(*dispatch->rsrc2_dword, session.shader->rsrc2);
      assert_int_equal(*dispatch->rsrc3_dword, session.shader->rsrc3);
   }
}

static void
check_saxpy(const struct hdb_dispatch *dispatch, uint32_t value)
{
   assert_int_equal(dispatch->shader_id, session.shader->id);
   assert_int_equal(dispatch->pipeline, (uint64_t)session.pipeline);
   assert_int_equal(dispatch->flags & HDB_DISPATCH_INTERNAL, 0);
   assert_int_equal(dispatch->push_constant_size, 128);
   for (uint32_t i = 0; i < 32; i++) {
      uint32_t constant;
      memcpy(&constant, dispatch->push_constants + 4 * i, 4);
      assert_int_equal(constant, value + i);
   }
   assert_true(dispatch->descriptor_set_va[0] && dispatch->descriptor_set_va[1]);
   assert_true(dispatch->descriptor_set_va[0] != dispatch->descriptor_set_va[1]);
   assert_int_equal(dispatch->descriptor_set_va[2], 0);
   check_launch_registers(dispatch);
}

static void
every_kind_of_dispatch(uint32_t family)
{
   VkCommandBuffer commands = begin(family, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
   bind(commands);
   push(commands, 100);
   session.driver.CmdDispatch(commands, 3, 2, 1);
   session.driver.CmdFillBuffer(commands, session.buffer, 0, 65536, 0); /* a shader of the driver's own */
   push(commands, 200);
   session.driver.CmdDispatchBase(commands, 4, 5, 6, 1, 2, 3);
   session.driver.CmdDispatchIndirect(commands, session.buffer, 256);
   assert_int_equal(session.driver.EndCommandBuffer(commands), VK_SUCCESS);

   uint32_t count;
   struct hdb_dispatch *d = get_dispatches(commands, &count);
   assert_int_equal(count, 4);
   for (uint32_t i = 0; i < count; i++) {
      assert_int_equal(d[i].ordinal, i);
      assert_ptr_equal(d[i].command_buffer, commands);
      check_launch_registers(&d[i]);
   }

   check_saxpy(&d[0], 100);
   assert_int_equal(d[0].flags, 0);
   assert_memory_equal(d[0].grid, ((uint32_t[]){3, 2, 1}), sizeof(d[0].grid));
   assert_memory_equal(d[0].base, ((uint32_t[]){0, 0, 0}), sizeof(d[0].base));

   assert_int_equal(d[1].flags, HDB_DISPATCH_INTERNAL);
   assert_int_equal(d[1].pipeline, 0);
   assert_true(d[1].shader_id && d[1].shader_id != session.shader->id);
   assert_true(d[1].grid[0] > 0 && d[1].grid[1] == 1 && d[1].grid[2] == 1);

   check_saxpy(&d[2], 200);
   assert_memory_equal(d[2].grid, ((uint32_t[]){1, 2, 3}), sizeof(d[2].grid));
   assert_memory_equal(d[2].base, ((uint32_t[]){4, 5, 6}), sizeof(d[2].base));

   check_saxpy(&d[3], 200);
   assert_int_equal(d[3].flags, HDB_DISPATCH_INDIRECT);
   assert_true(d[3].indirect_va != 0 && d[3].indirect_va % 256 == 0);
   free(d);

   assert_int_equal(session.driver.ResetCommandPool(session.device, session.pools[family], 0), VK_SUCCESS);
   assert_int_equal(session.hdb->get_dispatches(session.hdb, commands, NULL, 0), 0);
}

static void
on_the_general_queue(void **state)
{
   every_kind_of_dispatch(GENERAL);
}

static void
on_the_compute_queue(void **state)
{
   every_kind_of_dispatch(COMPUTE);
}

/* The command stream grows over several buffers: places in the earlier ones stay valid. */
static void
many_dispatches(void **state)
{
   const uint32_t expected = 10000;
   VkCommandBuffer commands = begin(COMPUTE, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
   bind(commands);
   for (uint32_t i = 0; i < expected; i++) {
      push(commands, i);
      session.driver.CmdDispatch(commands, i + 1, 1, 1);
   }
   assert_int_equal(session.driver.EndCommandBuffer(commands), VK_SUCCESS);

   uint32_t count;
   struct hdb_dispatch *d = get_dispatches(commands, &count);
   assert_int_equal(count, expected);
   for (uint32_t i = 0; i < count; i++) {
      check_saxpy(&d[i], i);
      assert_int_equal(d[i].grid[0], i + 1);
      *d[i].rsrc2_dword = i; /* no two share a place */
   }
   for (uint32_t i = 0; i < count; i++)
      assert_int_equal(*d[i].rsrc2_dword, i);
   free(d);
}

static void
secondary(uint32_t family, bool shared)
{
   const uint32_t expected = 3000;
   VkCommandBuffer child = begin(family, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
   bind(child);
   for (uint32_t i = 0; i < expected; i++) {
      push(child, i);
      session.driver.CmdDispatch(child, i + 1, 1, 1);
   }
   assert_int_equal(session.driver.EndCommandBuffer(child), VK_SUCCESS);

   VkCommandBuffer parent = begin(family, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
   bind(parent);
   push(parent, 70000);
   session.driver.CmdDispatch(parent, 1, 1, 1);
   session.driver.CmdExecuteCommands(parent, 2, (VkCommandBuffer[]){child, child});
   bind(parent);
   push(parent, 80000);
   session.driver.CmdDispatch(parent, 2, 1, 1);
   assert_int_equal(session.driver.EndCommandBuffer(parent), VK_SUCCESS);

   uint32_t count, child_count;
   struct hdb_dispatch *d = get_dispatches(parent, &count);
   struct hdb_dispatch *c = get_dispatches(child, &child_count);
   assert_int_equal(child_count, expected);
   assert_int_equal(count, 2 * expected + 2);

   check_saxpy(&d[0], 70000);
   check_saxpy(&d[count - 1], 80000);
   assert_ptr_equal(d[0].command_buffer, parent);
   assert_int_equal(d[count - 1].ordinal, 1);
   for (uint32_t i = 0; i < expected; i++) {
      const struct hdb_dispatch *first = &d[1 + i], *second = &d[1 + expected + i];
      check_saxpy(first, i);
      check_saxpy(second, i);
      assert_int_equal(first->ordinal, i);
      assert_ptr_equal(first->command_buffer, child);
      assert_true((first->rsrc2_dword == second->rsrc2_dword) == shared);
      assert_true((first->rsrc2_dword == c[i].rsrc2_dword) == shared);
   }
   free(c);
   free(d);
}

static void
secondary_called_by_the_gpu(void **state)
{
   secondary(GENERAL, true);
}

static void
secondary_copied(void **state)
{
   secondary(COMPUTE, false);
}

static VkPipeline
create_ray_tracing_pipeline(void)
{
   struct spirv spirv = spirv_load(raygen_path);
   const VkPipelineShaderStageCreateInfo stage = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_RAYGEN_BIT_KHR,
      .module = driver_create_module(&session.driver, session.device, &spirv),
      .pName = "main",
   };
   const VkRayTracingShaderGroupCreateInfoKHR group = {
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
      .type = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
      .generalShader = 0,
      .closestHitShader = VK_SHADER_UNUSED_KHR,
      .anyHitShader = VK_SHADER_UNUSED_KHR,
      .intersectionShader = VK_SHADER_UNUSED_KHR,
   };
   const VkDynamicState dynamic_state = VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR;
   const VkPipelineDynamicStateCreateInfo dynamic = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
      .dynamicStateCount = 1,
      .pDynamicStates = &dynamic_state,
   };
   const VkRayTracingPipelineCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
      .stageCount = 1,
      .pStages = &stage,
      .groupCount = 1,
      .pGroups = &group,
      .maxPipelineRayRecursionDepth = 1,
      .pDynamicState = &dynamic,
      .layout = session.layout.layout,
   };
   VkPipeline pipeline;
   assert_int_equal(session.driver.CreateRayTracingPipelinesKHR(session.device, NULL, NULL, 1, &info, NULL, &pipeline),
                    VK_SUCCESS);
   session.driver.DestroyShaderModule(session.device, stage.module, NULL);

   /* The stage is reported with its source; what is launched is a shader of the driver's own that jumps to it. */
   assert_int_equal(session.shader->spirv_size, spirv.size);
   assert_memory_equal(session.shader->spirv, spirv.words, spirv.size);
   spirv_free(&spirv);
   return pipeline;
}

static void
ray_tracing(void **state)
{
   const struct hdb_shader *saxpy = session.shader;
   VkPipeline pipeline = create_ray_tracing_pipeline();
   assert_true(session.shader != saxpy);

   const VkStridedDeviceAddressRegionKHR table = {.deviceAddress = 0x100000, .stride = 64, .size = 64};
   const VkStridedDeviceAddressRegionKHR none = {0};
   VkCommandBuffer commands = begin(COMPUTE, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
   session.driver.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline);
   session.driver.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, session.layout.layout, 0, 2,
                                        session.sets, 0, NULL);
   push(commands, 300);
   const uint32_t stack_sizes[2] = {0, 256};
   for (uint32_t i = 0; i < 2; i++) {
      session.driver.CmdSetRayTracingPipelineStackSizeKHR(commands, stack_sizes[i]);
      session.driver.CmdTraceRaysKHR(commands, &table, &none, &none, &none, 64, 1, 1);
   }
   assert_int_equal(session.driver.EndCommandBuffer(commands), VK_SUCCESS);

   uint32_t count;
   struct hdb_dispatch *d = get_dispatches(commands, &count);
   assert_int_equal(count, 2);
   for (uint32_t i = 0; i < count; i++) {
      check_launch_registers(&d[i]);
      assert_int_equal(d[i].shader_id, session.internal_shader->id);
      assert_int_equal(d[i].pipeline, (uint64_t)pipeline);
      assert_int_equal(d[i].flags & HDB_DISPATCH_INTERNAL, 0);
      assert_int_equal(d[i].push_constant_size, 128);
      assert_true(d[i].descriptor_set_va[0] && d[i].descriptor_set_va[1]);
      assert_int_equal(*d[i].rsrc3_dword, session.internal_shader->rsrc3);
      /* SCRATCH_EN, bit 0, depends on the stack that was set when the rays were traced. */
      assert_int_equal(*d[i].rsrc2_dword, session.internal_shader->rsrc2 | (stack_sizes[i] ? 1 : 0));
   }
   free(d);
   session.driver.DestroyPipeline(session.device, pipeline, NULL);
   session.shader = saxpy;
}

static void
memory_for_the_debugger(void **state)
{
   for (uint32_t flags = 0; flags < 4; flags++) {
      struct hdb_memory memory;
      assert_int_equal(session.hdb->alloc_memory(session.hdb, 100000, flags, &memory), 0);
      assert_true(memory.va && memory.va % 4096 == 0);
      assert_true(memory.size >= 100000);
      memset(memory.map, 0x5a, 100000);
      session.hdb->free_memory(session.hdb, &memory);
   }
}

int
main(int argc, char **argv)
{
   if (!driver_fork_path() || argc < 3)
      return 77;
   raygen_path = argv[2];
   setenv("HDB_GPU", "virtual", 1);
   if (session_open(argv[1]))
      return 1;
   create_descriptor_sets();
   create_buffer();

   const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_the_general_queue),    cmocka_unit_test(on_the_compute_queue),
      cmocka_unit_test(many_dispatches),         cmocka_unit_test(secondary_called_by_the_gpu),
      cmocka_unit_test(secondary_copied),        cmocka_unit_test(ray_tracing),
      cmocka_unit_test(memory_for_the_debugger),
   };
   const int failed = cmocka_run_group_tests(tests, NULL, NULL);
   session_close();
   return failed;
}
