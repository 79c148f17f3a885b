/* SPDX-License-Identifier: MIT */
#define FUSE_USE_VERSION 35
#include "debugfs/tree.h"

#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "debugfs/faults.h"
#include "debugfs/files.h"

#define MAX_TRANSFER (128u << 10) /* bytes of one read or write */

/* Inodes: 1 the root; for each card 256 from (N + 1) << 8 on, of which the first is its directory, the last the link to
 * it, and between are its files. */
enum { FIRST_FILE = 1, LINK = 255, FIRST_RENDER_MINOR = CARDS_MAX };

static fuse_ino_t
inode_of(uint32_t number, unsigned part)
{
   return ((fuse_ino_t)number + 1) << 8 | part;
}

static struct card *
card_of(fuse_ino_t inode)
{
   return inode >> 8 ? card_by_number((uint32_t)(inode >> 8) - 1) : NULL;
}

static unsigned
part_of(fuse_ino_t inode)
{
   return inode & 255;
}

static const struct file_type *
type_of(fuse_ino_t inode)
{
   unsigned part = part_of(inode);
   return part >= FIRST_FILE && part < LINK ? file_by_index(part - FIRST_FILE) : NULL;
}

/* ---- names and attributes ---- */

static int
get_status(fuse_ino_t inode, struct stat *status)
{
   *status = (struct stat){.st_ino = inode, .st_nlink = 1, .st_uid = geteuid(), .st_gid = getegid()};
   clock_gettime(CLOCK_REALTIME, &status->st_mtim);
   status->st_atim = status->st_ctim = status->st_mtim;
   if (inode == FUSE_ROOT_ID) {
      status->st_mode = S_IFDIR | 0755;
      return 0;
   }
   const struct card *card = card_of(inode);
   const struct file_type *type = type_of(inode);
   if (!card)
      return -ENOENT;
   if (part_of(inode) == 0) {
      status->st_mode = S_IFDIR | 0755;
   } else if (part_of(inode) == LINK) {
      status->st_mode = S_IFLNK | 0777;
   } else if (type) {
      status->st_mode = S_IFREG | type->mode;
      status->st_size = type->size ? (off_t)type->size(card) : 0;
   } else {
      return -ENOENT;
   }
   return 0;
}

/* A decimal number without leading zeros. */
static bool
parse_number(const char *name, uint32_t *number)
{
   char again[16];
   *number = (uint32_t)strtoul(name, NULL, 10);
   snprintf(again, sizeof(again), "%u", *number);
   return !strcmp(again, name);
}

static fuse_ino_t
find(fuse_ino_t parent, const char *name)
{
   uint32_t number;
   if (parent == FUSE_ROOT_ID && parse_number(name, &number))
      return number < FIRST_RENDER_MINOR ? inode_of(number, 0) : inode_of(number - FIRST_RENDER_MINOR, LINK);
   const struct file_type *type = file_by_name(name);
   return parent != FUSE_ROOT_ID && part_of(parent) == 0 && type ? parent | (FIRST_FILE + file_index(type)) : 0;
}

static void
lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
   struct fuse_entry_param entry = {.ino = find(parent, name)}; /* no time-outs: cards come and go */
   if (!entry.ino || get_status(entry.ino, &entry.attr))
      fuse_reply_err(request, ENOENT);
   else
      fuse_reply_entry(request, &entry);
}

static void
getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *info)
{
   struct stat status;
   int r = get_status(inode, &status);
   if (r)
      fuse_reply_err(request, -r);
   else
      fuse_reply_attr(request, &status, 0);
}

/* Shells open with O_TRUNC. */
static void
setattr(fuse_req_t request, fuse_ino_t inode, struct stat *wanted, int set, struct fuse_file_info *info)
{
   getattr(request, inode, info);
}

static void
read_link(fuse_req_t request, fuse_ino_t inode)
{
   char target[16];
   snprintf(target, sizeof(target), "%u", (uint32_t)(inode >> 8) - 1);
   fuse_reply_readlink(request, target);
}

/* ---- directories ---- */

struct listing {
   fuse_req_t request;
   char data[8192];
   size_t size, limit;
   off_t skip, at;
};

static void
list(struct listing *listing, const char *name, fuse_ino_t inode)
{
   if (listing->at++ < listing->skip)
      return;
   struct stat status;
   if (get_status(inode, &status))
      return;
   size_t left = listing->limit - listing->size;
   size_t size = fuse_add_direntry(listing->request, listing->data + listing->size, left, name, &status, listing->at);
   if (size <= left)
      listing->size += size;
   else
      listing->limit = listing->size; /* full; asked for again from here */
}

static void
read_directory(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset, struct fuse_file_info *info)
{
   struct listing listing = {.request = request, .skip = offset};
   listing.limit = size < sizeof(listing.data) ? size : sizeof(listing.data);
   list(&listing, ".", inode);
   list(&listing, "..", FUSE_ROOT_ID);
   if (inode == FUSE_ROOT_ID) {
      for (struct card *card = card_list(); card; card = card->next) {
         char name[16];
         snprintf(name, sizeof(name), "%u", card->number);
         list(&listing, name, inode_of(card->number, 0));
         snprintf(name, sizeof(name), "%u", FIRST_RENDER_MINOR + card->number);
         list(&listing, name, inode_of(card->number, LINK));
      }
   } else if (card_of(inode)) {
      for (unsigned i = 0; FIRST_FILE + i < LINK; i++)
         if (file_by_index(i))
            list(&listing, file_by_index(i)->name, inode | (FIRST_FILE + i));
   }
   fuse_reply_buf(request, listing.data, listing.size);
}

/* ---- files ---- */

static struct open_file *
file_of(const struct fuse_file_info *info)
{
   return (struct open_file *)(uintptr_t)info->fh;
}

/* Requests that an injection has left without an answer. */
enum { MAX_HUNG = 64 };
static fuse_req_t hung[MAX_HUNG];

static void
interrupted(fuse_req_t request, void *user)
{
   for (int i = 0; i < MAX_HUNG; i++)
      if (hung[i] == request)
         hung[i] = NULL;
   fuse_reply_err(request, EINTR);
}

static void
hang(fuse_req_t request)
{
   int i = 0;
   while (i < MAX_HUNG && hung[i])
      i++;
   if (i == MAX_HUNG) {
      fuse_reply_err(request, EIO);
      return;
   }
   hung[i] = request;
   fuse_req_interrupt_func(request, interrupted, NULL);
}

void
tree_answer_hung(void)
{
   for (int i = 0; i < MAX_HUNG; i++) {
      if (hung[i])
         fuse_reply_err(hung[i], EIO);
      hung[i] = NULL;
   }
}

/* True: the request has been dealt with, or is left hanging. */
static bool
inject(fuse_req_t request, struct injection injection)
{
   if (injection.kind == INJECT_ERROR)
      fuse_reply_err(request, injection.error);
   else if (injection.kind == INJECT_HANG)
      hang(request);
   return injection.kind == INJECT_ERROR || injection.kind == INJECT_HANG;
}

static void
open_file(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *info)
{
   const struct file_type *type = type_of(inode);
   struct card *card = card_of(inode);
   if (!type || !card) {
      fuse_reply_err(request, part_of(inode) ? ENOENT : EISDIR);
      return;
   }
   if (inject(request, injection_take(type->name, FILE_OPEN)))
      return;
   struct open_file *file;
   int r = file_open(type, card, info->flags, &file);
   if (r) {
      fuse_reply_err(request, -r);
      return;
   }
   info->fh = (uintptr_t)file;
   info->direct_io = 1;
   if (fuse_reply_open(request, info))
      file_release(file); /* the caller was interrupted and will not release it */
}

static void
read_file(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset, struct fuse_file_info *info)
{
   static uint32_t data[MAX_TRANSFER / 4]; /* one request at a time */
   struct open_file *file = file_of(info);
   struct injection injection = injection_take(file->type->name, FILE_READ);
   if (inject(request, injection))
      return;
   if (size > sizeof(data))
      size = sizeof(data);
   ssize_t n = file->type->read(file, data, size, (uint64_t)offset);
   if (n < 0) {
      fuse_reply_err(request, (int)-n);
      return;
   }
   if (injection.kind == INJECT_ONES)
      memset(data, 0xff, (size_t)n);
   fuse_reply_buf(request, (const char *)data, injection.kind == INJECT_SHORT ? (size_t)n / 2 : (size_t)n);
}

static void
write_file(fuse_req_t request, fuse_ino_t inode, const char *data, size_t size, off_t offset,
           struct fuse_file_info *info)
{
   struct open_file *file = file_of(info);
   struct injection injection = injection_take(file->type->name, FILE_WRITE);
   if (inject(request, injection))
      return;
   ssize_t n = -EINVAL;
   if (injection.kind == INJECT_ONES)
      n = (ssize_t)size;
   else if (file->type->write)
      n = file->type->write(file, data, injection.kind == INJECT_SHORT ? size / 8 * 4 : size, (uint64_t)offset);
   if (n < 0)
      fuse_reply_err(request, (int)-n);
   else
      fuse_reply_write(request, (size_t)n);
}

/* What an ioctl's number says that it takes has been copied in. */
static void
control_file(fuse_req_t request, fuse_ino_t inode, unsigned command, void *argument, struct fuse_file_info *info,
             unsigned flags, const void *data, size_t size, size_t out_size)
{
   struct open_file *file = type_of(inode) ? file_of(info) : NULL;
   if (!file || !file->type->ioctl) {
      fuse_reply_err(request, ENOTTY);
      return;
   }
   if (inject(request, injection_take(file->type->name, FILE_IOCTL)))
      return;
   int r = -EINVAL;
   if (file->card->socket < 0)
      r = -EIO;
   else if (size == _IOC_SIZE(command))
      r = file->type->ioctl(file, command, data);
   if (r)
      fuse_reply_err(request, -r);
   else
      fuse_reply_ioctl(request, 0, NULL, 0);
}

static void
release_file(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *info)
{
   file_release(file_of(info));
   fuse_reply_err(request, 0);
}

/* ---- the mount ---- */

static void
init(void *user, struct fuse_conn_info *connection)
{
   connection->max_write = MAX_TRANSFER;
   connection->max_read = MAX_TRANSFER;
   connection->want &= ~(unsigned)FUSE_CAP_SPLICE_READ;
}

static const struct fuse_lowlevel_ops operations = {
   .init = init,
   .lookup = lookup,
   .getattr = getattr,
   .setattr = setattr,
   .readlink = read_link,
   .readdir = read_directory,
   .open = open_file,
   .read = read_file,
   .write = write_file,
   .ioctl = control_file,
   .release = release_file,
};

struct fuse_session *
tree_mount(const char *directory)
{
   char *arguments[] = {(char *)"vgpu-debugfs", (char *)"-o",
                        (char *)"fsname=vgpu-debugfs,subtype=vgpu,max_read=131072", NULL};
   struct fuse_args args = FUSE_ARGS_INIT(3, arguments);
   struct fuse_session *session = fuse_session_new(&args, &operations, sizeof(operations), NULL);
   fuse_opt_free_args(&args);
   if (session && fuse_session_mount(session, directory)) {
      fuse_session_destroy(session);
      session = NULL;
   }
   return session;
}
