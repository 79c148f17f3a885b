#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that know nothing of hdb, run under it on the virtual GPU:  debugged.py CASE PROGRAM [ARGUMENT...]

every     (before PROGRAM: the number of dispatches) every dispatch attached to, stopped at its entry once, one wave
          stepped, all continued
one       one dispatch of many attached to
beside    (before PROGRAM: debug or optimized) a breakpoint set while a dispatch of its shader that is not attached to
          waits is met there, too, and none of them loses an instruction
devices   two devices: waves of the one that have ended are not listed, those of the other are numbered on
pair      two devices, both attached to, whose dispatches overlap: each stops at its entry and a breakpoint, and no wave
          shows as anything else; the second one stays stopped while the first is destroyed
destroy   vkDestroyDevice while waves are stopped
pool      the same, and of the command pool before it
kill-hdb  hdb killed while waves are stopped: the program goes on and finishes right
kill-app  the program killed while waves are stopped: hdb says so, and nothing is left
second    while one process of the program is stopped another one begins: it runs on without hdb, which names it
above     the Khronos validation layer above VK_LAYER_hdb: the program is stopped, and there is nothing to complain of
below     the same below VK_LAYER_hdb
unlinked  the validation layer below keeps the driver from VK_LAYER_hdb: that is said, and the program runs on

From meson: HDB (the command), VK_ADD_LAYER_PATH, HDB_TEST_DRIVER (a library; may be unset).
"""
import os
import re
import signal
import subprocess
import sys
import time

from harness import ENTRY, RIGHT, Output, check, check_no_socket, leave_to_destroy, on_driver, run_case, type_in, typed

VALIDATION = '/usr/share/vulkan/explicit_layer.d'


def start(arguments, program):
    """hdb with a pipe to type into; program and hdb share the output."""
    return subprocess.Popen([os.environ['HDB'], 'run', '--gpu', 'virtual', *arguments, '--', *program],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def every(program):
    dispatches = int(program[0])
    commands = ['run', 'step'] + ['continue'] * 5 * dispatches
    process = start(['--dispatch', 'affine', '--batch', *typed(*commands)], program[1:])
    text = Output(process.stdout.fileno()).to_end()
    check(RIGHT.search(text), 'the result is wrong', text)
    check(text.count('Step, ') == 1, 'not stepped', text)
    finished = len(set(re.findall(r'^dispatch (\d+) \(affine\) finished', text, re.MULTILINE)))
    check(finished == dispatches, f'{finished} of {dispatches} dispatches finished', text)
    check(text.count(ENTRY) == dispatches, f'{text.count(ENTRY)} entries', text)


def one(program):
    process = start(['--dispatch', '5000', '--batch', *typed('run', 'step', 'continue')], program)
    text = Output(process.stdout.fileno()).to_end()
    check(RIGHT.search(text), 'the result is wrong', text)
    check(text.count(ENTRY) == 1 and 'dispatch 5000' in text, 'not the one dispatch', text)
    check(process.wait() == 0, 'exit code', text)


def beside(program):
    commands = ['run', 'break affine.comp:11', 'continue', 'continue', 'info dispatches', 'delete', 'continue']
    process = start(['--compile', program[0], '--dispatch', '1', '--batch', *typed(*commands)], program[1:])
    text = Output(process.stdout.fileno()).to_end()
    check(RIGHT.search(text), 'the result is wrong', text)
    check(len(re.findall(r'^Breakpoint 2, .* at affine\.comp:11$', text, re.MULTILINE)) == 2, 'not stopped twice', text)
    states = dict(re.findall(r'^(\d+) +\*?affine .* (\w+)$', text, re.MULTILINE))
    check(re.search(r'^2  +affine ', text, re.MULTILINE), 'dispatch 2 is attached to', text)
    check(states['0'] == 'submitted' and 'running' in (states['1'], states['2']), 'in neither of both', text)


def devices(program):
    commands = ['run', 'info waves', 'continue', 'info waves', 'continue']
    process = start(['--dispatch', '0', '--dispatch', '1', '--batch', *typed(*commands)], program)
    text = Output(process.stdout.fileno()).to_end()
    check(RIGHT.search(text), 'the result is wrong', text)
    waves = re.findall(r'^[* ] (\d+) .* (running|stopped) ', text, re.MULTILINE)
    check(waves == [(str(number), 'stopped') for number in range(1, len(waves) + 1)], 'not once each, in order', text)
    check(text.count(ENTRY) == 2, 'not stopped in both', text)


def pair(program):
    commands = ['run', 'step', 'break affine.comp:11', 'continue', 'step', 'continue'] + ['continue'] * 40
    process = start(['--dispatch', '0', '--dispatch', '1', '--batch', *typed(*commands)],
                    [*program, '--queue', 'compute'])
    text = Output(process.stdout.fileno()).to_end()
    check(RIGHT.search(text), 'the result is wrong', text)
    check(text.count(ENTRY) == 2, 'not stopped in both', text)
    check('Step, ' in text and 'ended' not in text, 'not stepped', text)
    # Where launches aren't held back, all the other waves may come to it meanwhile: one stop stands for them.
    stops = 1 if os.environ.get('HDB_TARGET') == 'amdgpu' else 2
    check(text.count('Breakpoint 3, ') >= stops, 'a breakpoint missed', text)
    check('Exception' not in text and 'unknown' not in text, 'a stop that is none', text)
    for dispatch in 0, 1:
        check(f'dispatch {dispatch} (affine) finished' in text, f'dispatch {dispatch} is not told of', text)


def destroy(program):
    leave_to_destroy()
    process = start(['--dispatch', 'affine'], program)
    output = Output(process.stdout.fileno())
    type_in(process, 'run')
    output.until('gave up')
    text = poll_until(process, output, 'exited with code 0')
    check(ENTRY in text, 'not stopped', text)


def pool(program):
    destroy([*program, 'pool'])


def kill_hdb(program):
    process = start(['--dispatch', 'affine'], program)
    output = Output(process.stdout.fileno())
    type_in(process, 'run')
    output.until(ENTRY)
    process.kill()
    text = output.to_end()
    check(RIGHT.search(text), 'the program did not finish right', text)


def poll_until(process, output, text):
    """hdb looks at the program between commands: gives it some until it says `text`."""
    while text not in output.text:
        type_in(process, 'info breakpoints')
        time.sleep(0.1)
        output.more()
        check(not output.ended, f'ended without "{text}"', output.text)
    process.stdin.close()
    return output.to_end()


def find_child(parent):
    children = open(f'/proc/{parent}/task/{parent}/children').read().split()
    check(children, 'no program to kill')
    return int(children[0])


def kill_app(program):
    process = start(['--dispatch', 'affine'], program)
    output = Output(process.stdout.fileno())
    type_in(process, 'run')
    output.until(ENTRY)
    os.kill(find_child(process.pid), signal.SIGKILL)
    text = poll_until(process, output, '[program ')
    check(re.search(r'\[program .*(killed|signal)', text), 'hdb did not say so', text)


def second(program):
    process = start(['--dispatch', '0'], ['sh', '-c', '"$0" "$@" & sleep 0.3; "$0" "$@"; wait', *program])
    output = Output(process.stdout.fileno())
    type_in(process, 'run')
    output.until(ENTRY)
    output.until('uses Vulkan too; it runs without the debugger]')
    output.until(' right\n')
    check(output.text.count(ENTRY) == 1, 'not one entry', output.text)
    type_in(process, 'delete')
    type_in(process, 'continue')
    output.until('exited with code 0')
    check(len(RIGHT.findall(output.text)) == 2, 'a result is wrong', output.text)
    process.stdin.close()
    output.to_end()


def validate(program, *folders):
    """The loader stacks layers in the order that it finds their manifests in, whatever VK_INSTANCE_LAYERS says."""
    os.environ.update({'VK_LAYER_PATH': ':'.join(folders),
                       'VK_INSTANCE_LAYERS': 'VK_LAYER_hdb:VK_LAYER_KHRONOS_validation'})
    process = start(['--batch', '--dispatch', '0', *typed('run', 'step', 'continue')], program)
    text = Output(process.stdout.fileno()).to_end()
    check(RIGHT.search(text), 'the result is wrong', text)
    return text


def check_validated(text):
    check(ENTRY in text and 'Step, ' in text, 'not stopped and stepped', text)
    check('VUID' not in text and 'Validation Error' not in text, 'the validation layer complains', text)


def above(program):
    check_validated(validate(program, VALIDATION, os.environ['VK_ADD_LAYER_PATH']))


def below(program):
    os.environ['VK_LAYER_CUSTOM_STYPE_LIST'] = '7:16'  # somebody else's structure, which stays in the list
    check_validated(validate(program, os.environ['VK_ADD_LAYER_PATH'], VALIDATION))


def unlinked(program):
    os.environ['VK_LAYER_CUSTOM_STYPE_LIST'] = '0:0x68646200:56:0x68646201:72'  # pairs, out of step: the layer does not read it as ours
    text = validate(program, os.environ['VK_ADD_LAYER_PATH'], VALIDATION)
    check(ENTRY not in text and 'the driver was not reached: a layer below' in text, 'the cause is not named', text)


with on_driver(TERM='dumb') as folder:
    run_case((every, one, beside, devices, pair, destroy, pool, kill_hdb, kill_app, second, above, below, unlinked), sys.argv[2:])
    if sys.argv[1] != 'kill-app':
        check_no_socket(folder)
