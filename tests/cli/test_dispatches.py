#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Which dispatches are stopped, and what is said of them:  test_dispatches.py CASE."""
import os
import re
import sys

from harness import expect, on_driver, run_case, typed
from transcript import debug, hdb, same, sample


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
    # How many rays an indirect one has, as workgroups; as many push constants as the program's layout says.
    text = debug_both(run, 'catch 1', 'run', 'info dispatches', 'info resources 1', 'delete', 'continue',
                      options=['--echo'])
    same(listed(text)[1], ('ray tracing', '2x2x1', 'running'), text)
    expect(text, r'^push constants, 20 bytes$')
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


def submitted():
    """What is asked for at a stop, of a dispatch that was submitted along with the one that is stopped."""
    for mode in ('debug', 'optimized'):
        options = ['--compile', mode]
        text = dispatches('twins', 'catch 0', 'workgroup 0,0,0', 'run', 'break twin.comp:10', 'continue', 'continue', 'delete',
                          'continue', options=options)
        expect(text, r'^Entry of dispatch, first', r'^Breakpoint 2, first at twin\.comp:8',
               r'^Breakpoint 2, second at twin\.comp:10', r'sum 1240')
        text = dispatches('twins', 'catch 0', 'run', 'catch 1', 'continue', 'continue', options=options)
        expect(text, r'^Breakpoint 2: attaches to dispatch 1$', r'^Entry of dispatch, second', r'^dispatch 1 \(second\) finished$')
        text = dispatches('twins', 'catch 0', 'run', 'watch v[6]', 'continue', 'continue', 'continue', options=options)
        expect(text, r'^Old value = 0\nNew value = 1\n(?:.*\n)*?Stopped, first at',
               r'^Old value = 1\nNew value = 2\n(?:.*\n)*?Stopped, second at')
    text = dispatches('twins', 'break twin.comp:8', 'run', 'catch 0', 'delete 1', 'continue')
    expect(text, r'^dispatch 0 \(first\) has begun already: it does not stop at its entry$')
    same('never met' in text, False, text)


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


def unmet():
    """A script that meant to stop somewhere, and never did, has failed."""
    text = dispatches('base', 'break none.comp:3', 'catch none', 'break *0x1000', 'run', code=1)
    expect(text, r'exited with code 0', r'^hdb: breakpoint 1 at none\.comp:3 was never met: no shader with this file',
           r'^hdb: breakpoint 2 at dispatch none was never met: no such dispatch',
           r'^hdb: breakpoint 3 at 0x1000 was never met: no shader with this address')
    dispatches('base', 'catch 0', 'run', 'delete', 'catch none', 'continue', code=1)
    dispatches('base', 'catch 0', 'break none.comp:3', 'run', 'delete', 'continue')


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


def counted():
    """Descriptors of a variable count: as many as the set was allocated with, of a thousand that the layout allows."""
    text = debug_both(program('descriptors', 'bindless, updated after bind'), 'break bindless.comp:13', 'run', 'delete',
                      'print words.length()', 'print words[1].word', 'print words[499].word', 'print words[500].word',
                      'info resources', 'continue', options=['--echo'])
    expect(text, r'^\$1 = 500$', r'^\$2 = 8505$', r'^\$3 = 8488$',
           r'^\$4 = <out of range: binding 0 of set 0 has 500 descriptors>$', r'^set 0 binding 0\[499\]  words$')


with on_driver():
    run_case((indirect, empty, reused, base, twins, lost, many, unmet, secondary, internal, rays, generated, lanes, submitted, counted))
