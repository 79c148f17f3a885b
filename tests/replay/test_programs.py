#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs captured and played again:  test_programs.py CASE [NAME]. Everything on the virtual GPU.

again NAME   what a sample's dispatches leave comes out again to the bit, elsewhere: in another folder, by copies of the
             commands, with nothing in the environment; also when the replay is stopped and goes on
driver PROGRAM [ARGUMENT...]   what the dispatches of a test of the driver leave comes out again
edited       what a callback of the program has changed in a dispatch, a replay does not: that is told, and nothing else
missing      stores that were made in the program and not in the replay are told
named        dispatches are listed with the names and labels that they had in the program
prints       shaders print the same once more, however often; nothing of what they had printed before comes again
spoiled      captures whose shaders and dispatches say wrong things crash nothing, and no replay hangs
same         a stop in a replay shows the variables, memory, registers and source that the stop in the program shows
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

from harness import RIGHT, check, expect, on_driver, run_case, typed

HDB = os.environ['HDB']
PLAYER = os.environ['HDB_REPLAY']
SAMPLES = os.environ['HDB_SAMPLES']
LIBRARIES = ':'.join(filter(None, (os.environ['HDB_LIBRARIES'], os.environ.get('LD_LIBRARY_PATH'))))
AS_CAPTURED = r'^dispatch (\d+) \(.*\): as captured, [1-9]\d* bytes changed(; \d+ more by something else)?$'


def run(*command, code=0, **how):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240,
                          stdin=subprocess.DEVNULL, **how)
    check(done.returncode == code, f'exit code {done.returncode}, not {code}', f'{" ".join(command)}:\n{done.stdout}')
    return done.stdout


class Elsewhere:
    """A folder with no more than a capture and the commands, whose libraries are found by the variable alone."""

    def __init__(self, work, capture):
        self.folder = tempfile.mkdtemp(dir=work)
        self.hdb, self.player = (shutil.copy(path, self.folder) for path in (HDB, PLAYER))
        self.capture = shutil.move(capture, os.path.join(self.folder, 'moved'))

    def run(self, *command, code=0):
        return run(*command, code=code, cwd=self.folder, env={'LD_LIBRARY_PATH': LIBRARIES, 'PATH': os.environ['PATH']})

    def debug(self, *commands, code=0):
        return self.run(self.hdb, 'replay', '--batch', *typed(*commands), 'moved', code=code)


def capture(work, program, *options):
    path = os.path.join(work, 'capture')
    text = run(HDB, 'run', '--gpu', 'virtual', '--batch', '--capture', path, *options, '--', *program)
    return path, text


def check_replayed(text):
    lines = [line for line in text.splitlines() if line.startswith('dispatch ')]
    check(lines and all(re.match(AS_CAPTURED, line) for line in lines), 'all is as captured', text)
    return len(lines)


def again(work, name):
    for mode in ('debug', 'optimized'):
        path, text = capture(work, [os.path.join(SAMPLES, name)], '--compile', mode)
        check(RIGHT.search(text) or name == 'nan', 'the sample is right', text)
        there = Elsewhere(work, path)
        count = check_replayed(there.run(there.player, 'moved'))
        check(check_replayed(there.run(there.hdb, 'replay', 'moved', '--batch')) == count, 'hdb replays all', text)
        stopped = there.debug('catch 0', 'run', 'info waves', 'delete', 'continue')
        expect(stopped, r'^Entry of dispatch, ')
        check_replayed(re.sub(r'^dispatch .* finished$', '', stopped, flags=re.MULTILINE))


def printed(text):
    """The lines, and how many more there were that hdb dropped, as it says."""
    dropped = sum(int(count) for count in re.findall(r'^(\d+) log lines were dropped', text, re.MULTILINE))
    lines = sorted(re.findall(r'^\d of \d+$', text, re.MULTILINE))
    check(len(lines) + dropped == 3 * 2 * 50 * 64, 'a line of each statement of each lane of three dispatches', text)
    return lines, dropped


def prints(work):
    for mode in ('debug', 'optimized'):
        path, text = capture(work, [os.environ['HDB_PRINTS'], 'late'], '--compile', mode)
        there = Elsewhere(work, path)
        lines, dropped = printed(text)
        for commands in (('run',), ('catch 1', 'run', 'delete', 'continue')):
            again = there.debug(*commands)
            same, lost = printed(again)
            check((dropped or Counter(same) <= Counter(lines)) and (lost or Counter(lines) <= Counter(same)),
                  'the same lines', again)
            check_replayed('\n'.join(line for line in again.splitlines() if re.match(r'dispatch \d+ .*: ', line)))


ALSO_RIGHT = r'^dispatch \d+ \(.*\): (did not run when it was captured|as captured, 0 bytes changed' \
    r'|has run, \d+ bytes changed; not compared: the GPU made it, and perhaps more behind it)$'


def driver(work, *program):
    path, text = capture(work, program)
    expect(text, r'exited with code 0')
    there = Elsewhere(work, path)
    lines = there.run(there.player, 'moved').splitlines()
    lines = [line for line in lines if not line.startswith('hdb: moved is not complete: dispatch ')]
    same = [line for line in lines if re.match(AS_CAPTURED, line)]
    check(same and all(line in same or re.match(ALSO_RIGHT, line) for line in lines), 'all is as captured',
          '\n'.join(line for line in lines if line not in same))


def edited(work):
    path, text = capture(work, [os.path.join(SAMPLES, 'engine')])
    expect(text, r'^engine: boost: v0 of lane 5 is 5, sum changed', RIGHT.pattern)
    expect(run(HDB, 'capture', 'info', path), r'^Note +dispatch 41: a debugger, or the program\'s own callback, changed it')
    there = Elsewhere(work, path)
    lines = there.run(there.player, 'moved', code=1).splitlines()
    different = [line for line in lines if not re.match(AS_CAPTURED, line)]
    check(len(lines) == 100 and len(different) == 1, 'all others are as captured', '\n'.join(different))
    expect(different[0], r'^dispatch 41 \(boost\): DIFFERENT: 1 of \d+ bytes changed are not as captured, the first at '
           r'0x\w+14$')  # values[5]


def missing(work):
    """Stores that the debugger keeps a wave from making, and what it changes without a difference."""
    path, _ = capture(work, [os.path.join(SAMPLES, 'saxpy')])
    there = Elsewhere(work, path)
    text = there.debug('break saxpy.comp:15', 'run', 'set var $exec = 0', 'delete', 'continue', code=1)
    expect(text, r'^dispatch 0 \(saxpy\): DIFFERENT: \d+ bytes changed; \d+ more did in the capture, the first at .*; '
           r'changed in the debugger$')
    text = there.debug('break saxpy.comp:15', 'run', 'set var $exec = $exec', 'delete', 'continue')
    expect(text, r'^dispatch 0 \(saxpy\): as captured, \d+ bytes changed, whatever was changed in the debugger$')


def listed(text):
    """The lines of `info dispatches` by number, without what has become of the dispatches."""
    return {int(number): rest for number, rest in re.findall(r'^(\d+) +\*?(\w.* groups of .*)  \w+$', text, re.M)}


def named(work):
    commands = ['catch 3', 'run', 'info dispatches', 'delete', 'continue']
    program = [os.path.join(SAMPLES, 'ripple'), '--window', 'none', '-n', '3']
    live = listed(run(HDB, 'run', '--gpu', 'virtual', '--batch', *typed(*commands), '--', *program))
    path, _ = capture(work, program)
    described = run(HDB, 'capture', 'info', path)
    played = listed(Elsewhere(work, path).debug(*commands))
    check(played and played == {number: live.get(number) for number in played}, 'as in the program', f'{live}\n{played}')
    check('"water" > "one step"' in played[2] and '"water" > "to pixels"' in played[3], 'labels', str(played))
    expect(described, r'^ +2  ripple +16x16x1  ripple.comp:main  "water" > "one step"  queue 0.0$')


def shown(text):
    """From the first stop to the last command's end, without where the other waves are."""
    start, end = text.find('\nBreakpoint 1, '), text.find(' = 4242')
    check(0 <= start < end, 'it has stopped', text)
    return re.sub(r'\d+ of \d+ waves.*|wave +\d+', '', text[start:end])


STOPS = {
    'nan': ('nan.comp:14', ['print stretch', 'next', 'print stretch', 'print direction', 'print length2', 'backtrace',
                            'print d', 'lanes where isnan(direction.x)', 'finish', 'info locals']),
    'saxpy': ('saxpy.comp:15', ['print a', 'print x[3]', 'print y[5]', 'next', 'print product', 'x/4fw y', 'print $exec']),
    'grass': ('grass.comp:69', ['print radius', 'print blade', 'print random', 'next', 'print center', 'print camera.planes[2]']),
    'reduce': ('reduce.comp:14', ['info locals', 'next', 'info locals', 'print values[3]', 'stepi 3']),
}


def same(work):
    for name, (line, commands) in STOPS.items():
        program = [os.path.join(SAMPLES, name)]
        commands = ['workgroup 0,0,0', f'break {line}', 'run', 'list', 'info registers', 'print $v0', *commands,
                    'disassemble', 'print 4242']
        live = run(HDB, 'run', '--gpu', 'virtual', '--batch', *typed(*commands), '--', *program)
        path, _ = capture(work, program)
        there = Elsewhere(work, path)
        played = there.debug(*commands)
        check(shown(live) == shown(played), f'{name} looks alike', f'{shown(live)}\n-- replayed:\n{shown(played)}')
        check(shown(live).count('\n') > 20, 'there is something to see', live)


LOOKED_AT = ('catch 0', 'run', 'info locals', 'info scope', 'backtrace', 'info registers', 'info pushconstants', 'step',
             'next', 'info locals', 'info types', 'print direction', 'print field', 'print x[1]', 'lanes where 1 > 0',
             'finish', 'disassemble', 'list', 'info waves', 'step 20', 'delete', 'continue')


def spoiled(work):
    env = dict(os.environ, HDB_VGPU_TIMEOUT_MS='1500')
    for name, line in (('nan', 14), ('grass', 69), ('reduce', 15)):
        whole, _ = capture(work, [os.path.join(SAMPLES, name)])
        path = os.path.join(work, 'spoiled')
        for seed in range(1, 26):
            run(os.environ['HDB_SPOIL'], whole, str(seed), path)
            # Not --batch, so that a command that fails is not the last.
            done = subprocess.run([HDB, 'replay', '-ex', f'break {name}.comp:{line}', *typed(*LOOKED_AT), path], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                  timeout=120, env=env)
            check(done.returncode in (0, 1, 2) and 'Sanitizer' not in done.stdout, f'{name}, seed {seed}', done.stdout)
            check('killed by signal' not in done.stdout, f'{name}, seed {seed}', done.stdout)


with on_driver(HDB_GPU='virtual', VK_HDB_PROMPT='never') as directory:
    run_case([again, driver, edited, missing, named, prints, same, spoiled], directory, *sys.argv[2:])
