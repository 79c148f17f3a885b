#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A kernel that reserves no VMID for a program that runs already: hdb says so, and `hdb attach --all-vmids` to the same
program does without.  test_attach_all_vmids.py PROGRAM"""
import os
import subprocess
import sys

from harness import ENTRY, RIGHT, TIMEOUT, Output, check, expect, on_driver, type_in


def attach(program, *options):
    hdb = subprocess.Popen([os.environ['HDB'], 'attach', *options, str(program.pid)], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = Output(hdb.stdout.fileno())
    output.until('attached to process')
    type_in(hdb, 'catch affine')
    return hdb, output


def leave(hdb, output):
    type_in(hdb, 'quit')
    text = output.to_end()
    check(hdb.wait(timeout=TIMEOUT) == 0, f'exit code {hdb.returncode}', text)
    return text


with on_driver(HDB_VGPU='vmid-taken', TERM='dumb') as folder:
    environment = dict(os.environ, VK_INSTANCE_LAYERS='VK_LAYER_hdb', HDB_GPU='virtual')
    steady = subprocess.Popen(sys.argv[1], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              start_new_session=True, env=environment)
    said = Output(steady.stdout.fileno())
    said.until('begun')
    hdb, output = attach(steady)
    output.until('the kernel reserves no VMID for the program')
    text = leave(hdb, output)
    check(ENTRY not in text and 'warning' not in text, 'nothing is armed unasked', text)

    hdb, output = attach(steady, '--all-vmids')
    type_in(hdb, 'continue')
    output.until(ENTRY)
    type_in(hdb, 'info waves')
    type_in(hdb, 'step')
    output.until('Step, ')
    text = leave(hdb, output)
    expect(text, r'^hdb-helper: warning: shaders of every process', r'^Entry of dispatch', r'^\* 1 .* stopped', r'^Step, ')
    steady.stdin.close()
    text = said.to_end()
    check(steady.wait(timeout=TIMEOUT) == 0 and RIGHT.search(text), 'the program did not finish right', text)
