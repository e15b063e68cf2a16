"""Runs `kiln run` on a job."""

import json
import os
import subprocess


def reason_of(error):
    """Returns the line of kiln's errors that has the cause; indented lines explain it."""
    lines = [line for line in error.split('\n') if not line.startswith('  ')]
    return lines[-1] if lines else error


class Refused(Exception):
    """A run that gave no result: kind is refused, invalid, timeout, usage, crash ..."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def spec_values(spec):
    """A job's constants, of {id: (type, value)}."""
    out = {}
    for number, (kind, value) in spec.items():
        if kind in ('uint32', 'int32'):
            out[str(number)] = {'u32' if value >= 0 else 'i32': value}
        elif kind == 'bool':
            out[str(number)] = bool(value)
        else:
            out[str(number)] = {{'float': 'f32', 'double': 'f64', 'float16': 'f16'}.get(
                kind, kind.replace('uint', 'u').replace('int', 'i')): value}
    return out


class Kiln:
    def __init__(self, path, target, flags, folder):
        self.path, self.target, self.flags, self.folder = path, target, flags, folder
        self.runs, self.instructions, self.last = 0, 0, None

    def run(self, shaders, job, flags, seconds):
        """Executes shaders (paths) on a job; returns the answer as JSON."""
        name = os.path.join(self.folder, 'job.json')
        with open(name, 'w', encoding='utf-8') as f:
            json.dump(job, f)
        command = [self.path, 'run', '--local', '--target=' + self.target, '--buffers=' + name, '--json', '--allow-unused',
                   '--max-seconds=%d' % max(1, int(seconds)), *flags, *self.flags, *shaders]
        self.last = command
        self.runs += 1
        try:
            r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10 * seconds + 60,
                               check=False)
        except subprocess.TimeoutExpired:
            raise Refused('timeout', 'no answer in time') from None
        error = r.stderr.decode(errors='replace').strip()
        if r.returncode != 0:
            kind = {1: 'refused', 2: 'usage', 3: 'service', 4: 'crash'}.get(r.returncode, 'exit %d' % r.returncode)
            if 'seconds of processor time' in error:
                kind = 'too slow'
            raise Refused(kind, reason_of(error)[:700])
        answer = json.loads(r.stdout.decode())
        self.instructions += answer['instructions']
        answer['warnings'] = error
        return answer
