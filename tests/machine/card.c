/* SPDX-License-Identifier: MIT */
#include "card.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <drm.h>
#include <amdgpu_drm.h>

#include "stop/private.h"
#include "target/registers.h"

static void
must(bool good, const char *what)
{
   if (good)
      return;
   fprintf(stderr, "%s: %s\n", what, strerror(errno));
   exit(1);
}

static void
card_ioctl(struct card *card, unsigned long request, void *argument, const char *name)
{
   must(!vgpu_ioctl(card->gpu, vgpu_fd(card->gpu), request, argument), name);
}

/* ---- buffers ---- */

struct buffer
card_alloc(struct card *card, uint64_t size, bool executable)
{
   struct buffer buffer = {.size = (size + 4095) & ~4095ull};
   union drm_amdgpu_gem_create create = {
      .in = {.bo_size = buffer.size, .alignment = 4096, .domains = AMDGPU_GEM_DOMAIN_VRAM}};
   card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_CREATE, &create, "GEM_CREATE");
   buffer.handle = create.out.handle;

   union drm_amdgpu_gem_mmap map = {.in = {.handle = buffer.handle}};
   card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_MMAP, &map, "GEM_MMAP");
   buffer.map = mmap(NULL, buffer.size, PROT_READ | PROT_WRITE, MAP_SHARED, vgpu_fd(card->gpu), map.out.addr_ptr);
   must(buffer.map != MAP_FAILED, "mmap");

   buffer.va = card->next_va;
   card->next_va += (buffer.size + 0xffff) & ~0xffffull;
   struct drm_amdgpu_gem_va va = {
      .handle = buffer.handle,
      .operation = AMDGPU_VA_OP_MAP,
      .flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | (executable ? AMDGPU_VM_PAGE_EXECUTABLE : 0),
      .va_address = buffer.va,
      .map_size = buffer.size,
   };
   card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_VA, &va, "GEM_VA");
   return buffer;
}

void
card_free(struct card *card, struct buffer *buffer)
{
   struct drm_amdgpu_gem_va va = {
      .handle = buffer->handle,
      .operation = AMDGPU_VA_OP_UNMAP,
      .va_address = buffer->va,
      .map_size = buffer->size,
   };
   card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_VA, &va, "GEM_VA");
   munmap(buffer->map, buffer->size);
   struct drm_gem_close close = {.handle = buffer->handle};
   card_ioctl(card, DRM_IOCTL_GEM_CLOSE, &close, "GEM_CLOSE");
}

static int
driver_alloc_memory(struct hdb_driver *driver, uint64_t size, uint32_t flags, struct hdb_memory *memory)
{
   struct card *card = (struct card *)driver;
   struct buffer *buffer = malloc(sizeof(*buffer));
   *buffer = card_alloc(card, size, flags & HDB_MEMORY_EXECUTABLE);
   *memory = (struct hdb_memory){.va = buffer->va, .size = size, .map = buffer->map, .handle = buffer};
   return 0;
}

static void
driver_free_memory(struct hdb_driver *driver, struct hdb_memory *memory)
{
   card_free((struct card *)driver, memory->handle);
   free(memory->handle);
}

/* ---- card ---- */

static void
log_line(void *user, const char *line)
{
   struct card *card = user;
   snprintf(card->log, sizeof(card->log), "%s", line);
}

static void
make_usable(struct card *card)
{
   card->next_va = 0xffff800100000000;
   card->driver = (struct hdb_driver){
      .version = HDB_DRIVER_VERSION,
      .virtual_gpu = true,
      .drm_fd = vgpu_fd(card->gpu),
      .alloc_memory = driver_alloc_memory,
      .free_memory = driver_free_memory,
   };
   union drm_amdgpu_ctx context = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
   card_ioctl(card, DRM_IOCTL_AMDGPU_CTX, &context, "CTX");
   card->context = context.out.alloc.ctx_id;
}

struct card *
card_of_process(void)
{
   struct card *card = calloc(1, sizeof(*card));
   card->gpu = vgpu_process_card();
   must(card->gpu, "the process has no virtual card");
   make_usable(card);
   return card;
}

struct card *
card_create(uint32_t vgpu_flags, uint32_t quantum, const uint32_t *handler, size_t handler_size)
{
   struct card *card = calloc(1, sizeof(*card));
   struct vgpu_options options = {
      .vram_size = 1ull << 30, .flags = vgpu_flags, .quantum = quantum, .log = log_line, .log_user = card};
   must(!vgpu_create(&options, &card->gpu), "vgpu_create");
   make_usable(card);
   must(!hdb_target_vgpu_create(card->driver.drm_fd, &card->target), "hdb_target_vgpu_create");
   must(!hdb_machine_create(&card->driver, card->target, &card->machine), "hdb_machine_create");
   if (handler)
      must(!machine_install_code(card->machine, handler, handler_size), "machine_install_code");
   return card;
}

void
card_destroy(struct card *card)
{
   hdb_machine_destroy(card->machine);
   hdb_target_destroy(card->target);
   vgpu_destroy(card->gpu);
   free(card);
}

/* ---- programs ---- */

/* Away from the trap handler's place in the instruction cache, so that neither throws out the other. */
#define CODE_OFFSET 0x4000

struct program *
program_create(struct card *card, const struct program_options *options)
{
   static uint64_t next_id;
   struct program *program = calloc(1, sizeof(*program));
   struct hdb_shader *shader = &program->shader;
   program->code = card_alloc(card, CODE_OFFSET + options->code_size, true);
   void *code = (uint8_t *)program->code.map + CODE_OFFSET;
   memcpy(code, options->code, options->code_size);
   uint32_t granule = options->wave_size == 64 ? 4 : 8;
   shader->id = ++next_id;
   shader->va = program->code.va + CODE_OFFSET;
   shader->code = code;
   shader->code_size = shader->exec_size = options->code_size;
   shader->flags = options->flags;
   shader->wave_size = options->wave_size;
   memcpy(shader->workgroup_size, options->workgroup_size, sizeof(shader->workgroup_size));
   /* VGPRS 5:0, FLOAT_MODE 19:12, DX10_CLAMP 21, MEM_ORDERED 30 */
   shader->rsrc1 = ((options->vgprs + granule - 1) / granule - 1) | 0xc0 << 12 | 1 << 21 | 1 << 30;
   /* USER_SGPR 5:1, LDS_SIZE 23:15 in units of 512 bytes */
   shader->rsrc2 = 2 << 1 | options->launch_sgprs | (options->lds_size + 511) / 512 << 15;
   shader->sgpr_count = 106;
   shader->vgpr_count = options->vgprs;
   shader->lds_size = options->lds_size;
   hdb_machine_add_shader(card->machine, shader);
   return program;
}

void
program_destroy(struct card *card, struct program *program)
{
   if (card->machine)
      hdb_machine_remove_shader(card->machine, &program->shader);
   card_free(card, &program->code);
   free(program);
}

/* ---- jobs ---- */

enum { PM4_DISPATCH_DIRECT = 0x15, PM4_ACQUIRE_MEM = 0x58, PM4_SET_SH_REG = 0x76 };
enum { PGM_LO = 0xb830, PGM_RSRC1 = 0xb848, PGM_RSRC3 = 0xb8a0, NUM_THREAD_X = 0xb81c, USER_DATA_0 = 0xb900 };

struct writer {
   uint32_t *start, *next;
};

/* Type 3: count - 1 in 29:16, opcode 15:8, shader type compute in bit 1. */
static void
put_packet(struct writer *writer, uint32_t opcode, uint32_t count)
{
   *writer->next++ = 3u << 30 | (count - 1) << 16 | opcode << 8 | 1 << 1;
}

/* Returns where the values stand. */
static uint32_t *
put_registers(struct writer *writer, uint32_t address, uint32_t count, const uint32_t *values)
{
   put_packet(writer, PM4_SET_SH_REG, count + 1);
   *writer->next++ = (address - 0xb000) / 4;
   uint32_t *place = writer->next;
   memcpy(place, values, count * 4);
   writer->next += count;
   return place;
}

struct job *
job_create(struct card *card, const struct program *program, const uint32_t grid[3], uint64_t argument)
{
   const struct hdb_shader *shader = &program->shader;
   struct job *job = calloc(1, sizeof(*job));
   job->commands = card_alloc(card, 4096, false);
   struct writer writer = {job->commands.map, job->commands.map};

   put_packet(&writer, PM4_ACQUIRE_MEM, 7); /* as a driver's preamble does */
   memset(writer.next, 0, 7 * 4);
   writer.next[6] = 1; /* GCR_CNTL: GLI_INV, the instruction cache */
   writer.next += 7;
   uint32_t user_data[] = {argument, argument >> 32};
   put_registers(&writer, USER_DATA_0, 2, user_data);
   uint32_t code[] = {shader->va >> 8, shader->va >> 40 & 0xff};
   put_registers(&writer, PGM_LO, 2, code);
   uint32_t rsrc[] = {shader->rsrc1, shader->rsrc2};
   job->dispatch.rsrc2_dword = put_registers(&writer, PGM_RSRC1, 2, rsrc) + 1;
   job->dispatch.rsrc3_dword = put_registers(&writer, PGM_RSRC3, 1, &shader->rsrc3);
   put_registers(&writer, NUM_THREAD_X, 3, shader->workgroup_size);
   put_packet(&writer, PM4_DISPATCH_DIRECT, 4);
   memcpy(writer.next, grid, 3 * 4);
   writer.next[3] = 1 | 1 << 2 | (shader->wave_size == 32 ? 1 << 15 : 0); /* CS_EN, START_AT_000, CS_W32_EN */
   writer.next += 4;

   job->dwords = writer.next - writer.start;
   job->dispatch.shader_id = shader->id;
   memcpy(job->dispatch.grid, grid, sizeof(job->dispatch.grid));
   return job;
}

void
job_destroy(struct card *card, struct job *job)
{
   while (card->machine && *job->dispatch.rsrc2_dword & RSRC2_TRAP_PRESENT)
      hdb_machine_disarm(card->machine, &job->dispatch);
   card_free(card, &job->commands);
   free(job);
}

void
job_submit(struct card *card, struct job *job)
{
   struct drm_amdgpu_cs_chunk_ib ib = {
      .va_start = job->commands.va, .ib_bytes = job->dwords * 4, .ip_type = AMDGPU_HW_IP_COMPUTE};
   struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib};
   uint64_t chunks[] = {(uintptr_t)&chunk};
   union drm_amdgpu_cs cs = {.in = {.ctx_id = card->context, .num_chunks = 1, .chunks = (uintptr_t)chunks}};
   card_ioctl(card, DRM_IOCTL_AMDGPU_CS, &cs, "CS");
   job->sequence = cs.out.handle;
}

int
job_result(struct card *card, struct job *job, int timeout_ms)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   union drm_amdgpu_wait_cs wait = {
      .in = {.handle = job->sequence,
             .timeout = now.tv_sec * 1000000000ull + now.tv_nsec + timeout_ms * 1000000ull,
             .ip_type = AMDGPU_HW_IP_COMPUTE,
             .ctx_id = card->context},
   };
   int error = vgpu_ioctl(card->gpu, vgpu_fd(card->gpu), DRM_IOCTL_AMDGPU_WAIT_CS, &wait);
   return error ? -errno : wait.out.status ? -ETIME : 0;
}

bool
job_wait(struct card *card, struct job *job, int timeout_ms)
{
   return !job_result(card, job, timeout_ms);
}

bool
job_is_done(struct card *card, struct job *job)
{
   return job_wait(card, job, 0);
}

bool
card_wait_stop(struct card *card, struct job *job)
{
   while (!card_first_stopped(card)) {
      bool done = job_is_done(card, job); /* asked first: nothing can stop after that */
      must(hdb_machine_wait(card->machine, done ? 0 : 2) >= 0, "hdb_machine_wait");
      if (done)
         break;
   }
   return card_first_stopped(card);
}

struct hdb_wave *
card_first_stopped(struct card *card)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(card->machine, &waves);
   for (size_t i = 0; i < count; i++)
      if (waves[i]->run == HDB_WAVE_STOPPED)
         return waves[i];
   return NULL;
}
