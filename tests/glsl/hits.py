#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every hit of every wave is shown, once:  hits.py WAVE_SIZE GLSL SOURCES BINARIES

Half of the waves of waves_apart come to one line, half to another, and all to a third one behind a barrier. A stop at a
breakpoint is that of all waves that stand there then."""
import os
import sys

import dap
import harness

FILE = 'waves_apart.comp'
WAVES_OF_64 = 48


def find_lines(sources):
    with open(os.path.join(sources, FILE)) as file:
        lines = list(file)
    return [1 + next(i for i, line in enumerate(lines) if text in line) for text in ('= 3;', '= 5;', 'r[gl_')]


class Count:
    """The hits of each line; a wave comes to each once."""

    def __init__(self, session):
        self.session, self.hits = session, {}

    def take(self, stop):
        if stop['reason'] != 'breakpoint':
            return
        line = stop['hdb']['line']
        waves = self.session.request('hdb/waves')['waves']
        here = {wave['id'] for wave in waves
                if wave['state'] == 'stopped' and wave['cause'] in ('breakpoint', 'step') and wave['line'] == line}
        harness.check(stop['threadId'] in here, f'the wave of the stop is not at line {line}')
        harness.check(not here & self.hits.get(line, set()), f'a hit of line {line} is shown twice', str(here))
        self.hits.setdefault(line, set()).update(here)

    def by_line(self):
        return {line: len(waves) for line, waves in self.hits.items()}


def run(program, lines, act):
    """The hits of these lines. `act` does something at the first stop, and gives the last one that it has made."""
    session = dap.Session(program)
    count = Count(session)
    session.break_at(FILE, *lines)
    session.go()
    try:
        stop = session.stopped()
        count.take(stop)
        stop = act(session, stop, count)
        while True:
            session.resume('continue', stop)
            stop = session.stopped()
            count.take(stop)
    except dap.Ended:
        pass
    code, output = session.finish()
    harness.check(code == 0 and '1 right, 0 wrong' in output, 'not right after stops', output)
    return count.by_line()


def no_more(_session, stop, _count):
    return stop


def step_over_barrier(session, stop, count):
    """The barrier waits for waves whose hits are pending: these are shown instead of the end of the step."""
    first, line = stop['threadId'], stop['hdb']['line']
    for _ in range(20):
        stop = session.step(stop)
        count.take(stop)
        if stop['threadId'] != first:
            harness.check(stop['reason'] == 'breakpoint' and stop['hdb']['line'] != line, 'not the other branch', str(stop))
            return stop
    sys.exit('no step has come to the barrier')


def main():
    wave_size, glsl, sources, binaries = sys.argv[1:]
    program = [glsl, '--wave', wave_size, sources, binaries, 'waves_apart']
    waves = WAVES_OF_64 * 64 // int(wave_size)
    one, other, last = find_lines(sources)
    expected = {one: waves // 2, other: waves // 2, last: waves}
    with harness.on_driver():
        for case, act in (('continued', no_more), ('stepped', step_over_barrier)):
            hits = run(program, (one, other, last), act)
            harness.check(hits == expected, f'{case}: hits by line {hits}, not {expected}')


main()
