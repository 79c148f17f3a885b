#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""HDB_VGPU_STATS=1: what small programs do, counted by hand, against what the card says at its end."""
import os
import re
import subprocess
import sys
import tempfile

program = sys.argv[1]
failures = 0


def check(what, have, want):
    global failures
    if have != want:
        failures += 1
        print(f'FAILED: {what}: {have!r}, not {want!r}')


def run(code, *options, stats='1'):
    with tempfile.NamedTemporaryFile('w', suffix='.s') as file:
        file.write(code)
        file.flush()
        environment = dict(os.environ, HDB_VGPU_STATS=stats)
        return subprocess.run([program, *options, file.name], env=environment, text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def section(text, name):
    """The rows below a heading."""
    body = re.search(rf'^  {name} .*\n((?:    .*\n)*)', text, re.MULTILINE)
    rows = [line.split() for line in body.group(1).splitlines()] if body else []
    return {row[0]: [int(number) for number in row[1:]] for row in rows}


def counts(what, code, *options, launched, instructions, memory, status=0):
    """Instructions: of the program; a memory: bytes read, bytes written, atomics. Every row is wanted."""
    result = run(code, *options)
    check(f'{what}, exit status', result.returncode, status)
    block = result.stderr[result.stderr.find('hdb-vgpu: statistics'):]
    check(f'{what}, launched', block.splitlines()[1:2], [f'  jobs 1, dispatches 1, {launched}'])
    wanted = {name: [count, 0] for name, count in instructions.items()}
    wanted['all'] = [sum(instructions.values()), 0]
    check(f'{what}, instructions', section(block, 'instructions'), wanted)
    check(f'{what}, memory', section(block, 'memory'), memory)
    check(f'{what}, time', bool(re.search(r'^  time: busy \d+\.\d+ s, interpreting \d+\.\d+ s', block, re.MULTILINE)),
          True)


counts('three workgroups of 64 and 36 lanes', '''
    v_lshlrev_b32 v1, 2, v0
    s_load_b128 s[8:11], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    global_load_b64 v[2:3], v1, s[0:1]
    s_waitcnt vmcnt(0)
    global_store_b8 v1, v0, s[0:1]
    global_atomic_add_u32 v1, v0, s[0:1]
    s_mov_b32 s12, 0
    s_endpgm
''', '--grid', '3', '--group', '100', '--buffer', '512',
    launched='workgroups 3, waves 6, threads 300',
    instructions={'SALU': 6, 'SMEM': 6, 'VALU': 6, 'global': 3 * 6, 'control': 3 * 6},
    memory={'scalar': [6 * 16, 0, 0], 'global': [300 * 8, 300, 300]})

counts('a loop of ten', '''
    s_movk_i32 s8, 10
top:
    v_dual_mov_b32 v1, 0 :: v_dual_mov_b32 v2, 0
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 top
    s_getpc_b64 s[10:11]
    s_add_u32 s10, s10, 12
    s_addc_u32 s11, s11, 0
    s_setpc_b64 s[10:11]
    s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
    s_endpgm
''', '--wave32', '--group', '32',
    launched='workgroups 1, waves 1, threads 32',
    instructions={'SALU': 1 + 2 * 10 + 3, 'VALU': 10, 'branch': 10 + 1, 'message': 1, 'control': 1},
    memory={})

# LDS has 1024 bytes: of lanes 64 bytes apart the first 16 are inside. An unaligned access to scratch is one access.
counts('LDS, scratch and FLAT', '''
    v_lshlrev_b32 v1, 6, v0
    ds_store_b64 v1, v[0:1]
    ds_load_2addr_b32 v[2:3], v0 offset0:1 offset1:2
    ds_add_rtn_u32 v2, v0, v0 offset:4
    ds_bpermute_b32 v2, v0, v0
    v_mov_b32 v8, s0
    v_mov_b32 v9, s1
    s_mov_b32 exec_lo, 0x00ff00ff
    flat_load_b32 v2, v[8:9]
    scratch_store_b128 off, v[4:7], off
    scratch_load_b32 v4, off, off offset:2
    s_endpgm
''', '--wave32', '--group', '32', '--lds', '1024', '--scratch', '64', '--buffer', '64',
    launched='workgroups 1, waves 1, threads 32',
    instructions={'SALU': 1, 'VALU': 3, 'LDS': 4, 'flat': 1, 'scratch': 2, 'control': 1},
    memory={'LDS': [32 * 2 * 4, 16 * 8, 32], 'global': [16 * 4, 0, 0], 'scratch': [16 * 4, 16 * 16, 0]})

# A buffer of 64 bytes: 16 of 64 lanes are inside; s_buffer_load has two of its four dwords inside.
counts('buffers', '''
    v_lshlrev_b32 v1, 2, v0
    s_mov_b32 s8, s0
    s_mov_b32 s9, s1
    s_movk_i32 s10, 64
    s_mov_b32 s11, 0x30016000   ; 32_FLOAT, OOB_SELECT raw
    buffer_load_b32 v2, v1, s[8:11], 0 offen
    buffer_load_u8 v2, v0, s[8:11], 0 offen
    buffer_store_b32 v0, v1, s[8:11], 0 offen
    buffer_atomic_or_b32 v0, v1, s[8:11], 0 offen
    tbuffer_load_format_x v2, v1, s[8:11], 0 format:[BUF_FMT_32_UINT] offen
    s_buffer_load_b128 s[12:15], s[8:11], 56
    s_endpgm
''', '--buffer', '64',
    launched='workgroups 1, waves 1, threads 64',
    instructions={'SALU': 4, 'SMEM': 1, 'VALU': 1, 'buffer': 5, 'control': 1},
    memory={'scalar': [8, 0, 0], 'buffer': [64 + 64 + 64, 64, 16]})

# A linear image of 8x1 texels of 32 bits (format 20, type 9: 2D): of the lanes' x, 8 are inside.
counts('images', '''
    s_lshr_b64 s[8:9], s[0:1], 8
    s_or_b32 s9, s9, 0xc1400000
    s_movk_i32 s10, 1
    s_mov_b32 s11, 0x90000fac
    s_mov_b64 s[12:13], 0
    s_mov_b64 s[14:15], 0
    v_mov_b32 v1, 0
    image_load v2, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm
    image_store v0, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm
    image_atomic_add v2, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm
    s_endpgm
''', '--buffer', '4096',
    launched='workgroups 1, waves 1, threads 64',
    instructions={'SALU': 6, 'VALU': 1, 'image': 3, 'control': 1},
    memory={'image': [8 * 4, 8 * 4, 8]})

# What stops the program is counted, too.
counts('an illegal instruction', '''
    s_mov_b32 s8, 0
    ds_gws_barrier v0 gds
    s_endpgm
''', status=3,
    launched='workgroups 1, waves 1, threads 64',
    instructions={'SALU': 1, 'illegal': 1},
    memory={})

for off in '', '0':
    check(f'HDB_VGPU_STATS={off}', run('s_endpgm\n', stats=off).stderr, '')
for wrong in 'x', '2', '-1', 'yes':
    check(f'HDB_VGPU_STATS={wrong}', run('s_endpgm\n', stats=wrong).stderr,
          f'hdb-vgpu: HDB_VGPU_STATS={wrong} is neither 0 nor 1; using 0\n')

sys.exit(failures != 0)
