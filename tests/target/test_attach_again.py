#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One debugger after another attaches to a program that runs; each brings an hdb-helper of its own. All can do the
same, also after both processes of a helper were killed in the middle of a stop; what that one has left on the card is
cleared by the next.  test_attach_again.py PROGRAM"""
import fcntl
import os
import signal
import struct
import subprocess
import sys
import time

from harness import RIGHT, TIMEOUT, Output, check, on_driver, type_in

STOP = 'Breakpoint 1, affine at affine.comp:'
# Byte offsets: dwords from the register database, by segments 0 and 1 of make_sysfs in ./road.
BANKED = {'TBA': 4 * (0xa000 + 0x9e7), 'GDBG': 4 * (0x1260 + 0x1f72)}
WATCHES = [4 * (0x1260 + 0x204a + 3 * i) for i in range(4)]
TRAP_EN = {'TBA': 1 << 31, 'GDBG': 1 << 3}


def left_on():
    """What keeps a wave of any VMID on its way into a trap handler: names of registers."""
    regs2 = os.open(os.path.join(os.environ['HDB_DEBUGFS'], '0', 'amdgpu_regs2'), os.O_RDWR)

    def read(offset):
        return struct.unpack('<I', os.pread(regs2, 4, offset))[0]

    found = []
    for vmid in range(1, 16):
        state = struct.pack('<11I', 1, 0, 0, 2**32 - 1, 2**32 - 1, 2**32 - 1, 0, 0, 0, vmid, 0)
        fcntl.ioctl(regs2, 3 << 30 | len(state) << 16 | 0x20 << 8 | 1, state)
        found += [f'{name} of VMID {vmid}' for name, offset in BANKED.items() if read(offset) & TRAP_EN[name]]
    found += [f'watch {i}' for i, offset in enumerate(WATCHES) if read(offset) >> 31]
    os.close(regs2)
    return found


def helpers_of(hdb):
    """It has left hdb's tree, but not its session."""
    found = []
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{name}/cmdline', 'rb') as file:
                program = os.path.basename(file.read().split(b'\0')[0])
            if program == b'hdb-helper' and os.getsid(int(name)) == hdb.pid:
                found.append(int(name))
        except OSError:
            pass
    return found


def stop(program, number):
    hdb = subprocess.Popen([os.environ['HDB'], 'attach', str(program.pid)], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    output = Output(hdb.stdout.fileno())
    output.until('attached to process')
    type_in(hdb, 'break affine.comp:15')
    type_in(hdb, 'continue')
    output.until(STOP)
    type_in(hdb, 'watch values[3]')
    type_in(hdb, 'info waves')
    output.until('stopped')
    reached = "can't be" not in output.text and 'is gone' not in output.text
    check(reached, f'debugger {number} reaches the card', output.text)
    return hdb, output


def wait_for_end_of(pids):
    deadline = time.monotonic() + TIMEOUT
    while any(os.path.exists(f'/proc/{pid}') for pid in pids):
        check(time.monotonic() < deadline, 'the helper ends with its debugger')
        time.sleep(0.02)


def attach_each(path, killed_helpers):
    program = subprocess.Popen(path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True, env=dict(os.environ, VK_INSTANCE_LAYERS='VK_LAYER_hdb'))
    said = Output(program.stdout.fileno())
    said.until('begun')
    for number, killed in enumerate(killed_helpers, 1):
        hdb, output = stop(program, number)
        helpers = helpers_of(hdb)
        check(len(helpers) == 2 and left_on(), f'{helpers} hold something', output.text)
        if killed:
            for pid in sorted(helpers):
                os.kill(pid, signal.SIGKILL)
            output.until("waves can't be stopped any more")
        type_in(hdb, 'quit')
        output.to_end()
        check(hdb.wait(timeout=TIMEOUT) == 0, 'hdb ends', output.text)
        wait_for_end_of(helpers)
        check(killed or not left_on(), f'the card is as it was: {left_on()}', output.text)
    program.stdin.close()
    said.deadline = time.monotonic() + TIMEOUT
    text = said.to_end()
    check(program.wait(timeout=TIMEOUT) == 0 and RIGHT.search(text), 'the results are right', text)


with on_driver(TERM='dumb'):
    attach_each(sys.argv[1], [False, False, True, False, True, False])
    del os.environ['XDG_RUNTIME_DIR']  # as in containers: sockets are in /tmp/hdb-UID
    attach_each(sys.argv[1], [False])
