#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Variables at the prompt:  test_variables.py CASE. The samples are stopped, looked into and changed; what is shown was
read off their sources, and what they say at the end shows whether a change took effect."""
import os
import re
import subprocess
import sys

from harness import on_driver, run_case, typed

HDB = os.environ['HDB']
SAMPLES = os.environ['HDB_SAMPLES']
SHADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'variables')  # run by the program of tests/glsl
BINARIES = os.environ['HDB_CLI_SHADERS']
OWN = ('kinds', 'hlsl', 'nested', 'layouts', 'bindings', 'included', 'names', 'unnamed', 'shadowed', 'parts',
       'legalized')


def replies(program, commands, code=0, options=()):
    """What hdb prints after each command."""
    arguments = [os.environ['HDB_GLSL'], SHADERS, BINARIES, program] if program in OWN else [
        os.path.join(SAMPLES, program)]
    done = subprocess.run([HDB, 'run', '--gpu', 'virtual', '--batch', '--echo', *options, *typed(*commands), '--',
                           *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    if done.returncode != code:
        sys.exit(f'{program}: exit code {done.returncode}, not {code}:\n{done.stdout}')
    parts = done.stdout.split('(hdb) ')[1:]
    if [part.split('\n', 1)[0] for part in parts] != list(commands):
        sys.exit(f'not all commands were run:\n{done.stdout}')
    return [part.split('\n', 1)[1] for part in parts], done.stdout


def session(program, setup, transcript, code=0, options=()):
    """Runs the setup, then checks each command's reply. A reply that ends in ... need only begin so; None: any."""
    commands = list(setup) + [command for command, _ in transcript]
    found, text = replies(program, commands, code, options)
    for (command, expected), reply in zip(transcript, found[len(setup):]):
        if expected is None:
            continue
        expected = expected + '\n' if expected else ''
        good = reply.startswith(expected[:-4]) if expected.endswith('...\n') else reply == expected
        if not good:
            sys.exit(f'{program}: {command}: not\n{expected}but\n{reply}in\n{text}')


def refusals(program, setup, commands):
    """Each of these fails with one line."""
    for command, expected in commands:
        found, text = replies(program, list(setup) + [command], code=1)
        if found[-1].splitlines()[:1] != [f'hdb: {expected}']:
            sys.exit(f'{program}: {command}: not\nhdb: {expected}\nbut\n{text}')


# ---- what is shown ----

def nan():
    """Element 77: both ends coincide."""
    session('nan', ['workgroup 1,0,0', 'break nan.comp:14', 'run', 'lane 13'], [
        ('backtrace', '#0  spring (a=(15, 9), b=(15, 9))  at nan.comp:14\n#1  main ()  at nan.comp:25'),
        ('info args', 'a = (15, 9)\nb = (15, 9)'),
        ('print d', '$1 = (0, 0)'),
        ('print length2', '$2 = 0'),
        ('print direction', '$3 = (-nan, -nan)'),
        ('print isnan(direction.x)', '$4 = true'),
        ('print/x direction', '$5 = (0xffc00000, 0xffc00000)'),
        ('print inversesqrt(length2) * d', '$6 = (-nan, -nan)'),
        ('print $2 + 1', '$7 = 1'),
        ('lanes where isnan(direction.x)', '1 of 64 active lanes: 13'),
        ('lanes stats length2', 'min 0  max 97  mean 56.390625  distinct 4  nan 0  inf 0\n64 active lanes'),
        ('whatis direction', 'type = vec2'),
        ('up', '#1  main ()  at nan.comp:25\n25\t   forces[i] = spring(e.xy, e.zw);'),
        ('print i', '$8 = 77'),
        ('print e', '$9 = (15, 9, 15, 9)'),
        ('print ends[i] == e', '$10 = true'),
        ('print ends[i].zw - e.xy', '$11 = (0, 0)'),
        ('info locals', 'i = 77\ne = (15, 9, 15, 9)'),
        ('print gl_GlobalInvocationID', '$12 = (77, 0, 0)'),
        ('info pushconstants', 'n = 1000\nrest = 2\nstiffness = 0.5'),
        ('down', '#0  spring (a=(15, 9), b=(15, 9))  at nan.comp:14\n14\t   float stretch = sqrt(length2) - rest;'),
        ('print/lanes gl_WorkGroupSize', 'uniform: (64, 1, 1)'),
    ])


def grass():
    """Pointers, structs, slices."""
    session('grass', ['break grass.comp:70', 'run', 'lane 3'], [
        ('print field', None),
        ('whatis field', 'type = Blades *'),
        ('print field.blades[3]', '$2 = {root = (-61, 0, 0), height = 1}'),
        ('print field.blades[2:3]', '$3 = {{root = (-62, 0, 0), height = 0.625}, {root = (-61, 0, 0), height = 1}}'),
        ('print *field.blades@2', '$4 = {{root = (-64, 0, 0), height = 0.75}, {root = (-63, 0, 0), height = 0.75}}'),
        ('print (&field.blades[1]).height', '$5 = 0.75'),
        ('print {float}(&field.blades[1].height)', '$6 = 0.75'),
        ('x/4f &field.blades[3].root', None),
        ('print camera.planes[1]', '$7 = (-0.75, 0, 0.5, 0)'),
        ('print camera.planes[1].xz * 2', '$8 = (-1.5, 1)'),
        ('print commands.draws[1].first_index', '$9 = 15'),
        ('ptype Draw', 'type = struct Draw { // 20 bytes\n   uint index_count; // at 0\n   uint instance_count; // at 4\n'
         '   uint first_index; // at 8\n   int vertex_offset; // at 12\n   uint first_instance; // at 16\n}'),
        ('whatis blade.root.xz', 'type = vec2'),
        ('print blade.height - 2 * radius', '$10 = 0'),
        ('print center - blade.root', '$11 = (0, 0.5, 0)'),
        ('print/lanes i', '\n'.join(''.join('%5d  ' % lane + (f'{lane:<16}' if lane % 4 < 3 else str(lane))
                                            for lane in range(row, row + 4)) for row in range(0, 64, 4))),
    ])


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


def workgroup():
    """What a workgroup shares, and the invocation's own."""
    session('reduce', ['break reduce.comp:18', 'run'], [
        ('print tree[local] == (i < n ? values[i] : 0.0)', '$1 = true'),
        ('print/lanes tree[local] == values[i]', 'uniform: true'),
        ('print tree.length()', '$2 = 256'),
        ('whatis tree', 'type = float[256]'),
        ('print tree[0:2]', '$3 = {1, 0, 0}'),
        ('print gl_LocalInvocationID.x == local', '$4 = true'),
        ('set print elements 3', ''),
        ('print tree', '$5 = {1, 0, 0...}'),
        ('x/8fw tree', 'LDS+0x0:  1               0               0               0             \n'
         'LDS+0x10:  0               0               0               1             '),
        ('x/2xw &tree[254]', 'LDS+0x3f8:  0x00000000  0x00000000'),
        ('print/lanes/x tree.length()', 'uniform: 0x100'),
    ])
    refusals('reduce', ['break reduce.comp:18', 'run'], [
        ('x &tree[255] + 1', 'it is in the workgroup\'s LDS and has no address (column 1)'),
        ('disassemble &tree', '"&tree" is in LDS and has no address'),
        ('set print', 'set what to what? set var x = 1.5, set var/lanes x = 0, set $v3[5] = 1.0'),
        ('set print lines 3', 'set print elements NUMBER; 0: as many as there are'),
    ])


def formats():
    session('saxpy', ['break saxpy.comp:16', 'run', 'lane 5'], [
        ('print/x i', '$1 = 0x5'),
        ('print/t i', '$2 = 101'),
        ('print/c 65 + i', "$3 = 70 'F'"),
        ('print/f 0x3fc00000', '$4 = 1.5'),
        ('print/x product', None),
        ('print uintBitsToFloat($5) == product', '$6 = true'),
        ('print product == a * x[i]', '$7 = true'),
        ('print', '$8 = true'),
        ('print $v0', None),
        ('info registers v0', 'v0 0x...'),
        ('info registers $pc', 'pc 0x...'),
        ('print $nothing', '$10 = void'),
        ('print $n = i * 2', '$11 = 10'),
        ('print x[$n] - x[$n - 1]', None),
        ('display i', '1: i = 5'),
        ('display/x y[i]', None),
        ('undisplay 2', ''),
        ('info display', '1: i'),
        ('next', None),
        ('undisplay', ''),
        ('info display', 'no displays'),
    ])
    found, text = replies('saxpy', ['break saxpy.comp:15', 'run', 'display i', 'display/lanes n', 'next'])
    if not found[-1].endswith('\n1: i = 0\n2: n =\nuniform: 1000\n'):
        sys.exit(f'displays are not shown at a stop:\n{text}')


def refused():
    refusals('nan', ['break nan.comp:14', 'run'], [
        ('print nope', 'no "nope" in this scope (column 1)'),
        ('print d +', 'a value expected at the end (column 4)'),
        ('print d.z', 'a vector of 2 components has no .z (column 3)'),
        ('print d[2]', '2 is out of range: there are 2 components (column 2)'),
        ('print e', 'no "e" in this scope (column 1)'),
        ('print spring(a, b)', "no builtin function spring(); the shader's own can't be called (column 1)"),
        ('set var n = 1', "the range of push constants can't be set (column 3)"),
        ('set var length2 == 3', 'set what to what? set var x = 1.5, set var/lanes x = 0, set $v3[5] = 1.0'),
        ('set var length2 <= 3', 'set what to what? set var x = 1.5, set var/lanes x = 0, set $v3[5] = 1.0'),
        ('set var d.xx = vec2(1)', 'a component would be set twice (column 6)'),
        ('set var d', 'set what to what? set var x = 1.5, set var/lanes x = 0, set $v3[5] = 1.0'),
        ('set var d = vec3(1)', "a vec3 can't be assigned to a vec2 (column 3)"),
        ('whatis d = 1', 'an assignment; nothing is changed by looking (column 3)'),
        ('print &d', 'it is in registers or scratch and has no address (column 1)'),
        ('up 7x', '"7x" is no number of frames'),
        ('frame 2', 'there are frames 0 to 1'),
        ('down', 'this is the innermost frame'),
        ('info registers v999', 'no register "v999"'),
        ('print d[-1]', '-1 is out of range: there are 2 components (column 2)'),
        ('lanes where d', 'a condition expected, not a vector; any() or all() make one of it'),
        ('lanes', 'lanes where EXPRESSION or lanes stats EXPRESSION; print/lanes EXPRESSION shows the values'),
        ('undisplay 3', 'no display "3"'),
        ('print/lanes', 'print/lanes EXPRESSION'),
        ('info nosuch', 'info args, breakpoints, dispatches, display, frame, line, locals, pushconstants, registers, '
         'resources, scope, types, variables, watchpoints or waves'),
    ])


def kinds():
    outer = ('{inner = {{pair = (1, -2), half_way = 0.5, flags = {true, false}}, {pair = (1, 1), half_way = 1, '
             'flags = {false, true}}}, precise_one = 0.3333333333333333, big = -5000000000}')
    session('kinds', ['break kinds.comp:57', 'run', 'lane 1'], [
        ('print outer', '$1 = ' + outer),
        ('info locals', f'shadow = 2.5\nlane = 1\nouter = {outer}\nv = (5, 6, 7)\nshadow = 1'),
        ('print shadow', '$2 = 2.5'),
        ('print outer.inner[0].pair.yx', '$3 = (-2, 1)'),
        ('whatis outer.inner[0].pair * 2', 'type = ivec2'),
        ('whatis outer.inner[0].pair', 'type = i16vec2'),
        ('print outer.precise_one * 3', '$4 = 1'),
        ('print counts', '$5 = {{0, 0}, {1, 1}, {2, 4}, {3, 9}}'),
        ('print counts[1:2]', '$6 = {{1, 1}, {2, 4}}'),
        ('print settings', '$7 = {turn = {[0] = (1, 2, 3), [1] = (4, 5, 6), [2] = (7, 8, 9)}, padded = {0.5, 1.5}}'),
        ('print settings.turn * v', '$8 = (78, 96, 114)'),
        ('print v * settings.turn', '$9 = (38, 92, 146)'),
        ('print settings.padded[0]@2', '$10 = {0.5, 1.5}'),
        ('print *floats.data@2', '$11 = {1, 2}'),
        ('print floats.data[shift + 6]', '$12 = 2'),
        ('print special', '$13 = 7'),
        ('print/x outer.inner[1].half_way', '$14 = 0x3c00'),
        ('ptype Inner', 'type = struct Inner { // 16 bytes outside of blocks\n   i16vec2 pair; // at 0\n   float16_t half_way; // at 4\n'
         '   bool flags[2]; // at 8\n}'),
    ])
    session('kinds', ['break kinds.comp:61', 'run', 'delete'], [
        ('set var outer.big = 42', ''),
        ('set var outer.inner[1] = outer.inner[0]', ''),
        ('set var counts[2][1] = 99', ''),
        ('set var calls += 2', ''),
        ('print calls', '$1 = 3'),
        ('print outer.inner[1]', '$2 = {pair = (1, -2), half_way = 0.5, flags = {true, false}}'),
        ('continue', '1 right, 0 wrong, 0 not run...'),
    ])
    session('kinds', ['break kinds.comp:37', 'run', 'lane 2'], [
        ('backtrace', '#0  change (v=(7.5, 8.5, 9.5), which=1, by=10)  at kinds.comp:37\n#1  main ()  at kinds.comp:59'),
        ('set var v.x = 1', ''),
        ('up', None),
        ('print v', '$1 = (7.5, 8.5, 9.5)'),  # the function has a copy, which comes back when it is over
        ('down', None),
        ('finish', None),
        ('next', None),
        ('print v', '$2 = (1, 18.5, 9.5)'),
        ('print calls', '$3 = 1'),
    ])


def hlsl():
    session('hlsl', ['break hlsl.comp:29', 'run'], [
        ('print turn', '$1 = {[0] = (1, 2, 3), [1] = (4, 5, 6)}'),
        ('print mul(turn, p.position)', '$2 = (14, 32)'),
        ('print turn._m01 + turn._23', '$3 = 8'),
        ('print particles[1]', '$4 = {position = (5, 6, 7), mass = 8}'),
        ('print particles[0:1]', '$5 = {{position = (1, 2, 3), mass = 4}, {position = (5, 6, 7), mass = 8}}'),
        ('print particles', '$6 = {{position = (1, 2, 3), mass = 4}, {position = (5, 6, 7), mass = 8}, '
         '{position = (0, 0, 0), mass = 0} <repeats 254 times>}'),
        ('whatis particles', 'type = Particle[]'),
        ('whatis p.position.xy * 2', 'type = float2'),
        ('print p.position == particles[0].position', '$7 = (true, true, true)'),
        ('print (float2)p.position', '$8 = (1, 2)'),
        ('print gain', '$9 = 10'),
    ])
    found, text = replies('hlsl', ['break hlsl.comp:29', 'run', 'info scope'])
    if len(re.findall(r'^uint3 id  ', found[2], re.MULTILINE)) != 1:  # the parameter; not also the builtin behind it
        sys.exit(f'info scope: {found[2]}')


# ---- what is set ----

def set_one():
    """In one lane; the program's own check finds that lane, and no other."""
    session('matmul', ['break matmul.comp:41', 'run', 'delete'], [
        ('set var sum = 1000', ''),
        ('print sum', '$1 = 1000'),
        ('lanes where sum == 1000', '1 of 64 active lanes: 0'),
        ('continue', 'matmul: 1023 of 1024 right...'),
    ], code=1)
    # The spring that was not a number, mended by hand.
    session('nan', ['workgroup 1,0,0', 'break nan.comp:14', 'run', 'delete', 'lane 13'], [
        ('set var direction = vec2(0)', ''),
        ('print direction', '$1 = (0, 0)'),
        ('set var direction.yx[1] = 1 / 2', ''),
        ('print direction', '$2 = (0, 0)'),
        ('continue', 'nan: 993 of 1000 right, 7 not a number (the bug to find)...'),
    ])


def set_all():
    """In all active lanes."""
    session('saxpy', ['break saxpy.comp:16', 'run', 'delete'], [
        ('set var/lanes product = product + 1', ''),
        ('print/lanes product == a * x[i] + 1', 'uniform: true'),
        ('continue', 'saxpy: 936 of 1000 right...'),
    ], code=1)


def set_memory():
    """In a buffer, in what a pointer points at, in LDS."""
    session('saxpy', ['break saxpy.comp:15', 'run', 'delete', 'lane 7'], [
        ('set var y[i] = y[i] + 1', ''),
        ('continue', 'saxpy: 999 of 1000 right...'),
    ], code=1)
    session('reduce', ['break reduce.comp:18', 'run', 'delete'], [
        ('set var tree[0] += 1', ''),
        ('print tree[0]', '$1 = 2'),
        ('continue', 'reduce: 4 of 5 right...'),
    ], code=1)
    session('grass', ['catch 0', 'run'], [
        ('set var commands.draws[1].first_index = 99', ''),
        ('print commands.draws[1]', '$1 = {index_count = 3, instance_count = 0, first_index = 99, vertex_offset = 0, '
         'first_instance = 0}'),
        ('set var {uint}&commands.draws[1].first_index = 15', ''),
        ('set var field.blades[0] = field.blades[1]', ''),
        ('print field.blades[0].root', '$2 = (-63, 0, 0)'),
    ])


# ---- optimised code ----

def optimized():
    """What is there is as in the debug build; what is not says so."""
    places = ('direction.x', 'direction.y', 'length2', 'd.x', 'd.y', 'a.x', 'b.y', 'rest', 'stiffness')
    outer = ('e.x', 'e.y', 'e.z', 'e.w', 'i', 'n', 'gl_GlobalInvocationID.x')
    commands = ['workgroup 1,0,0', 'break nan.comp:14', 'run', 'lane 13', *[f'print {place}' for place in places], 'up',
                *[f'print {place}' for place in outer], 'delete', 'continue']
    debug, text = replies('nan', commands)
    fast, text = replies('nan', commands, options=['--compile', 'optimized'])
    for right, reply in zip(debug, fast):
        if right.startswith('$') and reply != right and not reply.endswith(' = <optimized out>\n'):
            sys.exit(f'{reply}, not {right}:\n{text}')
    for place in ('direction.x', 'direction.y', 'rest', 'stiffness', 'n'):  # without these the shader can't go on
        if '<optimized out>' in fast[commands.index(f'print {place}')]:
            sys.exit(f'{place} is not shown:\n{text}')


with on_driver():
    run_case((nan, grass, frames, finish, names, layouts, bindings, unnamed, shadowed, parts, included, workgroup, formats,
              refused, kinds, hlsl, set_one, set_all, set_memory, optimized))
