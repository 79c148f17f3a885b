/* SPDX-License-Identifier: MIT */
/* Mappings, put together of the runs that the helper tells of: it looks at a bounded part of the page tables at once.
 */
#include <errno.h>

#include "target/helper_client.h"

#define VA_MASK ((UINT64_C(1) << 48) - 1)

static int
get_run(struct hdb_helper_client *client, uint32_t vmid, uint64_t va, struct hdb_helper_run *run)
{
   struct hdb_helper_request request = {.op = HDB_HELPER_GET_RUN, .vmid = vmid, .address = va};
   int error = hdb_helper_call(client, &request, NULL, NULL, run, sizeof(*run));
   if (error)
      return error;
   bool fits = (run->va & VA_MASK) == va && run->size && !(run->size & 4095) && run->size <= VA_MASK + 1 - va;
   return fits ? 0 : -EIO;
}

static bool
continues(const struct hdb_helper_run *next, const struct hdb_helper_run *run)
{
   return next->mapped && next->backed == run->backed && next->access == run->access && next->mtype == run->mtype;
}

/* 48 bits of addresses: the end of the space is behind all of them. */
int
hdb_helper_next_mapping(struct hdb_helper_client *client, uint32_t vmid, uint64_t va, uint64_t end,
                        struct hdb_mapping *mapping)
{
   struct hdb_helper_run run = {0}, next;
   va &= VA_MASK & ~UINT64_C(4095);
   end &= VA_MASK;
   for (; !run.mapped; va += run.size) {
      int error = va < end ? get_run(client, vmid, va, &run) : -ENOENT;
      if (error)
         return error;
   }
   uint64_t size = run.size;
   for (; va < end; va += next.size, size += next.size) {
      int error = get_run(client, vmid, va, &next);
      if (error)
         return error;
      if (!continues(&next, &run))
         break;
   }
   *mapping = (struct hdb_mapping){
      .va = run.va,
      .size = va > end ? size - (va - end) : size,
      .access = run.access,
      .mtype = run.mtype,
      .backed = run.backed,
   };
   return 0;
}
