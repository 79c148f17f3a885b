#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""vgpu --info against what Linux and Mesa know of a Navi31, and its list of illegal instructions against the card."""
import re
import subprocess
import sys
import tempfile

program, vgpu_run, assembler = (sys.argv[1:] + [None])[:3]
failures = 0


def check(what, passed, detail):
    global failures
    if not passed:
        failures += 1
        print(f'FAILED: {what}: {detail}')


def run(*arguments):
    return subprocess.run(arguments, text=True, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


info = run(program, '--info')
check('--info', (info.returncode, info.stderr) == (0, ''), info)
for line in ('device id        0x744c, ',
             'family           145 ',
             'shaders          6 shader engines of 2 arrays of 8 compute units: 96 of 96 on, 48 workgroup processors',
             'rings            1 graphics (version 11.0), 4 compute (version 11.0)',
             'no rings         SDMA, UVD, VCE, UVD encode, VCN, VCN encode, JPEG, VPE',
             'driver           amdgpu 3.',
             'GB_ADDR_CONFIG   0x545: 32 pipes, interleave 256 bytes, ',
             'VGPRs            256 a wave, 1536 of 32 lanes a SIMD',
             'SGPRs            106 a wave',
             'LDS              64 KiB a workgroup, 128 KiB a workgroup processor',
             'workgroup        up to 1024 threads and 32 waves'):
    check('--info', f'\n  {line}' in info.stdout, f'{line!r} is not in\n{info.stdout}')
check('--info', max(map(len, info.stdout.splitlines())) <= 120, 'a line is longer than 120 characters')

# Every instruction of the list stops a wave, by its name.
OPERANDS = {'exp': 'mrt0 v0, v0, v0, v0', 's_code_end': '', 'lds_param_load': 'v1, attr0.x', 'lds_direct_load': 'v1',
            'ds_gws_sema_release_all': 'gds', 'ds_gws_init': 'v0 gds', 'ds_gws_sema_v': 'gds', 'ds_gws_sema_br': 'v0 gds',
            'ds_gws_sema_p': 'gds', 'ds_gws_barrier': 'v0 gds', 'ds_ordered_count': 'v1, v0 gds',
            'ds_add_gs_reg_rtn': 'v[2:3], v0 gds', 'ds_sub_gs_reg_rtn': 'v[2:3], v0 gds'}
illegal = re.search(r'stop a wave as illegal:\n((?:    .*\n)+)', info.stdout).group(1).split()
for name in illegal if assembler else []:
    with tempfile.NamedTemporaryFile('w', suffix='.s') as file:
        operands = 'v0, v1, v2, v3' if name.startswith('v_interp') else OPERANDS[name]
        file.write(f'{name} {operands}\ns_endpgm\n')
        file.flush()
        result = run(vgpu_run, file.name)
        check(name, result.returncode == 3 and re.search(rf'illegal instruction: [\w ]+ \({name}\b', result.stderr),
              result)
check('illegal', len(illegal) >= len(OPERANDS), illegal)

with open('/dev/full', 'w') as full:
    for arguments in ([program, '--info'], [program, '--help'], [vgpu_run, '--help']):
        result = subprocess.run(arguments, text=True, timeout=60, stdout=full, stderr=subprocess.PIPE)
        check(f'{arguments} on a full disk', result.returncode == 1 and 'standard output cannot' in result.stderr, result)

help_text = run(program, '--help')
check('--help', help_text.returncode == 0 and '--info' in help_text.stdout, help_text)
for wrong in ([], ['--nonsense'], ['--info', 'x']):
    result = run(program, *wrong)
    check(wrong, (result.returncode, result.stdout, len(result.stderr.splitlines())) == (2, '', 1), result)

sys.exit(failures != 0)
