#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Callbacks of the application and a debugger beside them:  callbacks.py CASE PROGRAM

  order      callbacks are told first, then the debugger, of each stop that they pass on
  late       a debugger that comes while a stop is held is shown it, and lets it go
  answered   of stops that a callback has answered, the debugger is told in its console only
  logged     log lines are told one by one, without their ends
  refused    a messenger of another version in VkInstanceCreateInfo is ignored, and that is said once

From meson: VK_ADD_LAYER_PATH, HDB_TEST_DRIVER (a library; may be unset)."""
import os
import re
import socket
import subprocess
import sys

from dap import Session
from harness import check, on_driver, run_case


class Attached(Session):
    """To a process that runs already, by its socket."""

    def __init__(self, process):
        self.process = process
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.path.join(os.environ['XDG_RUNTIME_DIR'], 'hdb', f'{process.pid}.sock'))
        self.received, self.seq, self.events, self.offers, self.answer = b'', 0, [], [], 'none'
        self.request('initialize', adapterID='hdb')
        self.request('attach')
        self.event('initialized')


def read_told(session):
    """What the callback has printed by now, without waiting for more."""
    os.set_blocking(session.process.stdout.fileno(), False)
    text = session.process.stdout.read() or ''
    return re.findall(r'^told: (.*)$', text, re.MULTILINE)


def order(program):
    session = Session([program, 'client'])
    try:
        session.go()
        for number in range(3):
            stop = session.stopped()
            told = read_told(session)
            check(len(told) == 1 and told[0].startswith('entry in affine at'), f'stop {number}: told {told}')
            check(stop['reason'] == 'entry' and session.evaluate(stop, 'amount') == '1', f'stop {number}: {stop}')
            session.resume('continue', stop)
        code, _ = session.finish()
        check(code == 0, f'exit code {code}')
    finally:
        session.kill()


def held(program):
    environment = dict(os.environ, VK_INSTANCE_LAYERS='VK_LAYER_hdb', HDB_GPU='virtual', VK_HDB_PROMPT='never')
    process = subprocess.Popen([program, 'client'], env=environment, stdout=subprocess.PIPE, text=True)
    for _ in range(3):
        check(process.stdout.readline().startswith('told: entry in affine'), 'not told')
    return process


def late(program):
    process = held(program)
    done = subprocess.run([os.environ['HDB'], 'attach', '--batch', '-ex', 'print amount', str(process.pid)], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    check(done.returncode == 0 and '$1 = 1\n' in done.stdout, done.stdout)
    check('callbacks client: right' in process.communicate(timeout=60)[0], 'the program failed')

    process = held(program)
    session = Attached(process)
    try:
        session.go()
        stop = session.stopped()
        check(stop['reason'] == 'entry' and session.evaluate(stop, 'amount') == '1', f'{stop}')
        session.resume('continue', stop)
        session.event('output')
    finally:
        session.hang_up()
    check('callbacks client: right' in process.communicate(timeout=60)[0], 'the program failed')


def answered(program):
    session = Session([program, 'answered'])
    try:
        session.go()
        console = ''
        while 'dispatch 2 (affine) finished' not in console:
            event = session.event('stopped', 'output')
            check('output' in event, f'a stop that was answered is shown: {event}')
            console += event['output']
        answers = console.count('entry in affine at affine.comp:10: the application has answered')
        check(answers == 3, f'told of {answers} answers', console)
        code, _ = session.finish()
        check(code == 0, f'exit code {code}')
    finally:
        session.kill()


def logged(program):
    session = Session([program, 'logged'])
    try:
        session.request('setBreakpoints', source={'path': 'affine.comp'},
                        breakpoints=[{'line': 12, 'logMessage': 'amount {amount}\nand no more'}])
        session.go()
        code, output = session.finish()
        check(code == 0, f'exit code {code}')
        heard = re.findall(r'heard: \[([^\]]*)\]', output)
        lines = [line for line in heard if 'finished' not in line]
        check(lines == ['amount 7', 'and no more'] * 2, f'{lines} of {heard}')  # once for each of two waves
    finally:
        session.kill()


def refused(program):
    environment = dict(os.environ, VK_INSTANCE_LAYERS='VK_LAYER_hdb', HDB_GPU='virtual', VK_HDB_PROMPT='never')
    done = subprocess.run([program, 'refused'], env=environment, text=True, timeout=60, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = re.findall(r'^hdb: the messenger in VkInstanceCreateInfo is of version (\d+), and this is version (\d+): '
                      'not called$', done.stderr, re.MULTILINE)
    check(done.returncode == 0 and 'callbacks refused: right' in done.stdout, done.stdout + done.stderr)
    check(len(said) == 1 and int(said[0][0]) == int(said[0][1]) + 1, done.stderr)


def main():
    with on_driver():
        run_case([order, late, answered, logged, refused], sys.argv[2])


main()
