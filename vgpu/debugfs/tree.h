/* SPDX-License-Identifier: MIT */
/* The file system: DIR/N/ with the files of card N, and DIR/128+N -> N. */
#ifndef VGPU_DEBUGFS_TREE_H
#define VGPU_DEBUGFS_TREE_H

struct fuse_session;

/* NULL: it could not be mounted, which has been said. */
struct fuse_session *tree_mount(const char *directory);

/* The program is gone: what hangs by INJECT_HANG ends with EIO. */
void tree_answer_hung(void);

#endif
