/* SPDX-License-Identifier: MIT */
/*
 * Waves: launch, scheduling, barriers, traps, and what SQ_CMD and SQ_IND do to them.
 *
 * Everything runs on the card's one thread, or on a thread that has stopped it (cp_lock). A wave is a state machine
 * that the scheduler gives a quantum of instructions to; nothing here blocks.
 */
#ifndef VGPU_SQ_H
#define VGPU_SQ_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "cp/cp.h"
#include "gpu.h"
#include "sq/wave.h"

struct icache;
struct sq_wave;
struct sq_queue;

/* Navi31: 6 shader engines of 2 arrays of 4 workgroup processors; each has 4 SIMDs of 16 wave slots. */
enum {
   SQ_SES = 6,
   SQ_SAS = 2,
   SQ_WGPS_PER_SA = 4,
   SQ_WGPS = SQ_SES * SQ_SAS * SQ_WGPS_PER_SA,
   SQ_SIMDS = 4,
   SQ_SLOTS = 16,
   SQ_SLOTS_PER_SE = SQ_SAS * SQ_WGPS_PER_SA * SQ_SIMDS * SQ_SLOTS,
   SQ_VGPRS_PER_SIMD = 1536,    /* of 32 lanes; a register of a wave64 takes two */
   SQ_LDS_PER_WGP = 128 * 1024, /* two CUs' */
   SQ_LDS_PER_WORKGROUP = 64 * 1024,
   SQ_MAX_WORKGROUP_WAVES = 32,
   SQ_MAX_SCRATCH_PER_WAVE = 0x7fff * 256 /* TMPRING_SIZE.WAVESIZE has 15 bits of 256 bytes */
};

/* ---- dispatches ---- */

/* A dispatch with its launch registers as they stood when its packet was executed. */
struct sq_dispatch {
   struct vm *vm;
   uint32_t ordinal; /* in its job, from 0 */
   uint64_t pc;      /* of the first instruction, canonical */
   uint32_t rsrc1, rsrc2, rsrc3;
   uint32_t user_data[16];
   uint32_t start[3], end[3]; /* workgroup ids, end exclusive */
   uint32_t full[3];          /* threads of a workgroup */
   uint32_t partial[3];       /* threads of the last workgroup of each dimension */
   bool wave32;
   uint64_t scratch_base;
   uint32_t scratch_stride;       /* bytes a wave */
   uint32_t scratch_waves_per_se; /* TMPRING_SIZE.WAVES */

   /* Derived by sq_start. */
   uint32_t vgpr_count, lds_size;
   bool reads_exceptions; /* the program looks at what arithmetic raises */
};

struct workgroup {
   struct sq_queue *queue;
   struct wgp *wgp;
   uint32_t id[3];
   uint32_t size[3]; /* threads */
   uint32_t wave_count;
   uint32_t ended;   /* waves that have ended */
   uint32_t arrived; /* waves that wait at the barrier */
   uint8_t *lds;
   uint32_t lds_capacity;
   struct sq_wave *waves[SQ_MAX_WORKGROUP_WAVES];
   struct workgroup *next; /* of the free list */
};

/* Where the scheduler keeps a wave. */
enum sq_place {
   SQ_READY,
   SQ_SLEEPING, /* in s_sleep; goes on at `wake_at` or when woken */
   SQ_BLOCKED,  /* at a barrier or halted */
   SQ_PLACES,
   SQ_RUNNING /* on no list */
};

struct sq_wave {
   struct wave wave; /* must be first: the interpreter sees nothing else */
   struct sq_queue *queue;
   TAILQ_ENTRY(sq_wave) link;
   enum sq_place place;
   uint64_t wake_at;       /* CLOCK_MONOTONIC, ns */
   uint32_t naps;          /* s_sleeps in a row without being woken or having done much else */
   uint32_t ran_since_nap; /* instructions */
   bool in_barrier;        /* has arrived and is not released; STATUS.IN_BARRIER shows it */
   bool start_trap;        /* TRAP_ON_START: enters the handler before its first instruction */
   bool step_trap;         /* single-stepped an s_barrier; enters the handler once released */
   bool single_step;       /* SQ_CMD SINGLE_STEP: one instruction although halted */
   bool counted_priv;      /* is counted in queue->privileged */
   bool counted_parked;    /* and in queue->parked */
   bool has_looked;        /* has slept since it was woken by vgpu_wake, or came into the handler */
   uint16_t scratch_slot;  /* of its SE */
   uint64_t turn;          /* the order of those that are ready (lockstep) */
   uint32_t slice_left;    /* of an interrupted slice, instructions */
   uint32_t slice_used;
   uint32_t vgpr_cost;     /* taken from its SIMD; 0 after MSG_DEALLOC_VGPRS */
   uint32_t vgpr_capacity; /* of wave.vgpr */
};

TAILQ_HEAD(sq_wave_list, sq_wave);

/* A hardware queue, seen from the waves: one dispatch at a time, and its resident waves. */
struct sq_queue {
   struct vgpu *gpu;
   uint32_t me, pipe, queue; /* ME 0: graphics */
   struct cp_job *job;       /* that the dispatch belongs to */
   bool busy;                /* a dispatch is under way */
   struct sq_dispatch dispatch;
   uint32_t next[3];         /* workgroup to be launched next */
   uint32_t launched, total; /* workgroups */
   struct sq_wave_list waves[SQ_PLACES];
   uint32_t resident;       /* waves */
   uint32_t privileged;     /* of these, in the trap handler */
   uint32_t parked;         /* of these, have slept in it */
   uint64_t wake_at;        /* earliest of its sleepers; ~0: none */
   uint64_t ended;          /* waves that have ended, ever */
   uint64_t invocations;    /* compute invocations, ever (pipeline statistics) */
   uint64_t turns;          /* given out */
   struct sq_wave *current; /* whose slice an interrupt has cut short; NULL: none's */
   uint64_t shuffle;        /* xorshift64*, for the order of waves; 0: that of the launches */
   bool faulted;            /* `fault` stops the job */
   struct vgpu_fault fault; /* also one that a trap handler let the job go on after; VGPU_FAULT_NONE: none */
};

/* A workgroup processor's resources. */
struct wgp {
   uint32_t se, sa, number;
   uint32_t workgroups;
   uint32_t lds_used;
   uint32_t slots[SQ_SIMDS]; /* bits: taken */
   uint32_t vgprs_used[SQ_SIMDS];
   struct sq_wave *waves[SQ_SIMDS][SQ_SLOTS];
};

struct sq {
   struct vgpu *gpu;
   struct icache *icache;
   struct tlb tlb;
   uint32_t quantum;
   struct wgp wgps[SQ_WGPS];
   uint32_t next_wgp;                                    /* workgroups go round the processors */
   uint64_t scratch_slots[SQ_SES][SQ_SLOTS_PER_SE / 64]; /* bits: taken */
   uint64_t random;                                      /* xorshift64*, for VGPU_POISON and undependable reads */
   uint32_t sleepers;                                    /* waves in s_sleep on the whole card */
   bool frozen, announced, release_wanted;               /* lockstep.c */
   uint32_t message;                                     /* of the interrupt that is to be announced */
   uint64_t executed;                                    /* instructions in slices that are over: lockstep's clock */
   struct sq_queue queues[CP_RINGS];
   /* For tests: sees every wave that has just entered the trap handler, or just left it. */
   void (*trap_observer)(void *user, const struct wave *wave, bool entered);
   void *trap_observer_user;
   struct sq_wave_list free_waves;
   struct workgroup *free_workgroups;
};

/* Called by cp_init and cp_finish. */
int sq_init(struct vgpu *gpu);
void sq_finish(struct vgpu *gpu);

/* launch.c */
int sq_start(struct sq_queue *queue, const struct sq_dispatch *dispatch); /* -EINVAL: fits no card; queue->fault */
bool sq_launch_workgroup(struct sq_queue *queue);                         /* false: all launched, no room, or stalled */
bool sq_launch_stalled(struct sq_queue *queue); /* by SPI_GDBG_PER_VMID_CNTL or SPI_GDBG_WAVE_CNTL */
uint32_t sq_random(struct sq *sq);

/* place.c */
struct wgp *sq_find_room(struct sq *sq, const struct sq_dispatch *dispatch, uint32_t waves, uint32_t vgpr_cost);
uint32_t sq_room_on_simd(const struct wgp *wgp, int simd, uint32_t vgpr_cost); /* waves that still fit */
struct workgroup *sq_take_workgroup(struct sq *sq, uint32_t lds_size);         /* NULL: out of memory */
struct sq_wave *sq_take_wave(struct sq *sq, uint32_t vgpr_count);              /* NULL: out of memory */
void sq_give_back_workgroup(struct sq *sq, struct workgroup *workgroup);
void sq_place_wave(struct sq_wave *wave, struct wgp *wgp, int simd, uint32_t vgpr_cost);
void sq_release_vgprs(struct sq_wave *wave);
void sq_release_wave(struct sq_wave *wave); /* gives back its resources; with the last one its workgroup's */

/* schedule.c */
bool sq_run(struct sq_queue *queue);                         /* one turn; false: nothing could run */
bool sq_wake_sleepers(struct sq_queue *queue, uint64_t now); /* those whose time has come; ~0: all, as vgpu_wake does */
void sq_make_ready(struct sq_wave *wave);
void sq_reconsider(struct sq_wave *wave); /* after a change from outside: it may be able to run now */
void sq_end_wave(struct sq_wave *wave);
const struct sq_wave *sq_any_wave(const struct sq_queue *queue); /* a resident one, for messages; or NULL */
void sq_cancel(struct sq_queue *queue);                          /* kills every wave and drops the dispatch */

/* lockstep.c */
bool sq_lockstep_holds(const struct sq_wave *wave);  /* it is not to run now */
bool sq_lockstep_queues(const struct sq_wave *wave); /* one that becomes ready goes behind the others */
/* False: it was cut short. */
bool sq_lockstep_end_slice(struct sq_wave *wave, uint32_t used, uint32_t left, bool was_frozen);
bool sq_lockstep_interrupt(struct sq *sq, uint32_t data); /* a wave's message; false: tell it at once */
bool sq_lockstep_advance(struct sq *sq);                  /* after each turn; true: waves can run that could not */
void sq_lockstep_start(struct sq_queue *queue);           /* of a dispatch */
void sq_lockstep_end(struct sq *sq);                      /* of one */
struct sq_wave *sq_lockstep_choose(struct sq_queue *queue, uint32_t *quantum); /* who runs next; NULL: none can */

/* barrier.c */
void sq_barrier_arrive(struct sq_wave *wave);
void sq_barrier_check(struct workgroup *workgroup); /* after a wave has arrived or ended */

/* trap.c */

/* SQ_SHADER_TBA and SQ_SHADER_TMA of the wave's VMID, as byte addresses (canonical); for s_sendmsg_rtn, which returns
 * them shifted right by 8, too. */
uint64_t sq_trap_base(const struct wave *wave);
uint64_t sq_trap_memory(const struct wave *wave);
bool sq_trap_installed(const struct wave *wave); /* SQ_SHADER_TBA_HI.TRAP_EN */

void sq_take_pending_traps(struct sq_wave *wave); /* wave start, host trap, end of a stepped barrier */
void sq_trap(struct sq_wave *wave, bool stepped); /* after ISA_TRAP: handler, or the end of the job */
void sq_trap_step(struct sq_wave *wave);          /* after an instruction with MODE.TRAP_AFTER_INST */
bool sq_trap_wave_end(struct sq_wave *wave);      /* at s_endpgm: true if the handler goes first */

/* debug_registers.c */
struct sq_selection {
   uint32_t se, sa, instance; /* VGPU_BROADCAST or a number; instance = wgp << 2 | simd */
   uint32_t me, pipe;
};
void sq_command(struct vgpu *gpu, const struct sq_selection *selection, uint32_t command); /* SQ_CMD */
uint32_t sq_indirect_read(struct vgpu *gpu, const struct sq_selection *selection, uint32_t index);
void sq_indirect_write(struct vgpu *gpu, const struct sq_selection *selection, uint32_t index, uint32_t value);
const struct sq_wave *sq_selected_wave(struct vgpu *gpu, const struct sq_selection *selection, uint32_t slot);

#endif
