#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Captures of programs that run:  live.py CASE. What is in them is compared with what the programs are known to do."""
import array
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

from harness import Output, check, expect, on_driver, run_case, typed

HDB = os.environ['HDB']
FRAME = os.environ['HDB_FRAME']
SAMPLES = os.environ['HDB_SAMPLES']
WORDS = 4096 * 64  # that a dispatch of the frame changes


def run(*arguments, code=0):
    done = subprocess.run([HDB, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
                          stdin=subprocess.DEVNULL)
    check(done.returncode == code, f'exit code {done.returncode}, not {code}', done.stdout)
    return done.stdout


def capture(file, *program, options=(), code=0):
    return run('run', '--gpu', 'virtual', '--capture', file, *options, '--', *program, code=code)


def debug(program, *commands, options=()):
    return run('run', '--gpu', 'virtual', '--batch', *options, *typed(*commands), '--', *program)


def info(file):
    return run('capture', 'info', file)


def words(path):
    with open(path, 'rb') as file:
        return array.array('I', file.read())


def changed(part, dispatches):
    """The words of a part after these dispatches, as frame.comp computes them."""
    result = array.array('I', part)
    for d in dispatches:
        result[:WORDS] = array.array('I', [(word * (d * 2 + 3) + i) & 0xffffffff
                                           for i, word in enumerate(result[:WORDS])])
    return result


def compare_frame(file, dump, work, dispatches, parts, captured):
    """Named buffers, as each captured dispatch must have found them, and as the last must have left them."""
    run('capture', 'extract', file, work)
    memory = words(dump)
    size = len(memory) // parts
    for part in range(parts):
        initial = memory[part * size:(part + 1) * size]
        own = range(part, dispatches, parts)
        left = changed(initial, own)
        for d in captured:
            found = words(f'{work}/dispatch-{d}-before-buffer__part_{part}_.bin')
            check(found == changed(initial, [o for o in own if o < d]), f'part {part} before dispatch {d}')
            found = words(f'{work}/dispatch-{d}-after-buffer__part_{part}_.bin')
            check(found == left, f'part {part} after dispatch {d}')


def frame():
    """All of a frame: each dispatch has the memory that those before it in the same submission have left."""
    with tempfile.TemporaryDirectory() as work:
        file, dump = f'{work}/frame.hdbcap', f'{work}/dump'
        expect(capture(file, FRAME, '-m', '32', '-d', '5', '--dump', dump), r'^frame: (\d+) of \1 right', 'code 0',
               r'frame.hdbcap has 5 dispatches, [0-9.]+ MiB\]')
        text = info(file)
        expect(text, r'^Device +hdb virtual', r' 5 dispatches, 1 shader', r'^ +0  frame.comp:main +4096x1x1',
               r'^ +4  frame.comp:main', r'buffer "part 0" at 0x[0-9a-f]+, 16.0 MiB')
        check('Incomplete' not in text and 'running' not in text and 'begun' not in text, 'complete, in order', text)
        check(os.stat(file).st_mode & 0o77 == 0, 'the file is for its user alone')
        compare_frame(file, dump, f'{work}/parts', 5, 2, range(5))
        run('capture', 'diff', file, file)
        expect(run('capture', 'diff', file, code=1), r'^Dispatch 4 frame', r'in \d+ places')
        said = [text for text in damaged(file) if text]
        check(said and all(text == f'hdb: {file}.damaged: a page of memory in it is damaged\n' for text in said),
              'no name of the damaged file', ''.join(said))


def damaged(file):
    """What is said of copies with a few wrong bytes, where memory is: which of it is looked at is not known here."""
    said = []
    for percent in range(10, 100, 10):
        with open(file, 'rb') as original, open(file + '.damaged', 'wb') as copy:
            data = bytearray(original.read())
            at = len(data) * percent // 100
            data[at:at + 8] = b'damaged '
            copy.write(data)
        done = subprocess.run([HDB, 'capture', 'diff', file + '.damaged'], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=100)
        said.append(done.stderr)
    return said


def chosen():
    """By number; at its entry; with breakpoints about, and the filter by workgroup: the memory is the same."""
    with tempfile.TemporaryDirectory() as work:
        program = [FRAME, '-m', '32', '-d', '4', '--dump', f'{work}/dump']
        nothing = capture(f'{work}/none.hdbcap', FRAME, '-d', '2', options=['--dispatch', 'nosuch'], code=1)
        expect(nothing, r'none.hdbcap has 0 dispatches')
        numbered, entered, broken = (f'{work}/{name}.hdbcap' for name in ('numbered', 'entered', 'broken'))
        capture(numbered, *program, options=['--dispatch', '2'])
        expect(info(numbered), r' 1 dispatch, 1 shader', r'^ +2  frame.comp:main')
        compare_frame(numbered, f'{work}/dump', f'{work}/parts', 4, 2, [2])
        never = run('run', '--gpu', 'virtual', '--batch', *typed('break frame.comp:21', 'run', 'delete 1',
                                                                 f'capture {work}/never.hdbcap', 'continue'),
                    '--', FRAME, '-m', '16', '-d', '1', code=1)
        expect(never, r'^Capturing the next dispatch to .*never', r'^frame: (\d+) of \1 right',
               r'^\[.*never.hdbcap has 0 dispatches, and is removed\]$')
        check(not os.path.exists(f'{work}/none.hdbcap') and not os.path.exists(f'{work}/never.hdbcap'), 'no empty files')
        expect(debug(program, 'catch 2', 'run', f'capture {entered}', 'continue'), r'Entry of dispatch',
               r'^Captured dispatch 2 to .*entered', r'captured 1 dispatch in .*entered', r'^frame: (\d+) of \1 right')
        compare_frame(entered, f'{work}/dump', f'{work}/entered', 4, 2, [2])
        expect(debug(program, f'capture {broken} 2', 'break frame.comp:21', 'workgroup 9,0,0', 'run', 'continue',
                     'continue', 'continue', 'continue'),
               r'Capturing to', *[r'Breakpoint 1, .* at frame.comp:21$'] * 4, r'^frame: (\d+) of \1 right')
        compare_frame(broken, f'{work}/dump', f'{work}/broken', 4, 2, [2])


def samples():
    """Each is captured, whole, and ends as it would without."""
    with tempfile.TemporaryDirectory() as work:
        for name in ('saxpy', 'reduce', 'nan', 'histogram', 'matmul', 'mandelbrot', 'grass', 'blur'):
            for compile_mode in ('debug', 'optimized'):
                file = f'{work}/{name}-{compile_mode}.hdbcap'
                text = capture(file, f'{SAMPLES}/{name}', options=['--compile', compile_mode])
                expect(text, r'^%s: \d+ of \d+ right' % name, r'exited with code 0')
                text = info(file)
                expect(text, r'^ +0  .*%s.comp:main' % name)
                check('Incomplete' not in text and 'did not run' not in text, f'{name} is complete', text)


def ways_to_end():
    """A program that leaves without a word has a complete file; one that is killed has what was written."""
    with tempfile.TemporaryDirectory() as work:
        file = f'{work}/left.hdbcap'
        capture(file, FRAME, '-m', '16', '-d', '3', '--leave')
        text = info(file)
        expect(text, r' 3 dispatches')
        check('Incomplete' not in text, 'complete', text)
        file = f'{work}/killed.hdbcap'
        debugger = subprocess.Popen([HDB, 'run', '--gpu', 'virtual', '--capture', file, '--', FRAME, '-m', '64', '-d',
                                     '400'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not os.path.exists(file) or os.stat(file).st_size < 60 << 20:
            check(time.monotonic() < deadline and debugger.poll() is None, 'something is written')
            time.sleep(0.01)
        os.kill(child_of(debugger.pid), signal.SIGKILL)
        debugger.wait(timeout=60)
        expect(info(file), r'^Incomplete ', r' [1-9]\d* dispatch', r'^ +0  frame.comp:main')


def last_lines():
    """Nor are log lines lost that wait for a debugger, here one that is asleep, when the program leaves."""
    command = [HDB, 'run', '--gpu', 'virtual', '--batch', *typed('dprintf frame.comp:21,"lane %u\\n", i', 'run'), '--',
               FRAME, '-m', '16', '-d', '1', '--leave']
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as debugger:
        output = Output(debugger.stdout.fileno())
        output.until('lane ')
        debugger.send_signal(signal.SIGSTOP)
        output.until('frame.ms')
        debugger.send_signal(signal.SIGCONT)
        text = re.sub(r'frame\.ms \S+\n', '', output.to_end())  # which may stand in the middle of a line
    lines = len(re.findall(r'^lane \d+$', text, re.M))
    dropped = [int(count) for count in re.findall(r'^(\d+) log lines were dropped', text, re.M)]
    check(dropped and lines + sum(dropped) == WORDS, f'{lines} lines and {dropped} dropped ones', text[-1000:])
    expect(text, r'exited with code 0')


def child_of(pid):
    with open(f'/proc/{pid}/task/{pid}/children') as file:
        return int(file.read().split()[0])


def full_disk():
    """The application goes on; what is in the file can be looked at, and it says why there is no more. hdb has failed."""
    expect(capture('/dev/full', FRAME, '-m', '16', '-d', '2', code=1), r'/dev/full: No space left on device',
           r'^frame: (\d+) of \1 right')
    expect(capture('/nowhere/file', FRAME, '-m', '16', '-d', '2', code=1), r'/nowhere/file: No such file or directory',
           r'^frame: (\d+) of \1 right')
    expect(capture('', FRAME, code=2), r'^hdb: --capture wants a file$')
    with tempfile.TemporaryDirectory() as work:
        inside = [HDB, 'run', '--gpu', 'virtual', '--capture', f'{work}/full.hdbcap', '--', FRAME, '-m', '32', '-d', '3']
        mounted = subprocess.run(
            ['unshare', '--mount', *([] if os.getuid() == 0 else ['--map-root-user']), 'sh', '-c',
             'mount -t tmpfs -o size=2m none "$0" || exit 77; "$@"; echo "code $?"; cp "$0/full.hdbcap" "$0.hdbcap"',
             work, *inside],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
        if mounted.returncode == 77 or 'unshare' in mounted.stdout:
            print('no tmpfs can be mounted here')
            return
        try:
            expect(mounted.stdout, r'full.hdbcap is not complete: No space left on device',
                   r'^frame: (\d+) of \1 right', r'^code 1$')
            expect(info(f'{work}.hdbcap'), r'^Incomplete writing failed: No space left on device')
        finally:
            os.unlink(f'{work}.hdbcap')


def documented():
    """The file as docs/capture-format.md has it, read by nothing of hdb's."""
    with tempfile.TemporaryDirectory() as work:
        path = f'{work}/frame.hdbcap'
        capture(path, FRAME, '-m', '16', '-d', '2')
        with open(path, 'rb') as file:
            data = file.read()
    check(data[:16] == b'hdbcap\r\n' + struct.pack('<II', 1, 65536), 'the header')
    at, sections = 16, []
    while at < len(data):
        tag, _, length = struct.unpack_from('<4sIQ', data, at)
        sections.append((tag.decode(), data[at + 16:at + 16 + length]))
        at += 16 + length
    check(at == len(data), 'sections fill the file')
    count = {tag: sum(1 for other, _ in sections if other == tag) for tag, _ in sections}
    pages = [page for tag, body in sections if tag == 'PAGE' for page in stored_pages(body)]
    check(sections[0][0] == 'INFO' and sections[-1][0] == 'DONE', 'first and last', str(count))
    check(struct.unpack('<III', sections[-1][1]) == (count['DISP'], count['STAT'], len(pages)) == (2, 3, len(pages)),
          'what DONE says', str(count))
    _, length = struct.unpack_from('<qI', sections[0][1])
    check(re.match(rb'hdb \d+\.\d+\.\d+$', sections[0][1][12:12 + length]), 'who wrote it')
    ranges = array_of(dict(sections)['MAPS'], '<QQII')
    check(all(a[0] + a[1] <= b[0] for a, b in zip(ranges, ranges[1:])), 'ranges are sorted', str(ranges))
    changes = [struct.unpack_from('<II', body) for tag, body in sections if tag == 'STAT']
    check([kind for kind, _ in changes] == [0, 0, 1], 'kinds of states', str(changes))
    check([struct.unpack_from('<I', body)[0] for tag, body in sections if tag == 'DISP'] == [0, 1], 'dispatches')
    check(array_of(dict(sections)['LAST'][4:], '<I') == [(0,), (1,)], 'both are over then')
    for page in pages[:20]:
        check(len(page) == 65536 or len(unpack(page)) == 65536, 'a page')


def stored_pages(body):
    """The bytes of each page of a PAGE section."""
    pages = array_of(body, '<II')
    at = 4 + 8 * len(pages)
    for size, _ in pages:
        yield body[at:at + size]
        at += size
    check(at == len(body), 'pages fill their section')


def array_of(body, layout):
    (count,), size = struct.unpack_from('<I', body), struct.calcsize(layout)
    return [struct.unpack_from(layout, body, 4 + i * size) for i in range(count)]


def unpack(frame):
    return subprocess.run(['zstd', '-dc'], input=frame, stdout=subprocess.PIPE, check=True).stdout


def hostile():
    """One line for what is no capture."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(b'no capture')
        file.flush()
        for command in (['info', file.name], ['diff', file.name], ['extract', file.name, '/tmp']):
            text = run('capture', *command, code=2)
            check(re.fullmatch(r'hdb: .*: not a capture file\n', text), 'one line', text)
    text = run('capture', 'info', '/no/file', code=2)
    check(re.fullmatch(r'hdb: /no/file: No such file or directory\n', text), 'one line', text)


with on_driver():
    run_case([frame, chosen, samples, ways_to_end, full_disk, last_lines, documented, hostile])
