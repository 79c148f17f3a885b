/* SPDX-License-Identifier: MIT */
/* vgpu-run: runs a piece of gfx1100 machine code on the virtual GPU and shows what it did. */
#include <elf.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vgpu.h"

enum { EXIT_INPUT = 1, EXIT_USAGE = 2, EXIT_FAULT = 3 };

static const char help[] =
   "NAME\n"
   "    vgpu-run - run gfx1100 (RDNA3) machine code on the virtual GPU\n"
   "\n"
   "SYNOPSIS\n"
   "    vgpu-run [OPTION]... FILE.s | FILE.bin\n"
   "\n"
   "DESCRIPTION\n"
   "    Runs the code in FILE as a compute shader. FILE.s is assembled with LLVM (llvm-mc-19 or llvm-mc) first; any\n"
   "    other file is taken as raw machine code. s[0:1] holds the address of the buffer; s2, s3, s4 the workgroup id\n"
   "    and s5 the group size word, unless --rsrc2 says otherwise; v0 the thread id, x | y<<10 | z<<20.\n"
   "\n"
   "OPTIONS\n"
   "    --grid X[,Y[,Z]]       workgroups (default 1,1,1)\n"
   "    --group X[,Y[,Z]]      threads of a workgroup (default 64,1,1)\n"
   "    --wave32, --wave64     lanes of a wave (default 64)\n"
   "    --rsrc1, --rsrc2, --rsrc3 N\n"
   "                           COMPUTE_PGM_RSRC1..3; USER_SGPR is raised to 2. By default 64 VGPRs, workgroup ids and\n"
   "                           group size on, no trap handler\n"
   "    --lds BYTES            local memory of a workgroup, up to 65536 (default 0)\n"
   "    --scratch BYTES        private memory of a lane (default 0)\n"
   "    --buffer BYTES[:FILE]  allocate a buffer, filled from FILE or with zeros, and print it at the end\n"
   "    --registers            print every wave's registers when it ends\n"
   "    --poison               registers that the launch does not set hold garbage instead of 0\n"
   "    --late-loads           loads land only at the s_waitcnt that waits for them\n"
   "    --help                 this text\n"
   "\n"
   "    Numbers may be decimal, 0x hexadecimal or 0 octal. Any pointer of the process is a valid address.\n"
   "    HDB_VGPU_STATS=1 in the environment: what was run is counted and told on standard error.\n"
   "\n"
   "EXIT STATUS\n"
   "    0 the code ran to its end; 1 a file could not be read or assembled, the code could not be launched, or\n"
   "    standard output could not be written; 2 wrong usage; 3 the code faulted or hung.\n"
   "\n"
   "EXAMPLE\n"
   "    printf 'v_lshlrev_b32 v1, 2, v0\\nglobal_store_b32 v1, v0, s[0:1]\\ns_endpgm\\n' >ids.s\n"
   "    vgpu-run --buffer 256 ids.s\n";

static void __attribute__((noreturn, format(printf, 2, 3))) fail(int status, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   fprintf(stderr, "vgpu-run: ");
   vfprintf(stderr, format, arguments);
   fprintf(stderr, "\n");
   va_end(arguments);
   exit(status);
}

static int
finish(void)
{
   if (fflush(stdout) || ferror(stdout))
      fail(EXIT_INPUT, "standard output cannot be written");
   return 0;
}

/* ---- options ---- */

static uint64_t
parse_number(const char *option, const char *text, uint64_t max, char **end)
{
   errno = 0;
   unsigned long long value = strtoull(text, end, 0);
   if (*end == text || errno || text[0] == '-' || text[0] == '+')
      fail(EXIT_USAGE, "--%s: '%s' is not a number", option, text);
   if (value > max)
      fail(EXIT_USAGE, "--%s: %llu is more than %" PRIu64, option, value, max);
   return value;
}

static uint64_t
parse_whole_number(const char *option, const char *text, uint64_t max)
{
   char *end;
   uint64_t value = parse_number(option, text, max, &end);
   if (*end)
      fail(EXIT_USAGE, "--%s: '%s' is not a number", option, text);
   return value;
}

static void
parse_triple(const char *option, const char *text, uint32_t max, uint32_t values[3])
{
   values[0] = values[1] = values[2] = 1;
   for (int i = 0; i < 3; i++) {
      char *end;
      values[i] = (uint32_t)parse_number(option, text, max, &end);
      if (!*end)
         return;
      if (*end != ',')
         break;
      text = end + 1;
   }
   fail(EXIT_USAGE, "--%s: up to three numbers with commas are wanted", option);
}

/* ---- files ---- */

static uint8_t *
read_stream(FILE *file, const char *path, size_t *size)
{
   uint8_t *data = NULL;
   size_t have = 0, capacity = 0, n;
   do {
      if (have == capacity) {
         capacity = capacity ? 2 * capacity : 65536;
         data = realloc(data, capacity);
         if (!data)
            fail(EXIT_INPUT, "%s: out of memory", path);
      }
      n = fread(data + have, 1, capacity - have, file);
      have += n;
   } while (n);
   if (ferror(file)) {
      free(data);
      fail(EXIT_INPUT, "%s: %s", path, strerror(errno));
   }
   *size = have;
   return data;
}

static uint8_t *
read_file(const char *path, size_t *size)
{
   FILE *file = fopen(path, "rb");
   if (!file)
      fail(EXIT_INPUT, "%s: %s", path, strerror(errno));
   uint8_t *data = read_stream(file, path, size);
   fclose(file);
   return data;
}

/* Runs the assembler; its object comes from a temporary file, its messages go to our standard error. */
static int
run_assembler(const char *program, const char *path, const char *object, bool wave32)
{
   const char *attributes =
      wave32 ? "-mattr=+wavefrontsize32,-wavefrontsize64" : "-mattr=-wavefrontsize32,+wavefrontsize64";
   pid_t child = fork();
   if (child < 0)
      fail(EXIT_INPUT, "fork: %s", strerror(errno));
   if (child == 0) {
      execlp(program, program, "-triple=amdgcn", "-mcpu=gfx1100", attributes, "-filetype=obj", "-o", object, "--", path,
             (char *)NULL);
      _exit(127);
   }
   int status;
   while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
   return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool
section_lies_within(const Elf64_Shdr *section, size_t size)
{
   return section->sh_offset <= size && section->sh_size <= size - section->sh_offset;
}

/* The contents of .text of an ELF object. */
static uint8_t *
text_section(const uint8_t *object, size_t object_size, const char *path, size_t *size)
{
   const Elf64_Ehdr *header = (const Elf64_Ehdr *)object;
   if (object_size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
       header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr) ||
       header->e_shoff > object_size || header->e_shnum > (object_size - header->e_shoff) / sizeof(Elf64_Shdr) ||
       header->e_shstrndx >= header->e_shnum)
      fail(EXIT_INPUT, "%s: the assembler did not make an ELF object", path);

   const Elf64_Shdr *sections = (const Elf64_Shdr *)(object + header->e_shoff);
   const Elf64_Shdr *names = &sections[header->e_shstrndx];
   const Elf64_Shdr *text = NULL;
   for (int i = 0; i < header->e_shnum; i++) {
      if (!section_lies_within(names, object_size) || sections[i].sh_name >= names->sh_size)
         continue;
      const char *name = (const char *)object + names->sh_offset + sections[i].sh_name;
      if (sections[i].sh_type == SHT_PROGBITS && !strcmp(name, ".text"))
         text = &sections[i];
      if (!strcmp(name, ".rela.text") || !strcmp(name, ".rel.text"))
         fail(EXIT_INPUT, "%s: the code refers to a symbol that it does not define", path);
   }
   if (!text || !section_lies_within(text, object_size) || text->sh_size == 0)
      fail(EXIT_INPUT, "%s: no code in it", path);
   *size = text->sh_size;
   uint8_t *code = malloc(*size);
   if (!code)
      fail(EXIT_INPUT, "%s: out of memory", path);
   memcpy(code, object + text->sh_offset, *size);
   return code;
}

static uint8_t *
assemble(const char *path, bool wave32, size_t *size)
{
   if (access(path, R_OK))
      fail(EXIT_INPUT, "%s: %s", path, strerror(errno));
   char object_path[] = "/tmp/vgpu-run-XXXXXX";
   int fd = mkstemp(object_path);
   if (fd < 0)
      fail(EXIT_INPUT, "%s: %s", object_path, strerror(errno));

   int status = run_assembler("llvm-mc-19", path, object_path, wave32);
   if (status == 127)
      status = run_assembler("llvm-mc", path, object_path, wave32);
   FILE *file = status == 0 ? fdopen(fd, "rb") : NULL;
   /* The assembler may have replaced the file by another of the same name. */
   if (file)
      file = freopen(object_path, "rb", file);
   unlink(object_path);
   if (status == 127)
      fail(EXIT_INPUT, "%s: no assembler found: neither llvm-mc-19 nor llvm-mc is installed", path);
   if (status)
      fail(EXIT_INPUT, "%s: does not assemble for gfx1100", path);
   if (!file)
      fail(EXIT_INPUT, "%s: %s", object_path, strerror(errno));

   size_t object_size;
   uint8_t *object = read_stream(file, object_path, &object_size);
   fclose(file);
   uint8_t *code = text_section(object, object_size, path, size);
   free(object);
   return code;
}

static uint8_t *
load_code(const char *path, bool wave32, size_t *size)
{
   const char *suffix = strrchr(path, '.');
   if (suffix && !strcmp(suffix, ".s"))
      return assemble(path, wave32, size);
   uint8_t *code = read_file(path, size);
   if (*size == 0 || *size % 4) {
      free(code);
      fail(EXIT_INPUT, "%s: %zu bytes are no machine code", path, *size);
   }
   return code;
}

/* Around the buffer, so that code that misses it faults rather than overwrites what else this process has. */
#define GUARD ((size_t)1 << 30)

static uint32_t *
allocate_buffer(const char *argument, size_t *size)
{
   char *end;
   *size = parse_number("buffer", argument, UINT64_C(1) << 32, &end);
   if (*size == 0 || (*end && *end != ':'))
      fail(EXIT_USAGE, "--buffer: BYTES or BYTES:FILE is wanted, not '%s'", argument);
   size_t capacity = (*size + 4095) & ~(size_t)4095;
   uint8_t *place = mmap(NULL, capacity + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   if (place == MAP_FAILED || mprotect(place + GUARD, capacity, PROT_READ | PROT_WRITE))
      fail(EXIT_INPUT, "--buffer: %s", strerror(errno));
   uint8_t *buffer = place + GUARD;
   if (*end) {
      size_t file_size;
      uint8_t *data = read_file(end + 1, &file_size);
      memcpy(buffer, data, file_size < *size ? file_size : *size);
      free(data);
   }
   return (uint32_t *)buffer;
}

/* ---- output ---- */

/* Eight words a line; lines that repeat the one before are left out, as hexdump does. */
static void
print_buffer(const uint32_t *buffer, size_t size)
{
   size_t words = (size + 3) / 4;
   bool starred = false;
   for (size_t i = 0; i < words; i += 8) {
      size_t n = words - i < 8 ? words - i : 8;
      if (i >= 8 && n == 8 && !memcmp(buffer + i, buffer + i - 8, 32)) {
         if (!starred)
            printf("*\n");
         starred = true;
         continue;
      }
      starred = false;
      printf("%08zx:", i * 4);
      for (size_t j = 0; j < n; j++)
         printf(" %08x", buffer[i + j]);
      printf("\n");
   }
   printf("%08zx\n", size);
}

static void
print_vgpr(const struct vgpu_wave_state *state, uint32_t reg)
{
   const uint32_t *lanes = state->vgpr[reg];
   bool same = true;
   for (uint32_t lane = 1; lane < state->wave_size; lane++)
      same &= lanes[lane] == lanes[0];
   if (same) {
      printf("  v%-3u %08x in all lanes\n", reg, lanes[0]);
      return;
   }
   for (uint32_t lane = 0; lane < state->wave_size; lane += 8) {
      if (lane == 0)
         printf("  v%-3u", reg);
      else
         printf("      ");
      printf(" [%2u]", lane);
      for (uint32_t i = 0; i < 8; i++)
         printf(" %08x", lanes[lane + i]);
      printf("\n");
   }
}

static void
print_wave(void *user, const struct vgpu_wave_state *state)
{
   printf("workgroup %u,%u,%u wave %u: pc 0x%" PRIx64 " exec 0x%" PRIx64 " vcc 0x%" PRIx64
          " m0 0x%x status 0x%x mode 0x%x trapsts 0x%x\n",
          state->workgroup[0], state->workgroup[1], state->workgroup[2], state->wave, state->pc, state->exec,
          state->vcc, state->m0, state->status, state->mode, state->trapsts);
   for (uint32_t i = 0; i < 106; i += 8) {
      printf("  s%-3u", i);
      for (uint32_t j = i; j < i + 8 && j < 106; j++)
         printf(" %08x", state->sgpr[j]);
      printf("\n");
   }
   for (uint32_t i = 0; i < state->vgpr_count; i++)
      print_vgpr(state, i);
}

/* ---- */

int
main(int argc, char **argv)
{
   enum { GRID = 256, GROUP, WAVE32, WAVE64, RSRC1, RSRC2, RSRC3, LDS, SCRATCH, BUFFER, REGISTERS, POISON, LATE, HELP };
   static const struct option options[] = {{"grid", required_argument, NULL, GRID},
                                           {"group", required_argument, NULL, GROUP},
                                           {"wave32", no_argument, NULL, WAVE32},
                                           {"wave64", no_argument, NULL, WAVE64},
                                           {"rsrc1", required_argument, NULL, RSRC1},
                                           {"rsrc2", required_argument, NULL, RSRC2},
                                           {"rsrc3", required_argument, NULL, RSRC3},
                                           {"lds", required_argument, NULL, LDS},
                                           {"scratch", required_argument, NULL, SCRATCH},
                                           {"buffer", required_argument, NULL, BUFFER},
                                           {"registers", no_argument, NULL, REGISTERS},
                                           {"poison", no_argument, NULL, POISON},
                                           {"late-loads", no_argument, NULL, LATE},
                                           {"help", no_argument, NULL, HELP},
                                           {NULL, 0, NULL, 0}};
   struct vgpu_options card = {.flags = VGPU_HOST_POINTERS, .vram_size = 64 << 20};
   struct vgpu_dispatch dispatch = {.workgroups = {1, 1, 1}, .workgroup_size = {64, 1, 1}};
   bool rsrc1_given = false;
   uint32_t lds = 0;
   uint32_t *buffer = NULL;
   size_t buffer_size = 0;
   dispatch.rsrc2 = 2 << 1 | 7 << 7 | 1 << 10; /* USER_SGPR, TGID_X/Y/Z, TG_SIZE */

   int option;
   opterr = 0;
   while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
      switch (option) {
      case GRID:
         parse_triple("grid", optarg, UINT32_MAX, dispatch.workgroups);
         break;
      case GROUP:
         parse_triple("group", optarg, 1024, dispatch.workgroup_size);
         break;
      case WAVE32:
      case WAVE64:
         dispatch.wave32 = option == WAVE32;
         break;
      case RSRC1:
         dispatch.rsrc1 = (uint32_t)parse_whole_number("rsrc1", optarg, UINT32_MAX);
         rsrc1_given = true;
         break;
      case RSRC2:
         dispatch.rsrc2 = (uint32_t)parse_whole_number("rsrc2", optarg, UINT32_MAX);
         break;
      case RSRC3:
         dispatch.rsrc3 = (uint32_t)parse_whole_number("rsrc3", optarg, UINT32_MAX);
         break;
      case LDS:
         lds = (uint32_t)parse_whole_number("lds", optarg, 65536);
         break;
      case SCRATCH:
         dispatch.scratch_size = (uint32_t)parse_whole_number("scratch", optarg, 65536);
         break;
      case BUFFER:
         if (buffer)
            fail(EXIT_USAGE, "--buffer: only one is possible");
         buffer = allocate_buffer(optarg, &buffer_size);
         break;
      case REGISTERS:
         dispatch.wave_ended = print_wave;
         break;
      case POISON:
         card.flags |= VGPU_POISON;
         break;
      case LATE:
         card.flags |= VGPU_LATE_LOADS;
         break;
      case HELP:
         fputs(help, stdout);
         return finish();
      default:
         fail(EXIT_USAGE, "%s: no such option, or its value is missing (see --help)", argv[optind - 1]);
      }
   }
   if (optind != argc - 1)
      fail(EXIT_USAGE, "one FILE.s or FILE.bin is wanted (see --help)");
   if ((uint64_t)dispatch.workgroup_size[0] * dispatch.workgroup_size[1] * dispatch.workgroup_size[2] > 1024)
      fail(EXIT_USAGE, "--group: more than 1024 threads");

   dispatch.code = load_code(argv[optind], dispatch.wave32, &dispatch.code_size);
   dispatch.argument = (uintptr_t)buffer;
   if (!rsrc1_given) /* MEM_ORDERED, WGP_MODE, DX10_CLAMP, FLOAT_MODE 0xc0, 64 VGPRs: as drivers set it */
      dispatch.rsrc1 = 0x602c0000 | (dispatch.wave32 ? 64 / 8 - 1 : 64 / 4 - 1);
   if (lds)
      dispatch.rsrc2 = (dispatch.rsrc2 & ~(511u << 15)) | (lds + 511) / 512 << 15;

   struct vgpu *gpu;
   int ret = vgpu_create(&card, &gpu);
   if (ret)
      fail(EXIT_INPUT, "cannot create the virtual GPU: %s", strerror(-ret));
   struct vgpu_fault fault;
   ret = vgpu_run(gpu, &dispatch, &fault);
   vgpu_destroy(gpu);
   free((void *)dispatch.code);
   if (ret == -EFAULT)
      return EXIT_FAULT; /* the card's log has said what happened */
   if (ret == -EINVAL)
      fail(EXIT_INPUT, "%s: the code or the size of its workgroups is out of range", argv[optind]);
   if (ret)
      fail(EXIT_INPUT, "cannot run: %s", strerror(-ret));
   if (buffer)
      print_buffer(buffer, buffer_size);
   return finish();
}
