/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <time.h>

#include "target/target.h"
#include "wave/slot.h"

#define ANSWER_TIMEOUT_MS 2000

void
hdb_mailbox_send(uint8_t *slot, uint32_t command)
{
   uint32_t sequence = (slot_read(slot, MAIL_COMMAND) >> 8) + 1;
   slot_write(slot, MAIL_COMMAND, sequence << 8 | command);
}

static int64_t
now_ms(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return time.tv_sec * 1000ll + time.tv_nsec / 1000000;
}

static bool
is_done(const uint8_t *slot)
{
   return slot_read(slot, MAIL_DONE) == slot_read(slot, MAIL_COMMAND);
}

int
hdb_mailbox_transfer(struct hdb_target *target, uint8_t *slot, uint32_t command, uint64_t address, uint32_t lanes,
                     uint32_t data[32])
{
   bool writes = command == COMMAND_WRITE_LDS || command == COMMAND_WRITE_MEMORY;
   for (int i = 0; i < 32 && writes; i++)
      slot_write(slot, SLOT_DATA + 4 * i, data[i]);
   slot_write(slot, MAIL_LANES, lanes);
   slot_write(slot, MAIL_ADDRESS, address);
   slot_write(slot, MAIL_ADDRESS + 4, address >> 32);
   hdb_mailbox_send(slot, command);
   target->ops->wake(target);

   int64_t deadline = now_ms() + ANSWER_TIMEOUT_MS;
   while (!is_done(slot)) {
      if (now_ms() >= deadline)
         return -ETIMEDOUT;
      target->ops->wait_interrupt(target, 1);
   }
   for (int i = 0; i < 32 && !writes; i++)
      if (lanes & 1u << i)
         data[i] = slot_read(slot, SLOT_DATA + 4 * i);
   return 0;
}
