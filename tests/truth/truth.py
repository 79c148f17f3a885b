#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Whether hdb shows the values that variables have:  truth.py MODE WAVE_SIZE GLSL SOURCES BINARIES NAME...

MODE is debug or optimized. A shader that instrument.py has made to write its variables to a buffer says what they are;
the shader itself is stopped at every statement (debug) or at every instruction (optimized) of a wave, and what hdb shows
is compared with that, bit by bit. What is in scope must be right in a debug build; in optimized code it may be
unavailable, but not wrong.
"""
import bisect
import collections
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import dap
import harness

HERE = os.path.dirname(os.path.abspath(__file__))
WIDE = ('u64', 'i64', 'f64', 'pointer')
SAMPLES = os.path.join(HERE, 'samples')
MAX_STOPS = 400

Record = collections.namedtuple('Record', 'offset chain values')


def last_line(lines, declared):
    """Where the block ends in which a line declares something; the line itself is not counted in. What the head of a
    `for` declares is in scope in its body."""
    text = lines[declared - 1]
    if re.search(r'\bfor *\(', text) and not text.rstrip().endswith('{'):
        return declared + 1
    depth = 0
    for number in range(declared, len(lines) + 1):
        code = lines[number - 1].split('//')[0]
        depth += code.count('{') - code.count('}')
        if depth < 0 or (depth == 0 and number > declared and re.search(r'\bfor *\(', text)):
            return number
    return len(lines)


class Truth:
    """What the instrumented shader wrote: by lane, records in order."""

    def __init__(self, points, trace, source):
        with open(points) as file:
            self.description = json.load(file)
        with open(trace, 'rb') as file:
            data = file.read()
        self.words = struct.unpack(f'<{len(data) // 4}I', data)
        self.points = self.description['points']
        self.variables = self.description['variables']
        self.by_name = {variable['name']: variable for variable in self.variables}
        self.lanes = self.description['lanes']
        self.records = {lane: self.read(n) for n, lane in enumerate(self.lanes)}
        with open(source) as file:
            lines = file.read().splitlines()
        for variable in self.variables:
            variable['last'] = last_line(lines, variable['line']) if variable['line'] else len(lines)
        for point in self.points:
            point['in_scope'] = [v for v in point['in_scope'] if point['line'] <= self.variables[v]['last']]
        self.point_of = {point['offset']: point for point in self.points}
        self.offsets = sorted(self.point_of)
        self.blocks = self.description['blocks']
        self.before = {int(block): other for block, other in self.description['before'].items()}
        self.counts = {lane: collections.Counter((r.offset, r.chain) for r in records)
                       for lane, records in self.records.items()}

    def read(self, number):
        at = number * self.description['region']
        end = at + self.description['region'] - 1
        records = []
        while at < end and self.words[at]:
            point, chain, values = self.points[self.words[at] - 1], self.words[at + 1], {}
            at += 2
            for index in point['variables']:
                variable, scalars = self.variables[index], []
                for _, scalar in variable['leaves']:
                    scalars.append(self.words[at] | (self.words[at + 1] << 32 if scalar in WIDE else 0))
                    at += 2 if scalar in WIDE else 1
                values[variable['name']] = scalars
            records.append(Record(point['offset'], chain, values))
        return records if at < end else records[:-1]

    def block_of(self, offset):
        return self.blocks[bisect.bisect_right(self.blocks, offset) - 1]

    def goes_by(self, lane, chain, offset):
        """Whether the lane has passed by a point on one of its ways to where that is decided, or in a pass of a loop that
        others have made: without a branch in the machine code it runs through, and nothing says what is right there."""
        count, block = self.counts[lane][offset, chain], self.block_of(offset)
        if count < max(counts[offset, chain] for counts in self.counts.values()):
            return True
        while block in self.before:
            block = self.before[block]
            n = bisect.bisect_right(self.offsets, block)
            first = self.offsets[n] if n < len(self.offsets) else None
            if first is not None and self.block_of(first) == block and self.counts[lane][first, chain] > count:
                return True
        return False

    def point_at(self, offset):
        """The point whose values hold at an instruction; None where its block has none before it."""
        n = bisect.bisect_right(self.offsets, offset) - 1
        return self.offsets[n] if n >= 0 and self.offsets[n] >= self.block_of(offset) else None


def shown(text):
    """The scalars of a value in hexadecimal, None for one that is not there."""
    values = []
    text = re.sub(r'[\w\]\[.]+ = ', '', text)
    for token in re.findall(r'<[^>]*>|0x[0-9a-f]+|\btrue\b|\bfalse\b|(?<![\w.])-?\d+(?![\w.])', text):
        if token.startswith('<repeats'):
            values += [values[-1]] * (int(token.split()[1]) - 1)
        elif token.startswith('<'):
            values.append(None)
        else:
            values.append({'true': 1, 'false': 0}.get(token) if token in ('true', 'false') else int(token, 0))
    return values


class Score:
    def __init__(self):
        self.right = self.unavailable = self.wrong = self.weak = self.live = self.live_right = 0
        self.complaints = []
        self.missing = collections.Counter()

    def __str__(self):
        text = f'{self.right} right, {self.unavailable} unavailable, {self.wrong} wrong'
        return text + (f'; of {self.live} live {self.live_right} right' if self.live else '')

    def complain(self, text):
        self.wrong += 1
        if len(self.complaints) < 5:
            self.complaints.append(text)


class Run:
    def __init__(self, mode, wave_size, truth, program):
        self.mode, self.wave_size, self.truth = mode, wave_size, truth
        self.session = dap.Session(program, env={'VK_HDB_COMPILE': mode})
        self.score = Score()
        self.next = {lane: 0 for lane in truth.lanes}
        self.visits = collections.Counter()
        self.pending = []

    def pads(self, stop):
        listing = self.session.request('disassemble', memoryReference=stop['hdb']['pc'], instructionOffset=0,
                                       instructionCount=20000)['instructions']
        return [i['address'] for i in listing if re.match(r's_nop (13|0xd|0x000d)$', i['instruction'])]

    def evaluate(self, stop, lane, name):
        self.session.request('hdb/setLane', threadId=stop['threadId'], lane=lane)
        try:
            return self.session.request('evaluate', expression=f'/x {name}', context='watch',
                                        threadId=stop['threadId'])['result']
        except RuntimeError as error:
            return f'<{error}>'

    def compare(self, stop, lane, name, expected, where):
        """One variable in one lane; `expected` is a list of the values that it may have."""
        variable = self.truth.by_name[name]
        if variable['whole']:
            text = self.evaluate(stop, lane, name)
            got = shown(text)
        else:
            got, texts = [], []
            for path, _ in variable['leaves']:
                texts.append(self.evaluate(stop, lane, self.spell(name, path)))
                got += shown(texts[-1])
            text = ', '.join(texts)
        if got == [None] * len(got) and got:
            self.score.unavailable += 1
            self.score.missing[f'{name}: {text}'] += 1
        elif len(got) != len(variable['leaves']):
            self.score.complain(f'{where}: lane {lane}: {name} is shown as {text}')
        elif any(all(g is None or g == e for g, e in zip(got, values)) for values in expected):
            if None in got:
                self.score.unavailable += 1
            elif len(expected) > 1:
                self.score.weak += 1
            self.score.right += None not in got
        else:
            right = [' '.join(f'{word:#x}' for word in values) for values in expected[:3]]
            self.score.complain(f'{where}: lane {lane}: {name} is shown as {text}, but is {" or ".join(right)}')

    @staticmethod
    def spell(name, path):
        return name + path  # members are numbered in paths of variables that are whole only

    def chain(self, stop):
        """Of calls, as the instrumented shader counts it."""
        chain = 0
        for frame in reversed(self.session.request('stackTrace', threadId=stop['threadId'])['stackFrames'][1:]):
            chain = (chain * 31 + frame.get('spirvOffset', 0)) & 0xffffffff
        return chain

    def check_debug(self, stop):
        offset = stop['hdb'].get('spirvOffset', 0)
        point, chain = self.truth.point_of.get(offset), self.chain(stop)
        where = f'line {stop["hdb"]["line"]}, SPIR-V offset {offset}'
        for lane in self.lanes(stop):
            records = self.truth.records[lane]
            while self.next[lane] < len(records) and records[self.next[lane]][:2] != (offset, chain):
                self.next[lane] += 1
            if point is None or self.next[lane] == len(records):
                self.score.complain(f'{where}: lane {lane} does not come here')
                continue
            values = records[self.next[lane]].values
            self.next[lane] += 1
            for index in point['in_scope']:
                name = self.truth.variables[index]['name']
                self.compare(stop, lane, name, [values[name]], where)

    def check_optimized(self, stop):
        place = stop['hdb'].get('spirvOffset', 0)
        offset = self.truth.point_at(place)
        if offset is None:
            return
        chain = self.chain(stop)
        where = f'pc {stop["hdb"]["pc"]} ({stop["hdb"]["instruction"]}), line {stop["hdb"]["line"]}'
        for lane in self.lanes(stop):
            records = [r.values for r in self.truth.records[lane] if r[:2] == (offset, chain)]
            if not records or self.truth.goes_by(lane, chain, offset):
                continue
            for index in self.truth.point_of[offset]['in_scope']:
                variable = self.truth.variables[index]
                name, right = variable['name'], self.score.right
                self.compare(stop, lane, name, [values[name] for values in records], where)
                if any(low <= place < high for low, high in variable['live']):
                    self.score.live += 1
                    self.score.live_right += self.score.right - right

    def lanes(self, stop):
        mask = int(stop['hdb']['exec'], 16)
        return [lane for lane in self.truth.lanes if lane < self.wave_size and mask >> lane & 1]

    def of_first_wave(self, stop):
        """One stop stands for all waves that are at its breakpoint: the first one's stop, if it is among them."""
        if stop['hdb'].get('index') == 0:
            return stop
        for wave in self.session.request('hdb/waves')['waves']:
            if wave.get('index') == 0 and wave['cause'] == 'breakpoint' and wave['pc'] == stop['hdb']['pc']:
                return {'threadId': wave['id'], 'hdb': dict(stop['hdb'], exec=wave['exec'])}
        return None

    def run_debug(self):
        session = self.session
        session.catch('0')
        session.request('hdb/setFilter', workgroup=[0, 0, 0])
        session.go()
        stop = session.stopped()
        session.request('setInstructionBreakpoints',
                        breakpoints=[{'instructionReference': pad} for pad in self.pads(stop)])
        stops = 0
        while stops < MAX_STOPS:
            session.resume('continue', stop)
            stop = session.stopped()
            mine = self.of_first_wave(stop)
            if mine:
                self.check_debug(mine)
            stops += 1
        session.request('setInstructionBreakpoints', breakpoints=[])
        session.catch()
        session.resume('continue', stop)

    def run_optimized(self):
        session = self.session
        session.catch('0')
        session.request('hdb/setFilter', workgroup=[0, 0, 0])
        session.go()
        stop = session.stopped()
        wave, stops = stop['threadId'], 0
        while stops < MAX_STOPS and stop['threadId'] == wave:
            self.check_optimized(stop)
            stop = session.step(stop, granularity='instruction')
            stops += 1
        session.catch()
        session.resume('continue', stop)

    def run(self):
        try:
            self.run_debug() if self.mode == 'debug' else self.run_optimized()
        except dap.Ended:
            pass
        code, output = self.session.finish(timeout=120)
        if code != 0 or '1 right, 0 wrong' not in output:
            self.score.complain(f'the result is wrong:\n{output}')
        return self.score


def rebindings(sources, name):
    """What a sample's bindings are here: lines `//= rebind FROM TO`."""
    with open(os.path.join(sources, f'{name}.comp')) as file:
        return [word for line in file if line.startswith('//= rebind ') for word in line.split()[2:]]


def instrument(work, sources, binaries, name):
    for folder in ('subject', 'traced'):
        os.makedirs(os.path.join(work, folder), exist_ok=True)
    points = os.path.join(work, f'{name}.json')
    module = f'{name}.comp.spv'
    subprocess.run([sys.executable, os.path.join(HERE, 'instrument.py'), os.path.join(binaries, module),
                    os.path.join(work, 'subject', module), os.path.join(work, 'traced', module), points, *rebindings(sources, name)], check=True)
    return points


def trace(work, glsl, mode, wave_size, sources, name, environment=None):
    output = os.path.join(work, f'{name}.trace')
    options = ['--wave', wave_size] if wave_size else []
    options += ['--debug'] if mode == 'debug' else []  # which contracts floats otherwise
    done = subprocess.run([glsl, *options, '--trace', output, sources, os.path.join(work, 'traced'), name],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, **(environment or {'HDB_GPU': 'virtual'})))
    harness.check(done.returncode == 0 and os.path.exists(output), f'{name} says what its variables are', done.stdout)
    return output


def main():
    mode, wave_size, glsl, sources, binaries, *names = sys.argv[1:]
    total = Score()
    with harness.on_driver(), tempfile.TemporaryDirectory() as work:
        for name in names:
            points = instrument(work, sources, binaries, name)
            source = os.path.join(HERE, '../../samples' if os.path.samefile(sources, SAMPLES) else sources, f'{name}.comp')
            truth = Truth(points, trace(work, glsl, mode, wave_size, sources, name), source)
            program = [glsl, '--wave', wave_size, sources, os.path.join(work, 'subject'), name]
            score = Run(mode, int(wave_size), truth, program).run()
            print(f'{name}: {score}', flush=True)
            for complaint in score.complaints:
                print(f'   {complaint}')
            for what, count in score.missing.most_common(5 if mode == 'debug' else 0):
                print(f'   {count} times {what}')
            for field in ('right', 'unavailable', 'wrong', 'live', 'live_right'):
                setattr(total, field, getattr(total, field) + getattr(score, field))
    print(f'all: {total}')
    harness.check(total.right and not total.wrong and (mode == 'optimized' or not total.unavailable), 'the truth')


if __name__ == '__main__':
    main()
