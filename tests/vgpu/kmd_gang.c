/* SPDX-License-Identifier: MIT */
/* Submissions for several rings at once, and the part of the global data share that a submission is given. */
#include "kmd_card.h"

#define MS 1000000ll
#define SOON (now_ns() + 10000 * MS)
#define GFX AMDGPU_HW_IP_GFX
#define COMPUTE AMDGPU_HW_IP_COMPUTE
#define UNMAPPED_VA (CARD_VA + (1ull << 36))
#define SIZE 65536

/* Memory for commands and for what they write. */
struct commands {
   uint32_t bo, *memory, used;
};

/* The first 64 dwords are data. */
static uint64_t
data_va(uint32_t dword)
{
   return CARD_VA + 4 * dword;
}

static void
commands_create(struct card *card, struct commands *commands)
{
   commands->bo = bo_create(card, SIZE, AMDGPU_GEM_DOMAIN_GTT);
   commands->memory = bo_map(card, commands->bo, SIZE);
   commands->used = 64;
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, commands->bo, CARD_VA, 0, SIZE, VA_RW), 0);
}

static void
commands_destroy(struct card *card, struct commands *commands)
{
   munmap(commands->memory, SIZE);
   bo_close(card, commands->bo);
}

static uint32_t
load(const struct commands *commands, uint32_t dword)
{
   return __atomic_load_n(&commands->memory[dword], __ATOMIC_ACQUIRE);
}

static void
store(struct card *card, struct commands *commands, uint32_t dword, uint32_t value)
{
   __atomic_store_n(&commands->memory[dword], value, __ATOMIC_RELEASE);
   vgpu_wake(card->gpu);
}

/* An indirect buffer, from where `used` is to where it is when it is submitted. */
static struct drm_amdgpu_cs_chunk_ib
ib_begin(struct commands *commands, uint32_t ip, uint32_t ring)
{
   return (struct drm_amdgpu_cs_chunk_ib){.va_start = data_va(commands->used), .ip_type = ip, .ring = ring};
}

static void
ib_end(struct commands *commands, struct drm_amdgpu_cs_chunk_ib *ib)
{
   ib->ib_bytes = data_va(commands->used) - ib->va_start;
   commands->used = (commands->used + 63) & ~63u;
}

static void
put(struct commands *commands, const uint32_t *packet, uint32_t dwords)
{
   memcpy(commands->memory + commands->used, packet, 4 * dwords);
   commands->used += dwords;
}
#define PUT(commands, ...) put(commands, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)
#define LO_HI(va) (uint32_t)(va), (va) >> 32

/* WRITE_DATA to memory; WAIT_REG_MEM until memory is equal. */
static void
put_write(struct commands *commands, uint32_t dword, uint32_t value)
{
   PUT(commands, 0xc0033700, 5 << 8, LO_HI(data_va(dword)), value);
}

static void
put_wait(struct commands *commands, uint32_t dword, uint32_t value)
{
   PUT(commands, 0xc0053c00, 0x13, LO_HI(data_va(dword)), value, ~0u, 4);
}

struct list {
   const uint32_t *bos;
   uint32_t count;
};

static int
submit_ibs(struct card *card, uint32_t context, const struct drm_amdgpu_cs_chunk_ib *ibs, uint32_t count,
           struct list list, const struct sync_point *wait, uint64_t *sequence)
{
   struct drm_amdgpu_bo_list_entry entries[4];
   for (uint32_t i = 0; i < list.count; i++)
      entries[i] = (struct drm_amdgpu_bo_list_entry){.bo_handle = list.bos[i]};
   struct drm_amdgpu_bo_list_in bos = {.operation = ~0u,
                                       .list_handle = ~0u,
                                       .bo_number = list.count,
                                       .bo_info_size = sizeof(entries[0]),
                                       .bo_info_ptr = (uintptr_t)entries};
   struct drm_amdgpu_cs_chunk_syncobj point = {0};
   if (wait)
      point = (struct drm_amdgpu_cs_chunk_syncobj){wait->handle, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, wait->point};

   struct drm_amdgpu_cs_chunk chunks[8];
   uint64_t addresses[8];
   uint32_t used = 0;
   for (uint32_t i = 0; i < count; i++)
      chunks[used++] = (struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_IB, sizeof(ibs[i]) / 4, (uintptr_t)&ibs[i]};
   if (list.count)
      chunks[used++] = (struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(bos) / 4, (uintptr_t)&bos};
   if (wait)
      chunks[used++] =
         (struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, sizeof(point) / 4, (uintptr_t)&point};
   for (uint32_t i = 0; i < used; i++)
      addresses[i] = (uintptr_t)&chunks[i];
   union drm_amdgpu_cs args = {.in = {.ctx_id = context, .num_chunks = used, .chunks = (uintptr_t)addresses}};
   int r = card_ioctl(card, DRM_IOCTL_AMDGPU_CS, &args);
   if (!r && sequence)
      *sequence = args.out.handle;
   return r;
}

static void
finish(struct card *card, uint32_t context, uint32_t ip, uint32_t ring, uint64_t sequence)
{
   bool busy = true;
   assert_int_equal(wait_cs(card, context, ip, ring, sequence, SOON, &busy), 0);
   assert_false(busy);
}

static bool
is_busy(struct card *card, uint32_t context, uint32_t ip, uint32_t ring, uint64_t sequence)
{
   bool busy = false;
   assert_int_equal(wait_cs(card, context, ip, ring, sequence, 0, &busy), 0);
   return busy;
}

#define NO_LIST ((struct list){0})

/* Each waits for what the other one writes: one after the other would never end. */
static void
members_run_together(void **state)
{
   struct card *card = *state;
   struct commands commands;
   commands_create(card, &commands);
   uint32_t context = context_new(card);

   struct drm_amdgpu_cs_chunk_ib ibs[3];
   ibs[0] = ib_begin(&commands, COMPUTE, 1);
   put_wait(&commands, 0, 1);
   put_write(&commands, 1, 1);
   ib_end(&commands, &ibs[0]);
   ibs[1] = ib_begin(&commands, GFX, 0);
   put_write(&commands, 0, 1);
   put_wait(&commands, 1, 1);
   ib_end(&commands, &ibs[1]);
   ibs[2] = ib_begin(&commands, GFX, 0); /* the same ring again: behind the one before */
   put_write(&commands, 2, 7);
   ib_end(&commands, &ibs[2]);

   uint64_t sequence;
   assert_int_equal(submit_ibs(card, context, ibs, 3, NO_LIST, NULL, &sequence), 0);
   assert_int_equal(sequence, 1);
   finish(card, context, GFX, 0, 1);
   assert_int_equal(load(&commands, 2), 7);
   bool busy;
   assert_int_equal(wait_cs(card, context, COMPUTE, 1, 1, 0, &busy), -EINVAL); /* it has the leader's number only */
   commands_destroy(card, &commands);
}

/* Two contexts, the rings named in opposite orders. */
static void
gangs_do_not_block_each_other(void **state)
{
   struct card *card = *state;
   struct commands commands;
   commands_create(card, &commands);
   uint32_t context[2] = {context_new(card), context_new(card)};
   struct drm_amdgpu_cs_chunk_ib ibs[2][2];
   for (int i = 0; i < 2; i++) {
      ibs[i][i] = ib_begin(&commands, GFX, 0);
      put_write(&commands, 2 * i, 1);
      put_wait(&commands, 2 * i + 1, 1);
      put_write(&commands, 2 * i + 1, 0);
      ib_end(&commands, &ibs[i][i]);
      ibs[i][!i] = ib_begin(&commands, COMPUTE, 0);
      put_wait(&commands, 2 * i, 1);
      put_write(&commands, 2 * i, 0);
      put_write(&commands, 2 * i + 1, 1);
      ib_end(&commands, &ibs[i][!i]);
   }
   for (int n = 0; n < 200; n++)
      assert_int_equal(submit_ibs(card, context[n & 1], ibs[n & 1], 2, NO_LIST, NULL, NULL), 0);
   finish(card, context[0], COMPUTE, 0, 100); /* the last one of each is its leader's */
   finish(card, context[1], GFX, 0, 100);
   commands_destroy(card, &commands);
}

/* A ring that is not free yet, and a point that nobody has promised, hold up all members; the fence waits for all. */
static void
members_start_and_end_as_one(void **state)
{
   struct card *card = *state;
   struct commands commands;
   commands_create(card, &commands);
   uint32_t context = context_new(card), line = syncobj_new(card, 0);

   struct drm_amdgpu_cs_chunk_ib before, ibs[2];
   before = ib_begin(&commands, COMPUTE, 0);
   put_wait(&commands, 0, 1);
   ib_end(&commands, &before);
   ibs[0] = ib_begin(&commands, COMPUTE, 0);
   put_write(&commands, 1, 1);
   put_wait(&commands, 2, 1);
   ib_end(&commands, &ibs[0]);
   ibs[1] = ib_begin(&commands, GFX, 0);
   put_write(&commands, 3, 1);
   ib_end(&commands, &ibs[1]);

   assert_int_equal(submit_ibs(card, context, &before, 1, NO_LIST, NULL, NULL), 0);
   struct sync_point wait = {line, 5};
   assert_int_equal(submit_ibs(card, context, ibs, 2, NO_LIST, &wait, NULL), 0);
   usleep(10000);
   assert_int_equal(load(&commands, 3), 0);
   assert_int_equal(timeline_signal_one(card, line, 5), 0);
   usleep(10000);
   assert_int_equal(load(&commands, 3), 0);
   store(card, &commands, 0, 1);
   finish(card, context, COMPUTE, 0, 1);
   while (!load(&commands, 3))
      usleep(1000);
   usleep(10000);
   assert_true(is_busy(card, context, GFX, 0, 1)); /* the leader is done, the other one is not */
   store(card, &commands, 2, 1);
   finish(card, context, GFX, 0, 1);
   commands_destroy(card, &commands);
}

/* What would wait for ever for one that failed ends with it; the next context's gang finds the rings free. */
static void
members_fail_as_one(void **state)
{
   struct card *card = *state;
   struct commands commands;
   commands_create(card, &commands);
   uint32_t guilty = context_new(card), innocent = context_new(card);
   struct drm_amdgpu_cs_chunk_ib ibs[2], good[2];
   ibs[0] = ib_begin(&commands, COMPUTE, 0);
   PUT(&commands, 0xc0033700, 5 << 8, LO_HI(UNMAPPED_VA), 1);
   ib_end(&commands, &ibs[0]);
   ibs[1] = ib_begin(&commands, GFX, 0);
   put_wait(&commands, 0, 1);
   ib_end(&commands, &ibs[1]);
   good[0] = ib_begin(&commands, COMPUTE, 0);
   put_write(&commands, 1, 1);
   ib_end(&commands, &good[0]);
   good[1] = ib_begin(&commands, GFX, 0);
   put_wait(&commands, 1, 1);
   ib_end(&commands, &good[1]);

   assert_int_equal(submit_ibs(card, guilty, ibs, 2, NO_LIST, NULL, NULL), 0);
   assert_int_equal(submit_ibs(card, innocent, good, 2, NO_LIST, NULL, NULL), 0);
   bool busy = true;
   assert_int_equal(wait_cs(card, guilty, GFX, 0, 1, SOON, &busy), -ECANCELED);
   finish(card, innocent, GFX, 0, 1);
   assert_int_equal(submit_ibs(card, guilty, good, 2, NO_LIST, NULL, NULL), -ENODATA);
   commands_destroy(card, &commands);
}

static void
four_rings_at_most(void **state)
{
   struct card *card = *state;
   struct commands commands;
   commands_create(card, &commands);
   uint32_t context = context_new(card);
   struct drm_amdgpu_cs_chunk_ib ibs[5];
   for (int i = 0; i < 5; i++) {
      ibs[i] = ib_begin(&commands, i < 4 ? COMPUTE : GFX, i % 4);
      put_write(&commands, i, 1);
      ib_end(&commands, &ibs[i]);
   }
   assert_int_equal(submit_ibs(card, context, ibs, 5, NO_LIST, NULL, NULL), -EINVAL);
   assert_int_equal(submit_ibs(card, context, ibs, 4, NO_LIST, NULL, NULL), 0);
   finish(card, context, COMPUTE, 3, 1);
   assert_memory_equal(commands.memory, ((uint32_t[]){1, 1, 1, 1, 0}), 20);
   assert_int_equal(card->gpu->kmd->jobs, 0);
   commands_destroy(card, &commands);
}

/* ---- the global data share --------------------------------------------------------------------------------------- */

static uint32_t
on_chip(struct card *card, uint64_t size, uint32_t domain)
{
   union drm_amdgpu_gem_create args = {.in = {.bo_size = size, .alignment = 1, .domains = domain}};
   return card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_CREATE, &args) ? 0 : args.out.handle;
}

/* 4 KiB of it, 64 semaphores, 16 counters for ordered append (gfx_v11_0_set_gds_init). */
static void
what_is_on_the_chip_can_be_owned(void **state)
{
   static const struct {
      uint32_t domain, total;
   } kinds[] = {{AMDGPU_GEM_DOMAIN_GDS, 4096}, {AMDGPU_GEM_DOMAIN_GWS, 64}, {AMDGPU_GEM_DOMAIN_OA, 16}};
   struct card *card = *state;
   for (int i = 0; i < 3; i++) {
      uint32_t all = on_chip(card, kinds[i].total, kinds[i].domain);
      assert_int_not_equal(all, 0);
      assert_int_equal(on_chip(card, 1, kinds[i].domain), 0);
      union drm_amdgpu_gem_mmap map = {.in = {.handle = all}};
      assert_int_equal(card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -EPERM);
      struct drm_prime_handle export = {.handle = all};
      assert_int_equal(card_ioctl(card, DRM_IOCTL_PRIME_HANDLE_TO_FD, &export), -EPERM);
      bo_close(card, all);
      uint32_t half = on_chip(card, kinds[i].total / 2, kinds[i].domain);
      assert_int_not_equal(half, 0);
      assert_int_not_equal(on_chip(card, kinds[i].total / 2, kinds[i].domain), 0);
   }
   struct drm_amdgpu_info_gds info;
   struct drm_amdgpu_info args = {
      .query = AMDGPU_INFO_GDS_CONFIG, .return_pointer = (uintptr_t)&info, .return_size = sizeof(info)};
   card_must(card, DRM_IOCTL_AMDGPU_INFO, &args);
   assert_int_equal(info.gds_total_size, 4096);
   assert_int_equal(info.gws_per_compute_partition, 64);
   assert_int_equal(info.oa_per_compute_partition, 16);
}

/* Two parts, each counted from 0; a job without sees nothing, nor does one beyond its own. */
static void
jobs_see_their_part(void **state)
{
   struct card *card = *state;
   struct commands commands;
   commands_create(card, &commands);
   uint32_t context = context_new(card);
   uint32_t part[2] = {on_chip(card, 256, AMDGPU_GEM_DOMAIN_GDS), on_chip(card, 256, AMDGPU_GEM_DOMAIN_GDS)};
   struct drm_amdgpu_cs_chunk_ib fill[2], read, outside;
   for (uint32_t i = 0; i < 2; i++) {
      fill[i] = ib_begin(&commands, GFX, 0);
      PUT(&commands, 0xc0055000, 2u << 29 | 1 << 20, 0x01010101 * (i + 1), 0, 0, 0, 256); /* DMA_DATA fills it */
      PUT(&commands, 0xc0044000, 5 | 3 << 8, 0x100 + i, 0, 4, 0);                         /* COPY_DATA to byte 4 */
      ib_end(&commands, &fill[i]);
   }
   read = ib_begin(&commands, GFX, 0);
   PUT(&commands, 0xc0044000, 3 | 5 << 8 | 1 << 16, 0, 0, LO_HI(data_va(0))); /* COPY_DATA of 8 bytes from byte 0 */
   PUT(&commands, 0xc0055000, 1u << 29, 252, 0, LO_HI(data_va(2)), 4);        /* DMA_DATA of the last ones */
   ib_end(&commands, &read);
   outside = ib_begin(&commands, GFX, 0);
   PUT(&commands, 0xc0044000, 3 | 5 << 8, 256, 0, LO_HI(data_va(4)));
   ib_end(&commands, &outside);

   const struct list lists[2] = {{(uint32_t[]){commands.bo, part[0]}, 2}, {(uint32_t[]){part[1], commands.bo}, 2}};
   assert_int_equal(submit_ibs(card, context, &fill[0], 1, lists[0], NULL, NULL), 0);
   assert_int_equal(submit_ibs(card, context, &fill[1], 1, lists[1], NULL, NULL), 0);
   for (uint32_t i = 0; i < 2; i++) {
      uint64_t sequence;
      assert_int_equal(submit_ibs(card, context, &read, 1, lists[i], NULL, &sequence), 0);
      finish(card, context, GFX, 0, sequence);
      const uint32_t expected[] = {0x01010101 * (i + 1), 0x100 + i, 0x01010101 * (i + 1)};
      assert_memory_equal(commands.memory, expected, sizeof(expected));
   }
   assert_int_equal(card->log[0], 0);

   commands.memory[4] = 99;
   assert_int_equal(submit_ibs(card, context, &outside, 1, lists[0], NULL, NULL), 0);
   assert_int_equal(submit_ibs(card, context, &read, 1, NO_LIST, NULL, NULL), 0);
   finish(card, context, GFX, 0, ~0ull);
   assert_int_equal(commands.memory[0] | commands.memory[1] | commands.memory[4], 0);
   assert_non_null(strstr(card->log, "outside of the 256"));
   assert_non_null(strstr(card->log, "outside of the 0"));
   assert_int_equal(submit_ibs(card, context, &read, 1, (struct list){(uint32_t[]){4711}, 1}, NULL, NULL), -ENOENT);
   commands_destroy(card, &commands);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, card_setup, card_teardown)

int
main(void)
{
   const struct CMUnitTest tests[] = {
      TEST(members_run_together),         TEST(gangs_do_not_block_each_other),
      TEST(members_start_and_end_as_one), TEST(members_fail_as_one),
      TEST(four_rings_at_most),           TEST(what_is_on_the_chip_can_be_owned),
      TEST(jobs_see_their_part),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
