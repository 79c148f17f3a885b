#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `hdb` prints and the code it ends with:  test_cli.py CASE."""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from harness import Output, expect, on_driver, run_case, type_in, typed
from transcript import HDB, debug, hdb, same, sample

HEADER = r'workgroup \d+,\d+,\d+  wave \d+  lane 0  \d+ active lanes?  1 of \d+ waves?, \d+ resident, \d+ stopped'


def only_line(text, pattern):
    """One clear line, and nothing else."""
    if len(text.splitlines()) != 1 or not re.search(pattern, text):
        sys.exit(f'not the one line "{pattern}":\n{text}')


def samples():
    """Each sample is stopped at its entry, stepped by line, and finishes right, compiled in both ways."""
    for name, first in (('saxpy', 11), ('reduce', 13), ('nan', 20), ('histogram', 13), ('matmul', 27),
                        ('mandelbrot', 24), ('grass', 59), ('blur', 23)):
        for compile_mode in ('debug', 'optimized'):
            text = debug([sample(name)], 'run', 'step', 'step', 'info waves', 'continue',
                         options=['--dispatch', '0', '--compile', compile_mode])
            expect(text, r'Entry of dispatch, .* at %s\.comp:\d+' % name, r'^\d+\t.*\S', HEADER,
                   r'Step, .* at %s\.comp:\d+' % name, HEADER, r'Step, .* at %s\.comp:\d+' % name, HEADER,
                   r'^\* \d+ .*stopped .*%s\.comp:\d+' % name, r'^%s: \d+ of \d+ right' % name, r'exited with code 0')
            if compile_mode == 'debug':
                expect(text, r'at %s\.comp:%d$' % (name, first))


def breakpoints():
    text = debug([sample('saxpy')], 'break saxpy.comp:15', 'info breakpoints', 'run', 'info line', 'info breakpoints',
                 'delete 1', 'info breakpoints', 'continue')
    expect(text, r'^Breakpoint 1 at saxpy\.comp:15 \(pending', r'^1 .*pending', r'bound to \d+ places? in 1 pipeline',
           r'^Breakpoint 1, .* at saxpy\.comp:15\n15\t.*float product = a \* x\[i\];\n' + HEADER,
           r'^saxpy\.comp:15', r'^   0x\w+ to 0x\w+', r'^1 .*bound to', r'^no breakpoints', r'1000 of 1000 right')
    # A line without code: the nearest one with some is offered.
    text = debug([sample('saxpy')], 'break saxpy.comp:14', 'run', 'delete', 'continue')
    expect(text, r'no code at line 14; moved to line 15', r'^Breakpoint 1, .* at saxpy\.comp:15', r'1000 of 1000 right')
    # It is looked for in the line's own function, also where the compiler has inlined that and left no call.
    for compile_mode in ('debug', 'optimized'):
        for line, actual in ((9, 11), (10, 11), (15, 15), (16, 15), (17, 20), (26, 25)):
            text = debug([sample('nan')], f'break nan.comp:{line}', 'run', options=['--compile', compile_mode])
            expect(text, r'bound to' if line == actual else r'no code at line %d; moved to line %d$' % (line, actual),
                   r'^Breakpoint 1, ')
    # A file that no shader was made from stays pending, is called so once, and hinders nothing.
    text = debug([sample('saxpy')], 'break other.comp:3', 'run', code=1)
    expect(text, r'pending', r'1000 of 1000 right', r'exited with code 0',
           r'^hdb: breakpoint 1 at other\.comp:3 was never met: no shader with this file yet$')
    if text.count('pending') != 1 or debug([sample('saxpy')], 'break saxpy.comp:15', 'run', 'delete', 'c').count('pending') != 1:
        sys.exit(f'"pending" is said more than once:\n{text}')
    # At the pc; and what a dispatch breakpoint says of itself.
    text = debug([sample('saxpy')], 'catch 0', 'run', 'break *$pc', 'break main', 'info breakpoints')
    expect(text, r'^Breakpoint 2: bound to', r'^Breakpoint 3: attaches to dispatches named "main"', r'^1 .*attaches to dispatch 0$')


def steps():
    """A count of steps ends at the first stop that is something else, here the next wave's breakpoint."""
    text = debug([sample('saxpy')], 'break saxpy.comp:16', 'run', 'step 99999', 'delete', 'continue')
    if len(re.findall('^Breakpoint 1, ', text, re.MULTILINE)) != 2:
        sys.exit(f'the breakpoint was stepped over:\n{text}')
    expect(text, r'^wave 1 ended', r'^Breakpoint 1, .* at saxpy\.comp:16', r'1000 of 1000 right')
    # A wave that still stands at its entry has not stepped.
    text = debug([sample('saxpy')], 'catch 0', 'run', 'step 99999')
    expect(text, r'^wave 1 ended', r'^Paused, .* at saxpy\.comp:11\n.*\nworkgroup 1,0,0  wave 2')


def data():
    """Registers and memory in all formats; addresses from registers."""
    text = debug([sample('saxpy')], 'catch 0', 'run', 'print/u $v0[3]', 'print/u $exec', 'print/d $v0', 'print/u $s[2:3]',
                 'print/f $v0[0]', 'x/1xw $pc', 'set $s4=0', 'set $s5=0xffff8000', 'x/1xw $s[4:5]', 'disassemble $pc')
    expect(text, r'^\$1 = 3$', r'^\$2 = 18446744073709551615$', r'^\$3 = \{0, 1, 2, 3, .*63\}$',
           r'^\$4 = \{\d+, \d+\}$', r'^\$5 = 0$', r'^(0xffff800000000000:  0x\w{8})\n\1$',
           r'^=> 0xffff800000000000  \w+ ')


def workgroups():
    """Stops in one workgroup only, also when that is said before the program is there."""
    text = debug([sample('saxpy')], 'workgroup 3,0,0', 'catch 0', 'run', 'workgroup 99,0,0', 'workgroup all', 'continue')
    expect(text, r'^\[stops in 3,0,0\]', r'^workgroup 3,0,0  wave', r'dispatch 0 has no workgroup 99,0,0: it has 16x1x1',
           r'^\[stops in every', r'1000 of 1000 right')
    text = debug([sample('saxpy')], 'workgroup 16,0,0', 'catch 0', 'run')
    expect(text, r'dispatch 0 has no workgroup 16,0,0', r'1000 of 1000 right')


def next_store(text):
    return re.search(r'^=> \S+  buffer_store_b32 v(\d+)', text, re.MULTILINE)


def edits():
    """A register changed by hand changes the result: one lane's value just before it is stored."""
    options = ['--compile', 'optimized', '--dispatch', '0']
    for count in range(1, 60):
        found = next_store(debug([sample('saxpy')], 'run', f'stepi {count}', 'disassemble', 'continue', options=options))
        if found:
            break
    else:
        sys.exit('no store in saxpy')
    register = found[1]
    text = debug([sample('saxpy')], 'run', f'stepi {count}', f'print $v{register}[5]', f'set $v{register}[5]=12345.0',
                 f'print/f $v{register}[5]', 'continue', options=options, code=1)
    expect(text, r'^\$1 = 0x', r'^\$2 = 12345$', r'^saxpy: 999 of 1000 right', r'exited with code 1')


def entries():
    """All waves that are there at the stop at entry stand at it, and they are the same every time."""
    for name, count in (('saxpy', 16), ('reduce', 16), ('nan', 16)):
        for _ in range(5):
            text = debug([sample(name), *(['-n', '100000'] if name == 'saxpy' else [])], 'catch 0', 'run', 'info waves')
            waves = re.findall(r'^[* ] (\d+) .*  (\w+)$', text, re.MULTILINE)
            expected = 32 if name == 'saxpy' else count
            if waves != [(str(i + 1), 'entry') for i in range(expected)]:
                sys.exit(f'not {expected} waves at their entry:\n{text}')


def instructions():
    """A breakpoint, or a pc, that is not the start of an instruction of the shader: the nearest are named."""
    text = debug([sample('saxpy')], 'catch 0', 'run', 'disassemble')
    starts = [int(start, 16) for start in re.findall(r'^(?:=>|  ) (0x\w+)  ', text, re.MULTILINE)]
    low, high = next((a, b) for a, b in zip(starts, starts[1:]) if b - a == 8)
    nearest = f'0x{low + 4:x} is not the start of an instruction; the nearest are 0x{low:x} and 0x{high:x}$'
    text = debug([sample('saxpy')], 'catch 0', 'run', f'break *0x{low + 4:x}', code=1)
    expect(text, r'^hdb: ' + nearest)
    # It is not kept. One from before the shader came finds nowhere to stop.
    text = hdb('run', '--gpu', 'virtual', '--', sample('saxpy'),
               stdin=f'catch 0\nrun\nbreak *0x{low + 4:x}\ninfo breakpoints\nbreak *0x{low:x}\ncontinue\n')
    expect(text, r'^1 .*\nBreakpoint 3: bound to 1 place', r'^Breakpoint 3, ')
    text = debug([sample('saxpy')], f'break *0x{low + 4:x}', 'run', code=1)
    expect(text, r'^Breakpoint 1: ' + nearest)
    expect(text, r'1000 of 1000 right', r'^hdb: breakpoint 1 at 0x\w+ was never met: ' + nearest)
    text = debug([sample('saxpy')], 'catch 0', 'run', f'set $pc=0x{low + 4:x}', code=1)
    expect(text, r'^hdb: ' + nearest)
    text = debug([sample('saxpy')], 'catch 0', 'run', f'set $pc=0x{low:x}', 'print $pc', f'set $pc=0x{starts[0]:x}',
                 'set $scc=1', 'print $scc', 'stepi', 'print $scc', 'set $scc=0', 'print $scc', 'continue')
    expect(text, r'^\$1 = 0x%x' % low, r'^\$2 = 1', r'^\$3 = 1', r'^\$4 = 0', r'1000 of 1000 right')


def bad_input():
    only_line(hdb('run', '--gpu', 'nvidia', '--', 'true', code=2), r'--gpu nvidia: it is virtual or amdgpu')
    only_line(hdb('run', '--compile', 'fast', '--', 'true', code=2), r'--compile fast: it is debug or optimized')
    only_line(hdb('run', '--', 'true', code=2, env={'VK_HDB_COMPILE': 'fast'}),
              r'VK_HDB_COMPILE is "fast": it is debug or optimized')
    only_line(hdb('run', '--frobnicate', '--', 'true', code=2), r'no option --frobnicate')
    only_line(hdb('run', '-ex', code=2), r'-ex wants a value')
    only_line(hdb('run', code=2), r'run what\?')
    only_line(hdb('frob', code=2), r'no command "frob"')
    only_line(hdb('run', '--', './no/such/program', code=127), r"can't run \./no/such/program: No such file")
    only_line(hdb('run', '--', 'no-such-program', code=127), r"can't run no-such-program: No such file")
    only_line(hdb('run', '--', '/tmp', code=126), r"can't run /tmp: Is a directory")
    only_line(hdb('run', '--', '/etc/passwd', code=126), r"can't run /etc/passwd: Permission denied")
    with tempfile.TemporaryDirectory() as work:
        script = os.path.join(work, 'script')
        with open(script, 'w') as file:
            file.write('#!/no/such/interpreter\n')
        os.chmod(script, 0o755)
        only_line(hdb('run', '--batch', '-ex', 'run', '--', script, code=127), r"can't run \S+/script: No such file")
    os.environ['HDB_GPU'] = 'bogus'
    only_line(hdb('run', '--', 'true', code=2), r'HDB_GPU is "bogus": it is virtual or amdgpu')
    del os.environ['HDB_GPU']
    if not os.path.exists('/dev/dri'):
        expect(hdb('run', '--gpu', 'amdgpu', '--batch', '-ex', 'run', '--', sample('saxpy'), code=2),
               r"^hdb: no Radeon card is found that hdb's driver supports, and HDB_GPU is 'amdgpu'")
    only_line(hdb('run', '--batch', '-x', '/no/such/script', '--', 'true', code=1), r"can't read /no/such/script")
    for arguments in (['help'], ['run', '--batch', *typed('info breakpoints'), '--', 'true']):
        with open('/dev/full', 'w') as full:
            done = subprocess.run([HDB, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        only_line(done.stderr, "^hdb: standard output can't be written")
        expect(str(done.returncode), '^1$')
    for verb in ('run', 'attach', 'trigger', 'replay', 'capture', 'doctor', 'vm'):
        for option in ('--help', '-h'):
            expect(hdb(verb, option), r'^usage: hdb ')
    only_line(hdb('attach', '/no/such/socket', code=1), r"can't connect to /no/such/socket")
    with tempfile.TemporaryDirectory() as work:  # a dead process's socket goes, a file of its name stays
        ended = subprocess.Popen(['true'])
        ended.wait()
        path = f'{work}/{ended.pid}.sock'
        with open(path, 'w'):
            pass
        only_line(hdb('attach', path, code=1), "can't connect to .*refused")
        os.unlink(path)  # which must be there
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(path)
        only_line(hdb('attach', path, code=1), r'has ended; .* is removed')
        expect(str(os.listdir(work)), r'^\[\]$')
    for command, complaint in (
            ('frobnicate', r'no command "frobnicate"'), ('step', r'the program is not being run'),
            ('break saxpy.comp:x', r'"x" is no line number; .* catch FILE:ENTRY'), ('break *main', r'"main" is no address'),
            ('break :5', r'no file in front of the colon; break FILE:LINE'),
            ('break saxpy.comp', r'looks like a file; break FILE:LINE, or catch NAME'),
            ('workgroup 1', r'"1" is no workgroup'), ('workgroup 4294967296,0,0', r'is no workgroup'),
            ('delete 7', r'no breakpoint 7'), ('info everything', r'info args, breakpoints, dispatches'),
            ('run fast', r'run takes no arguments'), ('help nothing', r'no command "nothing"')):
        only_line(debug(['true'], command, code=1), complaint)
    for command, complaint in (
            ('wave 99', r'hdb: .*99'), ('lane 64', r'"64" is no lane'), ('print $q3+1', r'hdb: no register has this name'), ('print $v999', r'hdb: '),
            ('set $v3[99]=1', r'hdb: '), ('set $pc=0', r"0x0 is not in the wave's shader, which is at 0x\w+ to 0x\w+"),
            ('set $v1[5]=1e400', r'1e400 does not fit a 64-bit float'), ('set $v1[5]=-1e39', r'does not fit 32 bits'),
            ('set $scc=2', r'\$scc is 0 or 1'), ('set $mode=1', r'\$mode can only be read'),
            ('set $status=1', r'\$status can only be read'), ('set $exec', r'set what to what'), ('x/0xw 0', r'0 elements'),
            ('x 0x10', r'hdb: .*'), ('x/4xw foo', r'no "foo" in this scope'), ('x/4xw $q', r'no register has this name'),
            ('x $s[2:5]', r'is no address'), ('x', r'x what'), ('print/q $s1', r'no format /q'),
            ('disassemble 0', r'no code at 0x0'), ('disassemble foo', r'no "foo" in this scope'),
            ('list 4000', r'has only \d+ lines'), ('list other.comp:1', r'no text of other\.comp: no shader was made from it'),
            ('list :1', r'no file in front'), ('info line :1', r'no file in front'),
            ('step many', r'"many" is no count'), ('workgroup 1', r'"1" is no workgroup'),
            ('info line other.comp:1', r'hdb: .*other')):
        text = debug([sample('saxpy')], 'catch 0', 'run', command, code=1)
        only_line(text[text.index(' stopped\n') + len(' stopped\n'):], complaint)


def exit_codes():
    expect(debug(['sh', '-c', 'exit 7'], 'run', code=7), r'exited with code 7; it created no Vulkan device')
    expect(debug(['sh', '-c', 'kill -TERM $$'], 'run', code=143), r'killed by signal 15')
    # A program that is still stopped when the commands end is ended with hdb.
    expect(debug([sample('saxpy')], 'catch 0', 'run'), HEADER)


def processes():
    """A program of several processes that use Vulkan: one after another each is debugged, with the same breakpoints."""
    saxpy, nan = sample('saxpy'), sample('nan')
    text = debug(['sh', '-c', f'{saxpy}; {nan}; echo end'], 'run')
    expect(text, r'^\[debugging process \d+ \(saxpy\)\]', r'^saxpy: 1000 of 1000 right', r'^\[process \d+ has ended\]',
           r'^\[debugging process \d+ \(nan\)\]', r'^nan: 992 of 1000 right', r'exited with code 0')
    # The filter goes along, too: with it a wave stops once, whichever others are on the GPU by then.
    text = debug(['sh', '-c', f'{saxpy}; {nan}; {saxpy}; exit 3'], 'break saxpy.comp:15', 'workgroup 1,0,0', 'run',
                 'continue', 'continue', code=3)
    stop = (r'bound to 1 place', r'^Breakpoint 1, saxpy at saxpy\.comp:15', r'^workgroup 1,0,0', r'1000 of 1000')
    expect(text, *stop, r'\(nan\)', *stop, r'exited with code 3')
    # Side by side: one is debugged, the others run on and are named.
    text = debug(['sh', '-c', f'{saxpy} & {saxpy} & {saxpy} & wait; echo end'], 'run')
    expect(text, r'\[debugging process \d+ \(saxpy\)\]', r'^end', r'exited with code 0')
    if len(re.findall(r'1000 of 1000 right', text)) != 3 or len(re.findall(r'\((saxpy)\)', text)) != 3:
        sys.exit(f'not three processes, all named:\n{text}')
    # A process in between that closes all descriptors: said, and the program runs on.
    text = debug([sys.executable, '-c', f'import subprocess; subprocess.run(["{saxpy}"])'], 'run')
    expect(text, r'not a channel to `hdb run`.* runs without the debugger')
    expect(text, r'1000 of 1000 right')


def scripts():
    with tempfile.NamedTemporaryFile('w', suffix='.hdb') as script:
        script.write('# stop at the entry\ncatch 0\nr\n\nc\n')
        script.flush()
        text = hdb('run', '--gpu', 'virtual', '--batch', '--echo', '-x', script.name, '--', sample('saxpy'))
        expect(text, r'^\(hdb\) catch 0', r'^\(hdb\) r$', HEADER, r'^\(hdb\) c$', r'1000 of 1000 right')
        script.write('nonsense\nquit\n')
        script.flush()
        text = hdb('run', '--gpu', 'virtual', '--batch', '-x', script.name, '--', sample('saxpy'), code=1)
        expect(text, r'no command "nonsense"', r'%s:6: the script ends here' % script.name)
    # Without a terminal, commands come from standard input and nothing is asked.
    text = hdb('run', '--gpu', 'virtual', '--', sample('saxpy'), stdin='catch 0\nrun\nstepi\n\ncontinue\n')
    expect(text, HEADER, HEADER, HEADER, r'1000 of 1000 right')


def interrupted():
    """Ctrl-C at a prompt that is fed through a pipe ends nothing; what was begun of a line is dropped."""
    process = subprocess.Popen([HDB, 'run', '--gpu', 'virtual', '--', sample('saxpy')], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = Output(process.stdout.fileno())
    for begun in ('', 'nonsense'):
        type_in(process, 'break saxpy.comp:15')
        output.until('pending until')
        process.stdin.write(begun.encode())
        process.stdin.flush()
        time.sleep(0.3)  # until it has been read, as far as can be told from here
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        type_in(process, 'info breakpoints')
        output.until('saxpy.comp:15')
        output.text = ''
    process.stdin.close()
    text = output.to_end()
    if process.wait() != 0 or 'nonsense' in text:
        sys.exit(f'exit code {process.returncode}:\n{text}')


def readme():
    """What README.md shows is what one gets: sessions of hdb, with other words between their pieces."""
    sessions, lines = [], None
    with open(os.environ['HDB_README']) as file:
        pieces = re.findall(r'(?:^    .*\n)+', file.read(), re.MULTILINE)
    for piece in pieces:
        shown = [line[4:] for line in piece.splitlines()]
        start = re.fullmatch(r'build/cli/hdb run --gpu virtual -- build/samples/(\w+)', shown[0])
        if start:
            lines = []
            sessions.append((start[1], lines))
        if lines is not None and (start or shown[0].startswith('(hdb) ')):
            lines += shown[1:] if start else shown
        else:
            lines = None
    same([name for name, _ in sessions], ['saxpy', 'nan'], ''.join(pieces))
    for name, lines in sessions:
        commands = [line[len('(hdb) '):] for line in lines if line.startswith('(hdb) ')]
        text = debug([sample(name)], *commands, options=['--echo'])
        expect(text, *['^' + re.escape(line) + '$' for line in lines])


with on_driver():
    run_case((samples, entries, instructions, breakpoints, steps, data, workgroups, edits, bad_input, exit_codes,
              processes, scripts, readme, interrupted))
