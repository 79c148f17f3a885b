#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`hdb vm` on a program that runs under vgpu-debugfs: the walk, flags, memory, and what it says where there is none.

usage: command.py HDB VGPU_DEBUGFS PROGRAM"""
import os
import re
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time

HDB, VGPU_DEBUGFS, PROGRAM = sys.argv[1:4]
signal.signal(signal.SIGINT, signal.SIG_DFL)  # also for what it starts: a test in the background begins with it ignored
VA = 0xffff800100000000

if not os.path.exists("/dev/fuse") or os.geteuid() != 0:
    print("skipped: vgpu-debugfs needs /dev/fuse and root")
    sys.exit(77)


def fake_sysfs(root):
    """Where Navi31's graphics engine has its registers, as the kernel shows it of the card's discovery table."""
    folder = f"{root}/class/drm/card0/device/ip_discovery/die/0/GC/0"
    os.makedirs(folder)
    with open(f"{folder}/base_addr", "w") as file:
        file.write("0x00001260\n0x0000A000\n0x0001C000\n0x02402C00\n")


def fake_sysfs_of_two(root):
    """The same beside another vendor's card, as card 1."""
    device = f"{root}/devices/pci0000:00/0000:03:00.0"
    os.makedirs(f"{device}/ip_discovery/die/0/GC/0")
    with open(f"{device}/ip_discovery/die/0/GC/0/base_addr", "w") as file:
        file.write("0x00001260\n0x0000A000\n")
    os.makedirs(f"{device}/ip_discovery/die/0/OSSSYS/0")
    with open(f"{device}/ip_discovery/die/0/OSSSYS/0/base_addr", "w") as file:
        file.write("0x000010A0\n0x0240A000\n")
    for folder in ("class/drm/card0/device", "class/drm/renderD128/device", "class/drm/renderD129", "dev/char/226:129"):
        os.makedirs(f"{root}/{folder}")
    for minor in (128, 129):
        with open(f"{root}/class/drm/renderD{minor}/dev", "w") as file:
            file.write(f"226:{minor}\n")
    os.symlink(device, f"{root}/class/drm/renderD129/device")
    os.symlink(device, f"{root}/dev/char/226:129/device")


def fake_proc(root, pid, pasid):
    """A process that has card 1's render node open, as amdgpu shows its address space (amdgpu_fdinfo.c)."""
    os.makedirs(f"{root}/{pid}/fd")
    os.makedirs(f"{root}/{pid}/fdinfo")
    os.mknod(f"{root}/{pid}/fd/5", 0o600 | stat.S_IFCHR, os.makedev(226, 129))
    with open(f"{root}/{pid}/fdinfo/5", "w") as file:
        file.write(f"pos:\t0\nflags:\t02100002\ndrm-driver:\tamdgpu\npasid:\t{pasid}\n")


class Program:
    def __init__(self, folder, sysfs, *options):
        self.folder, self.sysfs = folder, sysfs
        environment = dict(os.environ, HDB_GPU="virtual")
        self.process = subprocess.Popen([VGPU_DEBUGFS, *options, folder, "--", PROGRAM], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)
        self.vmid = int(self.process.stdout.readline().split()[1])
        deadline = time.monotonic() + 10
        while not os.path.exists(f"{folder}/0/amdgpu_vram"):
            assert time.monotonic() < deadline, "no files"
            time.sleep(0.05)
        with open(f"{folder}/0/clients") as file:
            self.pid = int(file.read().splitlines()[1].split()[1])

    def vm(self, *arguments):
        done = subprocess.run([HDB, "vm", "--debugfs", self.folder, "--sysfs", self.sysfs, *map(str, arguments)],
                              capture_output=True, text=True, timeout=30)
        return done.returncode, done.stdout, done.stderr

    def power(self):
        with open(f"{self.folder}/0/amdgpu_gfxoff_status", "rb") as file:
            return file.read(4)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(10)


def wait_until(condition, what):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def expect(got, code, *patterns):
    """Each line of the output is one of the patterns, in order."""
    lines = (got[1] + got[2]).splitlines()
    problem = got[0] != code or len(lines) != len(patterns)
    for line, pattern in zip(lines, patterns):
        problem |= not re.fullmatch(pattern, line)
    if problem:
        print(f"exit code {got[0]}, {code} expected; output:\n" + "\n".join(lines) + "\nexpected:\n" +
              "\n".join(patterns))
        sys.exit(1)


H = "0x[0-9a-f]+"
SPACE = f"VMID 1: 0x0 to 0xffffffffffff, 4 levels, page tables for 2 MiB, base 0x[0-9a-f]{{16}}"
TABLES = [
    SPACE,
    rf"  base  {'':28} 0x[0-9a-f]{{13}}001 for 256 TiB from 0x0: V NC",
    rf"  PDE2  VRAM {H} \[256\] +0x[0-9a-f]{{13}}001 for 512 GiB from 0xffff800000000000: V NC",
    rf"  PDE1  VRAM {H} \[4\] +0x[0-9a-f]{{13}}001 for 1 GiB from 0xffff800100000000: V NC",
]

with tempfile.TemporaryDirectory() as root:
    files, sysfs = f"{root}/dri", f"{root}/sys"
    os.mkdir(files)
    fake_sysfs(sysfs)
    with Program(files, sysfs) as program:
        assert program.vmid == 1

        # 2 MiB of VRAM are one entry of PDB0: P, FRAGMENT 9, MTYPE 3.
        expect(program.vm(program.pid, hex(VA + 0x200010), "--read", 8), 0, *TABLES,
               rf"  PDE0  VRAM {H} \[1\] +0x0043[0-9a-f]{{9}}4e1 for 2 MiB from 0xffff800100200000: "
               r"V R W P fragment 9 UC",
               rf"0xffff800100200010 is VRAM {H}, in a page of 2 MiB: rw-, MTYPE UC",
               r"0xffff800100200010: 00 00 00 00 00 00 00 00")
        text = " ".join(f"{byte:02x}" for byte in b"in video memory\0")
        code, out, _ = program.vm("--vmid", 1, hex(VA + 0x18), "--read", 16)
        assert code == 0 and out.splitlines()[-1] == f"0x{VA + 0x18:x}: {text}", out

        # A page of system memory.
        text = " ".join(f"{byte:02x}" for byte in b"in system memory")
        expect(program.vm("--vmid", 1, hex(VA + (4 << 20) + 0x18), "--read", 16), 0, *TABLES,
               rf"  PDE0  VRAM {H} \[2\] +0x[0-9a-f]{{13}}001 for 2 MiB from 0xffff800100400000: V NC",
               rf"  PTE   VRAM {H} \[0\] +0x[0-9a-f]{{13}}037 for 4 KiB from 0xffff800100400000: "
               r"V S C X R fragment 0 NC",
               rf"0xffff800100400018 is system memory {H}018, in a page of 4 KiB: r-x, snooped, MTYPE NC",
               f"0xffff800100400018: {text}")

        # A page without memory, and none at all.
        code, out, _ = program.vm(program.pid, hex(VA + (8 << 20)))
        assert code == 0 and "PRT" in out and out.splitlines()[-1].startswith(f"0x{VA + (8 << 20):x} has no memory"), out
        expect(program.vm(program.pid, "0x10000"), 1, *TABLES[:2],
               rf"  PDE2  VRAM {H} \[0\] +0x0000000000000000 for 512 GiB from 0x0: NC",
               "0x10000 leads nowhere: the entry is not valid")
        code, out, err = program.vm("--vmid", 1, "0x10000", "--read", 4)
        assert code == 1, out
        expect(program.vm("--vmid", 1, "0x0800000000000000"), 1, SPACE,
               "0x800000000000000 leads nowhere: no such address: bits 63:48 do not continue bit 47")

        # VMID 0 has a flat table for system memory and reaches VRAM directly; the others are not enabled.
        code, out, _ = program.vm("--vmid", 0)
        start = re.fullmatch(rf"VMID 0: (0x[0-9a-f]+) to {H}, one flat table, base {H}\n", out)[1]
        expect(program.vm("--vmid", 0, start), 0, f"VMID 0: {start} .*", rf"  base  +0x[0-9a-f]{{16}} for .* from {start}: V NC",
               rf"  PTE   VRAM {H} \[0\] +0x[0-9a-f]{{16}} for 4 KiB from {start}: V S C X R W fragment 0 NC",
               rf"{start} is system memory {H}, in a page of 4 KiB: rwx, snooped, MTYPE NC")
        code, out, _ = program.vm("--vmid", 0, "0x1000")
        assert code == 0 and "is VRAM 0x1000, untranslated" in out, out
        expect(program.vm("--vmid", 3, hex(VA)), 1, "VMID 3: not enabled",
               f"0x{VA:x} leads nowhere: the address space is not enabled")
        code, out, _ = program.vm()
        assert code == 0 and len(out.splitlines()) == 16 and re.search(f"^{SPACE}$", out, re.M), out

        expect(program.vm("--vmid", 1, "--invalidate"), 0, "VMID 1's translations dropped", SPACE)

        # Refusals.
        for arguments in (["--vmid", 16], ["12x"], ["--read", 4], ["--invalidate"], ["--vmid", 1, "0x1", "2"]):
            code, out, err = program.vm(*arguments)
            assert code == 2 and err and not out, (arguments, code, out, err)
        expect(program.vm(os.getpid(), hex(VA)), 1, f"hdb: process {os.getpid()} does not use a card in {files}")
    fake_sysfs_of_two(f"{root}/sys2")
    with Program(files, f"{root}/sys2") as program:
        code, out, err = program.vm("--vmid", 1, hex(VA))
        assert code == 0 and "is VRAM" in out, err
        # The kernel's lookup table says which VMID an address space has: 1; or 3, as soon as that stands there.
        fake_proc(f"{root}/proc", program.pid, 0x8001)
        fake_proc(f"{root}/proc2", program.pid, 0x8765)
        for proc, vmid in (("proc", 1), ("proc2", 1), ("proc2", 3)):  # without an entry there is one candidate
            if vmid == 3:
                with open(f"{files}/0/amdgpu_regs2", "r+b", buffering=0) as file:
                    os.pwrite(file.fileno(), struct.pack("<I", 0x8765), 4 * (0x10a0 + 3))
            code, out, err = program.vm("--proc", f"{root}/{proc}", program.pid)
            assert out.startswith(f"VMID {vmid}: "), (proc, vmid, out, err)
    with Program(files, sysfs, "--fault", "powered-down") as program:
        code, out, err = program.vm("--vmid", 1, hex(VA))
        assert code == 1 and "powered down" in err, err
    with Program(files, sysfs, "--fault", "lockdown") as program:
        code, out, err = program.vm("--vmid", 1, hex(VA))
        assert code == 1 and "lockdown" in err, err
    for number in (signal.SIGINT, signal.SIGKILL):  # while a file does not answer; and the card may sleep again
        with Program(files, sysfs, "--fault", "gfxoff", "--inject", "amdgpu_regs2:read:3:hang") as program:
            asleep = program.power()
            process = subprocess.Popen([HDB, "vm", "--debugfs", files, "--sysfs", sysfs, "--vmid", "1"])
            wait_until(lambda: program.power() != asleep, "GFXOFF is held off")
            process.send_signal(number)
            assert process.wait(10) == -number, process.returncode
            wait_until(lambda: program.power() == asleep, "GFXOFF is allowed again")
    with Program(files, sysfs, "--inject", "amdgpu_vram:read:1-:fail") as program:
        code, out, err = program.vm("--vmid", 1, hex(VA))
        assert code == 1 and "page tables can't be read" in err, err
    code, out, err = program.vm("--vmid", 1, hex(VA))
    assert code == 1 and err.count("\n") == 1, err
