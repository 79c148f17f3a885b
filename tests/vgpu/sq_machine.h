/* SPDX-License-Identifier: MIT */
/* A card with an address space and jobs of one's own, for tests of cp/ and sq/. */
#ifndef SQ_MACHINE_H
#define SQ_MACHINE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cp/cp.h"
#include "cp/pm4.h"
#include "cp/registers.h"
#include "sq/sq.h"
#include "vm/vm.h"

/* One block of memory that host and card share, at this address for the card. */
#define MACHINE_VA UINT64_C(0xffff800000000000)
#define MACHINE_MEMORY (8u << 20)

struct machine {
   struct vgpu *gpu;
   struct vm vm;
   uint8_t *memory;
   uint32_t used;
   char log[4096]; /* every line of the card's log */
};

void machine_init(struct machine *machine, const struct vgpu_options *options);
void machine_finish(struct machine *machine);

/* Room in the shared memory, on a 256-byte boundary, zeroed. */
uint64_t machine_alloc(struct machine *machine, size_t size);
uint64_t machine_code(struct machine *machine, const uint32_t *code, size_t size);
void *machine_host(struct machine *machine, uint64_t va);

/* A job and its one indirect buffer. */
struct commands {
   struct machine *machine;
   struct cp_job job;
   struct cp_ib ib;
   uint32_t *dword;
   pthread_mutex_t lock;
   pthread_cond_t changed;
   bool done;
   int status;
   uint64_t done_at; /* ns */
   struct vgpu_fault fault;
};

void commands_init(struct commands *commands, struct machine *machine);
void emit(struct commands *commands, uint32_t dword);
void emit_packet(struct commands *commands, uint32_t opcode, uint32_t count, ...); /* count: dwords of body */
void set_sh(struct commands *commands, uint32_t address, uint32_t value);
void submit(struct commands *commands, enum cp_ring ring);
int finish(struct commands *commands); /* waits; the job's status */
bool is_finished_within(struct commands *commands, unsigned ms);

/* A dispatch: the launch registers and the packet. */
struct launch {
   uint64_t code;
   uint32_t grid[3], group[3];
   uint32_t rsrc1, rsrc2, rsrc3;
   uint32_t initiator; /* besides COMPUTE_SHADER_EN */
   uint32_t user[16];
};
/* 24 VGPRs, two user SGPRs with `argument`, TGID_X, one workgroup of 64 threads. */
struct launch launch_of(uint64_t code, uint64_t argument);
void emit_launch_state(struct commands *commands, const struct launch *launch);
void emit_dispatch(struct commands *commands, const struct launch *launch);

/* All in one. */
int run(struct machine *machine, const struct launch *launch);

uint32_t read_register(struct machine *machine, const struct vgpu_bank *bank, uint32_t address);
void write_register(struct machine *machine, const struct vgpu_bank *bank, uint32_t address, uint32_t value);
struct vgpu_bank vmid_bank(struct machine *machine);
struct vgpu_bank wave_bank(uint32_t se, uint32_t sa, uint32_t wgp, uint32_t simd);

/* Installs code as the trap handler of the machine's VMID, with `memory` as TMA. */
void install_handler(struct machine *machine, uint64_t code, uint64_t memory);

void nap_ms(unsigned ms);
uint64_t now_ns(void);

/* Until the card's thread has run `condition`'s cause; fails after five seconds. */
#define wait_until(condition)                           \
   do {                                                 \
      uint64_t wait_until_end = now_ns() + 5000000000;  \
      while (!(condition) && now_ns() < wait_until_end) \
         nap_ms(1);                                     \
      assert_true(condition);                           \
   } while (0)

#endif
