/* SPDX-License-Identifier: MIT */
/* Unmounting, and a process that does it when vgpu-debugfs was killed and could not. */
#ifndef VGPU_DEBUGFS_WATCHER_H
#define VGPU_DEBUGFS_WATCHER_H

#include <sys/types.h>

struct watcher {
   pid_t pid;
   int pipe; /* closes with this process */
};

/* Frees the name at once; whoever has files open keeps them. */
void unmount(const char *directory);

int watcher_start(struct watcher *watcher, const char *directory);
void watcher_dismiss(struct watcher *watcher); /* the tree is unmounted */

#endif
