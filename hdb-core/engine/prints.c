/* SPDX-License-Identifier: MIT */
/*
 * What shaders print (debugPrintfEXT) comes through a ring in memory of the device (hdb_driver.h), which is read while
 * somebody listens: a client, callbacks, debug-utils messengers. Nothing in there is trusted, any shader can write to
 * it.
 */
#include "engine/engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "engine/print_line.h"
#include "symbols/prints.h"
#include "symbols/reader.h"

/* How often rings are looked at: soon after a submission, then ever more rarely. */
#define LEAST_INTERVAL_MS 1
#define MOST_INTERVAL_MS 50

/* hdb_print_record.lanes of one that was read before those in front of it. */
#define ALREADY_READ UINT32_MAX

struct print_problem {
   char *text; /* why it can't be printed; NULL: it can */
   bool said;
};

struct print_module {
   uint32_t hash;
   struct hdb_prints prints;
   struct print_problem *problems; /* by print */
};

/* ---- modules ---- */

static struct print_module *
find_module(struct hdb_device *device, uint32_t hash)
{
   for (size_t i = 0; i < device->print_module_count; i++) {
      if (device->print_modules[i].hash == hash)
         return &device->print_modules[i];
   }
   return NULL;
}

static void
add_module(struct hdb_device *device, uint32_t hash, const uint32_t *words, size_t count)
{
   struct print_module module = {.hash = hash};
   if (hdb_prints_init(&module.prints, words, count))
      return;
   module.problems = calloc(module.prints.count + 1, sizeof(*module.problems));
   struct print_module *slot = module.problems ? array_append(device->print_modules, device->print_module_count) : NULL;
   if (!slot) {
      hdb_prints_finish(&module.prints);
      free(module.problems);
      return;
   }
   for (size_t i = 0; i < module.prints.count; i++)
      module.problems[i].text = print_check(&module.prints.prints[i]);
   *slot = module;
}

/* Those of a shader that are not known yet. */
static void
add_modules(struct hdb_device *device, const struct hdb_shader *shader)
{
   const uint32_t *words = shader->spirv;
   size_t rest = words ? shader->spirv_size / 4 : 0;
   while (rest && hdb_module_prints(words, rest)) {
      size_t count = spirv_find_module_end(words, rest);
      uint32_t hash = hdb_print_module(words, (uint32_t)count);
      if (hdb_module_prints(words, count) && !find_module(device, hash))
         add_module(device, hash, words, count);
      words += count;
      rest -= count;
   }
}

static struct print_module *
know_module(struct hdb_device *device, uint32_t hash)
{
   struct print_module *module = find_module(device, hash);
   for (size_t i = 0; !module && i < device->shader_count; i++) {
      add_modules(device, device->shaders[i]->shader);
      module = find_module(device, hash);
   }
   return module;
}

void
device_free_prints(struct hdb_device *device)
{
   for (size_t i = 0; i < device->print_module_count; i++) {
      struct print_module *module = &device->print_modules[i];
      for (size_t k = 0; k < module->prints.count; k++)
         free(module->problems[k].text);
      free(module->problems);
      hdb_prints_finish(&module->prints);
   }
   free(device->print_modules);
}

/* ---- lines ---- */

static void
tell(struct hdb_device *device, const char *line, uint64_t lines)
{
   const struct hdb_observer *observer = device->engine->leaving ? NULL : device->engine->options.observer;
   log_send(device, line, lines);
   if (observer)
      observer->printed(device->objects.user, line);
}

static void __attribute__((format(printf, 2, 3))) tell_trouble(struct hdb_device *device, const char *format, ...)
{
   char *text;
   va_list args;
   va_start(args, format);
   int length = vasprintf(&text, format, args);
   va_end(args);
   if (length < 0)
      return;
   tell(device, text, 1);
   free(text);
}

static void
print_lines(struct hdb_device *device, const struct hdb_print *print, const struct hdb_print_record *record)
{
   const uint32_t *values = (const uint32_t *)(record + 1);
   for (uint32_t i = 0; i < record->lanes; i++, values += print->dwords) {
      char *line = print_make_line(print, values);
      if (line)
         tell(device, line, 1);
      free(line);
   }
}

static void
print_record(struct hdb_device *device, const struct hdb_print_record *record)
{
   struct print_module *module = know_module(device, record->module);
   const struct hdb_print *print = module ? hdb_prints_find(&module->prints, record->spirv_offset) : NULL;
   struct print_problem *problem = print ? &module->problems[print - module->prints.prints] : NULL;
   if (problem && problem->text) {
      if (!problem->said)
         tell_trouble(device, "debugPrintf(\"%s\"): %s", print->format, problem->text);
      problem->said = true;
   } else if (print && record->size == HDB_PRINT_HEADER_DWORDS + record->lanes * print->dwords) {
      print_lines(device, print, record);
   } else {
      if (!device->strange_print_said)
         tell_trouble(device, "debugPrintf: lines are left out of a shader whose SPIR-V is not known");
      device->strange_print_said = true;
   }
}

/* ---- the ring ---- */

static struct hdb_print_ring *
ring_of(const struct hdb_device *device)
{
   return device->driver ? __atomic_load_n(&device->driver->prints.map, __ATOMIC_ACQUIRE) : NULL;
}

static struct hdb_print_record *
record_at(struct hdb_print_ring *ring, uint32_t position)
{
   return (void *)&ring->records[position % HDB_PRINT_RING_DWORDS];
}

static bool
is_sane(uint32_t size, uint32_t lanes, uint32_t room)
{
   return size >= HDB_PRINT_HEADER_DWORDS && size <= HDB_PRINT_MAX_RECORD_DWORDS && size <= room &&
          (lanes <= 64 || lanes == ALREADY_READ);
}

/* What is being printed must not change meanwhile, and makes room first. */
static struct hdb_print_record *
copy_record(const struct hdb_print_record *record, uint32_t size, uint32_t lanes)
{
   struct hdb_print_record *copy = malloc(size * 4);
   if (!copy)
      return NULL;
   memcpy(copy, record, size * 4);
   copy->size = size;
   copy->lanes = lanes;
   return copy;
}

static void
move_tail(struct hdb_print_ring *ring, uint32_t position)
{
   __atomic_store_n(&ring->tail, position, __ATOMIC_RELEASE);
}

static void
give_up(struct hdb_device *device, struct hdb_print_ring *ring, uint32_t end)
{
   tell_trouble(device, "debugPrintf: a shader has written to the memory that lines come through: some are lost");
   memset(ring->records, 0, sizeof(ring->records));
   move_tail(ring, end);
}

/* Prints what is whole, up to the first record that is not; `past`: what is behind that, too. True: there was any. */
static bool
read_records(struct hdb_device *device, struct hdb_print_ring *ring, bool past)
{
   uint32_t position = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);
   uint32_t end = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), size;
   bool any = false, gap = false;
   if (end - position > HDB_PRINT_RING_DWORDS) {
      give_up(device, ring, end);
      return true;
   }
   for (; position != end; position += size) {
      struct hdb_print_record *record = record_at(ring, position), *copy = NULL;
      uint32_t lanes = __atomic_load_n(&record->lanes, __ATOMIC_ACQUIRE);
      size = __atomic_load_n(&record->size, __ATOMIC_RELAXED);
      if (!size || (!lanes && !past))
         break;
      if (!is_sane(size, lanes, end - position)) {
         give_up(device, ring, end);
         return true;
      }
      if (lanes && lanes != ALREADY_READ)
         copy = copy_record(record, size, lanes);
      gap |= !lanes;
      if (!gap) {
         memset(record, 0, size * 4);
         move_tail(ring, position + size);
      } else if (lanes) {
         __atomic_store_n(&record->lanes, ALREADY_READ, __ATOMIC_RELAXED);
      }
      if (copy)
         print_record(device, copy);
      any |= copy != NULL;
      free(copy);
   }
   return any;
}

static void
tell_dropped(struct hdb_device *device, struct hdb_print_ring *ring)
{
   uint32_t dropped = __atomic_load_n(&ring->dropped, __ATOMIC_RELAXED);
   uint32_t more = dropped - device->dropped_prints;
   device->dropped_prints = dropped;
   if (!more)
      return;
   char text[96];
   snprintf(text, sizeof(text), "%u line%s of debugPrintf %s dropped: they came faster than they were read", more,
            more == 1 ? "" : "s", more == 1 ? "was" : "were");
   tell(device, text, more); /* where this is dropped, too, they are counted with the others */
}

bool
device_read_prints(struct hdb_device *device, bool past)
{
   struct hdb_print_ring *ring = ring_of(device);
   /* Callbacks that wait for the GPU lead here again. */
   if (!ring || device->reading_prints)
      return false;
   device->reading_prints = true;
   bool any = read_records(device, ring, past);
   tell_dropped(device, ring);
   device->reading_prints = false;
   return any;
}

/* The lines of a record that will not be printed. One that is not whole does not say how many it would have had: that
 * follows from the room it has taken; *least, if not even that. */
static uint32_t
count_lines(struct hdb_device *device, const struct hdb_print_record *record, uint32_t size, uint32_t lanes,
            bool *least)
{
   if (lanes)
      return lanes == ALREADY_READ ? 0 : lanes;
   const struct print_module *module = know_module(device, record->module);
   const struct hdb_print *print = module ? hdb_prints_find(&module->prints, record->spirv_offset) : NULL;
   if (print && print->dwords)
      return (size - HDB_PRINT_HEADER_DWORDS) / print->dwords;
   *least = true;
   return 1;
}

/* Takes everything out of the ring. Where a wave had room and has written nothing, the next record is the next dword
 * that is not 0. */
static uint32_t
drop_records(struct hdb_device *device, struct hdb_print_ring *ring, bool *least)
{
   uint32_t position = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);
   uint32_t end = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), size, lines = 0;
   bool empty = false;
   if (position == end || end - position > HDB_PRINT_RING_DWORDS)
      return 0;
   for (uint32_t at = position; at != end; at += size) {
      const struct hdb_print_record *record = record_at(ring, at);
      uint32_t lanes = __atomic_load_n(&record->lanes, __ATOMIC_ACQUIRE);
      size = __atomic_load_n(&record->size, __ATOMIC_RELAXED);
      if (!size) {
         lines += !empty;
         *least = empty = true;
         size = 1;
         continue;
      }
      empty = false;
      if (!is_sane(size, lanes, end - at))
         break;
      lines += count_lines(device, record, size, lanes, least);
   }
   memset(ring->records, 0, sizeof(ring->records));
   move_tail(ring, end);
   return lines;
}

void
device_end_prints(struct hdb_device *device)
{
   struct hdb_print_ring *ring = ring_of(device);
   bool least = false;
   char text[128];
   device_read_prints(device, true);
   uint32_t lines = ring && !device->reading_prints ? drop_records(device, ring, &least) : 0;
   if (!lines)
      return;
   snprintf(text, sizeof(text),
            "%u line%s of debugPrintf %s dropped%s: their waves were lost before they had written them", lines,
            lines == 1 ? "" : "s", lines == 1 ? "was" : "were", least ? ", at least" : "");
   tell(device, text, lines);
}

void
engine_read_prints(struct hdb_engine *engine, bool past)
{
   for (struct hdb_device *device = engine->devices; device; device = device->next)
      device_read_prints(device, past);
}

/* ---- listening ---- */

void
engine_listen_to_prints(struct hdb_engine *engine, enum listener by, bool on)
{
   if (on)
      atomic_fetch_or(&engine->listeners, by);
   else
      atomic_fetch_and(&engine->listeners, ~(unsigned)by);
}

static bool
set_listening(const struct hdb_device *device)
{
   struct hdb_print_ring *ring = ring_of(device);
   uint32_t listening = atomic_load_explicit(&device->engine->listeners, memory_order_relaxed) != 0;
   if (ring && __atomic_load_n(&ring->listening, __ATOMIC_RELAXED) != listening)
      __atomic_store_n(&ring->listening, listening, __ATOMIC_RELEASE);
   return ring && listening;
}

int
engine_prints_timeout(struct hdb_engine *engine)
{
   bool listening = false, any = false;
   for (struct hdb_device *device = engine->devices; device; device = device->next) {
      bool here = set_listening(device);
      listening |= here;
      any |= here && device_read_prints(device, false);
   }
   if (any || !listening || atomic_exchange(&engine->prints_expected, false))
      engine->print_interval = LEAST_INTERVAL_MS;
   else if (engine->print_interval < MOST_INTERVAL_MS)
      engine->print_interval *= 2;
   return listening ? engine->print_interval : -1;
}

void
hdb_engine_set_listened(struct hdb_engine *engine, bool listened)
{
   engine_listen_to_prints(engine, LISTENER_CALLBACKS, listened);
   engine_wake(engine);
}

bool
hdb_device_expect_prints(struct hdb_device *device)
{
   bool listening = set_listening(device);
   if (listening && !atomic_exchange(&device->engine->prints_expected, true))
      engine_wake(device->engine);
   return listening;
}

struct prints_job {
   struct job job;
   struct hdb_device *device;
   const struct hdb_memory *ring;
};

static void
deliver(struct hdb_engine *engine, struct job *job)
{
   device_read_prints(((struct prints_job *)job)->device, false);
   engine_finish_job(engine, job);
}

void
hdb_device_deliver_prints(struct hdb_device *device)
{
   struct prints_job job = {.job.run = deliver, .device = device};
   if (set_listening(device))
      engine_run_job(device->engine, &job.job);
}

static void
set_prints(struct hdb_engine *engine, struct job *job)
{
   struct prints_job *set = (struct prints_job *)job;
   const struct hdb_print_ring *ring = set->ring->map;
   set->device->driver->prints = *set->ring;
   set->device->dropped_prints = ring ? ring->dropped : 0;
   engine_finish_job(engine, job);
}

void
hdb_device_set_prints(struct hdb_device *device, const struct hdb_memory *ring)
{
   struct prints_job job = {.job.run = set_prints, .device = device, .ring = ring};
   engine_run_job(device->engine, &job.job);
}
