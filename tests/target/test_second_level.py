#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Where the kernel calls a trap handler that the process has set, waves stop without a register and without root:
test_second_level.py SHAPE PROGRAM. One wave, since the others can't be halted then. SHAPE as in HDB_VGPU_L2_TRAP."""
import os
import subprocess
import sys

from harness import check, expect, on_driver, typed


def debug(program, *commands, options=()):
    done = subprocess.run([os.environ['HDB'], 'run', '--gpu', 'virtual', '--batch', *options, *typed(*commands), '--',
                           program, '-n', '64'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    return done.stdout


def main():
    shape, program = sys.argv[1:]
    with on_driver():
        if shape in ('none', 'cwsr-none'):  # a kernel that has no such thing, or not on this card
            text = debug(program, 'break saxpy.comp:15', 'run')
            expect(text, r'^breakpoint 1: no trap at .*: no hdb-helper at', r'64 of 64 right', r'exited with code 0')
            return
        for compile_mode in ('debug', 'optimized'):
            options = ['--compile', compile_mode]
            text = debug(program, 'break saxpy.comp:15', 'run', 'print/u $v0[3]', 'step', 'stepi 2', 'info waves', 'delete',
                         'continue', options=options)
            expect(text, r'^Breakpoint 1, saxpy at saxpy\.comp:15\n15\t.*float product', r'1 stopped$', r' = 3$',
                   # optimized, the line has two places
                   r'^Step, saxpy at saxpy\.comp:16' if compile_mode == 'debug' else '^Breakpoint 1, ', r'^Step, ', r'^\* 1 +0,0,0 .* stopped', r'64 of 64 right',
                   r'exited with code 0')
            text = debug(program, 'catch 0', 'run', 'print/u $v0[5]', 'step 99999', options=options)
            expect(text, r'^Entry of dispatch, saxpy at', r' = 5$', r'64 of 64 right')
        # An edit changes the result: the product of lane 7.
        text = debug(program, 'break saxpy.comp:16', 'run', 'set $exec=1', 'delete', 'continue')
        expect(text, r'^Breakpoint 1, ', r'^saxpy: 1 of 64 right')
        # Nobody can look at page tables: buffers are read and written by the stopped wave, where the kernel says that
        # the process has mapped them.
        text = debug(program, 'break saxpy.comp:16', 'run', 'lane 5', 'print i', 'x/1xw $pc', 'print x[3]', 'print y[3]',
                     'x/2f &x[2]', 'set var y[5] = 100', 'print y[5]', 'delete', 'continue', options=['--compile', 'debug'])
        expect(text, r'^Breakpoint 1, ', r'^\$1 = 5$', r'^0xffff8000[0-9a-f]*:  0x[0-9a-f]{8}$', r'^\$2 = 3$',
               r'^\$3 = 0\.5$', r'^0xffff8[0-9a-f]*:  2 +3 *$', r'^\$4 = 100$', r'^saxpy: 63 of 64 right')
        for command in ('x/1xw 0x1000', 'set var *(uint *)0x1000 = 1'):
            text = debug(program, 'break saxpy.comp:16', 'run', command)
            expect(text, r'^Breakpoint 1, ', r'^hdb: .*0x1000')
        # Shared memory: one in seven values is 1.
        text = debug(os.path.join(os.environ['HDB_SAMPLES'], 'reduce'), 'break reduce.comp:18', 'run', 'print tree[7]',
                     'print tree[8]', 'print values[14]', 'set var tree[7] = 1000', 'print tree[7]', 'delete', 'continue',
                     options=['--compile', 'debug'])
        expect(text, r'^Breakpoint 1, ', r'^\$1 = 1$', r'^\$2 = 0$', r'^\$3 = 1$', r'^\$4 = 1000$', r'^reduce: 0 of 1 right')

main()
