#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Conditions, counts, log lines and watchpoints at the prompt:  test_breakpoints.py CASE. saxpy: 1000 elements in 16 waves
of 64 lanes; x[i] = i, y[i] = 0.5, a = 2; lane 999 - 15 * 64 = 39 of the last wave has the last element."""
import os
import re
import subprocess
import sys
import tempfile

from harness import check, expect, on_driver, run_case, typed

HDB = os.environ['HDB']
SAXPY = os.path.join(os.environ['HDB_SAMPLES'], 'saxpy')
SHADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'variables')
BINARIES = os.environ['HDB_CLI_SHADERS']
CLAUSE = [os.environ.get('HDB_GLSL', ''), SHADERS, BINARIES, 'clause']
PRINTS = [os.environ.get('HDB_GLSL', ''), SHADERS, BINARIES, 'prints']
# A card of silicon does not tell where a load was from that has overwritten its address.
LATE = r'^\(which of the lanes is not known: .*\n\(the card reports this late: it may have been one before\)$'
BARRIERS = os.path.join(os.environ['HDB_SAMPLES'], 'reduce')


def debug(*commands, program=SAXPY, code=0, options=()):
    done = subprocess.run([HDB, 'run', '--gpu', 'virtual', '--batch', '--echo', *options, *typed(*commands), '--',
                           *([program] if isinstance(program, str) else program)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    check(done.returncode == code, f'exit code {code} (it is {done.returncode})', done.stdout)
    return done.stdout


def stops(text):
    return len(re.findall(r'^workgroup ', text, re.MULTILINE))


def conditions():
    """One lane of one wave; the others are not held up, in both ways to compile."""
    for mode in ('debug', 'optimized'):
        text = debug('break saxpy.comp:15 if gl_GlobalInvocationID.x == 77', 'run', 'print gl_GlobalInvocationID.x',
                     'info breakpoints', 'delete 1', 'continue', options=['--compile', mode])
        expect(text, r'^Breakpoint 1, saxpy at saxpy\.comp:15', r'^workgroup 1,0,0  wave \d+  lane 13  ', r'^\$1 = 77$',
               r'^        stop only if gl_GlobalInvocationID\.x == 77\n        breakpoint already hit 1 time$',
               r'1000 of 1000 right')
        check(stops(text) == 1, 'one stop', text)
    text = debug('break saxpy.comp:15 if y[i] > 1', 'run')
    check(stops(text) == 0 and '1000 of 1000 right' in text, 'no stop', text)
    text = debug('break saxpy.comp:15', 'run', 'condition 1 product == 77 * 2', 'info breakpoints', 'condition 1',
                 'info breakpoints', 'condition 2 x', code=1)
    expect(text, r'stop only if product == 77 \* 2', r'Breakpoint 1 now unconditional\.',
           r'bound to.*\n        breakpoint already hit \d+ times?\n\(hdb\) condition 2', r'^hdb: no breakpoint 2')
    text = debug('break saxpy.comp:15 if nosuch', 'run')
    expect(text, r'^Breakpoint 1: error in the condition: no "nosuch" in this scope \(column 1\), saxpy at')
    text = debug('break saxpy.comp:15 if vec2(i) > 1', 'run')
    expect(text, r'^Breakpoint 1: error in the condition: ')


def clauses():
    """An instruction inside a clause is a place like any other: its line, its frames, and what comes before it is done."""
    for mode in ('debug', 'optimized'):
        text = debug('break clause.comp:9 if q == 14', 'run', 'bt', 'print q', 'print results.result[2]', 'delete', 'continue',
                     options=['--compile', mode], program=CLAUSE)
        expect(text, r'^Breakpoint 1, .* at clause\.comp:9\n9\t.*\n.*  lane 2  4 active lanes  ',
               r'^#0  put \(i=2, q=14\)  at clause\.comp:9\n#1  main \(\)  at clause\.comp:16$', r'^\$1 = 14$', r'^\$2 = 6$',
               r'^1 right')
        check(stops(text) == 1, 'one stop', text)
    text = debug('dprintf clause.comp:9,"%u: %u\\n",i,q', 'break clause.comp:15', 'run', 'disassemble', 'delete 2', 'continue',
                 options=['--compile', 'optimized'], program=CLAUSE)
    expect(text, r'^ +0x\w+ +s_clause 0x1  .*\n.* buffer_store_b32 .* clause\.comp:15\n.* buffer_store_b32 .* clause\.comp:9$',
           r'^0: 0\n1: 7\n2: 14\n3: 21$', r'^1 right')
    pc = re.search(r'^ +(0x\w+) +buffer_store_b32 .* clause\.comp:9$', text, re.MULTILINE)[1]
    text = debug('break clause.comp:15', 'run', f'break *{pc}', 'delete 1', 'continue', 'print $pc', 'disassemble', 'delete',
                 'stepi', 'continue', options=['--compile', 'optimized'], program=CLAUSE)
    expect(text, r'^Breakpoint 2, .* at clause\.comp:9$', rf'^\$1 = {pc}$', r'^ +0x\w+ +s_clause 0x1 ', rf'^=> {pc}  buffer_store',
           r'^Step, ', r'^1 right')


def steps():
    """A step over a breakpoint whose condition is false is a step; into a barrier, others pass theirs on the way."""
    text = debug('break saxpy.comp:12 if i == 0', 'break saxpy.comp:15 if i == 3000', 'run', 'next', 'next',
                 'info breakpoints')
    expect(text, r'^Step, saxpy at saxpy\.comp:15', r'^Step, saxpy at saxpy\.comp:16')
    text = debug('catch 0', 'break reduce.comp:21 if gl_LocalInvocationID.x > 5000', 'run', *['next'] * 12,
                 program=BARRIERS)
    check(text.count('\nStep, ') == 12, 'twelve steps', text)


def counts():
    text = debug('break saxpy.comp:15', 'ignore 1 14', 'info breakpoints', 'run', 'info breakpoints', 'continue')
    expect(text, r'^Will ignore next 14 crossings of breakpoint 1\.', r'^        ignore next 14 hits',
           r'^Breakpoint 1, saxpy at', r'^        breakpoint already hit 1[56] times', r'1000 of 1000 right')
    text = debug('tbreak saxpy.comp:16', 'run', 'info breakpoints', 'continue')
    expect(text, r'^Temporary breakpoint 1, saxpy at saxpy\.comp:16', r'^no breakpoints', r'1000 of 1000 right')
    check(stops(text) == 1, 'one stop', text)
    text = debug('break saxpy.comp:15', 'break saxpy.comp:16', 'disable 1', 'info breakpoints', 'run', 'enable', 'disable 2',
                 'info breakpoints', 'delete 1 2', 'info breakpoints', 'continue')
    expect(text, r'^1 .*disabled$', r'^Breakpoint 2, saxpy at saxpy\.comp:16', r'^1 .*bound to', r'^2 .*disabled$',
           r'^no breakpoints', r'1000 of 1000 right')
    # Disabled all along, it is not missed at the end.
    debug('break other.comp:3', 'disable 1', 'run')


def lines():
    """In the order of the waves' coming; a line for each lane, or one where all say the same."""
    text = debug('dprintf saxpy.comp:16,"i=%u: %.1f (%s)\\n",i,product + y[i],gl_WorkGroupID', 'condition 1 i % 64 == 63',
                 'run', 'info breakpoints')
    found = sorted(int(i) for i in re.findall(r'^i=(\d+): \d+\.5 \(\(\d+, 0, 0\)\)$', text, re.MULTILINE))
    check(found == list(range(63, 1000, 64)), 'a line of each full wave', text)
    expect(text, r'^i=63: 126\.5 \(\(0, 0, 0\)\)$')
    expect(text, r'1000 of 1000 right', r'^        breakpoint already hit 15 times\n        printf "i=')
    text = debug('dprintf saxpy.comp:16,"here\\n"', 'run')
    check(len(re.findall(r'^here$', text, re.MULTILINE)) == 16 and stops(text) == 0, 'a line of each wave', text)
    for wrong, why in (('saxpy.comp:15', 'a format expected'), ('saxpy.comp:15,i', 'a format in "quotes" expected'),
                       ('main,"x"', 'a line or an address expected'), ('saxpy.comp:15,"x', 'a format in "quotes"')):
        expect(debug(f'dprintf {wrong}', code=1), rf'^hdb: {why}')
    for wrong, why in (('"%d"', 'more conversions in the format than arguments'), ('"%d",i,i', 'more arguments than'),
                       ('"%q",i', 'a % that begins no conversion'), ('"%"', 'a % that begins no conversion')):
        text = debug(f'dprintf saxpy.comp:16,{wrong}', 'run', code=1)
        expect(text, rf'^hdb: {why}')
        check('right' not in text, 'the program has run', text)


def watches():
    """The lane that stores y[77], and no other; old and new value as the program's arithmetic has them."""
    for mode in ('debug', 'optimized'):
        text = debug('catch 0', 'run', 'watch {float}&Y.y[77]', 'info watchpoints', 'continue', 'info watchpoints',
                     'continue', options=['--compile', mode])
        expect(text, r'^Hardware watchpoint 2: watches 4 bytes at 0x\w+134$', r'^2    write of \{float\}&Y\.y\[77\]',
               r'^Hardware watchpoint 2: \{float\}&Y\.y\[77\]\n\nOld value = 0\.5\nNew value = 154\.5\n'
               r'write by buffer_store_b32 .* at saxpy\.comp:16\n', r'^workgroup 1,0,0  wave \d+  lane 13  ',
               r'already hit 1 time$', r'1000 of 1000 right')
        check(stops(text) == 2, 'the entry and one stop', text)
    for address in ('0xfffffffffffffffe', '0x7000'):
        text = debug('catch 0', 'run', f'watch *(uint *){address}', 'info watchpoints', code=1)
        expect(text, rf"^hdb: \*\(uint \*\){address} can't be watched: no memory is mapped at {address}$")
        check('dataId' not in text, 'words of the protocol', text)
    text = debug('break saxpy.comp:11', 'run', 'rwatch x[5]', 'delete 1', 'continue', 'continue')
    expect(text, r'^Hardware read watchpoint 2: x\[5\]\n\nValue = 5\nread by buffer_load_b32 .* at saxpy\.comp:15',
           LATE if 'reports this late' in text else r'^workgroup 0,0,0  wave \d+  lane 5  ', r'1000 of 1000 right')
    check(stops(text) == 2, 'the breakpoint and one stop', text)
    text = debug('break saxpy.comp:11', 'run', 'awatch y[999]', 'delete 1', 'continue', 'continue', 'continue')
    expect(text, r'^Hardware access \(read/write\) watchpoint 2: y\[999\]\n\nValue = 0\.5\nread by',
           r'^Hardware access .*\n\nOld value = 0\.5\nNew value = 1998\.5\nwrite by', r'lane 39  40 active',
           r'1000 of 1000 right')
    # What the debugger sets is no change of the program's; a condition; and disabled ones.
    text = debug('break saxpy.comp:15', 'run', 'watch y[3] if y[3] == 7', 'watch y[4]', 'disable 3', 'set var y[3] = 7',
                 'delete 1', 'continue', code=1)
    check(stops(text) == 1 and '999 of 1000 right' in text, 'only the breakpoint', text)
    text = debug('break saxpy.comp:15', 'run', 'watch y[77]', 'set var y[77] = 3', 'delete 1', 'continue', 'continue', code=1)
    expect(text, r'^Old value = 3\nNew value = 157$', r'999 of 1000 right')
    # A breakpoint right behind what is watched: each wave comes by, whatever the watchpoint makes of it.
    text = debug('break saxpy.comp:15', 'run', 'watch y[77]', 'delete 1', 'continue', 'print $pc')
    pc = re.search(r'^\$1 = (0x\w+)$', text, re.MULTILINE)[1]
    text = debug('break saxpy.comp:11', 'run', f'break *{pc}', 'watch {uint[1000]}&y[0] if false', 'delete 1', 'ignore 2 15',
                 'continue', 'info breakpoints', 'delete 2', 'continue')
    expect(text, r'^Breakpoint 2, saxpy at saxpy\.comp:16', r'^2 .*\n        breakpoint already hit 16 times',
           r'1000 of 1000 right')
    # Six at once: more than the card has registers.
    text = debug('break saxpy.comp:15', 'run', *[f'watch y[{n * 150 + 10}]' for n in range(6)], 'delete 1', *['continue'] * 7)
    found = sorted(int(n) for n in re.findall(r'^Hardware watchpoint \d+: y\[(\d+)\]$', text, re.MULTILINE))
    check(found == [n * 150 + 10 for n in range(6)], 'each of the six', text)
    expect(text, r'waves are slowed down by what else lies near it')


def variables():
    """A variable of one lane, until its wave ends."""
    text = debug('break saxpy.comp:11', 'run', 'lane 2', 'watch i', 'delete 1', 'continue', 'continue', 'info watchpoints')
    expect(text, r'^Hardware watchpoint 2: watches i of lane 2 of wave 1$',
           r'^Hardware watchpoint 2: i\n\nOld value = .*\nNew value = 2\nwrite by scratch_store_b32 .* at saxpy\.comp:11\n'
           r'11\t', r'^Stopped, saxpy at saxpy\.comp:12', r'wave 1  lane 2  ',
           r'^Watchpoint 2 deleted because the program has left the block in\nwhich its expression is valid\.$',
           r'^no watchpoints')
    for what, why in (('a', 'this is no object in memory|it is in registers'), ('$s3', 'this is no object in memory'),
                      ('nosuch', 'no "nosuch" in this scope')):
        expect(debug('break saxpy.comp:15', 'run', f'watch {what}', code=1), rf'^hdb: .*can\'t be watched: ({why})')
    expect(debug('watch y[3]', code=1), r'^hdb: the program is not being run')


def prints():
    """debugPrintfEXT, where a debugger is: a line of each lane that comes there, in the program's order."""
    text = debug('run', program=PRINTS)
    expect(text, r'^three: 3 3\.0, 0\.5, 6\.0 1\.500000\n' + ''.join(rf'data {i} 100%\n' for i in range(7, 15)) +
           r'last f8\n1 right')
    check(stops(text) == 0, 'no stop', text)
    text = debug('break prints.comp:14', 'run', 'info breakpoints', 'delete', 'continue', program=PRINTS)
    expect(text, r'^three: ', r'^Breakpoint 1, .* at prints\.comp:14', r'^1    prints\.comp:14', r'^data 7 100%$', r'^last f8$')
    text = debug('catch main', 'run', 'info breakpoints', program=PRINTS)
    expect(text, r'info breakpoints\n1    dispatch main .*\n(        .*\n)*$')


def breaks():
    """The same module with debug breaks in the place of its prints."""
    with tempfile.TemporaryDirectory() as work:
        binary = os.path.join(BINARIES, 'prints.comp.spv')
        text = subprocess.run(['spirv-dis', '--raw-id', binary], stdout=subprocess.PIPE, text=True, check=True).stdout
        text = text.replace('NonSemantic.DebugPrintf', 'NonSemantic.DebugBreak')
        import_id = re.search(r'(%\d+) = OpExtInstImport "NonSemantic\.DebugBreak"', text)[1]
        text = re.sub(rf'(OpExtInst %\d+ {import_id} )1 .*', r'\g<1>1', text)
        subprocess.run(['spirv-as', '--target-env', 'spv1.6', '--preserve-numeric-ids', '-o',
                        os.path.join(work, 'prints.comp.spv'), '-'], input=text, text=True, check=True)
        text = debug('run', 'continue', 'continue', 'continue', program=[PRINTS[0], SHADERS, work, 'prints'])
    expect(text, r'^Breakpoint: debug break, .* at prints\.comp:13', r'lane 3  1 active lane ',
           r'^Breakpoint: debug break, .* at prints\.comp:15', r'  8 active lanes',
           r'^Breakpoint: debug break, .* at prints\.comp:17', r'lane 7  1 active lane ', r'^1 right')


with on_driver():
    run_case([conditions, clauses, steps, counts, lines, watches, variables, prints, breaks])
