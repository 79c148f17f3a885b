/* SPDX-License-Identifier: MIT */
/* What goes wrong on purpose: how kernels and cards misbehave, and single file operations that fail. */
#ifndef VGPU_DEBUGFS_FAULTS_H
#define VGPU_DEBUGFS_FAULTS_H

#include <stdbool.h>

enum fault {
   FAULT_GFXOFF,
   FAULT_POWERED_DOWN,
   FAULT_LOCKDOWN,
   FAULT_LOCKDOWN_READS,
   FAULT_NO_REGS2,
   FAULT_NO_V2,
   FAULT_NO_USER_PAGES,
   FAULT_COUNT
};

extern bool faults[FAULT_COUNT];

bool fault_switch_on(const char *name); /* false: there is none of that name */
const char *fault_name(enum fault fault);

enum file_operation { FILE_OPEN, FILE_READ, FILE_WRITE, FILE_IOCTL, FILE_OPERATIONS };

enum injection_kind {
   INJECT_NOTHING,
   INJECT_ERROR,
   INJECT_SHORT, /* half of the bytes */
   INJECT_ONES,  /* a read gives all ones, a write is lost; both succeed */
   INJECT_HANG   /* no answer before the caller is interrupted */
};

struct injection {
   enum injection_kind kind;
   int error; /* of INJECT_ERROR */
};

/* FILE:OPERATION:N:KIND, see README.md. False: no such thing; says so on standard error. */
bool injection_add(const char *text);

void injection_end(void); /* no rule counts from now on */

/* For an operation that is about to be done: counts it. */
struct injection injection_take(const char *file, enum file_operation operation);

#endif
