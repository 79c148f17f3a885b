#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs on a terminal, and the prompt that the layer starts there:  prompted.py CASE PROGRAM [ARGUMENT...]

prompt                the layer starts hdb on the program's terminal, with the environment of script/env and no more
ctrl-c                at that prompt Ctrl-C reaches hdb and not the program
refuse                at that prompt the answer is no: the program runs as ever, and has its terminal back
reader                what a script runs after the program can read the terminal: after a no (and a slip of the finger
                      before it), after commands, and after hdb was killed at its prompt with half a command typed
reader-after-destroy  the same after vkDestroyDevice while waves are stopped
question              Ctrl-C at a question is a no to it alone, however early it comes
ctrl-d                Ctrl-D at hdb's prompt is `quit`, with its question

From meson: HDB (the command), HDB_ENV (script/env), HDB_BUILD_ROOT, HDB_TEST_DRIVER (a library; may be unset).
"""
import os
import pty
import re
import signal
import sys
import time

from harness import ENTRY, RIGHT, Output, check, check_no_socket, leave_to_destroy, on_driver, run_case

QUESTION = 'attach? [y/N/a/q/c/l/?] '


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
    terminal.answer(QUESTION, b'a\n')
    terminal.answer('(hdb) ', b'step\n')
    terminal.answer('(hdb) ', b'quit\n')
    text = terminal.finish()
    check('groups of 64  "y = a * x + y"' in text, 'the label is not shown', text)
    check('saxpy' in text and ENTRY in text and 'Step, ' in text, 'not stopped and stepped', text)


def ctrl_c(program):
    terminal = Terminal(program)
    terminal.answer(QUESTION, b'y\n')
    terminal.answer('(hdb) ', b'\x03')
    time.sleep(0.5)  # as a person would: the line is drawn again
    terminal.answer('(hdb) ', b'step\n')
    terminal.answer('(hdb) ', b'quit\n')
    text = terminal.finish()
    check('Step, ' in text, 'not stepped', text)


def refuse(program):
    terminal = Terminal(program)
    terminal.answer(QUESTION, b'q\n')
    text = terminal.finish()
    check(ENTRY not in text, 'attached all the same', text)


def finish_reader(terminal):
    """`cat` after the program gets what is typed, with the terminal echoing it."""
    terminal.output.until('right\n')
    os.write(terminal.fd, b'hello\n\x04')
    text = terminal.output.to_end()
    check(re.search(r'\w: (\d+) of \1 right\n', text), 'the result is wrong', text)
    check(text.endswith('hello\nhello\n'), 'the terminal can\'t be read', text)
    check(os.waitpid(terminal.pid, 0)[1] == 0, 'exit code', text)


def find_prompt(terminal):
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            words = open(f'/proc/{name}/cmdline').read().split('\0')
            session = open(f'/proc/{name}/stat').read().rsplit(')', 1)[1].split()[3]
        except OSError:
            continue
        if words[:2] == ['hdb', 'attach'] and int(session) == terminal.pid:
            return int(name)
    sys.exit('failed: no hdb on the terminal')


def reader(program):
    script = ['sh', '-c', '"$@" && cat', 'sh', *program]
    terminal = Terminal(script)
    terminal.answer(QUESTION, b'maybe\n')
    terminal.answer(QUESTION, b'n\n')
    check('"maybe" is no answer; possible are: yes no all quit choose list ?' in terminal.output.text, 'a slip counts as an answer')
    finish_reader(terminal)
    terminal = Terminal(script)
    terminal.answer(QUESTION, b'y\n')
    terminal.answer('(hdb) ', b'step\n')
    terminal.answer('(hdb) ', b'continue\n')
    finish_reader(terminal)
    terminal = Terminal(script)
    terminal.answer(QUESTION, b'y\n')
    terminal.answer('(hdb) ', b'ste')
    time.sleep(0.5)
    os.kill(find_prompt(terminal), signal.SIGKILL)
    finish_reader(terminal)


def reader_after_destroy(program):
    """vkDestroyDevice while hdb shows its prompt: the terminal is the program's again before anything follows."""
    leave_to_destroy()
    terminal = Terminal(['sh', '-c', '"$@" && cat', 'sh', *program])
    terminal.answer(QUESTION, b'y\n')
    terminal.output.until('gave up\n')
    os.write(terminal.fd, b'hello\n\x04')
    text = terminal.output.to_end()
    check(ENTRY in text and text.count('hello\n') == 2, 'the terminal can\'t be read', text)
    check(os.waitpid(terminal.pid, 0)[1] == 0, 'exit code', text)


def question(program):
    for _ in range(10):
        terminal = Terminal(program)
        terminal.answer(QUESTION, b'y\n')
        terminal.answer(QUESTION, b'\x03')
        terminal.answer('(hdb) ', b'continue\n')
        text = terminal.finish()
        check(text.count(ENTRY) == 1 and 'pause' not in text, 'not the one stop', text)


def ctrl_d(program):
    terminal = Terminal(program)
    terminal.answer(QUESTION, b'y\n')
    terminal.answer('(hdb) ', b'\x04')  # attached to the program: nothing is lost, nothing is asked
    terminal.finish()
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(os.environ['HDB'], ['hdb', 'run', '--gpu', 'virtual', '--dispatch', '0', '-ex', 'run', '--', *program])
    terminal.pid, terminal.fd, terminal.output = pid, fd, Output(fd)
    kill = 'The program is being debugged; kill it? [y/N] '
    terminal.answer('(hdb) ', b'\x04')
    terminal.answer(kill, b'n\n')
    terminal.answer('(hdb) ', b'step\n')
    terminal.answer('(hdb) ', b'\x04')
    terminal.answer(kill, b'y\n')
    text = terminal.output.to_end()
    check('Step, ' in text and not RIGHT.search(text), 'not stepped and ended', text)
    os.waitpid(pid, 0)


with on_driver(TERM='dumb') as folder:
    run_case((prompt, ctrl_c, refuse, reader, reader_after_destroy, question, ctrl_d), sys.argv[2:])
    check_no_socket(folder)
