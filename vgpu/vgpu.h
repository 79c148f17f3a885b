/* SPDX-License-Identifier: MIT */
/*
 * libhdb-vgpu: a virtual gfx1100 (RDNA3, Navi31) in the process that uses it.
 *
 * A card has three faces:
 *  - the kernel's: the amdgpu and DRM ioctls on a file descriptor (what a user-mode driver talks to);
 *  - the hardware's: registers, video memory, page tables (what a debugger with debugfs sees);
 *  - a plain one: run this machine code on this grid (what a test or a tool wants).
 *
 * All functions may be called from any thread. `int` results are 0 (or what the comment says) or a negative errno.
 */
#ifndef VGPU_H
#define VGPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VGPU_API __attribute__((visibility("default")))

struct vgpu;

/* ---- the card ------------------------------------------------------------------------------------------------- */

enum vgpu_flags {
   VGPU_POISON = 1 << 0,        /* registers that the launch does not set hold garbage */
   VGPU_LATE_LOADS = 1 << 1,    /* loads land only at the s_waitcnt that waits for them */
   VGPU_STRICT_CACHES = 1 << 2, /* scalar and vector L0 caches do not snoop either (the instruction cache never does) */
   VGPU_CHECK_DEALLOC = 1 << 3, /* a VGPR access after MSG_DEALLOC_VGPRS is reported as a fault */
   VGPU_HOST_POINTERS = 1 << 4, /* pages of the process are mapped at their own addresses on first access */
   VGPU_LOCKSTEP = 1 << 6,      /* in which order waves run follows from `seed` alone: vgpu_release */
   VGPU_VMID_TAKEN = 1 << 5     /* another process has reserved the one VMID that can be (AMDGPU_VM_OP_RESERVE_VMID) */
};

struct vgpu_options {
   uint64_t vram_size; /* bytes; backed on first touch. 0: 8 GiB */
   uint32_t flags;     /* enum vgpu_flags */
   uint32_t quantum;   /* instructions a wave runs before another gets its turn. 0: the default */
   uint64_t seed;      /* VGPU_LOCKSTEP: of the order in which waves run. 0: that in which they are launched */
   void (*log)(void *user, const char *line); /* one line without a newline; NULL: standard error */
   void *log_user;
};

VGPU_API int vgpu_create(const struct vgpu_options *options, struct vgpu **gpu);
VGPU_API void vgpu_destroy(struct vgpu *gpu);

/* The process's card: created on first call when HDB_GPU=virtual is set, NULL otherwise. It outlives everything and
 * takes its flags from HDB_VGPU (a comma list of poison, late-loads, strict-caches, check-dealloc, vmid-taken). */
VGPU_API struct vgpu *vgpu_process_card(void);

/* ---- images: what a T# describes, for whoever has its memory, of this card or of another one --------------------- */

struct vgpu_image;

struct vgpu_image_info {
   uint32_t levels, layers; /* of the view; layers: of arrays and cubes, else 1 */
   uint32_t samples;
   uint32_t components; /* that the format has */
   bool is_integer, is_signed, is_normalized, is_srgb;
   bool is_3d;
};

/* `gb_addr_config`: the register of the card that the image is on; 0: as on this one. -EINVAL with *why (one line): it
 * can't be looked at; -ENOENT: a null descriptor. */
VGPU_API int vgpu_image_open(const uint32_t descriptor[8], uint32_t gb_addr_config, struct vgpu_image **image,
                             const char **why);
VGPU_API void vgpu_image_close(struct vgpu_image *image);
VGPU_API const struct vgpu_image_info *vgpu_image_info(const struct vgpu_image *image);
/* Width, height, depth of a level, counted from the view's first one. */
VGPU_API void vgpu_image_size(const struct vgpu_image *image, uint32_t level, uint32_t size[3]);

/* The texels of a rectangle, as an instruction would load them (format and swizzle of the view applied), four dwords
 * each: floats, or integers of integer formats. `layer`: of arrays and cubes, counted from the view's first; the slice
 * of 3D images. What is outside of the image is -ERANGE; what `read` fails with, is returned. Sample 0 of multisampled
 * ones.
 */
VGPU_API int vgpu_image_read(struct vgpu_image *image, uint32_t level, uint32_t layer, uint32_t x, uint32_t y,
                             uint32_t width, uint32_t height,
                             int (*read)(void *user, uint64_t va, void *data, size_t size), void *user,
                             uint32_t *texels);

/* A texel of a buffer from its element, as an instruction would load it by the V#: floats, or integers. Returns how
 * many components the format has; -EINVAL: it is none that buffers have. */
VGPU_API int vgpu_texel_decode(const uint32_t descriptor[4], const uint8_t element[16], uint32_t texel[4]);

/* ---- the kernel's face ----------------------------------------------------------------------------------------- */

/* The card's file descriptor: a memfd that is also the backing store of its memory, so that mmap works on it, for all
 * buffers but those that are shared with other processes. */
VGPU_API int vgpu_fd(struct vgpu *gpu);

/* The card that `fd` belongs to (by inode, so duplicates count), or NULL; sync files made by the card count too. */
VGPU_API struct vgpu *vgpu_from_fd(int fd);

/* As ioctl(2) on the card: 0, or -1 with errno set. */
VGPU_API int vgpu_ioctl(struct vgpu *gpu, int fd, unsigned long request, void *arg);

/* As close(2) on a descriptor that belongs to the card. With the last one but vgpu_fd() go all buffers, mappings,
 * contexts and so on that were made through them and are still there. */
VGPU_API int vgpu_close(struct vgpu *gpu, int fd);

/* As mmap(2) on the card, for every buffer: `offset` is what DRM_AMDGPU_GEM_MMAP gave, negative for those that have a
 * file of their own. */
VGPU_API void *vgpu_mmap(struct vgpu *gpu, void *address, size_t length, int protection, int flags, int64_t offset);

/* ---- the hardware's face --------------------------------------------------------------------------------------- */

#define VGPU_BROADCAST 0xffffffffu

/* Banks of a register access: what the kernel programs into GRBM_GFX_CNTL and GRBM_GFX_INDEX around it. */
struct vgpu_bank {
   uint32_t me, pipe, queue, vmid;
   uint32_t se, sa, instance; /* VGPU_BROADCAST or a number; instance = wgp << 2 | simd */
};

/* `address`: the register's byte address, 4 * (GC base + offset), as in amdgpu_regs2. -EINVAL: no such register. With
 * `bank` NULL what stands in GRBM_GFX_CNTL and GRBM_GFX_INDEX chooses the bank. The card is stopped meanwhile. */
VGPU_API int vgpu_register_read(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t address, uint32_t *value);
VGPU_API int vgpu_register_write(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t address, uint32_t value);

/* What an address watch has last seen a wave do: the lanes whose accesses touched a 128-byte block that it covers, 0
 * where that is not known, and their addresses; `stride` is from one dword of a lane to its next. What they found there
 * and left there, and which of such accesses of all waves it was (1 for the first). `wave` as in SQ_IND_INDEX. -ENOENT:
 * there is no such wave. A card of silicon can't tell. */
struct vgpu_watched {
   uint64_t lanes;
   uint32_t stride;
   bool values; /* `before` and `after` are known */
   uint64_t order;
   uint64_t va[64];
   uint8_t bytes[64]; /* that the lane has accessed */
   uint8_t before[64][16], after[64][16];
};
VGPU_API int vgpu_watched_read(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t wave,
                               struct vgpu_watched *watched);

/* Video memory by physical address (0 is the first byte of VRAM). */
VGPU_API int vgpu_vram_read(struct vgpu *gpu, uint64_t address, void *data, size_t size);
VGPU_API int vgpu_vram_write(struct vgpu *gpu, uint64_t address, const void *data, size_t size);

/* Memory through the page tables of `vmid`. -EFAULT: not mapped. Protection bits are not applied. */
VGPU_API int vgpu_memory_read(struct vgpu *gpu, uint32_t vmid, uint64_t va, void *data, size_t size);
VGPU_API int vgpu_memory_write(struct vgpu *gpu, uint32_t vmid, uint64_t va, const void *data, size_t size);

/* What the card itself may do at `va`; -EFAULT: not mapped. */
enum vgpu_access { VGPU_ACCESS_READ = 1, VGPU_ACCESS_WRITE = 2, VGPU_ACCESS_EXECUTE = 4 };
VGPU_API int vgpu_memory_access(struct vgpu *gpu, uint32_t vmid, uint64_t va, uint32_t *access);

/* A run of pages that are mapped alike. */
struct vgpu_mapping {
   uint64_t va, size; /* canonical */
   uint32_t access;   /* set of enum vgpu_access */
   uint32_t mtype;    /* as in the page table entry */
   bool backed;       /* by memory; otherwise reads give 0 and writes are dropped */
};

/* The first one at or behind `va`, which may lie within it: then what is left of it. -ENOENT: there is none. */
VGPU_API int vgpu_memory_next(struct vgpu *gpu, uint32_t vmid, uint64_t va, struct vgpu_mapping *mapping);

/* Notes from now on which memory is written (`on` false: no more). What was written between the last two calls can be
 * asked for then; after the first one everything may have been. The card is stopped meanwhile. */
VGPU_API int vgpu_collect_writes(struct vgpu *gpu, bool on);
/* Also true for what the process can write to by itself, and for what was not mapped there before. */
VGPU_API bool vgpu_memory_may_have_changed(struct vgpu *gpu, uint32_t vmid, uint64_t va, uint64_t size);

/* The hardware id of the address space that the card's descriptor has; it does not change afterwards. -EBUSY: all ids
 * are taken. */
VGPU_API int vgpu_reserve_vmid(struct vgpu *gpu, uint32_t *vmid);

enum vgpu_interrupt {
   VGPU_INTERRUPT_MESSAGE = 1, /* s_sendmsg MSG_INTERRUPT; data: M0 */
   VGPU_INTERRUPT_FAULT = 2    /* a memory fault, illegal instruction or hang; data: enum vgpu_fault_kind */
};

/* Called on the GPU's thread; must not block nor call back into the card. One at a time; NULL takes it away. */
VGPU_API void vgpu_set_interrupt_handler(struct vgpu *gpu,
                                         void (*handler)(void *user, enum vgpu_interrupt source, uint32_t data),
                                         void *user);

/* Says that memory which a waiting wave may be polling was changed by the host. */
VGPU_API void vgpu_wake(struct vgpu *gpu);

/*
 * For a debugger of a card with VGPU_LOCKSTEP. From a wave's interrupt message on only waves in the trap handler and
 * those that are single-stepped run; the handler is called once all these wait for the debugger. vgpu_release: the
 * others go on, too, once what the debugger has told those in the handler has been taken in.
 */
VGPU_API void vgpu_set_lockstep(struct vgpu *gpu, bool on, uint64_t seed); /* as the flag does, from now on */
VGPU_API void vgpu_release(struct vgpu *gpu);
/* Whether all waves wait for the debugger. Without VGPU_LOCKSTEP that is never known, and the answer yes. */
VGPU_API bool vgpu_is_settled(struct vgpu *gpu);

/* While time is held, waits on the card's fences do not run into their deadlines, nor jobs into the hang limit.
 * Calls nest. */
VGPU_API void vgpu_hold_time(struct vgpu *gpu, bool hold);

/* ---- the plain face -------------------------------------------------------------------------------------------- */

enum vgpu_fault_kind {
   VGPU_FAULT_NONE,
   VGPU_FAULT_MEMORY,
   VGPU_FAULT_ILLEGAL_INSTRUCTION,
   VGPU_FAULT_HANG,
   VGPU_FAULT_DEALLOCATED_VGPR
};

struct vgpu_fault {
   enum vgpu_fault_kind kind;
   uint64_t va; /* faulting address (memory) */
   uint64_t pc;
   bool write;
   char text[256]; /* one line for people */
};

/* The registers of one wave. */
struct vgpu_wave_state {
   uint32_t wave_size; /* lanes */
   uint32_t workgroup[3];
   uint32_t wave; /* in the workgroup */
   uint64_t pc, exec, vcc;
   uint32_t m0, status, mode, trapsts;
   uint32_t sgpr[106];
   uint32_t vgpr_count;
   const uint32_t (*vgpr)[64]; /* [register][lane] */
};

struct vgpu_dispatch {
   const void *code; /* gfx1100 machine code, copied into the card */
   size_t code_size;
   uint32_t workgroups[3];
   uint32_t workgroup_size[3];
   uint64_t argument;            /* s[0:1]; with VGPU_HOST_POINTERS any pointer of the process */
   uint32_t rsrc1, rsrc2, rsrc3; /* COMPUTE_PGM_RSRC1..3; USER_SGPR is raised to 2 */
   uint32_t scratch_size;        /* bytes a lane */
   bool wave32;
   void (*wave_ended)(void *user, const struct vgpu_wave_state *state); /* or NULL; on the GPU's thread */
   void *user;
};

/* Runs to the end. 0, or -EFAULT with *fault filled in. */
VGPU_API int vgpu_run(struct vgpu *gpu, const struct vgpu_dispatch *dispatch, struct vgpu_fault *fault);

/* ---- the instruction set --------------------------------------------------------------------------------------- */

/* One instruction as text, LLVM's spelling. Returns its size in bytes (4, 8, 12, ...), or -EINVAL for bytes that are
 * no gfx1100 instruction, or -ENODATA if `size` ends inside one. With a `wave_size` of 32 lane masks are single
 * registers (vcc_lo, s0) and there are dual instructions; with 64 they are pairs. `pc` serves branch targets. */
VGPU_API int vgpu_disassemble(const void *code, size_t size, uint32_t wave_size, uint64_t pc, char *text,
                              size_t text_size);

#ifdef __cplusplus
}
#endif

#endif
