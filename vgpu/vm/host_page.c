/* SPDX-License-Identifier: MIT */
/*
 * Pages of the process as GPU memory at their own addresses (VGPU_HOST_POINTERS).
 *
 * Nothing is touched to find out whether it may be: the protection comes from /proc/self/maps, and one byte of the
 * page is read by the kernel on our behalf, which also finds pages beyond the end of a mapped file.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gpu.h"
#include "vm/vm.h"

#define PAGE 4096ull
#define WINDOW (2ull << 20)

struct region {
   uint64_t start, end;
   uint32_t access;
   bool anonymous;
};

static bool
find_region(uint64_t address, struct region *region)
{
   FILE *maps = fopen("/proc/self/maps", "re");
   if (!maps)
      return false;

   bool found = false;
   char line[512];
   while (!found && fgets(line, sizeof(line), maps)) {
      unsigned long long start, end, inode;
      char protection[5];
      if (sscanf(line, "%llx-%llx %4s %*x %*x:%*x %llu", &start, &end, protection, &inode) != 4)
         continue; /* the rest of a line with a long name */
      if (address < start || address >= end)
         continue;
      found = true;
      *region = (struct region){
         .start = start,
         .end = end,
         .access = (protection[0] == 'r' ? VM_READ : 0) | (protection[1] == 'w' ? VM_WRITE : 0) |
                   (protection[2] == 'x' ? VM_EXECUTE : 0),
         .anonymous = inode == 0,
      };
   }
   fclose(maps);
   return found;
}

static bool
is_readable(uint64_t page)
{
   char byte;
   struct iovec to = {&byte, 1}, from = {(void *)page, 1};
   ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
   return n == 1 || (n < 0 && errno != EFAULT); /* a sandbox may refuse the call: then trust the list */
}

bool
vm_map_host_page(struct vm *vm, uint64_t va)
{
   uint64_t page = va & ~(PAGE - 1);
   struct region region;

   if (va >> 47 || !find_region(page, &region) || !(region.access & VM_READ) || !is_readable(page))
      return false;

   /* Anonymous memory is readable throughout: map its surroundings too, for one search of the list in 2 MiB. */
   uint64_t start = page, end = page + PAGE;
   if (region.anonymous) {
      uint64_t window = page & ~(WINDOW - 1);
      start = region.start > window ? region.start : window;
      end = region.end < window + WINDOW ? region.end : window + WINDOW;
   }
   return vm_map(vm, start, end - start, start, true, region.access, 0) == 0;
}
