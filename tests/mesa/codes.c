/* SPDX-License-Identifier: MIT */
#include "codes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
codes_take(struct driver *driver, VkDevice device, VkPipeline pipeline, struct codes *codes)
{
   codes->count = driver_get_codes(driver, device, pipeline, codes->list, DRIVER_MAX_CODES);
   driver->DestroyPipeline(device, pipeline, NULL);
}

static bool
equal(const struct driver_code *a, const struct driver_code *b)
{
   return a->size == b->size && (!a->size || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static void
free_codes(struct codes *codes)
{
   for (uint32_t i = 0; i < codes->count; i++)
      free(codes->list[i].bytes);
}

void
codes_compare(struct codes *stock, struct codes *other, const char *driver, const char *pipeline,
              struct codes_result *result)
{
   for (uint32_t i = 0; i < stock->count && i < other->count; i++) {
      result->compared += stock->list[i].size != 0;
      if (!equal(&stock->list[i], &other->list[i])) {
         result->different++;
         printf("%s: pipeline %s, shader %u: %zu bytes, stock %zu\n", driver, pipeline, i, other->list[i].size,
                stock->list[i].size);
      }
   }
   if (stock->count != other->count) {
      result->different++;
      printf("%s: pipeline %s: %u shaders, stock %u\n", driver, pipeline, other->count, stock->count);
   }
   free_codes(stock);
   free_codes(other);
}
