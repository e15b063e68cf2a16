"""Runs compute jobs on the interpreter (tests/diff's mir_run) instead of `kiln run`.

The interpreter is the judge of the compiler, and knows floats of 64 bits, which not every target has. Its jobs
have no shared resources: ranges of a buffer are cut out before, and put back after.
"""

import json
import os
import subprocess

from kiln import Refused

SHARED = ('same_as', 'offset', 'size')


class Interpreter:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.runs, self.instructions, self.last = 0, 0, None

    def bytes_of(self, data):
        if 'file' not in data:
            return b''
        with open(os.path.join(self.folder, data['file']), 'rb') as f:
            return f.read()

    def run(self, shaders, job, flags, seconds):
        """Executes a compute shader on a job; returns what Kiln.run does, as far as it applies."""
        entry = [flag[len('--entry='):] for flag in flags if flag.startswith('--entry=')]
        if len(shaders) != 1 or len(entry) + 1 < len(flags):
            raise Refused('not interpreted', 'a draw, or a flag of kiln')
        owners = {r['name']: bytearray(self.bytes_of(r['data'])) for r in job['resources'] if 'same_as' not in r}
        resources = [self.resource(r, owners) for r in job['resources'] if 'same_as' in r]
        name = os.path.join(self.folder, 'interpreted.json')
        with open(name, 'w', encoding='utf-8') as f:
            json.dump(dict(job, shader=os.path.abspath(shaders[0]), entry=entry[0], resources=resources), f)
        self.last = [self.path, name]
        self.runs += 1
        try:
            r = subprocess.run(self.last, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            raise Refused('timeout', 'no answer in time') from None
        if r.returncode != 0 and not r.stdout:
            raise Refused('crash', r.stderr.decode(errors='replace')[:300])
        answer = json.loads(r.stdout.decode().split('\n')[0])
        if not answer['ok']:
            kind = 'refused' if answer['stage'] == 'import' else answer['stage']
            raise Refused(kind, '%s: %s' % (answer['cause'], answer['error'][:300]))
        self.put_back(job, owners, answer['outputs'])
        self.instructions += answer['instructions']
        return dict(answer, warnings='', out_of_bounds={'accesses': 0})

    @staticmethod
    def resource(r, owners):
        owned = owners[r['same_as']]
        at = r.get('offset', 0)
        data = owned[at:at + r['size']] if 'size' in r else owned[at:]
        return dict({key: value for key, value in r.items() if key not in SHARED}, data={'hex': data.hex()})

    def put_back(self, job, owners, outputs):
        """Writes the buffers that several resources may share to the files of their owners."""
        written = {(o['set'], o['binding'], o['index']): bytes.fromhex(o['hex']) for o in outputs}
        for r in job['resources']:
            place = (r.get('set', 0), r.get('binding'), r.get('index', 0))
            if 'same_as' in r and place in written:
                at = r.get('offset', 0)
                owners[r['same_as']][at:at + len(written[place])] = written[place]
        for r in job['resources']:
            if 'same_as' not in r:
                with open(os.path.join(self.folder, r['out']), 'wb') as f:
                    f.write(owners[r['name']])
