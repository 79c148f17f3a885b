#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Which variables there are, in which frame, and by what name:  test_scopes.py CASE."""
import os
import re
import sys
import tempfile

from harness import on_driver, run_case
from transcript import BINARIES, refusals, replies, session


def frames():
    """A call that is inlined is stepped into, over and out of, and has the variables of its own."""
    session('mandelbrot', ['break mandelbrot.comp:29', 'run', 'delete'], [
        ('step', None),
        ('backtrace', '#0  escape (c=(-1.9765625, -1.4765625))  at mandelbrot.comp:10\n#1  main ()  at mandelbrot.comp:29'),
        ('print c', '$1 = (-1.9765625, -1.4765625)'),
        ('print limit', None),
        ('up', '#1  main ()  at mandelbrot.comp:29\n29\t   iterations[pixel.y * size + pixel.x] = escape(c);'),
        ('print pixel', '$3 = (0, 0)'),
        ('print (vec2(pixel) + 0.5) * step - vec2(2.0, 1.5) == c', '$4 = true'),
        ('down', None),
        ('next', None),
        ('print z', '$5 = (0, 0)'),
        ('finish', None),
        ('backtrace', '#0  main ()  at mandelbrot.comp:29'),
        ('continue', 'mandelbrot: 4096 of 4096 right...'),
    ])


def finish():
    """Out of the frame that is looked at, however deep the wave is."""
    session('nested', ['break nested.comp:10', 'run', 'delete'], [
        ('backtrace', '#0  twice (x=3)  at nested.comp:10\n#1  outer (x=3)  at nested.comp:15\n'
         '#2  main ()  at nested.comp:22'),
        ('finish', 'Step, nested.comp:main at nested.comp:15\n15\t   float a = twice(x) + 1.0;\n'
         'workgroup 0,0,0  wave 1  lane 0  4 active lanes  1 of 1 wave, 1 resident, 1 stopped\n'
         'Value returned is $1 = 6'),
        ('print $ + 1', '$2 = 7'),
        ('backtrace', '#0  outer (x=3)  at nested.comp:15\n#1  main ()  at nested.comp:22'),
    ])
    session('nested', ['break nested.comp:10', 'run', 'delete'], [
        ('up', '#1  outer (x=3)  at nested.comp:15\n15\t   float a = twice(x) + 1.0;'),
        ('finish', None),
        ('backtrace', '#0  main ()  at nested.comp:22'),
        ('next', None),
        ('print sum == $1', '$2 = true'),
        ('print sum', '$3 = 14'),
    ])
    refusals('nested', ['break nested.comp:10', 'run', 'up 2'], [('finish', 'this is the outermost function')])
    setup = ['workgroup 1,0,0', 'break nan.comp:14', 'run', 'delete', 'lane 12']
    formula = 'print d * inversesqrt(length2) * (sqrt(length2) - rest) * stiffness'
    debug, text = replies('nan', [*setup, formula, 'finish', 'print all(lessThan(abs($ - $1), vec2(1e-6)))'])
    returned = re.search(r'^Value returned is \$2 = (.*)$', debug[6], re.MULTILINE)
    if not returned or debug[7] != '$3 = true\n':
        sys.exit(f'it is not said what spring() has returned:\n{text}')
    fast, text = replies('nan', [*setup, 'finish'], options=('--compile', 'optimized'))
    if f'Value returned is $1 = {returned[1]}\n' not in fast[5]:
        sys.exit(f'spring() has returned {returned[1]}:\n{text}')


def names():
    """Without lines, too, a call has its own name and variables, and the shader builtins that it does not use."""
    entered = '#0  add (left=1, right=31)\n#1  main ()\n'
    found, text = replies('names', ['catch 0', 'run', 'lane 1'] + ['stepi', 'backtrace'] * 20)
    if entered not in found or found.index(entered) > 30:
        sys.exit(f'add() is not entered:\n{text}')
    steps = found.index(entered) // 2
    session('names', ['catch 0', 'run', 'lane 1', f'stepi {steps}'], [
        ('info args', 'left = 1\nright = 31'),
        ('info locals', 'total = 0'),
        ('up', '#1  main ()'),
        ('print lane', '$1 = 1'),
        ('info args', 'no arguments'),
        ('down', '#0  add (left=1, right=31)'),
        ('finish', None),
        ('backtrace', '#0  main ()'),
        ('print $', '$3 = 32'),
        ('print gl_NumWorkGroups', '$4 = (1, 1, 1)'),
        ('print gl_SubgroupInvocationID + gl_LocalInvocationID.x', '$5 = 2'),
        ('print/x gl_SubgroupGtMask.x', '$6 = 0xfffffffc'),
    ])


def renamed():
    """Names that can't be written in an expression, as other compilers give them: they go by their ids."""
    with open(os.path.join(BINARIES, 'names.comp.spv'), 'rb') as file:
        module = file.read()
    for old, new in ((b'total\0\0\0', b'left.x\0\0'), (b'right\0\0\0', b'my var\0\0'), (b'sum\0', b'$v0\0')):
        if module.count(old) != 1:
            sys.exit(f'names.comp.spv: {old} {module.count(old)} times')
        module = module.replace(old, new)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'names.comp.spv'), 'wb') as file:
            file.write(module)
        setup = ['catch 0', 'run', 'lane 1']
        found, _ = replies('names', setup + ['stepi', 'info args'] * 20, binaries=folder)
        steps = next(i for i, text in enumerate(found[len(setup):]) if text.startswith('left = ')) // 2
        setup.append(f'stepi {steps + 1}')
        found, _ = replies('names', setup + ['info locals'], binaries=folder)
        total = re.match(r'left\.x \((%\d+)\) = 0\n', found[-1])
        if not total:
            sys.exit(f'info locals: {found[-1]}')
        session('names', setup, [
            ('backtrace', '#0  add (left=1, my var=31)\n#1  main ()'),
            ('info args', 'left = 1\nmy var (%N) = 31'),
            (f'set var {total[1]} = left + 6', ''),
            ('info locals', 'left.x (%N) = 7'),
            (f'print {total[1]} * 2', '$1 = 14'),
            ('up', '#1  main ()'),
            ('info locals', 'lane = 1\n$v0 (%N) = 0'),
        ], binaries=folder)


def layouts():
    session('layouts', ['break layouts.comp:23', 'run'], [
        ('ptype In', 'type = struct In { // 60 bytes in Loose\n   float a[3]; // at 0\n   vec3 v; // at 48\n}\n'
         'struct In { // 24 bytes in Tight\n   float a[3]; // at 0\n   vec3 v; // at 12\n}'),
        ('ptype Own', 'type = struct Own { // 20 bytes outside of blocks\n   vec3 v; // at 0\n   float w[2]; // at 12\n}'),
        ('ptype tight[0]', 'type = struct In { // 24 bytes\n   float a[3]; // at 0\n   vec3 v; // at 12\n}'),
        ('print sizeof(loose[0])', '$1 = 64'),
        ('print sizeof(loose)', '$2 = 128'),
        ('print sizeof(tight[0])', '$3 = 24'),
        ('print sizeof(Own)', '$4 = 20'),
        ('print *loose@2', '$5 = {{a = {0, 4, 8}, v = (12, 13, 14)}, {a = {16, 20, 24}, v = (28, 29, 30)}}'),
        ('print *&loose[0].a[1]@2', '$6 = {4, 8}'),
        ('print first.a[1] == loose[1].a[1]', '$7 = true'),
        ('print sizeof(*w)', '$8 = 64'),
        ('print/f *w@2', '$9 = {{a = 0, b = 1, c = 2}, {a = 16, b = 17, c = 18}}'),
        ('print w[1].a == uint(floatBitsToUint(16.0))', '$10 = true'),
    ])
    refusals('layouts', ['break layouts.comp:23', 'run'], [
        ('print sizeof(In)', 'In has 60 bytes in Loose and 24 in Tight; `ptype In` shows its layouts'),
        ('print {In}&loose[1]', 'In has 60 bytes in Loose and 24 in Tight; `ptype In` shows its layouts'),
    ])


def bindings():
    session('bindings', ['break bindings.comp:19', 'run', 'delete', 'lane 1', 'set print elements 2'], [
        ('print words', '$1 = {{word = {0, 1...}}...}'),
        ('print words.length()', '$2 = 4'),
        ('print words[2].word[0:1]', '$3 = {200, 201}'),
        ('print words[3].word[offset + lane]', '$4 = 306'),
        ('print words[4]', '$5 = <out of range: binding 3 of set 0 has 4 descriptors>'),
        ('print gl_WorkGroupSize', '$6 = (2, 1, 1)'),
        ('print imageLoad(texels, ivec2(lane, 1)).x == texel', '$7 = true'),
        ('print/lanes/x imageLoad(texels, ivec2(lane, 1)).x', '    0  0xf001000           1  0xf001010'),
        ('print texelFetch(colors, ivec2(1, 2), 0) == color', '$8 = true'),
        ('print texelFetch(colors, ivec2(0), 2) * 255', '$9 = (0, 0, 128, 15)'),
        ('print imageSize(texels)', '$10 = (16, 16)'),
        ('print textureSize(colors, 2)', '$11 = (1, 1)'),
        ('whatis imageLoad(texels, ivec2(0))', 'type = uvec4'),
        ('set var words[3].word[6] = 7', ''),
        ('continue', 'bindings: value 1, byte 4 of the result: 7...'),
    ], code=1)
    refusals('bindings', ['break bindings.comp:19', 'run'], [
        ('print imageLoad(texels, ivec2(16, 1))', 'level 0 has 16x16 texels (column 1)'),
        ('print texture(colors, vec2(0))', 'texture(): nothing is filtered here; texelFetch() reads texels (column 1)'),
    ])


def aliases():
    """Two variables of one binding are shown each as it is declared; texels of buffers as shaders load them."""
    setup = ['break aliases.comp:17', 'run', 'delete', 'set print elements 4']
    session('aliases', setup, [
        ('print imageLoad(numbers, 2).x == texel', '$1 = true'),
        ('print imageLoad(numbers, 3)', '$2 = (3, 0, 0, 1)'),
        ('print texelFetch(colors, 0) == color', '$3 = true'),
        ('print numbers[0:3]', '$4 = {4286578739, 1, 2, 3}'),
        ('print colors[0] * 255', '$5 = (51, 0, 128, 255)'),
        ('print imageSize(numbers) + textureSize(colors)', '$6 = 2048'),
        ('whatis numbers[1]', 'type = uint'),
        ('continue', None),
    ])
    found, text = replies('aliases', setup + ['x/4uw numbers', 'info resources'])
    if not re.fullmatch(r'0x[0-9a-f]+:  4286578739 +1 +2 +3 *\n', found[4]):
        sys.exit(f'x: {found[4]}')
    for line in (r'^set 0 binding 3\[1\]  words, pairs\n   buffer of .*\n   words = {word = {100, 101, 102, 103...}}\n'
                 r'   pairs = {pair = {\(100, 101\), \(102, 103\), ', r'^set 0 binding 3\[2\]  words\n.*\n   {word = {200, 201',
                 r'^set 0 binding 4  numbers\n   texel buffer .*\n   {4286578739, 1, 2, 3',
                 r'^set 0 binding 5  colors\n   texel buffer .*\n   {\(0\.2, 0, 0\.50'):
        if not re.search(line, found[5], re.MULTILINE):
            sys.exit(f'{line} is not in\n{found[5]}')
    refusals('aliases', ['break aliases.comp:17', 'run'], [
        ('print numbers[1024]', 'the buffer has 1024 texels (column 8)'),
        ('print texelFetch(colors, 0, 0)', 'texelFetch() takes 2 arguments of a buffer (column 1)'),
    ])


def unnamed():
    """What has no name goes by its id, a specialization constant by the application's as well."""
    found, text = replies('unnamed', ['catch 0', 'run', 'lane 1', 'info variables', 'info scope'])
    if not re.fullmatch(r'gl_LocalInvocationIndex = 1\n%\d+ \(constant_id 7\) = 5\n', found[3]):
        sys.exit(f'info variables: {found[3]}')
    if not re.search(r'^uint %\d+  constant_id 7  constant$', found[4], re.MULTILINE):
        sys.exit(f'info scope: {found[4]}')
    # A member is called like those of other blocks; the id of its own tells them apart.
    member = re.search(r'^uint (%\d+\.member0)  push constants\+0$', found[4], re.MULTILINE)
    if not member:
        sys.exit(f'info scope: {found[4]}')
    session('unnamed', ['catch 0', 'run'], [
        ('info pushconstants', f'{member[1]} = 3'),
        (f'print {member[1]}', '$1 = 3'),
        ('print member0', '$2 = {...'),  # the buffer's
    ])


def shadowed():
    """A push constant without a name for its block, where something else has its name."""
    session('shadowed', ['break shadowed.comp:12', 'run', 'lane 3'], [
        ('info args', 'scale = 3'),
        ('info pushconstants', 'Constants.scale = 1.25\nConstants.bias = -2.5'),
        ('print scale', '$1 = 3'),
        ('print Constants.scale * 2', '$2 = 2.5'),
        ('set var scale = 7', ''),
        ('info pushconstants', 'Constants.scale = 1.25\nConstants.bias = -2.5'),
        ('up', None),
        ('info pushconstants', 'scale = 1.25\nbias = -2.5'),
        ('print scale', '$3 = 1.25'),
        ('lanes stats 0.0 / 0.0', 'distinct 1  nan 4  inf 0\n4 active lanes'),
    ])


def written():
    """What nothing reads is there all the same."""
    session('written', ['break written.comp:15', 'run'], [
        ('print once', '$1 = 7'),
        ('print pair', '$2 = {(0, 0.5), (1, 0.5)}'),
        ('set var once = 8', ''),
        ('print once', '$3 = 8'),
    ])


def parts():
    """What optimisers of SPIR-V tell of stores to parts is not enough: rather nothing is shown than an old value."""
    gaps = ('the SPIR-V of main has been optimized: vectors, matrices, arrays and structs may show what they had before a '
            'store to a part of them\n')
    for name, line, shown in (('parts', 16, ('q', 's')), ('legalized', 10, ('q',))):
        commands = [f'break {name}.comp:{line}', 'run', 'lane 1', *[f'print {variable}' for variable in shown], 'delete',
                    'continue']
        found, text = replies(name, commands)
        if gaps not in found[1]:
            sys.exit(f'{name}: no notice:\n{text}')
        for variable, reply in zip(shown, found[3:]):
            if not reply.endswith('= <optimized out>\n'):
                sys.exit(f'{name}: {variable} is shown:\n{text}')
    session('parts', ['break parts.comp:16', 'run', 'lane 1'], [
        ('print whole', '$1 = (1, 4)'),  # nothing is stored to a part of it
        ('print lane', '$2 = 1'),
    ])


def included():
    """Files of one module: each has its lines and its text."""
    session('included', ['break doubled.glsl:5', 'run', 'lane 3'], [
        ('backtrace', '#0  doubled (x=3)  at ./doubled.glsl:5\n#1  main ()  at included.comp:13'),
        ('list 4', '1\t// Included by included.comp.\n2\tuint doubled(uint x)\n3\t{\n4\t   uint y = x * 2u;\n'
         '5>\t   return y;\n6\t}'),
        ('info locals', 'y = 6'),
        ('list included.comp:13', '8\t#include "doubled.glsl"\n9\t\n10\tvoid main()\n11\t{\n'
         '12\t   uint lane = gl_LocalInvocationIndex;\n13\t   results.result[lane] = doubled(lane);\n14\t}'),
        ('up', '#1  main ()  at included.comp:13\n13\t   results.result[lane] = doubled(lane);'),
        ('print lane', '$1 = 3'),
    ])


with on_driver():
    run_case((frames, finish, names, renamed, layouts, bindings, aliases, unnamed, shadowed, written, parts, included))
