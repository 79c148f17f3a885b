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
FLOOD = [os.environ.get('HDB_GLSL', ''), SHADERS, BINARIES, 'flood']
WATCHED = [os.environ.get('HDB_GLSL', ''), SHADERS, BINARIES, 'watched']
WRITERS = [os.environ.get('HDB_GLSL', ''), SHADERS, BINARIES, 'writers']
PRINTS = [os.environ.get('HDB_GLSL', ''), SHADERS, BINARIES, 'prints']
# A card of silicon does not tell where a load was from that has overwritten its address.
LATE = r'^\(which of the lanes is not known: .*\n\(the card reports this late: it may have been one before\)$'
BLUR = os.path.join(os.environ['HDB_SAMPLES'], 'blur')
ALIASES = [os.environ.get('HDB_GLSL', ''), SHADERS, BINARIES, 'aliases']
KINDS = [os.environ.get('HDB_GLSL', ''), SHADERS, BINARIES, 'kinds']
BARRIERS = os.path.join(os.environ['HDB_SAMPLES'], 'reduce')


def debug(*commands, program=SAXPY, code=0, options=()):
    done = subprocess.run([HDB, 'run', '--gpu', 'virtual', '--batch', '--echo', *options, *typed(*commands), '--',
                           *([program] if isinstance(program, str) else program)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    check(done.returncode == code, f'exit code {code} (it is {done.returncode})', done.stdout)
    return done.stdout


def prompt(*commands):
    """As typed: goes on behind what fails."""
    done = subprocess.run([HDB, 'run', '--gpu', 'virtual', '--', SAXPY], input='\n'.join(commands) + '\n',
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
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
    # One that can't be meant is refused when it is given, and the old one stays.
    text = prompt('break saxpy.comp:15 if gl_GlobalInvocationID.x == 77', 'run', 'condition 1 nosuch > 2',
                  'condition 1 product ==', 'condition 1 product = 3', 'info breakpoints', 'break saxpy.comp:16 if nosuch',
                  'condition 1 product == 79 * 2', 'delete 9', 'continue', 'info breakpoints')
    expect(text, r'nosuch > 2: no "nosuch" in this scope \(column 1\)$', r'product ==: a value expected at the end',
           r'product = 3: an assignment', r'^        stop only if gl_GlobalInvocationID\.x == 77\n        .* hit 1 time$',
           r'no "nosuch" in this scope', r'^1000 of 1000|1000 of 1000 right')
    check('saxpy.comp:16' not in text.split('no breakpoint 9')[1], 'no refused breakpoint', text)
    text = debug('break saxpy.comp:15 if i >', 'run', code=1)
    expect(text, r'^hdb: Breakpoint 1 at saxpy\.comp:15: a value expected at the end')
    # Of dispatches it is an expression over their properties.
    expect(debug('catch saxpy* if grid.x > 1', 'run', 'condition 1 grid.x > 99999', 'info breakpoints', 'continue'),
           r'^Entry of dispatch, saxpy at', r'stop only if grid\.x > 99999', r'1000 of 1000 right')
    text = debug('break saxpy if grid.x > 99999', 'run', code=1)
    check(stops(text) == 0, 'no stop', text)
    expect(text, r'^hdb: breakpoint 1 at dispatch saxpy was never met')
    for command in ('catch saxpy* if i > 1', 'break saxpy if i > 1'):
        expect(debug(command, code=1), r'^hdb: i > 1: dispatches have no "i"')
    expect(debug('catch saxpy*', 'ignore 1 2', code=1), r'^hdb: breakpoint 1 is one of dispatches, which are not counted')
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
    text = debug('dprintf saxpy.comp:16,"[%5s|%-6s|%.3s|%zu|%hhd|%100u]\\n",i,i,y[i],i,i,i', 'condition 1 i == 77', 'run')
    expect(text, r'^\[   77\|77    \|0\.5\|77\|77\|' + ' ' * 98 + r'77\]$')
    for wrong, why in (('saxpy.comp:15', 'a format expected'), ('saxpy.comp:15,i', 'a format in "quotes" expected'),
                       ('main,"x"', 'a line or an address expected'), ('saxpy.comp:15,"x', 'a format in "quotes"')):
        expect(debug(f'dprintf {wrong}', code=1), rf'^hdb: {why}')
    for wrong, why in (('"%d"', 'more conversions in the format than arguments'), ('"%d",i,i', 'more arguments than'),
                       ('"%1000d",i', 'a width or precision of more than 999'),
                       ('"%.1000f",x[i]', 'a width or precision of more than 999'),
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
    for program, name, why in ((BLUR, 'source', 'only a descriptor of this sampler2D is in memory'),
                               (BLUR, 'blurred', 'only a descriptor of this image2D is in memory'),
                               (ALIASES, 'numbers', 'only a descriptor of this uimageBuffer is in memory'),
                               (BLUR, 'along', 'it is constant while a shader runs'),
                               (KINDS, 'special', 'it is constant while a shader runs')):
        expect(debug('catch 0', 'run', f'watch {name}', program=program, code=1), rf"^hdb: {name} can't be watched: {why}")
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


# At a watchpoint's stop: what it was (nothing: that is not known), and became by the wave of this workgroup.
WRITTEN = (r'^Hardware watchpoint 2: (?:last|sum)\n\n(?:Old value = (\d+)\n)?(?:New value = (\d+)\n)?'
           r'(?:.*\n)*?workgroup (\d),0,0 ')


def written(*commands, options=()):
    text = debug('break writers.comp:15', 'run', 'delete 1', *commands, program=WRITERS, options=options)
    expect(text, r'1 right, 0 wrong')
    return [tuple(int(n) if n else None for n in stop) for stop in re.findall(WRITTEN, text, re.MULTILINE)], text


def writers():
    """Of a word that four waves write each is shown with what its own instruction has made of it, whatever memory holds
    by the time that somebody looks."""
    for mode in ('debug', 'optimized'):
        found, text = written('watch last', *['continue'] * 5, options=['--compile', mode])
        late = 'reports this late' in text
        check(sorted((group, new) for _, new, group in found) == [(0, 10), (1, 11), (2, 12), (3, 13)], 'each wave', text)
        chain = [0, *[new for _, new, _ in found]]
        check(late or [old for old, _, _ in found] == chain[:-1], 'each begins where the last one ended', text)
        found, text = written('watch last if g == 1', *['continue'] * 2, options=['--compile', mode])
        check([(group, new) for _, new, group in found] == [(1, 11)], 'workgroup 1 alone', text)
        found, text = written('watch last if last == 12', *['continue'] * 2, options=['--compile', mode])
        check([(group, new) for _, new, group in found] == [(2, 12)], 'workgroup 2 alone', text)
        found, text = written('watch sum', *['continue'] * 5, options=['--compile', mode])
        check(sorted(group for _, _, group in found) == [0, 1, 2, 3], 'each wave', text)
        check(all(late if None in (old, new) else new - old == group + 1 for old, new, group in found),
              'what it has added, where that is known', text)
    # What is not known is said, and also that it is something else by now.
    text = written('watch last', *['continue'] * 5)[1]
    expect(text, r'^\((?:it is \d+ now: something else has|other waves have) written it')
    # Both of two that one instruction changes, and a breakpoint in front of which it stands.
    text = debug('break writers.comp:15', 'run', 'delete 1', 'watch each[5]', 'watch each[60]', 'continue', 'print $pc',
                 'info watchpoints', 'continue', program=WRITERS)
    both = (r'^Hardware watchpoint 2: each\[5\]\n\nOld value = 0\nNew value = 5\n(?:.*\n)+?\n'
            r'Hardware watchpoint 3: each\[60\]\n\nOld value = 0\nNew value = 60\n')
    expect(text, both, r'^2 .*\n.*already hit 1 time\n3 .*\n.*already hit 1 time$')
    pc = re.search(r'^\$1 = (0x\w+)$', text, re.MULTILINE)[1]
    text = debug('break writers.comp:15', 'run', 'delete 1', f'break *{pc}', 'watch each[5]', 'workgroup 0,0,0', 'continue',
                 'delete', 'continue', program=WRITERS)
    expect(text, r'^Hardware watchpoint 3: each\[5\]\n\nOld value = 0\nNew value = 5\n(?:.*\n)+?\nBreakpoint 2, writers')
    # A condition that can't be evaluated stops, and says why.
    text = debug('break writers.comp:15', 'run', 'delete 1', 'watch each[5] if nosuch == 1', 'continue', program=WRITERS)
    expect(text, r'^New value = 5\n(?:.*\n)*?error in the condition: no "nosuch" in this scope')


def variables():
    """A variable of one lane, until its wave ends."""
    text = debug('break saxpy.comp:11', 'run', 'lane 2', 'watch i', 'delete 1', 'continue', 'continue', 'info watchpoints')
    expect(text, r'^Hardware watchpoint 2: watches i of lane 2 of wave 1$',
           r'^Hardware watchpoint 2: i\n\nOld value = .*\nNew value = 2\nwrite by scratch_store_b32 .* at saxpy\.comp:11\n'
           r'11\t', r'^Stopped, saxpy at saxpy\.comp:12', r'wave 1  lane 2  ',
           r'^Watchpoint 2 deleted because the program has left the block in\nwhich its expression is valid\.$',
           r'^no watchpoints')
    # Each change is told with what was there before; functions in between have another variable of that name.
    text = debug('break watched.comp:25', 'run', 'lane 1', 'watch total', 'delete 1', *['continue'] * 3, program=WATCHED)
    found = re.findall(r'^Old value = (.*)\nNew value = (.*)\n.* at watched\.comp:13$', text, re.MULTILINE)
    check(found == [('0', '100'), ('100', '200')], 'what lane 1 adds', text)
    expect(text, r'^1 right')
    for what, why in (('a', 'it is constant while a shader runs'), ('$v3 + 1', 'this is no object in memory'),
                      ('nosuch', 'no "nosuch" in this scope')):
        expect(debug('break saxpy.comp:15', 'run', f'watch {what}', code=1), rf'^hdb: .*can\'t be watched: ({why})')
    expect(debug('watch y[3]', code=1), r'^hdb: the program is not being run')


def registers():
    """A register of one wave: the change that stepping by hand finds, in that wave alone."""
    start, count = ['break saxpy.comp:11', 'run', 'delete 1'], 60
    text = debug(*start, *['print $pc', 'print $v0[5]', 'print $v1[5]', 'print $v2[5]', 'stepi'] * count)
    values = re.findall(r'^\$\d+ = (\S+)$', text.split('wave 1 ended')[0], re.MULTILINE)
    steps = [values[i:i + 4] for i in range(0, len(values), 4)]
    changes = [(register, n) for n in range(1, len(steps)) for register in (1, 2, 3)
               if steps[n][register] != steps[n - 1][register]]
    check(changes, 'a register that changes', text)
    register, n = changes[-1]
    name = f'$v{register - 1}[5]'
    before = len([change for change in changes if change[0] == register]) - 1
    text = debug(*start, f'watch {name}', 'info watchpoints', *['continue'] * (before + 1), 'print $pc', 'info waves',
                 'delete', 'continue')
    expect(text, rf'^Watchpoint 2: watches {re.escape(name)} of wave 1, which is stepped while others stand still$',
           rf'^2    write of {re.escape(name)} ',
           rf'^Watchpoint 2: {re.escape(name)}\n\nOld value = {steps[n - 1][register]}\nNew value = {steps[n][register]}\n'
           r'write by .*\n', rf'^\$1 = {steps[n][0]}$', r'1000 of 1000 right')
    check(stops(text) == before + 2, 'the breakpoint and each change', text)
    # A step ends where it has changed; a condition; what the debugger sets is no change; the end of the wave.
    text = debug(*start, 'watch $pc if $v1 != 7', 'next', 'delete', 'continue')
    expect(text, rf'^Old value = .*\nNew value = .*{steps[1][0]}', r'1000 of 1000 right')
    check(stops(text) == 2, 'one step', text)
    text = debug(*start, 'watch $s77', 'watch $s78 if false', 'set var $s77 = 3', 'break saxpy.comp:16 if $s77 != 3', 'continue',
                 'info watchpoints', 'delete', 'continue')
    expect(text, r'^Breakpoint 4, saxpy at saxpy\.comp:16', r'^Watchpoint 2 deleted because the program has left the block in$',
           r'^no watchpoints', r'1000 of 1000 right')
    # Also where no lane is on.
    text = debug('break watched.comp:25', 'run', 'delete 1', *['print $exec', 'stepi'] * 60, 'continue', program=WATCHED)
    masks = re.findall(r'^\$\d+ = (0x\w+)$', text, re.MULTILINE)
    changes = [(old, new) for old, new in zip(masks, masks[1:]) if old != new]
    check(('0xf', '0x0') in changes and ('0x0', '0xf') in changes, 'no lane on, in between', text)
    text = debug('break watched.comp:25', 'run', 'delete 1', 'watch $exec', *['continue'] * len(changes), program=WATCHED)
    check(re.findall(r'^Old value = (.*)\nNew value = (.*)$', text, re.MULTILINE) == changes, f'{changes}', text)
    # Through barriers, up to the end.
    text = debug('break reduce.comp:16', 'run', 'delete 1', 'watch $s77', 'continue', program=BARRIERS)
    check(stops(text) == 1, 'no stop in between', text)
    expect(text, r' right')
    for command in ('rwatch', 'awatch'):
        expect(debug(*start, f'{command} $v1', code=1), r'^hdb: what reads a register can\'t be seen; what changes it can$')


def prints():
    """debugPrintfEXT: a line of each lane that comes there, in the program's order, however it is compiled."""
    for mode in ('debug', 'optimized'):
        text = debug('run', options=['--compile', mode], program=PRINTS)
        expect(text, r'^three: 3 3\.0, 0\.5, 6\.0 1\.500000\n' + ''.join(rf'data {i} 100%\n' for i in range(7, 15)) +
               r'last f8\n1 right')
        check(stops(text) == 0, 'no stop', text)
    text = debug('break prints.comp:15', 'run', 'next', 'delete', 'continue', program=PRINTS)
    expect(text, r'^three: .*\n(.*\n)*?Breakpoint 1, .* at prints\.comp:15\n(.*\n)*\(hdb\) next\n' +
           ''.join(rf'data {i} 100%\n' for i in range(7, 15)) + r'Step, .* at prints\.comp:16\n(.*\n)*last f8\n')
    text = debug('break prints.comp:14', 'run', 'info breakpoints', 'delete', 'continue', program=PRINTS)
    expect(text, r'^three: ', r'^Breakpoint 1, .* at prints\.comp:14', r'^1    prints\.comp:14', r'^data 7 100%$', r'^last f8$')
    text = debug('catch main', 'run', 'info breakpoints', program=PRINTS)
    expect(text, r'info breakpoints\n1    dispatch main .*\n(        .*\n)*$')


def reads():
    """Reads by atomics; and a shader without source lines."""
    text = debug('break writers.comp:15', 'run', 'delete 1', 'rwatch sum', *['continue'] * 5, program=WRITERS)
    found = re.findall(r'^Hardware read watchpoint 2: sum\n\nOld value = (\d+)\nNew value = (\d+)\n(?:\(it is .*\n)?read and write by', text, re.MULTILINE)
    check(len(found) == 4 and sum(int(new) - int(old) for old, new in found) == 10, 'four that add up to 10', text)
    text = debug('catch 0', 'run', 'info resources', program=FLOOD)
    address = re.search(r'0x[0-9a-f]{12,}', text.split('info resources')[1]).group()
    text = debug('catch 0', 'run', f'watch {{uint}}({address} + 20)', 'delete 1', 'continue', 'delete 2', 'continue', program=FLOOD)
    expect(text, r'^Hardware watchpoint 2: .*\n\nOld value = 0\nNew value = 5\n', r'^write by buffer_store_b32 [^@]*?\nStopped, main at 0x',
           r'^1 right')


def flood():
    """What is not shown is counted, also the lines that say so."""
    for _ in range(4):
        text = debug('run', program=FLOOD)
        shown = len(re.findall(r'^line \d+ of \d+, which is', text, re.MULTILINE))
        dropped = [int(n) for n in re.findall(r'^(\d+) (?:lines? of debugPrintf|log lines) w(?:as|ere) dropped', text, re.MULTILINE)]
        check(shown + sum(dropped) == 6400 * 48 and dropped, f'6400 * 48 lines (shown {shown}, dropped {dropped})', text[-2000:])


def rays():
    """Each stage of ray tracing prints, also those that the driver puts into code of its own."""
    shaders = os.path.join(os.path.dirname(SHADERS), '../vulkan/shaders')
    stages = ('rgen', 'rmiss', 'rchit', 'rahit', 'rint', 'rcall')
    with tempfile.TemporaryDirectory() as work:
        for stage in stages:
            with open(os.path.join(shaders, f'trace.{stage}')) as file:
                text = file.read()
            text = text.replace('#version 460\n', '#version 460\n#extension GL_EXT_debug_printf : require\n')
            text = re.sub(r'void main\(\)\s*{', rf'\g<0> debugPrintfEXT("{stage} %v2u", gl_LaunchIDEXT.xy);', text)
            subprocess.run(['glslangValidator', '-V', '-g0', '--target-env', 'vulkan1.3', '--quiet', '--stdin', '-S', stage,
                            f'-I{shaders}', '-o', os.path.join(work, f'trace.{stage}.spv')], input=text, text=True, check=True)
        program = [os.path.join(os.environ['HDB_VULKAN_TESTS'], 'vulkan-rays'), work, 'ray tracing pipeline with a library']
        for mode in ('debug', 'optimized'):
            text = debug('run', options=['--compile', mode], program=program)
            for stage in stages:
                check(re.search(rf'{stage} \d+, \d+$', text, re.MULTILINE), f'{stage} prints', text)
            lines = re.findall(r'rgen (\d+), (\d+)$', text, re.MULTILINE)
            check(len(lines) == 4 * len(set(lines)) == 4 * 256, 'a line of each ray of each of four traces', text)


def debug_breaks(name, *commands):
    """A session with the module that has debug breaks in the place of its prints."""
    with tempfile.TemporaryDirectory() as work:
        binary = os.path.join(BINARIES, f'{name}.comp.spv')
        text = subprocess.run(['spirv-dis', '--raw-id', binary], stdout=subprocess.PIPE, text=True, check=True).stdout
        text = text.replace('NonSemantic.DebugPrintf', 'NonSemantic.DebugBreak')
        import_id = re.search(r'(%\d+) = OpExtInstImport "NonSemantic\.DebugBreak"', text)[1]
        text = re.sub(rf'(OpExtInst %\d+ {import_id} )1 .*', r'\g<1>1', text)
        subprocess.run(['spirv-as', '--target-env', 'spv1.6', '--preserve-numeric-ids', '-o',
                        os.path.join(work, f'{name}.comp.spv'), '-'], input=text, text=True, check=True)
        return debug(*commands, program=[PRINTS[0], SHADERS, work, name])


def breaks():
    """NonSemantic.DebugBreak stops the lanes that come there, also on the line of the condition."""
    expect(debug_breaks('prints', 'run', *['continue'] * 3),
           r'^Breakpoint: debug break, .* at prints\.comp:13', r'lane 3  1 active lane ',
           r'^Breakpoint: debug break, .* at prints\.comp:15', r'  8 active lanes',
           r'^Breakpoint: debug break, .* at prints\.comp:17', r'lane 7  1 active lane ', r'^1 right')
    expect(debug_breaks('oneline', 'break oneline.comp:11', 'run', 'info breakpoints', *['next'] * 3, 'continue'),
           r'^Breakpoint 1, .* at oneline\.comp:11$', r'  8 active lanes', r'bound to 1 place',
           r'^Breakpoint: debug break, .* at oneline\.comp:11$', r'lane 3  1 active lane ',
           r'^Step, .* at oneline\.comp:12$', r'  8 active lanes',
           r'^Breakpoint: debug break, .* at oneline\.comp:12$', r'lane 6  2 active lanes ', r'^1 right')


with on_driver():
    run_case([conditions, clauses, steps, counts, lines, watches, writers, variables, registers, prints, flood, reads, rays, breaks])
