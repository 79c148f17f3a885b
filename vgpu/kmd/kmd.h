/* SPDX-License-Identifier: MIT */
/*
 * The kernel driver: DRM and amdgpu ioctls on the card's descriptor.
 *
 * A descriptor of the card is the same file however it was opened or duplicated (all that can be told is its inode),
 * so a card has one DRM file: one set of handles, one GPU address space. It ends with the last descriptor but the
 * card's own (libdrm_amdgpu has one device for all that a process opens, too, and so one file).
 *
 * One lock guards all objects. It is held for look-ups and bookkeeping only, never while memory is cleared or a fence
 * is waited for. Names in `struct kmd` and below need it, unless a comment says otherwise.
 */
#ifndef VGPU_KMD_H
#define VGPU_KMD_H

#include <pthread.h>
#include <sys/types.h>

#include "cp/cp.h"
#include "gpu.h"
#include "vm/vm.h"

int kmd_init(struct vgpu *gpu);
void kmd_stop(struct vgpu *gpu); /* no job is started from here on */
void kmd_finish(struct vgpu *gpu);

/* Whether it is a sync file, this card's or that of another process, or a shared buffer that this card made. */
bool kmd_owns_file(struct vgpu *gpu, int fd);

/* Giving a buffer's memory back takes time: buffers that lost their last reference are freed by kmd_unlock, when the
 * lock has been let go. */
void kmd_lock(struct kmd *kmd);
void kmd_unlock(struct kmd *kmd);

/* ---- handles ---------------------------------------------------------------------------------------------------- */

struct handle_table {
   void **object; /* by handle; [0] is never used */
   uint32_t capacity, count;
   uint32_t lowest_free; /* no handle below it is free */
};

/* The new handle, never 0; 0 if there is no memory. */
uint32_t handle_table_add(struct handle_table *table, void *object);
void *handle_table_get(const struct handle_table *table, uint32_t handle);
void *handle_table_remove(struct handle_table *table, uint32_t handle); /* the object, NULL if there is none */
void handle_table_finish(struct handle_table *table);

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

/* What is on the chip is no memory: it can be owned and counts for the jobs that list it, that is all. */
enum bo_kind { BO_VRAM, BO_GTT, BO_USERPTR, BO_FOREIGN, BO_GDS, BO_GWS, BO_OA };
enum { BO_ON_CHIP_SHIFT = 12 }; /* of their offsets and sizes: the kernel counts the units as pages, too */

struct bo_metadata {
   uint64_t flags, tiling_info;
   uint32_t size;
   uint32_t data[64];
};

struct bo {
   uint32_t refs;   /* its handle, its mappings, its shared files */
   uint32_t handle; /* 0: closed */
   enum bo_kind kind;
   uint64_t offset; /* in its heap; a host address for BO_USERPTR and BO_FOREIGN */
   uint64_t size;   /* whole pages */
   uint64_t asked_alignment;
   uint32_t domains;
   uint64_t flags;      /* AMDGPU_GEM_CREATE_* */
   uint32_t user_flags; /* AMDGPU_GEM_USERPTR_*, of a user pointer */
   int file;            /* its own, which other processes may have (shared_memory.c); -1: none */
   uint32_t mapping_count;
   struct bo_metadata *metadata;
   struct bo *next_dead;
};

struct bo *bo_ref(struct bo *bo);

void bo_unref(struct kmd *kmd, struct bo *bo);
int bo_publish(struct kmd *kmd, struct bo *bo, uint32_t *handle); /* its first handle, or frees it; takes the lock */
bool bo_is_on_chip(const struct bo *bo);
uint8_t *bo_host_address(struct kmd *kmd, const struct bo *bo); /* NULL: it is on the chip */
uint32_t bo_handle(struct kmd *kmd, struct bo *bo); /* its handle, a new one if it was closed; 0: no memory */

/* shared_memory.c: gives the buffer a file of its own, if it has none. */
int bo_share(struct kmd *kmd, struct bo *bo);
int bo_import(struct kmd *kmd, int fd, struct bo **bo); /* a new buffer without a handle; -EINVAL: the file is none */
void bo_close_file(struct kmd *kmd, struct bo *bo);
uint64_t bo_mmap_offset(struct kmd *kmd, const struct bo *bo);

/* userptr.c: what the process has mapped; read when it is first asked. */
struct host_maps {
   struct host_map *maps; /* by address */
   uint32_t count, capacity;
};

/* Whether a user pointer with these flags has its pages: 0, or what the kernel says: -EFAULT, -EPERM. */
int host_maps_check(struct host_maps *maps, uint64_t address, uint64_t size, uint32_t flags);
void host_maps_finish(struct host_maps *maps);

/* A mapping of the address space: what GEM_VA made. */
struct va_mapping {
   uint64_t start, size; /* 48 unsigned bits */
   struct bo *bo;        /* NULL: PRT */
   uint64_t offset;      /* in the bo */
   uint32_t flags;       /* AMDGPU_VM_* */
};

/* struct drm_amdgpu_gem_op as kernels from 6.18 on have it, and struct drm_amdgpu_gem_list_handles. */
struct kmd_gem_op_arguments {
   uint32_t handle, op;
   uint64_t value;
   uint32_t count, padding;
};
struct kmd_list_arguments {
   uint64_t entries;
   uint32_t count, padding;
};
enum { KMD_GEM_LIST_HANDLES = 0x19, KMD_GEM_OP_GET_MAPPING_INFO = 2 };

int gem_list_mappings(struct kmd *kmd, const struct bo *bo, struct kmd_gem_op_arguments *args); /* under the lock */

void va_remove_bo(struct kmd *kmd, struct bo *bo);
void va_remove_all(struct kmd *kmd);

/* va_update.c: the page tables. What is taken out stays there, and the buffer lives, until the jobs submitted so far
 * are done; what comes in its place waits for that. */
struct va_update;
int va_table_map(struct kmd *kmd, const struct va_mapping *mapping);
int va_table_unmap(struct kmd *kmd, const struct va_mapping *mapping); /* one that exists, or a part of it */
bool va_updates_apply(struct kmd *kmd);          /* those whose time has come; whether there were any */
struct fence *va_updates_fence(struct kmd *kmd); /* after which what was mapped so far is; a new reference, or NULL */

/* ---- fences ----------------------------------------------------------------------------------------------------- */

/*
 * Something that happens once. A job signals its fence; an array has signalled when all its parts have; a link of a
 * timeline when its own part and all links before it have. The entry of a log signals when the log says so.
 */
struct fence {
   uint32_t refs;
   bool signaled;
   int error;            /* 0 or negative errno */
   uint64_t signal_time; /* CLOCK_MONOTONIC, ns */
   uint64_t point;       /* of a link; 0: no link */
   uint64_t prev_point;  /* the point before it, also when that link is gone */
   struct fence *prev;   /* the link before; NULL: none, or it has signalled */
   uint32_t part_count;
   struct fence **parts;   /* of an array; a link has one */
   struct syncobj *log_of; /* of an entry in the log of a shared syncobj; else NULL */
   uint64_t serial;        /* in it */
};

struct fence *fence_create(void);
struct fence *fence_create_signaled(void);
struct fence *fence_create_entry(struct syncobj *syncobj, uint64_t serial);
struct fence *fence_create_array(struct fence *const *parts, uint32_t count);            /* takes references */
struct fence *fence_create_link(struct fence *prev, struct fence *part, uint64_t point); /* takes references */
struct fence *fence_ref(struct fence *fence);
void fence_unref(struct fence *fence);
bool fence_is_signaled(struct fence *fence);
void fence_signal(struct fence *fence, int error); /* the caller follows it up with kmd_notify */

/* The fence after which `point` of the timeline that ends in `fence` is reached. A new reference in *found; NULL in it
 * says it has been reached. -EINVAL: the timeline does not go that far yet. Point 0 is the whole fence. */
int fence_find_point(struct fence *fence, uint64_t point, struct fence **found);

/* The last point reached, or with `submitted` the last that has a fence. */
uint64_t fence_last_point(struct fence *fence, bool submitted);

/* A fence has signalled, or a syncobj got one: starts the jobs, wakes the threads and tells the descriptors that were
 * waiting for it. */
void kmd_notify(struct kmd *kmd);

/* A wait's end, as the ioctls give it: absolute CLOCK_MONOTONIC nanoseconds, negative for never with amdgpu's. Time
 * held by vgpu_hold_time is left out. */
struct deadline {
   int64_t end;
   uint64_t held_at_start;
};

struct deadline deadline_at(struct kmd *kmd, int64_t absolute_ns);

/* Waits for the next kmd_notify, with the lock held. False once the deadline has passed. */
bool kmd_wait(struct kmd *kmd, const struct deadline *deadline);

/* ---- syncobjs ---------------------------------------------------------------------------------------------------- */

struct shared_syncobj; /* shared.h */

struct syncobj {
   uint32_t refs; /* handles, waiting jobs, fences in it if it is shared */
   struct fence *fence;
   struct shared_syncobj *shared; /* instead of `fence`, if other processes may have it, too */
};

struct syncobj *syncobj_create(struct fence *fence); /* takes the reference, also when it fails */
struct syncobj *syncobj_ref(struct syncobj *syncobj);
void syncobj_unref(struct syncobj *syncobj);
/* Takes the reference to `fence` (NULL: none any more). It fails only if the syncobj is shared. */
int syncobj_replace_fence(struct syncobj *syncobj, struct fence *fence);
int syncobj_add_point(struct syncobj *syncobj, struct fence *fence, uint64_t point);
/* As fence_find_point; -EINVAL also if there is no fence. */
int syncobj_find_point(struct syncobj *syncobj, uint64_t point, struct fence **fence);

/* ---- eventfds ---------------------------------------------------------------------------------------------------- */

/* An eventfd to be written when a syncobj reaches a point. */
struct eventfd_wait {
   struct syncobj *syncobj;
   struct fence *fence; /* NULL: the point has no fence yet */
   uint64_t point;
   bool available; /* a fence is enough, it need not have signalled */
   int fd;
   struct eventfd_wait *next;
};

void eventfd_waits_check(struct kmd *kmd);
void eventfd_waits_release(struct kmd *kmd); /* those whose syncobj nobody else has */
void eventfd_waits_finish(struct kmd *kmd);

/* ---- contexts and submissions ------------------------------------------------------------------------------------ */

enum { KMD_GFX_RINGS = 1, KMD_COMPUTE_RINGS = 4, KMD_RINGS = KMD_GFX_RINGS + KMD_COMPUTE_RINGS };

/* One thing to wait for before a job may run. */
struct dependency {
   struct syncobj *syncobj; /* while the point has no fence (wait before signal); NULL afterwards */
   uint64_t point;
   struct fence *fence;
};

/* What a submission has for one ring. */
struct job {
   struct cp_job job;
   struct cp_ib *ibs;
   uint32_t ib_count;
   uint32_t ring;
   struct submission *submission;
   struct job *next; /* in its queue */
};

enum { KMD_GANG_SIZE = 4 }; /* AMDGPU_CS_GANG_SIZE */

/* Several jobs are a gang: they start together, and the submission is done when all are. It has its number in the queue
 * of the leader, for whose ring the last indirect buffer was. */
struct submission {
   struct job jobs[KMD_GANG_SIZE];
   uint32_t job_count, jobs_left;
   struct job *leader;
   struct cp_gang gang;
   int status; /* the first error of a job */
   struct kmd *kmd;
   struct context *context;
   uint64_t sequence;
   struct fence *fence;
   struct dependency *dependencies;
   uint32_t dependency_count;
   struct fence *mapped;  /* what was mapped before it, if that waits for other jobs; or NULL */
   struct bo *gds;        /* the part of the global data share it was given; or NULL */
   struct bo *user_fence; /* gets `sequence` at the byte offset when done */
   uint32_t user_fence_offset;
};

/* The jobs of one context for one ring run in the order of their submission, one at a time. */
struct job_queue {
   struct job *first, *last;
   bool running; /* `first` is with the command processor */
   uint64_t sequence;
   uint64_t failed_sequence; /* first that ended in an error; 0: none */
};

struct context {
   uint32_t refs; /* its handle, its submissions */
   uint32_t handle;
   int32_t priority;
   uint32_t stable_pstate;
   bool guilty, guilty_reported;
   uint32_t hangs;
   struct job_queue queue[KMD_RINGS];
   struct context *next; /* of all */
};

void context_unref(struct kmd *kmd, struct context *context);

/* The ring's number in context.queue for an engine, -EINVAL for one the card does not have. */
int kmd_ring_index(uint32_t ip_type, uint32_t ip_instance, uint32_t ring);

/* A new reference to the fence of submission `sequence`; NULL with 0 returned if it has ended well. ~0: the last. */
int kmd_find_fence(struct context *context, uint32_t ring, uint64_t sequence, struct fence **fence);

void submission_free(struct submission *submission);

/* Whether all that it waits for has a fence. */
bool submission_is_promised(const struct submission *submission);

/* Puts the submission at the end of its queues and numbers it; kmd_notify is to follow. */
void kmd_enqueue(struct kmd *kmd, struct submission *submission);

/* Starts every job whose turn has come. */
void kmd_run_ready(struct kmd *kmd);

/* ---- system memory ----------------------------------------------------------------------------------------------- */

/* Between `data` and [address, address + size), as page table entries have it with S set; the lock is not held. -EPERM:
 * not (all) memory of this card's buffers, or a user pointer's without `user_pages`. */
int kmd_system_copy(struct kmd *kmd, uint64_t address, void *data, size_t size, bool write, bool user_pages);

/* ---- trap handlers of user mode -----------------------------------------------------------------------------------
 */

/* Where the kernel's own part of every address space begins: AMDGPU_VA_RESERVED_TRAP_START, 2^48 less 2 MiB for the
 * context save area, 2 MiB for sequence numbers and 64 KiB for the trap handler. User mode maps nothing from here on.
 */
#define KMD_RESERVED_TRAP_START 0xffffffffffbf0000ull

/* union drm_amdgpu_vm, and what SET_L2_TRAP adds to it. */
struct kmd_vm_arguments {
   uint32_t op, flags;
   uint64_t tba, tma;
};
enum { KMD_VM_OP_SET_L2_TRAP = 3, KMD_VM_OP_CLEAR_L2_TRAP = 4 };

enum { KMD_CWSR = 0x1b, KMD_CWSR_0X20 = 0x20, KMD_CWSR_SIZE = 40 };

int gart_init(struct kmd *kmd);
void gart_finish(struct kmd *kmd);
int second_level_init(struct kmd *kmd);
void second_level_finish(struct kmd *kmd);
void second_level_release(struct kmd *kmd);                        /* the file is closed: clears it */
bool second_level_offers(const struct kmd *kmd, uint32_t command); /* whether there is such an ioctl */
int second_level_vm(struct kmd *kmd, const struct kmd_vm_arguments *args);

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Takes away all handles and mappings. */
void kmd_release_file(struct kmd *kmd);

/* Whether the process has a descriptor of this file, the card's or a buffer's, besides our own one. */
bool kmd_file_is_open(dev_t device, ino_t inode, int own);

/* ---- the driver -------------------------------------------------------------------------------------------------- */

struct kmd {
   struct vgpu *gpu;
   pthread_mutex_t lock;
   pthread_cond_t changed; /* CLOCK_MONOTONIC */

   struct vm vm;
   struct va_mapping *mappings; /* sorted by start */
   uint32_t mapping_count, mapping_capacity;
   struct va_update *va_updates; /* in order */

   struct second_level *second_level; /* NULL: not offered */
   uint64_t write_back;               /* a page in the GTT heap */

   struct heap gds, gws, oa;
   struct handle_table bos, syncobjs, contexts;
   struct context *all_contexts;
   struct bo *dead; /* to be freed by kmd_unlock */
   uint32_t jobs;   /* submissions not yet done */

   struct shared_file *shared_files;
   struct shared_syncobj *shared_syncobjs;
   struct watch *watch; /* NULL: nothing is shared */
   struct eventfd_wait *eventfd_waits;

   uint64_t last_fault_va;
   uint32_t last_fault_status; /* GCVM_L2_PROTECTION_FAULT_STATUS; 0: no memory fault yet */
   uint64_t reported[2][4];    /* by enum kmd_report: numbers that were named in the log */
};

/* Whether this was reported before; marks it as reported. The lock is not held. */
enum kmd_report { KMD_REPORT_IOCTL, KMD_REPORT_INFO };
bool kmd_report_once(struct kmd *kmd, enum kmd_report kind, uint32_t number);

/* ioctl handlers: `data` is a copy of the argument, written back by the dispatcher. 0 or negative errno. */
typedef int kmd_handler(struct kmd *kmd, void *data);

kmd_handler kmd_gem_create, kmd_gem_close, kmd_gem_mmap, kmd_gem_metadata, kmd_gem_wait_idle, kmd_gem_op,
   kmd_gem_userptr, kmd_gem_va, kmd_gem_list_handles, kmd_prime_handle_to_fd, kmd_prime_fd_to_handle;
kmd_handler kmd_context, kmd_vm, kmd_cwsr, kmd_cwsr_0x20, kmd_submit, kmd_wait_cs, kmd_wait_fences, kmd_fence_to_handle,
   kmd_info;
kmd_handler kmd_syncobj_create, kmd_syncobj_destroy, kmd_syncobj_handle_to_fd, kmd_syncobj_fd_to_handle,
   kmd_syncobj_wait, kmd_syncobj_timeline_wait, kmd_syncobj_reset, kmd_syncobj_signal, kmd_syncobj_timeline_signal,
   kmd_syncobj_query, kmd_syncobj_transfer, kmd_syncobj_eventfd;

/* ioctls of sync files (type '>'); `file` is the descriptor they were made on. */
int kmd_sync_file_ioctl(struct kmd *kmd, int file, unsigned long request, void *argument);

#endif
