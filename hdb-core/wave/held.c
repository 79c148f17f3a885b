/* SPDX-License-Identifier: MIT */
/*
 * What has been read through a stopped wave, kept for a while: what one lane asks for is mostly what its neighbours ask
 * for next, and each question to the wave costs some microseconds.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stop/private.h"
#include "target/target.h"
#include "wave/slot.h"

#define HELD_LINES 256
#define LINE_SIZE 128 /* what one command reads */

struct held_line {
   uint32_t command; /* that read it; 0: empty */
   uint32_t period;  /* in which it was read; what was held in an earlier one is forgotten */
   uint64_t address;
   uint32_t dwords[LINE_SIZE / 4];
};

static struct held_line *
line_of(struct hdb_machine *machine, uint32_t command, uint64_t address)
{
   uint64_t number = address / LINE_SIZE;
   return &machine->held[(number ^ number >> 8 ^ command) % HELD_LINES];
}

static bool
is_there(const struct hdb_machine *machine, const struct held_line *line, uint32_t command, uint64_t address)
{
   return line->command == command && line->address == address && line->period == machine->held_period;
}

void
hdb_wave_hold_memory(struct hdb_machine *machine, const struct hdb_wave *wave)
{
   if (machine->held_count++)
      return;
   if (!machine->held)
      machine->held = calloc(HELD_LINES, sizeof(*machine->held));
   machine_forget_held(machine);
   machine->held_wave = machine->held && wave->run == HDB_WAVE_STOPPED ? (const struct machine_wave *)wave : NULL;
}

void
hdb_wave_release_memory(struct hdb_machine *machine)
{
   if (!--machine->held_count)
      machine->held_wave = NULL;
}

void
machine_forget_held(struct hdb_machine *machine)
{
   machine->held_period++;
   if (machine->held_period || !machine->held)
      return;
   memset(machine->held, 0, HELD_LINES * sizeof(*machine->held)); /* it has begun anew */
   machine->held_period = 1;
}

bool
machine_has_held(struct hdb_machine *machine, const struct hdb_wave *wave, uint32_t command, uint64_t address,
                 size_t size)
{
   uint64_t first = address & ~(LINE_SIZE - 1ull), last = (address + size - 1) & ~(LINE_SIZE - 1ull);
   return machine->held_wave == (const struct machine_wave *)wave && size && size <= LINE_SIZE && first == last &&
          is_there(machine, line_of(machine, command, first), command, first);
}

/* Whole lines, also of LDS and scratch: these come in multiples of them. */
static int
read_line(struct hdb_machine *machine, uint32_t command, uint64_t address, const struct held_line **out)
{
   struct held_line *line = line_of(machine, command, address);
   *out = line;
   if (is_there(machine, line, command, address))
      return 0;
   line->command = 0;
   line->address = address;
   line->period = machine->held_period;
   int error = wave_read_dwords(machine, machine->held_wave, command, address, UINT32_MAX, line->dwords);
   if (!error)
      line->command = command;
   return error;
}

bool
machine_read_held(struct hdb_machine *machine, const struct machine_wave *wave, uint32_t command, uint64_t address,
                  void *data, size_t size, int *result)
{
   if (!wave || machine->held_wave != wave)
      return false;
   *result = 0;
   while (size && !*result) {
      const struct held_line *line;
      uint64_t from = address % LINE_SIZE, room = LINE_SIZE - from;
      size_t taken = size < room ? size : room;
      *result = read_line(machine, command, address - from, &line);
      if (!*result)
         memcpy(data, (const uint8_t *)line->dwords + from, taken);
      data = (uint8_t *)data + taken;
      address += taken;
      size -= taken;
   }
   return true;
}

/* ---- memory as it was ---- */

#define ADDRESS_MASK ((1ull << 48) - 1)

void
hdb_wave_pretend_memory(struct hdb_machine *machine, uint64_t va, const void *data, size_t size)
{
   machine->pretended = (typeof(machine->pretended)){.data = data, .address = va, .size = size};
}

void
hdb_wave_pretend_scratch(struct hdb_machine *machine, uint32_t lane, uint32_t offset, const void *data, size_t size)
{
   machine->pretended =
      (typeof(machine->pretended)){.data = data, .address = offset, .size = size, .scratch = true, .lane = lane};
}

void
hdb_wave_pretend_nothing(struct hdb_machine *machine)
{
   machine->pretended.data = NULL;
}

static void
overlay(const struct hdb_machine *machine, uint64_t address, void *data, size_t size)
{
   uint64_t ahead = (machine->pretended.address - address) & ADDRESS_MASK;
   uint64_t behind = (address - machine->pretended.address) & ADDRESS_MASK;
   uint64_t to = ahead < size ? ahead : 0, from = ahead < size ? 0 : behind;
   if (from >= machine->pretended.size)
      return;
   uint64_t here = machine->pretended.size - from, room = size - to;
   memcpy((uint8_t *)data + to, machine->pretended.data + from, here < room ? here : room);
}

void
machine_pretend_memory(const struct hdb_machine *machine, uint64_t va, void *data, size_t size)
{
   if (machine->pretended.data && !machine->pretended.scratch)
      overlay(machine, va, data, size);
}

void
machine_pretend_scratch(const struct hdb_machine *machine, uint32_t lane, uint32_t offset, void *data, size_t size)
{
   if (machine->pretended.data && machine->pretended.scratch && machine->pretended.lane == lane)
      overlay(machine, offset, data, size);
}
