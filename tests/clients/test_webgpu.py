#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A WebGPU program under hdb:  test_webgpu.py CASE. Dawn hands the driver SPIR-V without names and lines.

result    right without the layer, under the layer, and with the virtual GPU at its strictest
steps     stopped at the dispatch's entry and stepped by instruction; a line step is one too where there are no lines
barrier   one wave stepped over a barrier, which its workgroup's other wave is let run to
values    a breakpoint at the store: the lanes hold there what the shader is to compute

From meson: HDB (the command), HDB_ENV (script/env), HDB_BUILD_ROOT, HDB_TEST_DRIVER (may be unset), CLIENTS (the folder
that script/test installs into).
"""
import os
import re
import shutil
import subprocess
import sys

from harness import expect, on_driver, run_case, skip, typed

PROGRAM = os.path.join(os.environ['CLIENTS'], 'hash_reverse.js')
RIGHT = r'^hash_reverse: 1024 of 1024 right'
HEADER = r'workgroup \d+,0,0  wave \d+  lane 0  \d+ active lanes  1 of 16 waves, \d+ resident, \d+ stopped'


def run(command, **variables):
    """In the environment that script/env gives; output and errors in one text. It must end with 0."""
    script = 'eval "$("$0" "$HDB_BUILD_ROOT")" && exec "$@"'
    done = subprocess.run(['sh', '-c', script, os.environ['HDB_ENV'], *command], env=dict(os.environ, **variables),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    if done.returncode:
        sys.exit(f'{" ".join(command)}: exit code {done.returncode}:\n{done.stdout}')
    return done.stdout


def debug(compile_mode, *commands, dispatch='0'):
    options = ['--gpu', 'virtual', '--compile', compile_mode, '--dispatch', dispatch, '--batch']
    return run([os.environ['HDB'], 'run', *options, *typed(*commands), '--', 'node', PROGRAM])


def debug_to_end(*arguments, **options):
    text = debug(*arguments, 'continue', **options)
    expect(text, RIGHT)
    expect(text, r'^\[program exited with code 0')
    return text


def result():
    strict = 'poison,late-loads,strict-caches,check-dealloc'
    for variables in ({}, {'VK_INSTANCE_LAYERS': 'VK_LAYER_hdb'}, {'HDB_VGPU': strict},
                      {'VK_INSTANCE_LAYERS': 'VK_LAYER_hdb', 'HDB_VGPU': strict}):
        expect(run(['node', PROGRAM], **variables), r'^hash_reverse: on .*hdb', RIGHT)


def steps():
    step = r'^Step, dawn_entry_point at 0x\w+\n=> \w+.*\n' + HEADER
    for compile_mode in ('debug', 'optimized'):
        for dispatch in ('0', 'dawn_entry_point'):
            text = debug_to_end(compile_mode, 'run', 'stepi', 'step', 'stepi 3', 'info dispatches', 'info waves',
                                'disassemble', dispatch=dispatch)
            expect(text, r'^Entry of dispatch, dawn_entry_point at 0x\w+\n=> \w+.*\n' + HEADER, *[step] * 5,
                   r'^0 +\*dawn_entry_point +8x1x1 groups of 128x1x1', r'^\* \d+ +\d,0,0 +[01] +stopped .* step$',
                   r'^   0x\w+  \w+', r'^=> 0x\w+  \w+', r'^   0x\w+  \w+',
                   r'^dispatch 0 \(dawn_entry_point\) finished')


def barrier():
    for compile_mode in ('debug', 'optimized'):
        text = debug_to_end(compile_mode, 'run', 'stepi 60')
        expect(text, r'^=> s_barrier\n(workgroup \d,0,0  wave \d+ ).*\nStep, .*\n=> \w+.*\n\1')


def hashed(x):
    for _ in range(3):
        x ^= 0x9e3779b9
        x = (x ^ x >> 16) * 0x7feb352d & 0xffffffff
        x = (x ^ x >> 15) * 0x846ca68b & 0xffffffff
        x ^= x >> 16
    return x


def values():
    for compile_mode in ('debug', 'optimized'):
        # As much as the first wave does, and more.
        text = debug(compile_mode, 'run', 'stepi 800')
        store = re.search(r'^Step, .* at (0x\w+)\n=> buffer_store_b32 v(\d+)', text, re.MULTILINE)
        if not store:
            sys.exit(f'no store in:\n{text}')
        address, register = store.groups()
        lanes = (0, 5, 63)
        text = debug_to_end(compile_mode, 'run', f'break *{address}', 'continue', 'info waves',
                            *[f'print/x $v{register}[{lane}]' for lane in lanes], 'delete')
        expect(text, r'^Breakpoint 2, .* at %s\n=> buffer_store_b32 ' % address)
        focus = re.search(r'^\* \d+ +(\d),0,0 +([01]) +stopped .* %s ' % address, text, re.MULTILINE)
        group, wave = map(int, focus.groups())
        # Lane l of a group's wave w stores what the group's element 127 - (64 w + l) became.
        for lane in lanes:
            element = group * 128 + 127 - (wave * 64 + lane)
            value = hashed(element * 7 + 1) if element < 1000 else 0
            expect(text, r'^\$v%s\[%d\] = 0x0*%x$' % (register, lane, value))


with on_driver(VK_HDB_PROMPT='never', HDB_GPU='virtual'):
    if not shutil.which('node') or not os.path.exists(os.path.join(os.environ['CLIENTS'], 'node_modules/installed')):
        skip('no node, or no webgpu package for it (script/test installs that)')
    run_case((result, steps, barrier, values))
