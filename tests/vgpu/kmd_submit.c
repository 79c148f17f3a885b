/* SPDX-License-Identifier: MIT */
/* Command submissions: order, dependencies, completion, faults. The jobs are real command streams. */
#include "kmd_card.h"

#include <poll.h>

#define MS 1000000ll
#define SOON (now_ns() + 10000 * MS)
#define GFX AMDGPU_HW_IP_GFX
#define COMPUTE AMDGPU_HW_IP_COMPUTE
#define UNMAPPED_VA (CARD_VA + (1ull << 36))

static struct submit
job_of(const struct gate *gate, uint32_t context, uint32_t ip, uint32_t ring)
{
   return (struct submit){.context = context, .ip = ip, .ring = ring, .va = gate->va + 256, .dwords = gate->dwords};
}

static bool
is_busy(struct card *card, uint32_t context, uint32_t ip, uint32_t ring, uint64_t sequence)
{
   bool busy = false;
   assert_int_equal(wait_cs(card, context, ip, ring, sequence, 0, &busy), 0);
   return busy;
}

static void
finish(struct card *card, uint32_t context, uint32_t ip, uint32_t ring, uint64_t sequence)
{
   bool busy = true;
   assert_int_equal(wait_cs(card, context, ip, ring, sequence, SOON, &busy), 0);
   assert_false(busy);
}

static void
jobs_end_and_are_counted(void **state)
{
   struct card *card = *state;
   struct gate gate;
   uint64_t sequence[3];
   gate_create(card, &gate, CARD_VA);
   uint32_t context = context_new(card);
   uint32_t fence_bo = bo_create(card, 4096, AMDGPU_GEM_DOMAIN_GTT);
   uint64_t *fence = bo_map(card, fence_bo, 4096);

   struct submit job = job_of(&gate, context, COMPUTE, 2);
   job.fence_bo = fence_bo;
   job.fence_offset = 64;
   for (int i = 0; i < 3; i++) {
      assert_int_equal(submit(card, &job, &sequence[i]), 0);
      assert_int_equal(sequence[i], i + 1);
   }
   assert_true(is_busy(card, context, COMPUTE, 2, 1));
   assert_true(is_busy(card, context, COMPUTE, 2, ~0ull));
   assert_int_equal(fence[8], 0);
   gate_open(card, &gate);
   finish(card, context, COMPUTE, 2, ~0ull);
   assert_int_equal(fence[8], 3);
   assert_false(is_busy(card, context, COMPUTE, 2, 1));
   bool busy;
   assert_int_equal(wait_cs(card, context, COMPUTE, 2, 4, 0, &busy), -EINVAL);
   assert_int_equal(wait_cs(card, context, GFX, 1, 1, 0, &busy), -EINVAL);
   munmap(fence, 4096);
   gate_destroy(card, &gate);
}

/* Rings run side by side, jobs of one ring one after the other. */
static void
order(void **state)
{
   struct card *card = *state;
   struct gate a, b;
   gate_create(card, &a, CARD_VA);
   gate_create(card, &b, CARD_VA + GATE_SIZE);
   uint32_t context = context_new(card);
   struct submit first = job_of(&a, context, COMPUTE, 0), second = job_of(&b, context, COMPUTE, 0);
   struct submit other = job_of(&b, context, GFX, 0);

   assert_int_equal(submit(card, &first, NULL), 0);
   assert_int_equal(submit(card, &second, NULL), 0);
   assert_int_equal(submit(card, &other, NULL), 0);
   gate_open(card, &b);
   finish(card, context, GFX, 0, 1);
   assert_true(is_busy(card, context, COMPUTE, 0, 2));
   gate_open(card, &a);
   finish(card, context, COMPUTE, 0, 2);
   gate_destroy(card, &a);
   gate_destroy(card, &b);
}

/* The submission comes before anybody has promised the point; the host signals it later. */
static void
wait_before_signal(void **state)
{
   struct card *card = *state;
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   gate_open(card, &gate);
   uint32_t context = context_new(card), other = context_new(card);
   uint32_t line = syncobj_new(card, 0), done = syncobj_new(card, 0);

   struct sync_point wait = {line, 3}, signal = {done, 0};
   struct submit job = job_of(&gate, context, COMPUTE, 0), free_job = job_of(&gate, other, COMPUTE, 0);
   job.wait = &wait;
   job.waits = 1;
   job.signal = &signal;
   job.signals = 1;
   assert_int_equal(submit(card, &job, NULL), -EINVAL); /* not told to wait for a promise */
   job.wait_for_submit = true;
   int64_t start = now_ns();
   assert_int_equal(submit(card, &job, NULL), 0);
   assert_true(now_ns() - start < 1000 * MS);
   assert_int_equal(timeline_wait_one(card, done, 0, 0, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE), 0);

   /* It waits in its context's queue and holds up no other context on the same ring. */
   assert_int_equal(submit(card, &free_job, NULL), 0);
   finish(card, other, COMPUTE, 0, 1);
   assert_int_equal(timeline_signal_one(card, line, 2), 0);
   usleep(10000);
   assert_true(is_busy(card, context, COMPUTE, 0, 1));
   assert_int_equal(timeline_signal_one(card, line, 3), 0);
   assert_int_equal(syncobj_wait_one(card, done, SOON, 0), 0);
   gate_destroy(card, &gate);
}

/* A chain of jobs over two rings, each waiting for the one before, submitted last first. */
static void
a_chain_backwards(void **state)
{
   enum { JOBS = 20 };
   struct card *card = *state;
   struct gate gate;
   uint32_t link[JOBS + 1];
   gate_create(card, &gate, CARD_VA);
   gate_open(card, &gate);
   for (int i = 0; i <= JOBS; i++)
      link[i] = syncobj_new(card, 0);
   for (int i = JOBS; i > 0; i--) {
      struct sync_point wait = {link[i - 1], 0}, signal = {link[i], 0};
      struct submit job = job_of(&gate, context_new(card), i & 1 ? GFX : COMPUTE, 0);
      job.wait = &wait;
      job.signal = &signal;
      job.waits = job.signals = 1;
      job.wait_for_submit = true;
      assert_int_equal(submit(card, &job, NULL), 0);
   }
   assert_int_equal(syncobj_wait_one(card, link[JOBS], now_ns() + 20 * MS, 0), -ETIME);
   assert_int_equal(timeline_signal_one(card, link[0], 0), 0);
   assert_int_equal(syncobj_wait_one(card, link[JOBS], SOON, 0), 0);
   gate_destroy(card, &gate);
}

static void
fences_of_other_kinds(void **state)
{
   struct card *card = *state;
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   uint32_t context = context_new(card);
   struct submit job = job_of(&gate, context, COMPUTE, 0);
   assert_int_equal(submit(card, &job, NULL), 0);

   struct drm_amdgpu_fence fences[2] = {{.ctx_id = context, .ip_type = COMPUTE, .seq_no = 1},
                                        {.ctx_id = context, .ip_type = GFX, .seq_no = 0}};
   union drm_amdgpu_wait_fences wait = {.in = {.fences = (uintptr_t)fences, .fence_count = 2, .wait_all = 1}};
   card_must(card, DRM_IOCTL_AMDGPU_WAIT_FENCES, &wait);
   assert_int_equal(wait.out.status, 0);
   wait = (union drm_amdgpu_wait_fences){.in = {.fences = (uintptr_t)fences, .fence_count = 2}};
   card_must(card, DRM_IOCTL_AMDGPU_WAIT_FENCES, &wait);
   assert_int_equal(wait.out.status, 1);
   assert_int_equal(wait.out.first_signaled, 1);

   uint32_t handle[3];
   for (uint32_t what = 0; what < 3; what++) {
      union drm_amdgpu_fence_to_handle args = {.in = {.fence = fences[0], .what = what}};
      card_must(card, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &args);
      handle[what] = args.out.handle;
   }
   assert_int_equal(syncobj_wait_one(card, handle[0], 0, 0), -ETIME);
   gate_open(card, &gate);
   assert_int_equal(syncobj_wait_one(card, handle[0], SOON, 0), 0);
   struct pollfd poller = {.fd = handle[AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD], .events = POLLIN};
   assert_int_equal(poll(&poller, 1, 5000), 1);
   struct drm_syncobj_handle import = {.fd = handle[AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD]};
   card_must(card, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import);
   assert_int_equal(syncobj_wait_one(card, import.handle, SOON, 0), 0);
   close(handle[1]);
   close(handle[2]);

   wait = (union drm_amdgpu_wait_fences){
      .in = {.fences = (uintptr_t)fences, .fence_count = 2, .wait_all = 1, .timeout_ns = SOON}};
   card_must(card, DRM_IOCTL_AMDGPU_WAIT_FENCES, &wait);
   assert_int_equal(wait.out.status, 1);
   gate_destroy(card, &gate);
}

static uint32_t
context_flags(struct card *card, uint32_t context)
{
   union drm_amdgpu_ctx args = {.in = {.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = context}};
   card_must(card, DRM_IOCTL_AMDGPU_CTX, &args);
   return args.out.state.flags;
}

static uint32_t
reset_status(struct card *card, uint32_t context)
{
   union drm_amdgpu_ctx args = {.in = {.op = AMDGPU_CTX_OP_QUERY_STATE, .ctx_id = context}};
   card_must(card, DRM_IOCTL_AMDGPU_CTX, &args);
   return args.out.state.reset_status;
}

static struct drm_amdgpu_info_gpuvm_fault
last_fault(struct card *card)
{
   struct drm_amdgpu_info_gpuvm_fault fault;
   memset(&fault, 0xff, sizeof(fault));
   struct drm_amdgpu_info args = {
      .query = AMDGPU_INFO_GPUVM_FAULT, .return_pointer = (uintptr_t)&fault, .return_size = sizeof(fault)};
   card_must(card, DRM_IOCTL_AMDGPU_INFO, &args);
   return fault;
}

static void
a_fault_loses_its_context_only(void **state)
{
   struct card *card = *state;
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   uint32_t guilty = context_new(card), innocent = context_new(card), done = syncobj_new(card, 0);
   assert_int_equal(last_fault(card).status, 0);

   struct sync_point signal = {done, 0};
   struct submit good = job_of(&gate, innocent, COMPUTE, 0), bad = job_of(&gate, guilty, COMPUTE, 1);
   bad.va = UNMAPPED_VA + 0x123450;
   struct submit behind = job_of(&gate, guilty, COMPUTE, 1);
   behind.signal = &signal;
   behind.signals = 1;
   assert_int_equal(submit(card, &good, NULL), 0);
   assert_int_equal(submit(card, &bad, NULL), 0);
   int r = submit(card, &behind, NULL); /* may come before or after the news */
   assert_true(r == 0 || r == -ENODATA);
   if (!r)
      assert_int_equal(syncobj_wait_one(card, done, SOON, 0), 0); /* cancelled, not left hanging */

   bool busy = true;
   assert_int_equal(wait_cs(card, guilty, COMPUTE, 1, 1, SOON, &busy), -ECANCELED);
   assert_int_equal(context_flags(card, guilty), AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY);
   assert_int_equal(reset_status(card, guilty), AMDGPU_CTX_GUILTY_RESET);
   assert_int_equal(reset_status(card, guilty), AMDGPU_CTX_NO_RESET); /* told once */
   assert_int_equal(submit(card, &bad, NULL), -ENODATA);
   assert_int_equal(last_fault(card).addr, UNMAPPED_VA + 0x123000);
   assert_int_equal(last_fault(card).status >> 20 & 15, 1); /* VMID */
   assert_int_not_equal(card->log[0], 0);

   assert_int_equal(context_flags(card, innocent), 0);
   assert_true(is_busy(card, innocent, COMPUTE, 0, 1));
   gate_open(card, &gate);
   finish(card, innocent, COMPUTE, 0, 1);
   assert_int_equal(submit(card, &good, NULL), 0);
   finish(card, innocent, COMPUTE, 0, 2);
   gate_destroy(card, &gate);
}

/* Memory that is given back, and its addresses used again, while jobs that were submitted before need it. */
static void
memory_stays_for_its_jobs(void **state)
{
   struct card *card = *state;
   struct gate first, old, new;
   const uint64_t va = CARD_VA + GATE_SIZE;
   gate_create(card, &first, CARD_VA);
   gate_create(card, &old, va);
   gate_open(card, &old);
   uint32_t context = context_new(card);
   struct submit a = job_of(&first, context, COMPUTE, 0), b = job_of(&old, context, COMPUTE, 0);
   struct submit c = job_of(&old, context, COMPUTE, 1);
   assert_int_equal(submit(card, &a, NULL), 0);
   assert_int_equal(submit(card, &b, NULL), 0);

   gate_destroy(card, &old);
   gate_create(card, &new, va); /* the same commands, but the gate is closed */
   assert_int_equal(submit(card, &c, NULL), 0);
   usleep(10000);
   assert_true(is_busy(card, context, COMPUTE, 0, 1));
   gate_open(card, &first);
   finish(card, context, COMPUTE, 0, 2);
   usleep(10000);
   assert_true(is_busy(card, context, COMPUTE, 1, 1));
   gate_open(card, &new);
   finish(card, context, COMPUTE, 1, 1);
   assert_int_equal(context_flags(card, context), 0);

   /* Then it is gone. */
   gate_destroy(card, &new);
   assert_int_equal(submit(card, &c, NULL), 0);
   bool busy;
   assert_int_equal(wait_cs(card, context, COMPUTE, 1, 2, SOON, &busy), -ECANCELED);
   gate_destroy(card, &first);
}

static void
a_context_is_freed_under_its_jobs(void **state)
{
   struct card *card = *state;
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   uint32_t context = context_new(card), done = syncobj_new(card, 0);
   struct sync_point signal = {done, 0};
   struct submit job = job_of(&gate, context, COMPUTE, 0);
   job.signal = &signal;
   job.signals = 1;
   for (int i = 0; i < 4; i++)
      assert_int_equal(submit(card, &job, NULL), 0);
   union drm_amdgpu_ctx args = {.in = {.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = context}};
   card_must(card, DRM_IOCTL_AMDGPU_CTX, &args);
   assert_int_equal(submit(card, &job, NULL), -EINVAL);
   gate_open(card, &gate);
   assert_int_equal(syncobj_wait_one(card, done, SOON, 0), 0);
   gate_destroy(card, &gate);
}

/* Running, queued, and waiting for what will never come: the teardown ends them all. */
static void
a_card_is_destroyed_under_its_jobs(void **state)
{
   struct card *card = *state;
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   uint32_t context = context_new(card), never = syncobj_new(card, 0);
   struct submit job = job_of(&gate, context, COMPUTE, 0), waiting = job_of(&gate, context, COMPUTE, 1);
   struct sync_point wait = {never, 9};
   waiting.wait = &wait;
   waiting.waits = 1;
   waiting.wait_for_submit = true;
   for (int i = 0; i < 3; i++) {
      assert_int_equal(submit(card, &job, NULL), 0);
      assert_int_equal(submit(card, &waiting, NULL), 0);
   }
   munmap(gate.memory, GATE_SIZE);
}

static void
bad_submissions(void **state)
{
   struct card *card = *state;
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   uint32_t context = context_new(card);
   struct submit job = job_of(&gate, 99, COMPUTE, 0);
   assert_int_equal(submit(card, &job, NULL), -EINVAL);
   job = job_of(&gate, context, COMPUTE, 4);
   assert_int_equal(submit(card, &job, NULL), -EINVAL);
   job = job_of(&gate, context, AMDGPU_HW_IP_DMA, 0);
   assert_int_equal(submit(card, &job, NULL), -EINVAL);
   job = job_of(&gate, context, COMPUTE, 0);
   job.dwords = 0;
   assert_int_equal(submit(card, &job, NULL), -EINVAL);
   job = job_of(&gate, context, COMPUTE, 0);
   job.fence_bo = gate.bo;
   job.fence_offset = 4096;
   assert_int_equal(submit(card, &job, NULL), -EINVAL);
   struct sync_point nothing = {12345, 0};
   job = job_of(&gate, context, COMPUTE, 0);
   job.signal = &nothing;
   job.signals = 1;
   assert_int_equal(submit(card, &job, NULL), -ENOENT);

   struct drm_amdgpu_cs_chunk chunk = {.chunk_id = 0x77};
   uint64_t address = (uintptr_t)&chunk;
   union drm_amdgpu_cs args = {.in = {.ctx_id = context, .num_chunks = 1, .chunks = (uintptr_t)&address}};
   assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_CS, &args), -EINVAL);
   assert_non_null(strstr(card->log, "0x77"));
   assert_int_equal(card->gpu->kmd->jobs, 0);
   gate_destroy(card, &gate);
}

static void
no_growth(void **state)
{
   struct card *card = *state;
   struct gate gate;
   gate_create(card, &gate, CARD_VA);
   gate_open(card, &gate);
   uint32_t context = context_new(card), line = syncobj_new(card, 0);
   long before = 0;
   for (uint64_t point = 1; point <= 3000; point++) {
      if (point == 500)
         before = resident_kib();
      struct sync_point wait = {line, point - 1}, signal = {line, point};
      struct submit job = job_of(&gate, context, point & 1 ? COMPUTE : GFX, 0);
      job.wait = &wait;
      job.waits = point > 1;
      job.signal = &signal;
      job.signals = 1;
      assert_int_equal(submit(card, &job, NULL), 0);
      if (point % 100 == 0)
         assert_int_equal(timeline_wait_one(card, line, point, SOON, 0), 0);
   }
   assert_true(resident_kib() - before < GROWTH_LIMIT_KIB);
   gate_destroy(card, &gate);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, card_setup, card_teardown)
   const struct CMUnitTest tests[] = {
      TEST(jobs_end_and_are_counted),
      TEST(order),
      TEST(wait_before_signal),
      TEST(a_chain_backwards),
      TEST(fences_of_other_kinds),
      TEST(a_fault_loses_its_context_only),
      TEST(memory_stays_for_its_jobs),
      TEST(a_context_is_freed_under_its_jobs),
      TEST(a_card_is_destroyed_under_its_jobs),
      TEST(bad_submissions),
      TEST(no_growth),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
