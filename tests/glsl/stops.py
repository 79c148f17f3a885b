#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Steps through shaders compiled for debugging and breaks at their lines:  stops.py WAVE_SIZE GLSL SOURCES BINARIES
NAME...

A shader may say in its first lines (README.md) which lines lane 0 executes in which order, and which lines have code.
Then a step must stop at each in that order, a breakpoint at each of them and at no other. Whatever is stepped through,
the results are right."""
import os
import sys

import dap
import harness

SOME = 40  # steps through shaders that say nothing of them


def directive(path, word):
    """The numbers behind `//! word`; None if there is no such line."""
    with open(path) as file:
        lines = [line.split()[2:] for line in file if line.startswith(f'//! {word} ')]
    return [int(number) for line in lines for number in line] if lines else None


def line_of(session, stop):
    return session.request('stackTrace', threadId=stop['threadId'])['stackFrames'][0]['line']


def at_entry(program):
    session = dap.Session(program)
    session.catch('0')
    session.go()
    return session, session.stopped()


def finish(session, name):
    code, output = session.finish()
    harness.check(code == 0 and '1 right, 0 wrong' in output, f'{name} is not right after stops', output)


def take_steps(program, count):
    """The session and the lines of up to `count` steps of the first wave, which is then let go."""
    session, stop = at_entry(program)
    wave = stop['threadId']
    steps = []
    try:
        while stop['threadId'] == wave and len(steps) < count:
            steps.append(line_of(session, stop))
            stop = session.step(stop)
        session.catch()
        session.resume('continue', stop)
    except dap.Ended:
        pass
    return session, steps


def check_steps(program, name, expected):
    session, steps = take_steps(program, len(expected) + 1)
    finish(session, name)
    if steps != expected:
        at = next((i for i, (is_, should) in enumerate(zip(steps, expected)) if is_ != should), len(steps))
        print(f'{name}: step {at}: {steps[at:at + 8]}, expected {expected[at:at + 8]}')
    return steps == expected


def check_breakpoints(program, path, name, expected, executed):
    """Each line that has code takes a breakpoint, and those that lane 0 executes are hit, the first at the entry."""
    file = f'{name}.comp'
    session, stop = at_entry(program)
    with open(path) as source:
        count = len(source.readlines())
    own = [line for line in range(1, count + 1)
           for point in session.break_at(file, line) if point['verified'] and point.get('line') == line]
    if own != expected:
        session.kill()
        print(f'{name}: lines with code: {own}, expected {expected}')
        return False
    session.break_at(file, *own)
    hit = {line_of(session, stop)}
    try:
        while True:
            session.resume('continue', stop)
            stop = session.stopped()
            hit.add(line_of(session, stop))
    except dap.Ended:
        pass
    if not hit >= executed:
        session.kill()
        print(f'{name}: breakpoints hit at {sorted(hit)}, expected {sorted(executed)}')
        return False
    finish(session, name)
    return True


def main():
    wave_size, glsl, sources, binaries, *names = sys.argv[1:]
    right = stepped = 0
    with harness.on_driver():
        for name in names:
            path = os.path.join(sources, f'{name}.comp')
            steps = directive(path, 'steps')
            program = [glsl, '--wave', wave_size, sources, binaries, name]
            if steps is None:
                finish(take_steps(program, SOME)[0], name)
                continue
            lines = sorted(directive(path, 'lines') or set(steps))
            stepped += 1
            right += check_steps(program, name, steps) and check_breakpoints(program, path, name, lines, set(steps))
    print(f'{right} of {stepped} shaders stop as they should')
    harness.check(right == stepped >= 25, 'stops')


main()
