/* SPDX-License-Identifier: MIT */
/*
 * The decoder and the printer against LLVM: random encodings of every opcode must give LLVM's text, and what LLVM does
 * not take must be refused. All lines go through one llvm-mc; an s_nop with a number stands between any two of them.
 *
 * Where the two differ on purpose:
 *  - halves of registers in 32-bit encodings (true16), which the hardware and the driver have and LLVM 19 has not;
 *  - scalars that LLVM lets stand where the hardware wants a VGPR, or an SGPR to write to;
 *  - s_version, whose bits LLVM writes as a sum of names.
 * Text with a complaint of LLVM's in it counts as a refusal.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "encodings.h"
#include "isa/isa.h"

#define PER_OPCODE 60
#define MARKER 0x4000u /* s_nop 0x4000 to 0x7fff count the lines */
#define MARKERS 0x4000u

struct line {
   struct encoding encoding;
   unsigned size; /* bytes; 0: refused */
   char ours[200];
   char llvm[400]; /* empty: refused */
};

struct lines {
   struct line *line;
   size_t count, capacity;
   bool wave64;
};

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
   struct inst inst;
   memset(line, 0, sizeof *line);
   line->encoding = *encoding;
   if (isa_decode(encoding->word, sizeof encoding->word, lines->wave64, &inst))
      return;
   line->size = inst.size;
   isa_print(&inst, 0, line->ours, sizeof line->ours);
}

static void
write_bytes(FILE *file, const uint32_t *words, unsigned size)
{
   const uint8_t *bytes = (const uint8_t *)words;
   fputc('[', file);
   for (unsigned i = 0; i < size; i++)
      fprintf(file, "0x%02x ", bytes[i]);
   fputs("]\n", file);
}

/* Input lines are 2 * i + 1 for encoding i and 2 * i + 2 for its marker. */
static void
write_input(const struct lines *lines, FILE *file)
{
   for (size_t i = 0; i < lines->count; i++) {
      const struct line *line = &lines->line[i];
      write_bytes(file, line->encoding.word, line->size ? line->size : sizeof line->encoding.word);
      write_bytes(file, (uint32_t[]){0xbf800000 | MARKER | (uint32_t)(i % MARKERS)}, 4);
   }
}

static bool
is_marker(const char *text, unsigned number)
{
   char marker[32];
   snprintf(marker, sizeof marker, "s_nop 0x%x", MARKER | number);
   return !strcmp(text, marker);
}

/* The first instruction that LLVM found in each encoding. */
static void
read_output(struct lines *lines, FILE *file)
{
   char text[400];
   size_t i = 0;
   while (fgets(text, sizeof text, file) && i < lines->count) {
      char *at = text + strspn(text, " \t");
      at[strcspn(at, "\n")] = 0;
      if (!*at || *at == '.')
         continue;
      for (char *c = at; *c; c++) {
         if (*c == '\t')
            *c = ' ';
      }
      if (is_marker(at, (unsigned)(i % MARKERS)))
         i++;
      else if (!lines->line[i].llvm[0])
         snprintf(lines->line[i].llvm, sizeof lines->line[i].llvm, "%s", at);
   }
   assert_int_equal(i, lines->count);
}

/* Warnings name the input line; column 2 is the first byte of an encoding, which was refused then. */
static void
read_warnings(struct lines *lines, FILE *file, const char *name)
{
   char text[400];
   size_t length = strlen(name);
   while (fgets(text, sizeof text, file)) {
      unsigned long line, column;
      if (strncmp(text, name, length) || sscanf(text + length, ":%lu:%lu: warning: invalid", &line, &column) != 2 ||
          !strstr(text, "invalid instruction encoding"))
         continue;
      if (column == 2 && line % 2 == 1 && line / 2 < lines->count)
         lines->line[line / 2].llvm[0] = 0;
   }
}

static FILE *
temporary(char *name)
{
   int fd = mkstemp(name);
   assert_true(fd >= 0);
   FILE *file = fdopen(fd, "w+");
   assert_non_null(file);
   return file;
}

static void
ask_llvm(struct lines *lines)
{
   char input[] = "/tmp/encodings-XXXXXX", output[] = "/tmp/encodings-out-XXXXXX",
        errors[] = "/tmp/encodings-err-XXXXXX";
   FILE *in = temporary(input), *out = temporary(output), *err = temporary(errors);
   write_input(lines, in);
   fclose(in);
   char command[600];
   snprintf(command, sizeof command, "%s -triple=amdgcn -mcpu=gfx1100 -mattr=%s --disassemble %s >%s 2>%s", LLVM_MC,
            lines->wave64 ? "+wavefrontsize64" : "+wavefrontsize32,-wavefrontsize64", input, output, errors);
   /* Its status says whether any line was refused, as many are. */
   assert_int_not_equal(system(command), -1);
   read_output(lines, out);
   read_warnings(lines, err, input);
   fclose(out);
   fclose(err);
   unlink(input);
   unlink(output);
   unlink(errors);
}

/* Complaints stand in comments within the text. */
static bool
is_refusal(const char *llvm)
{
   return strstr(llvm, "/*Invalid") || strstr(llvm, "/* Invalid") || strstr(llvm, "not supported");
}

static bool
differs_on_purpose(const struct line *line, const char *llvm)
{
   if (strstr(line->ours, ".h") || strstr(line->ours, ".l") || strstr(line->ours, "v_mov_b16") ||
       strstr(llvm, "v_mov_b16"))
      return true;
   if (!line->size)
      return strstr(llvm, "src_") || strstr(llvm, "null");
   return strstr(line->ours, "s_version");
}

/* Images and exports are known by name only. */
static bool
is_compared(const struct line *line)
{
   unsigned family = line->encoding.word[0] >> 26;
   return family != 0x3c && family != 0x3e;
}

static void
compare(bool wave64)
{
   struct lines lines = {.wave64 = wave64};
   struct random random = {0x9e3779b97f4a7c15};
   encodings_each(&random, PER_OPCODE, add, &lines);
   ask_llvm(&lines);

   unsigned wrong = 0, same = 0, refused = 0;
   for (size_t i = 0; i < lines.count; i++) {
      struct line *line = &lines.line[i];
      const char *llvm = is_refusal(line->llvm) ? "" : line->llvm;
      if (!is_compared(line) || differs_on_purpose(line, llvm))
         continue;
      if (!strcmp(line->ours, llvm)) {
         *(line->size ? &same : &refused) += 1;
         continue;
      }
      if (wrong++ < 20)
         print_error("%08x %08x %08x: \"%s\", LLVM \"%s\"\n", line->encoding.word[0], line->encoding.word[1],
                     line->encoding.word[2], line->ours, line->llvm);
   }
   print_message("%u the same, %u refused by both, %u wrong\n", same, refused, wrong);
   free(lines.line);
   assert_int_equal(wrong, 0);
   assert_true(same > 30000);
   assert_true(refused > 10000);
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
test_describe(void **state)
{
   char text[100];
   isa_describe((uint32_t[]){0xcc404004, 0x1c1a0502}, 8, true, text, sizeof text);
   assert_string_equal(text, "cc404004 1c1a0502 (v_wmma_f32_16x16x16_f16)");
   isa_describe((uint32_t[]){0xffffffff, 0x12345678}, 8, true, text, sizeof text);
   assert_string_equal(text, "ffffffff 12345678");
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wave64),  cmocka_unit_test(test_wave32),   cmocka_unit_test(test_any_bytes),
      cmocka_unit_test(test_cut_off), cmocka_unit_test(test_describe),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
