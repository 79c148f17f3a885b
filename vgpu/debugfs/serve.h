/* SPDX-License-Identifier: MIT */
/* The card's side of vgpu-debugfs: a thread that answers for the process's card, if HDB_VGPU_DEBUGFS asks for it. */
#ifndef VGPU_DEBUGFS_SERVE_H
#define VGPU_DEBUGFS_SERVE_H

struct vgpu;

void debugfs_serve(struct vgpu *gpu);
void debugfs_stop(struct vgpu *gpu); /* if it is this card that is served */
void debugfs_forked(void);           /* in a child: lets go of the connection */

#endif
