#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What vgpu-run prints, and how it refuses bad input: vgpu_run.py VGPU-RUN [LLVM-MC]."""
import os
import subprocess
import sys
import tempfile

program, *assembler = sys.argv[1:]
program = os.path.abspath(program)
failures = 0


def check(what, condition, detail):
    global failures
    if not condition:
        failures += 1
        print(f'FAILED: {what}: {detail}')


def run(*arguments, path=None):
    environment = dict(os.environ, **({'PATH': path} if path else {}))
    return subprocess.run([program, *arguments], env=environment, text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def refuses(status, message, *arguments, path=None):
    """One line on standard error, nothing on standard output."""
    result = run(*arguments, path=path)
    check(arguments, result.returncode == status, f'exit status {result.returncode}, not {status}')
    check(arguments, message in result.stderr, f'{message!r} is not in {result.stderr!r}')
    check(arguments, len(result.stderr.splitlines()) == 1, f'not one line: {result.stderr!r}')
    check(arguments, result.stdout == '', f'output {result.stdout!r}')


directory = tempfile.TemporaryDirectory()
os.chdir(directory.name)
with open('end.bin', 'wb') as file:
    file.write(bytes.fromhex('0000b0bf'))
with open('odd.bin', 'wb') as file:
    file.write(b'abc')
with open('store.s', 'w') as file:
    file.write('v_lshlrev_b32 v1, 2, v0\nglobal_store_b32 v1, v0, s[0:1]\ns_endpgm\n')
with open('symbol.s', 'w') as file:
    file.write('s_mov_b32 s0, elsewhere\ns_endpgm\n')
with open('wrong.s', 'w') as file:
    file.write('v_nonsense v1\n')

refuses(1, 'missing.bin: No such file', 'missing.bin')
refuses(1, 'missing.s: No such file', 'missing.s')
refuses(1, '3 bytes are no machine code', 'odd.bin')
refuses(1, 'neither llvm-mc-19 nor llvm-mc', 'store.s', path='/nonexistent')
refuses(1, 'missing: No such file', '--buffer', '64:missing', 'end.bin')
refuses(2, 'FILE.s or FILE.bin')
refuses(2, 'FILE.s or FILE.bin', 'end.bin', 'end.bin')
refuses(2, '--frobnicate', '--frobnicate', 'end.bin')
refuses(2, "'x' is not a number", '--grid', 'x', 'end.bin')
refuses(2, "'-1' is not a number", '--rsrc1', '-1', 'end.bin')
refuses(2, 'is more than', '--rsrc1', '0x100000000', 'end.bin')
refuses(2, 'up to three numbers', '--grid', '1,1,1,1', 'end.bin')
refuses(2, 'more than 1024 threads', '--group', '1024,2', 'end.bin')
refuses(2, 'BYTES or BYTES:FILE', '--buffer', '0', 'end.bin')

result = run('--help')
check('--help', result.returncode == 0 and 'EXIT STATUS' in result.stdout, result)
result = run('end.bin')
check('end.bin', (result.returncode, result.stdout, result.stderr) == (0, '', ''), result)
with open('input', 'wb') as file:
    file.write(bytes(range(40)))
result = run('--buffer', '40:input', 'end.bin')
check('--buffer', result.stdout == '00000000: 03020100 07060504 0b0a0908 0f0e0d0c 13121110 17161514 1b1a1918 1f1e1d1c\n'
      '00000020: 23222120 27262524\n00000028\n', result)

result = run('--registers', '--wave32', '--group', '40', '--grid', '2', 'end.bin')
lines = result.stdout.splitlines()
check('--registers', sum(line.startswith('workgroup ') for line in lines) == 4, result.stdout)
check('--registers', 'exec 0xff ' in result.stdout and 'mode 0x1c0' in result.stdout, result.stdout)
check('--registers', any(line.startswith('  v0   [ 0] 00000020 00000021') for line in lines), result.stdout)

if assembler:
    refuses(1, 'refers to a symbol', 'symbol.s')
    result = run('wrong.s')
    check('wrong.s', result.returncode == 1 and 'does not assemble' in result.stderr, result)
    result = run('--buffer', '64', '--group', '16', 'store.s')
    check('store.s', result.stdout.startswith('00000000: 00000000 00000001 00000002'), result)
    refuses(3, 'memory fault: write to 0x0', 'store.s')

os.chdir('/')
sys.exit(failures != 0)
