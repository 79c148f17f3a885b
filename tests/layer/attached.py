#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that run already, and hdb attach:  attached.py CASE PROGRAM [ARGUMENT...]

attach    hdb attach to a program that runs: waits, Ctrl-C and `pause` stop it; a second hdb is told of the first
detach    hdb quits: the program goes on, another hdb may come
orphaned  the program killed under hdb: its prompt ends, and the socket left behind goes with the next hdb attach
typed     hdb attach on a terminal: Ctrl-C at its prompt stops waves; it ends with the program
nobody    settings that stop waves, and nobody to tell: one line, and the program runs on
listen    without XDG_RUNTIME_DIR the socket is in a folder of the user's in /tmp; where that is not the user's alone
          nobody can attach, which is said only to those who asked for it

From meson: HDB (the command), VK_ADD_LAYER_PATH, HDB_TEST_DRIVER (a library; may be unset).
"""
import os
import pty
import re
import signal
import subprocess
import sys
import time

from harness import ENTRY, RIGHT, TIMEOUT, Output, check, check_no_socket, on_driver, run_case, type_in


class Steady:
    """A program that runs without a terminal and listens, and an hdb attached to it that is typed into through a pipe."""

    def __init__(self, program):
        self.program = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        start_new_session=True,
                                        env=dict(os.environ, VK_INSTANCE_LAYERS='VK_LAYER_hdb', HDB_GPU='virtual'))
        self.said = Output(self.program.stdout.fileno())
        self.said.until('begun')
        self.socket = os.path.join(os.environ['XDG_RUNTIME_DIR'], 'hdb', f'{self.program.pid}.sock')

    def attach(self):
        hdb = subprocess.Popen([os.environ['HDB'], 'attach', str(self.program.pid)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = Output(hdb.stdout.fileno())
        output.until('attached to process')
        return hdb, output

    def attach_in_vain(self):
        done = subprocess.run([os.environ['HDB'], 'attach', '--batch', str(self.program.pid)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT)
        check(done.returncode == 1 and len(done.stdout.splitlines()) == 1, f'exit code {done.returncode}', done.stdout)
        return done.stdout

    def finish(self):
        self.program.stdin.close()
        text = self.said.to_end()
        check(self.program.wait() == 0 and RIGHT.search(text), 'the program did not finish right', text)


def attach(program):
    steady = Steady(program)
    hdb, output = steady.attach()
    type_in(hdb, 'continue')
    time.sleep(0.5)  # into the wait, as far as can be told from here
    hdb.send_signal(signal.SIGINT)
    output.until(ENTRY)
    check('the next dispatch will stop' in output.text, 'what Ctrl-C does is not said', output.text)
    text = steady.attach_in_vain()
    check('another debugger is attached' in text, 'the other debugger is not named', text)
    type_in(hdb, 'step')
    output.until('Step, ')
    output.text = ''
    type_in(hdb, 'continue')  # the dispatch comes to its end, nothing stops any more
    output.until('finished')
    hdb.send_signal(signal.SIGINT)
    output.until(ENTRY)
    output.text = ''
    type_in(hdb, 'catch affine')
    type_in(hdb, 'continue')
    output.until(ENTRY)
    type_in(hdb, 'pause')
    output.until('stopped already')
    hdb.stdin.close()
    output.to_end()
    steady.finish()


def detach(program):
    steady = Steady(program)
    for _ in range(2):
        hdb, output = steady.attach()
        type_in(hdb, 'pause')
        output.until(ENTRY)
        type_in(hdb, 'quit')
        output.to_end()
        check(hdb.wait() == 0, 'exit code', output.text)
    steady.finish()


def orphaned(program):
    steady = Steady(program)
    hdb, output = steady.attach()
    steady.program.kill()
    steady.program.wait()
    text = output.to_end()  # although more could be typed
    check('has ended]' in text, 'the end is not said', text)
    check(os.path.exists(steady.socket), 'no socket is left to be removed')
    text = steady.attach_in_vain()
    check('has ended; the socket that it left behind' in text and not os.path.exists(steady.socket), 'stale socket', text)
    text = steady.attach_in_vain()
    check('there is no process' in text, 'a missing process is not named', text)


def typed(program):
    steady = Steady(program)
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(os.environ['HDB'], ['hdb', 'attach', str(steady.program.pid)])
    output = Output(fd)
    output.until('(hdb) ')
    os.write(fd, b'\x03')
    output.until(ENTRY)
    steady.program.kill()
    steady.program.wait()
    text = output.to_end()
    _, status = os.waitpid(pid, 0)
    check(os.waitstatus_to_exitcode(status) == 0, f'exit code of hdb: {status}', text)
    check('has ended]' in text and '(hdb)' not in text[text.index('has ended]'):], 'a prompt about nothing', text)
    os.unlink(steady.socket)


def listen(program):
    environment = dict(os.environ, VK_INSTANCE_LAYERS='VK_LAYER_hdb', HDB_GPU='virtual')
    runtime = os.environ['XDG_RUNTIME_DIR']
    os.environ['XDG_RUNTIME_DIR'] = ''
    steady = Steady(program)
    check(os.path.exists(f'/tmp/hdb-{os.geteuid()}/{steady.program.pid}.sock'), 'no socket in /tmp')
    hdb, output = steady.attach()
    hdb.stdin.close()
    output.to_end()
    steady.finish()
    os.environ['XDG_RUNTIME_DIR'] = runtime
    os.makedirs(os.path.join(runtime, 'hdb'), exist_ok=True)
    os.chmod(os.path.join(runtime, 'hdb'), 0o777)
    for asked, lines in (({}, 0), ({'VK_HDB_LISTEN': 'no'}, 0), ({'VK_HDB_LISTEN': 'yes'}, 1)):
        done = subprocess.run(program, env=dict(environment, **asked), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, timeout=TIMEOUT, start_new_session=True)
        check(done.returncode == 0 and RIGHT.search(done.stdout), 'the result is wrong', done.stdout)
        said = re.findall(r'^hdb: .*', done.stdout, re.MULTILINE)
        check(said == [f'hdb: not listening for debuggers: {runtime}/hdb: Operation not permitted'] * lines, f'{asked}', done.stdout)


def nobody(program):
    environment = dict(os.environ, VK_INSTANCE_LAYERS='VK_LAYER_hdb', HDB_GPU='virtual')
    for settings, pattern in (
            ({'VK_HDB_ATTACH': '0'}, r'hdb: attach: nothing stops until `hdb attach \d+` comes; there is no prompt.*'),
            ({'VK_HDB_BREAK_AT': 'saxpy.comp:15', 'VK_HDB_ATTACH': '0', 'VK_HDB_LISTEN': 'no'},
             r'hdb: break_at and attach: nothing stops; .* no debugger can attach'),
            ({}, None)):
        done = subprocess.run(program, env=dict(environment, **settings), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, start_new_session=True)
        check(done.returncode == 0 and RIGHT.search(done.stdout), 'the result is wrong', done.stdout)
        said = re.findall(r'^hdb: .*', done.stdout, re.MULTILINE)
        check(len(said) == (pattern is not None) and (not said or re.fullmatch(pattern, said[0])), f'{settings}',
              done.stdout)


with on_driver(TERM='dumb') as folder:
    run_case((attach, detach, orphaned, typed, listen, nobody), sys.argv[2:])
    check_no_socket(folder)
