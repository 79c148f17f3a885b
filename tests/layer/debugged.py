#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that know nothing of hdb, run under it on the virtual GPU:  debugged.py CASE PROGRAM [ARGUMENT...]

every     (before PROGRAM: the number of dispatches, and how few stops at entry there may be when some run at a time and
          share one) every dispatch attached to, one wave stepped, all continued
one       one dispatch of many attached to
beside    (before PROGRAM: debug or optimized) a breakpoint set while a dispatch of its shader that is not attached to
          waits: in a debug build it is there at once, in optimised code once that one has run; none loses an instruction
destroy   vkDestroyDevice while waves are stopped
kill-hdb  hdb killed while waves are stopped: the program goes on and finishes right
kill-app  the program killed while waves are stopped: hdb says so, and nothing is left
prompt    the layer starts hdb on the program's terminal, with the environment of script/env and no more
ctrl-c    at that prompt Ctrl-C reaches hdb and not the program
above     the Khronos validation layer above VK_LAYER_hdb: the program is stopped, and there is nothing to complain of
below     the same below VK_LAYER_hdb
devices   two devices: waves of the one that have ended are not listed, those of the other are numbered on
unlinked  the validation layer below keeps the driver from VK_LAYER_hdb: that is said, and the program runs on
second    while one process of the program is stopped another one begins: it runs on without hdb, which names it
attach    hdb attach to a program that runs: waits, Ctrl-C and `pause` stop it; a second hdb is told of the first
detach    that hdb quits: the program goes on, another hdb may come
orphaned  the program killed under that hdb: its prompt ends, and the socket left behind goes with the next hdb attach
typed     hdb attach on a terminal: Ctrl-C at its prompt stops waves; it ends with the program
listen    without XDG_RUNTIME_DIR nobody can attach, which is said only to those who asked for it
refuse    at that prompt the answer is no: the program runs as ever, and has its terminal back
reader    what a script runs after the program can read the terminal: after a no (and a slip of the finger before it),
          after commands, and after hdb was killed at its prompt with half a command typed
reader-after-destroy  the same after vkDestroyDevice while waves are stopped
question  Ctrl-C at a question is a no to it alone, however early it comes
ctrl-d    Ctrl-D at hdb's prompt is `quit`, with its question

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


def beside(program):
    commands = ['run', 'break affine.comp:11', 'continue', 'continue', 'info dispatches', 'delete', 'continue']
    process = start(['--compile', program[0], '--dispatch', '1', '--batch'] +
                    [word for command in commands for word in ('-ex', command)], program[1:])
    text = Output(process.stdout.fileno()).to_end()
    check(RIGHT.search(text), 'the result is wrong', text)
    check(len(re.findall(r'^Breakpoint 2, .* at affine\.comp:11$', text, re.MULTILINE)) == 2, 'not stopped twice', text)
    states = dict(re.findall(r'^(\d+) +\*?affine .* (\w+)$', text, re.MULTILINE))
    check(re.search(r'^2  +affine ', text, re.MULTILINE), 'dispatch 2 is attached to', text)
    if program[0] == 'debug':
        check(states.get('1') == states.get('2') == 'running', 'not in dispatch 1', text)
    else:
        check('pending until the running dispatches finish' in text and states.get('2') == 'finished', 'not held back', text)


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


def validate(program, *folders):
    """The loader stacks layers in the order that it finds their manifests in, whatever VK_INSTANCE_LAYERS says."""
    os.environ.update({'VK_LAYER_PATH': ':'.join(folders),
                       'VK_INSTANCE_LAYERS': 'VK_LAYER_hdb:VK_LAYER_KHRONOS_validation'})
    process = start(['--batch', '--dispatch', '0', '-ex', 'run', '-ex', 'step', '-ex', 'continue'], program)
    text = Output(process.stdout.fileno()).to_end()
    check(RIGHT.search(text), 'the result is wrong', text)
    return text


VALIDATION = '/usr/share/vulkan/explicit_layer.d'


def check_validated(text):
    check(ENTRY in text and 'Step, ' in text, 'not stopped and stepped', text)
    check('VUID' not in text and 'Validation Error' not in text, 'the validation layer complains', text)


def above(program):
    check_validated(validate(program, VALIDATION, os.environ['VK_ADD_LAYER_PATH']))


def below(program):
    os.environ['VK_LAYER_CUSTOM_STYPE_LIST'] = '7:16'  # somebody else's structure, which stays in the list
    check_validated(validate(program, os.environ['VK_ADD_LAYER_PATH'], VALIDATION))


def unlinked(program):
    os.environ['VK_LAYER_CUSTOM_STYPE_LIST'] = '0:0x68646200:56'  # pairs, out of step: the layer does not read it as ours
    text = validate(program, os.environ['VK_ADD_LAYER_PATH'], VALIDATION)
    check(ENTRY not in text and 'the driver was not reached: a layer below' in text, 'the cause is not named', text)


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
    del environment['XDG_RUNTIME_DIR']
    for asked, lines in (({}, 0), ({'VK_HDB_LISTEN': 'no'}, 0), ({'VK_HDB_LISTEN': 'yes'}, 1)):
        done = subprocess.run(program, env=dict(environment, **asked), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=TIMEOUT, start_new_session=True)
        check(done.returncode == 0 and RIGHT.search(done.stdout), 'the result is wrong', done.stdout)
        said = re.findall(r'^hdb: .*', done.stdout, re.MULTILINE)
        check(said == ['hdb: not listening for debuggers: XDG_RUNTIME_DIR is not set'] * lines, f'{asked}', done.stdout)


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


def devices(program):
    process = start(['--dispatch', '0', '--dispatch', '1', '--batch', '-ex', 'run', '-ex', 'info waves', '-ex', 'continue',
                     '-ex', 'info waves', '-ex', 'continue'], program)
    text = Output(process.stdout.fileno()).to_end()
    check(RIGHT.search(text), 'the result is wrong', text)
    waves = re.findall(r'^[* ] (\d+) .* (running|stopped) ', text, re.MULTILINE)
    check(waves == [(str(number), 'stopped') for number in range(1, len(waves) + 1)], 'not once each, in order', text)
    check(text.count(ENTRY) == 2, 'not stopped in both', text)


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


QUESTION = 'attach? [y/N/a/q/?] '


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
    check('"maybe" is no answer; possible are: yes no all quit ?' in terminal.output.text, 'a slip counts as an answer')
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


def main():
    driver = os.environ.get('HDB_TEST_DRIVER')
    if not driver:
        print('skipped: no driver: HDB_TEST_DRIVER is not set')
        sys.exit(77)
    cases = {function.__name__.replace('_', '-'): function
             for function in (every, one, beside, destroy, kill_hdb, kill_app, prompt, ctrl_c, refuse, reader,
                              reader_after_destroy, question, ctrl_d, second, attach, detach, orphaned, typed, listen, above, below, devices, unlinked)}
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
