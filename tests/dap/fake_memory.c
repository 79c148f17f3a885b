/* SPDX-License-Identifier: MIT */
/* Memory: the shader's code is all there is. */
#include "fake_state.h"

#include <errno.h>

static int
transfer(uint64_t va, void *data, size_t size, bool writes)
{
   const struct hdb_shader *shader = fake.shader;
   if (!shader)
      return -EFAULT;
   return wave_transfer((uint8_t *)shader->code, shader->code_size, va - shader->va, data, size, writes);
}

int
hdb_machine_read_memory(struct hdb_machine *machine, uint64_t va, void *data, size_t size)
{
   return transfer(va, data, size, false);
}

int
hdb_machine_write_memory(struct hdb_machine *machine, uint64_t va, const void *data, size_t size)
{
   return transfer(va, (void *)data, size, true);
}

int
hdb_wave_read_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, void *data, size_t size)
{
   return transfer(va, data, size, false);
}

int
hdb_wave_write_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, const void *data, size_t size)
{
   return transfer(va, (void *)data, size, true);
}

int
hdb_wave_scratch_address(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset,
                         uint64_t *va)
{
   *va = 0x10000 + offset / 4 * 256 + lane * 4;
   return offset < WAVE_SCRATCH ? 0 : -EFAULT;
}
