/* SPDX-License-Identifier: MIT */
#ifndef HDB_MACHINE_PRIVATE_H
#define HDB_MACHINE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "stop/machine.h"
#include "target/target.h"
#include "trap/trap.h"

enum plant_kind {
   PLANT_BREAKPOINT,
   PLANT_HALT, /* where waves go that run to a barrier */
   PLANT_ENTRY,
   PLANT_OPENED, /* no trap: an s_clause made an s_nop, so that one can be inside */
   PLANT_KINDS
};

/* What is planted at an instruction. It is kept, with its displaced copy, as long as its shader: a wave may still be on
 * its way through it. */
struct plant {
   uint32_t pc;                 /* bytes from the shader's first instruction */
   uint32_t original;           /* the dword that is replaced */
   uint32_t count[PLANT_KINDS]; /* nested plants; all 0: the original is back */
   uint64_t go_on;              /* where a wave goes on: behind the pad, or at the displaced copy; canonical */
};

struct shader {
   const struct hdb_shader *info;
   struct plant *plants;
   size_t plant_count;
   uint32_t *pcs; /* of every instruction, ascending; made when first needed, before anything is planted */
   size_t pc_count;
   bool launch_noted; /* in the table TMA_LAUNCHES */
   uint32_t rsrc2;    /* as the dispatches are armed with */
   uint32_t armed;    /* dispatches */
   bool flat[3];      /* every armed dispatch has one workgroup in this dimension, number 0 */
};

/* Launch words of a dispatch that were changed. */
struct armed_dispatch {
   uint32_t *rsrc2, *rsrc3;
   uint32_t old_rsrc2, old_rsrc3;
   uint32_t count; /* hdb_machine_arm calls not yet taken back */
   uint64_t shader_id;
   bool entry_trap; /* counts for a TRAP_ENTRY in the shader */
};

struct machine_wave {
   struct hdb_wave wave;    /* must be first */
   enum hdb_resume_how how; /* of the last resume; with HDB_RESUME_STEP_RANGE its range */
   uint64_t low, high;
   bool stepping;      /* resumed by a step and not back yet */
   int64_t resumed_at; /* machine_now_ms() */
   bool arrived;       /* the step was over without running: reported by the next wait */
   bool halting;       /* was met in the middle of a displaced copy: stops at its end */
   bool pc_edited;     /* by the host, since it stopped */
   bool vgprs_edited;  /* likewise; others than v0 and v1, which are restored anyway */
   uint32_t watched;   /* TRAPSTS bits of address watch, seen in the middle of a displaced copy */
   bool to_barrier;    /* runs to the barrier that a stepped wave waits in */
};

/* While a stepped wave waits in an s_barrier: its workgroup's other waves run up to the instruction behind it. */
struct barrier_run {
   bool active;
   uint32_t wave; /* id of the stepped one */
   const struct hdb_shader *shader;
   uint32_t pc;
};

struct hdb_machine {
   struct hdb_driver *driver;
   struct hdb_target *target;
   struct hdb_trap trap;
   bool installed, vmid_known;
   bool given_up;    /* the device is out of reach */
   int failure;      /* of reading what waves there are: nothing that would follow from it is to be believed */
   bool stalled;     /* launches are held back */
   bool entry_traps; /* TRAP_ENTRY is planted in place of TRAP_ON_START */
   bool time_held;
   uint32_t watches; /* a bit for each address watch that is on */
   bool filtered;
   uint32_t filter[3]; /* workgroup */
   atomic_bool wait_interrupted;

   pthread_mutex_t lock; /* shaders, their plants, and the tables and displaced copies made from them */
   struct shader **shaders;
   size_t shader_count;
   uint64_t displaced_used[DISPLACED_CAPACITY / 64];

   struct armed_dispatch *armed;
   size_t armed_count;

   struct machine_wave **waves; /* sorted by workgroup and index */
   size_t wave_count;
   struct machine_wave *in_slot[SLOT_COUNT];
   uint32_t own_wave_id, *last_wave_id; /* own_wave_id's address, or the shared one's */
   uint32_t stopped_count;
   uint64_t edits; /* of waves and memory, by the debugger */
   struct barrier_run barrier;

   const struct machine_wave *held_wave; /* NULL: none */
   uint32_t held_count;                  /* hdb_wave_hold_memory calls not yet taken back */
   uint32_t held_period;
   struct held_line *held; /* HELD_LINES of them, made when first needed; see held.c */
   struct {
      const uint8_t *data; /* NULL: nothing is pretended */
      uint64_t address;    /* in scratch: from the start of the lane's */
      size_t size;
      bool scratch;
      uint32_t lane;
   } pretended;
};

/* machine.c */
int machine_install(struct hdb_machine *machine); /* the trap handler, on first use */
int machine_install_code(struct hdb_machine *machine, const uint32_t *code, size_t size);
int machine_find_vmid(struct hdb_machine *machine);
struct shader *machine_find_shader(struct hdb_machine *machine, const struct hdb_shader *info);
struct shader *machine_shader_at(struct hdb_machine *machine, uint64_t va);  /* whose instructions hold the address */
bool machine_is_code(struct hdb_machine *machine, uint64_t va, size_t size); /* of a shader that is known */
/* What all of [va, va + size) allows the GPU: enum hdb_access. -EFAULT: not all of it is mapped, or it passes the end
 * of the address space; -ENOTCONN: not known. */
int machine_get_access(struct hdb_machine *machine, uint64_t va, size_t size, uint32_t *access);
struct hdb_bank machine_vmid_bank(const struct hdb_machine *machine);
int64_t machine_now_ms(void);

/* Whether registers can be read and written: with a second-level handler waves stop without. */
static inline bool
machine_has_registers(const struct hdb_machine *machine)
{
   return machine->vmid_known && !machine->given_up;
}

static inline uint8_t *
machine_slot(struct hdb_machine *machine, const struct machine_wave *wave)
{
   return hdb_trap_slot(&machine->trap, wave->wave.slot);
}

/* arm.c */
/* Where the launch puts a shader's workgroup ids, for the trap handler. */
int machine_note_launch(struct hdb_machine *machine, struct shader *shader);
void machine_disarm_all(struct hdb_machine *machine);

/* plant.c */
bool shader_find_instruction(struct shader *shader, uint32_t pc, uint32_t *start, uint32_t *next);
struct plant *shader_plant_at(struct shader *shader, uint32_t pc);
int machine_plant_trap(struct hdb_machine *machine, struct shader *shader, uint32_t pc, enum plant_kind kind);
void machine_unplant_trap(struct hdb_machine *machine, struct shader *shader, uint32_t pc, enum plant_kind kind);
bool plant_is_in_force(const struct plant *plant);
void shader_restore_code(struct shader *shader); /* takes every trap out at once */
void shader_forget_plants(struct hdb_machine *machine, struct shader *shader);
/* The plant in force at a wave's pc, or NULL. Any kind is: its copy leads on. */
const struct plant *machine_plant_in_force(struct hdb_machine *machine, uint64_t pc);

/* displace.c */
/* Writes the code for one instruction, run out of place, and its return addresses. -ENOTSUP if that can't be. */
int displace_instruction(const uint32_t *code, uint32_t size, uint64_t pc, uint8_t copy[DISPLACED_SIZE]);
bool instruction_is_nop(uint32_t word);
bool instruction_is_trap(uint32_t word);
/* 0: not a clause; otherwise how many instructions follow in it. */
uint32_t instruction_clause_length(uint32_t word);
/* What a wave whose pc is in the displaced area shows: true with its real pc, false in the middle of a copy. */
bool machine_undisplace(struct hdb_machine *machine, uint64_t *pc);

/* report.c */
/* Takes in the waves that have stopped since the last time; returns how many stops are to be shown. */
uint32_t machine_take_reports(struct hdb_machine *machine);
uint32_t machine_take_arrived(struct hdb_machine *machine); /* of these, the steps that were over without running */
void machine_end_wave(struct hdb_machine *machine, struct machine_wave *wave);
void machine_count_stopped(struct hdb_machine *machine, int change);

/* On a card that holds all waves when one reports; no other has anything to say or do here. */
static inline bool
machine_is_settled(const struct hdb_machine *machine)
{
   const struct hdb_target_ops *ops = machine->target->ops;
   return !ops->is_settled || ops->is_settled(machine->target);
}

static inline void
machine_release(struct hdb_machine *machine)
{
   if (machine->target->ops->release)
      machine->target->ops->release(machine->target);
}

/* halt.c */
#define SLOTS_PER_SIMD 16
uint32_t machine_read_wave(struct hdb_machine *machine, uint32_t slot, uint32_t index); /* SQ_IND */
uint32_t machine_active_waves(struct hdb_machine *machine,
                              uint32_t slot); /* of the slot's SIMD, which it begins: a bit each */
bool machine_owns_slot(struct hdb_machine *machine, uint32_t slot); /* its wave may be another device's */
uint32_t machine_reap(struct hdb_machine *machine); /* forgets running waves that have ended; how many were stepped */
int machine_host_trap(struct hdb_machine *machine); /* to every wave of the address space */
void machine_stall(struct hdb_machine *machine, bool stall);

/* wave/held.c */
/* For one of the commands COMMAND_READ_*. False: nothing is held of this wave, read as usual. */
bool machine_read_held(struct hdb_machine *machine, const struct machine_wave *wave, uint32_t command, uint64_t address,
                       void *data, size_t size, int *result);
bool machine_has_held(struct hdb_machine *machine, const struct hdb_wave *wave, uint32_t command, uint64_t address,
                      size_t size);
void machine_forget_held(struct hdb_machine *machine); /* memory is being changed */
/* What was read there. */
void machine_pretend_memory(const struct hdb_machine *machine, uint64_t va, void *data, size_t size);
void machine_pretend_scratch(const struct hdb_machine *machine, uint32_t lane, uint32_t offset, void *data,
                             size_t size);

/* wave/registers.c */
/* As many as `lanes` has bits, from its lowest on, by one of the commands COMMAND_READ_*. */
int wave_read_dwords(struct hdb_machine *machine, const struct machine_wave *wave, uint32_t command, uint64_t address,
                     uint32_t lanes, uint32_t dwords[32]);
/* Memory by a stopped wave's own loads and stores: only where it is known to be mapped, as its scratch is. */
int wave_transfer_mapped(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, void *data, size_t size,
                         bool writes);
/* The same where that is looked up: -EFAULT: not mapped; -EACCES: not to be read, or written; -ENOTCONN: not known. */
int wave_transfer_allowed(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, void *data, size_t size,
                          bool writes);

/* resume.c */
/* Where the wave has to go on: past the trap that it stopped at. */
uint64_t machine_resume_pc(struct hdb_machine *machine, struct machine_wave *wave);
void machine_let_go(struct hdb_machine *machine, struct machine_wave *wave, uint64_t pc, enum hdb_resume_how how,
                    uint64_t low, uint64_t high);

/* barrier.c */
bool machine_check_barrier(struct hdb_machine *machine);  /* now and then in a step; true: pending stops became new */
void machine_finish_barrier(struct hdb_machine *machine); /* after a report: waits for the others if the step is over */
void machine_end_barrier_run(struct hdb_machine *machine);

#endif
