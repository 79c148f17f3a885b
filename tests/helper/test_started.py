#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How hdb starts hdb-helper for a user who is not root: by sudo or pkexec, whichever there is. test_started.py HDB"""
import os
import pty
import re
import subprocess
import sys
import tempfile

from harness import check, expect, skip

HDB = sys.argv[1]
NOBODY = 65534
WORKS = 'echo ready\nexec cat\n'  # as hdb-helper --lifeline: ends with its standard input
FAILS = 'exit 1\n'


class Machine:
    """A PATH with these programs in it, each of which notes that it was called."""
    def __init__(self, work, runtime, **programs):
        self.bin, self.called = os.path.join(work, 'bin'), os.path.join(work, 'called')
        os.mkdir(self.bin)
        os.chmod(work, 0o777)
        for name in ('cat', 'sh', 'true'):
            os.symlink(f'/bin/{name}', os.path.join(self.bin, name))
        for name, what in programs.items():
            path = os.path.join(self.bin, name)
            with open(path, 'w') as file:
                file.write(f'#!/bin/sh\necho "$0 $@" >> {self.called}\n{what}')
            os.chmod(path, 0o755)
        self.env = {'PATH': self.bin, 'HDB_GPU': 'amdgpu', 'XDG_RUNTIME_DIR': work if runtime is None else runtime,
                    'LD_LIBRARY_PATH': os.environ.get('LD_LIBRARY_PATH', '')}

    def run(self, *options, terminal=False):
        command = [HDB, 'run', *options, '--batch', '-ex', 'run', '--', 'true']
        if terminal:
            pid, fd = pty.fork()
            if pid == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
                os.execve(HDB, command, self.env)
            text = ''
            try:
                while data := os.read(fd, 4096):
                    text += data.decode()
            except OSError:
                pass
            os.waitpid(pid, 0)
        else:
            text = subprocess.run(command, env=self.env, user=NOBODY, group=NOBODY, stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30,
                                  start_new_session=True).stdout
        try:
            with open(self.called) as file:
                calls = [line.split() for line in file]
        except FileNotFoundError:
            calls = []
        return text, [(os.path.basename(call[0]), call[1:]) for call in calls]


def on_machine(*options, terminal=False, runtime=None, **programs):
    with tempfile.TemporaryDirectory() as work:
        return Machine(work, runtime, **programs).run(*options, terminal=terminal)


def socket_of(calls):
    arguments = calls[0][1]
    return arguments[arguments.index('--socket') + 1]


def names(calls):
    return [name for name, _ in calls]


if os.geteuid() != 0:
    skip('to become somebody else takes root')

for program in ('sudo', 'pkexec'):
    text, calls = on_machine(**{program: WORKS})
    check(names(calls) == [program], f'{program} is called: {calls}', text)
    arguments = calls[0][1]
    check(os.path.basename(arguments[0]) == 'hdb-helper' and os.path.isabs(arguments[0]), 'by its path', text)
    check(arguments[1:3] == ['--lifeline', '--socket'] and len(arguments) == 4, f'{arguments}', text)
    expect(text, r'^\[program exited with code 0')

text, calls = on_machine(sudo=WORKS, pkexec=WORKS)
check(names(calls) == ['sudo'], f'sudo is enough: {calls}', text)
text, calls = on_machine(sudo=FAILS, pkexec=WORKS)
check(names(calls) == ['sudo', 'pkexec'], f'sudo can ask nobody without a terminal: {calls}', text)
text, calls = on_machine(sudo=FAILS, pkexec=WORKS, terminal=True)
check(names(calls) == ['sudo'], f'on a terminal its refusal counts: {calls}', text)
check('hdb-helper could not be started' in text, 'which is said', text)

text, calls = on_machine(sudo=FAILS, pkexec=FAILS)
expect(text, r'^hdb: hdb-helper could not be started', r'^\[program exited with code 0')
text, calls = on_machine()
expect(text, r'^hdb: .*neither sudo nor pkexec', r'^\[program exited with code 0')

text, calls = on_machine('--all-vmids', sudo=WORKS)
check('--all-vmids' in calls[0][1], f'the option is passed on: {calls}', text)

# Without XDG_RUNTIME_DIR its socket is where those of programs are: in a folder of the user's alone.
folder = f'/tmp/hdb-{NOBODY}'
text, calls = on_machine(runtime='', sudo=WORKS)
status = os.lstat(folder)
check(re.fullmatch(folder + r'/helper-\d+\.sock', socket_of(calls)), f'in a folder of its own: {calls}', text)
check(status.st_uid == NOBODY and not status.st_mode & 0o77, f'nobody else\'s folder: {status}', text)
os.chmod(folder, 0o755)
text, calls = on_machine(runtime='', sudo=WORKS)
check(not calls, f'not in a folder that others can read: {calls}', text)
expect(text, rf'^hdb: no socket for hdb-helper in {folder}: Operation not permitted$',
       r'^\[program exited with code 0')
os.rmdir(folder)
