#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Whether lavapipe agrees with the virtual GPU on what variables are:  opinion.py GLSL SOURCES BINARIES NAME...

Floats may differ by what contraction and the precision of functions allow. Shaders whose values depend on the subgroup's
size, on the order of atomics, or on addresses are left out by the caller."""
import os
import struct
import sys
import tempfile

import harness
from truth import Truth, instrument, trace

FLOATS = {'f16': '<e', 'f32': '<f', 'f64': '<d'}
SIZES = {'f16': '<H', 'f32': '<I', 'f64': '<Q'}


def number(scalar, bits):
    return struct.unpack(FLOATS[scalar], struct.pack(SIZES[scalar], bits))[0]


def close(scalar, a, b):
    if a == b:
        return True
    if scalar not in FLOATS:
        return False
    x, y = number(scalar, a), number(scalar, b)
    if x != x and y != y:
        return True
    return abs(x - y) <= 1e-3 * max(abs(x), abs(y)) + 1e-6


def main():
    glsl, sources, binaries, *names = sys.argv[1:]
    different = compared = 0
    lavapipe = os.environ['LAVAPIPE']
    if not os.path.exists(lavapipe):
        harness.skip('no lavapipe')
    with harness.on_driver(), tempfile.TemporaryDirectory() as work:
        for name in names:
            points = instrument(work, sources, binaries, name)
            source = os.path.join(sources, f'{name}.comp')
            ours = Truth(points, trace(work, glsl, 'optimized', '64', sources, name), source)
            theirs = Truth(points, trace(work, glsl, 'optimized', None, sources, name, {'VK_DRIVER_FILES': lavapipe}), source)
            for lane in ours.lanes:
                same = len(ours.records[lane]) == len(theirs.records[lane])
                for a, b in zip(ours.records[lane], theirs.records[lane]):
                    same = same and a.offset == b.offset
                    for variable, values in a.values.items():
                        scalars = [scalar for _, scalar in ours.by_name[variable]['leaves']]
                        for scalar, x, y in zip(scalars, values, b.values.get(variable, [])):
                            compared += 1
                            if not close(scalar, x, y):
                                print(f'{name}: lane {lane}, SPIR-V offset {a.offset}: {variable}: {x:#x}, not {y:#x}')
                                same = False
                    if not same:
                        break
                different += not same
    print(f'{compared} values compared')
    harness.check(compared and not different, 'lavapipe agrees')


main()
