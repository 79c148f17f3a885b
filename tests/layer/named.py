#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the application calls its buffers and images is what the debugger calls them:  named.py PROGRAM

From meson: VK_ADD_LAYER_PATH, HDB_TEST_DRIVER (a library; may be unset)."""
import re
import sys

from dap import Session
from harness import RIGHT, check, on_driver

VALUES = {
    'first': r'\(Links \*\) 0x[0-9a-f]+ \(buffer "links" \+ 16 of 272 bytes\)',
    '&values[0]': r'\(uint \*\) 0x[0-9a-f]+ \(buffer "blades" of 256 bytes\)',
    '&counts[0]': r'\(uint \*\) 0x[0-9a-f]+',
    'weights': r'.*image "wind": 2D image 8x8, .*',
}
REFUSALS = {
    'values[64]': '64 elements in buffer "blades"',
    'counts[64]': '64 elements in the memory bound to Nameless',
}
PLACES = {
    'Values': r'0x[0-9a-f]+, buffer "blades", 256 bytes',
    'Nameless': r'0x[0-9a-f]+, the memory bound to Nameless, 256 bytes',
}


def refusal(session, stop, expression):
    try:
        return f'no error, but {session.evaluate(stop, expression)}'
    except RuntimeError as error:
        return str(error)


def variables(session, stop):
    frame = session.request('stackTrace', threadId=stop['threadId'])['stackFrames'][0]['id']
    for scope in session.request('scopes', frameId=frame)['scopes']:
        yield from session.request('variables', variablesReference=scope['variablesReference'])['variables']


def main():
    with on_driver():
        session = Session([sys.argv[1]])
        try:
            session.break_at('named.comp', 16)
            session.go()
            stop = session.stopped()
            for expression, wanted in VALUES.items():
                value = session.evaluate(stop, expression)
                check(re.fullmatch(wanted, value), f'{expression} is {value}')
            for expression, wanted in REFUSALS.items():
                text = refusal(session, stop, expression)
                check(wanted in text, f'{expression}: {text}')
            where = {variable['name']: variable.get('where') for variable in variables(session, stop)}
            for name, wanted in PLACES.items():
                check(re.fullmatch(wanted, where[name]), f'{name} is at {where[name]}')
            session.hang_up()
            output = session.process.communicate(timeout=60)[0]
            check(session.process.returncode == 0 and RIGHT.search(output), 'the program failed afterwards', output)
        finally:
            session.kill()


main()
