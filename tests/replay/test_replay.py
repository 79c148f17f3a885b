#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What comes out when a capture is played again:  test_replay.py CASE. Captures made by hand (make_capture)."""
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from harness import check, expect, run_case, typed

HDB = os.environ['HDB']
PLAYER = os.environ['HDB_REPLAY']
MAKE = os.environ['HDB_MAKE_CAPTURE']


def run(*command, code=0, env=None):
    """Standard output and errors in one text; the exit code must be `code`, or one of a tuple."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, **(env or {})))
    codes = code if isinstance(code, tuple) else (code,)
    check(done.returncode in codes, f'exit code {done.returncode}, not {code}', f'{" ".join(command)}:\n{done.stdout}')
    return done.stdout


def made(work, *wrong):
    path = os.path.join(work, '-'.join(['capture', *wrong]))
    run(MAKE, path, *wrong)
    return path


def debug(path, *commands, options=(), code=0):
    return run(HDB, 'replay', '--batch', *options, *typed(*commands), path, code=code)


SAME = 'as captured, 16 bytes changed'


def outcome(work):
    """What a dispatch leaves is compared with the file; one can be chosen."""
    path = made(work)
    both = f'dispatch 3 (order): {SAME}\ndispatch 7 (again): {SAME}\n'
    check(run(PLAYER, path) == both, 'both run', run(PLAYER, path))
    check(run(PLAYER, '--dispatch', '7', path) == f'dispatch 7 (again): {SAME}\n', 'one runs')
    check(debug(path) == both + '[program exited with code 0]\n', 'hdb says the same', debug(path))
    expect(run(PLAYER, made(work, 'result'), code=1),
           r'^dispatch 3 \(order\): DIFFERENT: 15 of 16 bytes changed are not as captured, the first at 0xffff800100000204$')
    expect(run(PLAYER, '--dispatch', '4', path, code=2), r'^hdb-replay: .*: there is no dispatch 4 in it$')
    expect(run(HDB, 'replay', '--batch', path + '.none', code=2), r'^hdb: .*No such file')
    expect(run(HDB, 'replay', '--batch', '--seed', 'x', path, code=2), r'^hdb: --seed x: it wants a number$')


def debugged(work):
    """As a program: entries, breakpoints, steps, registers, memory; what is changed makes a difference."""
    path = made(work)
    text = debug(path, 'catch 3', 'run', 'stepi 3', 'print/u $s[0:1]', 'break *0xffff800000000044', 'continue',
                 'print/u $s2', 'print/x $s[8:9]', 'x/2xw 0xffff800100000100', 'delete', 'continue')
    expect(text, r'^Entry of dispatch, order at 0xffff800000000000\n=> s_load_b128 s\[8:11\], s\[0:1\], 0x0$',
           r'1 of 16 waves, 16 resident, 16 stopped', r'^Step, order at 0xffff800000000010$',
           r'^\$1 = \{0, 4294934529\}$', r'^Breakpoint 2, order at 0xffff800000000044$', r'^\$2 = 0$',
           r'^\$3 = \{0x100, 0xffff8001\}$', r'^0xffff800100000100:  0x00000001  0x00000000$',
           r'^dispatch 3 \(order\): as captured', r'^dispatch 7 \(again\): as captured')
    text = debug(path, 'catch 7', 'run', 'set $s2=98', 'continue', code=1)
    expect(text, r'dispatch 3 \(order\): as captured', r'Entry of dispatch, again',
           r'dispatch 7 \(again\): DIFFERENT: 1 of 17 bytes changed are not as captured, the first at 0xffff800100000200; '
           r'changed in the debugger$')
    # `run` again plays it again.
    text = debug(path, 'catch 3', 'run', 'delete', 'continue', 'run')
    expect(text, r'Entry', SAME, SAME, r'exited with code 0', SAME, SAME, r'exited with code 0')


WATCHED = ('break *0xffff800000000044', 'run', 'info waves', 'continue', 'info waves', 'continue', 'stepi 2',
           'info waves', 'print/u $s3', 'workgroup 5,0,0', 'continue', 'info waves', 'workgroup all', 'delete', 'continue')


def seeds(work):
    """All waves are at the same instruction each time, whatever else the machine does; another seed is another order."""
    path = made(work)
    busy = [subprocess.Popen(['sh', '-c', 'while :; do :; done']) for _ in range(3)]
    try:
        texts = {seed: [debug(path, *WATCHED, options=['--seed', seed], code=(0, 1)) for _ in range(4)]
                 for seed in ('0', '1', '2')}
    finally:
        for process in busy:
            process.kill()
            process.wait()
    for seed, same in texts.items():
        check(all(text == same[0] for text in same), f'seed {seed} gives one order', '\n'.join(same))
        expect(same[0], r'^Breakpoint 1, ', r'stopped', r'^Breakpoint 1, ', r'^dispatch 7')
    check(len({same[0] for same in texts.values()}) == 3, 'each seed gives another order', texts['0'][0])
    order = [run(PLAYER, '--seed', seed, path, code=(0, 1)) for seed in ('1', '1', '2', '3')]
    check(order[0] == order[1], 'one seed', '\n'.join(order))
    check(SAME not in order[0], 'a seed changes the order', order[0])


def hostile(work):
    """Files that are whole, and say what can't be: a line about it, and no more."""
    for wrong, code, pattern in (
            ('huge', 2, r'^hdb-replay: .*: it has 1024 GiB of memory, and no more than 64 can be replayed\n\Z'),
            ('reserved', 1, r'^dispatch 3 \(order\): NOT RUN: memory at 0xffffffffffff0000, 4 KiB, can\'t be mapped: .*\n'
                            r'dispatch 7 \(again\): NOT RUN: .*\n\Z'),
            ('code', 1, r'^dispatch 3 \(order\): NOT RUN: the file does not have its shader where it was launched\n'),
            ('scratch', 1, r'^dispatch 3 \(order\): NOT RUN: no scratch for it: Invalid argument\n'),
            ('pointer', 1, r'^hdb-vgpu: memory fault: read from .*\ndispatch 3 \(order\): DIFFERENT: it faulted or hung\n'),
            ('grid', 1, r'^hdb-vgpu: hang: dispatch .*\ndispatch 3 \(order\): DIFFERENT: it faulted or hung\n'),
            ('packet', 0, r'as captured')):
        path = made(work, wrong)
        expect(run(PLAYER, path, code=code), pattern)
        debug(path, 'catch 3', 'run', 'info waves', 'continue', code=(0, 1, 2))


def damaged(work):
    """Every bit of a file may be wrong, and it may end anywhere."""
    whole = open(made(work), 'rb').read()
    draw = random.Random(5)
    path = os.path.join(work, 'damaged')
    for n in range(120):
        data = bytearray(whole)
        if n % 2:
            del data[draw.randrange(len(data)):]
        else:
            for _ in range(draw.choice((1, 1, 3))):
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        with open(path, 'wb') as file:
            file.write(data)
        text = run(PLAYER, path, code=(0, 1, 2), env={'HDB_VGPU_TIMEOUT_MS': '2000'})
        check(text.count('\n') <= 4, f'variant {n} is a few lines', text)


def player_of(process):
    """hdb-replay, once it has worked for a while: its id."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with open(f'/proc/{process.pid}/task/{process.pid}/children') as file:
            pid = (file.read().split() or [process.pid])[0]
        with open(f'/proc/{pid}/stat') as file:
            name, ticks = re.search(r'\((.*)\)(?: \S+){11} (\d+)', file.read()).groups()
        if name == 'hdb-replay' and int(ticks) >= 20:
            return int(pid)
        time.sleep(0.05)
    sys.exit('nothing is replayed')


def is_gone(pid):
    try:
        with open(f'/proc/{pid}/stat') as file:
            return file.read().split(') ')[1][0] == 'Z'
    except (FileNotFoundError, ProcessLookupError):
        return True


def interrupted_replay(command, *input_lines):
    """What is said when Ctrl-C comes in the middle of it, and the exit code."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as process:
        for line in input_lines:
            process.stdin.write(line + '\n')
            process.stdin.flush()
        player = player_of(process)
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        try:
            text = process.stdout.read() if process.wait(timeout=20) is not None else ''
        except subprocess.TimeoutExpired:
            process.kill()
            sys.exit(f'{" ".join(command)}: goes on')
        check(is_gone(player), 'nothing is left of it', text)
        return text, process.returncode


def interrupted(work):
    """A dispatch that would run for hours (Vulkan allows that many workgroups) ends with Ctrl-C."""
    path = made(work, 'endless')
    check(interrupted_replay([PLAYER, path]) == ('', -signal.SIGINT), 'by itself')
    text, code = interrupted_replay([HDB, 'replay', '--batch', path])
    check((text, code) == ('[program killed by signal 2 (Interrupt)]\n', 128 + signal.SIGINT), 'in hdb', text)
    # Where commands follow, it is stopped for them.
    text, code = interrupted_replay([HDB, 'replay', '--batch', *typed('catch 3', 'run', 'continue', 'info waves', 'quit'),
                                     path])
    check(code == 0, f'exit code {code}', text)
    expect(text, r'^Entry of dispatch, order', r'^Paused, order at 0x', r'resident, \d+ stopped', r'^\* *\d+ .*stopped')
    # At a prompt.
    text, code = interrupted_replay([HDB, 'replay', path], 'catch 3', 'run', 'continue')
    check(code == 0, f'exit code {code}', text)
    expect(text, r'^(?:\(hdb\) )*Paused, order at 0x')


with tempfile.TemporaryDirectory() as directory:
    run_case([outcome, debugged, seeds, hostile, damaged, interrupted], directory)
