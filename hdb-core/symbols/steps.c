/* SPDX-License-Identifier: MIT */
/* Where line steps end. */
#include "symbols/private.h"

/* How the (inlined) call that one instruction is in stands to another's. */
enum call_relation {
   CALL_SAME,
   CALL_DEEPER, /* called from it, at any depth */
   CALL_OUTER,  /* one of its callers */
   CALL_OTHER
};

static bool
is_ancestor(const struct hdb_symbols *symbols, uint32_t ancestor, uint32_t call)
{
   while (call != ancestor && call)
      call = symbols->calls[call].parent;
   return call == ancestor;
}

static enum call_relation
relate(const struct hdb_symbols *symbols, size_t index, size_t other_index)
{
   uint32_t call = symbols_call_of(symbols, index), other = symbols_call_of(symbols, other_index);
   if (call == other)
      return CALL_SAME;
   if (is_ancestor(symbols, call, other))
      return CALL_DEEPER;
   return is_ancestor(symbols, other, call) ? CALL_OUTER : CALL_OTHER;
}

bool
hdb_symbols_is_statement(const struct hdb_symbols *symbols, uint32_t pc)
{
   size_t index = symbols_find_pc(symbols, pc);
   return index < symbols->pc_count && symbols->pcs[index].pc == pc && symbols->pcs[index].statement;
}

bool
hdb_symbols_is_pad(const struct hdb_symbols *symbols, uint32_t pc)
{
   return symbols->padded && hdb_symbols_is_statement(symbols, pc);
}

static bool
ends_step(const struct hdb_symbols *symbols, size_t origin, enum hdb_line_step kind, size_t index)
{
   enum call_relation relation = relate(symbols, origin, index);
   bool debug = symbols->shader->flags & HDB_SHADER_DEBUG_COMPILED, statement = symbols->pcs[index].statement;

   /* Back in a caller, a debug build shows the rest of the calling statement, as gdb does; optimised code mixes the
    * caller's instructions into the call, so that only a new statement counts. Without lines nothing says where one
    * begins. */
   if (relation == CALL_OUTER)
      return statement || debug || !symbols->has_lines;
   if (kind == HDB_STEP_OUT || (kind == HDB_STEP_OVER && relation == CALL_DEEPER))
      return false;
   return statement && !symbols_same_line(symbols, origin, index);
}

bool
hdb_symbols_ends_step(const struct hdb_symbols *symbols, uint32_t origin, enum hdb_line_step kind, uint32_t pc)
{
   size_t index = symbols_find_pc(symbols, pc);
   return index < symbols->pc_count && symbols->pcs[index].pc == pc &&
          ends_step(symbols, symbols_find_pc(symbols, origin), kind, index);
}

void
hdb_symbols_step_range(const struct hdb_symbols *symbols, uint32_t origin, enum hdb_line_step kind, uint32_t pc,
                       uint32_t *low, uint32_t *high)
{
   size_t from = symbols_find_pc(symbols, origin), index = symbols_find_pc(symbols, pc);
   *low = *high = pc;
   if (index >= symbols->pc_count)
      return;
   size_t first = index, last = index;
   while (first > 0 && !ends_step(symbols, from, kind, first - 1))
      first--;
   while (last + 1 < symbols->pc_count && !ends_step(symbols, from, kind, last + 1))
      last++;
   *low = symbols->pcs[first].pc;
   *high = symbols_end_of(symbols, last);
}
