/* SPDX-License-Identifier: MIT */
/* Finding a card by its render node, and what the kernel says of its patience, in folders made as the kernel's are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "target/debugfs.h"
#include "target/kernel.h"

static char root[] = "/tmp/hdb-place-XXXXXX";

static void
run(const char *format, const char *argument)
{
   char command[1024], text[900];
   snprintf(text, sizeof(text), format, argument);
   snprintf(command, sizeof(command), "cd %s && %s", root, text);
   assert_int_equal(system(command), 0);
}

/* Two cards: minors 0 and 1, render nodes 128 and 129. The second one's segments are elsewhere. */
static int
setup(void **state)
{
   if (!mkdtemp(root))
      return -1;
   for (int card = 0; card < 2; card++) {
      char address[16];
      snprintf(address, sizeof(address), "0000:0%d:00.0", card ? 8 : 3);
      run("mkdir -p sys/devices/pci/%s/ip_discovery/die/0/GC/0 dri sys/dev/char sys/class/drm", address);
      run(card ? "printf '0x00001270\\n0x0000B000\\n0x1\\n' > sys/devices/pci/%s/ip_discovery/die/0/GC/0/base_addr"
               : "printf '0x00001260\\n0x0000A000\\n' > sys/devices/pci/%s/ip_discovery/die/0/GC/0/base_addr",
          address);
      run(card ? "mkdir -p sys/dev/char/226:129 && ln -s ../../../devices/pci/%s sys/dev/char/226:129/device"
               : "mkdir -p sys/dev/char/226:128 && ln -s ../../../devices/pci/%s sys/dev/char/226:128/device",
          address);
      run(card ? "mkdir dri/1 && touch dri/1/amdgpu_regs2 && echo amdgpu dev=%s unique=0000:08:00.0 > dri/1/name"
               : "mkdir dri/0 && touch dri/0/amdgpu_regs2 && echo amdgpu dev=%s unique=0000:03:00.0 > dri/0/name",
          address);
   }
   run("mkdir dri/2 && echo 'i915 dev=0000:00:02.0%s' > dri/2/name", "");
   return 0;
}

static int
teardown(void **state)
{
   char command[64];
   snprintf(command, sizeof(command), "rm -rf %s", root);
   return system(command);
}

static int
find(dev_t node, struct hdb_card_place *place, char why[256])
{
   char debugfs[64], sysfs[64];
   snprintf(debugfs, sizeof(debugfs), "%s/dri", root);
   snprintf(sysfs, sizeof(sysfs), "%s/sys", root);
   return hdb_card_place_find(node, debugfs, sysfs, place, why, 256);
}

static void
test_find(void **state)
{
   struct hdb_card_place place;
   char why[256];
   assert_int_equal(find(makedev(226, 128), &place, why), 0);
   assert_string_equal(place.debugfs + strlen(root), "/dri/0");
   assert_int_equal(place.gc_base[0], 0x1260);
   assert_int_equal(place.gc_base[1], 0xa000);
   assert_int_equal(find(makedev(226, 129), &place, why), 0);
   assert_string_equal(place.debugfs + strlen(root), "/dri/1");
   assert_int_equal(hdb_register_address(place.gc_base, GC_REGISTER(1, 0x9e6)), 4 * (0xb000 + 0x9e6));

   assert_int_equal(find(makedev(226, 130), &place, why), -ENOENT);
   assert_non_null(strstr(why, "the card is not in"));
   run("echo amdgpu dev=0000:08:00.01 > dri/1/name%s", "");
   assert_int_equal(find(makedev(226, 129), &place, why), -ENODEV);
   assert_non_null(strstr(why, "no amdgpu card 0000:08:00.0"));
   run("echo 0x1260 > sys/devices/pci/%s/ip_discovery/die/0/GC/0/base_addr", "0000:03:00.0");
   assert_int_equal(find(makedev(226, 128), &place, why), -EINVAL);
   assert_non_null(strstr(why, "ip_discovery"));
}

static bool
waits(const char *text)
{
   char sysfs[64];
   snprintf(sysfs, sizeof(sysfs), "%s/sys", root);
   run("mkdir -p sys/module/amdgpu/parameters && echo '%s' > sys/module/amdgpu/parameters/lockup_timeout", text);
   return hdb_kernel_waits(sysfs, 600);
}

static void
test_lockup_timeout(void **state)
{
   assert_false(waits("600000")); /* as doctor has it: not for compute in every kernel */
   assert_true(waits("600000,600000"));
   assert_false(waits("-1"));
   assert_true(waits("-1,-1"));
   assert_true(waits("-1,3600000,10000,10000"));
   assert_false(waits(""));
   assert_false(waits("0"));
   assert_false(waits("599999"));
   assert_false(waits("600000,10000"));
   assert_false(waits("10000,600000"));
   assert_false(waits("600000,0"));
   assert_false(waits("long"));
   assert_false(hdb_kernel_waits("/nowhere", 600));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {cmocka_unit_test(test_find), cmocka_unit_test(test_lockup_timeout)};
   return cmocka_run_group_tests(tests, setup, teardown);
}
