/* SPDX-License-Identifier: MIT */
#include "wave_box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct box box;

int
box_setup(void **state)
{
   box_init(&box, 0);
   return 0;
}

int
box_teardown(void **state)
{
   box_finish(&box);
   return 0;
}

static void *
pages(size_t size)
{
   void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   assert_ptr_not_equal(memory, MAP_FAILED);
   return memory;
}

void
box_init(struct box *a_box, uint32_t flags)
{
   memset(a_box, 0, sizeof *a_box);
   assert_int_equal(vgpu_create(&(struct vgpu_options){.vram_size = 16 << 20, .flags = flags}, &a_box->gpu), 0);
   assert_int_equal(vm_init(&a_box->vm, a_box->gpu), 0);
   a_box->code = pages(BOX_CODE_SIZE);
   a_box->data = pages(BOX_DATA_SIZE);
   assert_int_equal(
      vm_map(&a_box->vm, BOX_CODE_VA, BOX_CODE_SIZE, (uintptr_t)a_box->code, true, VM_READ | VM_EXECUTE, 0), 0);
   assert_int_equal(vm_map(&a_box->vm, BOX_DATA_VA, BOX_DATA_SIZE, (uintptr_t)a_box->data, true, VM_READ | VM_WRITE, 0),
                    0);
   a_box->icache = icache_create(a_box->gpu);
   assert_non_null(a_box->icache);
   tlb_flush(&a_box->tlb);
   box_reset(a_box, true);
}

void
box_finish(struct box *a_box)
{
   wave_drain(&a_box->wave);
   icache_destroy(a_box->icache);
   vm_finish(&a_box->vm);
   vgpu_destroy(a_box->gpu);
   munmap(a_box->code, BOX_CODE_SIZE);
   munmap(a_box->data, BOX_DATA_SIZE);
}

void
box_reset(struct box *a_box, bool wave64)
{
   struct wave *wave = &a_box->wave;
   if (wave->gpu)
      wave_drain(wave);
   memset(wave, 0, sizeof *wave);
   memset(a_box->vgpr, 0xdb, sizeof a_box->vgpr);
   memset(a_box->lds, 0, sizeof a_box->lds);
   memset(a_box->data, 0, BOX_DATA_SIZE);
   for (unsigned i = 0; i < SREG_COUNT; i++)
      wave->sreg[i] = i == SREG_NULL ? 0 : 0xdbdbdbdb;
   wave->sreg[SREG_EXEC_LO] = ~0u;
   wave->sreg[SREG_EXEC_HI] = wave64 ? ~0u : 0;
   wave->exec_dirty = true;
   wave->pc = BOX_CODE_VA;
   wave->wave64 = wave64;
   wave->mode = BOX_MODE;
   wave->vgpr = a_box->vgpr;
   wave->vgpr_count = BOX_VGPRS;
   wave->lds = a_box->lds;
   wave->lds_size = BOX_LDS_SIZE;
   wave->gpu = a_box->gpu;
   wave->vm = &a_box->vm;
   wave->tlb = &a_box->tlb;
}

enum isa_result
box_continue(struct box *a_box)
{
   uint32_t budget = 1u << 20;
   return wave_interpret(&a_box->wave, a_box->icache, &budget);
}

enum isa_result
box_run(struct box *a_box, const uint32_t *words, unsigned count)
{
   assert_true((count + 1) * 4 <= BOX_CODE_SIZE);
   memcpy(a_box->code, words, count * 4);
   a_box->code[count] = 0xbfb00000; /* s_endpgm */
   icache_invalidate(a_box->icache);
   a_box->wave.pc = BOX_CODE_VA;
   return box_continue(a_box);
}

static char *
read_all(FILE *file)
{
   size_t used = 0, capacity = 1 << 16;
   char *text = malloc(capacity);
   assert_non_null(text);
   for (size_t got; (got = fread(text + used, 1, capacity - used - 1, file)) > 0;) {
      used += got;
      if (capacity - used < 4096)
         text = realloc(text, capacity *= 2);
      assert_non_null(text);
   }
   text[used] = 0;
   return text;
}

unsigned
box_assemble(const char *text, bool wave64, uint32_t *words, unsigned capacity)
{
   char name[] = "/tmp/wave-box-XXXXXX", command[512];
   int fd = mkstemp(name);
   assert_true(fd >= 0);
   assert_int_equal(write(fd, text, strlen(text)), strlen(text));
   close(fd);
   snprintf(command, sizeof command, "%s -triple=amdgcn -mcpu=gfx1100 -mattr=%s --show-encoding %s", BOX_LLVM_MC,
            wave64 ? "-wavefrontsize32,+wavefrontsize64" : "+wavefrontsize32,-wavefrontsize64", name);
   FILE *pipe = popen(command, "r");
   assert_non_null(pipe);
   char *listing = read_all(pipe);
   int status = pclose(pipe);
   unlink(name);
   if (status)
      fail_msg("llvm-mc refuses:\n%s", text);

   uint8_t *bytes = (uint8_t *)words;
   unsigned count = 0;
   for (const char *at = listing; (at = strstr(at, "encoding: ["));) {
      at += strlen("encoding: [");
      while (*at != ']') {
         char *end;
         assert_true(count < capacity * 4);
         bytes[count++] = (uint8_t)strtoul(at, &end, 16);
         at = *end == ',' ? end + 1 : end;
      }
   }
   free(listing);
   return count / 4;
}

enum isa_result
box_run_text(struct box *a_box, const char *text)
{
   uint32_t words[1024];
   return box_run(a_box, words, box_assemble(text, a_box->wave.wave64, words, 1024));
}
