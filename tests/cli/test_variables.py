#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Values at the prompt:  test_variables.py CASE. The samples are stopped, looked into and changed; what is shown was read
off their sources, and what they say at the end shows whether a change took effect."""
import re
import sys

from harness import on_driver, run_case
from transcript import refusals, replies, session


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
        ('info locals', f'shadow = 2.5\nlane = 1\nouter = {outer}\nv = (5, 6, 7)\nshadow (%N) = 1'),
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
    run_case((nan, grass, workgroup, formats, refused, kinds, hlsl, set_one, set_all, set_memory, optimized))
