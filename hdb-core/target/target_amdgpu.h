/* SPDX-License-Identifier: MIT */
/* The inside of the target of a card of amdgpu, of whose registers and memory hdb-helper is asked. */
#ifndef HDB_TARGET_AMDGPU_H
#define HDB_TARGET_AMDGPU_H

#include <pthread.h>
#include <sys/types.h>
#include <time.h>

#include "hdb/hdb_driver.h"
#include "target/helper_client.h"
#include "target/mappings.h"
#include "target/second_level.h"
#include "target/target.h"

struct target_amdgpu {
   struct hdb_target target;
   struct hdb_driver *driver;
   int drm_fd;   /* the driver's, again: it has the same address space */
   dev_t device; /* of the render node */
   ino_t inode;
   char *helper;
   bool helper_named; /* by the user, or who started the program */
   char *second_level_word;
   enum hdb_second_level second_level; /* in force */
   struct hdb_mappings mappings;
   pthread_mutex_t lock; /* a request and its reply */
   struct hdb_helper_client client;
   bool unfit;             /* can't be debugged at all */
   struct timespec failed; /* as made_at() of the helper that could not find the VMID */
   char problem[256];
   bool reserved; /* the VMID */
   bool claimed;
   uint32_t vmid;
   uint32_t wave_index; /* SQ_IND_INDEX; each thread of a target writes it and reads SQ_IND_DATA in turn */
   int event;
};

static inline struct target_amdgpu *
target_amdgpu(struct hdb_target *target)
{
   return (struct target_amdgpu *)target;
}

/* Says why in `problem`, and returns the error. */
int hdb_amdgpu_fail(struct target_amdgpu *self, int error, const char *what);

/* A request to the helper; -ENOTCONN: it has not granted a VMID. */
int hdb_amdgpu_call(struct target_amdgpu *self, const struct hdb_helper_request *request, const void *extra,
                    uint32_t *value, void *data, size_t size);

/* Of struct hdb_target_ops. */
int hdb_amdgpu_get_vmid(struct hdb_target *target, uint32_t *vmid);
int hdb_amdgpu_note_vmid(struct hdb_target *target, uint32_t vmid);
int hdb_amdgpu_install_trap(struct hdb_target *target, uint32_t vmid, uint64_t tba, uint64_t tma);
void hdb_amdgpu_remove_trap(struct hdb_target *target, uint32_t vmid);
int hdb_amdgpu_set_second_level(struct hdb_target *target, uint64_t tba, uint64_t tba_size, uint64_t tma,
                                uint64_t tma_size);
int hdb_amdgpu_clear_second_level(struct hdb_target *target);

#endif
