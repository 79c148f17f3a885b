#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""vkcube in a window of the X server and of the Wayland compositor, both without a screen: it runs to its end, says once
what is missing, and the frames get to the window. They have the colour of its background, as draws are skipped.

    test_windows.py x11|wayland
"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

BACKGROUND = 0x333333  # vkcube clears to 0.2
PATIENCE = 60          # seconds
SKIPPED = re.compile(r'^radv: pipeline "\w+": draws are skipped, the virtual GPU has no graphics pipeline\.$', re.M)


def until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f'no {what} after {PATIENCE} s')
        time.sleep(0.05)


def check_words(text):
    if len(SKIPPED.findall(text)) != 1:
        sys.exit(f'skipped draws are to be said once:\n{text}')


def check_end(program, env):
    """A few frames, to the end of the program."""
    done = subprocess.run([program, '--c', '30'], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=PATIENCE)
    if done.returncode:
        sys.exit(f'{program} ended with {done.returncode}:\n{done.stdout}')
    check_words(done.stdout)


def pixel(framebuffer):
    """Of the middle of an XWD file (X11's XWDFile.h: header size first, then big-endian words)."""
    with open(framebuffer, 'rb') as file:
        data = file.read()
    words = struct.unpack('>25I', data[:100])
    header_size, width, height, byte_order, bytes_per_line, colours = (words[i] for i in (0, 4, 5, 7, 12, 19))
    at = header_size + colours * 12 + height // 4 * bytes_per_line + width // 4 * 4
    return int.from_bytes(data[at:at + 4], 'big' if byte_order else 'little') & 0xffffff


def test_x11(folder):
    reader, writer = os.pipe()
    server = subprocess.Popen(['Xvfb', '-displayfd', str(writer), '-screen', '0', '640x480x24', '-fbdir', folder,
                               '-nolisten', 'tcp'], pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as display:
            env = dict(os.environ, DISPLAY=':' + display.readline().strip())
        check_end('vkcube', env)
        cube = subprocess.Popen(['vkcube', '--c', '1000000'], env=env, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        try:
            until(lambda: pixel(f'{folder}/Xvfb_screen0') == BACKGROUND, 'frame in the window')
        finally:
            cube.kill()
            cube.wait()
    finally:
        server.terminate()
        server.wait()


def test_wayland(folder):
    env = dict(os.environ, XDG_RUNTIME_DIR=folder, WAYLAND_DISPLAY='hdb-test')
    compositor = subprocess.Popen(['weston', '--backend=headless-backend.so', '--socket=hdb-test', '--no-config'],
                                  env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: os.path.exists(f'{folder}/hdb-test') or compositor.poll() is not None, 'socket of the compositor')
        check_end('vkcube-wayland', env)
    finally:
        compositor.terminate()
        compositor.wait()


def main():
    if not os.environ.get('HDB_TEST_DRIVER'):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        manifest = f'{folder}/icd.json'
        with open(manifest, 'w') as file:
            file.write('{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}'
                       % os.environ['HDB_TEST_DRIVER'])
        os.environ.update(VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, HDB_GPU='virtual')
        {'x11': test_x11, 'wayland': test_wayland}[sys.argv[1]](folder)


main()
