# SPDX-License-Identifier: MIT
"""The two drivers, each in a process of its own that runs jobs one after the other (../run_jobs.c)."""
import os
import select
import subprocess
import tempfile

LAVAPIPE = '/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so'
LAVAPIPE_IS_EXACT_AND_QUICK = {
    'GALLIVM_PERF': 'no_brilinear,no_rho_approx,no_quad_lod,no_aos_sampling,nopt',
    'LP_NATIVE_VECTOR_WIDTH': '128',  # compiles in two thirds of the time for 256
    'LP_NUM_THREADS': '1',
}
TIMEOUT = 60


class Driver:
    """Starts its process when it is needed, and again when one has ended."""

    def __init__(self, runner, library, log):
        self.runner, self.library, self.log = runner, library, log
        self.process = None

    def start(self):
        env = dict(os.environ, HDB_GPU='virtual', MESA_SHADER_CACHE_DISABLE='true', **LAVAPIPE_IS_EXACT_AND_QUICK)
        self.process = subprocess.Popen([self.runner, self.library], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, env=env)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process = None

    def run(self, job, result=None):
        """'ok HASH', 'invalid WHY', 'failed WHY', 'crash SIGNAL' or 'timeout'."""
        if not self.process:
            self.start()
        try:
            self.process.stdin.write(f'{job} {result or ""}\n'.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        if not select.select([self.process.stdout], [], [], TIMEOUT)[0]:
            self.stop()
            return 'timeout'
        answer = self.process.stdout.readline().decode(errors='replace').strip()
        if not answer:
            answer = f'crash {self.process.wait()}'
        if answer.startswith(('crash', 'failed')):
            self.stop()
        return answer


class Pair:
    """The fork and lavapipe."""

    def __init__(self, runner, fork, folder, reference=LAVAPIPE):
        self.folder = folder
        self.log = tempfile.TemporaryFile()
        self.fork = Driver(runner, fork, self.log)
        self.reference = Driver(runner, reference, self.log)

    def close(self):
        self.fork.stop()
        self.reference.stop()
        self.log.close()

    def said(self):
        """The last lines of the drivers' standard errors."""
        self.log.seek(0)
        return self.log.read()[-2000:].decode(errors='replace')

    def verdict(self, ours, theirs):
        """'equal', 'invalid', 'unknown' (the reference gives no answer) or what is wrong with the fork."""
        if ours.startswith('invalid') or theirs.startswith('invalid'):
            return 'invalid'
        if not theirs.startswith('ok'):
            return 'unknown'
        if ours.startswith('ok'):
            return 'equal' if ours == theirs else 'different'
        return ours

    def judge(self, text):
        path = os.path.join(self.folder, 'judged.comp')
        with open(path, 'w') as file:
            file.write(text)
        ours = self.fork.run(path)
        return 'invalid' if ours.startswith('invalid') else self.verdict(ours, self.reference.run(path))
