/* SPDX-License-Identifier: MIT */
/* The plain face of vgpu.h, as any program would use it: vgpu_run on the shared library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sq_shaders.h"
#include "vgpu.h"

static char log_text[1024];

static void
collect_log(void *user, const char *line)
{
   snprintf(log_text, sizeof(log_text), "%s", line);
}

static struct vgpu *
create(uint32_t flags)
{
   struct vgpu *gpu;
   struct vgpu_options options = {.vram_size = 64 << 20, .flags = flags, .log = collect_log};
   assert_int_equal(vgpu_create(&options, &gpu), 0);
   return gpu;
}

static struct vgpu_dispatch
dispatch_of(const uint32_t *code, size_t size, void *argument)
{
   return (struct vgpu_dispatch){
      .code = code,
      .code_size = size,
      .workgroups = {1, 1, 1},
      .workgroup_size = {64, 1, 1},
      .argument = (uintptr_t)argument,
      .rsrc1 = 0x602c0005,
      .rsrc2 = 1 << 7, /* TGID_X; USER_SGPR is raised to 2 */
   };
}

static void
test_host_pointers(void **state)
{
   struct vgpu *gpu = create(VGPU_HOST_POINTERS);
   uint32_t *word = calloc(1, 4);
   struct vgpu_dispatch dispatch = dispatch_of(shader_store, shader_store_size, word);
   struct vgpu_fault fault;
   assert_int_equal(vgpu_run(gpu, &dispatch, &fault), 0);
   assert_int_equal(fault.kind, VGPU_FAULT_NONE);
   assert_int_equal(*word, 1);
   assert_int_equal(vgpu_run(gpu, &dispatch, NULL), 0);

   /* What the process cannot write, the card cannot. */
   void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   dispatch.argument = (uintptr_t)page;
   assert_int_equal(vgpu_run(gpu, &dispatch, &fault), -EFAULT);
   assert_int_equal(fault.kind, VGPU_FAULT_MEMORY);
   assert_true(fault.write);
   assert_true(fault.va == (uintptr_t)page);
   assert_string_equal(fault.text, log_text);
   munmap(page, 4096);

   /* Without the option a pointer of the process is no address. */
   vgpu_destroy(gpu);
   gpu = create(0);
   dispatch.argument = (uintptr_t)word;
   assert_int_equal(vgpu_run(gpu, &dispatch, &fault), -EFAULT);
   vgpu_destroy(gpu);
   free(word);
}

static void
test_scratch(void **state)
{
   enum { GROUPS = 30 };
   struct vgpu *gpu = create(VGPU_HOST_POINTERS);
   uint32_t *out = calloc(GROUPS * 64, 4);
   struct vgpu_dispatch dispatch = dispatch_of(shader_scratch, shader_scratch_size, out);
   dispatch.workgroups[0] = GROUPS;
   dispatch.scratch_size = 4;
   assert_int_equal(vgpu_run(gpu, &dispatch, NULL), 0);
   for (uint32_t i = 0; i < GROUPS * 64; i++)
      assert_int_equal(out[i], i / 64);
   dispatch.scratch_size = 100000; /* so much that few waves run at a time */
   memset(out, 0, GROUPS * 64 * 4);
   assert_int_equal(vgpu_run(gpu, &dispatch, NULL), 0);
   for (uint32_t i = 0; i < GROUPS * 64; i++)
      assert_int_equal(out[i], i / 64);
   free(out);
   vgpu_destroy(gpu);
}

static void
test_bad_dispatches(void **state)
{
   struct vgpu *gpu = create(0);
   struct vgpu_dispatch good = dispatch_of(shader_end, shader_end_size, NULL), bad;
   assert_int_equal(vgpu_run(gpu, &good, NULL), 0);
   bad = good;
   bad.code_size = 3;
   assert_int_equal(vgpu_run(gpu, &bad, NULL), -EINVAL);
   bad = good;
   bad.code = NULL;
   assert_int_equal(vgpu_run(gpu, &bad, NULL), -EINVAL);
   bad = good;
   bad.workgroup_size[1] = 17;
   assert_int_equal(vgpu_run(gpu, &bad, NULL), -EINVAL);
   bad.workgroup_size[1] = 0;
   assert_int_equal(vgpu_run(gpu, &bad, NULL), -EINVAL);
   bad = good;
   bad.scratch_size = 1 << 20;
   assert_int_equal(vgpu_run(gpu, &bad, NULL), -EINVAL);
   bad = good;
   bad.workgroups[0] = 0; /* nothing to do is no error */
   assert_int_equal(vgpu_run(gpu, &bad, NULL), 0);
   vgpu_destroy(gpu);
}

static void *
run_many(void *argument)
{
   struct vgpu *gpu = argument;
   uint32_t word = 0;
   struct vgpu_dispatch dispatch = dispatch_of(shader_store, shader_store_size, &word);
   for (int i = 0; i < 200; i++) {
      word = 0;
      if (vgpu_run(gpu, &dispatch, NULL) || word != 1)
         return "wrong";
   }
   return NULL;
}

static void
test_threads(void **state)
{
   struct vgpu *gpu = create(VGPU_HOST_POINTERS);
   pthread_t thread[4];
   for (int i = 0; i < 4; i++)
      assert_int_equal(pthread_create(&thread[i], NULL, run_many, gpu), 0);
   for (int i = 0; i < 4; i++) {
      void *result;
      pthread_join(thread[i], &result);
      assert_null(result);
   }
   vgpu_destroy(gpu);
}

static int
count_threads(const char *name)
{
   int count = 0;
   DIR *tasks = opendir("/proc/self/task");
   struct dirent *entry;
   while ((entry = readdir(tasks))) {
      char path[300], comm[32] = "";
      snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
      FILE *file = fopen(path, "r");
      if (file && fgets(comm, sizeof(comm), file))
         count += !strcmp(comm, name);
      if (file)
         fclose(file);
   }
   closedir(tasks);
   return count;
}

/* An idle card has no thread; one that has run something has one, which takes no signals. */
static void
test_one_thread(void **state)
{
   struct vgpu *gpu = create(VGPU_HOST_POINTERS);
   assert_int_equal(count_threads("vgpu\n"), 0);
   uint32_t word = 0;
   struct vgpu_dispatch dispatch = dispatch_of(shader_store, shader_store_size, &word);
   assert_int_equal(vgpu_run(gpu, &dispatch, NULL), 0);
   assert_int_equal(count_threads("vgpu\n"), 1);
   vgpu_destroy(gpu);
   assert_int_equal(count_threads("vgpu\n"), 0);
}

/* In a forked child the card is inert, and the child can end; the parent goes on. */
static void
test_fork(void **state)
{
   struct vgpu *gpu = create(VGPU_HOST_POINTERS);
   uint32_t word = 0;
   struct vgpu_dispatch dispatch = dispatch_of(shader_store, shader_store_size, &word);
   assert_int_equal(vgpu_run(gpu, &dispatch, NULL), 0);
   pid_t child = fork();
   if (child == 0) {
      alarm(20);
      uint32_t value;
      bool inert = vgpu_run(gpu, &dispatch, NULL) == -EIO;
      inert &= vgpu_register_read(gpu, NULL, 0x30800, &value) == -EIO;
      vgpu_wake(gpu);
      vgpu_hold_time(gpu, true);
      vgpu_set_interrupt_handler(gpu, NULL, NULL);
      vgpu_destroy(gpu);
      _exit(inert ? 0 : 1);
   }
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status));
   assert_int_equal(WEXITSTATUS(status), 0);
   word = 0;
   assert_int_equal(vgpu_run(gpu, &dispatch, NULL), 0);
   assert_int_equal(word, 1);
   vgpu_destroy(gpu);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_host_pointers), cmocka_unit_test(test_scratch),    cmocka_unit_test(test_bad_dispatches),
      cmocka_unit_test(test_threads),       cmocka_unit_test(test_one_thread), cmocka_unit_test(test_fork),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
