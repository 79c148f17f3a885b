#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hdb against the second reader (dump.c): a program is stopped in a breakpoint under vgpu-debugfs; both say the same of
each wave's pc, workgroup and vector registers, and of every page of the address space.

usage: second_reader.py vgpu|amdgpu DUMP PROGRAM FILE:LINE     (how hdb itself reaches the card: as hdb-core/target has it)
From meson: HDB, HDB_BUILD_ROOT, VGPU_DEBUGFS, VK_ADD_LAYER_PATH, HDB_TEST_DRIVER (a library; may be unset)."""
import os
import re
import subprocess
import sys
import tempfile
import time

from dap import Session
from harness import check, on_driver, skip

TARGET, DUMP, PROGRAM, PLACE = sys.argv[1:5]
VGPRS = 256  # no wave has more
EVERY = TARGET == 'vgpu'  # page is asked for; else 150 are, for how hdb reaches the card is nothing to `hdb vm`
SIZES = {'B': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}


def dump(folder, *what):
    done = subprocess.run([DUMP, folder, *map(str, what)], capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f'dump {what}', done.stderr)
    return done.stdout.splitlines()


def read_waves(folder):
    """By pc, workgroup and number in it: state, SGPRs, and VGPRs by lane."""
    waves, wave = {}, None
    for line in dump(folder, 'waves', VGPRS):
        words = line.split()
        if words[0] == 'wave':
            state = dict(word.split('=') for word in words[1:])
            state = {name: [int(word, 16) for word in values.split(',')] for name, values in state.items()}
            ttmp, sgprs = state['ttmp'], state['sgpr']
            # What trap entry leaves: the pc, 48 bits. Where SPI sets nothing else up, hdb's handler notes the workgroup.
            key = ttmp[0] | (ttmp[1] & 0xffff) << 32, tuple(ttmp[8:11]), ttmp[11] & 0x3f
            wave = waves.setdefault(key, (state, sgprs, []))
        else:
            wave[2].append([int(word, 16) for word in words[2:]])
    return waves


def compare_waves(session, folder):
    """The VMID of the waves."""
    known = [wave for wave in session.request('hdb/waves')['waves'] if wave['state'] == 'stopped']
    waves = read_waves(folder)
    check(known, 'no wave is stopped')
    compared = 0
    vmids = set()
    for wave in known:
        key = int(wave['pc'], 16) & 0xffffffffffff, tuple(wave['workgroup']), wave['index']
        check(key in waves, f'the second reader does not see {wave}', '\n'.join(map(str, waves)))
        state, sgprs, lanes = waves[key]
        check(state['status'][0] >> 5 & 1, 'a stopped wave is not in the handler (STATUS.PRIV)')
        vmids.add(state['hw_id2'][0] >> 24 & 15)
        shown = session.request('hdb/registers', threadId=wave['id'])
        scalars = {word['name']: int(word['value'], 16) for word in shown['registers']}
        for number in range(10, 106):  # s0 to s9 are the handler's meanwhile
            value = scalars[f's{number}']
            check(value == sgprs[number], f's{number} of wave {wave["id"]}: {value:#x}, and {sgprs[number]:#x} by the '
                  'second reader')
            compared += 1
        check(len(shown['vgprs']) == len(lanes[0]), f'{len(shown["vgprs"])} and {len(lanes[0])} vector registers')
        for register in shown['vgprs'][2:]:  # as are v0 and v1
            number = int(register['name'][1:])
            for lane, value in enumerate(register['lanes']):
                check(lanes[lane][number] == int(value, 16), f'{register["name"]}[{lane}] of wave {wave["id"]}: '
                      f'{value}, and {lanes[lane][number]:#x} by the second reader')
                compared += 1
    check(len(vmids) == 1 and compared >= 64 * len(known), f'{compared} registers, VMIDs {vmids}')
    print(f'{len(known)} waves, {compared} registers agree')
    return vmids.pop()


def hdb_vm(debugfs, sysfs, vmid, va):
    done = subprocess.run([os.environ['HDB'], 'vm', '--debugfs', debugfs, '--sysfs', sysfs, '--vmid', str(vmid), hex(va)],
                          capture_output=True, text=True, timeout=60)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def compare_pages(folder, debugfs, sysfs, vmid, least):
    pages = [line.split()[1:] for line in dump(folder, 'pages', vmid)]
    pages = [(int(va, 16), int(size, 16), where, int(address, 16), int(entry, 16))
             for va, size, where, address, entry in pages]
    check(len(pages) >= least, f'{len(pages)} pages only')
    chosen = pages if EVERY else pages[::max(1, len(pages) // 150)]
    for va, size, where, address, entry in chosen:
        offset = size // 3 & ~3
        code, lines = hdb_vm(debugfs, sysfs, vmid, va + offset)
        text = '\n'.join(lines)
        check(code == 0, f'page {va:#x}: exit status {code}', text)
        value = re.search(r'0x([0-9a-f]{16}) for (\d+) ([KMG]?i?B) from 0x([0-9a-f]+):', lines[-2])
        check(value and int(value[1], 16) == entry and int(value[2]) * SIZES[value[3]] == size and
              int(value[4], 16) == va, f'page {va:#x} of {size:#x}, entry {entry:#x}', text)
        wanted = f'is {"system memory" if where == "system" else "VRAM"} {address + offset:#x},'
        check('has no memory' in lines[-1] if where == 'none' else wanted in lines[-1], wanted, text)
    mapped = {va for va, *_ in pages}
    ends = [va + size for va, size, *_ in pages if va + size not in mapped]
    for va in ends[:20]:
        code, lines = hdb_vm(debugfs, sysfs, vmid, va)
        check(code == 1 and 'leads nowhere' in lines[-1], f'{va:#x} is not mapped', '\n'.join(lines))
    print(f'VMID {vmid}: {len(pages)} pages, {len(chosen)} asked for, and {len(ends[:20])} that are none: agree')


def make_sysfs(root):
    """What the kernel tells of a Navi31, and of its own patience."""
    discovery, parameters = f'{root}/class/drm/card0/device/ip_discovery/die/0/GC/0', f'{root}/module/amdgpu/parameters'
    os.makedirs(discovery)
    os.makedirs(parameters)
    with open(f'{discovery}/base_addr', 'w') as file:
        file.write('0x00001260\n0x0000A000\n')
    with open(f'{parameters}/lockup_timeout', 'w') as file:
        file.write('3600000,3600000\n')


def start_helper(root, debugfs, sysfs):
    """hdb-helper as `hdb run` starts it; it ends with its standard input."""
    socket = f'{root}/helper.sock'
    helper = subprocess.Popen([os.environ['HDB_BUILD_ROOT'] + '/helper/hdb-helper', '--lifeline', '--socket', socket,
                               '--debugfs', debugfs, '--sysfs', sysfs], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    check(helper.stdout.readline() == b'ready\n', 'hdb-helper is not ready')
    return helper, {'HDB_TARGET': 'amdgpu', 'HDB_HELPER': socket, 'HDB_DEBUGFS': debugfs, 'HDB_SYSFS': sysfs}


def stop_and_compare(session, debugfs, sysfs):
    file, line = PLACE.split(':')
    session.break_at(file, int(line))
    session.go()
    session.stopped()
    folder = f'{debugfs}/0'
    deadline = time.monotonic() + 10
    while not os.path.exists(folder):
        check(time.monotonic() < deadline, 'the card is not in the tree')
        time.sleep(0.05)
    vmid = compare_waves(session, folder)
    compare_pages(folder, debugfs, sysfs, vmid, least=20)
    compare_pages(folder, debugfs, sysfs, 0, least=1)  # the kernel's own
    session.hang_up()
    output = session.process.communicate(timeout=60)[0]
    check(session.process.returncode == 0, 'the program failed afterwards', output)


def main():
    if not os.path.exists('/dev/fuse') or os.geteuid() != 0:
        skip('vgpu-debugfs needs /dev/fuse and root')
    with on_driver(), tempfile.TemporaryDirectory() as root:
        debugfs, sysfs = f'{root}/dri', f'{root}/sys'
        os.mkdir(debugfs)
        make_sysfs(sysfs)
        helper, environment = start_helper(root, debugfs, sysfs) if TARGET == 'amdgpu' else (None, {})
        session = Session([os.environ['VGPU_DEBUGFS'], debugfs, '--', PROGRAM], environment)
        try:
            stop_and_compare(session, debugfs, sysfs)
        finally:
            session.kill()
            if helper:
                helper.stdin.close()
                helper.wait(20)


main()
