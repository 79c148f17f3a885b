/* SPDX-License-Identifier: MIT */
/*
 * The decoder and the printer against LLVM. For random encodings of every opcode, with every kind of operand and every
 * modifier:
 *  - bytes to LLVM's text, and that by its assembler to the same bytes, or to others that mean the same to our decoder
 *    (fields that an instruction does not use, literals that are inline constants);
 *  - our text is LLVM's, or is assembled to the same bytes as LLVM's;
 *  - what LLVM refuses is refused.
 * Where the two differ on purpose stands in encoding_differences.c, with the reasons.
 *
 *    test-isa-encoding [SEED [ENCODINGS PER OPCODE]]
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "encoding_line.h"

static uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
static unsigned per_opcode = 60;

struct lines {
   struct line *line;
   size_t count, capacity;
   bool wave64;
};

/* ---- all lines of a mode ---- */

static bool
is_valid(void *user, const struct encoding *encoding)
{
   const struct lines *lines = user;
   struct inst inst;
   return !isa_decode(encoding->word, sizeof encoding->word, lines->wave64, &inst);
}

static void
add(void *user, const struct encoding *encoding)
{
   struct lines *lines = user;
   if (lines->count == lines->capacity) {
      lines->capacity = lines->capacity ? lines->capacity * 2 : 4096;
      lines->line = realloc(lines->line, lines->capacity * sizeof *lines->line);
      assert_non_null(lines->line);
   }
   struct line *line = &lines->line[lines->count++];
   memset(line, 0, sizeof *line);
   line->encoding = *encoding;
   if (isa_decode(encoding->word, sizeof encoding->word, lines->wave64, &line->inst))
      line->inst.size = 0;
   else
      isa_print(&line->inst, 0, line->ours, sizeof line->ours);
}

static void
ask_llvm(struct lines *lines)
{
   const char *features = lines->wave64 ? "+wavefrontsize64" : "+wavefrontsize32,-wavefrontsize64";
   struct llvm_line *ask = calloc(lines->count, sizeof *ask);
   assert_non_null(ask);
   for (size_t i = 0; i < lines->count; i++) {
      struct line *line = &lines->line[i];
      ask[i].size = line->inst.size ? line->inst.size : sizeof line->encoding.word;
      memcpy(ask[i].word, line->encoding.word, ask[i].size);
   }
   llvm_disassemble(ask, lines->count, features);
   for (size_t i = 0; i < lines->count; i++)
      strcpy(lines->line[i].llvm, ask[i].text);
   llvm_assemble(ask, lines->count, features);
   for (size_t i = 0; i < lines->count; i++) {
      struct line *line = &lines->line[i];
      line->again = ask[i];
      strcpy(ask[i].text, strcmp(line->ours, line->llvm) ? line->ours : "");
   }
   llvm_assemble(ask, lines->count, features);
   for (size_t i = 0; i < lines->count; i++)
      lines->line[i].own = ask[i];
   free(ask);
}

/* ---- judgement ---- */

enum verdict { SAME, OTHER_BYTES, REFUSED, ON_PURPOSE, NOT_ASSEMBLED, WRONG, VERDICTS };

static bool
same_bytes(const struct llvm_line *a, const struct llvm_line *b)
{
   return a->size && a->size == b->size && !memcmp(a->word, b->word, a->size);
}

static bool
is_encoding(const struct line *line, const struct llvm_line *bytes)
{
   return bytes->size && bytes->size == line->inst.size && !memcmp(bytes->word, line->encoding.word, bytes->size);
}

static bool
means_the_same(const struct line *line, const struct llvm_line *bytes, bool wave64)
{
   struct inst inst;
   return bytes->size && !isa_decode(bytes->word, bytes->size, wave64, &inst) && inst.size == bytes->size &&
          !difference_of(&line->inst, &inst);
}

static enum verdict
judge(const struct line *line, bool wave64)
{
   const struct llvm_line *again = &line->again;
   bool taken = line->inst.size;
   if (!line->llvm[0])
      return !taken ? REFUSED : why_taken(line) ? ON_PURPOSE : WRONG;
   if (!again->size) {
      bool alike =
         !taken || !strcmp(line->ours, line->llvm) || line->inst.encoding == ISA_MIMG || why_told_otherwise(line);
      return alike && is_not_assembled(line) ? NOT_ASSEMBLED : WRONG;
   }
   if (!taken)
      return why_refused(line) ? ON_PURPOSE : WRONG;
   bool alike = !strcmp(line->ours, line->llvm);
   if (alike && is_encoding(line, again))
      return SAME;
   /* Our text may also be better than LLVM's, which loses some constants. */
   if ((alike || same_bytes(&line->own, again)) && means_the_same(line, again, wave64))
      return OTHER_BYTES;
   if (!alike && means_the_same(line, &line->own, wave64))
      return OTHER_BYTES;
   return why_told_otherwise(line) ? ON_PURPOSE : WRONG;
}

static void
complain(const struct line *line)
{
   print_error("%08x %08x %08x: \"%s\", LLVM \"%s\"", line->encoding.word[0], line->encoding.word[1],
               line->encoding.word[2], line->ours, line->llvm);
   if (line->again.size) {
      struct inst inst;
      const char *what = NULL;
      if (line->inst.size && !isa_decode(line->again.word, line->again.size, line->inst.flags & INST_WAVE64, &inst))
         what = difference_of(&line->inst, &inst);
      print_error(", again %08x %08x %08x: %s", line->again.word[0], line->again.word[1], line->again.word[2],
                  what ? what : "the same");
   }
   print_error(" %s\n", line->again.error);
}

static void
compare(bool wave64)
{
   struct lines lines = {.wave64 = wave64};
   struct random random = {seed};
   encodings_each_sorted(&random, per_opcode, per_opcode / 4 + 1, is_valid, add, &lines);
   ask_llvm(&lines);

   unsigned verdicts[VERDICTS] = {0};
   struct coverage *coverage = coverage_create();
   assert_non_null(coverage);
   for (size_t i = 0; i < lines.count; i++) {
      enum verdict verdict = judge(&lines.line[i], wave64);
      if (verdicts[verdict]++ < 20 && verdict == WRONG)
         complain(&lines.line[i]);
      if (verdict == SAME || verdict == OTHER_BYTES)
         coverage_add(coverage, &lines.line[i]);
   }
   print_message(
      "%u the same, %u by other bytes, %u refused by both, %u different on purpose, %u not assembled by LLVM, "
      "%u wrong\n",
      verdicts[SAME], verdicts[OTHER_BYTES], verdicts[REFUSED], verdicts[ON_PURPOSE], verdicts[NOT_ASSEMBLED],
      verdicts[WRONG]);
   bool gaps = coverage_has_gaps(coverage, wave64);
   coverage_destroy(coverage);
   free(lines.line);
   assert_int_equal(verdicts[WRONG], 0);
   assert_false(gaps);
   assert_true(verdicts[SAME] > 700 * per_opcode);
   assert_true(verdicts[REFUSED] > 700 * per_opcode);
   assert_true(verdicts[NOT_ASSEMBLED] < verdicts[SAME] / 8);
}

static void
test_wave64(void **state)
{
   compare(true);
}

static void
test_wave32(void **state)
{
   compare(false);
}

/* Without ".l", which we leave out. */
static void
strip_low(char *text)
{
   for (char *at = text; (at = strstr(at, ".l"));)
      memmove(at, at + 2, strlen(at + 2) + 1);
}

/* Halves of registers: LLVM 19 knows some of their instructions if told to. */
static void
test_true16(void **state)
{
   const char *features = "+real-true16,+wavefrontsize64";
   struct lines lines = {.wave64 = true};
   struct random random = {seed};
   encodings_each_sorted(&random, per_opcode, 0, is_valid, add, &lines);
   struct llvm_line *ask = calloc(lines.count, sizeof *ask);
   assert_non_null(ask);
   size_t count = 0;
   for (size_t i = 0; i < lines.count; i++) {
      struct line *line = &lines.line[i];
      if (!strstr(line->ours, ".h"))
         continue;
      ask[count].size = line->inst.size;
      memcpy(ask[count].word, line->encoding.word, line->inst.size);
      lines.line[count++] = *line;
   }
   llvm_disassemble(ask, count, features);
   for (size_t i = 0; i < count; i++)
      strcpy(lines.line[i].llvm, ask[i].text);
   llvm_assemble(ask, count, features);
   unsigned same = 0, wrong = 0;
   for (size_t i = 0; i < count; i++) {
      struct line *line = &lines.line[i];
      if (!strstr(line->llvm, ".h") || !ask[i].size)
         continue;
      strip_low(line->llvm);
      strip_low(line->ours);
      line->again = ask[i];
      bool good = !strcmp(line->ours, line->llvm) && (means_the_same(line, &ask[i], true) || why_told_otherwise(line));
      *(good ? &same : &wrong) += 1;
      if (!good && wrong < 20)
         complain(line);
   }
   print_message("%zu with halves, %u the same, %u wrong\n", count, same, wrong);
   free(ask);
   free(lines.line);
   assert_int_equal(wrong, 0);
   assert_true(same > 5 * per_opcode);
}

/* Any bytes at all, also too few of them. */
static void
test_any_bytes(void **state)
{
   struct random random = {12345};
   unsigned decoded = 0;
   for (unsigned i = 0; i < 2000000; i++) {
      uint32_t words[ENCODING_WORDS];
      struct inst inst;
      char text[64]; /* shorter than some */
      for (unsigned w = 0; w < ENCODING_WORDS; w++)
         words[w] = random_bits(&random, 32);
      size_t size = i % (sizeof words + 1);
      int result = isa_decode(words, size, i & 1, &inst);
      if (result)
         continue;
      decoded++;
      assert_true(inst.size <= size && inst.size % 4 == 0);
      assert_non_null(inst.execute);
      int length = isa_print(&inst, 0, text, sizeof text);
      assert_true(length > 0);
      assert_non_null(memchr(text, 0, sizeof text));
      isa_describe(words, size, i & 1, text, sizeof text);
      assert_non_null(memchr(text, 0, sizeof text));
   }
   assert_true(decoded > 100000);
}

static void
test_cut_off(void **state)
{
   struct inst inst;
   uint32_t add_with_literal[2] = {0x060804ff, 0x3fc00000};
   assert_int_equal(isa_decode(add_with_literal, 4, true, &inst), -ENODATA);
   assert_int_equal(isa_decode(add_with_literal, 8, true, &inst), 0);
   assert_int_equal(inst.size, 8);
   assert_int_equal(isa_decode(add_with_literal, 2, true, &inst), -ENODATA);
   assert_int_equal(isa_decode((uint32_t[]){0xffffffff}, 4, true, &inst), -EINVAL);
}

static void
expect_text(const uint32_t *words, const char *text)
{
   char ours[TEXT];
   struct inst inst;
   assert_int_equal(isa_decode(words, 8, true, &inst), 0);
   isa_print(&inst, 0, ours, sizeof ours);
   assert_string_equal(ours, text);
}

/* What the driver emits and LLVM 19 does not know. */
static void
test_beyond_llvm(void **state)
{
   expect_text((uint32_t[]){0xf4081a34, 0x28000000}, "s_load_b128 s[104:107], s[104:105], s20");
   expect_text((uint32_t[]){0xf40c1900, 0xf8000000}, "s_load_b256 s[100:107], s[0:1], 0x0");
   expect_text((uint32_t[]){0x7f02cd83, 0}, "v_swap_b16 v1.h, v3.h");
   expect_text((uint32_t[]){0xd70b5005, 0x00020501}, "v_min_u16 v5, v1, v2 op_sel:[0,1,1]");
}

static void
test_describe(void **state)
{
   char text[100];
   isa_describe((uint32_t[]){0xcc404004, 0x1c1a0502}, 8, true, text, sizeof text);
   assert_string_equal(text, "cc404004 1c1a0502 (v_wmma_f32_16x16x16_f16)");
   isa_describe((uint32_t[]){0xffffffff, 0x12345678}, 8, true, text, sizeof text);
   assert_string_equal(text, "ffffffff 12345678");
}

int
main(int argc, char **argv)
{
   if (argc > 1)
      seed = strtoull(argv[1], NULL, 0);
   if (argc > 2)
      per_opcode = (unsigned)strtoul(argv[2], NULL, 0);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wave64),      cmocka_unit_test(test_true16),  cmocka_unit_test(test_wave32),
      cmocka_unit_test(test_any_bytes),   cmocka_unit_test(test_cut_off), cmocka_unit_test(test_describe),
      cmocka_unit_test(test_beyond_llvm),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
