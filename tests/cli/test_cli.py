#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `hdb` prints and the code it ends with:  test_cli.py CASE. Everything on the virtual GPU, through the real driver."""
import json
import os
import re
import subprocess
import sys
import tempfile

HDB = os.environ['HDB']
SAMPLES = os.environ['HDB_SAMPLES']


def sample(name):
    return os.path.join(SAMPLES, name)


def hdb(*arguments, code=0, stdin=None):
    """Output and errors of hdb in one text; its exit code must be `code`."""
    done = subprocess.run([HDB, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                          input=stdin)
    if done.returncode != code:
        sys.exit(f'hdb {" ".join(arguments)}: exit code {done.returncode}, not {code}:\n{done.stdout}')
    return done.stdout


def debug(program, *commands, options=(), code=0):
    words = [word for command in commands for word in ('-ex', command)]
    return hdb('run', '--gpu', 'virtual', '--batch', *options, *words, '--', *program, code=code)


def expect(text, *patterns):
    """Each pattern, in this order."""
    at = 0
    for pattern in patterns:
        match = re.compile(pattern, re.MULTILINE).search(text, at)
        if not match:
            sys.exit(f'no "{pattern}" in what follows:\n{text[at:]}')
        at = match.end()


def only_line(text, pattern):
    """One clear line, and nothing else."""
    if len(text.splitlines()) != 1 or not re.search(pattern, text):
        sys.exit(f'not the one line "{pattern}":\n{text}')


HEADER = r'workgroup \d+,\d+,\d+  wave \d+  lane 0  \d+ active lanes  1 of \d+ waves, \d+ resident, \d+ stopped'


def samples():
    """Each sample is stopped at its entry, stepped by line, and finishes right, compiled in both ways."""
    for name, first in (('saxpy', 11), ('reduce', 13), ('nan', 20)):
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
    # A file that no shader was made from stays pending, and hinders nothing.
    text = debug([sample('saxpy')], 'break other.comp:3', 'run')
    expect(text, r'pending', r'1000 of 1000 right', r'exited with code 0')


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
    expect(text, r'^\$v\d+\[5\] = ', r'^\$v\d+\[5\] = 12345', r'^saxpy: 999 of 1000 right', r'exited with code 1')


def bad_input():
    only_line(hdb('run', '--gpu', 'nvidia', '--', 'true', code=2), r'--gpu nvidia: it is virtual or amdgpu')
    only_line(hdb('run', '--compile', 'fast', '--', 'true', code=2), r'--compile fast: it is debug or optimized')
    only_line(hdb('run', '--frobnicate', '--', 'true', code=2), r'no option --frobnicate')
    only_line(hdb('run', '-ex', code=2), r'-ex wants a value')
    only_line(hdb('run', code=2), r'run what\?')
    only_line(hdb('frob', code=2), r'no command "frob"')
    only_line(hdb('run', '--', './no/such/program', code=127), r"can't run \./no/such/program: No such file")
    only_line(hdb('run', '--', 'no-such-program', code=127), r"can't run no-such-program: No such file")
    only_line(hdb('run', '--batch', '-x', '/no/such/script', '--', 'true', code=1), r"can't read /no/such/script")
    only_line(hdb('attach', '/no/such/socket', code=1), r"can't connect to /no/such/socket")
    for command, complaint in (
            ('frobnicate', r'no command "frobnicate"'), ('step', r'the program is not being run'),
            ('break saxpy.comp:x', r'"x" is no line number'), ('break *main', r'"main" is no address'),
            ('delete 7', r'no breakpoint 7'), ('info everything', r'info breakpoints, dispatches'),
            ('run fast', r'run takes no arguments'), ('help nothing', r'no command "nothing"')):
        only_line(debug(['true'], command, code=1), complaint)
    for command, complaint in (
            ('wave 99', r'hdb: .*99'), ('lane 64', r'"64" is no lane'), ('print $q3', r'hdb: .*q3'), ('print $v999', r'hdb: '),
            ('set $v3[99]=1', r'hdb: '), ('set $exec', r'set what to what'), ('x/0xw 0', r'0 elements'),
            ('x 0x10', r'hdb: .*'), ('list 4000', r'has only \d+ lines'), ('list other.comp:1', r'hdb: .*other'),
            ('step many', r'"many" is no count'), ('workgroup 1', r'"1" is no workgroup'),
            ('info line other.comp:1', r'hdb: .*other')):
        text = debug([sample('saxpy')], 'catch 0', 'run', command, code=1)
        only_line(text[text.index(' stopped\n') + len(' stopped\n'):], complaint)


def exit_codes():
    expect(debug(['sh', '-c', 'exit 7'], 'run', code=7), r'exited with code 7; it created no Vulkan device')
    expect(debug(['sh', '-c', 'kill -TERM $$'], 'run', code=143), r'killed by signal 15')
    # A program that is still stopped when the commands end is ended with hdb.
    expect(debug([sample('saxpy')], 'catch 0', 'run'), HEADER)


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


def main():
    driver = os.environ.get('HDB_TEST_DRIVER')
    if not driver:
        print('skipped: no driver: HDB_TEST_DRIVER is not set')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        manifest = os.path.join(work, 'icd.json')
        with open(manifest, 'w') as file:
            json.dump({'file_format_version': '1.0.0', 'ICD': {'library_path': driver, 'api_version': '1.4.305'}}, file)
        os.environ.update({'VK_DRIVER_FILES': manifest, 'XDG_RUNTIME_DIR': work})
        cases = (samples, breakpoints, edits, bad_input, exit_codes, scripts)
        {case.__name__: case for case in cases}[sys.argv[1]]()


main()
