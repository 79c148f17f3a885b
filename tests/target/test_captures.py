#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Captures over the road, played again on the virtual GPU itself:  test_captures.py CASE

debugfs        what the samples' dispatches leave comes out again to the bit
unreadable     memory that the program has brought along, which the kernel shows nobody: the file says so
second-level   nobody tells what memory there is: one line says so, the program runs on, and hdb ends with 1
"""
import os
import re
import subprocess
import sys

from harness import RIGHT, check, expect, on_driver, run_case

SAMPLES = os.environ['HDB_SAMPLES']


def run(*command, code=0, **how):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
                          stdin=subprocess.DEVNULL, **how)
    check(done.returncode == code, f'exit code {done.returncode}', f'{" ".join(command)}:\n{done.stdout}')
    return done.stdout


def capture(work, *program, options=(), code=0):
    path = os.path.join(work, 'capture')
    command = [os.environ['HDB'], 'run', '--gpu', 'virtual', '--batch', '--capture', path, *options, '--', *program]
    return path, run(*command, code=code)


def info(path):
    return run(os.environ['HDB'], 'capture', 'info', path)


def replay(path):
    """By a process that has nothing to do with files of debugfs; it goes straight to its own card."""
    road = ('HDB_TARGET', 'HDB_DEBUGFS', 'HDB_SYSFS')
    env = {name: value for name, value in os.environ.items() if name not in road}
    return run(os.environ['HDB_REPLAY'], path, env=env).splitlines()


def debugfs(work):
    for name, dispatches in (('saxpy', 1), ('reduce', 2)):
        for mode in ('debug', 'optimized'):
            path, text = capture(work, os.path.join(SAMPLES, name), options=['--compile', mode])
            check(RIGHT.search(text), 'the sample is right', text)
            text = info(path)
            check('Incomplete' not in text and 'Note' not in text, 'complete', text)
            lines = replay(path)
            check(len(lines) == dispatches and all(re.match(
                r'dispatch \d+ \(.*\): as captured, [1-9]\d* bytes changed(; \d+ more by something else)?$', line)
                for line in lines), 'all is as captured', '\n'.join(lines))


def unreadable(work):
    folder = os.environ['HDB_VULKAN_TESTS']
    path, text = capture(work, os.path.join(folder, 'vulkan-memory'), folder)
    expect(text, r'^memory by host pointer, general queue: right')
    expect(info(path), r'^Note +64 KiB of memory could not be read, and are zeros here$')


def second_level(work):
    _, text = capture(work, os.path.join(SAMPLES, 'saxpy'), code=1)
    expect(text, r'^dispatch 0 is not captured: what memory it has can\'t be told: no hdb-helper at ',
           r'^saxpy: 1000 of 1000 right')


with on_driver() as directory:
    run_case([debugfs, unreadable, second_level], directory)
