/* SPDX-License-Identifier: MIT */
#include "server.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

static const struct hdb_bank everything = {.se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST};

/* ---- the client's address space ---- */

static int
vm_read_register(void *user, uint32_t offset, uint32_t *value)
{
   const struct server_card *card = user;
   return card->read_register(card->user, &everything, GC_REGISTER(0, offset), value);
}

static bool
holds_nonce(const struct server *server, const struct hdb_vm *vm, uint64_t va)
{
   uint8_t found[HDB_HELPER_NONCE_SIZE];
   return vm->enabled &&
          !hdb_vm_read_range(vm, server->card->read_memory, server->card->user, va, found, sizeof(found)) &&
          !memcmp(found, server->nonce, sizeof(found));
}

/* The kernel's own first-level handler lies in the part of the address space that it reserves
 * (AMDGPU_VA_RESERVED_TRAP_START is 0xffffffffffbf0000); the registers hold bits 47:8. */
static bool
is_kernels_handler(uint32_t tba_low, uint32_t tba_high)
{
   return ((uint64_t)(tba_high & 0xff) << 32 | tba_low) >= 0xffffffbf00;
}

/* Those of other VMIDs are somebody's, or wait for the next helper that serves them. */
static int
clear_stale_watches(const struct server_card *card, uint32_t vmid)
{
   int error = 0;
   for (uint32_t watch = 0; watch < HDB_WATCHES && !error; watch++) {
      uint32_t cntl;
      error = card->read_register(card->user, &everything, REG_TCP_WATCH_CNTL(watch), &cntl);
      if (!error && cntl & WATCH_CNTL_VALID && WATCH_CNTL_VMID(cntl) == vmid)
         error = card->write_register(card->user, &everything, REG_TCP_WATCH_CNTL(watch), 0);
   }
   return error;
}

/* What another helper has left, which was killed together with its guard: it is nobody's any more, and not to be put
 * back in the end. Kernels that set up a handler for graphics VMIDs keep theirs. */
static int
clear_stale(const struct server_card *card, uint32_t vmid)
{
   static const uint32_t handler[] = {REG_SQ_SHADER_TBA_HI, REG_SQ_SHADER_TBA_LO, REG_SQ_SHADER_TMA_HI,
                                      REG_SQ_SHADER_TMA_LO};
   struct hdb_bank bank = everything;
   bank.vmid = vmid;
   uint32_t high, low, control;
   int error = card->read_register(card->user, &bank, REG_SQ_SHADER_TBA_HI, &high);
   error = error ?: card->read_register(card->user, &bank, REG_SQ_SHADER_TBA_LO, &low);
   error = error ?: card->read_register(card->user, &bank, REG_SPI_GDBG_PER_VMID_CNTL, &control);
   if (error)
      return error;
   bool kernels = is_kernels_handler(low, high);
   uint32_t stale = GDBG_STALL_VMID | (kernels ? 0 : GDBG_TRAP_EN);
   if (control & stale)
      error = card->write_register(card->user, &bank, REG_SPI_GDBG_PER_VMID_CNTL, control & ~stale);
   for (size_t i = 0; i < sizeof(handler) / sizeof(*handler) && !kernels && (high || low) && !error; i++)
      error = card->write_register(card->user, &bank, handler[i], 0);
   return error ?: clear_stale_watches(card, vmid);
}

/* A card without power answers, and with nothing else. */
static bool
is_powered_down(const struct server_card *card)
{
   uint32_t value;
   return !card->read_register(card->user, &everything, REG_GCVM_CONTEXT_PAGE_TABLE_BASE_LO(0), &value) &&
          value == 0xffffffff;
}

/* VMID 0 is the kernel's. The nonce is good for one claim. A VMID that was not reserved for the client is for it alone
 * only by chance. */
static int
claim(struct server *server, uint64_t va, bool reserved)
{
   if (!server->challenged || server->claimed)
      return -EPROTO;
   server->challenged = false;
   if (!reserved && !server->all_vmids)
      return -EPERM;
   for (uint32_t vmid = 1; vmid < HDB_VMIDS; vmid++) {
      struct hdb_vm vm;
      int error = hdb_vm_init(&vm, vmid, vm_read_register, (void *)server->card);
      if (error)
         return error == -EIO && is_powered_down(server->card) ? -ENODATA : error;
      if (!holds_nonce(server, &vm, va))
         continue;
      error = clear_stale(server->card, vmid);
      if (error)
         return error;
      server->vm = vm;
      server->claimed = true;
      server->saved->vmid = vmid;
      server->saved->root = vm.root;
      return 0;
   }
   return -EACCES;
}

/* Where the kernel reserves nothing, the client's page tables may have another VMID by now. */
static int
find_again(struct server *server)
{
   for (uint32_t vmid = 1; vmid < HDB_VMIDS; vmid++) {
      uint64_t root;
      int error = server_read_root(server->card, vmid, &root);
      if (error)
         return error;
      if (root == server->vm.root) {
         server->vm.vmid = server->saved->vmid = vmid;
         return 0;
      }
   }
   return -ESTALE;
}

/* Whether the VMID is still the client's: the kernel gives one that is not reserved to others, and one whose process
 * has closed its render node. */
static int
check_claim(struct server *server)
{
   if (!server->claimed)
      return -EACCES;
   uint64_t root;
   int error = server_read_root(server->card, server->vm.vmid, &root);
   if (error || root == server->vm.root)
      return error;
   return server->all_vmids ? find_again(server) : -ESTALE;
}

/* ---- registers ---- */

static int
save_register(struct saved_registers *saved, const struct server_card *card, const struct hdb_bank *bank, uint32_t reg)
{
   for (uint32_t i = 0; i < saved->count; i++) {
      if (saved->registers[i].vmid == bank->vmid && saved->registers[i].reg == reg)
         return 0;
   }
   if (saved->count == SAVED_CAPACITY)
      return -ENOSPC;
   struct saved_register *entry = &saved->registers[saved->count];
   int error = card->read_register(card->user, bank, reg, &entry->value);
   if (error)
      return error;
   entry->vmid = bank->vmid;
   entry->reg = reg;
   __atomic_store_n(&saved->count, saved->count + 1, __ATOMIC_RELEASE);
   return 0;
}

static struct hdb_bank
bank_of(const struct hdb_helper_request *request)
{
   return (struct hdb_bank){
      .vmid = server_register_is_banked(request->reg) ? request->vmid : 0,
      .se = request->se,
      .sa = request->sa,
      .instance = request->instance,
   };
}

static int
write_one(struct server *server, const struct hdb_bank *bank, uint32_t reg, uint32_t value)
{
   const struct server_card *card = server->card;
   int error = server_register_is_restored(reg) ? save_register(server->saved, card, bank, reg) : 0;
   return error ?: card->write_register(card->user, bank, reg, value);
}

static int
write_register(struct server *server, const struct hdb_helper_request *request)
{
   int error = server_check_write(server, request);
   if (error)
      return error;
   server->saved->armed |= request->reg == REG_SQ_SHADER_TBA_HI;
   struct hdb_bank bank = bank_of(request);
   if (!server->all_vmids || !server_register_is_banked(request->reg))
      return write_one(server, &bank, request->reg, request->value);
   for (bank.vmid = 1; bank.vmid < HDB_VMIDS && !error; bank.vmid++)
      error = write_one(server, &bank, request->reg, request->value);
   return error;
}

static int
read_register(struct server *server, const struct hdb_helper_request *request, uint32_t *value)
{
   int error = server_check_read(server, request);
   struct hdb_bank bank = bank_of(request);
   return error ?: server->card->read_register(server->card->user, &bank, request->reg, value);
}

/* ---- waves ---- */

static int
read_indirect(struct server *server, const struct hdb_bank *bank, uint32_t index, uint32_t *value)
{
   const struct server_card *card = server->card;
   int error = card->write_register(card->user, bank, REG_SQ_IND_INDEX, index);
   return error ?: card->read_register(card->user, bank, REG_SQ_IND_DATA, value);
}

static int
check_owner(struct server *server, const struct hdb_bank *bank, uint32_t wave)
{
   uint32_t hw_id2;
   int error = read_indirect(server, bank, wave | SQ_WAVE_HW_ID2 << 16, &hw_id2);
   return error ?: HW_ID2_VMID(hw_id2) == server->vm.vmid ? 0 : -EACCES;
}

/* Which slots are taken, and by which VMIDs, anybody may know; the rest only of its own waves. Another wave may come to
 * a slot at any time: what was read is given out if the wave is the client's before and after. */
static int
read_wave(struct server *server, const struct hdb_helper_request *request, uint32_t *value)
{
   struct hdb_bank bank = {.se = request->se, .sa = request->sa, .instance = request->instance};
   uint32_t wave = request->value & 0x1f, index = request->value >> 16;
   if (request->value & 0xf800 || bank.se > 31 || bank.sa > 1 || bank.instance > 255)
      return -EINVAL;
   if (index == SQ_WAVE_ACTIVE || index == SQ_WAVE_HW_ID2)
      return read_indirect(server, &bank, request->value, value);
   int error = check_owner(server, &bank, wave);
   error = error ?: read_indirect(server, &bank, request->value, value);
   error = error ?: check_owner(server, &bank, wave);
   if (error)
      *value = 0;
   return error;
}

/* ---- memory ---- */

static int
check_range(const struct server *server, const struct hdb_helper_request *request)
{
   if (request->vmid != server->vm.vmid)
      return -EACCES;
   bool wraps = request->address + request->size < request->address;
   return request->size && request->size <= HDB_HELPER_MAX_DATA && !wraps ? 0 : -EINVAL;
}

/* Buffers of the kernel's own are mapped into every address space, some of them shared by all: only what the process's
 * shaders could write themselves. */
static int
check_writable(struct server *server, uint64_t va, uint64_t size)
{
   uint64_t done = 0;
   while (done < size) {
      struct hdb_vm_walk walk;
      int error = hdb_vm_walk(&server->vm, server->card->read_memory, server->card->user, va + done, &walk);
      if (error)
         return error;
      if (walk.page != HDB_VM_MEMORY || !(walk.flags & HDB_PTE_WRITE))
         return -EACCES;
      done += walk.page_size - (va + done - walk.page_va);
   }
   return 0;
}

static int
read_memory(struct server *server, const struct hdb_helper_request *request, void *data)
{
   int error = check_range(server, request);
   return error
             ?: hdb_vm_read_range(&server->vm, server->card->read_memory, server->card->user, request->address, data,
                                  request->size);
}

static int
write_memory(struct server *server, const struct hdb_helper_request *request, const void *data, size_t size)
{
   if (size != request->size)
      return -EINVAL;
   int error = check_range(server, request);
   error = error ?: check_writable(server, request->address, size);
   return error
             ?: hdb_vm_write_range(&server->vm, server->card->read_memory, server->card->write_memory,
                                   server->card->user, request->address, data, size);
}

/* A partially resident page takes any access: it reads 0 and drops writes. */
static uint32_t
access_of(enum hdb_vm_page page, uint64_t flags)
{
   bool any = page == HDB_VM_PARTIALLY_RESIDENT;
   return (any || flags & HDB_PTE_READ ? HDB_ACCESS_READ : 0) | (any || flags & HDB_PTE_WRITE ? HDB_ACCESS_WRITE : 0) |
          (flags & HDB_PTE_EXECUTE ? HDB_ACCESS_EXECUTE : 0);
}

static int
get_access(struct server *server, const struct hdb_helper_request *request, uint32_t *value)
{
   if (request->vmid != server->vm.vmid)
      return -EACCES;
   struct hdb_vm_walk walk;
   int error = hdb_vm_walk(&server->vm, server->card->read_memory, server->card->user, request->address, &walk);
   if (error)
      return error;
   *value = access_of(walk.page, walk.flags) & (HDB_ACCESS_READ | HDB_ACCESS_WRITE);
   return 0;
}

static int
get_run(struct server *server, const struct hdb_helper_request *request, void *data)
{
   if (request->vmid != server->vm.vmid)
      return -EACCES;
   struct hdb_vm_run run;
   int error = hdb_vm_get_run(&server->vm, server->card->read_memory, server->card->user, request->address, &run);
   if (error)
      return error;
   const struct hdb_helper_run told = {
      .va = run.va,
      .size = run.size,
      .mapped = run.page != HDB_VM_NONE,
      .backed = run.page == HDB_VM_MEMORY,
      .access = access_of(run.page, run.flags),
      .mtype = HDB_PTE_MTYPE(run.flags),
   };
   memcpy(data, &told, sizeof(told));
   return 0;
}

/* ---- requests ---- */

static int
challenge(struct server *server, void *data)
{
   if (server->claimed)
      return -EPROTO;
   if (getrandom(server->nonce, sizeof(server->nonce), 0) != sizeof(server->nonce))
      return -EIO;
   server->challenged = true;
   memcpy(data, server->nonce, sizeof(server->nonce));
   return 0;
}

static int
greet(struct server *server, const struct hdb_helper_request *request)
{
   if (server->greeted || request->reg != HDB_HELPER_MAGIC)
      return -EPROTO;
   if (request->value != HDB_HELPER_VERSION)
      return -EPROTONOSUPPORT;
   server->greeted = true;
   return 0;
}

/* What any client may know, and a stop asks of every SIMD of the card: no need to look each time. */
static bool
tells_nothing(const struct hdb_helper_request *request)
{
   uint32_t index = request->value >> 16;
   return request->op == HDB_HELPER_READ_WAVE && (index == SQ_WAVE_ACTIVE || index == SQ_WAVE_HW_ID2);
}

/* Those that a claim comes before. `extra` is what follows the request, or the reply. */
static int
serve_claimed(struct server *server, const struct hdb_helper_request *request, const void *extra, size_t extra_size,
              uint32_t *value, void *data)
{
   int error = tells_nothing(request) && server->claimed ? 0 : check_claim(server);
   if (error)
      return error;
   switch (request->op) {
   case HDB_HELPER_READ_REGISTER:
      return read_register(server, request, value);
   case HDB_HELPER_WRITE_REGISTER:
      return write_register(server, request);
   case HDB_HELPER_READ_WAVE:
      return read_wave(server, request, value);
   case HDB_HELPER_READ_MEMORY:
      return read_memory(server, request, data);
   case HDB_HELPER_WRITE_MEMORY:
      return write_memory(server, request, extra, extra_size);
   case HDB_HELPER_GET_ACCESS:
      return get_access(server, request, value);
   case HDB_HELPER_GET_RUN:
      return get_run(server, request, data);
   default:
      return -ENOSYS;
   }
}

static int
serve(struct server *server, const struct hdb_helper_request *request, const void *extra, size_t extra_size,
      uint32_t *value, void *data)
{
   if (extra_size && request->op != HDB_HELPER_WRITE_MEMORY)
      return -EINVAL;
   if (request->op == HDB_HELPER_HELLO)
      return greet(server, request);
   if (!server->greeted)
      return -EPROTO;
   switch (request->op) {
   case HDB_HELPER_CHALLENGE:
      return challenge(server, data);
   case HDB_HELPER_CLAIM: {
      int error = claim(server, request->address, request->value == 0);
      *value = error ? 0 : server->vm.vmid;
      return error;
   }
   case HDB_HELPER_RESTORE: /* whoever has the VMID now */
      return saved_registers_restore(server->saved, server->card);
   default:
      return serve_claimed(server, request, extra, extra_size, value, data);
   }
}

size_t
server_handle(struct server *server, const void *message, size_t size, void *out)
{
   struct hdb_helper_request request;
   struct hdb_helper_reply reply = {.result = -EINVAL};
   uint8_t *data = (uint8_t *)out + sizeof(reply);
   size_t data_size = 0;
   if (size >= sizeof(request)) {
      memcpy(&request, message, sizeof(request));
      reply.result = serve(server, &request, (const uint8_t *)message + sizeof(request), size - sizeof(request),
                           &reply.value, data);
   }
   if (!reply.result && request.op == HDB_HELPER_CHALLENGE)
      data_size = HDB_HELPER_NONCE_SIZE;
   if (!reply.result && request.op == HDB_HELPER_READ_MEMORY)
      data_size = request.size;
   if (!reply.result && request.op == HDB_HELPER_GET_RUN)
      data_size = sizeof(struct hdb_helper_run);
   memcpy(out, &reply, sizeof(reply));
   return sizeof(reply) + data_size;
}
