#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Frames: what ends one, and what stops in one or captures it:  test_frames.py CASE

ends        frames end at markers, at VK_EXT_frame_boundary, at presents, else at a number of submissions
chosen      dispatches of a frame chosen by name, label and expression; a frame that does not come
trigger     `hdb trigger` for a program that never presents, with and without a debugger
question    the question in a frame, on a terminal
protocol    hdb/trigger and the events of frames
x11         keys in a window of an X server, by xdotool: stop, capture; by keycode; in a program of vkcube's kind
wayland     keys in a window of sway, by wtype
others      on lavapipe: frames, keys and names, but no stops
idle        a key without a debugger; keys that there are not

From meson: HDB (the command), HDB_SAMPLES, HDB_MARKS, HDB_LAYERS (the layer's folder), LAVAPIPE, HDB_TEST_DRIVER.
"""
import contextlib
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time

from dap import Session
from harness import Output, check, expect, on_driver, run_case, typed

HDB = os.environ['HDB']
RIPPLE = os.path.join(os.environ['HDB_SAMPLES'], 'ripple')
MARKS = os.environ['HDB_MARKS']
LONG = ['-n', '1000000']
TIMEOUT = 90
ENTRY = r'Entry of dispatch, %s at'


def hdb(*arguments, code=0, env=None):
    done = subprocess.run([HDB, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=TIMEOUT, env=dict(os.environ, **(env or {})))
    check(done.returncode == code, f'exit code {done.returncode}, not {code}', done.stdout)
    return done.stdout


def debug(program, *commands, options=(), code=0, env=None):
    return hdb('run', '--batch', *options, *typed(*commands), '--', *program, code=code, env=env)


@contextlib.contextmanager
def running(command, env=None, **streams):
    process = subprocess.Popen(command, env=dict(os.environ, **(env or {})), **streams)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def reading(command, env=None):
    """A process, and its output as it comes. It reads commands from us."""
    with running(command, env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        yield process, Output(process.stdout.fileno())


def under_layer(**settings):
    """The environment of a program that runs by itself under the layer."""
    return {'VK_INSTANCE_LAYERS': 'VK_LAYER_hdb', 'VK_ADD_LAYER_PATH': os.environ['HDB_LAYERS'],
            'VK_HDB_PROMPT': 'never', **{f'VK_HDB_{key.upper()}': value for key, value in settings.items()}}


def until(condition, what):
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        check(time.monotonic() < deadline, f'no {what} within {TIMEOUT} s')
        time.sleep(0.05)


def child_of(process):
    """The process behind a wrapper such as hdb."""
    path = f'/proc/{process.pid}/task/{process.pid}/children'
    until(lambda: open(path).read().strip(), 'program')
    return open(path).read().split()[0]


# ---- frames ----

def dispatches(text):
    """(number, grid) of each line of `info dispatches`."""
    return [(int(number), grid) for number, grid in re.findall(r'^(\d+) +\*?\w.*? (\d+x\d+x\d+) groups', text, re.M)]


def ends():
    for how, env in (*((how, {}) for how in ('label', 'executed', 'marker', 'queue', 'boundary')),
                     ('nothing', {'VK_HDB_FRAME_SUBMITS': '2'})):
        text = debug([MARKS, how], 'run', 'info dispatches', 'continue', options=['--frame', '2'], env=env)
        expect(text, r'^frame 2 begins$', ENTRY % 'mark', r'^frame 2:$', r'^marks: 4 of 4 right', r'exited with code 0')
        check(dispatches(text) == [(4, '3x1x1')], f'{how}: another frame than 2', text)
        text = debug([MARKS, how], 'run', 'info dispatches', options=['--frame', '2', '--dispatch', 'label:second'],
                     env=env)
        check(dispatches(text) == [(4, '3x1x1'), (5, '30x1x1')], f'{how}: not both submissions of frame 2', text)
        expect(text, r'^5 +\*mark .*  "frame" > "second"  empty\.comp:main  queue 0\.0  running$')
    # Each submission is one, where nothing is said.
    text = debug([MARKS, 'nothing'], 'run', 'info dispatches', options=['--frame', '3'])
    check(dispatches(text) == [(3, '20x1x1')], 'a submission is no frame', text)


def chosen():
    program = [RIPPLE, '--window', 'none', '-n', '8']
    text = debug(program, 'run', 'info dispatches', 'info dispatches 1', 'info dispatches 99', 'info dispatches x',
                 options=['--frame', '3', '--dispatch', 'label == "to*" && grid.x > 8'], code=1)
    expect(text, r'^frame 3 begins$', ENTRY % 'tone', r'^frame 3:$',
           r'^6 +ripple +16x16x1 groups of 8x8x1  "water" > "one step"  ripple\.comp:main  queue 0\.0  submitted$',
           r'^7 +\*tone .*  "water" > "to pixels"  tone\.comp:main  queue 0\.0  running$',
           r'^2 +ripple .* finished$', r'^3 +tone .* finished$', r'^no dispatches of frame 99 are known$', r'^hdb: "x" is no frame')
    check(text.count('Entry of') == 1, 'other dispatches stop, too', text)
    # With nothing chosen the first one stops. In other frames nothing does.
    text = debug(program, 'run', 'continue', options=['--frame', '3'])
    expect(text, ENTRY % 'ripple', r'^dispatch 6 \(ripple\) finished$', r'16384 of 16384 right')
    check(text.count('Entry of') == 1, 'other dispatches stop, too', text)
    # Names hold in every frame unless one is named.
    text = debug(program, 'catch frame == 2 && name == "tone"', 'run', 'info dispatches', 'continue')
    expect(text, ENTRY % 'tone', r'^5 +\*tone', r'16384 of 16384 right')
    expect(debug(program, 'run', options=['--frame', '8'], code=1), r'^hdb: frame 8 never came')
    with tempfile.TemporaryDirectory() as work:
        file = os.path.join(work, 'one.hdbcap')
        text = debug(program, options=['--capture', file, '--frame', '2', '--dispatch', 'tone'])
        expect(text, r'^captured 1 dispatch in ', r'16384 of 16384 right')
        expect(hdb('capture', 'info', file), r'^ 1 dispatch, 1 shader', r'tone')
    expect(debug(program, 'run', options=['--frame', '2', '--dispatch', 'nobody'], code=1),
           r'^frame 2 is over: 2 dispatches, 0 stopped at$', r'never met: no such dispatch came')
    # What is wrong with an expression is said before a program runs.
    for commands, options in ((['catch grid.x >', 'run'], []), (['run'], ['--dispatch', 'grid.x >']),
                              (['run'], ['--capture', '/nowhere/x.hdbcap', '--dispatch', 'grid.x >'])):
        text = debug(program, *commands, options=options, code=2 if '--capture' in options else 1)
        check(text == 'hdb: grid.x >: the expression ends too early\n', 'not before the program', text)
    done = subprocess.run(program, env=dict(os.environ, **under_layer(attach='name == "tone",grid.w > 3,((')), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT)
    expect(done.stdout, r'^hdb: attach: grid\.w > 3: ".w > 3" is one thing too many$', r'^hdb: attach: \(\(: ')
    check(done.stdout.count('hdb: attach: ') == 3, 'not the wrong two and that nobody is there', done.stdout)
    expect(hdb('run', '--frame', 'x', '--', *program, code=2), r'^hdb: --frame x: it is a number')


# ---- by command ----

def trigger():
    with running([RIPPLE, '--window', 'none', *LONG], env=under_layer(), stdout=subprocess.DEVNULL) as program:
        pid = str(program.pid)
        socket = os.path.join(os.environ['XDG_RUNTIME_DIR'], 'hdb', f'{pid}.sock')
        until(lambda: os.path.exists(socket), 'socket')
        file = os.path.join(os.environ['XDG_RUNTIME_DIR'], 'one.hdbcap')
        text = hdb('trigger', '--capture', file, pid)
        expect(text, r'^\[frame \d+ is to be captured\]$', r'^captured 2 dispatches in .*/one\.hdbcap$')
        expect(hdb('capture', 'info', file), r'^ 2 dispatches, 2 shaders', r'ripple', r'tone')
        text = hdb('trigger', '--capture', file, '--dispatch', 'name == "tone"', pid)
        expect(text, r'^captured 1 dispatch in .*/one\.hdbcap$')
        text = hdb('capture', 'info', file)
        expect(text, r'^ 1 dispatch, 1 shader', r'tone')
        check('ripple.comp' not in text, 'another dispatch is captured, too', text)
        expect(hdb('trigger', '--capture', file, '--dispatch', 'grid.w > 1', pid, code=2), r'^hdb: grid\.w > 1: ')
        # The frame's end is told, also after the last stop in it: `continue` does not wait for more.
        text = hdb('trigger', '--batch', *typed('continue', 'info dispatches'), pid)
        expect(text, ENTRY % 'ripple', r'^dispatch \d+ \(ripple\) finished$', r'^frame \d+ is over$',
               r'^\d+ +tone .* finished')
        text = hdb('trigger', '--batch', *typed('info dispatches'), pid)
        expect(text, r'is to be stopped in\]$', r'^frame \d+ begins$', ENTRY % 'ripple', r'^\d+ +\*ripple', r'^\d+ +tone')
        text = hdb('trigger', '--batch', '--dispatch', 'entry == "main" && name == "tone"',
                   *typed('info dispatches', 'trigger', 'continue'), pid)
        expect(text, ENTRY % 'tone', r'^\d+ +\*tone .*running$', r'is to be stopped in\]$', ENTRY % 'tone')
        # Where a further frame is to be captured, it ends behind that; where nothing stops, with an error.
        text = hdb('trigger', '--batch', *typed(f'trigger capture {file}', 'continue', 'info dispatches'), pid)
        expect(text, ENTRY % 'ripple', r'^\[frame \d+ is to be captured\]$', r'^frame \d+ is over$',
               r'^captured 2 dispatches in .*/one\.hdbcap$', r'^\d+ +tone .* finished')
        text = hdb('trigger', '--batch', '--dispatch', 'grid.x > 64', *typed('continue'), pid, code=1)
        expect(text, r'^frame \d+ is over: 2 dispatches, 0 stopped at$')
        expect(hdb('trigger', '--capture', file, *typed('continue'), pid, code=2), r'^hdb: .* no place for commands$')
        expect(hdb('trigger', '--frame', '0', '--capture', file, pid, code=1),
               r'^hdb: frame 0 is over, or running; the next one is \d+$')
        expect(hdb('trigger', '--capture', '/nowhere/at/all', pid, code=1), r'^frame \d+ is not captured: .*No such file')
        limits = resource.prlimit(program.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(program.pid, resource.RLIMIT_FSIZE, (20 << 10, limits[1]))
        expect(hdb('trigger', '--capture', file, pid, code=1), r'^.*one\.hdbcap is not complete: File too large$')
        resource.prlimit(program.pid, resource.RLIMIT_FSIZE, limits)
        for how in (['--batch'], []):
            expect(hdb('trigger', '--frame', '0', *how, pid, code=1), r'^hdb: frame 0 is over')
        debugger_told(pid, file)
        expect(hdb('trigger', '999999999', code=1), r'^hdb: there is no process 999999999$')
        expect(hdb('trigger', str(os.getpid()), code=1),
               rf'^hdb: process {os.getpid()} \(.*\) has no device under VK_LAYER_hdb')
        check(program.poll() is None, 'the program has ended')
    expect(hdb('trigger', code=2), r'^hdb: trigger in what\?')


def debugger_told(pid, file):
    with reading([HDB, 'attach', pid]) as (attached, output):
        output.until('[attached to process')
        text = hdb('trigger', pid)
        expect(text, r'^\[frame \d+ is to be stopped in; its debugger is told what comes of it\]$')
        output.until('Entry of dispatch, ripple')
        attached.stdin.write(b'continue\n')
        attached.stdin.flush()
        output.until('finished')
        expect(hdb('trigger', '--capture', file, pid), r'is to be captured; its debugger')
        output.until('captured 2 dispatches')
        # Somebody else's choice is for that frame; commands are for the debugger to type.
        hdb('trigger', '--dispatch', 'tone', pid)
        output.until('Entry of dispatch, tone')
        attached.stdin.write(b'continue\n')
        attached.stdin.flush()
        output.until('finished')
        expect(hdb('trigger', '--batch', *typed('info line'), pid, code=1), r'^hdb: .* takes no commands from here')
        output.until('Entry of dispatch, ripple')
        # Two captures of a frame are one too many, until the one who wanted the first has gone.
        attached.stdin.write(f'continue\ntrigger capture {file} 99999999\n'.encode())
        attached.stdin.flush()
        output.until('frame 99999999 is to be captured')
        expect(hdb('trigger', '--capture', file + '2', pid, code=1), r'^hdb: frame 99999999 is to be captured already, to ')
    expect(hdb('trigger', '--capture', file + '2', pid), r'^captured 2 dispatches')


# ---- on a terminal ----

class Terminal:
    def __init__(self, command, env=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(command[0], command, dict(os.environ, TERM='dumb', **(env or {})))
        self.output = Output(self.fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)

    def so_far(self):
        while select.select([self.fd], [], [], 0)[0]:
            self.output.more()
        return self.output.text

    def answer(self, question, text):
        self.output.until(question)
        self.output.text = self.output.text.replace(question, question[:-1] + '...')
        os.write(self.fd, text)

    def finish(self):
        text = self.output.to_end()
        os.waitpid(self.pid, 0)
        return text


QUESTION = 'attach? [y/N/a/q/c/l/?] '


def question():
    command = [HDB, 'run', '--frame', '3', '-ex', 'run', '--', RIPPLE, '--window', 'none', '-n', '6']
    terminal = Terminal(command)
    terminal.answer(QUESTION, b'l\n')
    terminal.answer(QUESTION, b'?\n')
    terminal.answer(QUESTION, b'c\n')
    terminal.answer('which? ', b'grid.x >\n')
    terminal.answer(QUESTION, b'c\n')
    terminal.answer('which? ', b'label:to*\n')
    terminal.answer('(hdb) ', b'continue\n')  # to the end of the frame
    terminal.answer('(hdb) ', b'continue\n')
    terminal.answer('(hdb) ', b'quit\n')
    text = terminal.finish()
    expect(text, r'frame 3 begins', r'^dispatch 6 of 8  ripple  16x16x1 groups of 64  "water" > "one step"',
           r'^6 +ripple .* submitted$', r'^7 +tone', r'all that follow in this frame', r'the expression ends too early',
           ENTRY % 'tone', r'^dispatch 7 \(tone\) finished', r'^frame 3 is over', r'16384 of 16384 right')
    check(not re.search(r'^5 +tone', text, re.M), 'other frames are listed, too', text)
    check(text.count('Entry of') == 1 and text.count('dispatch 6 of 8') == 4, 'asked or stopped at other times', text)
    # All of the frame, and none after it.
    terminal = Terminal(command)
    terminal.answer(QUESTION, b'a\n')
    terminal.answer('(hdb) ', b'continue\n')
    terminal.answer('(hdb) ', b'continue\n')  # to the end of the frame
    terminal.answer('(hdb) ', b'continue\n')
    terminal.answer('(hdb) ', b'quit\n')
    text = terminal.finish()
    expect(text, ENTRY % 'ripple', ENTRY % 'tone', r'^frame 3 is over', r'16384 of 16384 right')
    check(text.count('Entry of') == 2, 'not the two of the frame', text)
    # What nothing has in the rest of the program.
    terminal = Terminal([HDB, 'run', '-ex', 'run', '--', RIPPLE, '--window', 'none', '-n', '3'])
    terminal.answer(QUESTION, b'c\n')
    terminal.answer('which? ', b'rippel\n')
    terminal.answer('(hdb) ', b'quit\n')
    expect(terminal.finish(), r'16384 of 16384 right', r'^hdb: rippel: no such dispatch came')


# ---- keys ----

@contextlib.contextmanager
def x_server():
    reader, writer = os.pipe()
    with running(['Xvfb', '-displayfd', str(writer), '-screen', '0', '640x480x24', '-noreset', '-nolisten', 'tcp'],
                 stderr=subprocess.DEVNULL, pass_fds=[writer]):
        os.close(writer)
        with os.fdopen(reader) as display:
            yield {'DISPLAY': ':' + display.readline().strip()}


@contextlib.contextmanager
def press_x11(env, key):
    """Held until what it does has been seen."""
    subprocess.run(['xdotool', 'keydown', key], env=dict(os.environ, **env), check=True)
    yield
    subprocess.run(['xdotool', 'keyup', key], env=dict(os.environ, **env), check=True)


def check_stop(env, press, window):
    """The key stops in a frame of a program that is debugged."""
    with reading([HDB, 'run', '-ex', 'run', '--', RIPPLE, '--window', window, *LONG], env) as (process, output):
        until(lambda: is_presenting(child_of(process)), 'frame')
        with press(env, 'F10'):
            output.until('Entry of dispatch, ripple at ripple.comp')
        process.stdin.write(b'info dispatches\nquit\n')
        process.stdin.flush()
        expect(output.to_end(), r'^frame \d+ begins$', r'^frame \d+:$', r'^\d+ +\*ripple .*"water" > "one step"',
               r'^\d+ +tone .*"water" > "to pixels"  tone\.comp:main')


def is_presenting(pid):
    """Its threads have worked for a while."""
    with open(f'/proc/{pid}/stat') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return int(fields[11]) + int(fields[12]) > 40


def check_capture(env, press, window, key='F11', **settings):
    """The key captures a frame of a program that nobody debugs, and the program says so."""
    with tempfile.TemporaryDirectory() as folder:
        with reading([RIPPLE, '--window', window, *LONG],
                     {**env, **under_layer(capture_folder=folder, **settings)}) as (process, output):
            until(lambda: is_presenting(process.pid), 'frame')
            with press(env, key):
                output.until('captured 2 dispatches')
            check(process.poll() is None, 'the program has ended', output.text)
        files = os.listdir(folder)
        check(len(files) == 1 and re.fullmatch(r'ripple-\d+-frame\d+\.hdbcap', files[0]), f'not one capture: {files}')
        expect(hdb('capture', 'info', os.path.join(folder, files[0])), r'2 dispatches', r'ripple', r'tone')


def check_prompt(env):
    """On the program's own terminal nothing is asked before the key is pressed."""
    with Terminal([RIPPLE, *LONG], {**env, **under_layer(), 'VK_HDB_PROMPT': 'auto', 'HDB_CLI': HDB}) as terminal:
        until(lambda: is_presenting(terminal.pid), 'frame')
        check('attach?' not in terminal.so_far(), 'asked before the key', terminal.output.text)
        with press_x11(env, 'F10'):
            terminal.answer(QUESTION, b'y\n')
        terminal.answer(QUESTION, b'n\n')
        terminal.answer('(hdb) ', b'info dispatches\n')
        terminal.answer('(hdb) ', b'continue\n')
        terminal.output.until('finished')
        expect(terminal.output.text, r'frame \d+ begins', r'Entry of dispatch, ripple', r'^frame \d+:$', r'\*ripple')


def x11():
    with x_server() as env:
        check_prompt(env)
        check_stop(env, press_x11, 'x11')
        check_stop(env, press_x11, 'xlib')
        check_capture(env, press_x11, 'x11')
        check_capture(env, press_x11, 'x11', key='F9', capture_key='75')  # where keyboards have it


@contextlib.contextmanager
def sway():
    """It refuses root: under it, it is nobody's."""
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, 'config')
        with open(config, 'w') as file:
            file.write('output HEADLESS-1 resolution 640x480\nxwayland disable\n')
        user = []
        if os.geteuid() == 0:
            user = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
            os.chown(folder, 65534, 65534)
            os.chown(config, 65534, 65534)
        env = {'PATH': os.environ['PATH'], 'HOME': folder, 'XDG_RUNTIME_DIR': folder, 'WLR_BACKENDS': 'headless',
               'WLR_LIBINPUT_NO_DEVICES': '1', 'WLR_RENDERER': 'pixman'}
        compositor = subprocess.Popen([*user, 'sway', '-c', config], env=env, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
        try:
            until(lambda: any(re.fullmatch(r'wayland-\d+', name) for name in os.listdir(folder)), 'socket of sway')
            socket = next(name for name in os.listdir(folder) if re.fullmatch(r'wayland-\d+', name))
            env = {'WAYLAND_DISPLAY': os.path.join(folder, socket)}
            # A seat with a keyboard from the start, as seats have.
            with running(['wtype', '-s', '1000000', '-k', 'a'], env=env):
                yield env
        finally:
            compositor.terminate()
            compositor.wait()


@contextlib.contextmanager
def press_wayland(env, key):
    """A keyboard that holds the key until what it does has been seen."""
    with running(['wtype', '-P', key, '-s', '60000', '-p', key], env=env):
        yield


def wayland():
    with sway() as env:
        check_stop(env, press_wayland, 'wayland')
        check_capture(env, press_wayland, 'wayland')
        # wtype's keyboard has its keys elsewhere: pressed for a moment only, by keysym.
        with reading([RIPPLE, '--window', 'wayland', *LONG], {**env, **under_layer(stop_key='Pause')}) as (process, output):
            until(lambda: is_presenting(process.pid), 'frame')
            subprocess.run(['wtype', '-k', 'Pause'], env=dict(os.environ, **env), check=True)
            output.until('no debugger is there to stop for')


# ---- the protocol ----

def protocol():
    session = Session([RIPPLE, '--window', 'none', '-n', '12'])
    try:
        for bad in ({}, {'kind': 'start'}, {'kind': 7}, {'kind': 'stop', 'frame': -1}, {'kind': 'stop', 'frame': 'x'},
                    {'kind': 'stop', 'frame': 1 << 40}, {'kind': 'capture', 'frame': 1.5}):
            try:
                session.request('hdb/trigger', **bad)
                sys.exit(f'failed: {bad} is taken')
            except RuntimeError:
                pass
        check(session.request('hdb/trigger', kind='stop', frame=9)['frame'] == 9, 'another frame')
        check(session.request('hdb/trigger', kind='stop', frame=4) == {'frame': 4, 'told': True}, 'not another one')
        session.go()
        begun = session.event('hdb/frame')
        check(begun['kind'] == 'stop' and begun['state'] == 'begun' and begun['frame'] == 4, f'not its begin: {begun}')
        stop = session.stopped()
        known = session.request('hdb/dispatches', frame=4)
        check(known['frame'] == 4 and [d['number'] for d in known['dispatches']] == [8, 9], f'not frame 4: {known}')
        first = known['dispatches'][0]
        check(first['labels'] == ['water', 'one step'] and first['label'] == 'one step' and first['entry'] == 'main' and
              first['file'].endswith('ripple.comp') and first['attached'], f'not all is said: {first}')
        session.resume('continue', stop)
        code, output = session.finish()
        check(code == 0 and '16384 of 16384 right' in output, 'the result is wrong', output)
    finally:
        session.kill()


# ---- without hdb's driver ----

def others():
    os.environ['VK_DRIVER_FILES'] = os.environ['LAVAPIPE']
    os.environ.pop('HDB_GPU', None)
    with tempfile.TemporaryDirectory() as work:
        os.environ['XDG_RUNTIME_DIR'] = work
        listed = [r'^\d+ +ripple +16x16x1 groups of 8x8x1  "water" > "one step"  ripple\.comp:main  queue 0\.0',
                  r'^\d+ +tone .*"water" > "to pixels"  tone\.comp:main']
        text = debug([RIPPLE, '--window', 'none', '-n', '6'], 'run', options=['--frame', '2'])
        expect(text, r'has no hdb support: dispatches are listed but can\'t be attached to', r'^frame 2 begins$',
               r'its dispatches are listed, but can\'t be attached to', r'^frame 2 is over: 2 dispatches, 0 stopped at$',
               *listed, r'exited with code 0')
        check('16384 of 16384 right' in text, 'the result is wrong', text)
        check(len(dispatches(text)) == 2, 'not the dispatches of the frame', text)
        # A program that runs by itself can be listed, too.
        with running([RIPPLE, '--window', 'none', *LONG], env=under_layer(), stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL) as program:
            until(lambda: os.path.exists(os.path.join(work, 'hdb', f'{program.pid}.sock')), 'socket')
            text = hdb('trigger', '--batch', *typed('info resources 0'), str(program.pid))
            reach = r'  %s\n   storage buffer; what is bound is out of the debugger\'s reach$'
            expect(text, r'^frame \d+ is over: 2 dispatches', *listed, r'^set 0 binding 0' + reach % 'Before',
                   r'^set 0 binding 1' + reach % 'Now', r'push constants', r'0x00000080')
            for _ in range(2):  # each debugger is told
                text = hdb('attach', '--batch', *typed('break ripple.comp:20'), str(program.pid))
                expect(text, r'^\[attached to process .* nothing of it can be stopped or captured',
                       r'hdb has no link to its driver; its dispatches are listed, but can\'t be attached to$')
                check('can be stopped, ' not in text, 'stops are promised', text)
            file = os.path.join(work, 'none.hdbcap')
            for command in ('pause', f'capture {file}', f'trigger capture {file}'):
                expect(hdb('attach', '--batch', *typed(command), str(program.pid), code=1),
                       r'^hdb: nothing can be (stopped|captured): hdb has no link to the driver')
            expect(hdb('trigger', '--capture', file, str(program.pid), code=1), r'^hdb: nothing can be captured: ')
            check(not os.path.exists(file), 'a capture of nothing')
        with x_server() as env:
            with reading([HDB, 'run', '-ex', 'run', '--', 'vkcube'], env) as (process, output):
                until(lambda: is_presenting(child_of(process)), 'frame')
                with press_x11(env, 'F10'):
                    output.until('is over: 0 dispatches, 0 stopped at')
                with press_x11(env, 'F11'):
                    output.until('nothing can be captured: hdb has no link to the driver')


def check_focus(env):
    """A key that is pressed in the window of another program is none."""
    with reading([RIPPLE, *LONG], {**env, **under_layer()}) as (process, output):
        until(lambda: is_presenting(process.pid), 'frame')
        with running([RIPPLE, '--window', 'xlib', *LONG], env, stdout=subprocess.DEVNULL):
            subprocess.run(['xdotool', 'search', '--sync', '--name', '^ripple$', 'windowfocus'],
                           env=dict(os.environ, **env), check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT)
            with press_x11(env, 'F10'):
                time.sleep(1)
            check(not select.select([output.fd], [], [], 0)[0], 'the key of another window works')
        with press_x11(env, 'F10'):
            output.until('no debugger is there to stop for')


def idle():
    with x_server() as env:
        check_focus(env)
        with reading([RIPPLE, *LONG], {**env, **under_layer(capture_key='')}) as (process, output):
            until(lambda: is_presenting(process.pid), 'frame')
            with press_x11(env, 'F10'):
                output.until(f'hdb: no debugger is there to stop for; `hdb trigger {process.pid}` is one')
            check('F11' not in output.text and 'captured' not in output.text, 'another key works', output.text)
        with reading([RIPPLE, '-n', '20'], {**env, **under_layer(stop_key='NoSuchKey', capture_key='')}) as (_, output):
            text = output.to_end()
            expect(text, r"^hdb: stop_key is 'NoSuchKey': no key has that name", r'16384 of 16384 right')
        same = under_layer(stop_key='Pause', capture_key='pause')
        with reading([RIPPLE, '-n', '20'], {**env, **same}) as (_, output):
            expect(output.to_end(), r'^hdb: stop_key and capture_key are the same key; it stops$', r'16384 of 16384 right')
        # With neither key nothing is loaded and nothing is said.
        with reading([RIPPLE, '-n', '20'], {**env, **under_layer(stop_key='', capture_key='')}) as (_, output):
            check(output.to_end() == 'ripple: 16384 of 16384 right\n', 'not the program\'s own words', output.text)


def main():
    if sys.argv[1] == 'others':
        others()
        return
    os.environ.pop('DISPLAY', None)
    os.environ.pop('WAYLAND_DISPLAY', None)
    with on_driver(HDB_GPU='virtual'):
        run_case([ends, chosen, trigger, question, protocol, x11, wayland, idle])


main()
