# SPDX-License-Identifier: MIT
"""What `hdb` prints, for tests of it: on the virtual GPU, through the real driver."""
import os
import re
import subprocess
import sys

from harness import typed

HDB = os.environ['HDB']
SAMPLES = os.environ['HDB_SAMPLES']
SHADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'variables')  # run by the program of tests/glsl
BINARIES = os.environ.get('HDB_CLI_SHADERS', '')
OWN = ('kinds', 'hlsl', 'nested', 'layouts', 'bindings', 'aliases', 'included', 'names', 'unnamed', 'shadowed', 'parts',
       'legalized', 'written')


def sample(name):
    return os.path.join(SAMPLES, name)


def hdb(*arguments, code=0, stdin=None, env=None):
    """Output and errors of hdb in one text; its exit code must be `code`."""
    done = subprocess.run([HDB, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                          input=stdin, env=dict(os.environ, **(env or {})))
    if done.returncode != code:
        sys.exit(f'hdb {" ".join(arguments)}: exit code {done.returncode}, not {code}:\n{done.stdout}')
    return done.stdout


def debug(program, *commands, options=(), code=0):
    return hdb('run', '--gpu', 'virtual', '--batch', *options, *typed(*commands), '--', *program, code=code)


def same(found, expected, text):
    if found != expected:
        sys.exit(f'{found}, not {expected}:\n{text}')


def replies(program, commands, code=0, options=(), binaries=BINARIES):
    """What hdb prints after each command."""
    arguments = [os.environ['HDB_GLSL'], SHADERS, binaries, program] if program in OWN else [
        os.path.join(SAMPLES, program)]
    text = hdb('run', '--gpu', 'virtual', '--batch', '--echo', *options, *typed(*commands), '--', *arguments, code=code)
    parts = text.split('(hdb) ')[1:]
    if [part.split('\n', 1)[0] for part in parts] != list(commands):
        sys.exit(f'not all commands were run:\n{text}')
    return [part.split('\n', 1)[1] for part in parts], text


def session(program, setup, transcript, code=0, options=(), binaries=BINARIES):
    """Runs the setup, then checks each command's reply. A reply that ends in ... need only begin so; None: any. `%N` is
    any id of the module."""
    commands = list(setup) + [command for command, _ in transcript]
    found, text = replies(program, commands, code, options, binaries)
    for (command, expected), reply in zip(transcript, found[len(setup):]):
        if expected is None:
            continue
        if '%N' in expected:
            reply = re.sub(r'%\d+', '%N', reply)
        expected = expected + '\n' if expected else ''
        good = reply.startswith(expected[:-4]) if expected.endswith('...\n') else reply == expected
        if not good:
            sys.exit(f'{program}: {command}: not\n{expected}but\n{reply}in\n{text}')


def refusals(program, setup, commands):
    """Each of these fails with one line."""
    for command, expected in commands:
        found, text = replies(program, list(setup) + [command], code=1)
        if found[-1].splitlines()[:1] != [f'hdb: {expected}']:
            sys.exit(f'{program}: {command}: not\nhdb: {expected}\nbut\n{text}')
