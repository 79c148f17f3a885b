#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `hdb` prints and the code it ends with:  test_cli.py CASE. Everything on the virtual GPU, through the real driver."""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from harness import Output, expect, on_driver, run_case, type_in, typed

HDB = os.environ['HDB']
SAMPLES = os.environ['HDB_SAMPLES']


def sample(name):
    return os.path.join(SAMPLES, name)


def hdb(*arguments, code=0, stdin=None, env=None):
    """Output and errors of hdb in one text; its exit code must be `code`."""
    done = subprocess.run([HDB, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                          input=stdin, env=dict(os.environ, **(env or {})))
    if done.returncode != code:
        sys.exit(f'hdb {" ".join(arguments)}: exit code {done.returncode}, not {code}:\n{done.stdout}')
    return done.stdout


def debug(program, *commands, options=(), code=0):
    return hdb('run', '--gpu', 'virtual', '--batch', *options, *typed(*commands), '--', *program, code=code)


def only_line(text, pattern):
    """One clear line, and nothing else."""
    if len(text.splitlines()) != 1 or not re.search(pattern, text):
        sys.exit(f'not the one line "{pattern}":\n{text}')


HEADER = r'workgroup \d+,\d+,\d+  wave \d+  lane 0  \d+ active lanes?  1 of \d+ waves?, \d+ resident, \d+ stopped'


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
            ('set $v1[5]=1e400', r'1e400 does not fit a 32-bit float'), ('set $v1[5]=-1e39', r'does not fit a 32-bit float'),
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


def dispatches(case, *commands, **more):
    return debug([os.environ['HDB_DISPATCHES'], case], *commands, **more)


def stops(text):
    """Of each stop, what its header says: workgroup, wave, waves of the dispatch, resident ones."""
    pattern = r'^workgroup (\S+)  wave (\d+)  lane \d+  \d+ active lanes  1 of (\d+) waves, (\d+) resident'
    return re.findall(pattern, text, re.MULTILINE)


def grids(text):
    return re.findall(r'^\d+ +\*?first +(\S+) groups of', text, re.MULTILINE)


def states(text):
    return re.findall(r'^\d+ +\*?first +\S+ groups of .*  (\w+)$', text, re.MULTILINE)


def same(found, expected, text):
    if found != expected:
        sys.exit(f'{found}, not {expected}:\n{text}')


def indirect():
    """Grids that only the GPU's memory has are known once the dispatch begins; each dispatch stops at its own entry."""
    text = dispatches('indirect', 'catch first', 'run', 'info dispatches', 'continue', 'info dispatches', 'continue',
                      'continue')
    same(stops(text), [('0,0,0', '1', '7', '7'), ('0,0,0', '8', '10', '10'), ('0,0,0', '18', '4', '4')], text)
    same(grids(text), ['7x1x1', 'indirect', '4x1x1', '7x1x1', '10x1x1', '4x1x1'], text)
    expect(text, r'sum 1344')
    # Not once the catch is deleted.
    text = dispatches('indirect', 'catch first', 'run', 'delete', 'continue')
    same(len(stops(text)), 1, text)
    expect(text, r'sum 1344')
    # Of breakpoints too, even where but one workgroup of each stops.
    text = dispatches('indirect', 'workgroup 3,0,0', 'break twin.comp:8', 'run', 'continue', 'continue', 'continue')
    same([stop[:3] for stop in stops(text)], [('3,0,0', '1', '7'), ('3,0,0', '2', '10'), ('3,0,0', '3', '4')], text)
    expect(text, r'sum 1344')


def empty():
    """What has no workgroups takes no stop and no wave from those behind it."""
    text = dispatches('empty', 'catch first', 'run', 'info dispatches', 'continue', 'info dispatches', 'continue')
    expect(text, r'^dispatch 1 \(first\) is empty: 0x1x1 workgroups')
    same(stops(text), [('0,0,0', '1', '10', '10'), ('0,0,0', '11', '4', '4')], text)
    same(grids(text)[4:], ['10x1x1', '0x1x1', 'indirect', '4x1x1'], text)
    same(states(text), ['running', 'empty', 'submitted', 'submitted', 'finished', 'empty', 'submitted', 'running'], text)
    expect(text, r'sum 896')
    text = dispatches('empty', 'catch 2', 'run')
    same(stops(text), [], text)
    expect(text, r'^dispatch 2 \(first\) finished; no wave of it was seen$')


def reused():
    """Grids that one place in memory holds in turn: no dispatch is said to have another's."""
    text = dispatches('reused', 'catch first', 'run', 'continue', 'info dispatches', 'continue')
    same([stop[2] for stop in stops(text)], ['7', '10'], text)
    same(grids(text), ['indirect'] * 3, text)
    expect(text, r'sum 1088')
    if 'no wave' in text:
        sys.exit(f'one of three is said to have had none:\n{text}')
    text = dispatches('reused', 'catch 1', 'run')
    same(stops(text), [], text)
    expect(text, r'^dispatch 1 \(first\) finished; no wave of it was seen$', r'sum 1088')


def base():
    """Workgroups that are not counted from 0."""
    text = dispatches('base', 'catch 0', 'workgroup 5,0,0', 'run', 'workgroup 2,0,0', 'continue')
    same(stops(text), [('5,0,0', '1', '4', '1')], text)
    expect(text, r'has no workgroup 2,0,0: it has 4x1x1 from 3,0,0 on', r'sum 256')


def program(name, test):
    """One of tests/vulkan, which runs the test on the general queue and then on the compute queue."""
    return [os.path.join(os.environ['HDB_VULKAN_TESTS'], 'vulkan-' + name), os.environ['HDB_CLI_SHADERS'], test]


def debug_both(run, *commands, options=()):
    """The output without the program's own words in front of what hdb says; the result must be right on both queues."""
    text = debug(run, *commands, options=options)
    text = re.sub(r'^.*, (?:general|compute) queue: ', '', text, flags=re.MULTILINE)
    same(len(re.findall('^right$', text, re.MULTILINE)), 2, text)
    return text


def listed(text):
    """Of each dispatch in the last list: name, size and what follows the queue's name."""
    last = text[text.rindex('(hdb) info dispatches'):]
    return re.findall(r'^\d+ +\*?(\S+(?: \w+)*) +(\S+) groups of \S+  queue \S+  (.*)$', last, re.MULTILINE)


def secondary():
    """Each execution of a secondary command buffer is a dispatch of its own, also where the GPU calls it."""
    run = program('recorded', 'secondary')
    text = debug_both(run, 'catch main', 'run', *['continue'] * 5, 'info dispatches', 'delete', 'continue',
                      options=['--echo'])
    same([stop[2] for stop in stops(text)], ['5', '2', '3', '2', '3', '7'], text)
    same([size for _, size, _ in listed(text)], ['5x1x1', '2x1x1', '3x1x1', '2x1x1', '3x1x1', '7x1x1'], text)
    same([state for _, _, state in listed(text)], ['finished'] * 5 + ['running'], text)
    text = debug_both(run, 'catch main', 'run', 'continue', 'info dispatches', 'delete', 'continue', options=['--echo'])
    same([state for _, _, state in listed(text)], ['finished', 'running'] + ['pending'] * 4, text)
    # The second execution alone, though both have the same launch words: four waves have been in front of it.
    text = debug_both(run, 'catch 4', 'catch 16', 'run', 'continue', 'continue')
    same([stop[2] for stop in stops(text)], ['3', '3'], text)
    expect(text, r'wave 4 .* 1 of 3 waves', r'^dispatch 4 \(count\.comp:main\) finished$', r'^right$', r'^Entry',
           r'^dispatch 16 \(count\.comp:main\) finished$')
    text = debug_both(program('recorded', 'nested'), 'break count.comp:13', 'run', 'delete', 'continue')
    expect(text, r'^Breakpoint 1, count\.comp:main at count\.comp:13', r'1 of 2 waves')
    text = debug_both(program('recorded', 'nested'), 'catch main', 'run', 'continue', 'continue', 'delete', 'continue')
    same([stop[2] for stop in stops(text)], ['2', '3', '2'], text)


def internal():
    """The driver's own dispatches: hidden, or shown, counted and stepped like others."""
    run = program('recorded', 'internal')
    text = debug_both(run, 'catch 1', 'run', 'info dispatches', 'delete', 'continue', options=['--echo'])
    same([(name, size) for name, size, _ in listed(text)], [('count.comp:main', '1x1x1'), ('count.comp:main', '2x1x1')], text)
    text = debug_both(run, 'catch 1', 'run', 'info dispatches', 'stepi', 'break *$pc', 'delete 1', 'delete 2', 'continue',
                      options=['--echo', '--internal'])
    expect(text, r'^Entry of dispatch, timestamp_query at 0x', r'^Step, timestamp_query at 0x',
           r'^Breakpoint 2: bound to 1 place')
    same(listed(text), [('count.comp:main', '1x1x1', 'submitted'), ('timestamp_query', '1x1x1', 'running  internal'),
                        ('count.comp:main', '2x1x1', 'submitted')], text)
    text = hdb('run', '--gpu', 'virtual', '--batch', *typed('catch 1', 'run'), '--', *run, env={'VK_HDB_INTERNAL': 'yes'})
    expect(text, r': Entry of dispatch, timestamp_query at 0x')


def rays():
    """Stages of ray tracing: breakpoints, and steps from one into another."""
    run = program('rays', 'ray tracing pipeline')
    for compile_mode in ('debug', 'optimized'):
        options = ['--compile', compile_mode, '--echo']
        text = debug_both(run, 'catch ray tracing', 'run', 'step', 'next', 'step', 'finish', 'next', 'info dispatches',
                          'delete', 'continue', options=options)
        expect(text, r'^Entry of dispatch, ray tracing at 0x', r'^Step, ray tracing \(raygen\) at trace\.rgen:1[0-4]$',
               r'^Step, ray tracing \(raygen\) at trace\.rgen:15$', r'^Step, ray tracing \(callable\) at trace\.rcall:5$',
               r'^Step, ray tracing \(raygen\) at trace\.rgen:17$', r'^Step, ray tracing \(raygen\) at trace\.rgen:18$')
        same(listed(text), [('ray tracing', '2x2x1', 'running')], text)
        # None of the stages loses an instruction to a breakpoint, however their dispatch was launched.
        text = debug_both(run, 'break trace.rchit:15', 'run', 'info waves', 'delete', 'continue', options=options)
        expect(text, r'^Breakpoint 1, ray tracing \(closest-hit\) at trace\.rchit:15$', r'^workgroup 0,0,0  wave 1',
               r'^\* 1     0,0,0 .*trace\.rchit:15  breakpoint')
    text = debug_both(program('rays', 'ray tracing pipeline with a library'), 'break trace.rmiss:9', 'run', 'finish', 'delete',
                      'continue')
    expect(text, r'^Breakpoint 1, ray tracing \(miss\) at trace\.rmiss:9$', r'^Step, ray tracing \(raygen\) at trace\.rgen:')
    # Those that the driver inlines: any-hit and intersection, into code of its own.
    text = debug_both(run, 'break trace.rahit:7', 'break trace.rint:8', 'run', 'step', 'step', 'delete', 'continue')
    expect(text, r'^Breakpoint 2, ray tracing \(intersection\) at trace\.rint:8\n8\tvoid main',
           r'^Breakpoint 1, ray tracing \(any-hit\) at trace\.rahit:7\n7\t   if',
           r'^Step, ray tracing \(closest-hit\) at trace\.rchit:\d+\n')
    # How many rays an indirect one has, as workgroups.
    text = debug_both(run, 'catch 1', 'run', 'info dispatches', 'delete', 'continue', options=['--echo'])
    same(listed(text)[1], ('ray tracing', '2x2x1', 'running'), text)
    # A ray query is a part of its compute shader.
    text = debug_both(program('rays', 'ray query'), 'break query.comp:20', 'run', 'next', 'delete', 'continue')
    expect(text, r'^Breakpoint 1, query\.comp:main at query\.comp:\d+$', r'^Step, ')


def generated():
    """Device-generated commands: a dispatch for each shader of the set. What was preprocessed can't be attached to, and
    loses no instruction to a breakpoint either."""
    run = program('commands', 'device-generated commands')
    for compile_mode in ('debug', 'optimized'):
        text = debug_both(run, 'break count.comp:13', 'run', 'info dispatches', 'info waves', 'delete', 'continue',
                          options=['--compile', compile_mode, '--echo'])
        expect(text, r'^Breakpoint 1, count\.comp:main at count\.comp:13$', r'2 resident, 2 stopped$')
        same(listed(text), [('count.comp:main', 'generated', state) for state in ('finished', 'finished', 'running', 'submitted')],
             text)
    text = debug_both(run, 'catch main', 'run', 'continue', 'delete', 'continue')
    expect(text, r'^dispatch 0 \(count\.comp:main\) finished; no wave of it was seen$', r'^Entry of dispatch',
           r'^dispatch 2 \(count\.comp:main\) finished$',
           r'^dispatch 3 \(count\.comp:main\) finished; no wave of it was seen$', r'^Entry of dispatch')
    text = debug_both(run, 'catch 10', 'run')
    expect(text, r"^dispatch 10 \(count\.comp:main\) can't be attached to: the commands that launch it were preprocessed$")
    text = debug_both(run, 'break count.comp:11', *['workgroup 9,9,9', 'run'], options=['--compile', 'optimized'])
    # One that the GPU skips.
    text = debug_both(program('commands', 'conditional rendering'), 'catch 0', 'catch 2', 'run', 'continue')
    expect(text, r'^Entry of dispatch', r'^dispatch 0 \(count\.comp:main\) finished; no wave of it was seen$',
           r'^dispatch 2 \(count\.comp:main\) finished$')


def twins():
    """Two files of one name: `list`, and lines without a file, are of the one that the wave is in."""
    text = dispatches('twins', 'catch second', 'run', 'list', 'break 9', 'info line 9', 'info breakpoints', 'continue')
    expect(text, r'^Entry of dispatch, second at twin\.comp:8\n8\t   uint i', r'^8>\t   uint i',
           r'^9\t   for \(uint k', r'^Breakpoint 2: bound to 1 place in 1 pipeline$', r'^twin\.comp:9\t   for',
           r'^2 .*bound to 1 place in 1 pipeline$', r'^Breakpoint 2, second at twin\.comp:9\n9\t   for')
    text = dispatches('twins', 'break twin.comp:9', 'run', 'list', 'info breakpoints', 'delete', 'break twin.comp:9',
                      'continue')
    both = 'not every pipeline has code at line 9: bound to 1 place in 1 pipeline, moved to line 8 in 1 pipeline$'
    expect(text, r'^Breakpoint 1: ' + both, r'^Breakpoint 1, first at twin\.comp:8', r'^8>\t   v\[i\] \+= STEP',
           r'^1 .*' + both, r'^Breakpoint 2: ' + both, r'^Breakpoint 2, ')


def lost():
    """A line whose text is nowhere: said, and the instruction is shown."""
    text = dispatches('lost', 'break lost.comp:8', 'run', 'info line', 'list', code=1)
    expect(text, r'^Breakpoint 1, lost at lost\.comp:8\n8\t\(neither .* has the text of lost\.comp:8\)\n=> s_nop 13\n',
           r'^lost\.comp:8\n   0x\w+ to', r'^hdb: no text of lost\.comp: its module holds none')


def many():
    """A program with many pipelines of one shader: a line when the breakpoint first finds one, and at the stop."""
    text = dispatches('many', 'break twin.comp:8', 'run', 'info breakpoints')
    same(re.findall(r'^Breakpoint 1: (.*)', text, re.MULTILINE),
         ['bound to 1 place in 1 pipeline', 'bound to 101 places in 101 pipelines'], text)
    expect(text, r'1 of 1 wave, 1 resident', r'^1 .*bound to 101 places in 101 pipelines')


def lanes():
    """The lane stays, on or off; those that a workgroup does not have are refused."""
    text = dispatches('twins', 'catch second', 'run', 'lane 60', code=1)
    expect(text, r'60 active lanes', r'^hdb: wave 1 has lanes 0 to 59$')
    text = dispatches('twins', 'catch second', 'run', 'lane 59', 'stepi 60')
    marks = re.findall(r'  lane (\d+)(?: \(off\))?  \d+ active', text)
    same(marks, ['0'] + ['59'] * 60, text)
    expect(text, r'lane 59  60 active', r'lane 59  45 active', r'lane 59 \(off\)  15 active', r'lane 59  45 active')
    # A step of a wave whose lane is off is that of the lanes that run, and brings none to its end.
    text = dispatches('twins', 'catch second', 'run', 'break 10', 'continue', 'lane 0', 'step')
    expect(text, r'lane 1  45 active', r'^\[lane 0 \(off\)\]', r'^Step, second at twin\.comp:9', r'  lane 0 \(off\)  ')
    # Another wave is looked at: its first lane, which steps follow, too.
    text = debug([sample('saxpy')], 'catch 0', 'run', 'lane 5', 'wave 2', 'wave', 'lane', 'step')
    expect(text, r'^\[lane 5\]', r'^(\[wave 2  lane 0\]  saxpy\.comp:11 .*)\n\1', r'^\[lane 0\]', r'wave 2  lane 0  64')


def unmet():
    """A script that meant to stop somewhere, and never did, has failed."""
    text = dispatches('base', 'break none.comp:3', 'catch none', 'break *0x1000', 'run', code=1)
    expect(text, r'exited with code 0', r'^hdb: breakpoint 1 at none\.comp:3 was never met: no shader with this file',
           r'^hdb: breakpoint 2 at dispatch none was never met: no such dispatch',
           r'^hdb: breakpoint 3 at 0x1000 was never met: no shader with this address')
    dispatches('base', 'catch 0', 'run', 'delete', 'catch none', 'continue', code=1)
    dispatches('base', 'catch 0', 'break none.comp:3', 'run', 'delete', 'continue')


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
              processes, scripts, indirect, empty, reused, base, twins, lost, many, lanes, unmet, readme,
              secondary, internal, rays, generated, interrupted))
