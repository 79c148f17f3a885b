/* SPDX-License-Identifier: MIT */
/*
 * The program whose card the tests look at from outside: it does what it is told over a socket, and tells what the card
 * says through vgpu.h.
 */
#ifndef DEBUGFS_PROGRAM_H
#define DEBUGFS_PROGRAM_H

#include <stdint.h>

#include "vgpu.h"

#define PROGRAM_BO_SIZE 0x10000u
#define PROGRAM_VRAM_VA 0xffff800100000000ull   /* a buffer in VRAM */
#define PROGRAM_SYSTEM_VA 0xffff800100100000ull /* in system memory */
#define PROGRAM_USER_VA 0xffff800100200000ull   /* the program's own pages */
#define PROGRAM_CODE_VA 0xffff800100300000ull

enum program_operation {
   PROGRAM_ABOUT,          /* -> struct program_facts */
   PROGRAM_READ_REGISTER,  /* bank, address -> value */
   PROGRAM_WRITE_REGISTER, /* bank, address, value */
   PROGRAM_READ_MEMORY,    /* address (of the VMID's), size -> data */
   PROGRAM_WRITE_MEMORY,
   PROGRAM_LAUNCH, /* address: of the buffer for s[0:1]; value: enum program_shader */
   PROGRAM_WAIT,   /* value: milliseconds -> result: wait_cs; value: busy */
   PROGRAM_FORK,   /* a child that lives for `value` milliseconds -> value: its process id */
   PROGRAM_EXIT    /* with status `value` */
};

enum program_shader { SHADER_HALTED, SHADER_POLLING };

struct program_facts {
   uint32_t pid, vmid;
   uint64_t vram_size;
   uint64_t user_pages, stack; /* addresses of the program's */
};

struct program_message {
   uint32_t operation;
   int32_t result; /* of the answer: 0 or a negative errno */
   struct vgpu_bank bank;
   uint64_t address;
   uint32_t value, size;
   union {
      struct program_facts facts;
      uint32_t data[16];
   };
};

#endif
