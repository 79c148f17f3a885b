/* SPDX-License-Identifier: MIT */
/*
 * The debugger at machine level, one for each address space on a card: arms dispatches, plants traps, learns of stopped
 * waves, reads and writes their state, resumes them. Knows instructions and addresses, but neither SPIR-V nor source
 * lines.
 *
 * All functions are called on the engine's thread, except where noted. `int` results are 0 or a negative errno.
 */
#ifndef HDB_MACHINE_H
#define HDB_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hdb/hdb_driver.h"
#include "target/target.h"

struct hdb_machine;
struct hdb_mapping;
struct hdb_target;

int hdb_machine_create(struct hdb_driver *driver, struct hdb_target *target, struct hdb_machine **machine);
void hdb_machine_destroy(struct hdb_machine *machine); /* resumes every wave, removes every trap, restores registers */

/* From now on memory comes from, and goes back to, another device of the same address space. What the trap handler has
 * stays: such devices can free each other's. */
void hdb_machine_set_driver(struct hdb_machine *machine, struct hdb_driver *driver);

/* The device can't be reached any more (hdb_machine_wait has given an error): takes out every trap and lets all waves
 * go on, as far as that can be done in memory. Arming and planting give -EIO from now on. */
void hdb_machine_give_up(struct hdb_machine *machine);

/* Waves are numbered from *counter on, which other machines may count on with. By default each machine has its own. */
void hdb_machine_share_wave_ids(struct hdb_machine *machine, uint32_t *counter);

/* Why waves can't be stopped on this machine, in one line; NULL: they can. Arming and planting give -ENOTSUP then. */
const char *hdb_machine_problem(const struct hdb_machine *machine);

/* From any thread. A shader's struct stays valid until removed; removing forgets the traps planted in it. */
void hdb_machine_add_shader(struct hdb_machine *machine, const struct hdb_shader *shader);
void hdb_machine_remove_shader(struct hdb_machine *machine, const struct hdb_shader *shader);

/* ---- arming ---- */

enum hdb_arm_flags {
   HDB_ARM_STOP_AT_ENTRY = 1 << 0, /* its waves stop at their first instruction; otherwise only planted traps work */
   HDB_ARM_NO_PLANT = 1 << 1       /* waves run unarmed that would pass over a trap: TRAP_ON_START in any case */
};

/* Sets the trap bits in the dispatch's recorded launch words; the old words are kept and put back by disarm. Before
 * the first one the trap handler and its memory are installed. */
int hdb_machine_arm(struct hdb_machine *machine, const struct hdb_dispatch *dispatch, uint32_t flags);
void hdb_machine_disarm(struct hdb_machine *machine, const struct hdb_dispatch *dispatch);
/* The same without touching the words: their memory is the application's again, or gone. */
void hdb_machine_forget(struct hdb_machine *machine, const struct hdb_dispatch *dispatch);
/* Other flags for one that is armed. What the command processor has read by then stays as it was: it may be some way
 * ahead of the waves. */
void hdb_machine_rearm(struct hdb_machine *machine, const struct hdb_dispatch *dispatch, uint32_t flags);

/* Whether dispatches armed with HDB_ARM_STOP_AT_ENTRY do stop: on again with each such arming; off lets the waves that
 * have not started yet run. */
void hdb_machine_set_entry_stops(struct hdb_machine *machine, bool stop);

/* For devices where TRAP_ON_START can't be depended on (the kernel lets nobody use it on Navi31): dispatches armed from
 * now on have an s_trap planted at their shader's first instruction instead, where that can be. It counts as planted
 * until they are disarmed, or it is dropped, as it must be before a dispatch of the shader runs unarmed; their waves
 * are not stopped at their entry then. */
void hdb_machine_use_entry_traps(struct hdb_machine *machine, bool use);
void hdb_machine_drop_entry_traps(struct hdb_machine *machine, const struct hdb_shader *shader);

/* Only waves of this workgroup stop (decided by the trap handler); NULL: all. */
void hdb_machine_set_workgroup_filter(struct hdb_machine *machine, const uint32_t workgroup[3]);

/* Plants or removes `s_trap 1` at an instruction of a shader. Nested plants of one place are counted. From then on
 * every dispatch of the shader must be armed: without TRAP_EN an s_trap is a no-op, and the instruction that it
 * replaced would be lost. An s_clause around it is an s_nop meanwhile. -EINVAL: no instruction starts there; -ENOTSUP:
 * it is an s_trap itself, or one of the few that can't be run out of place; -ENOSPC: thousands are planted. */
int hdb_machine_plant(struct hdb_machine *machine, const struct hdb_shader *shader, uint32_t pc);
void hdb_machine_unplant(struct hdb_machine *machine, const struct hdb_shader *shader, uint32_t pc);
/* Where the instruction that holds `pc` starts, and where the next one does (the end of the code, if none). False:
 * outside of the code. */
bool hdb_machine_find_instruction(struct hdb_machine *machine, const struct hdb_shader *shader, uint32_t pc,
                                  uint32_t *start, uint32_t *next);
bool hdb_machine_has_plants(struct hdb_machine *machine, const struct hdb_shader *shader);

/* ---- waves ---- */

enum hdb_wave_run { HDB_WAVE_RUNNING, HDB_WAVE_STOPPED };

enum hdb_stop_cause {
   HDB_STOP_ENTRY,      /* wave start */
   HDB_STOP_BREAKPOINT, /* a planted trap */
   HDB_STOP_STEP,       /* a single step or a range step ended */
   HDB_STOP_HALT,       /* asked for by hdb_machine_stop_all, or along with another wave's stop */
   HDB_STOP_WATCH,      /* an instruction in front of the pc has touched what is watched; wave->trapsts says by which */
   HDB_STOP_TRAP,       /* an s_trap of the program's own; wave->trap_id */
   HDB_STOP_FAULT       /* memory violation, illegal instruction, arithmetic exception; wave->trapsts */
};

/* What has become of a stop, for the caller to note. */
enum hdb_stop_notice {
   HDB_STOP_NEW,
   HDB_STOP_PENDING, /* put off: the wave is not to run on before it is shown */
   HDB_STOP_SEEN     /* shown, or of no interest */
};

/* A wave that the machine knows of: one that has stopped and not ended since. */
struct hdb_wave {
   uint32_t id; /* small, unique for the life of the machine, and among those that share their numbers */
   enum hdb_wave_run run;
   enum hdb_stop_cause cause;
   enum hdb_stop_notice notice;     /* new whenever it stops, seen when its pc is set */
   const struct hdb_shader *shader; /* NULL: the pc is in no known shader */
   uint64_t pc;                     /* of the next instruction, canonical */
   uint64_t exec;
   uint32_t wave_size;
   bool workgroup_known;
   uint32_t workgroup[3];
   uint32_t index; /* in the workgroup; valid with workgroup_known */
   uint32_t hw_id1, hw_id2, status, mode, trapsts;
   uint8_t trap_id;
   uint32_t sgpr_count, vgpr_count;
   uint32_t slot;
   uint32_t origin; /* for the caller's use, 0 at first */
   /* Likewise, cleared whenever the wave stops: */
   bool judged;
   uint32_t hit;
   uint64_t hit_lanes, hit_order;
};

/* Waits up to timeout_ms (negative: for ever) for waves to stop. 1: at least one has (they are marked), or one that was
 * being stepped has ended (it is not found any more); 0: none, or a negative errno. A stop that the filter or a zero
 * EXEC makes uninteresting has been resumed already. */
int hdb_machine_wait(struct hdb_machine *machine, int timeout_ms);
/* A descriptor to poll: readable when hdb_machine_wait may have something. -1: there is none, call it now and then. */
int hdb_machine_event_fd(struct hdb_machine *machine);
void hdb_machine_interrupt_wait(struct hdb_machine *machine); /* from any thread: makes wait return */

/* The known waves, sorted by workgroup and index; valid until the next call that waits or resumes. */
size_t hdb_machine_waves(struct hdb_machine *machine, struct hdb_wave *const **waves);
struct hdb_wave *hdb_machine_find_wave(struct hdb_machine *machine, uint32_t id);
/* Waves that have ended are noticed in hdb_machine_wait when nothing has stopped; this looks now. */
void hdb_machine_forget_ended(struct hdb_machine *machine);
/* Where the device can do that (the virtual GPU): waves run in an order that stops do not change, as in a replay. */
void hdb_machine_set_lockstep(struct hdb_machine *machine, bool on);
int hdb_machine_resident_waves(struct hdb_machine *machine); /* on the device now, by its own registers; -ENOTSUP */

/* A wave that is on the GPU and has not stopped. */
enum hdb_live_state {
   HDB_LIVE_RUNNING,
   HDB_LIVE_UNARMED, /* of a dispatch that is not armed: nothing stops it */
   HDB_LIVE_BARRIER, /* waits in s_barrier, and takes no trap there */
   HDB_LIVE_ENDING,  /* past the deallocation of its registers: there is nothing to save it with */
   HDB_LIVE_HANDLER  /* in the trap handler */
};
struct hdb_live_wave {
   uint32_t slot; /* of the hardware: se 11:9, sa 8, wgp 7:6, simd 5:4, wave 3:0 */
   enum hdb_live_state state;
   uint64_t pc; /* canonical */
   const struct hdb_shader *shader;
};
/* How many there are, and up to `capacity` of them; -ENOTSUP: by a second-level trap handler alone that can't be seen.
 */
int hdb_machine_live_waves(struct hdb_machine *machine, struct hdb_live_wave *waves, int capacity);

/* Stops what can be stopped: holds back launches, sends host traps to the debugged address space, waits for the waves
 * to report. Waves waiting in a barrier or past deallocation may not; the result counts those that did. */
int hdb_machine_stop_all(struct hdb_machine *machine);

/* Address watches: a wave of an armed dispatch stops behind an instruction of vector memory that touches the range, a
 * power of two of at least 128 bytes and aligned to its size. -ENOTCONN: registers are out of reach; -EACCES: another
 * debugger has it. */
int hdb_machine_set_watch(struct hdb_machine *machine, uint32_t watch, uint64_t va, uint64_t size,
                          enum hdb_watch_mode mode);
void hdb_machine_clear_watch(struct hdb_machine *machine, uint32_t watch);
/* Whether such a wave stands right behind that instruction; otherwise others may have followed. */
bool hdb_machine_has_precise_watches(const struct hdb_machine *machine);
/* What they have seen it do, where the card tells; -ENOTSUP: it does not. */
int hdb_machine_read_watched(struct hdb_machine *machine, const struct hdb_wave *wave, struct hdb_watched *watched);

/* The page that the device's last memory fault was about. -ENOENT: there was none. */
int hdb_machine_fault_address(struct hdb_machine *machine, uint64_t *va);

enum hdb_resume_how {
   HDB_RESUME_CONTINUE,
   HDB_RESUME_STEP,      /* one instruction */
   HDB_RESUME_STEP_RANGE /* until the pc is outside [low, high) with a lane active, decided by the trap handler */
};
/* A wave that was stepped into s_barrier: hdb_machine_wait lets the stopped waves of its workgroup run up to it. Where
 * stops of these are pending, it makes them new instead, and returns. */
int hdb_machine_resume(struct hdb_machine *machine, struct hdb_wave *wave, enum hdb_resume_how how, uint64_t low,
                       uint64_t high);
int hdb_machine_resume_all(struct hdb_machine *machine);                  /* and lets new waves launch again */
int hdb_machine_kill(struct hdb_machine *machine, struct hdb_wave *wave); /* ends a stopped wave where it is */

/* ---- state of a stopped wave ---- */

/* Register numbers: SGPR 0..105, then VCC_LO 106, VCC_HI 107, TTMP 108..123, M0 125, EXEC_LO 126, EXEC_HI 127 (the
 * manual's scalar selectors). */
int hdb_wave_read_scalar(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t reg, uint32_t *value);
int hdb_wave_write_scalar(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t reg, uint32_t value);
int hdb_wave_read_vgpr(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t vgpr, uint32_t lanes[64]);
int hdb_wave_write_vgpr(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t vgpr, uint32_t lane,
                        uint32_t value);
/* -EINVAL: no instruction of the wave's shader starts there (of any shader, for a wave that has left its own). */
int hdb_wave_set_pc(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t pc);
int hdb_wave_set_scc(struct hdb_machine *machine, struct hdb_wave *wave, bool scc);

/* Through the stopped wave (its LDS; its view of memory), by mailbox command. */
int hdb_wave_read_lds(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t offset, void *data, size_t size);
int hdb_wave_write_lds(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t offset, const void *data,
                       size_t size);
/* `offset` counts in the lane's scratch. -EFAULT: beyond its end. */
int hdb_wave_read_scratch(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset,
                          void *data, size_t size);
int hdb_wave_write_scratch(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset,
                           const void *data, size_t size);
int hdb_wave_scratch_address(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset,
                             uint64_t *va); /* of the dword */
/* What the wave may not touch is reached from outside, as by hdb_machine_*_memory below; -EACCES: neither way. */
int hdb_wave_read_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, void *data, size_t size);
int hdb_wave_write_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, const void *data,
                          size_t size);

/* Until released, what is read through this wave is read once: for an expression, also in all of its lanes. It may be
 * held meanwhile for others that look at the same wave. */
void hdb_wave_hold_memory(struct hdb_machine *machine, const struct hdb_wave *wave);
void hdb_wave_release_memory(struct hdb_machine *machine);
/* Until hdb_wave_pretend_nothing: what is read through waves there is `data` (NULL: what there is), whatever is there.
 * The caller keeps it. */
void hdb_wave_pretend_memory(struct hdb_machine *machine, uint64_t va, const void *data, size_t size);
void hdb_wave_pretend_scratch(struct hdb_machine *machine, uint32_t lane, uint32_t offset, const void *data,
                              size_t size);
void hdb_wave_pretend_nothing(struct hdb_machine *machine);

/* Memory of the debugged address space. -EFAULT: not mapped; -ENOTCONN: page tables are out of reach. Planted traps are
 * hidden; -EBUSY: a write to the code of a shader that has some. */
int hdb_machine_read_memory(struct hdb_machine *machine, uint64_t va, void *data, size_t size);
int hdb_machine_write_memory(struct hdb_machine *machine, uint64_t va, const void *data, size_t size);

/* How often the functions above have changed waves or memory, hdb_machine_kill included. */
uint64_t hdb_machine_count_edits(const struct hdb_machine *machine);

/* How the card lays out tiled images: GB_ADDR_CONFIG; 0: it does not say. */
uint32_t hdb_machine_address_config(struct hdb_machine *machine);

/* ---- what a dispatch needs to run again (launch.c) ---- */

/* COMPUTE_PGM_RSRC2 and RSRC3 as the driver has recorded them, armed or not. */
void hdb_machine_launch_words(struct hdb_machine *machine, const struct hdb_dispatch *dispatch, uint32_t *rsrc2,
                              uint32_t *rsrc3);
/* A register (target/registers.h) of the queue that a wave comes from. It may be ahead of the wave. */
int hdb_machine_read_queue_register(struct hdb_machine *machine, const struct hdb_wave *wave, uint32_t reg,
                                    uint32_t *value);
/* The first mapping at or behind `va`, the debugger's own left out. -ENOENT: there is none; -ENOTSUP: can't be told. */
int hdb_machine_next_mapping(struct hdb_machine *machine, uint64_t va, struct hdb_mapping *mapping);
/* See target.h. -ENOTSUP: only comparing tells what has changed. */
int hdb_machine_collect_writes(struct hdb_machine *machine, bool on);
bool hdb_machine_may_have_changed(struct hdb_machine *machine, uint64_t va, uint64_t size);

#endif
