/* SPDX-License-Identifier: MIT */
/* An s_nop that counts stands after every line, so that output and input are brought together again. */
#include "llvm_mc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MARKER 0x4000u /* s_nop 0x4000 to 0x7fff */
#define MARKERS 0x4000u

struct run {
   char input[40], output[40], errors[40];
};

static FILE *
temporary(char *name, const char *template)
{
   strcpy(name, template);
   int fd = mkstemp(name);
   assert_true(fd >= 0);
   FILE *file = fdopen(fd, "w+");
   assert_non_null(file);
   return file;
}

/* Runs llvm-mc on the input; its status says whether any line was refused, as many are. */
static void
run_llvm(struct run *run, const char *features, const char *how, FILE **output, FILE **errors)
{
   char command[600];
   *output = temporary(run->output, "/tmp/encodings-out-XXXXXX");
   *errors = temporary(run->errors, "/tmp/encodings-err-XXXXXX");
   snprintf(command, sizeof command, "%s -triple=amdgcn -mcpu=gfx1100 -mattr=%s %s %s >%s 2>%s", LLVM_MC, features, how,
            run->input, run->output, run->errors);
   assert_int_not_equal(system(command), -1);
}

static void
finish(const struct run *run, FILE *output, FILE *errors)
{
   fclose(output);
   fclose(errors);
   unlink(run->input);
   unlink(run->output);
   unlink(run->errors);
}

static uint32_t
marker(size_t i)
{
   return MARKER | (uint32_t)(i % MARKERS);
}

/* A diagnostic of that kind: the index of its line, and what it says from the column on; -1 if it is something else or
 * about a marker. */
static long
diagnosed_line(const char *text, const char *input, const char *kind, unsigned *column, const char **message)
{
   size_t length = strlen(input);
   unsigned long line;
   if (strncmp(text, input, length) || sscanf(text + length, ":%lu:%u: ", &line, column) != 2)
      return -1;
   *message = strstr(text + length, kind);
   if (!*message || line % 2 == 0)
      return -1;
   *message += strlen(kind);
   return (long)(line / 2);
}

/* ---- bytes to text ---- */

static void
write_bytes(FILE *file, const uint32_t *words, unsigned size)
{
   const uint8_t *bytes = (const uint8_t *)words;
   fputc('[', file);
   for (unsigned i = 0; i < size; i++)
      fprintf(file, "0x%02x ", bytes[i]);
   fputs("]\n", file);
}

/* One space between words, as LLVM has it but for tabs, and image_sample's second space. */
static void
copy_words(char *to, size_t size, const char *from)
{
   size_t length = 0;
   from += strspn(from, " \t");
   for (; *from && *from != '\n' && length + 1 < size; from++) {
      bool space = *from == ' ' || *from == '\t';
      if (!space || to[length - 1] != ' ')
         to[length++] = space ? ' ' : *from;
   }
   to[length] = 0;
}

/* Complaints stand in comments within the text. */
static bool
is_complaint(const char *text)
{
   return strstr(text, "/*Invalid") || strstr(text, "/* Invalid") || strstr(text, "not supported");
}

void
llvm_disassemble(struct llvm_line *line, size_t count, const char *features)
{
   struct run run;
   FILE *input = temporary(run.input, "/tmp/encodings-XXXXXX"), *output, *errors;
   for (size_t i = 0; i < count; i++) {
      uint32_t nop = 0xbf800000 | marker(i);
      line[i].text[0] = line[i].error[0] = 0;
      write_bytes(input, line[i].word, line[i].size);
      write_bytes(input, &nop, 4);
   }
   fclose(input);
   run_llvm(&run, features, "--disassemble", &output, &errors);

   char text[500], words[sizeof line->text];
   size_t i = 0;
   while (i < count && fgets(text, sizeof text, output)) {
      unsigned number;
      copy_words(words, sizeof words, text);
      if (!words[0] || words[0] == '.')
         continue;
      if (sscanf(words, "s_nop 0x%x", &number) == 1 && number == marker(i))
         i++;
      else if (!line[i].text[0])
         strcpy(line[i].text, words);
   }
   assert_int_equal(i, count);
   /* Column 2 is the first byte of an encoding. */
   while (fgets(text, sizeof text, errors)) {
      unsigned column;
      const char *message;
      long n = diagnosed_line(text, run.input, "warning: invalid instruction encoding", &column, &message);
      if (n >= 0 && (size_t)n < count && column == 2)
         line[n].text[0] = 0;
   }
   for (i = 0; i < count; i++) {
      if (is_complaint(line[i].text))
         line[i].text[0] = 0;
   }
   finish(&run, output, errors);
}

/* ---- text to bytes ---- */

static unsigned
parse_bytes(const char *text, uint32_t *words)
{
   uint8_t *bytes = (uint8_t *)words;
   unsigned size = 0;
   while (size < LLVM_BYTES && *text && *text != ']') {
      char *end;
      bytes[size++] = (uint8_t)strtoul(text, &end, 16);
      assert_ptr_not_equal(end, text);
      text = end + (*end == ',');
   }
   return size;
}

void
llvm_assemble(struct llvm_line *line, size_t count, const char *features)
{
   struct run run;
   FILE *input = temporary(run.input, "/tmp/encodings-XXXXXX"), *output, *errors;
   for (size_t i = 0; i < count; i++) {
      line[i].size = 0;
      line[i].error[0] = 0;
      fprintf(input, "%s\ns_nop 0x%x\n", line[i].text, marker(i));
   }
   fclose(input);
   run_llvm(&run, features, "--show-encoding", &output, &errors);

   char text[500];
   size_t i = 0;
   while (i < count && fgets(text, sizeof text, output)) {
      uint32_t words[LLVM_BYTES / 4] = {0};
      const char *encoding = strstr(text, "encoding: [");
      if (!encoding)
         continue;
      unsigned size = parse_bytes(encoding + strlen("encoding: ["), words);
      if (size == 4 && words[0] == (0xbf800000 | marker(i))) {
         i++;
      } else {
         line[i].size = size;
         memcpy(line[i].word, words, sizeof words);
      }
   }
   assert_int_equal(i, count);
   while (fgets(text, sizeof text, errors)) {
      unsigned column;
      const char *message;
      long n = diagnosed_line(text, run.input, "error: ", &column, &message);
      if (n >= 0 && (size_t)n < count && !line[n].error[0])
         snprintf(line[n].error, sizeof line[n].error, "%.*s", (int)strcspn(message, "\n"), message);
   }
   finish(&run, output, errors);
}
