/* SPDX-License-Identifier: MIT */
/* One run of llvm-mc for many instructions. Those it rejects have no words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"

static void
write_source(const struct instance *instances, size_t count, bool wave64, FILE *file)
{
   for (size_t i = 0; i < count; i++) {
      if (instances[i].wave64 == wave64)
         fprintf(file, "i%zu:\n%s\n", i, instances[i].text);
   }
}

/* RDNA3 ISA guide, 7.4 and chapter 15: the 32-bit encodings say with bit 7 of a VGPR number which half is meant, the
 * 64-bit encodings with OPSEL (14:11). LLVM 19 does not write either for all instructions that have it. */
static void
choose_halves(struct instance *instance)
{
   uint32_t *word = instance->word;
   bool dpp = instance->form == FORM_DPP16 || instance->form == FORM_DPP8;
   if (instance->form == FORM_E32 || dpp) {
      word[0] |= instance->dst.high ? 1u << 24 : 0;
      if (instance->src[0].high)
         word[dpp ? 1 : 0] |= 1u << 7;
      /* VSRC1 is the third operand where the second is the literal. */
      word[0] |= instance->src[instance->op->flags & LITERAL_1 ? 2 : 1].high ? 1u << 16 : 0;
   } else if (!(instance->op->flags & VOP3P)) {
      word[0] |= (uint32_t)instance->op_sel << 11;
   }
}

/* LLVM 19 knows V_MOV_B16 only in its true16 mode, in which it misses others, and V_SWAP_B16 not at all. Their 32-bit
 * kin stand for them in the text, and their opcodes are put in here (RDNA3 ISA guide, 15.3: OP is 16:9 in VOP1, 25:16
 * in VOP3, where VOP1's begin at 384). */
static const struct {
   const char *name, *kin;
   uint32_t opcode;
} renamed[] = {{"v_mov_b16", "v_mov_b32", 28}, {"v_swap_b16", "v_swap_b32", 102}};

#define RENAMED (sizeof renamed / sizeof renamed[0])

const char *
assembler_name(const struct op *op)
{
   for (size_t i = 0; i < RENAMED; i++) {
      if (!strcmp(op->name, renamed[i].name))
         return renamed[i].kin;
   }
   return op->name;
}

static void
choose_opcode(struct instance *instance)
{
   uint32_t *word = instance->word;
   enum form form = instance->form;
   bool is_long = form == FORM_E64 || form == FORM_E64_DPP16 || form == FORM_E64_DPP8;
   for (size_t i = 0; i < RENAMED; i++) {
      if (strcmp(instance->op->name, renamed[i].name) != 0)
         continue;
      if (is_long)
         word[0] = (word[0] & ~(0x3ffu << 16)) | (384 + renamed[i].opcode) << 16;
      else
         word[0] = (word[0] & ~(0xffu << 9)) | renamed[i].opcode << 9;
   }
}

static void
read_encoding(struct instance *instance, const char *list)
{
   uint8_t bytes[4 * INSTANCE_WORDS] = {0};
   unsigned count = 0;
   while (*list != ']' && count < sizeof bytes) {
      char *end;
      bytes[count++] = (uint8_t)strtoul(list, &end, 16);
      list = *end == ',' ? end + 1 : end;
   }
   memcpy(instance->word, bytes, sizeof bytes);
   instance->words = count / 4;
   choose_halves(instance);
   choose_opcode(instance);
}

void
instances_assemble(struct instance *instances, size_t count, bool wave64)
{
   char name[] = "/tmp/model-XXXXXX", command[512];
   int fd = mkstemp(name);
   FILE *source = fd < 0 ? NULL : fdopen(fd, "w");
   if (!source)
      abort();
   write_source(instances, count, wave64, source);
   fclose(source);
   snprintf(command, sizeof command, "%s -triple=amdgcn -mcpu=gfx1100 -mattr=%s --show-encoding %s 2>%s", LLVM_MC,
            wave64 ? "-wavefrontsize32,+wavefrontsize64" : "+wavefrontsize32,-wavefrontsize64", name,
            getenv("MODEL_LLVM_ERRORS") ? "&2" : "/dev/null");
   char *redirect = strstr(command, "2>&2");
   if (redirect)
      *redirect = 0;
   FILE *listing = popen(command, "r");
   if (!listing)
      abort();
   char line[1024];
   size_t index = 0;
   while (fgets(line, sizeof line, listing)) {
      const char *encoding = strstr(line, "encoding: [");
      if (encoding)
         read_encoding(&instances[index], encoding + strlen("encoding: ["));
      else
         sscanf(line, "i%zu:", &index);
   }
   pclose(listing);
   unlink(name);
}
