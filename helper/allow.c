/* SPDX-License-Identifier: MIT */
/* The registers that a debugger needs, and what it may do with them. All others are refused. */
#include "server.h"

#include <errno.h>

enum { READABLE = 1, WRITABLE = 2, BANKED = 4 /* by VMID */ };

static const struct rule {
   uint32_t reg;
   uint32_t flags;
} rules[] = {
   {REG_SQ_SHADER_TBA_LO, READABLE | WRITABLE | BANKED},
   {REG_SQ_SHADER_TBA_HI, READABLE | WRITABLE | BANKED},
   {REG_SQ_SHADER_TMA_LO, READABLE | WRITABLE | BANKED},
   {REG_SQ_SHADER_TMA_HI, READABLE | WRITABLE | BANKED},
   {REG_SPI_GDBG_PER_VMID_CNTL, READABLE | WRITABLE | BANKED},
   {REG_SQ_CMD, WRITABLE},
   {REG_GCVM_L2_PROTECTION_FAULT_STATUS, READABLE},
   {REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO, READABLE},
   {REG_GCVM_L2_PROTECTION_FAULT_ADDR_HI, READABLE},
};

static uint32_t
watch_of(uint32_t reg)
{
   uint32_t n = reg - REG_TCP_WATCH_ADDR_H(0);
   return n < 3 * HDB_WATCHES ? n / 3 : HDB_WATCHES;
}

static uint32_t
flags_of(uint32_t reg)
{
   for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
      if (rules[i].reg == reg)
         return rules[i].flags;
   }
   return watch_of(reg) < HDB_WATCHES ? READABLE | WRITABLE : 0;
}

bool
server_register_is_banked(uint32_t reg)
{
   return flags_of(reg) & BANKED;
}

bool
server_register_is_restored(uint32_t reg)
{
   return flags_of(reg) & WRITABLE && reg != REG_SQ_CMD;
}

static bool
is_broadcast(const struct hdb_helper_request *request)
{
   return request->se == HDB_BROADCAST && request->sa == HDB_BROADCAST && request->instance == HDB_BROADCAST;
}

static int
check_access(const struct server *server, const struct hdb_helper_request *request, uint32_t wanted)
{
   uint32_t flags = flags_of(request->reg);
   if (!(flags & wanted))
      return -EPERM;
   if (request->vmid != server->vm.vmid)
      return -EACCES;
   return is_broadcast(request) || request->reg == REG_SQ_CMD ? 0 : -EPERM;
}

static int
read_card(const struct server *server, uint32_t reg, uint32_t *value)
{
   static const struct hdb_bank all = {.se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST};
   return server->card->read_register(server->card->user, &all, reg, value);
}

/* One that is on and another VMID's. */
static int
check_watch(const struct server *server, uint32_t watch)
{
   uint32_t cntl;
   int error = read_card(server, REG_TCP_WATCH_CNTL(watch), &cntl);
   if (error || cntl == ~0u) /* without power */
      return error ?: -ENODATA;
   return cntl & WATCH_CNTL_VALID && WATCH_CNTL_VMID(cntl) != server->vm.vmid ? -EACCES : 0;
}

int
server_check_read(const struct server *server, const struct hdb_helper_request *request)
{
   int error = check_access(server, request, READABLE);
   if (!error && watch_of(request->reg) < HDB_WATCHES)
      error = check_watch(server, watch_of(request->reg));
   if (error || request->reg - REG_GCVM_L2_PROTECTION_FAULT_STATUS > 2)
      return error;
   uint32_t status; /* the last fault, whosever it was */
   error = read_card(server, REG_GCVM_L2_PROTECTION_FAULT_STATUS, &status);
   return error ?: status && FAULT_STATUS_VMID(status) != server->vm.vmid ? -EACCES : 0;
}

/* SQ_CMD reaches every wave of the card, unless it is told to look at the VMID. */
static int
check_command(const struct server *server, uint32_t value)
{
   if (!(value & SQ_CMD_CHECK_VMID))
      return -EPERM;
   if (value >> SQ_CMD_VMID_SHIFT != server->vm.vmid)
      return -EACCES;
   switch (value & 0xf) {
   case SQ_CMD_SETHALT:
   case SQ_CMD_KILL:
   case SQ_CMD_TRAP:
   case SQ_CMD_SINGLE_STEP:
      return 0;
   default:
      return -EPERM;
   }
}

int
server_check_write(const struct server *server, const struct hdb_helper_request *request)
{
   int error = check_access(server, request, WRITABLE);
   if (error)
      return error;
   if (request->reg == REG_SQ_CMD)
      return check_command(server, request->value);
   if (request->reg == REG_SPI_GDBG_PER_VMID_CNTL && request->value & GDBG_STALL_VMID)
      return -EPERM; /* nobody might be left to clear it, and no job of the process would start any more */
   uint32_t watch = watch_of(request->reg);
   if (watch == HDB_WATCHES)
      return 0;
   if (request->reg == REG_TCP_WATCH_CNTL(watch) && WATCH_CNTL_VMID(request->value) != server->vm.vmid)
      return -EACCES;
   return check_watch(server, watch);
}
