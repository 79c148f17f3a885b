/* SPDX-License-Identifier: MIT */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#include <spirv/unified1/spirv.h>
#include <spirv-tools/libspirv.h>

#define HEADER_WORDS 5

/* A module with room for what is put into its sections. */
struct words {
   uint32_t *data;
   size_t count;
};

static void
append(struct words *words, const uint32_t *data, size_t count)
{
   memcpy(words->data + words->count, data, count * sizeof(*data));
   words->count += count;
}

static void
append_instruction(struct words *words, SpvOp op, size_t operand_count, const uint32_t *operands)
{
   const uint32_t first = (uint32_t)(operand_count + 1) << 16 | op;
   append(words, &first, 1);
   append(words, operands, operand_count);
}

/* What NoContraction may stand at, and means something at, for the compilers. */
static bool
is_float_operation(SpvOp op)
{
   switch (op) {
   case SpvOpExtInst:
   case SpvOpFNegate:
   case SpvOpFAdd:
   case SpvOpFSub:
   case SpvOpFMul:
   case SpvOpFDiv:
   case SpvOpFRem:
   case SpvOpFMod:
   case SpvOpVectorTimesScalar:
   case SpvOpMatrixTimesScalar:
   case SpvOpVectorTimesMatrix:
   case SpvOpMatrixTimesVector:
   case SpvOpMatrixTimesMatrix:
   case SpvOpOuterProduct:
   case SpvOpDot:
   case SpvOpFConvert:
   case SpvOpConvertFToS:
   case SpvOpConvertFToU:
   case SpvOpConvertSToF:
   case SpvOpConvertUToF:
      return true;
   default:
      return op >= SpvOpFOrdEqual && op <= SpvOpFUnordGreaterThanEqual;
   }
}

static void
append_no_contractions(struct words *words, const uint32_t *module, size_t count)
{
   for (size_t i = HEADER_WORDS; i < count; i += module[i] >> 16) {
      if (is_float_operation(module[i] & 0xffff))
         append_instruction(words, SpvOpDecorate, 2, (uint32_t[]){module[i + 2], SpvDecorationNoContraction});
   }
}

static void
append_float_controls(struct words *words, uint32_t entry_point)
{
   for (uint32_t width = 16; width <= 64; width *= 2) {
      append_instruction(words, SpvOpExecutionMode, 3,
                         (uint32_t[]){entry_point, SpvExecutionModeSignedZeroInfNanPreserve, width});
      append_instruction(words, SpvOpExecutionMode, 3,
                         (uint32_t[]){entry_point, SpvExecutionModeRoundingModeRTE, width});
   }
}

/* Copies the module, adding capabilities in front, execution modes after the entry point, and decorations before the
 * first type: the places that the module layout prescribes. */
static uint32_t *
mark(const uint32_t *module, size_t count, bool float_controls, size_t *marked_count)
{
   struct words words = {.data = malloc((count * 2 + 64) * sizeof(uint32_t))};
   if (!words.data)
      return NULL;
   append(&words, module, HEADER_WORDS);
   /* glslang 12 leaves them out where all small integers are constants. */
   append_instruction(&words, SpvOpCapability, 1, (uint32_t[]){SpvCapabilityInt8});
   append_instruction(&words, SpvOpCapability, 1, (uint32_t[]){SpvCapabilityInt16});
   if (float_controls) {
      append_instruction(&words, SpvOpCapability, 1, (uint32_t[]){SpvCapabilitySignedZeroInfNanPreserve});
      append_instruction(&words, SpvOpCapability, 1, (uint32_t[]){SpvCapabilityRoundingModeRTE});
   }
   bool decorated = false;
   for (size_t i = HEADER_WORDS; i < count; i += module[i] >> 16) {
      const SpvOp op = module[i] & 0xffff;
      if (!decorated && (op == SpvOpDecorate || op == SpvOpMemberDecorate || op == SpvOpTypeVoid)) {
         append_no_contractions(&words, module, count);
         decorated = true;
      }
      append(&words, module + i, module[i] >> 16);
      if (op == SpvOpEntryPoint && float_controls)
         append_float_controls(&words, module[i + 2]);
   }
   *marked_count = words.count;
   return words.data;
}

/* glslang 12 makes invalid modules of some valid shaders (operations on specialization constants). */
static bool
is_valid(const uint32_t *words, size_t count, char *text, size_t size)
{
   spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
   spv_validator_options options = spvValidatorOptionsCreate();
   spvValidatorOptionsSetScalarBlockLayout(options, true);
   spvValidatorOptionsSetUniformBufferStandardLayout(options, true);
   spv_const_binary_t binary = {words, count};
   spv_diagnostic diagnostic = NULL;
   const bool valid = spvValidateWithOptions(context, options, &binary, &diagnostic) == SPV_SUCCESS;
   if (!valid)
      snprintf(text, size, "%s", diagnostic ? diagnostic->error : "SPIR-V");
   spvDiagnosticDestroy(diagnostic);
   spvValidatorOptionsDestroy(options);
   spvContextDestroy(context);
   return valid;
}

uint32_t *
job_compile(const struct job *job, size_t *word_count, const char **log)
{
   static char text[2000];
   static bool initialized;
   if (!initialized)
      glslang_initialize_process();
   initialized = true;

   const glslang_input_t input = {
      .language = GLSLANG_SOURCE_GLSL,
      .stage = GLSLANG_STAGE_COMPUTE,
      .client = GLSLANG_CLIENT_VULKAN,
      .client_version = GLSLANG_TARGET_VULKAN_1_3,
      .target_language = GLSLANG_TARGET_SPV,
      .target_language_version = GLSLANG_TARGET_SPV_1_6,
      .code = job->text,
      .default_version = 460,
      .default_profile = GLSLANG_NO_PROFILE,
      .messages = GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT,
      .resource = glslang_default_resource(),
   };
   glslang_shader_t *shader = glslang_shader_create(&input);
   glslang_program_t *program = glslang_program_create();
   uint32_t *words = NULL;
   *log = text;
   if (!glslang_shader_preprocess(shader, &input) || !glslang_shader_parse(shader, &input)) {
      snprintf(text, sizeof(text), "%s", glslang_shader_get_info_log(shader));
   } else {
      glslang_program_add_shader(program, shader);
      if (glslang_program_link(program, input.messages)) {
         glslang_spv_options_t options = {.generate_debug_info = job->debug, .disable_optimizer = true};
         glslang_program_SPIRV_generate_with_options(program, input.stage, &options);
         words = mark(glslang_program_SPIRV_get_ptr(program), glslang_program_SPIRV_get_size(program),
                      job->float_controls, word_count);
         if (words && !is_valid(words, *word_count, text, sizeof(text))) {
            free(words);
            words = NULL;
         }
      } else {
         snprintf(text, sizeof(text), "%s", glslang_program_get_info_log(program));
      }
   }
   glslang_program_delete(program);
   glslang_shader_delete(shader);
   return words;
}
