# SPDX-License-Identifier: MIT
"""A small DAP client for tests and benchmarks: starts a program as `hdb run` does and talks to the engine in it."""
import json
import os
import select
import signal
import socket
import subprocess
import time


class Ended(Exception):
    """The engine closed the connection."""


class Session:
    def __init__(self, program, env=None, ask=False):
        channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = dict(os.environ, HDB_CLIENT_FD=str(theirs.fileno()), HDB_GPU='virtual',
                           VK_INSTANCE_LAYERS='VK_LAYER_hdb')
        environment.update(env or {})
        self.process = subprocess.Popen(program, env=environment, pass_fds=[theirs.fileno()],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, start_new_session=True)
        theirs.close()
        self.socket = self.accept(channel)
        self.received = b''
        self.seq = 0
        self.events = []
        self.answer = 'yes' if ask else 'none'  # to offers
        self.offers = []
        self.request('initialize', adapterID='hdb')
        self.request('attach', ask=ask)
        self.event('initialized')

    @staticmethod
    def accept(channel, timeout=30):
        """The connection that the program's first engine sends; later ones find the channel closed."""
        with channel:
            if not select.select([channel], [], [], timeout)[0]:
                raise TimeoutError('no engine in the program')
            _, descriptors, _, _ = socket.recv_fds(channel, 16, 1)
            if not descriptors:
                raise Ended
            return socket.socket(fileno=descriptors[0])

    # ---- messages ----

    def send(self, message):
        self.seq += 1
        text = json.dumps(dict(message, seq=self.seq)).encode()
        try:
            self.socket.sendall(b'Content-Length: %d\r\n\r\n%s' % (len(text), text))
        except OSError as error:
            raise Ended from error
        return self.seq

    def receive(self, deadline):
        while True:
            header, separator, rest = self.received.partition(b'\r\n\r\n')
            if separator:
                length = int(header.split(b':')[1])
                if len(rest) >= length:
                    self.received = rest[length:]
                    return json.loads(rest[:length])
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise TimeoutError('nothing came from the engine')
            data = self.socket.recv(1 << 16)
            if not data:
                raise Ended
            self.received += data

    def handle(self, message):
        if message['type'] == 'event':
            self.events.append(message)
        elif message['type'] == 'request' and message['command'] == 'hdb/offer':
            self.offers.append(message['arguments'])
            self.send({'type': 'response', 'request_seq': message['seq'], 'command': 'hdb/offer', 'success': True,
                       'body': {'answer': self.answer}})

    def request(self, command, timeout=30, **arguments):
        """The response's body; RuntimeError with the engine's message if it refused."""
        seq = self.send({'type': 'request', 'command': command, 'arguments': arguments})
        deadline = time.monotonic() + timeout
        while True:
            message = self.receive(deadline)
            if message['type'] == 'response' and message['request_seq'] == seq:
                if not message['success']:
                    raise RuntimeError(message.get('message', 'refused'))
                return message.get('body', {})
            self.handle(message)

    def event(self, *names, timeout=30):
        """The next event of one of these names; those before it are dropped."""
        deadline = time.monotonic() + timeout
        while True:
            while self.events:
                message = self.events.pop(0)
                if message['event'] in names:
                    return message.get('body', {})
            self.handle(self.receive(deadline))

    # ---- what tests do all the time ----

    def break_at(self, file, *lines):
        return self.request('setBreakpoints', source={'path': file},
                            breakpoints=[{'line': line} for line in lines])['breakpoints']

    def catch(self, *names):
        return self.request('setFunctionBreakpoints', breakpoints=[{'name': name} for name in names])['breakpoints']

    def go(self):
        self.request('configurationDone')

    def stopped(self, timeout=30):
        return self.event('stopped', timeout=timeout)

    def resume(self, command, stop, **arguments):
        self.request(command, threadId=stop['threadId'], **arguments)

    def step(self, stop, command='stepIn', granularity='line'):
        self.resume(command, stop, granularity=granularity)
        return self.stopped()

    def evaluate(self, stop, expression):
        return self.request('evaluate', expression=expression, threadId=stop['threadId'], context='repl')['result']

    def finish(self, timeout=60):
        """Clears breakpoints of names, lets the program run to its end: (exit code, output)."""
        deadline = time.monotonic() + timeout
        try:
            while True:
                self.handle(self.receive(deadline))
        except Ended:
            pass
        output = self.process.communicate(timeout=max(1, deadline - time.monotonic()))[0]
        return self.process.returncode, output

    def hang_up(self):
        """As if hdb had been killed."""
        self.socket.close()

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.socket.close()
