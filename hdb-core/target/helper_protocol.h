/* SPDX-License-Identifier: MIT */
/*
 * What hdb-helper does for a debugged process, over a Unix socket of packets (SOCK_SEQPACKET): each request gets one
 * reply. docs/security.md has the reasons. Both ends are of one build or refuse each other.
 *
 * HELLO first: the client sends the card's render node along, as proof that it may use it. Then CHALLENGE and CLAIM:
 * the helper gives 16 random bytes, the client puts them into GPU memory and says where. The VMID in whose address
 * space they are found is the client's: everything else is for that one only.
 */
#ifndef HDB_HELPER_PROTOCOL_H
#define HDB_HELPER_PROTOCOL_H

#include <stdint.h>

#define HDB_HELPER_MAGIC 0x68646268 /* HELLO's reg; its value is the version */
#define HDB_HELPER_VERSION 3
#define HDB_HELPER_NONCE_SIZE 16
#define HDB_HELPER_MAX_DATA 65536

enum hdb_helper_op {
   HDB_HELPER_HELLO = 1, /* with a descriptor; a refusal's data is a line for people */
   HDB_HELPER_CHALLENGE, /* data: the nonce */
   HDB_HELPER_CLAIM, /* address: of the nonce; value: 1 if the kernel has reserved nothing, the VMID may change then.
                      * Replied: the VMID; -ENODATA: powered down; -EOPNOTSUPP: regs2 too old */
   HDB_HELPER_READ_REGISTER,
   HDB_HELPER_WRITE_REGISTER,
   HDB_HELPER_READ_WAVE,    /* a wave register of the bank's SIMD; value: as SQ_IND_INDEX, WAVE_ID 4:0, INDEX 31:16 */
   HDB_HELPER_READ_MEMORY,  /* address, size; data */
   HDB_HELPER_WRITE_MEMORY, /* address, size, then the data */
   HDB_HELPER_RESTORE,      /* puts back every register that was changed */
   HDB_HELPER_GET_ACCESS,   /* address; value: what its page allows the GPU, a set of enum hdb_access */
   HDB_HELPER_GET_RUN,      /* address; data: a struct hdb_helper_run */
   HDB_HELPER_OPS
};

/* Pages that are mapped alike, or a hole, from the page asked about on; more of the same may follow. */
struct hdb_helper_run {
   uint64_t va, size;
   uint32_t mapped, backed; /* 0 or 1, see struct hdb_mapping */
   uint32_t access, mtype;
};

struct hdb_helper_request {
   uint32_t op;
   uint32_t reg; /* as in registers.h */
   uint32_t value;
   uint32_t size;
   uint64_t address;
   uint32_t vmid;             /* of a register that has a copy for each, otherwise the client's */
   uint32_t se, sa, instance; /* HDB_BROADCAST, or one */
};

struct hdb_helper_reply {
   int32_t result; /* 0 or a negative errno */
   uint32_t value;
};

#endif
