#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that know nothing of hdb, run under it on the virtual GPU:  debugged.py CASE PROGRAM [ARGUMENT...]

every     (before PROGRAM: the number of dispatches, and how few stops at entry there may be when some run at a time and
          share one) every dispatch attached to, one wave stepped, all continued
one       one dispatch of many attached to
destroy   vkDestroyDevice while waves are stopped
kill-hdb  hdb killed while waves are stopped: the program goes on and finishes right
kill-app  the program killed while waves are stopped: hdb says so, and nothing is left
prompt    the layer starts hdb on the program's terminal, with the environment of script/env and no more
ctrl-c    at that prompt Ctrl-C reaches hdb and not the program
refuse    at that prompt the answer is no: the program runs as ever, and has its terminal back

From meson: HDB (the command), HDB_ENV (script/env), HDB_BUILD_ROOT, VK_ADD_LAYER_PATH, HDB_TEST_DRIVER (a library; may be unset).
"""
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

TIMEOUT = 60
ENTRY = 'Entry of dispatch'
RIGHT = re.compile(r'^\w+: (\d+) of \1 right', re.MULTILINE)


class Output:
    """What comes out of a descriptor, waited for by a time limit."""

    def __init__(self, fd):
        self.fd, self.text, self.ended = fd, '', False
        self.deadline = time.monotonic() + TIMEOUT

    def more(self):
        left = self.deadline - time.monotonic()
        if left <= 0 or not select.select([self.fd], [], [], left)[0]:
            sys.exit(f'{self.text}\nfailed: nothing more within {TIMEOUT} s')
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # a terminal without processes
            data = b''
        self.ended = not data
        self.text += data.decode(errors='replace').replace('\r', '')

    def until(self, text):
        while text not in self.text:
            self.more()
            if self.ended:
                sys.exit(f'{self.text}\nfailed: ended without "{text}"')

    def to_end(self):
        while not self.ended:
            self.more()
        return self.text


def check(condition, what, text=''):
    if not condition:
        sys.exit(f'{text}\nfailed: {what}')


def start(arguments, program):
    """hdb with a pipe to type into; program and hdb share the output."""
    return subprocess.Popen([os.environ['HDB'], 'run', '--gpu', 'virtual', *arguments, '--', *program],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def type_in(process, command):
    process.stdin.write(command.encode() + b'\n')
    process.stdin.flush()


def every(program):
    dispatches, fewest = int(program[0]), int(program[1])
    commands = ['run', 'step'] + ['continue'] * 5 * dispatches
    process = start(['--dispatch', 'affine', '--batch'] + [word for command in commands for word in ('-ex', command)],
                    program[2:])
    text = Output(process.stdout.fileno()).to_end()
    check(RIGHT.search(text), 'the result is wrong', text)
    check(text.count('Step, ') == 1, 'not stepped', text)
    finished = len(set(re.findall(r'^dispatch (\d+) \(affine\) finished', text, re.MULTILINE)))
    check(finished == dispatches, f'{finished} of {dispatches} dispatches finished', text)
    check(fewest <= text.count(ENTRY) <= dispatches, f'{text.count(ENTRY)} entries', text)


def one(program):
    process = start(['--dispatch', '5000', '--batch', '-ex', 'run', '-ex', 'step', '-ex', 'continue'], program)
    text = Output(process.stdout.fileno()).to_end()
    check(RIGHT.search(text), 'the result is wrong', text)
    check(text.count(ENTRY) == 1 and 'dispatch 5000' in text, 'not the one dispatch', text)
    check(process.wait() == 0, 'exit code', text)


def destroy(program):
    # What the program leaves to vkDestroyDevice is no leak of hdb's.
    os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'
    process = start(['--dispatch', 'affine'], program)
    output = Output(process.stdout.fileno())
    type_in(process, 'run')
    output.until('gave up')
    text = poll_until(process, output, 'exited with code 0')
    check(ENTRY in text, 'not stopped', text)


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


class Terminal:
    """The program alone on a terminal of its own, with the environment of script/env."""

    def __init__(self, program):
        script = 'eval "$("$0" "$HDB_BUILD_ROOT")" && VK_INSTANCE_LAYERS=VK_LAYER_hdb exec "$@"'
        environment = {name: os.environ[name] for name in os.environ
                       if not name.startswith(('VK_', 'HDB_')) or name == 'HDB_BUILD_ROOT'}
        if not os.path.exists(os.path.join(os.environ['HDB_BUILD_ROOT'], 'manifest/icd.d')):  # the driver is elsewhere
            environment.update({'VK_DRIVER_FILES': os.environ['VK_DRIVER_FILES'], 'HDB_GPU': 'virtual'})
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve('/bin/sh', ['sh', '-c', script, os.environ['HDB_ENV'], *program], environment)
        self.output = Output(self.fd)

    def answer(self, question, text):
        self.output.until(question)
        self.output.text = self.output.text.replace(question, question[:-1] + '...')  # answered
        os.write(self.fd, text)

    def finish(self):
        text = self.output.to_end()
        _, status = os.waitpid(self.pid, 0)
        check(os.waitstatus_to_exitcode(status) == 0, f'exit code of the program: {status}', text)
        check(RIGHT.search(text), 'the result is wrong', text)
        return text


def prompt(program):
    terminal = Terminal(program)
    terminal.answer('attach? [y/N/a/q/?] ', b'a\n')
    terminal.answer('(hdb) ', b'step\n')
    terminal.answer('(hdb) ', b'quit\n')
    text = terminal.finish()
    check('groups of 64  "y = a * x + y"' in text, 'the label is not shown', text)
    check('saxpy' in text and ENTRY in text and 'Step, ' in text, 'not stopped and stepped', text)


def ctrl_c(program):
    terminal = Terminal(program)
    terminal.answer('attach? [y/N/a/q/?] ', b'y\n')
    terminal.answer('(hdb) ', b'\x03')
    time.sleep(0.5)  # as a person would: the line is drawn again
    terminal.answer('(hdb) ', b'step\n')
    terminal.answer('(hdb) ', b'quit\n')
    text = terminal.finish()
    check('Step, ' in text, 'not stepped', text)


def refuse(program):
    terminal = Terminal(program)
    terminal.answer('attach? [y/N/a/q/?] ', b'q\n')
    text = terminal.finish()
    check(ENTRY not in text, 'attached all the same', text)


def main():
    driver = os.environ.get('HDB_TEST_DRIVER')
    if not driver:
        print('skipped: no driver: HDB_TEST_DRIVER is not set')
        sys.exit(77)
    cases = {function.__name__.replace('_', '-'): function
             for function in (every, one, destroy, kill_hdb, kill_app, prompt, ctrl_c, refuse)}
    with tempfile.TemporaryDirectory() as work:
        manifest = os.path.join(work, 'icd.json')
        with open(manifest, 'w') as file:
            json.dump({'file_format_version': '1.0.0', 'ICD': {'library_path': driver, 'api_version': '1.4.305'}}, file)
        os.environ.update({'VK_DRIVER_FILES': manifest, 'XDG_RUNTIME_DIR': work, 'TERM': 'dumb'})
        cases[sys.argv[1]](sys.argv[2:])
        # The socket goes with the process, however it ends.
        sockets = os.path.join(work, 'hdb')
        left = os.listdir(sockets) if os.path.isdir(sockets) else []
        check(not left or sys.argv[1] == 'kill-app', f'left behind: {left}')


main()
