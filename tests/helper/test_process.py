#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Who may talk to hdb-helper, and how it ends: the program itself, on plain files in place of debugfs."""
import array
import contextlib
import errno
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from harness import check, skip

HELPER = os.environ['HDB_HELPER_PROGRAM']
NOBODY = 65534
MAGIC, VERSION = 0x68646268, 3
HELLO, CHALLENGE, READ_REGISTER, RESTORE = 1, 2, 4, 9
REQUEST = struct.Struct('<IIIIQIIII')  # op, reg, value, size, address, vmid, se, sa, instance
REPLY = struct.Struct('<iI')
LIMIT = 10


class Card:
    """What hdb-helper opens: a folder of debugfs and one of sysfs."""
    def __init__(self, work, without=()):
        self.debugfs, self.sysfs = os.path.join(work, 'dri'), os.path.join(work, 'sys')
        folder = os.path.join(self.debugfs, '0')
        discovery = os.path.join(self.sysfs, 'class/drm/card0/device/ip_discovery/die/0/GC/0')
        os.makedirs(folder)
        os.makedirs(discovery)
        for name in ('amdgpu_regs2', 'amdgpu_vram', 'amdgpu_iomem', 'amdgpu_gfxoff'):
            if name not in without:
                with open(os.path.join(folder, name), 'wb') as file:
                    file.write(bytes(16))
        self.gfxoff = os.path.join(folder, 'amdgpu_gfxoff')
        with open(os.path.join(discovery, 'base_addr'), 'w') as file:
            file.write('0x00001260\n0x0000A000\n')

    def holds_gfxoff(self):
        with open(self.gfxoff, 'rb') as file:
            return file.read(4) == bytes(4)

    def options(self):
        return ['--debugfs', self.debugfs, '--sysfs', self.sysfs]


@contextlib.contextmanager
def helper(*options, without=(), env=None):
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o777)
        card = Card(work, without)
        card.path = os.path.join(work, 'socket')
        process = subprocess.Popen([HELPER, '--socket', card.path, *card.options(), *options], env=env, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            check(process.stdout.readline() == 'ready\n', 'hdb-helper is ready')
            card.process = process
            yield card
        finally:
            process.kill()
            process.communicate()


def connect(card):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.settimeout(LIMIT)
    client.connect(card.path)
    return client


def reply_of(client):
    message = client.recv(1 << 17)
    return REPLY.unpack_from(message)[0], message[REPLY.size:]


def ask(client, op, reg=0, value=0, size=0, address=0, vmid=0, extra=b'', fd=None):
    message = REQUEST.pack(op, reg, value, size, address, vmid, *[0xffffffff] * 3) + extra
    control = [] if fd is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [fd]))]
    client.sendmsg([message], control)
    return reply_of(client)


def greet(client):
    return ask(client, HELLO, MAGIC, VERSION)


def wait_end(process, code):
    check(process.wait(LIMIT) == code, f'hdb-helper ends with {code}, and not {process.returncode}')


def in_child(function):
    """What it gives in a forked child: 0 to 255."""
    pid = os.fork()
    if pid == 0:
        code = 255
        try:
            code = function()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


# ---- who ----

def test_served():
    """The files are opened, GFXOFF is held off while the client is there; the socket is gone once one has come."""
    with helper() as card:
        client = connect(card)
        check(greet(client) == (0, b''), 'a greeting is answered')
        check(card.holds_gfxoff(), 'GFXOFF is held off')
        check(not os.path.exists(card.path), 'the socket is gone')
        result, nonce = ask(client, CHALLENGE)
        check(result == 0 and len(nonce) == 16 and nonce != bytes(16), 'a challenge')
        check(ask(client, READ_REGISTER, reg=0x1f72)[0] == -errno.EACCES, 'nothing without a claim')
        client.close()
        wait_end(card.process, 0)
        check(not card.holds_gfxoff(), 'GFXOFF is allowed again')


def test_another_user():
    def attempt():
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        try:
            client = connect(card)
        except PermissionError:
            return 1
        return 2 if reply_of(client)[0] == -errno.EACCES else 3
    with helper() as card:
        check(in_child(attempt) == 1, 'another user does not reach the socket')
        os.chmod(card.path, 0o666)
        check(in_child(attempt) == 2, 'and is refused')
        client = connect(card)
        result = greet(client)
        check(result == (0, b''), f'the right one is served afterwards: {result}')


def test_silent():
    """One that connects and says nothing keeps nobody waiting, and is sent away; one that goes is forgotten."""
    with helper() as card:
        silent, gone, client = connect(card), connect(card), connect(card)
        gone.close()
        before = time.monotonic()
        check(greet(client) == (0, b''), 'another one is served')
        check(time.monotonic() - before < 1, 'at once')
        check(reply_of(silent)[0] == -errno.EBUSY, 'the silent one is told')
    with helper() as card:
        silent = connect(card)
        before = time.monotonic()
        check(reply_of(silent)[0] == -errno.ETIMEDOUT, 'it is sent away')
        check(time.monotonic() - before < 5, 'soon')
        check(greet(connect(card)) == (0, b''), 'and the next one served')


def test_left_socket():
    """A killed helper's socket is in nobody's way, one that serves is."""
    with helper() as card:
        second = subprocess.run([HELPER, '--socket', card.path, *card.options()], stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
        check(second.returncode == 1 and 'in use' in second.stderr, 'a second one gives way', second.stderr)
        card.process.kill()
        card.process.wait()
        check(os.path.exists(card.path), 'it is left behind')
        third = subprocess.Popen([HELPER, '--socket', card.path, *card.options()], stdin=subprocess.DEVNULL, text=True,
                                 stdout=subprocess.PIPE)
        check(third.stdout.readline() == 'ready\n', 'the next one takes its place')
        third.terminate()
        third.wait(LIMIT)


def refused(path, *options, env=None, prefix=()):
    return subprocess.run([*prefix, HELPER, '--socket', path, *options], stdin=subprocess.DEVNULL, capture_output=True,
                          env=env, text=True, timeout=LIMIT)


def test_names():
    """Only a helper's own kind of file is put aside, and there is always a name that can be found."""
    with tempfile.TemporaryDirectory() as work:
        path, link = os.path.join(work, 'precious'), os.path.join(work, 'link')
        with open(path, 'w') as file:
            file.write('kept')
        os.symlink(path, link)
        for name in (path, link, '/dev/full', work):
            before = os.lstat(name)
            done = refused(name)
            check(done.returncode == 1 and 'exists' in done.stderr, f'{name} is refused', done.stderr)
            after = os.lstat(name)
            check((before.st_ino, before.st_mode) == (after.st_ino, after.st_mode), f'{name} stays')
        with open(path) as file:
            check(file.read() == 'kept', 'the file is as it was')
    done = refused('')
    check(done.returncode == 2 and 'wants a path' in done.stderr and not done.stdout, 'no name', done.stderr)
    with helper() as card:  # replaced while it serves
        os.unlink(card.path)
        with open(card.path, 'w') as file:
            file.write('kept')
        card.process.terminate()
        wait_end(card.process, 0)
        check(os.path.exists(card.path), 'what took its place stays')


def test_another_process():
    """The connection in a child's hands; another connection; a process that was not meant."""
    with helper() as card:
        client = connect(card)
        check(greet(client)[0] == 0, 'a greeting')
        check(in_child(lambda: ask(client, CHALLENGE)[0] == -errno.EACCES) == 1, 'a child is refused')
        check(ask(client, CHALLENGE)[0] == 0, 'its parent is not')
        try:
            connect(card)
            check(False, 'a second connection')
        except OSError:
            pass
    with helper('--pid', str(os.getpid())) as card:
        check(in_child(lambda: reply_of(connect(card))[0] == -errno.EACCES) == 1, 'another PID is refused')
        check(greet(connect(card))[0] == 0, 'the PID that was meant is served')


def test_other_roots():
    """With sudo, whoever calls it is served; and chooses no files for root to open."""
    env = dict(os.environ, SUDO_UID=str(NOBODY))
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o777)
        path = os.path.join(work, 'socket')
        for option in ('--debugfs', '--sysfs'):
            done = subprocess.run([HELPER, '--socket', path, option, work], env=env, capture_output=True, text=True)
            check(done.returncode == 2 and 'for root itself' in done.stderr, f'{option} is refused', done.stderr)
        # The socket is the user's own, made with their rights only.
        process = subprocess.Popen([HELPER, '--socket', path], env=env, stdout=subprocess.PIPE, text=True)
        check(process.stdout.readline() == 'ready\n', 'ready')
        check(os.stat(path).st_uid == NOBODY and os.stat(path).st_mode & 0o777 == 0o700, 'the socket is theirs')
        process.kill()
        process.communicate()
        os.mkdir(os.path.join(work, 'closed'), 0o700)
        done = subprocess.run([HELPER, '--socket', os.path.join(work, 'closed/socket')], env=env, capture_output=True,
                              text=True)
        check(done.returncode == 1 and 'Permission denied' in done.stderr, 'not where they may not', done.stderr)


def test_users():
    """Who is to be served is a user, or there is no service; and only root can give any."""
    for name in ('SUDO_UID', 'PKEXEC_UID'):
        for text in ('abc', '', '-1', '4294967295', '99999999999', '99999999999999999999999', ' 1', '1x'):
            done = refused('/nowhere/socket', env=dict(os.environ, **{name: text}))
            check(done.returncode == 2 and name in done.stderr, f'{name}="{text}" is refused', done.stderr)
    done = refused('/nowhere/socket', env=dict(os.environ, SUDO_UID='4294967294'))
    check(done.returncode == 1 and '/nowhere/socket' in done.stderr, 'the last user is one', done.stderr)
    if shutil.which('setpriv') and in_child(reaches_helper) == 1:
        done = refused('/tmp/nobodys-socket', prefix=('setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups'))
        check(done.returncode == 1 and 'root' in done.stderr and not done.stdout, 'nobody can serve', done.stderr)


def reaches_helper():
    os.setresuid(NOBODY, NOBODY, NOBODY)
    return os.access(HELPER, os.X_OK)


def test_no_render_node():
    """Without test folders, a client shows the card that it has open."""
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, 'socket')
        process = subprocess.Popen([HELPER, '--socket', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        check(process.stdout.readline() == 'ready\n', 'ready')
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        client.connect(path)
        with open('/dev/null') as null, tempfile.TemporaryFile() as file:
            result, text = ask(client, HELLO, MAGIC, VERSION, fd=file.fileno())
            check(result == -errno.EACCES and b'no render node' in text, 'a file is no card', text)
        process.communicate()
        process = subprocess.Popen([HELPER, '--socket', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.readline()
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        client.connect(path)
        with open('/dev/null') as null:
            result, text = ask(client, HELLO, MAGIC, VERSION, fd=null.fileno())
            check(result < 0 and text, '/dev/null is none either', text)
        wait_end(process, 1)
        process.communicate()


# ---- what ----

def test_messages():
    with helper() as card:
        client = connect(card)
        check(greet(client)[0] == 0, 'a greeting')
        client.send(b'x')
        check(reply_of(client)[0] == -errno.EINVAL, 'too short')
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        client.send(bytes(REQUEST.size + 65537))
        check(reply_of(client)[0] == -errno.EMSGSIZE, 'too long')
        before = len(os.listdir(f'/proc/{card.process.pid}/fd'))
        with open('/dev/null') as null:
            for _ in range(20):
                check(ask(client, CHALLENGE, fd=null.fileno())[0] == 0, 'a descriptor too many')
        check(len(os.listdir(f'/proc/{card.process.pid}/fd')) == before, 'descriptors are closed')
        check(ask(client, RESTORE)[0] == 0, 'it goes on')


def test_missing_file():
    for name in ('amdgpu_regs2', 'amdgpu_vram', 'amdgpu_iomem'):
        with helper(without=[name]) as card:
            result, text = greet(connect(card))
            check(result == (-errno.EOPNOTSUPP if name == 'amdgpu_regs2' else -errno.ENOENT), f'{name} is missing', text)
            check(len(text) > 20 and text.count(b'\n') == 0, 'one line says so', text)
            wait_end(card.process, 1)
            check(not card.holds_gfxoff() or name, 'nothing stays held')
    with helper(without=['amdgpu_gfxoff']) as card:
        check(greet(connect(card))[0] == 0, 'a card without GFXOFF')


# ---- the end ----

def served_card(card):
    client = connect(card)
    check(greet(client)[0] == 0 and card.holds_gfxoff(), 'served')
    return client


def server_of(card):
    """The child that serves."""
    for _ in range(100):
        with open(f'/proc/{card.process.pid}/task/{card.process.pid}/children') as file:
            children = file.read().split()
        if children:
            return int(children[0])
        time.sleep(0.05)
    sys.exit('nobody serves')


def test_privileges():
    """The process that reads messages has none; root's own stays root's, the one for a user does not."""
    def status_of(pid):
        with open(f'/proc/{pid}/status') as file:
            return dict(line.rstrip('\n').split(':\t', 1) for line in file if ':\t' in line)
    with helper() as card:
        client = served_card(card)
        check(ask(client, CHALLENGE)[0] == 0, 'it serves')
        status = status_of(server_of(card))
        for name in ('CapInh', 'CapPrm', 'CapEff'):
            check(int(status[name], 16) == 0, f'no capabilities: {name} {status[name]}')
        check(status['NoNewPrivs'] == '1', 'and no new ones')
        check(int(status_of(card.process.pid)['CapEff'], 16) != 0, 'the one that waits has them')


def test_ended_early():
    """Before anybody came, and between two."""
    with helper() as card:
        card.process.terminate()
        wait_end(card.process, 0)
        check(not os.path.exists(card.path), 'the socket is gone')
    with helper('--lifeline') as card:
        client = served_card(card)
        server_of(card)
        client.close()
        for _ in range(100):
            if not card.holds_gfxoff():
                break
            time.sleep(0.05)
        card.process.terminate()
        wait_end(card.process, 0)
        check(not os.path.exists(card.path), 'the socket is gone')


def test_ends():
    with helper() as card:  # SIGKILL of the process that serves
        client = served_card(card)
        os.kill(server_of(card), signal.SIGKILL)
        wait_end(card.process, 1)
        check(not card.holds_gfxoff(), 'put back after SIGKILL')
        check(client.recv(1) == b'', 'the client learns of it')
    with helper() as card:  # SIGKILL of the one that guards it
        client = served_card(card)
        server_of(card)
        card.process.kill()
        check(client.recv(1) == b'', 'the client learns of it')
        check(not card.holds_gfxoff(), 'put back')
    with helper() as card:
        client = served_card(card)
        card.process.terminate()
        wait_end(card.process, 0)
        check(not card.holds_gfxoff(), 'put back after SIGTERM')
    with helper() as card:  # ^C on the terminal is for the debugger
        client = served_card(card)
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
            card.process.send_signal(number)
            os.kill(server_of(card), number)
        check(ask(client, CHALLENGE)[0] == 0, 'it goes on after SIGINT, SIGQUIT and SIGHUP')


def test_client_ends():
    """The client's end counts, also by SIGKILL, and if a child of it keeps the connection."""
    for keep in (False, True):
        with helper() as card:
            read, write = os.pipe()
            pid = os.fork()
            if pid == 0:
                client = connect(card)
                greet(client)
                if keep and os.fork() == 0:
                    time.sleep(LIMIT)
                    os._exit(0)
                os.write(write, b'x')
                time.sleep(LIMIT)
                os._exit(0)
            os.read(read, 1)
            check(card.holds_gfxoff(), 'served')
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            wait_end(card.process, 0)
            check(not card.holds_gfxoff(), 'put back')


def test_lifeline_ends():
    """With what started it, also while it serves."""
    with helper('--lifeline') as card:
        client = served_card(card)
        card.process.stdin.close()
        card.process.stdin = None
        check(client.recv(1) == b'', 'the client learns of it')
        wait_end(card.process, 0)
        check(not card.holds_gfxoff() and not os.path.exists(card.path), 'put back')


def test_follows():
    """One on the same name, started while the last one is about to put the card back, waits for that."""
    with helper('--lifeline') as card:
        second = subprocess.Popen([HELPER, '--socket', card.path, *card.options()], stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE)
        time.sleep(0.3)
        check(second.poll() is None, 'it waits')
        card.process.stdin.close()
        card.process.stdin = None
        wait_end(card.process, 0)
        check(second.stdout.readline() == 'ready\n', 'and takes the place')
        check(greet(connect(card)) == (0, b''), 'where it can be found')
        second.terminate()
        second.wait(LIMIT)


def test_options():
    for pid in ('12abc', '', '-1', '0', '99999999999', '99999999999999999999999', ' 1'):
        done = subprocess.run([HELPER, '--socket', '/nowhere/socket', '--pid', pid], capture_output=True, text=True,
                              timeout=LIMIT)
        check(done.returncode == 2 and 'no process' in done.stderr, f'--pid "{pid}" is refused', done.stderr)


def test_nobody_comes():
    with helper('--lifeline') as card:
        card.process.stdin.close()
        card.process.stdin = None
        wait_end(card.process, 0)
        check(not os.path.exists(card.path), 'the socket is gone')


if os.geteuid() != 0:
    skip('hdb-helper is root\'s')
for name, function in list(globals().items()):
    if name.startswith('test_'):
        function()
        print(f'ok {name}')
