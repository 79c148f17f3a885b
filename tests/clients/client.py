# SPDX-License-Identifier: MIT
"""What the tests of other people's programs share: running one in the environment of script/env, and under hdb."""
import os
import subprocess
import sys

from harness import skip, typed

CLIENTS = os.environ['CLIENTS']
os.environ.update({'DENO_DIR': os.path.join(CLIENTS, 'deno'), 'DENO_NO_UPDATE_CHECK': '1'})


def check_installed(path, why):
    if not path or not os.path.exists(path):
        skip(why)


def run(command, may_fail=False, **variables):
    """In the environment that script/env gives; output and errors in one text. It must end with 0."""
    script = 'eval "$("$0" "$HDB_BUILD_ROOT")" && exec "$@"'
    done = subprocess.run(['sh', '-c', script, os.environ['HDB_ENV'], *command], env=dict(os.environ, **variables),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, errors='replace')
    if done.returncode and not may_fail:
        sys.exit(f'{" ".join(command)}: exit code {done.returncode}:\n{done.stdout}')
    return done.stdout


def debug(program, *commands, compile_mode, dispatch='0', may_fail=False):
    """What hdb says, with these commands, and the program."""
    options = ['--gpu', 'virtual', '--compile', compile_mode, '--dispatch', dispatch, '--batch']
    return run([os.environ['HDB'], 'run', *options, *typed(*commands), '--', *program], may_fail)
