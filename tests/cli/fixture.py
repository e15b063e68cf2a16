"""Shared by the tests of the command: paths of the programs, a daemon of their own, and expectations."""

import json
import os
import re
import struct
import subprocess
import tempfile
import unittest

import schemas


KILN = os.path.abspath('client/kiln')
KILND = os.path.abspath('server/kilnd')
SHADERS = os.path.abspath('tests/shaders')
SAXPY = os.path.join(SHADERS, 'saxpy.comp')
SCRATCH = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))

# The keys of variants for tgl, a contract with scripts: additions only.
VARIANT_KEYS = ['name', 'width', 'instructions', 'sync_instructions', 'sends', 'cycles', 'spills',
                'fills', 'loops', 'registers', 'bytes', 'spill_bytes', 'fill_bytes',
                'exit_cycles']
LINE_KEYS = ['file', 'target', 'stage', 'status', 'cause', 'compile_ms', 'cache', 'variants',
             'passes', 'entry']


def several_entry_points(*entries):
    """A module of empty functions, one for each (execution model, name)."""
    def instruction(opcode, *operands):
        return [(len(operands) + 1) << 16 | opcode, *operands]

    def text(name):
        encoded = name.encode()
        padded = encoded + b'\0' * (4 - len(encoded) % 4)
        return struct.unpack('<%dI' % (len(padded) // 4), padded)

    words = [0x07230203, 0x00010000, 0, 3 + 2 * len(entries), 0]
    words += instruction(17, 1) + instruction(14, 0, 1)          # Shader; Logical GLSL450
    for i, (model, name) in enumerate(entries):
        words += instruction(15, model, 3 + 2 * i, *text(name))  # OpEntryPoint
    for i, (model, _) in enumerate(entries):
        if model == 5:
            words += instruction(16, 3 + 2 * i, 17, 8, 1, 1)     # OpExecutionMode LocalSize
        if model == 4:
            words += instruction(16, 3 + 2 * i, 7)               # OriginUpperLeft
    words += instruction(19, 1) + instruction(33, 2, 1)          # void; void()
    for i in range(len(entries)):
        words += instruction(54, 1, 3 + 2 * i, 0, 2) + instruction(248, 4 + 2 * i)
        words += instruction(253) + instruction(56)              # OpReturn, OpFunctionEnd
    return struct.pack('<%dI' % len(words), *words)


class Daemon:
    def __init__(self, *flags):
        self.address = '127.0.0.1:0'
        self.flags = ['--cache-dir=' + tempfile.mkdtemp(dir=SCRATCH), *flags]
        self.start()

    def start(self):
        """Starts at the previous address, if there was one."""
        self.process = subprocess.Popen(
            [KILND, '--listen=' + self.address, '--metrics=none', *self.flags],
            stderr=subprocess.PIPE, text=True)
        line = next(line for line in self.process.stderr if 'event=started' in line)
        self.address = re.search(r'listening on (127\.0\.0\.1:\d+)', line).group(1)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.process.stderr.close()


class Cli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.stop()

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=SCRATCH)

    def file(self, name, contents):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as out:
            out.write(contents if isinstance(contents, bytes) else contents.encode())
        return path

    def environment(self, **more):
        clean = {k: v for k, v in os.environ.items() if k not in ('NO_COLOR', 'TERM')}
        return {**clean, 'KILN_SERVER': self.daemon.address, 'TERM': 'xterm', **more}

    def kiln(self, *arguments, expect=0, stdin=b'', **more):
        """Runs kiln; returns its output. Checks JSON that it reads and writes against its schema."""
        done = subprocess.run([KILN, *arguments], input=stdin, capture_output=True, cwd=self.folder,
                              env=self.environment(**more), timeout=120)
        self.out = done.stdout
        self.err = done.stderr.decode()
        self.assertEqual(done.returncode, expect,
                         'kiln %s\n%s\n%s' % (' '.join(arguments), self.out[:2000], self.err))
        run = schemas.Run(arguments, self.folder, expect, stdin, self.out, self.err)
        self.assertEqual(run.faults(), [], 'kiln ' + ' '.join(arguments))
        return self.out.decode('utf-8', 'replace')

    def statistics(self, target='tgl'):
        """Returns the names of the target's statistics, in order."""
        targets = json.loads(self.kiln('targets', '--json'))['targets']
        return [row['name'] for info in targets if info['name'] == target for row in info['statistics']]

    def fails(self, code, pattern, *arguments, **more):
        """Expects this exit code, one matching message on standard error, and an empty standard output."""
        self.kiln(*arguments, expect=code, **more)
        self.assertRegex(self.err, pattern)
        self.assertEqual(self.out, b'')

    def line(self, text):
        lines = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(len(lines), 1)
        return lines[0]
