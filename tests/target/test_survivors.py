#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A program of several dispatches ends, with the right results, whoever of those around it dies in the middle of a stop,
and whatever register can't be written any more: nothing is left on the card that keeps later dispatches from it.
test_survivors.py PROGRAM"""
import os
import signal
import subprocess
import sys
import threading
import time

from harness import check, on_driver

ROAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'road')
LIMIT = 30
STOP = 'Breakpoint 1, saxpy at saxpy.comp:15'


class Session:
    def __init__(self, program, *options):
        command = [ROAD, *options, '--', os.environ['HDB'], 'run', '--gpu', 'virtual', '--', program]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, bufsize=1, start_new_session=True)
        self.text = ''
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.text += line

    def say(self, *commands):
        for command in commands:
            self.process.stdin.write(command + '\n')
        self.process.stdin.flush()

    def wait(self, text):
        deadline = time.monotonic() + LIMIT
        while text not in self.text:
            check(time.monotonic() < deadline, f'"{text}" comes', self.text)
            time.sleep(0.05)

    def children(self):
        """The PIDs of the session by the name of their program."""
        found = {}
        for name in filter(str.isdigit, os.listdir('/proc')):
            try:
                if os.getsid(int(name)) == self.process.pid:
                    with open(f'/proc/{name}/cmdline', 'rb') as file:
                        program = os.path.basename(file.read().split(b'\0')[0]).decode()
                    found.setdefault(program, []).append(int(name))
            except OSError:
                pass
        return found

    def end(self):
        """Also if it hangs."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            pass
        for pids in self.children().values():
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self.reader.join(5)


def all_right(session, what):
    session.wait('loop: round 4 is ')
    check(session.text.count(' is right') == 4, f'{what}: all results are right', session.text)


def test_both_helpers_killed(program):
    """The one that serves, and the one that puts the card back if that is killed."""
    for order in (1, -1):
        session = Session(program)
        try:
            session.say('break saxpy.comp:15', 'run')
            session.wait(STOP)
            helpers = sorted(session.children().get('hdb-helper', []))
            check(len(helpers) == 2, f'two processes, {helpers}')
            for pid in helpers[::order]:
                os.kill(pid, signal.SIGKILL)
            all_right(session, 'both helpers killed')
            check('waves can\'t be stopped any more' in session.text, 'that the helper is gone is said', session.text)
        finally:
            session.end()


def test_failing_registers(program):
    for what in ('write:7-:fail', 'write:8-:fail', 'write:12-:fail', 'write:20-:fail', 'read:60-:fail'):
        session = Session(program, '--inject', f'amdgpu_regs2:{what}')
        try:
            session.say('break saxpy.comp:15', 'run', 'info waves', 'step', 'delete', 'continue')
            all_right(session, what)
            check('ended\n' not in session.text, f'{what}: no wave is said to have ended', session.text)
            check('0 resident' not in session.text, f'{what}: nor to be gone', session.text)
        finally:
            session.end()


def main():
    with on_driver():
        session = Session(sys.argv[1])
        session.say('delete', 'run')
        session.end()
        if session.process.returncode == 77:
            print(session.text)
            sys.exit(77)
        test_both_helpers_killed(sys.argv[1])
        test_failing_registers(sys.argv[1])


main()
