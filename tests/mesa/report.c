/* SPDX-License-Identifier: MIT */
/*
 * What the fork reports of shaders: complete, once for each, from creation to destruction, out of a cache too.
 *
 * usage: report saxpy.spv
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver.h"

#define MAX_SHADERS 64

struct report {
   const struct hdb_shader *created[MAX_SHADERS];
   uint32_t created_count, destroyed_count;
};

static const char *saxpy_path;

static void
shader_created(void *user, const struct hdb_shader *shader)
{
   struct report *report = user;
   assert_true(report->created_count < MAX_SHADERS);
   report->created[report->created_count++] = shader;
}

static void
shader_destroyed(void *user, const struct hdb_shader *shader)
{
   struct report *report = user;
   for (uint32_t i = 0; i < report->created_count; i++) {
      if (report->created[i] == shader) {
         report->created[i] = NULL;
         report->destroyed_count++;
         return;
      }
   }
   fail_msg("a shader was destroyed that was not created");
}

struct session {
   struct report report;
   struct hdb_driver *hdb;
   struct driver driver;
   VkDevice device;
   struct pipeline_layout layout;
   struct spirv spirv;
};

static void
session_open(struct session *session)
{
   memset(session, 0, sizeof(*session));
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION,
      .shader_created = shader_created,
      .shader_destroyed = shader_destroyed,
      .user = &session->report,
      .driver = &session->hdb,
   };
   driver_open(&session->driver, driver_fork_path());
   session->device = driver_create_device(&session->driver, &link);
   session->layout = driver_create_layout(&session->driver, session->device);
   session->spirv = spirv_load(saxpy_path);
   assert_non_null(session->hdb);
}

static void
session_close(struct session *session)
{
   spirv_free(&session->spirv);
   driver_destroy_layout(&session->driver, session->device, &session->layout);
   session->driver.DestroyDevice(session->device, NULL);
   driver_close(&session->driver);
   assert_int_equal(session->report.created_count, session->report.destroyed_count);
}

static VkPipeline
create_pipeline(struct session *session, struct pipeline_options options)
{
   return driver_create_pipeline(&session->driver, session->device, session->layout.layout, &session->spirv, &options);
}

static void
check_saxpy(const struct hdb_shader *shader, const struct spirv *spirv)
{
   assert_int_equal(shader->flags, 0);
   assert_string_equal(shader->entry_point, "main");
   assert_int_equal(shader->spirv_size, spirv->size);
   assert_memory_equal(shader->spirv, spirv->words, spirv->size);
   assert_int_equal(shader->wave_size, 64);
   assert_int_equal(shader->workgroup_size[0], 128);
   assert_int_equal(shader->workgroup_size[1], 1);
   assert_int_equal(shader->workgroup_size[2], 1);
   assert_true(shader->vgpr_count > 0 && shader->sgpr_count > 0);
   assert_int_equal(shader->lds_size, 0);
   assert_int_equal(shader->scratch_size_per_wave, 0);

   /* s[0:1] are always there, then the set's address, then the two constants. RSRC2 says so too: USER_SGPR, bits 5:1
    * ("RDNA3 ISA guide", COMPUTE_PGM_RSRC2 in the register database). */
   assert_int_equal(shader->user_sgprs.descriptor_set[0], 2);
   assert_int_equal(shader->user_sgprs.descriptor_set[1], HDB_NO_SGPR);
   assert_int_equal(shader->user_sgprs.push_constants, HDB_NO_SGPR);
   assert_int_equal(shader->user_sgprs.inline_push_constants, 3);
   assert_int_equal(shader->user_sgprs.inline_push_constant_mask, 3);
   assert_int_equal(shader->user_sgprs.grid_size, HDB_NO_SGPR);
   assert_int_equal(shader->rsrc2 >> 1 & 0x1f, 5);

   /* The last instruction is s_endpgm (SOPP opcode 48, "RDNA3 ISA guide", 15.1.5). */
   assert_true(shader->exec_size > 0 && shader->exec_size <= shader->code_size);
   const uint32_t *code = shader->code;
   assert_int_equal(code[shader->exec_size / 4 - 1], 0xbfb00000);
}

static void
facts_of_a_shader(void **state)
{
   struct session session;
   session_open(&session);
   VkPipeline pipeline = create_pipeline(&session, (struct pipeline_options){.wave_size = 64});
   assert_int_equal(session.report.created_count, 1);
   check_saxpy(session.report.created[0], &session.spirv);
   session.driver.DestroyPipeline(session.device, pipeline, NULL);
   session_close(&session);
}

static void
one_report_for_a_shared_shader(void **state)
{
   struct session session;
   session_open(&session);
   VkPipeline a = create_pipeline(&session, (struct pipeline_options){.wave_size = 64});
   VkPipeline b = create_pipeline(&session, (struct pipeline_options){.wave_size = 64});
   assert_int_equal(session.report.created_count, 1);
   session.driver.DestroyPipeline(session.device, a, NULL);
   session.driver.DestroyPipeline(session.device, b, NULL);
   session_close(&session);
}

/* Changes one letter of the first name in the module (OpName, opcode 5: target, text). */
static void
rename_something(struct spirv *spirv)
{
   for (size_t i = 5; i < spirv->size / 4; i += spirv->words[i] >> 16) {
      if ((spirv->words[i] & 0xffff) == 5 && spirv->words[i + 2] & 0xff) {
         spirv->words[i + 2] ^= 1;
         return;
      }
   }
   fail_msg("no name in the module");
}

static void
names_make_a_shader_its_own(void **state)
{
   struct session session;
   session_open(&session);
   VkPipeline a = create_pipeline(&session, (struct pipeline_options){.wave_size = 64});
   rename_something(&session.spirv);
   VkPipeline b = create_pipeline(&session, (struct pipeline_options){.wave_size = 64});

   assert_int_equal(session.report.created_count, 2);
   const struct hdb_shader *const *shaders = session.report.created;
   assert_true(shaders[0]->id != shaders[1]->id);
   assert_true(shaders[0]->va != shaders[1]->va);
   assert_int_equal(shaders[0]->code_size, shaders[1]->code_size);
   assert_memory_equal(shaders[0]->code, shaders[1]->code, shaders[0]->code_size);
   check_saxpy(shaders[1], &session.spirv);

   session.driver.DestroyPipeline(session.device, a, NULL);
   session.driver.DestroyPipeline(session.device, b, NULL);
   session_close(&session);
}

static void
facts_survive_a_cache(void **state)
{
   struct session session;
   session_open(&session);
   VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
   VkPipelineCache cache;
   assert_int_equal(session.driver.CreatePipelineCache(session.device, &info, NULL, &cache), VK_SUCCESS);
   VkPipeline pipeline = create_pipeline(&session, (struct pipeline_options){.wave_size = 64, .cache = cache});
   assert_int_equal(session.driver.GetPipelineCacheData(session.device, cache, &info.initialDataSize, NULL),
                    VK_SUCCESS);
   void *data = malloc(info.initialDataSize);
   assert_int_equal(session.driver.GetPipelineCacheData(session.device, cache, &info.initialDataSize, data),
                    VK_SUCCESS);
   const uint64_t id = session.report.created[0]->id;
   session.driver.DestroyPipeline(session.device, pipeline, NULL);
   session.driver.DestroyPipelineCache(session.device, cache, NULL);
   session_close(&session);

   session_open(&session);
   info.pInitialData = data;
   assert_int_equal(session.driver.CreatePipelineCache(session.device, &info, NULL, &cache), VK_SUCCESS);
   free(data);
   const struct pipeline_options from_cache = {
      .wave_size = 64,
      .flags = VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
      .cache = cache,
   };
   pipeline = create_pipeline(&session, from_cache);
   assert_int_equal(session.report.created_count, 1);
   check_saxpy(session.report.created[0], &session.spirv);
   assert_true(session.report.created[0]->id != id);
   session.driver.DestroyPipeline(session.device, pipeline, NULL);
   session.driver.DestroyPipelineCache(session.device, cache, NULL);
   session_close(&session);
}

static VkShaderEXT
create_shader_object(struct session *session, VkShaderCodeTypeEXT type, const void *code, size_t size)
{
   const VkShaderCreateInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
      .codeType = type,
      .codeSize = size,
      .pCode = code,
      .pName = "main",
      .setLayoutCount = 2,
      .pSetLayouts = session->layout.sets,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &session->layout.push_constants,
   };
   VkShaderEXT shader;
   assert_int_equal(session->driver.CreateShadersEXT(session->device, 1, &info, NULL, &shader), VK_SUCCESS);
   return shader;
}

static void
facts_survive_a_shader_binary(void **state)
{
   struct session session;
   session_open(&session);
   VkShaderEXT compiled =
      create_shader_object(&session, VK_SHADER_CODE_TYPE_SPIRV_EXT, session.spirv.words, session.spirv.size);
   size_t size = 0;
   assert_int_equal(session.driver.GetShaderBinaryDataEXT(session.device, compiled, &size, NULL), VK_SUCCESS);
   void *data = malloc(size);
   assert_int_equal(session.driver.GetShaderBinaryDataEXT(session.device, compiled, &size, data), VK_SUCCESS);
   VkShaderEXT loaded = create_shader_object(&session, VK_SHADER_CODE_TYPE_BINARY_EXT, data, size);

   assert_int_equal(session.report.created_count, 2);
   check_saxpy(session.report.created[0], &session.spirv);
   check_saxpy(session.report.created[1], &session.spirv);

   session.driver.DestroyShaderEXT(session.device, compiled, NULL);
   session.driver.DestroyShaderEXT(session.device, loaded, NULL);
   free(data);
   session_close(&session);
}

static void
no_report_to_another_version(void **state)
{
   struct report report = {0};
   struct hdb_driver *hdb = NULL;
   const struct hdb_driver_link link = {
      .sType = HDB_STRUCTURE_TYPE_DRIVER_LINK,
      .version = HDB_DRIVER_VERSION + 1,
      .shader_created = shader_created,
      .shader_destroyed = shader_destroyed,
      .user = &report,
      .driver = &hdb,
   };
   struct driver driver;
   driver_open(&driver, driver_fork_path());
   VkDevice device = driver_create_device(&driver, &link);
   assert_null(hdb);
   driver.DestroyDevice(device, NULL);
   driver_close(&driver);
   assert_int_equal(report.created_count, 0);
}

int
main(int argc, char **argv)
{
   if (!driver_fork_path() || argc < 2)
      return 77;
   saxpy_path = argv[1];
   setenv("RADV_FORCE_FAMILY", "navi31", 1);
   setenv("MESA_SHADER_CACHE_DISABLE", "1", 1); /* the one on the disk; the one in memory is part of the test */
   setenv("HDB_ENABLE", "1", 1);

   const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_of_a_shader),
      cmocka_unit_test(one_report_for_a_shared_shader),
      cmocka_unit_test(names_make_a_shader_its_own),
      cmocka_unit_test(facts_survive_a_cache),
      cmocka_unit_test(facts_survive_a_shader_binary),
      cmocka_unit_test(no_report_to_another_version),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
