#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`hdb doctor` on machines that are folders, against transcripts, and on this one.

usage: test_doctor.py HDB TRANSCRIPTS [--update]"""
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

HDB, TRANSCRIPTS = sys.argv[1:3]
UPDATE = "--update" in sys.argv
PCI = "/sys/devices/pci0000:00/0000:00:01.0/0000:03:00.0"
FOREVER = "3600000,3600000,3600000,3600000"


def card(gc):
    """A Radeon card: its folder in sysfs as the kernel has it, its render node and debugfs files."""
    files = {
        f"{PCI}/vendor": "0x1002\n",
        f"{PCI}/device": {11: "0x744c\n", 10: "0x73bf\n"}[gc[0]],
        f"{PCI}/drm/renderD128/dev": "226:128\n",
        f"{PCI}/vbios_version": "113-D7020100-102\n",
        f"{PCI}/power/runtime_status": "active\n",
        "/dev/dri/renderD128": "",
        "/sys/kernel/debug/dri/0/name": "amdgpu dev=0000:03:00.0 unique=0000:03:00.0\n",
    }
    for name, value in zip(("major", "minor", "revision"), gc):
        files[f"{PCI}/ip_discovery/die/0/GC/0/{name}"] = f"{value}\n"
    for name in ("amdgpu_regs2", "amdgpu_vram", "amdgpu_iomem"):
        files[f"/sys/kernel/debug/dri/0/{name}"] = ""
    files["/sys/kernel/debug/dri/0/amdgpu_firmware_info"] = "VCN feature version: 0, firmware version: 0x0911800b\n"
    return files


def manifest(section, library, api):
    return json.dumps({"file_format_version": "1.0.0", section: {"library_path": library, "api_version": api}})


KERNEL = {
    "/proc/sys/kernel/osrelease": "6.12.9-amd64\n",
    "/proc/version": "Linux version 6.12.9-amd64\n",
    "/proc/cmdline": "BOOT_IMAGE=/vmlinuz root=UUID=secret amdgpu.ppfeaturemask=0xffffffff quiet\n",
    "/proc/mounts": "proc /proc proc rw 0 0\nnone /sys/kernel/debug debugfs rw,relatime 0 0\n",
    "/usr/bin/sudo": "",
}
MODULE = {"/sys/module/amdgpu/parameters/lockup_timeout": f"{FOREVER}\n"}
LIBRARIES = "/usr/local/lib/x86_64-linux-gnu"
HDB_INSTALLED = {
    "/usr/lib/x86_64-linux-gnu/libvulkan.so.1.3.239": "",
    f"{LIBRARIES}/libVkLayer_hdb.so": "",
    f"{LIBRARIES}/libvulkan_radeon_hdb.so": "",
    f"{LIBRARIES}/libhdb-vgpu.so.0": "",
    "/usr/local/bin/hdb-helper": "",
    "/usr/local/share/vulkan/explicit_layer.d/VkLayer_hdb.json": manifest("layer", "libVkLayer_hdb.so", "1.4.305"),
    "/usr/local/share/vulkan/icd.d/radeon_hdb_icd.x86_64.json":
        manifest("ICD", f"{LIBRARIES}/libvulkan_radeon_hdb.so", "1.4.305"),
}
WELL = KERNEL | MODULE | card((11, 0, 0)) | HDB_INSTALLED

# name: files, exit code
MACHINES = {
    "all-well": (WELL, 0),
    "no-card": (KERNEL | HDB_INSTALLED, 0),
    "nothing-installed": (KERNEL | MODULE | card((11, 0, 0)), 1),
    "gfx10-card": (KERNEL | MODULE | card((10, 3, 0)) | HDB_INSTALLED, 0),
    "two-cards": (WELL | {
        "/sys/class/drm/card1/device/vendor": "0x1002\n",
        "/sys/class/drm/card1/device/device": "0x73bf\n",
        "/sys/class/drm/card1/device/ip_discovery/die/0/GC/0/major": "10\n",
        "/sys/class/drm/card1/device/ip_discovery/die/0/GC/0/minor": "3\n",
    }, 0),
    "locked-down": (WELL | {"/sys/kernel/security/lockdown": "none [integrity] confidentiality\n"}, 0),
    "locked-down-by-command-line": (WELL | {
        "/sys/kernel/security/lockdown": "none integrity [confidentiality]\n",
        "/proc/cmdline": "BOOT_IMAGE=/vmlinuz lockdown=confidentiality quiet\n",
    }, 0),
    "no-folder": ({path: text for path, text in WELL.items() if not path.endswith("dri/0/name")}, 0),
    "no-render-node": ({path: text for path, text in WELL.items() if "renderD128" not in path}, 0),
    "lockdown-off": (WELL | {"/sys/kernel/security/lockdown": "[none] integrity confidentiality\n"}, 0),
    "timeouts-short": (WELL | {"/sys/module/amdgpu/parameters/lockup_timeout": "10000,60000,10000,10000\n"}, 0),
    "timeouts-not-set": (WELL | {"/sys/module/amdgpu/parameters/lockup_timeout": "\n"}, 0),
    "timeout-of-graphics-only": (WELL | {"/sys/module/amdgpu/parameters/lockup_timeout": "3600000\n"}, 0),
    "timeouts-off": (WELL | {"/sys/module/amdgpu/parameters/lockup_timeout": "-1,-1\n"}, 0),
    "debugfs-not-mounted": (WELL | {"/proc/mounts": "proc /proc proc rw 0 0\n"}, 0),
    "old-kernel": (WELL | {"/proc/sys/kernel/osrelease": "5.10.0-28-amd64\n"}, 0),
    "no-regs2": ({path: text for path, text in WELL.items() if not path.endswith("regs2")}, 0),
    "layer-of-another-build": (WELL | {
        "/usr/local/share/vulkan/explicit_layer.d/VkLayer_hdb.json": manifest("layer", "libVkLayer_hdb.so", "1.4.330"),
    }, 1),
}


def build(root, files):
    for path, text in files.items():
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        with open(root + path, "w") as file:
            file.write(text)
    if f"{PCI}/vendor" in files:
        os.makedirs(f"{root}/sys/class/drm/card0", exist_ok=True)
        os.symlink("../../../devices/pci0000:00/0000:00:01.0/0000:03:00.0", f"{root}/sys/class/drm/card0/device")
    loader = f"{root}/usr/lib/x86_64-linux-gnu/libvulkan.so.1"
    if os.path.exists(f"{loader}.3.239"):
        os.symlink("libvulkan.so.1.3.239", loader)


def doctor(*arguments, prefix=(), environment=None):
    done = subprocess.run([*prefix, HDB, "doctor", *arguments], capture_output=True, text=True, timeout=100,
                          env=environment)
    return done.returncode, done.stdout, done.stderr


def compare(name, got):
    path = f"{TRANSCRIPTS}/{name}.txt"
    if UPDATE:
        with open(path, "w") as file:
            file.write(got)
        return True
    with open(path) as file:
        wanted = file.read()
    if got != wanted:
        print(f"--- {name}: wanted\n{wanted}--- got\n{got}")
    return got == wanted


failed = []
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    for name, (files, code) in MACHINES.items():
        root = f"{folder}/{name}"
        build(root, files)
        result, out, err = doctor("--root", root)
        # The tests may run as root or not; the sentence about that has a test of its own.
        out = re.sub(r"^ok  privileges          (root|sudo starts hdb-helper as root)$",
                     "ok  privileges          (whoever runs this)", out, flags=re.M)
        if result != code or err or not compare(name, out):
            print(f"{name}: exit code {result}, {code} expected; {err}")
            failed.append(name)

        # JSON says the same. What is not ok has a command to be typed.
        _, text, _ = doctor("--root", root, "--json")
        data = json.loads(text)
        for finding in data["findings"]:
            if finding["state"] == "no" and (
                    not re.match(r"(sudo|hdb|echo|script/bootstrap|su -c)\b", finding["remedy"]) or ", " in finding["remedy"]):
                failed.append(f"{name}: no command for {finding['name']}")
        if [f"{f['state']}  {f['name']:18}" for f in data["findings"]] != \
           [line[:22] for line in out.splitlines() if re.match("ok|no|--", line)] or \
           (any(road["state"] == "open" for road in data["roads"]) != (code == 0)):
            failed.append(f"{name} --json")

    # Someone who is not root: debugfs can't be seen, and it says so.
    root = f"{folder}/all-well"
    os.chmod(f"{root}/sys/kernel/debug", 0o700)
    if os.geteuid() == 0 and shutil.which("setpriv"):
        prefix = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        if subprocess.run([*prefix, HDB, "version"], capture_output=True).returncode == 0:
            os.chmod(f"{root}/dev/dri/renderD128", 0o600)
            result, out, err = doctor("--root", root, prefix=prefix)
            if result != 0 or not compare("not-root", out):
                failed.append(f"not-root: {err}")
    os.chmod(f"{root}/sys/kernel/debug", 0o755)

    # The report has what explains things, and nothing else of the command line.
    environment = dict(os.environ, RADV_DEBUG="syncshaders", PASSWORD_OF_MINE="secret")
    result, out, _ = doctor("--root", root, "--report", f"{folder}/report", environment=environment)
    with open(f"{folder}/report") as file:
        report = file.read()
    for wanted in (out, "== /proc/version", "amdgpu.ppfeaturemask=0xffffffff", "RADV_DEBUG=syncshaders",
                   "parameters/lockup_timeout", "113-D7020100-102", "\namdgpu_regs2\n", "VCN feature version: 0",
                   "== /sys/class/drm/card0/device/power/runtime_status\nactive"):
        if wanted not in report:
            failed.append(f"report: no {wanted}")
    if "secret" in report:
        failed.append("report: secrets")

    # Wrong usage, and a report that can't be written.
    for arguments in (["--what"], ["x"], ["--report"]):
        result, out, err = doctor(*arguments)
        if result != 2 or out or "usage" not in err:
            failed.append(f"usage {arguments}")
    result, out, err = doctor("--root", root, "--report", f"{folder}/nowhere/report")
    if result != 1 or err.count("\n") != 1:
        failed.append(f"unwritable report: {err}")
    # A full disk. As a file of that name, which a careless program has put there, it would prove nothing.
    if not stat.S_ISCHR(os.stat("/dev/full").st_mode):
        failed.append("/dev/full is no device")
    result, out, err = doctor("--root", root, "--report", "/dev/full")
    if result != 1 or err != "hdb: /dev/full can't be written whole\n":
        failed.append(f"report on a full disk: exit code {result}, {err}")
    for arguments in ([], ["--json"], ["--help"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([HDB, "doctor", "--root", root, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
        if done.returncode != 1 or done.stderr != "hdb: standard output can't be written\n":
            failed.append(f"{arguments} on a full disk: exit code {done.returncode}, {done.stderr}")
    for option in ("--help", "-h"):
        result, out, err = doctor(option)
        if result != 0 or not out.startswith("usage: hdb doctor") or err:
            failed.append(f"{option}: exit code {result}, {err}")

    # This machine: the virtual GPU is tried for real, and with a driver that other tests are given, the driver, too.
    environment = dict(os.environ)
    driver = os.environ.get("HDB_TEST_DRIVER")
    if driver:
        with open(f"{folder}/icd.json", "w") as file:
            file.write(manifest("ICD", driver, "1.4.305"))
        environment["VK_DRIVER_FILES"] = f"{folder}/icd.json"
    result, out, err = doctor(environment=environment)
    if "ok  vgpu                ran a program of 64 threads" not in out:
        failed.append(f"vgpu on this machine:\n{out}{err}")
    if driver and not re.search(r"^ok  driver              .*hdb's RADV, contract version", out, re.M):
        failed.append(f"driver on this machine:\n{out}{err}")

    # A driver of that name that is not hdb's, and a library that is none.
    lavapipe = "/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so"
    for library, sentence in ((lavapipe, "the driver is not hdb's"), ("/proc/version", "")):
        if not os.path.exists(library):
            continue
        os.symlink(library, f"{folder}/libvulkan_radeon_hdb.so")
        with open(f"{folder}/icd.json", "w") as file:
            file.write(manifest("ICD", f"{folder}/libvulkan_radeon_hdb.so", "1.4.305"))
        environment["VK_DRIVER_FILES"] = f"{folder}/icd.json"
        result, out, err = doctor(environment=environment)
        os.unlink(f"{folder}/libvulkan_radeon_hdb.so")
        if not re.search(f"^no  driver              .*{sentence}", out, re.M):
            failed.append(f"driver {library}:\n{out}{err}")

for problem in failed:
    print("FAILED", problem)
sys.exit(1 if failed else 0)
