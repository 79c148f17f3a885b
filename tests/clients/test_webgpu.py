#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""WebGPU programs under hdb:  test_webgpu.py CASE dawn|wgpu [KERNEL...]. They hand the driver SPIR-V without names and
lines, made from WGSL by Dawn (under node) or by wgpu (under Deno).

results   the kernels' results are right without the layer, under the layer, and with the virtual GPU at its strictest
stepped   one kernel stopped at its first dispatch's entry and stepped, compiled in either way; its results are right
steps     as that in more detail, of hash_reverse: dispatches by number and by name
barrier   one wave stepped over a barrier, which its workgroup's other wave is let run to
replayed  what the kernels' dispatches leave comes out again when a capture of them is replayed
values    a breakpoint at the store: the lanes hold there what the shader is to compute

From meson: HDB (the command), HDB_ENV (script/env), HDB_BUILD_ROOT, HDB_TEST_DRIVER (may be unset), CLIENTS (the folder
that script/test installs into).
"""
import os
import re
import shutil
import sys
import tempfile

from client import CLIENTS, check_installed, debug, run
from harness import check, expect, on_driver, run_case

RUNTIMES = {'dawn': ['node'], 'wgpu': [os.path.join(CLIENTS, 'node_modules/@deno/linux-x64-glibc/deno'), 'run',
                                       '--allow-all', '--no-config', '--cached-only', '--unstable-webgpu']}
ENTRY_POINTS = {'dawn': r'dawn_entry_point', 'wgpu': r'\w+'} # Dawn has its own name for it, wgpu the shader's
HEADER = r'workgroup \d+,\d+,\d+  wave \d+  lane 0  \d+ active lanes?  1 of \d+ waves?, \d+ resident, \d+ stopped'
STRICT = 'poison,late-loads,strict-caches,check-dealloc'


def program(runtime, *kernels):
    return [*RUNTIMES[runtime], os.path.join(CLIENTS, 'webgpu/run.js'), *kernels]


def right(kernel):
    return r'^%s: (?:(\d+) of \1 right|not run: no [\w-]+$)' % kernel


def results(runtime, *kernels):
    for variables in ({}, {'VK_INSTANCE_LAYERS': 'VK_LAYER_hdb', 'HDB_VGPU': STRICT}):
        text = run(program(runtime, *kernels), **variables)
        expect(text, r'^on .*hdb', *map(right, kernels))
        check('draws are skipped' not in text, 'nothing is drawn', text)


def stepped(runtime, kernel):
    entry_point = ENTRY_POINTS[runtime]
    for compile_mode in ('debug', 'optimized'):
        text = debug(program(runtime, kernel), 'run', 'stepi', 'step', 'stepi 3', 'info dispatches', 'info registers',
                     'print $exec', 'info waves', 'disassemble', 'continue', compile_mode=compile_mode, may_fail=True)
        if re.search(r'^%s: not run: no [\w-]+$' % kernel, text, re.MULTILINE):
            return
        step = r'^Step, %s at 0x\w+\n=> \w+.*\n%s' % (entry_point, HEADER)
        expect(text, r'^Entry of dispatch, %s at 0x\w+\n=> \w+.*\n%s' % (entry_point, HEADER), *[step] * 5,
               r'^0 +\*%s +(?:\d+x\d+x\d+|indirect) groups of \d+x\d+x\d+' % entry_point, r'^pc 0x\w+  exec 0x',
               r'^\$\d+ = 0x\w+', r'^\* \d+ .* stopped .* step$', r'^=> 0x\w+  \w+',
               r'^dispatch 0 \(%s\) finished' % entry_point, r'^\[program exited with code 0')
        expect(text, right(kernel))


def debug_to_end(runtime, compile_mode, *commands, dispatch='0'):
    text = debug(program(runtime, 'hash_reverse'), *commands, 'continue', compile_mode=compile_mode, dispatch=dispatch)
    expect(text, right('hash_reverse'))
    expect(text, r'^\[program exited with code 0')
    return text


def steps(runtime):
    name = {'dawn': 'dawn_entry_point', 'wgpu': 'main'}[runtime]
    step = r'^Step, %s at 0x\w+\n=> \w+.*\n%s' % (name, HEADER)
    for compile_mode in ('debug', 'optimized'):
        for dispatch in ('0', name):
            text = debug_to_end(runtime, compile_mode, 'run', 'stepi', 'step', 'stepi 3', 'info dispatches',
                                'info waves', 'disassemble', dispatch=dispatch)
            expect(text, r'^Entry of dispatch, %s at 0x\w+\n=> \w+.*\n%s' % (name, HEADER), *[step] * 5,
                   r'^0 +\*%s +8x1x1 groups of 128x1x1' % name, r'^\* \d+ +\d,0,0 +[01] +stopped .* step$',
                   r'^   0x\w+  \w+', r'^=> 0x\w+  \w+', r'^   0x\w+  \w+', r'^dispatch 0 \(%s\) finished' % name)


def barrier(runtime):
    for compile_mode in ('debug', 'optimized'):
        text = debug_to_end(runtime, compile_mode, 'run', 'stepi 200')
        expect(text, r'^=> s_barrier\n(workgroup \d,0,0  wave \d+ ).*\nStep, .*\n=> \w+.*\n\1')


def hashed(x):
    for _ in range(3):
        x ^= 0x9e3779b9
        x = (x ^ x >> 16) * 0x7feb352d & 0xffffffff
        x = (x ^ x >> 15) * 0x846ca68b & 0xffffffff
        x ^= x >> 16
    return x


def values(runtime):
    for compile_mode in ('debug', 'optimized'):
        # As much as the first wave does, and more.
        text = debug(program(runtime, 'hash_reverse'), 'run', 'stepi 800', compile_mode=compile_mode)
        store = re.search(r'^Step, .* at (0x\w+)\n=> buffer_store_b32 v(\d+)', text, re.MULTILINE)
        if not store:
            sys.exit(f'no store in:\n{text}')
        address, register = store.groups()
        lanes = (0, 5, 63)
        text = debug_to_end(runtime, compile_mode, 'run', f'break *{address}', 'continue', 'info waves',
                            *[f'print/x $v{register}[{lane}]' for lane in lanes], 'delete')
        expect(text, r'^Breakpoint 2, .* at %s\n=> buffer_store_b32 ' % address)
        focus = re.search(r'^\* \d+ +(\d),0,0 +([01]) +stopped .* %s ' % address, text, re.MULTILINE)
        group, wave = map(int, focus.groups())
        # Lane l of a group's wave w stores what the group's element 127 - (64 w + l) became.
        for printed, lane in enumerate(lanes, 1):
            element = group * 128 + 127 - (wave * 64 + lane)
            value = hashed(element * 7 + 1) if element < 1000 else 0
            expect(text, r'^\$%d = 0x0*%x$' % (printed, value))


def replayed(runtime, *kernels):
    for kernel in kernels:
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, 'capture')
            text = run([os.environ['HDB'], 'run', '--gpu', 'virtual', '--batch', '--capture', path, '--',
                        *program(runtime, kernel)], may_fail=True)
            if re.search(r'^%s: not run: no [\w-]+$' % kernel, text, re.MULTILINE):
                continue
            expect(text, right(kernel))
            lines = [line for line in run([os.environ['HDB'], 'replay', '--batch', path]).splitlines()
                     if line.startswith('dispatch ')]
            same = [line for line in lines if ': as captured, ' in line]
            check(same and all(line in same or ': did not run ' in line for line in lines), f'{kernel} comes out again',
                  '\n'.join(lines))


with on_driver(VK_HDB_PROMPT='never', HDB_GPU='virtual'):
    check_installed(shutil.which(RUNTIMES[sys.argv[2]][0]) and os.path.join(CLIENTS, 'node_modules/installed'),
                    f'{sys.argv[2]} is not installed (script/test does it, by npm)')
    run_case((results, stepped, steps, barrier, values, replayed), *sys.argv[2:])
