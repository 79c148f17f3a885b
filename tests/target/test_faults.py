#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Whatever operation on a debugfs file fails: the program under hdb ends with the right result, and in time; the card's
registers are as they were; what could not be done is said.  test_faults.py PROGRAM"""
import os
import re
import subprocess
import sys
import tempfile

from harness import check, on_driver

ROAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'road')
COMMANDS = ['break saxpy.comp:15', 'run', 'x/4xw $pc', 'step', 'info waves', 'delete', 'continue', 'continue']
FILES = {
   'amdgpu_regs2': {'open': [1], 'ioctl': [1, 2, 7], 'read': [1, 2, 30, 60, 100, 150], 'write': [1, 3, 5, 6, 9, 40]},
   'amdgpu_vram': {'open': [1], 'read': [1, 2, 9]},
   'amdgpu_iomem': {'open': [1], 'read': [1, 2]},
   'amdgpu_gfxoff': {'open': [1], 'write': [1]},
}
KINDS = {
   'open': ['fail', 'eperm', 'eacces'],
   'ioctl': ['fail', 'einval', 'eintr'],
   'read': ['fail', 'short', 'ones', 'eintr'],
   'write': ['fail', 'short', 'ones', 'eintr'],
}
# A line for people, naming what went wrong. (GFXOFF and interrupted operations may do no harm at all.)
SAID = re.compile(r"can't be (attached to|opened|read|reached)|no trap at|hdb-helper|is not served|not found on the card"
                  r"|No such|Input/output error|no answer|powered down|does not keep|error", re.IGNORECASE)


def run(program, *injections, timeout=60):
    options = [word for injection in injections for word in ('--inject', injection)]
    arguments = [ROAD, *options, '--', os.environ['HDB'], 'run', '--gpu', 'virtual', '--compile', 'optimized', '--', program]
    script = ''.join(command + '\n' for command in COMMANDS)  # goes on after commands that fail, as people do
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout,
                          input=script)


def check_run(what, done):
    """Whether it has stopped in spite of the fault."""
    text = f'--inject {what}\n{done.stdout}'
    check('saxpy: 1000 of 1000 right' in done.stdout, 'the result is right', text)
    if 'after: the registers are as they were' not in done.stdout:
        # Nobody can write registers when no write succeeds any more; but that is said, unless writes say that they do.
        check(re.match(r'amdgpu_regs2:(ioctl|write|open):\d+-', what), 'the registers are as they were', text)
        check(re.search(r'hdb-helper: \d+ registers could not be put back', done.stdout) or what.endswith('-:ones'),
              'that they are not is said', text)
    else:
        check('exited with code 0' in done.stdout, 'the program ends well', text)
    stopped = 'Breakpoint 1, saxpy at saxpy.comp:15' in done.stdout
    check(stopped or SAID.search(done.stdout), 'what could not be done is said', text)
    return stopped


def check_lost_writes(program):
    """They say that they succeed: nothing stops, and why is said before the program runs."""
    for register, number in (('SQ_SHADER_TMA_LO', '*'), ('SPI_GDBG_PER_VMID_CNTL', '5')):
        what = f'amdgpu_regs2:write:{number}:ones'
        done = run(program, what)
        check(check_run(what, done) == (number != '*'), 'what is lost once is written again', done.stdout)
        check(f'does not keep what is written to its registers ({register} is' in done.stdout, 'the register is named',
              done.stdout)


def check_all_ones(program):
    """A card that loses its power in the middle of a stop has no waves."""
    for what in ('*:read:300-:ones', '*:read:300:ones', 'amdgpu_regs2:read:400-:ones', 'amdgpu_regs2:read:500:ones'):
        done = run(program, what)
        check('Breakpoint 1, saxpy at' in done.stdout, f'{what}: it has stopped', done.stdout)
        check('-' not in what or 'the card is powered down' in done.stdout, f'{what}: that is said', done.stdout)
        resident = [int(count) for count in re.findall(r'(\d+) resident', done.stdout)]
        check(all(count <= 16 for count in resident), f'{what}: {resident} waves', done.stdout)


def check_words(program):
    """Once, whole, and with what failed."""
    done = run(program, 'amdgpu_regs2:open:1:eperm')
    check(done.stdout.count('(cat /sys/kernel/security/lockdown)') == 1, 'it is said once', done.stdout)
    check(done.stdout.count('cat /sys/kernel') == 1, 'nor in part', done.stdout)
    for what, words in (('*:ioctl:60-:enodev', 'No such device'), ('*:write:30-:fail', 'Input/output error')):
        done = run(program, what)
        check(f"can't be read any more (amdgpu_regs2: {words})" in done.stdout, f'{what}: what has failed', done.stdout)


def main():
    program = sys.argv[1]
    with on_driver():
        done = run(program)
        if done.returncode == 77:
            print(done.stdout, end='')
            sys.exit(77)
        check(check_run('nothing', done) and done.returncode == 0, 'all is well', done.stdout)
        count = stops = 0
        for name, operations in FILES.items():
            for operation, numbers in operations.items():
                for kind in KINDS[operation]:
                    for number in numbers:
                        for spread in ('', '-'):  # once, or from then on
                            if kind == 'eintr' and spread:
                                continue
                            what = f'{name}:{operation}:{number}{spread}:{kind}'
                            count += 1
                            stops += check_run(what, run(program, what))
        for what in ('amdgpu_regs2:read:80:hang', 'amdgpu_regs2:write:4:hang', 'amdgpu_iomem:read:2:hang'):
            check_run(what, run(program, what))
            count += 1
        check_lost_writes(program)
        check_all_ones(program)
        check_words(program)
        print(f'{count} faults, {stops} of them without consequence')


main()
