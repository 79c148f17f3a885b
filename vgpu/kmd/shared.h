/* SPDX-License-Identifier: MIT */
/* What can be passed around as a descriptor, and what comes of it when another process has it, too. */
#ifndef VGPU_SHARED_H
#define VGPU_SHARED_H

#include "kmd/kmd.h"

enum shared_kind { SHARED_FENCE, SHARED_BO };

/*
 * A file given out. Fences are one end of a socket pair (it has an inode of its own and it polls: a byte comes when the
 * fence signals, and is never read); buffers are their own file, whose size is theirs, as lseek is how one asks for
 * that. An object that user space let go of without a word is found at the next opportunity.
 *
 * A fence of another process is foreign: the byte that comes signals it here, too, and so does the end of file when
 * that process is gone.
 */
struct shared_file {
   dev_t device;
   ino_t inode;
   enum shared_kind kind;
   bool foreign;
   int own_fd;     /* the socket's other end, if foreign the same; -1 for buffers, which have the file themselves */
   bool announced; /* the byte was sent */
   union {
      struct fence *fence;
      struct bo *bo;
   };
   struct shared_file *next;
};

/* A new close-on-exec descriptor; takes a reference to `object` of its own. */
int shared_file_create(struct kmd *kmd, enum shared_kind kind, void *object);

/* The object behind `fd`; borrowed. NULL: the descriptor is none of that kind. */
void *shared_file_object(struct kmd *kmd, int fd, enum shared_kind kind);

void shared_files_announce(struct kmd *kmd);
void shared_files_hear(struct kmd *kmd);  /* signals what the other processes have announced */
void shared_files_sweep(struct kmd *kmd); /* forgets those that nobody holds any more */
void shared_files_finish(struct kmd *kmd);

/* ---- other processes --------------------------------------------------------------------------------------------- */

/* shared_syncobj.c. As the syncobj_* of the same names: a syncobj that is shared has its fences there. */
struct shared_syncobj;
void shared_syncobj_destroy(struct shared_syncobj *shared);
int shared_syncobj_put(struct shared_syncobj *shared, struct fence *fence, bool replace, uint64_t point);
void shared_syncobj_reset(struct shared_syncobj *shared);
int shared_syncobj_find(struct shared_syncobj *shared, uint64_t point, struct fence **fence);
bool shared_syncobj_is_done(struct shared_syncobj *shared, uint64_t serial, int *error);
uint64_t shared_syncobj_last_point(struct shared_syncobj *shared, bool submitted);

int shared_syncobj_export(struct kmd *kmd, struct syncobj *syncobj);          /* a new descriptor */
int shared_syncobj_import(struct kmd *kmd, int fd, struct syncobj **syncobj); /* -EINVAL: the file is none */

bool shared_syncobjs_publish(struct kmd *kmd); /* what has signalled here; whether anything has */
bool shared_syncobjs_changed(struct kmd *kmd); /* there is something to tell the others */
/* Whether a process that is still there has to signal something; for those that are gone it is done. */
bool shared_syncobjs_depend_on_others(struct kmd *kmd);
void shared_syncobjs_finish(struct kmd *kmd);

/* watch.c: a thread that listens to other processes. */
struct watch;
int watch_start(struct kmd *kmd);               /* if it does not run yet */
void watch_stop(struct kmd *kmd);               /* the lock is not held */
void watch_again(struct kmd *kmd);              /* there is a further foreign file */
int watch_file(struct kmd *kmd, int fd);        /* for writes: 0, a number for unwatch_file or negative errno */
void unwatch_file(struct kmd *kmd, int number); /* 0: it was not watched */

#endif
