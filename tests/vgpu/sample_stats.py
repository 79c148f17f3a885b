#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""HDB_VGPU_STATS=1 on a Vulkan program:  sample_stats.py SAXPY

y = a * x + y for 1000 elements: 16 workgroups of 64, which read two floats an element and write one.

From meson: HDB_TEST_DRIVER (a library; may be unset).
"""
import re
import subprocess
import sys

from harness import on_driver

with on_driver(HDB_GPU='virtual', HDB_VGPU_STATS='1'):
    result = subprocess.run(sys.argv[1:], text=True, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
sys.stderr.write(result.stderr)
if result.returncode or 'saxpy: 1000 of 1000 right' not in result.stdout:
    sys.exit(f'failed: {result}')
for line in (r'hdb-vgpu: statistics',
             r'  jobs \d+, dispatches 1, workgroups 16, waves (16|32), threads 1024',
             r'    buffer +8000 +4000 +0',
             r'    all +\d+ +0'):
    if len(re.findall(f'^{line}$', result.stderr, re.MULTILINE)) != 1:
        sys.exit(f'failed: not once: {line}')
