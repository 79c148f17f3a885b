/* SPDX-License-Identifier: MIT */
/* documented FILE: the tables of the file name every extension that the device has, as exposed, and no other. */
#include <string.h>

#include "gpu.h"

enum { MAX_NAMES = 1024 };

struct names {
   unsigned count;
   char name[MAX_NAMES][VK_MAX_EXTENSION_NAME_SIZE];
};

static void
add(struct names *names, const char *name, size_t length)
{
   CHECK(names->count < MAX_NAMES && length < VK_MAX_EXTENSION_NAME_SIZE);
   memcpy(names->name[names->count], name, length);
   names->name[names->count++][length] = '\0';
}

static bool
has(const struct names *names, const char *name)
{
   for (unsigned i = 0; i < names->count; i++)
      if (!strcmp(names->name[i], name))
         return true;
   return false;
}

/* Those in the first column of rows whose second begins with "yes". */
static void
read_tables(const char *file, struct names *names)
{
   static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
   char *row = NULL;
   size_t size = 0;
   FILE *stream = fopen(file, "r");
   CHECK(stream);
   while (getline(&row, &size, stream) >= 0) {
      char *second = row[0] == '|' ? strchr(row + 1, '|') : NULL;
      if (!second || strncmp(second, "| yes", 5))
         continue;
      *second = '\0';
      for (const char *at = row; (at = strstr(at, "VK_")); at += strspn(at, letters))
         add(names, at, strspn(at, letters));
   }
   fclose(stream);
   free(row);
}

static void
read_device(struct names *names)
{
   static VkExtensionProperties all[MAX_NAMES];
   struct gpu gpu;
   uint32_t count = MAX_NAMES;
   CHECK(gpu_open(&gpu, NULL));
   CALL(vkEnumerateDeviceExtensionProperties(gpu.physical_device, NULL, &count, all));
   for (uint32_t i = 0; i < count; i++)
      add(names, all[i].extensionName, strlen(all[i].extensionName));
   gpu_close(&gpu);
}

static unsigned
count_missing(const struct names *from, const struct names *in, const char *what)
{
   unsigned missing = 0;
   for (unsigned i = 0; i < from->count; i++)
      if (!has(in, from->name[i])) {
         printf("%s %s\n", from->name[i], what);
         missing++;
      }
   return missing;
}

int
main(int argc, char **argv)
{
   static struct names documented, exposed;
   CHECK(argc == 2);
   read_tables(argv[1], &documented);
   read_device(&exposed);
   const unsigned wrong = count_missing(&exposed, &documented, "is exposed and not documented") +
                          count_missing(&documented, &exposed, "is documented and not exposed");
   printf("%u extensions\n", exposed.count);
   return wrong || !exposed.count;
}
