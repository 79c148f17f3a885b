# SPDX-License-Identifier: MIT
"""What tests in Python share: hdb's driver as the only one, output waited for, and ways to object to it."""
import contextlib
import json
import os
import re
import select
import sys
import tempfile
import time

TIMEOUT = 60
ENTRY = 'Entry of dispatch'
RIGHT = re.compile(r'^\w+: (\d+) of \1 right', re.MULTILINE)


def skip(why):
    print(f'skipped: {why}')
    sys.exit(77)


@contextlib.contextmanager
def on_driver(**environment):
    """Vulkan is hdb's driver alone; sockets are made in the folder that this gives. Skips where there is no driver."""
    driver = os.environ.get('HDB_TEST_DRIVER')
    if not driver:
        skip('no driver: HDB_TEST_DRIVER is not set')
    with tempfile.TemporaryDirectory() as work:
        manifest = os.path.join(work, 'icd.json')
        with open(manifest, 'w') as file:
            json.dump({'file_format_version': '1.0.0', 'ICD': {'library_path': driver, 'api_version': '1.4.305'}}, file)
        os.environ.update({'VK_DRIVER_FILES': manifest, 'XDG_RUNTIME_DIR': work}, **environment)
        yield work


def run_case(cases, *arguments):
    """The one of these functions that the command line names, with - or _ between its words."""
    {case.__name__: case for case in cases}[sys.argv[1].replace('-', '_')](*arguments)


def typed(*commands):
    """The options that make hdb run these commands."""
    return [word for command in commands for word in ('-ex', command)]


def type_in(process, command):
    """For an hdb that reads commands from a pipe."""
    process.stdin.write(command.encode() + b'\n')
    process.stdin.flush()


def leave_to_destroy():
    """What a program leaves to vkDestroyDevice is no leak of hdb's: AddressSanitizer does not look for any."""
    os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'


def check(condition, what, text=''):
    if not condition:
        sys.exit(f'{text}\nfailed: {what}')


def expect(text, *patterns):
    """Each pattern, in this order."""
    at = 0
    for pattern in patterns:
        match = re.compile(pattern, re.MULTILINE).search(text, at)
        if not match:
            sys.exit(f'no "{pattern}" in what follows:\n{text[at:]}')
        at = match.end()


def check_no_socket(work):
    """Sockets go with their processes, however those end."""
    sockets = os.path.join(work, 'hdb')
    left = os.listdir(sockets) if os.path.isdir(sockets) else []
    check(not left, f'left behind: {left}')


class Output:
    """What comes out of a descriptor, waited for by a time limit."""

    def __init__(self, fd):
        self.fd, self.text, self.ended = fd, '', False
        self.deadline = time.monotonic() + TIMEOUT

    def more(self):
        left = self.deadline - time.monotonic()
        if left <= 0 or not select.select([self.fd], [], [], left)[0]:
            sys.exit(f'{self.text}\nfailed: nothing more within {TIMEOUT} s')
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # a terminal without processes
            data = b''
        self.ended = not data
        self.text += data.decode(errors='replace').replace('\r', '')

    def until(self, text):
        while text not in self.text:
            self.more()
            if self.ended:
                sys.exit(f'{self.text}\nfailed: ended without "{text}"')

    def to_end(self):
        while not self.ended:
            self.more()
        return self.text
