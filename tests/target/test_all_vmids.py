#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A kernel that reserves no VMID for the program: hdb says so, and `--all-vmids` does without, after a warning.
test_all_vmids.py PROGRAM"""
import os
import subprocess
import sys

from harness import check, expect, on_driver, typed

PROGRAM = sys.argv[1]


def debug(*options):
    return subprocess.run([os.environ['HDB'], 'run', '--gpu', 'virtual', '--batch', *options,
                           *typed('break saxpy.comp:15', 'run', 'info waves', 'print i', 'delete', 'continue'), '--', PROGRAM],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60).stdout


os.environ['HDB_VGPU'] = 'vmid-taken'
with on_driver():
    text = debug()
    expect(text, r'the kernel reserves no VMID for the program \(see --all-vmids of `hdb run`, attach\)', r'1000 of 1000 right')
    check('Breakpoint 1, ' not in text and 'warning' not in text, 'nothing is armed unasked', text)
    text = debug('--all-vmids')
    expect(text, r'^hdb-helper: warning: shaders of every process', r'^Breakpoint 1, saxpy at saxpy\.comp:15', r'^\* 1 .* stopped',
           r'^\$1 = \d+$', r'1000 of 1000 right')
