/* SPDX-License-Identifier: MIT */
/* The debugger as built without LLVM: programs run, nothing can be armed, and one line says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "card.h"

static void
says_why(void **state)
{
   const uint32_t code[] = {0xbf800000, 0xbfb00000}; /* s_nop 0; s_endpgm */
   struct card *card = card_create(0, 0, NULL, 0);
   struct program *program = program_create(card, &(struct program_options){
                                                     .code = code,
                                                     .code_size = sizeof(code),
                                                     .wave_size = 64,
                                                     .workgroup_size = {64, 1, 1},
                                                     .vgprs = 4,
                                                  });
   struct job *job = job_create(card, program, (uint32_t[]){4, 1, 1}, 0);
   assert_string_equal(hdb_machine_problem(card->machine), "no trap handler: built without LLVM");
   assert_int_equal(hdb_machine_arm(card->machine, &job->dispatch, HDB_ARM_STOP_AT_ENTRY), -ENOTSUP);
   assert_int_equal(hdb_machine_plant(card->machine, &program->shader, 0), -ENOTSUP);
   assert_int_equal(hdb_machine_stop_all(card->machine), 0);
   job_submit(card, job);
   assert_true(job_wait(card, job, 2000));
   assert_int_equal(hdb_machine_wait(card->machine, 0), 0);
   job_destroy(card, job);
   program_destroy(card, program);
   card_destroy(card);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {cmocka_unit_test(says_why)};
   return cmocka_run_group_tests(tests, NULL, NULL);
}
