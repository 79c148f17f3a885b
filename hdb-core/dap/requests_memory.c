/* SPDX-License-Identifier: MIT */
/* Requests about memory, machine code and source text. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "dap/base64.h"
#include "dap/requests.h"

#define MAX_READ (4u << 20)
#define MAX_INSTRUCTIONS 65536

/* The card whose memory is meant: the stopped one, else the newest. */
static int
need_machine(struct request *request, struct hdb_machine **machine)
{
   struct card *card = request->engine->stopped ?: request->engine->cards;
   *machine = card ? card->machine : NULL;
   return card ? 0 : request_fail(request, "there is no device yet");
}

/* ---- memory ---- */

/* How much of [va, va + size) can be read, from its start; and why no more. */
static size_t
read_readable(struct hdb_machine *machine, uint64_t va, uint8_t *data, size_t size, int *error)
{
   size_t done = 0;
   *error = 0;
   while (done < size) {
      size_t step = 4096 - (va + done) % 4096; /* page by page: the smallest page there is */
      if (step > size - done)
         step = size - done;
      *error = hdb_machine_read_memory(machine, va + done, data + done, step);
      if (*error)
         break;
      done += step;
   }
   return done;
}

/* Where nothing leads to memory, that is no matter of this address. */
static int
fail_to_reach(struct request *request, struct hdb_machine *machine, uint64_t va)
{
   const char *problem = hdb_machine_problem(machine);
   return request_fail(request, "memory at 0x%" PRIx64 " can't be reached while no wave is stopped%s%s", va,
                       problem ? ": " : "", problem ? problem : "");
}

static int
give_memory(struct request *request, json_t *address, const uint8_t *data, size_t readable, size_t count)
{
   char *text = base64_encode(data, readable);
   request->body = text ? json_pack("{s:o, s:s, s:I}", "address", address, "data", text, "unreadableBytes",
                                    (json_int_t)(count - readable))
                        : NULL;
   free(text);
   return request->body ? 0 : -ENOMEM;
}

/* Memory that belongs to a stopped wave. */
static const struct {
   const char *prefix;
   bool scratch; /* of the lane that is looked at; else the workgroup's LDS */
} own_spaces[] = {{"LDS+", false}, {"scratch+", true}};

/* How much of it can be read: the wave answers for all that is asked or for nothing. */
static size_t
read_own(struct hdb_machine *machine, struct hdb_wave *wave, bool scratch, uint32_t lane, uint32_t offset,
         uint8_t *data, size_t size)
{
   size_t done = 0, step = 256;
   while (done < size) {
      size_t count = step < size - done ? step : size - done;
      int result = scratch ? hdb_wave_read_scratch(machine, wave, lane, offset + done, data + done, count)
                           : hdb_wave_read_lds(machine, wave, offset + done, data + done, count);
      done += result ? 0 : count;
      if (result && step == 1)
         break;
      step = result ? step / 4 : step;
   }
   return done;
}

static int
read_own_space(struct request *request, bool scratch, const char *text, size_t count)
{
   struct card *card;
   struct hdb_wave *wave;
   uint32_t frame;
   char *end;
   unsigned long offset = strtoul(text, &end, 0);
   if (end == text || *end || offset > INT32_MAX)
      return request_fail(request, "memoryReference: a hexadecimal offset expected behind the +");
   offset += get_integer(request->arguments, "offset", 0);
   int result = need_frame(request, &card, &wave, &frame);
   uint8_t *data = result ? NULL : malloc(count + 1);
   if (!data)
      return result ? result : -ENOMEM;
   uint32_t lane = focus_lane_of(request->engine, card, wave);
   size_t readable = offset <= INT32_MAX ? read_own(card->machine, wave, scratch, lane, offset, data, count) : 0;
   result = give_memory(request, json_sprintf("%s0x%lx", scratch ? "scratch+" : "LDS+", offset), data, readable, count);
   free(data);
   return result;
}

int
handle_read_memory(struct request *request)
{
   struct hdb_machine *machine;
   uint64_t address;
   json_int_t count = get_integer(request->arguments, "count", -1);
   const char *reference = get_string(request->arguments, "memoryReference");
   if (count < 0 || count > MAX_READ)
      return request_fail(request, "count: 0 to %u expected", MAX_READ);
   for (size_t i = 0; reference && i < sizeof(own_spaces) / sizeof(own_spaces[0]); i++) {
      size_t length = strlen(own_spaces[i].prefix);
      if (strncmp(reference, own_spaces[i].prefix, length) == 0)
         return read_own_space(request, own_spaces[i].scratch, reference + length, count);
   }
   int result = need_machine(request, &machine);
   if (!result)
      result = need_address(request, "memoryReference", &address);
   if (result)
      return result;
   uint8_t *data = malloc(count + 1);
   if (!data)
      return -ENOMEM;
   size_t readable = read_readable(machine, address, data, count, &result);
   if (result == -ENOTCONN && !readable)
      fail_to_reach(request, machine, address);
   else
      result = give_memory(request, json_hex(address), data, readable, count);
   free(data);
   return result;
}

int
handle_write_memory(struct request *request)
{
   struct hdb_machine *machine;
   uint64_t address;
   const char *text = get_string(request->arguments, "data");
   int result = need_machine(request, &machine);
   if (!result)
      result = need_address(request, "memoryReference", &address);
   if (result)
      return result;
   size_t length = text ? strlen(text) : 0;
   uint8_t *data = malloc(length / 4 * 3 + 1);
   if (!data)
      return -ENOMEM;
   long size = base64_decode(text ? text : "", length, data);
   if (size < 0)
      result = request_fail(request, "data: base64 expected");
   else
      result = hdb_machine_write_memory(machine, address, data, size);
   free(data);
   if (result == -EFAULT)
      return request_fail(request, "0x%" PRIx64 " is not mapped", address);
   if (result == -ENOTCONN)
      return fail_to_reach(request, machine, address);
   if (!result)
      request->body = json_pack("{s:I}", "bytesWritten", (json_int_t)size);
   return result;
}

/* ---- machine code ---- */

static struct engine_shader *
shader_at(struct hdb_engine *engine, uint64_t va)
{
   for (struct hdb_device *device = engine->devices; device; device = device->next) {
      for (size_t i = 0; device->machine && i < device->shader_count; i++) {
         if (va - device->shaders[i]->shader->va < device->shaders[i]->shader->exec_size)
            return device->shaders[i];
      }
   }
   return NULL;
}

static json_t *
describe_instruction(struct request *request, struct hdb_machine *machine, struct engine_shader *shader, uint64_t va,
                     int *size)
{
   char text[256], bytes[64] = "";
   uint8_t code[16];
   struct hdb_position position;
   *size = engine_disassemble(machine, shader ? shader->shader->wave_size : 64, va, text, sizeof(text));
   if (*size <= 0) {
      *size = 4;
      return json_pack("{s:o, s:s, s:s}", "address", json_hex(va), "instruction", "(bad)", "presentationHint",
                       "invalid");
   }
   if (*size <= (int)sizeof(code) && !hdb_machine_read_memory(machine, va, code, *size)) {
      for (int i = 0; i < *size; i++)
         snprintf(bytes + 3 * i, sizeof(bytes) - 3 * i, "%02x%s", code[i], i + 1 < *size ? " " : "");
   }
   json_t *json = json_pack("{s:o, s:s, s:s}", "address", json_hex(va), "instruction", text, "instructionBytes", bytes);
   if (shader && engine_position(request->engine, shader->shader, va, &position)) {
      json_object_set_new(json, "location", describe_source(request, shader, position.file));
      json_object_set_new(json, "line", json_integer(position.line));
   }
   return json;
}

/* Instructions have no marks to be found backwards by: those of a shader are counted from its beginning. */
static int
list_addresses(struct hdb_machine *machine, const struct hdb_shader *shader, uint64_t **addresses, size_t *count)
{
   char text[256];
   for (uint64_t va = shader->va; va < shader->va + shader->exec_size;) {
      uint64_t *address = array_append(*addresses, *count);
      if (!address)
         return -ENOMEM;
      *address = va;
      int size = engine_disassemble(machine, shader->wave_size, va, text, sizeof(text));
      va += size > 0 ? size : 4;
   }
   return 0;
}

static int
disassemble_shader(struct request *request, struct hdb_machine *machine, struct engine_shader *shader, uint64_t va,
                   json_int_t first, json_int_t count, json_t *list)
{
   uint64_t *addresses = NULL;
   size_t address_count = 0;
   int size, result = list_addresses(machine, shader->shader, &addresses, &address_count);
   size_t at = 0;
   while (at + 1 < address_count && addresses[at + 1] <= va)
      at++;
   for (json_int_t i = 0; !result && i < count; i++) {
      json_int_t index = (json_int_t)at + first + i;
      if (index >= 0 && index < (json_int_t)address_count)
         json_array_append_new(list, describe_instruction(request, machine, shader, addresses[index], &size));
   }
   free(addresses);
   return result;
}

int
handle_disassemble(struct request *request)
{
   struct hdb_machine *machine;
   uint64_t address;
   json_int_t first = get_integer(request->arguments, "instructionOffset", 0);
   json_int_t count = get_integer(request->arguments, "instructionCount", 0);
   int size, result = need_machine(request, &machine);
   if (!result)
      result = need_address(request, "memoryReference", &address);
   if (result)
      return result;
   if (count < 0 || count > MAX_INSTRUCTIONS || first < -MAX_INSTRUCTIONS || first > MAX_INSTRUCTIONS)
      return request_fail(request, "at most %d instructions", MAX_INSTRUCTIONS);
   json_t *list = json_array();
   request->body = json_pack("{s:o}", "instructions", list);
   struct engine_shader *shader = shader_at(request->engine, address);
   if (shader)
      return disassemble_shader(request, shader->device->machine, shader, address, first, count, list);
   for (json_int_t i = 0; i < first + count; i++) {
      json_t *instruction = describe_instruction(request, machine, NULL, address, &size);
      if (i >= first)
         json_array_append_new(list, instruction);
      else
         json_decref(instruction);
      address += size;
   }
   return 0;
}

/* ---- source text ---- */

/* The text from one shader's module. A module that names the file has it or lacks it: another one of that name is
 * another text. */
static bool
find_text(struct request *request, struct engine_shader *shader, const char *path, bool *named)
{
   struct hdb_symbols *symbols = shader_symbols(shader);
   const char *file = path || !symbols ? path : hdb_symbols_file_name(symbols, 0);
   size_t size;
   if (!file || !symbols || !hdb_symbols_has_file(symbols, file))
      return false;
   const char *text = hdb_symbols_source(symbols, file, &size);
   json_t *content = text ? json_stringn(text, size) : NULL; /* NULL: no UTF-8 */
   *named = true;
   if (content)
      request->body = json_pack("{s:o}", "content", content);
   return content;
}

/* In the shaders of a module; 0: in all. */
static bool
find_text_in_module(struct request *request, uint32_t module, const char *path, bool *named)
{
   for (struct hdb_device *device = request->engine->devices; device; device = device->next) {
      for (size_t i = 0; i < device->shader_count; i++) {
         if ((!module || shader_module(device->shaders[i]) == module) &&
             find_text(request, device->shaders[i], path, named))
            return true;
      }
   }
   return false;
}

int
handle_source(struct request *request)
{
   json_t *source = json_object_get(request->arguments, "source");
   const char *path = get_string(source, "path");
   uint32_t module = get_integer(source, "sourceReference", get_integer(request->arguments, "sourceReference", 0));
   bool named = false;
   if ((module && find_text_in_module(request, module, path, &named)) ||
       (!named && path && find_text_in_module(request, 0, path, &named)))
      return 0;
   return request_fail(request,
                       named ? "no text of %s: its module holds none, and there is no such file"
                             : "no text of %s: no shader was made from it",
                       path ? path : "this source");
}
