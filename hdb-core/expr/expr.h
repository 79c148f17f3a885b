/* SPDX-License-Identifier: MIT */
/*
 * Expressions over the registers of a stopped wave:
 *
 *    [/x | /d | /u | /f] REGISTER [= NUMBER]
 *
 *    $v3  $v3[5]  $s7  $s[4:7]  $exec  $vcc  $scc  $m0  $pc  $mode  $status
 *
 * Numbers are decimal, hexadecimal (0x...) or, with a point or an exponent, floats.
 */
#ifndef HDB_EXPR_H
#define HDB_EXPR_H

#include "stop/machine.h"

/* The value as text (to be freed), after the assignment if there is one. On failure *error (to be freed) says why. */
int hdb_expr_evaluate(const char *text, struct hdb_machine *machine, struct hdb_wave *wave, char **value, char **error);

#endif
