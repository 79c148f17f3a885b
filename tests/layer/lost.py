#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A dispatch that faults or hangs, and what becomes of the program:  lost.py SURROUNDINGS PROGRAM CASE

driver    hdb's driver and the virtual GPU alone
layer     with the layer, which listens
hdb       the dispatch attached to; it goes on after every exception
orphan    hdb is killed at the first exception

The program (lost.c) checks that every wait says VK_ERROR_DEVICE_LOST, and ends soon. One line tells why.

From meson: HDB (the command), VK_ADD_LAYER_PATH, HDB_TEST_DRIVER (a library; may be unset).
"""
import os
import re
import subprocess
import sys

from harness import on_driver, typed

WAVES = 16
FAULT = r'^hdb-vgpu: memory fault: write to 0x1234567\w{5}, at pc 0x\w+ \(shader at 0x\w+ \+ 0x\w+\), dispatch 0 of the job, '
HANG = r'^hdb-vgpu: hang: no wave ended .* at pc 0x\w+, dispatch 0 of the job, '
RIGHT = r'^lost: (\d+) of \1 right'
EXCEPTION = r'^Exception: memory violation in the page at 0x123456789000, at pc 0x\w+, [^:]* at fault\.comp:16$'


def check_count(text, pattern, count='1'):
    found = len(re.findall(pattern, text, re.MULTILINE))
    if not re.fullmatch(count, str(found)):
        sys.exit(f'{text}\nfailed: "{pattern}" {found} times, not {count}')


def run(command, kill_at=None):
    """All that a command and its children print; the command is killed when it has printed `kill_at`."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True)
    text = ''
    for line in process.stdout:
        text += line
        if kill_at and kill_at in line:
            process.kill()
    process.wait()
    return text


def main():
    surroundings, program, case = sys.argv[1:]
    command = [program, case, '-n', str(WAVES)]
    if surroundings == 'layer':
        os.environ['VK_INSTANCE_LAYERS'] = 'VK_LAYER_hdb'
    elif surroundings in ('hdb', 'orphan'):
        # A continue goes to the next exception, at most one for a wave.
        continues = ['continue'] * (WAVES + 1 if surroundings == 'hdb' else 1)
        batch = ['--batch'] if surroundings == 'hdb' else []
        # At the second device's first dispatch the first device is gone, and with it two dispatches.
        dispatch = '2' if case == 'again' else '0'
        if case == 'again' and surroundings == 'hdb':
            continues = ['continue', 'info dispatches'] * 2 * (WAVES + 2)
        command = [os.environ['HDB'], 'run', '--gpu', 'virtual', '--dispatch', dispatch, *batch,
                   *typed('run', *continues), '--', *command]
    text = run(command, 'Exception: ' if surroundings == 'orphan' else None)
    if surroundings in ('hdb', 'orphan') and case != 'hang':
        check_count(text, EXCEPTION, r'[1-9]\d*')
    check_count(text, HANG if case == 'hang' else FAULT, '2' if case == 'again' else '1')
    check_count(text, RIGHT)
    if surroundings == 'hdb' and case in ('memory', 'hang'):
        check_count(text, r'^dispatch 0 \(.*\) was lost with the device$')
        check_count(text, r'^dispatch 0 \(.*\) finished', '0')
    if surroundings == 'hdb' and case == 'again':
        check_count(text, r'^0 .* lost\n1 .* lost\n2 .* (?:running|begun|pending)$', r'[1-9]\d*')
        check_count(text, r'^dispatch 2 \(.*\) was lost with the device$')


with on_driver(HDB_GPU='virtual', HDB_VGPU_TIMEOUT_MS='500', VK_HDB_PROMPT='never'):
    main()
