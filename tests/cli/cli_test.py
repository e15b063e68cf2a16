"""The kiln command end to end: through a kilnd of its own and with --local.

Run by Bazel from the root of the runfiles. Every test starts the real programs; the daemon is shared,
its cache is new. Results go to $XML_OUTPUT_FILE, a case each.
"""

import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree as ElementTree

KILN = os.path.abspath('client/kiln')
KILND = os.path.abspath('server/kilnd')
SHADERS = os.path.abspath('tests/shaders')
SAXPY = os.path.join(SHADERS, 'saxpy.comp')
SCRATCH = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))

VARIANT_KEYS = ['name', 'width', 'instructions', 'sync_instructions', 'sends', 'cycles', 'spills',
                'fills', 'loops', 'registers', 'bytes', 'spill_bytes', 'fill_bytes']
LINE_KEYS = ['file', 'target', 'stage', 'status', 'cause', 'compile_ms', 'cache', 'variants',
             'passes', 'entry']


def several_entry_points(*entries):
    """A module of empty functions, one for each (execution model, name)."""
    def instruction(opcode, *operands):
        return [(len(operands) + 1) << 16 | opcode, *operands]

    def text(name):
        padded = name.encode() + b'\0' * (4 - len(name) % 4)
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
        """Where it was before, if it was."""
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
        done = subprocess.run([KILN, *arguments], input=stdin, capture_output=True, cwd=self.folder,
                              env=self.environment(**more), timeout=120)
        self.out = done.stdout
        self.err = done.stderr.decode()
        self.assertEqual(done.returncode, expect,
                         'kiln %s\n%s\n%s' % (' '.join(arguments), self.out[:2000], self.err))
        return self.out.decode('utf-8', 'replace')

    def fails(self, code, pattern, *arguments, **more):
        """Exit code, one message on standard error that matches, nothing on standard output."""
        self.kiln(*arguments, expect=code, **more)
        self.assertRegex(self.err, pattern)
        self.assertEqual(self.out, b'')

    def line(self, text):
        lines = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(len(lines), 1)
        return lines[0]


class Overview(Cli):
    def test_help_of_everything(self):
        text = self.kiln('--help')
        commands = re.findall(r'^  (\w+)  +\w', text, re.M)
        self.assertEqual(commands, ['compile', 'batch', 'run', 'report', 'targets', 'disasm', 'analyze',
                                    'health'])
        for command in commands[:5]:
            help_text = self.kiln(command, '--help')
            self.assertRegex(help_text, r'Examples:\n  kiln |Examples:\n  .*kiln ' + command)
            self.assertIn('--json', help_text)
            self.assertIn('Exit codes:', help_text)
            self.assertEqual(self.kiln('help', command), help_text)
        self.assertRegex(self.kiln('--version'), r'^kiln \d+\.\d+\.\d+ \(kiln\.v1alpha\)\n$')

    def test_usage_errors(self):
        self.fails(2, 'Usage: kiln COMMAND')
        self.fails(2, "no command 'compil'; did you mean compile", 'compil')
        self.fails(2, "'explain' is not available yet", 'explain', 'x.spv')
        self.fails(2, 'a command comes first', '--target=tgl')
        self.fails(2, r"-D: 'A=\\xff' is not UTF-8", 'compile', '--target=tgl', '-D', 'A=\udcff', SAXPY)
        self.fails(2, r"--entry: '\\xff' is not UTF-8", 'batch', '--target=tgl', '--entry=\udcff', SAXPY)
        self.fails(2, 'unknown flag --tagret; did you mean --target\\?', 'compile', '--tagret=tgl', 'x')
        self.fails(2, '--target is missing', 'compile', SAXPY)
        self.fails(2, 'which file', 'compile', '--target=tgl')
        self.fails(2, 'one file at a time', 'compile', '--target=tgl', 'a', 'b')
        self.fails(2, 'auto, always or never', 'health', '--color=blue')
        for later in ('precompile', 'trace', 'bisect', 'cache'):
            self.fails(2, 'not available yet', later)


class Compile(Cli):
    def test_statistics_for_people(self):
        text = self.kiln('compile', '--target=tgl', SAXPY)
        self.assertRegex(text, r'saxpy\.comp  tgl  compute  ok  .*loadable by none')
        self.assertRegex(text, r'variant +instructions +sync')
        self.assertRegex(text, r'SIMD\d+ +\d+')
        self.assertNotIn('\x1b', text)

    def test_json_line_is_the_contract(self):
        line = self.line(self.kiln('compile', '--target=tgl', '--json', SAXPY))
        self.assertEqual(list(line)[:len(LINE_KEYS)], LINE_KEYS)
        self.assertEqual((line['file'], line['status'], line['stage']), (SAXPY, 'ok', 'compute'))
        for variant in line['variants']:
            self.assertEqual(list(variant), VARIANT_KEYS)
            self.assertGreater(variant['bytes'], 0)
            self.assertEqual(variant['name'], 'SIMD%d' % variant['width'])
        self.assertEqual(list(line['passes'][0]),
                         ['name', 'runs', 'changed', 'us', 'instructions_delta'])
        self.assertIn(('width_refused', 32), [(r['kind'], r['width']) for r in line['remarks']])

    def test_second_time_from_the_cache_and_policies(self):
        shader = os.path.join(SHADERS, 'collatz.comp')
        tiers = [self.line(self.kiln('compile', '--target=tgl', '--json', *flags, shader))['cache']
                 for flags in ([], [], ['--cache=bypass'], ['--cache=refresh'], [])]
        self.assertEqual(tiers, ['miss', 'memory', 'miss', 'miss', 'memory'])
        self.fails(2, 'use, refresh or bypass', 'compile', '--target=tgl', '--cache=no', shader)

    def test_required_and_full_subgroups(self):
        for size in (8, 16, 32):
            line = self.line(self.kiln('compile', '--target=tgl', '--json',
                                       '--subgroup-size=%d' % size, '--full-subgroups', SAXPY))
            self.assertEqual([v['width'] for v in line['variants']], [size])
        line = self.line(self.kiln('compile', '--target=tgl', '--json', '--subgroup-size=64', SAXPY,
                                   expect=1))
        self.assertEqual((line['status'], line['cause']), ('refused', 'dispatch_width'))
        partial = os.path.join(SHADERS, 'built_ins.comp')    # 3 x 5 x 2
        line = self.line(self.kiln('compile', '--target=tgl', '--json', '--full-subgroups', partial,
                                   expect=1))
        self.assertEqual((line['status'], line['cause']), ('refused', 'partial_subgroups'))
        with open(os.path.join(self.folder, 'sizes.jsonl'), 'w') as file:
            for size in (0, 8, 32):
                file.write(json.dumps({'file': SAXPY, 'subgroup_size': size}) + '\n')
        self.kiln('batch', '--target=tgl', '--manifest=sizes.jsonl', '--jsonl=sizes.out')
        with open(os.path.join(self.folder, 'sizes.out')) as file:
            made = [[v['width'] for v in json.loads(line)['variants']] for line in file]
        self.assertEqual(made, [[8, 16], [8], [32]])

    def test_output_files_and_disasm(self):
        line = self.line(self.kiln('compile', '--target=tgl', '--json', '--asm', '--widths=8,16',
                                   '-o', 'out', SAXPY))
        self.assertEqual(len(line['variants']), 2)
        for variant in line['variants']:
            stem = 'out/saxpy.comp.tgl.%d' % variant['width']
            self.assertEqual(variant['binary'], stem + '.bin')
            self.assertEqual(os.path.getsize(os.path.join(self.folder, stem + '.bin')),
                             variant['bytes'])
            with open(os.path.join(self.folder, stem + '.launch.json')) as file:
                record = json.load(file)
            self.assertEqual(record['dispatch_width'], variant['width'])
            self.assertEqual(record['binary'], os.path.basename(stem) + '.bin')
            self.assertEqual(record['loadable_by'], 'none')
            with open(os.path.join(self.folder, stem + '.asm')) as file:
                assembly = file.read()
            self.assertEqual(self.kiln('disasm', '--target=tgl', stem + '.bin'), assembly)
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, 'out'))),
                         sorted('saxpy.comp.tgl.%d.%s' % (w, kind) for w in (8, 16)
                                for kind in ('asm', 'bin', 'launch.json')))

    def test_standard_input_and_output(self):
        with open(SAXPY, 'rb') as file:
            source = file.read()
        self.kiln('compile', '--target=tgl', '--stage=comp', '--widths=16', '-o', '-', '-',
                  stdin=source)
        code = self.out
        self.assertGreater(len(code), 100)
        self.kiln('compile', '--target=tgl', '--widths=16', '-o', '-', SAXPY)
        self.assertEqual(self.out, code)
        self.assertIn('send', self.kiln('disasm', '--target=tgl', '-', stdin=code))
        self.fails(2, 'more than one variant', 'compile', '--target=tgl', '--widths=8,16', '-o', '-',
                   SAXPY)
        self.fails(2, 'which stage', 'compile', '--target=tgl', '-', stdin=source)

    def test_assembly_alone(self):
        text = self.kiln('compile', '--target=tgl', '--asm', '--widths=8', SAXPY)
        self.assertRegex(text, r'^// .*saxpy\.comp tgl SIMD8: \d+ instructions, \d+ bytes\n')
        self.assertIn('send', text)

    def test_defines_includes_and_constants(self):
        main = self.file('src/main.comp', '''#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/a.glsl"
// #include "not/there.glsl"
layout(local_size_x = 8) in;
layout(constant_id = 3) const uint kScale = 2;
layout(binding = 0) buffer B { uint v[]; };
void main() { v[gl_GlobalInvocationID.x] = ADD(v[0]) * kScale * COUNT; }
''')
        self.file('src/lib/a.glsl', '#include <b.glsl>\n#define ADD(x) ((x) + OFFSET)\n')
        self.file('inc/b.glsl', '#define OFFSET 3u\n')
        flags = ['--target=tgl', '--json', '-D', 'COUNT=4u', '-I', 'inc']
        plain = self.line(self.kiln('compile', *flags, main))
        self.assertEqual(plain['status'], 'ok')
        other = self.line(self.kiln('compile', *flags, '--spec=3=uint:5', main))
        self.assertEqual(other['status'], 'ok')
        self.assertNotEqual(plain['key'], other['key'])
        self.kiln('compile', '--target=tgl', '-D', 'COUNT=4u', main, expect=1)
        self.assertRegex(self.err, r'src/lib/a\.glsl:1: this include was not found: b\.glsl .*-I DIR')
        self.assertNotIn('not/there', self.err)

    def test_latin_1_in_comments(self):
        main = self.file('main.comp', b'#version 450\n#include "caf\xc3\xa9.h" // caf\xe9\n'
                                      b'layout(local_size_x = 8) in;\nvoid main() {}\n')
        self.file('caf\u00e9.h', b'// \xe9\xff\n')
        for where in ([], ['--local']):
            line = self.line(self.kiln('compile', '--target=tgl', '--json', *where, main))
            self.assertEqual(line['status'], 'ok')

    def test_byte_order_mark(self):
        marked = self.file('marked.comp', b'\xef\xbb\xbf' + open(SAXPY, 'rb').read())
        for where in ([], ['--local']):
            line = self.line(self.kiln('compile', '--target=tgl', '--json', *where, marked))
            self.assertEqual(line['status'], 'ok')

    # What is no UTF-8 was once taken for a worker gone mad. A file's bytes reach the compiler as
    # UTF-8, in which a stray one is U+FFFD.
    def test_bytes_beyond_ascii_in_code(self):
        for code, shown in ((b'float caf\xe9 = 1;', "'U+FFFD or a byte that is no UTF-8'"),
                            (b'float x = 1 \xe2\x80\x93 2;', r"'\xe2\x80\x93'")):
            path = self.file('odd.comp', b'#version 450\nlayout(local_size_x = 8) in;\n'
                                         b'void main() { ' + code + b' }\n')
            for where in ([], ['--local']):
                line = self.line(self.kiln('compile', '--target=tgl', '--json', *where, path,
                                           expect=1))
                self.assertEqual((line['status'], line['cause']), ('invalid', 'invalid_glsl'))
                self.assertIn('odd.comp:3: ' + shown, line['message'])

    # The validator quotes names as they stand.
    def test_damaged_name_in_spirv(self):
        # A module whose only entry point is declared twice, by a name that is no UTF-8.
        entry = [5 << 16 | 15, 5, 1, 0x6966e963, 0x00006e6f]
        words = [0x07230203, 0x00010300, 0, 8, 0, 2 << 16 | 17, 1, 3 << 16 | 14, 0, 1, *entry, *entry,
                 6 << 16 | 16, 1, 17, 1, 1, 1, 2 << 16 | 19, 2, 3 << 16 | 33, 3, 2,
                 5 << 16 | 54, 2, 1, 0, 3, 2 << 16 | 248, 4, 1 << 16 | 253, 1 << 16 | 56]
        path = self.file('damaged.spv', struct.pack('<%dI' % len(words), *words))
        for where in ([], ['--local']):
            line = self.line(self.kiln('compile', '--target=tgl', '--json', *where, path, expect=1))
            self.assertEqual(line['status'], 'invalid')
            self.assertIn(r'c\xe9fi', line['message'])

    def test_wrong_flags(self):
        for pattern, flags in (
                (r'--target=tlg: .* it has tgl.*did you mean tgl', ['--target=tlg']),
                (r'given twice', ['--target=tgl,tgl']),
                (r'constant 1 is given twice', ['--target=tgl', '--spec=1=2', '--spec=1=3']),
                (r'there is no type', ['--target=tgl', '--spec=1=half:2']),
                (r"'7' is no dispatch width", ['--target=tgl', '--widths=7']),
                (r"'pixel' is no stage", ['--target=tgl', '--stage=pixel']),
                (r'NAME or NAME=VALUE', ['--target=tgl', '-D', '1X']),
                (r'--state=s\.json: .*', ['--target=tgl', '--state=s.json']),
                (r'--subgroup-size: .*--widths',
                 ['--target=tgl', '--subgroup-size=8', '--widths=16']),
                (r"--subgroup-size: '7'", ['--target=tgl', '--subgroup-size=7']),
                (r'needed for correctness', ['--target=tgl', '--disable-pass=encode']),
                (r'there is no such pass', ['--target=tgl', '--disable-pass=frobnicate']),
                (r'--local and --server exclude', ['--target=tgl', '--local', '--server=h:1']),
                (r'--timeout=0', ['--target=tgl', '--timeout=0'])):
            with self.subTest(flags=flags):
                self.fails(2, pattern, 'compile', *flags, SAXPY)


    # The stage may stand in the module alone: a daemon, which knows its workers, and a compiler say so.
    def test_pipeline_state_is_of_graphics_stages(self):
        state = self.file('state.json', b'{"fragment": {"samples": 4}}')
        self.fails(1, r'rejected_request.*options\.state\.fragment: only fragment shaders', 'compile',
                   '--target=tgl', '--state=' + state, SAXPY)
        line = self.line(self.kiln('compile', '--target=tgl', '--json', '--local',
                                   '--state=' + state, SAXPY, expect=1))
        self.assertEqual((line['status'], line['cause']), ('invalid', 'pipeline_state'))
        three = self.file('three.json', b'{"fragment": {"samples": 3}}')
        line = self.line(self.kiln('compile', '--target=tgl', '--json', '--local',
                                   '--state=' + three, SAXPY, expect=1))
        self.assertEqual((line['status'], line['cause']), ('invalid', 'pipeline_state'))
        self.assertRegex(line['message'], 'samples: 3 is none of')
        wrong = self.file('wrong.json', b'{"fragment": {"sample": 4}}')
        self.fails(2, r'wrong\.json: this is no pipeline state: .*sample', 'compile',
                   '--target=tgl', '--state=' + wrong, SAXPY)
        defaults = self.file('defaults.json', b'{"fragment": {"samples": 1}, "next_stage_reads": null}')
        self.kiln('compile', '--target=tgl', '--state=' + defaults, SAXPY)
        empty = self.file('empty.json', b'{}')
        self.kiln('compile', '--target=tgl', '--state=' + empty, SAXPY)


class WrongFiles(Cli):
    def test_files_that_cannot_be_read(self):
        self.fails(2, r'none\.spv: there is no such file', 'compile', '--target=tgl', 'none.spv')
        self.fails(2, r'is a folder; `kiln batch`', 'compile', '--target=tgl', '.')
        if os.geteuid() != 0:
            path = self.file('secret.spv', b'x')
            os.chmod(path, 0)
            self.fails(2, r'secret\.spv: Permission denied', 'compile', '--target=tgl', path)

    def invalid(self, path, cause, pattern):
        for where in ([], ['--local']):
            line = self.line(self.kiln('compile', '--target=tgl', '--json', *where, path, expect=1))
            self.assertEqual((line['status'], line['cause']), ('invalid', cause))
            self.assertRegex(line['message'], pattern)
            self.fails(1, re.escape(os.path.basename(path)) + r'.*invalid \(' + cause, 'compile',
                       '--target=tgl', *where, path)

    def test_empty(self):
        self.invalid(self.file('empty.spv', b''), 'empty_file', 'is empty')

    def test_truncated(self):
        self.invalid(self.file('cut.spv', b'\x03\x02\x23\x07abc'), 'truncated_module', 'cut short')
        module = b'\x03\x02\x23\x07\x00\x00\x01\x00' + b'\0' * 4 + b'\x08\0\0\0' + b'\0' * 4
        self.invalid(self.file('half.spv', module + b'\x11\x00\x02\x00'), 'invalid_module', '.')

    def test_not_spirv(self):
        self.invalid(self.file('text.spv', b'hello, this is text'), 'not_spirv', 'begins with 68656c6c')

    def test_syntax_error_names_file_and_line(self):
        path = self.file('bad.comp', '#version 450\nlayout(local_size_x = 8) in;\n'
                                     'void main() {\n  int x = undeclared;\n}\n')
        self.invalid(path, 'invalid_glsl', r"bad\.comp:4: .*undeclared")

    def test_refusals_behind_the_front_end_name_the_spirv_id(self):
        path = self.file('chosen.comp', """#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 8) in;
layout(push_constant) uniform P { uint which; };
layout(binding = 0) buffer B { uint64_t v[]; } b[4];
void main() { b[0].v[gl_LocalInvocationIndex] = atomicAdd(b[which].v[8], 1ul); }
""")
        line = self.line(self.kiln('compile', '--target=tgl', '--json', path, expect=1))
        self.assertEqual((line['status'], line['cause']), ('refused', 'int64_atomics'))
        self.assertGreater(line['spirv_id'], 0)
        self.assertIn('SPIR-V id %d)' % line['spirv_id'], line['message'])

    def test_a_failed_translation_has_its_time(self):
        path = self.file('bad.comp', '#version 450\nlayout(local_size_x = 8) in;\nvoid main() { oops }\n')
        for where in ([], [], ['--local']):  # the second is answered from the cache
            line = self.line(self.kiln('compile', '--target=tgl', '--json', *where, path, expect=1))
            self.assertEqual((line['status'], line['cause']), ('invalid', 'invalid_glsl'))
            self.assertGreater(line['compile_ms'], 0)
            self.assertIn('translate_glsl', [p['name'] for p in line['passes']])

    def test_refusals_of_a_launch_name_the_spirv_id(self):
        head = '#version 450\nlayout(local_size_x = 8) in;\n'
        buffers = ''.join('layout(binding = %d) buffer B%d { uint v%d; };\n' % (i, i, i)
                          for i in range(241))
        sources = {
            'too_many_invocations': '#version 450\n'
                'layout(local_size_x = 1024, local_size_y = 2) in;\nvoid main() {}\n',
            'shared_memory_too_large': head + 'shared uint s[20000];\nlayout(binding = 0) buffer B '
                '{ uint v; };\nvoid main() { s[v] = 1; barrier(); v = s[v + 1]; }\n',
            'too_many_descriptors': head + buffers + 'void main() { %s }\n' % ' '.join(
                'v%d = 1;' % i for i in range(241)),
            'push_constants_too_large': head + 'layout(push_constant) uniform P { uint p[600]; };\n'
                'layout(binding = 0) buffer B { uint v; };\nvoid main() { v = %s; }\n' % ' + '.join(
                    'p[%d]' % i for i in range(0, 600, 7)),
        }
        for cause, source in sources.items():
            path = self.file(cause + '.comp', source)
            line = self.line(self.kiln('compile', '--target=tgl', '--json', path, expect=1))
            self.assertEqual((line['status'], line['cause']), ('refused', cause))
            self.assertGreater(line.get('spirv_id', 0), 0, line)

    # 0.1 s of glslang, for the first text of each version that a worker meets.
    def test_the_start_of_glslang_is_no_compile_time(self):
        files = ['a.comp', 'b.comp', 'c.comp', 'd.comp']
        for name, version in zip(files, (450, 450, 460, 460)):
            self.file(name, '// x\n#version %d\nlayout(local_size_x = 8) in;\n'
                            'layout(binding = 0) buffer B { uint %s; };\nvoid main() { %s = 1; }\n'
                      % (version, name[0], name[0]))
        self.kiln('batch', '--local', '--target=tgl', '--jobs=1', '--jsonl=-', *files)
        lines = [json.loads(line) for line in self.out.splitlines()]
        starts = [[p['us'] for p in line['passes'] if p['name'] == 'start_glslang'] for line in lines]
        self.assertEqual([len(s) for s in starts], [1, 0, 1, 0])
        for i in (0, 2):
            # What is left of a first text is like a second one; measured: 20 and more times less.
            self.assertLess(lines[i]['compile_ms'] * 1000, starts[i][0])

    def test_huge(self):
        path = self.file('huge.spv', b'')
        os.truncate(path, 1 << 33)
        self.invalid(path, 'too_large', 'larger than')

    def test_either_byte_order(self):
        if shutil.which('glslangValidator') is None:
            self.skipTest('glslangValidator is not installed (glslang-tools)')
        path = os.path.join(self.folder, 'saxpy.spv')
        subprocess.run(['glslangValidator', '-V', '-o', path, SAXPY], check=True,
                       stdout=subprocess.DEVNULL)
        with open(path, 'rb') as file:
            words = file.read()
        swapped = b''.join(words[i:i + 4][::-1] for i in range(0, len(words), 4))
        lines = [self.line(self.kiln('compile', '--target=tgl', '--json', p))
                 for p in (path, self.file('swapped.spv', swapped))]
        self.assertEqual([line['status'] for line in lines], ['ok', 'ok'])
        self.assertEqual(lines[0]['variants'], lines[1]['variants'])

    def test_unwritable_output(self):
        blocked = self.file('blocked', b'')
        self.fails(2, r'-o .*blocked: cannot write here', 'compile', '--target=tgl', '-o', blocked,
                   SAXPY)
        self.fails(2, r'--jsonl=.*cannot write', 'batch', '--target=tgl',
                   '--jsonl=' + blocked + '/x', SAXPY)

    def test_an_output_without_a_name(self):
        """A script's variable that is not set: nothing would be written, and nobody told."""
        for command in ('compile', 'batch'):
            self.fails(2, r'--output is given without a name', command, '--target=tgl', '-o', '', SAXPY)
        for flag in ('jsonl', 'list', 'manifest', 'root'):
            self.fails(2, '--%s is given without a name' % flag, 'batch', '--target=tgl', '--%s=' % flag,
                       SAXPY)
        self.fails(2, r'--html is given without a name', 'report', '--html=', SAXPY, SAXPY)

    def test_disasm(self):
        self.fails(2, '--target is missing; there are tgl', 'disasm', SAXPY)
        self.fails(2, 'no such target; there are tgl; did you mean tgl', 'disasm', '--target=tg1',
                   SAXPY)
        self.fails(2, 'is empty', 'disasm', '--target=tgl', self.file('empty', b''))
        self.fails(1, 'is it tgl machine code', 'disasm', '--target=tgl',
                   self.file('noise', b'\xff' * 100))


class RunAnalyzeReport(Cli):
    def saxpy_job(self, **more):
        y = {'binding': 1, 'data': {'f32': [10, 20, 30, 40]}, **more}
        return self.file('job.json', json.dumps({
            'push': [{'f32': 2}, {'u32': 4}],
            'resources': [{'binding': 0, 'data': {'f32': [1, 2, 3, 4]}}, y]}))

    def test_run(self):
        for where in ([], ['--local']):
            out = self.kiln('run', *where, '--target=tgl', '--buffers=' + self.saxpy_job(**{'as': 'f32'}),
                            '--json', SAXPY)
            line = self.line(out)
            self.assertEqual(line['outputs'], [{'set': 0, 'binding': 1, 'index': 0, 'as': 'f32',
                                                'values': [12.0, 24.0, 36.0, 48.0]}])
            self.assertGreater(line['instructions'], 0)
        self.kiln('run', '--target=tgl', '--buffers=' + self.saxpy_job(out='y.bin'), SAXPY)
        with open(os.path.join(self.folder, 'y.bin'), 'rb') as result:
            self.assertEqual(struct.unpack('<4f', result.read()), (12, 24, 36, 48))

    def test_run_from_a_base(self):
        shader = self.file('base.comp',
                           '#version 450\nlayout(local_size_x = 2) in;\n'
                           'layout(binding = 0) buffer B { uint x[]; };\n'
                           'void main() { x[gl_LocalInvocationIndex] = gl_GlobalInvocationID.x * 100u'
                           ' + gl_WorkGroupID.y; }\n')

        def job(**more):
            return self.file('job.json', json.dumps(
                {'resources': [{'binding': 0, 'size': 8, 'as': 'u32'}], **more}))

        for where in ([], ['--local']):
            out = self.kiln('run', *where, '--target=tgl', '--dispatch-base', '--json',
                            '--buffers=' + job(base=[7, 3, 0]), shader)
            self.assertEqual(self.line(out)['outputs'][0]['values'], [1403, 1503])
            out = self.kiln('run', *where, '--target=tgl', '--json', '--buffers=' + job(), shader)
            self.assertEqual(self.line(out)['outputs'][0]['values'], [0, 100])
            self.kiln('run', *where, '--target=tgl', '--buffers=' + job(base=[7, 3, 0]), shader,
                      expect=1)
            self.assertIn('was not compiled for a base (--dispatch-base)', self.err)

    def test_run_arrays_of_descriptors(self):
        shader = self.file('pick.comp', b'''#version 450
            #extension GL_EXT_nonuniform_qualifier : require
            layout(local_size_x = 4) in;
            layout(set = 0, binding = 0) buffer Part { uint n; } few[];
            layout(set = 0, binding = 1) uniform Value { uint v; } many[300];
            layout(set = 0, binding = 2) buffer Out { uint o[]; };
            void main() {
              uint i = gl_LocalInvocationIndex;
              o[i] = few[nonuniformEXT(i % 3u)].n + many[nonuniformEXT(i * 99u)].v;
            }''')
        parts = [{'binding': 0, 'index': i, 'data': {'u32': 100 + i}} for i in range(3)]
        values = [{'binding': 1, 'index': i * 99, 'data': {'u32': 1000 * i}} for i in range(4)]
        job = self.file('job.json', json.dumps(
            {'resources': parts + values + [{'binding': 2, 'size': 16, 'as': 'u32'}]}))
        line = self.line(self.kiln('run', '--target=tgl', '--buffers=' + job, '--json', shader))
        self.assertEqual(line['outputs'][0]['values'], [100, 1101, 2102, 3100])

    def test_run_machine_code(self):
        self.kiln('compile', '--target=tgl', '--widths=8', '-o', 'out', SAXPY)
        out = self.kiln('run', '--target=tgl', '--launch=out/saxpy.comp.tgl.8.launch.json',
                        '--buffers=' + self.saxpy_job(**{'as': 'f32'}), 'out/saxpy.comp.tgl.8.bin')
        self.assertIn('SIMD8', out)
        self.assertIn('12.0 24.0 36.0 48.0', out)

    def test_run_wrong_input(self):
        job = '--buffers=' + self.saxpy_job()
        self.fails(2, '--buffers=JSON is missing', 'run', '--target=tgl', SAXPY)
        self.fails(2, 'one file is needed', 'run', '--target=tgl', job)
        self.fails(2, 'nothing.json: there is no such file', 'run', '--target=tgl',
                   '--buffers=nothing.json', SAXPY)
        self.fails(2, 'this is no JSON object', 'run', '--target=tgl', '--buffers=-', SAXPY,
                   stdin=b'[')
        self.fails(2, '--groups=x', 'run', '--target=tgl', job, '--groups=x', SAXPY)
        self.fails(1, r'nothing is bound to set 0 binding \d', 'run', '--target=tgl', '--buffers=-',
                   SAXPY, stdin=b'{"push": [{"f32": 2}, {"u32": 4}]}')
        self.fails(2, 'takes 8 bytes of push constants; .* has none', 'run', '--target=tgl',
                   '--buffers=-', SAXPY, stdin=b'{}')
        more = (b'{"push": [{"f32": 2}, {"u32": 4}], "resources": [{"binding": 0, "size": 16}, '
                b'{"binding": 1, "size": 16}, {"binding": 7, "size": 16}]}')
        self.fails(2, 'does not use set 0 binding 7', 'run', '--target=tgl', '--buffers=-', SAXPY,
                   stdin=more)
        self.kiln('run', '--target=tgl', '--allow-unused', '--buffers=-', SAXPY, stdin=more)
        self.fails(2, 'unknown key "pussh"', 'run', '--target=tgl', '--buffers=-', SAXPY,
                   stdin=b'{"pussh": []}')
        self.fails(2, '"push" is given twice', 'run', '--target=tgl', '--buffers=-', SAXPY,
                   stdin=b'{"push": [], "push": []}')

    def test_run_machine_code_as_it_is(self):
        self.kiln('compile', '--target=tgl', '--widths=8', '-o', 'out', SAXPY)
        for flag, name in (('--spec=0=7', '--spec'), ('--widths=8', '--widths'), ('-DN=2', '-D'),
                           ('--entry=main', '--entry'), ('--cache=bypass', '--cache')):
            self.fails(2, name + ' belongs to compiling', 'run', '--target=tgl', flag,
                       '--launch=out/saxpy.comp.tgl.8.launch.json', '--buffers=' + self.saxpy_job(),
                       'out/saxpy.comp.tgl.8.bin')

    def test_run_specialises(self):
        shader = self.file('spec.comp', b'#version 450\nlayout(local_size_x = 1) in;\n'
                           b'layout(constant_id = 0) const int kA = 1;\n'
                           b'layout(constant_id = 1) const float kB = 1;\n'
                           b'layout(constant_id = 2) const bool kC = false;\n'
                           b'layout(binding = 0) buffer B { float v[]; };\n'
                           b'void main() { v[0] = kA; v[1] = kB; v[2] = kC ? 1 : 0; }\n')

        def run(spec, *flags, expect=0):
            job = {'spec': spec, 'resources': [{'binding': 0, 'size': 12, 'as': 'f32'}]}
            return self.kiln('run', '--target=tgl', '--buffers=-', *flags, shader, expect=expect,
                             stdin=json.dumps(job).encode())
        spec = {'0': {'i32': -5}, '1': {'f32': 1.5}, '2': True}
        self.assertIn('\n  -5.0 1.5 1.0\n', run(spec))
        self.assertIn('\n  7.0 1.5 1.0\n', run(spec, '--spec=0=7'))
        run({'9': 1}, expect=1)
        run({'0': {'f32': 1}}, expect=1)

    def test_run_with_the_record_of_another_program(self):
        self.kiln('compile', '--target=tgl', '--widths=8,16', '-o', 'out', SAXPY)
        run = ['run', '--target=tgl', '--buffers=' + self.saxpy_job()]
        path = os.path.join(self.folder, 'out/saxpy.comp.tgl.8.bin')
        with open(path, 'rb') as file:
            code = bytearray(file.read())
        code[1] ^= 1
        other = self.file('other.bin', bytes(code))
        self.fails(2, 'the SHA-256 differs', *run, '--launch=out/saxpy.comp.tgl.8.launch.json', other)
        self.fails(2, 'of other machine code', *run, '--launch=out/saxpy.comp.tgl.8.launch.json',
                   'out/saxpy.comp.tgl.16.bin')

    def test_run_says_where(self):
        shader = self.file('turns.comp', b'#version 450\nlayout(local_size_x = 8) in;\n'
                           b'layout(set = 2, binding = 5) buffer B { uint v[]; };\nvoid main() {\n'
                           b'  uint i = gl_LocalInvocationIndex;\n'
                           b'  while (v[0] != 1u) v[i] += 2u;\n}\n')
        self.fails(1, r'more than 0.2 seconds.* at .*0x[0-9a-f]+.*in the loop from 0x[0-9a-f]+ to 0x',
                   'run', '--target=tgl', '--max-seconds=0.2', '--buffers=-', shader,
                   stdin=b'{"resources": [{"set": 2, "binding": 5, "size": 32}]}')
        # 8 lanes, of which 4 lie outside.
        outside = self.file('out.comp', b'#version 450\nlayout(local_size_x = 8) in;\n'
                            b'layout(set = 2, binding = 5) buffer B { uint v[]; };\nvoid main() {\n'
                            b'  v[gl_LocalInvocationIndex] = 3u;\n}\n')
        run = ['run', '--target=tgl', '--widths=8', '--buffers=-', outside]
        job = b'{"resources": [{"set": 2, "binding": 5, "size": 16}]}'
        line = self.line(self.kiln(*run, '--json', stdin=job))
        self.assertEqual(line['out_of_bounds']['accesses'], 4)
        self.assertIn('set 2 binding 5', line['out_of_bounds']['places'][0]['where'])
        self.assertRegex(self.kiln(*run, stdin=job), r'accesses out of bounds: 4 .*\n  4 at 0x')
        # Messages that take effect late are counted like others, typed ones included.
        image = self.file('image.comp', b'#version 450\nlayout(local_size_x = 8) in;\n'
                          b'layout(binding = 1, r32ui) uniform writeonly uimage2D i;\nvoid main() {\n'
                          b'  imageStore(i, ivec2(gl_LocalInvocationIndex, 0), uvec4(1u));\n}\n')
        texels = (b'{"resources": [{"binding": 1, "format": "r32ui", "width": 3, "height": 1}]}')
        for program, data, accesses in ((outside, job, 4), (image, texels, 5)):
            for seed in ([], ['--memory-seed=5']):
                line = self.line(self.kiln('run', '--target=tgl', '--widths=8', '--buffers=-', program,
                                           '--json', *seed, stdin=data))
                self.assertEqual(line['out_of_bounds']['accesses'], accesses, (program, seed))

    def test_specialisation_constants(self):
        shader = self.file('spec.comp', b'#version 450\nlayout(local_size_x = 8) in;\n'
                           b'layout(constant_id = 3) const uint kScale = 2;\n'
                           b'layout(binding = 0) buffer B { uint v[]; };\n'
                           b'void main() { v[gl_LocalInvocationIndex] = kScale; }\n')
        for command in (['compile', '--target=tgl', '--json'],
                        ['batch', '--target=tgl', '--jsonl=-', '--quiet'],
                        ['compile', '--target=tgl', '--json', '--local']):
            def line(spec, expect=1):
                out = self.kiln(*command, '--spec=' + spec, shader, expect=expect)
                return json.loads(out.splitlines()[0])
            self.assertEqual(line('3=5', expect=0)['status'], 'ok')
            unknown = line('4=5')
            self.assertEqual((unknown['status'], unknown['cause']), ('invalid', 'unknown_spec_constant'))
            self.assertIn('it has 3 (32-bit uint)', unknown['message'])
            # The bits are those of 3=5.
            for wrong in ('3=float:7.006492321624085e-45', '3=bool:true', '3=int64:5', '3=-1'):
                self.assertEqual(line(wrong)['cause'], 'spec_constant_type', wrong)
        self.fails(1, 'unknown_spec_constant', 'run', '--target=tgl', '--spec=4=5', '--buffers=-', shader,
                   stdin=b'{"resources": [{"binding": 0, "size": 32}]}')

    def test_analyze(self):
        self.kiln('compile', '--target=tgl', '--widths=16', '-o', 'out', SAXPY)
        line = self.line(self.kiln('analyze', '--target=tgl', '--json', 'out/saxpy.comp.tgl.16.bin'))
        self.assertEqual(line['missing_waits'], [])
        self.assertEqual(line['findings'], [])
        self.assertEqual(line['messages']['untyped_read'], 2)
        self.assertGreater(line['cycles'], 100)
        self.assertIn('broken restrictions: 0',
                      self.kiln('analyze', '--target=tgl', 'out/saxpy.comp.tgl.16.bin'))
        self.assertNotIn('missing_if_skipped', line)
        line = self.line(self.kiln('analyze', '--target=tgl', '--fusion', '--json',
                                   'out/saxpy.comp.tgl.16.bin'))
        self.assertEqual((line['missing_waits'], line['missing_if_skipped']), ([], []))
        # Zeros, and code whose end is cut off.
        zeros = self.line(self.kiln('analyze', '--target=tgl', '--json', self.file('zeros', bytes(64))))
        self.assertIn("byte 48: a thread goes on behind the program's end", zeros['findings'])
        with open(os.path.join(self.folder, 'out/saxpy.comp.tgl.16.bin'), 'rb') as code:
            cut = self.file('cut', code.read()[:-16])
        self.assertIn("a thread goes on behind the program's end",
                      self.kiln('analyze', '--target=tgl', cut))
        self.fails(1, 'is it tgl machine code', 'analyze', '--target=tgl', SAXPY)
        self.fails(2, '--target is missing', 'analyze', SAXPY)

    def test_report(self):
        batch = ['batch', '--target=tgl', '--widths=8', SHADERS]
        self.kiln(*batch, '--jsonl=a.jsonl')
        self.kiln(*batch, '--disable-pass=simplify', '--jsonl=b.jsonl')
        out = self.kiln('report', 'b.jsonl', 'a.jsonl', '--json=r.json', '--html=r.html')
        self.assertRegex(out, r'instructions: \d+ -> \d+ \(-\d')
        with open(os.path.join(self.folder, 'r.json'), encoding='utf-8') as report:
            instructions = json.load(report)['statistics'][0]
        self.assertLess(instructions['after'], instructions['before'])
        self.assertGreater(instructions['helped']['count'], instructions['hurt']['count'])
        self.kiln('report', 'a.jsonl', 'b.jsonl', '--fail-if=instructions>0%', expect=1)
        self.assertIn('--fail-if holds: instructions>0%', self.err)
        self.kiln('report', 'a.jsonl', 'a.jsonl', '--fail-if=instructions>0,lost>0')
        self.fails(2, 'two files of results', 'report', 'a.jsonl')
        self.fails(2, "'speed' is no statistic", 'report', 'a.jsonl', 'b.jsonl', '--fail-if=speed>1')
        self.fails(2, 'r.html:1: this is no JSON object', 'report', 'a.jsonl', 'r.html')


class Reach(Cli):
    def free_port(self):
        with socket.socket() as s:
            s.bind(('127.0.0.1', 0))
            return s.getsockname()[1]

    def test_nobody_there(self):
        server = '--server=127.0.0.1:%d' % self.free_port()
        for command in (['compile', '--target=tgl', SAXPY], ['batch', '--target=tgl', SAXPY],
                        ['targets'], ['health']):
            start = time.monotonic()
            self.fails(3, r'no kilnd answers on 127\.0\.0\.1:\d+.*--local', *command, server)
            self.assertLess(time.monotonic() - start, 10)

    def test_bad_addresses(self):
        for bad in ('localhost', 'host:99999', ':1', 'http://x:1', 'host:port'):
            self.fails(2, 'the form is HOST:PORT', 'health', '--server=' + bad)

    def test_not_a_kilnd(self):
        with socket.socket() as other:
            other.bind(('127.0.0.1', 0))
            other.listen()
            self.fails(3, 'no kilnd answers', 'health',
                       '--server=127.0.0.1:%d' % other.getsockname()[1])

    def test_health_and_targets(self):
        self.assertIn('serving', self.kiln('health'))
        health = json.loads(self.kiln('health', '--json'))
        self.assertEqual({s['service']: s['status'] for s in health['services']},
                         {'': 'serving', 'kiln.v1alpha.Compiler': 'serving'})
        self.assertIn('locked in by', health['services'][1]['detail'])
        self.assertIn('seccomp', health['services'][1]['detail'])
        self.assertRegex(self.kiln('targets', '--passes'), r'(?s)tgl +\d+ .*stages:.*optional')
        for where in ([], ['--local']):
            targets = json.loads(self.kiln('targets', '--json', *where))
            self.assertEqual(targets['targets'][0]['name'], 'tgl')
            self.assertIn('compute', targets['stages'])
            self.assertGreater(len(targets['passes']), 5)
            self.assertEqual(targets['sandbox']['seccomp'], 1)
            self.assertIn('landlock', targets['sandbox'])
        self.assertEqual(json.loads(self.kiln('health', '--local', '--json'))['services'][0]['status'],
                         'serving')


class Local(Cli):
    def test_same_code_as_the_daemon(self):
        for shader in ('saxpy.comp', 'register_pressure.comp'):
            path = os.path.join(SHADERS, shader)
            self.kiln('compile', '--target=tgl', '-o', 'remote', path)
            self.kiln('compile', '--target=tgl', '-o', 'local', '--local', path, KILN_SERVER='')
        for name in os.listdir(os.path.join(self.folder, 'remote')):
            with open(os.path.join(self.folder, 'remote', name), 'rb') as a, \
                    open(os.path.join(self.folder, 'local', name), 'rb') as b:
                self.assertEqual(a.read(), b.read(), name)

    def test_time_limit_is_an_internal_failure(self):
        # Large enough to take much longer than the limit on any machine.
        path = self.file('long.comp', '#version 450\nlayout(local_size_x = 8) in;\n'
                         'layout(binding = 0) buffer B { uint v[]; };\nvoid main() {\n' +
                         ''.join('v[%d] = v[%d] * %du + v[%d];\n' % (i, i + 1, i, i + 7)
                                 for i in range(4000)) + '}\n')
        line = self.line(self.kiln('compile', '--target=tgl', '--local', '--json', '--timeout=0.002',
                                   path, expect=4))
        self.assertEqual(line['status'], 'timeout')

    def test_no_worker(self):
        self.fails(2, 'cannot start a worker', 'compile', '--target=tgl', '--local',
                   '--worker=/nowhere/kiln_worker', SAXPY)


class Batch(Cli):
    def lines(self, path):
        with open(path) as file:
            return [json.loads(line) for line in file]

    def test_folder(self):
        jsonl = os.path.join(self.folder, 'r.jsonl')
        expected = sorted(n for n in os.listdir(SHADERS) if n.endswith('.comp'))
        text = self.kiln('batch', '--target=tgl', '--root=' + SHADERS, '--jsonl=' + jsonl)
        self.assertRegex(text, r'(?m)^%d modules, %d results in ' % (len(expected), len(expected)))
        self.assertRegex(text, r'(?m)^  ok +%d$' % len(expected))
        self.assertRegex(text, r'(?m)^  cache: ')
        lines = self.lines(jsonl)
        self.assertEqual([line['file'] for line in lines], expected)
        for line in lines:
            self.assertEqual(list(line)[:len(LINE_KEYS)], LINE_KEYS)
        again = json.loads(self.kiln('batch', '--target=tgl', '--json', SHADERS))
        self.assertEqual(again['outcomes'], [{'status': 'ok', 'cause': 'ok', 'count': len(expected)}])

    def test_nearly_all_of_the_time_has_a_name(self):
        out = self.kiln('batch', '--local', '--target=tgl', '--jobs=1', '--jsonl=-', SHADERS, expect=0)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertGreater(len(lines), 50)
        total = sum(line['compile_ms'] for line in lines)
        named = sum(p['us'] for line in lines for p in line['passes']
                    if p['name'] != 'start_glslang') / 1000
        self.assertGreater(named, 0.95 * total)
        self.assertLess(named, 1.01 * total)
        names = {p['name'] for p in lines[0]['passes']}
        self.assertLess({'translate_glsl', 'read_request', 'read_spirv', 'validate_spirv', 'import_spirv',
                         'compact_mir', 'assign_abi', 'count_program', 'pack_result', 'select'}, names)

    def test_second_run_comes_from_the_cache(self):
        for tier in ('miss', 'memory'):
            summary = json.loads(self.kiln('batch', '--target=tgl', '--json', '--no-validate', SHADERS))
            self.assertEqual(list(summary['cache']), [tier])

    def test_list_with_wrong_entries(self):
        self.file('in/bad.comp', 'oops')
        self.file('in/empty.spv', b'')
        shutil.copy(SAXPY, os.path.join(self.folder, 'in/good.comp'))
        self.kiln('batch', '--target=tgl', '--root=in', '--list=-', '--jsonl=-', expect=1,
                  stdin=b'bad.comp\n# nothing\nmissing.spv\nempty.spv\ngood.comp\n')
        lines = [json.loads(line) for line in self.out.splitlines()]
        self.assertEqual([(line['file'], line['status'], line['cause']) for line in lines],
                         [('bad.comp', 'invalid', 'invalid_glsl'),
                          ('missing.spv', 'invalid', 'cannot_read'),
                          ('empty.spv', 'invalid', 'empty_file'), ('good.comp', 'ok', 'ok')])
        self.assertRegex(self.err, r'(?m)^missing\.spv: tgl: invalid \(cannot_read\)')
        self.assertRegex(self.err, r'4 modules, 4 results')

    def test_what_is_in_an_outputs_way_is_that_items_result(self):
        shutil.copy(SAXPY, os.path.join(self.folder, 'a.comp'))
        names = ['a', 'a.tgl.8.bin/b', 'taken', 'c']
        os.makedirs(os.path.join(self.folder, 'out', 'taken.tgl.8.bin'))
        manifest = self.file('m.jsonl', '\n'.join(
            json.dumps({'file': 'a.comp', 'name': name, 'widths': [8]}) for name in names))
        self.kiln('batch', '--target=tgl', '--jobs=1', '--manifest=' + manifest, '--jsonl=r.jsonl', '-o',
                  'out', expect=1)
        self.assertIn('a.tgl.8.bin/b.tgl.8.bin: cannot write: Not a directory', self.err)
        lines = self.lines(os.path.join(self.folder, 'r.jsonl'))
        self.assertEqual([line['cause'] for line in lines], ['ok', 'cannot_write', 'cannot_write', 'ok'])
        self.assertTrue(os.path.isfile(os.path.join(self.folder, 'out', 'c.tgl.8.bin')))

    def test_manifest(self):
        shutil.copy(SAXPY, os.path.join(self.folder, 'a.comp'))
        rows = [{'file': 'a.comp'}, {'file': 'a.comp', 'widths': [8], 'licence': 'any'},
                {'file': 'a.comp', 'widths': [16], 'name': 'wide', 'stage': 'comp'}]
        manifest = self.file('m.jsonl', '\n'.join(json.dumps(row) for row in rows))
        self.kiln('batch', '--target=tgl', '--manifest=' + manifest, '--jsonl=r.jsonl', '-o', 'out')
        widths = [[v['width'] for v in line['variants']]
                  for line in self.lines(os.path.join(self.folder, 'r.jsonl'))]
        self.assertEqual(widths[1:], [[8], [16]])
        files = []
        for _, _, names in os.walk(os.path.join(self.folder, 'out')):
            files += names
        self.assertIn('wide.tgl.16.bin', files)
        self.assertIn('a.comp~2.tgl.8.launch.json', files)
        bad = self.file('bad.jsonl', '{"file": "a.comp"}\n{"file": "a.comp", "widths": [3]}\n')
        self.fails(2, r"bad\.jsonl:2: '3' is no dispatch width", 'batch', '--target=tgl',
                   '--manifest=' + bad)
        bad = self.file('bad.jsonl', '{"file": "a.comp", "targets": ["tgll"]}')
        self.fails(2, r'did you mean tgl', 'batch', '--target=tgl', '--manifest=' + bad)

    def test_names_that_no_file_can_have(self):
        shutil.copy(SAXPY, os.path.join(self.folder, 'a.comp'))
        names = ['a\0b', 'a\nb', '\x1b[31m', 'x' * 5000, 'x' * 201, 'good', 'd/' * 600, '../' * 9 + 'up']
        manifest = self.file('m.jsonl', ''.join(
            json.dumps({'file': 'a.comp', 'name': name}) + '\n' for name in names))
        batch = ['batch', '--target=tgl', '--manifest=' + manifest, '--jsonl=r.jsonl', '-o', 'out']
        for where in ([], ['--local']):
            self.kiln(*batch, *where, expect=1)
            lines = self.lines(os.path.join(self.folder, 'r.jsonl'))
            self.assertEqual([line['status'] == 'ok' for line in lines],
                             [False] * 5 + [True, False, True])
            files = [os.path.join(d, f) for d, _, fs in os.walk(os.path.join(self.folder, 'out'))
                     for f in fs if f.endswith('.8.bin')]
            self.assertEqual(sorted(os.path.basename(f) for f in files),
                             ['good.tgl.8.bin', 'up.tgl.8.bin'])
        # Without outputs their names do not matter.
        self.kiln(*batch[:-2], expect=0)

    def test_entry_points_are_items(self):
        module = several_entry_points((5, 'blur'), (0, 'main'), (4, 'main'), (5, 'scan'))
        self.file('in/lib.spv', module)
        batch = ['batch', '--target=tgl', '--root=in', '--jsonl=r.jsonl']
        path = os.path.join(self.folder, 'r.jsonl')
        for where in ([], ['--local']):
            self.kiln(*batch, *where, '-o', 'out', expect=1)
            self.assertEqual([(l['file'], l['entry'], l['stage'], l['status'], l['cause'])
                              for l in self.lines(path)],
                             [('lib.spv', 'blur', 'compute', 'ok', 'ok'),
                              ('lib.spv', 'main', 'vertex', 'refused', 'unsupported_stage'),
                              ('lib.spv', 'main', 'fragment', 'refused', 'unsupported_stage'),
                              ('lib.spv', 'scan', 'compute', 'ok', 'ok')])
            self.assertIn('lib.spv (main): tgl: refused', self.err)
        self.assertIn('lib.spv.scan.tgl.8.bin', os.listdir(os.path.join(self.folder, 'out')))
        os.rename(path, os.path.join(self.folder, 'all.jsonl'))
        self.kiln(*batch, '--entry=scan')
        self.assertEqual([(l['entry'], l['status']) for l in self.lines(path)], [('scan', 'ok')])
        self.kiln(*batch, '--stage=comp')
        self.assertEqual([l['entry'] for l in self.lines(path)], ['blur', 'scan'])
        report = json.loads(self.kiln('report', '--json', 'all.jsonl', 'r.jsonl'))
        self.assertEqual((report['compared'], report['only_before'], report['only_after']), (4, 2, 0))
        manifest = self.file('in/m.jsonl', '{"file": "lib.spv", "entry": "blur"}')
        self.kiln(*batch, '--manifest=' + manifest)
        self.assertEqual([l['entry'] for l in self.lines(path)], ['blur'])
        # One at a time, and it says which there are.
        self.fails(1, r'several compute entry points.*"blur".*"scan"', 'compile', '--target=tgl',
                   'in/lib.spv')
        line = self.line(self.kiln('compile', '--target=tgl', '--json', '--entry=blur', 'in/lib.spv'))
        self.assertEqual((line['entry'], line['status']), ('blur', 'ok'))

    def test_usage(self):
        self.fails(2, 'what is to be compiled', 'batch', '--target=tgl')
        self.fails(2, 'nowhere: there is no such file or folder', 'batch', '--target=tgl', 'nowhere')
        self.fails(2, '--root=nowhere: there is no such folder', 'batch', '--target=tgl',
                   '--root=nowhere')
        self.fails(2, 'there is nothing to compile', 'batch', '--target=tgl', self.folder)
        self.fails(2, '--list: nowhere: there is no such file', 'batch', '--target=tgl',
                   '--list=nowhere')
        self.fails(2, '--jobs=0', 'batch', '--target=tgl', '--jobs=0', SHADERS)

    def test_disabled_pass_changes_the_key(self):
        keys = {self.line(self.kiln('batch', '--target=tgl', '--jsonl=-', *flags, SAXPY))['key']
                for flags in ([], ['--disable-pass=simplify'])}
        self.assertEqual(len(keys), 2)

    def test_interrupted(self):
        listed = self.file('list', (SAXPY + '\n') * 20000)
        process = subprocess.Popen(
            [KILN, 'batch', '--local', '--target=tgl', '--jobs=2', '--list=' + listed,
             '--jsonl=r.jsonl', '--json'],
            cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        path = os.path.join(self.folder, 'r.jsonl')
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if os.path.exists(path) and os.path.getsize(path) > 0:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        lines = self.lines(path)
        self.assertGreater(len(lines), 0)
        self.assertLess(len(lines), 20000)
        self.assertTrue(all(line['status'] == 'ok' for line in lines))
        summary = json.loads(out)
        self.assertEqual((summary['interrupted'], summary['results']), (True, len(lines)))
        self.assertIn(b'interrupted after', err)

    def test_interrupted_while_it_waits_for_input(self):
        for command in (['disasm', '--target=tgl', '-'], ['compile', '--target=tgl', '-'],
                        ['batch', '--target=tgl', '--list=-']):
            process = subprocess.Popen([KILN, *command], env=self.environment(), cwd=self.folder,
                                       stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(10), 130, command)
            process.stdin.close()

    def long_batch(self, daemon, *flags):
        """A batch of 200,000 files that has begun to write results."""
        listed = self.file('list', (SAXPY + '\n') * 200000)
        path = self.file('r.jsonl', '')
        process = subprocess.Popen(
            [KILN, 'batch', '--server=' + daemon.address, '--target=tgl', '--cache=bypass',
             '--list=' + listed, '--jsonl=r.jsonl', *flags],
            cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not (os.path.exists(path) and os.path.getsize(path) > 0) and process.poll() is None:
            time.sleep(0.05)
        return process, path

    def test_daemon_dies(self):
        for signal_sent in (signal.SIGKILL, signal.SIGTERM):
            daemon = Daemon()
            process, path = self.long_batch(daemon, '--patience=1.5')
            daemon.process.send_signal(signal_sent)
            daemon.process.wait()
            daemon.process.stderr.close()
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 3, err)
            self.assertGreater(len(self.lines(path)), 0)
            self.assertIn(b' does not answer (', err)
            self.assertRegex(err, rb'has not answered for 1\.5 s \(.*run it again .*--patience=SECONDS')
            self.assertRegex(out, rb'(?m)^\d+ modules, ')

    def test_interrupted_while_the_daemon_is_away(self):
        daemon = Daemon()
        process, path = self.long_batch(daemon)
        daemon.process.kill()
        daemon.process.wait()
        daemon.process.stderr.close()
        self.assertIn(b'does not answer', process.stderr.readline())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)
        self.assertGreater(len(self.lines(path)), 0)

    def away_and_back(self, leave, stays=1.5):
        """Three batches, over one daemon that leaves in the middle of the first and comes back."""
        daemon = Daemon()
        shaders = [self.file('s%d.comp' % i, '#version 450\nlayout(binding = 0) buffer B { uint v[]; };\n'
                             'void main() { v[%d] = v[%d] * %du; }\n' % (i, i + 1, i + 3))
                   for i in range(1500)]
        listed = self.file('list', '\n'.join(shaders))
        flags = ['batch', '--server=' + daemon.address, '--target=tgl', '--list=' + listed, '--patience=60']
        process = subprocess.Popen([KILN, *flags, '--jsonl=r.jsonl', '--json'], cwd=self.folder,
                                   env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        path = os.path.join(self.folder, 'r.jsonl')
        while not os.path.exists(path) or os.path.getsize(path) == 0:
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        leave(daemon)
        before = [line['file'] for line in self.lines(path)]
        time.sleep(stays)
        daemon.start()
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, err)
        lines = self.lines(path)
        self.assertEqual([line['file'] for line in lines], shaders)
        self.assertEqual({line['status'] for line in lines}, {'ok'})
        self.assertRegex(err.decode(), r'kiln: 127\.0\.0\.1:\d+ does not answer \(.*\); waiting for it, '
                         r'up to 60 s \(--patience\)\n(?s:.*)kiln: 127.* answers again after 0:0\d')
        # What was written before it left is in its cache: acknowledged is stored.
        again = self.file('again', '\n'.join(before))
        text = self.kiln('batch', '--server=' + daemon.address, '--target=tgl', '--list=' + again)
        self.assertNotIn('miss', text)
        daemon.stop()

    def test_a_daemon_killed_and_back(self):
        def kill(daemon):
            daemon.process.kill()
            daemon.process.wait()
            daemon.process.stderr.close()
        self.away_and_back(kill)

    def test_a_daemon_upgraded(self):
        self.away_and_back(Daemon.stop)

    def test_patience(self):
        self.fails(2, '--patience is for a daemon', 'batch', '--local', '--patience=3', '--target=tgl', SAXPY)
        self.fails(2, '--patience=-1: a time in seconds', 'batch', '--patience=-1', '--target=tgl', SAXPY)
        # At the start only who asks for it waits, and is told so; an interrupt ends that as well.
        with socket.socket() as s:
            s.bind(('127.0.0.1', 0))
            server = '--server=127.0.0.1:%d' % s.getsockname()[1]
        for command in ('compile', 'batch'):
            self.fails(3, 'does not answer(?s:.*)no kilnd answers', command, server, '--patience=1.5',
                       '--target=tgl', SAXPY)
            process = subprocess.Popen([KILN, command, server, '--patience=60', '--target=tgl', SAXPY],
                                       env=self.environment(), stderr=subprocess.PIPE)
            self.assertIn(b'up to 60 s', process.stderr.readline())
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(10), 130)
            process.stderr.close()


class Elsewhere(Cli):
    """What goes to a daemon on another machine, for which 0.0.0.0 stands here: the client cannot
    know that it is this one."""

    def setUp(self):
        super().setUp()
        with open(SAXPY, 'rb') as file:
            self.saxpy = file.read()
        self.secret = self.file('secret/s.comp', self.saxpy)
        self.file('lib/lib.h', '// lib\n')
        self.file('src/a.comp', self.saxpy)
        self.file('src/sub/b.comp', self.saxpy)

    def environment(self, **more):
        return super().environment(KILN_SERVER='0.0.0.0:' + self.daemon.address.split(':')[1], **more)

    def batch(self, *arguments, expect):
        """Message of each file; empty where it compiled."""
        self.kiln('batch', '--target=tgl', '--jsonl=-', *arguments, expect=expect)
        lines = [json.loads(line) for line in self.out.splitlines()]
        for line in lines:
            self.assertEqual(line['status'], 'invalid' if 'message' in line else 'ok')
        return {line['file']: line.get('message', '') for line in lines}

    def link(self, to, name):
        os.symlink(to, os.path.join(self.folder, name))

    def test_walked_links_out_of_the_folder(self):
        self.link('../secret/s.comp', 'src/out.comp')
        self.link('sub/b.comp', 'src/in.comp')
        self.link('../secret', 'src/folder')
        said = self.batch('src', expect=1)
        self.assertEqual([name for name in said if said[name]], ['src/out.comp'])
        self.assertEqual(sorted(said), ['src/a.comp', 'src/in.comp', 'src/out.comp',
                                        'src/sub/b.comp'])
        self.assertRegex(said['src/out.comp'],
                         'src/out.comp: leads to .*/secret/s.comp, .*--allow-include-outside')
        self.assertEqual(len(self.batch('--root=src', expect=1)), 4)
        for allowed in ('--allow-include-outside', '-Isecret/'):
            self.assertFalse(any(self.batch(allowed, 'src', expect=0).values()))
        self.kiln('compile', '--target=tgl', 'src/in.comp')
        self.kiln('compile', '--target=tgl', '-I', 'secret', 'src/out.comp')
        self.kiln('compile', '--target=tgl', '-', '--stage=comp', stdin=self.saxpy)
        self.fails(2, 'src/out.comp: leads to', 'compile', '--target=tgl', 'src/out.comp')

    def test_lists_and_manifests_do_not_reach_out(self):
        names = ['a.comp', '../secret/s.comp', self.secret, 'sub/../../secret/s.comp', '-', '/dev/zero']
        manifest = self.file('src/m.jsonl', ''.join(
            json.dumps({'file': name, 'stage': 'comp'}) + '\n' for name in names))
        said = list(self.batch('--manifest=' + manifest, expect=1).values())
        self.assertEqual([bool(text) for text in said], [False] + [True] * (len(said) - 1))
        listed = self.file('src/list', 'src/a.comp\n../none.comp\n' + SAXPY)
        said = self.batch('--list=' + listed, expect=1)
        self.assertEqual(said.pop('src/a.comp'), '')
        self.assertTrue(all(said.values()))
        self.file('src/list', 'a.comp\n../secret/s.comp\n' + self.secret)
        said = self.batch('--root=src', '--list=' + listed, expect=1)
        self.assertEqual([bool(text) for text in said.values()], [False, True, True])
        self.kiln('batch', '--target=tgl', '--root=/', '--list=-', stdin=self.secret.encode())

    def test_include_dirs_of_a_manifest_do_not_reach_out(self):
        self.file('src/i.comp', self.saxpy.replace(
            b'#version 450', b'#version 450\n#extension GL_GOOGLE_include_directive : require\n'
                             b'#include <lib.h>'))
        manifest = self.file('src/m.jsonl', json.dumps({'file': 'i.comp', 'include_dirs': ['../lib']}))
        (text,) = self.batch('--manifest=' + manifest, expect=1).values()
        self.assertRegex(text, 'lib/lib.h: leads to .*/lib/lib.h, outside of .*-I DIR')
        self.batch('--manifest=' + manifest, '-Ilib', expect=0)
        self.batch('--manifest=' + manifest, '--allow-include-outside', expect=0)
        self.batch('--manifest=' + manifest, '--root=src', expect=1)

    def test_what_is_no_file(self):
        os.mkfifo(os.path.join(self.folder, 'src/fifo.comp'))
        self.link('/dev/zero', 'src/zero.comp')
        manifest = self.file('src/m.jsonl', '{"file": "fifo.comp"}\n{"file": "zero.comp"}')
        for here in ((), ('--local',), ('--server=' + self.daemon.address,)):
            said = self.batch('--manifest=' + manifest, *here, expect=1)
            self.assertEqual(len([text for text in said.values() if text]), 2)


class Output(Cli):
    """Standard output and files that cannot be written: exit code 2, whatever the command."""

    def commands(self):
        self.kiln('compile', '--target=tgl', '--widths=8', '-o', 'out', SAXPY)
        code = 'out/saxpy.comp.tgl.8.bin'
        jsonl = os.path.join(self.folder, 'r.jsonl')
        self.kiln('batch', '--target=tgl', '--jsonl=' + jsonl, SAXPY)
        job = self.file('job.json', json.dumps({'push': [{'f32': 2}, {'u32': 1}], 'resources': [
            {'binding': b, 'data': {'f32': [1]}} for b in (0, 1)]}))
        return [['--help'], ['--version'], ['batch', '--help'], ['targets', '--passes'], ['health'],
                ['compile', '--target=tgl', SAXPY], ['compile', '--target=tgl', '--json', SAXPY],
                ['compile', '--target=tgl', '--asm', SAXPY],
                ['compile', '--target=tgl', '--widths=8', '-o', '-', SAXPY],
                ['batch', '--target=tgl', SAXPY], ['batch', '--target=tgl', '--jsonl=-', SAXPY],
                ['disasm', '--target=tgl', code], ['analyze', '--target=tgl', code],
                ['run', '--target=tgl', '--buffers=' + job, SAXPY], ['report', jsonl, jsonl]]

    def test_a_full_disk(self):
        for command in self.commands():
            with open('/dev/full', 'w') as full:
                done = subprocess.run([KILN, *command], stdout=full, stderr=subprocess.PIPE,
                                      cwd=self.folder, env=self.environment(), timeout=60)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn(b'cannot write: No space left on device', done.stderr, command)

    def test_a_closed_pipe(self):
        for command in self.commands():
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([KILN, *command], stdout=writer, stderr=subprocess.PIPE,
                                  cwd=self.folder, env=self.environment(), timeout=60)
            os.close(writer)
            self.assertEqual(done.returncode, 2, command)
            # A reader that has had enough needs no message, but that results are not all there is one.
            self.assertEqual(done.stderr != b'', command[0] == 'batch' and command[1] != '--help', command)

    def test_no_standard_output_at_all(self):
        for command in self.commands()[:6]:
            done = subprocess.run(['sh', '-c', 'exec "$0" "$@" >&-', KILN, *command],
                                  stderr=subprocess.PIPE, cwd=self.folder, env=self.environment(),
                                  timeout=60)
            self.assertEqual(done.returncode, 2, command)

    def test_a_batch_ends_when_its_lines_cannot_be_written(self):
        """And at once, not after its 200,000 files."""
        listed = self.file('list', (SAXPY + '\n') * 200000)
        flags = ['batch', '--target=tgl', '--list=' + listed]
        self.kiln(*flags, '--jsonl=/dev/full', expect=2)
        self.assertIn('--jsonl=/dev/full: cannot write: No space left on device', self.err)
        process = subprocess.Popen([KILN, *flags, '--jsonl=-'], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=self.folder, env=self.environment())
        self.assertEqual(json.loads(process.stdout.readline())['status'], 'ok')
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(60), 2)
        self.assertRegex(err, rb'nobody reads the results any more; \d+ of 200000 files are written')

    def test_a_file_that_may_not_grow(self):
        """As on a full disk: the lines that are there are whole ones."""
        listed = self.file('list', (SAXPY + '\n') * 2000)
        done = subprocess.run(
            ['bash', '-c', 'ulimit -f 200; exec "$0" "$@"', KILN, 'batch', '--target=tgl',
             '--list=' + listed, '--jsonl=r.jsonl'],
            capture_output=True, cwd=self.folder, env=self.environment(), timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b'--jsonl=r.jsonl: cannot write: File too large', done.stderr)
        with open(os.path.join(self.folder, 'r.jsonl')) as file:
            lines = [json.loads(line) for line in file]
        self.assertGreater(len(lines), 20)

    def test_fifos(self):
        def reader(name, into):
            fifo = os.path.join(self.folder, name)
            os.mkfifo(fifo)
            thread = threading.Thread(target=lambda: into.append(open(fifo, 'rb').read()))
            thread.start()
            return fifo, thread

        def writer(name, contents):
            fifo = os.path.join(self.folder, name)
            os.mkfifo(fifo)
            thread = threading.Thread(target=lambda: open(fifo, 'wb').write(contents))
            thread.start()
            return fifo, thread

        with open(SAXPY, 'rb') as file:
            saxpy = file.read()
        source, thread = writer('in.comp', saxpy)
        self.assertEqual(self.line(self.kiln('compile', '--target=tgl', '--json', source))['status'], 'ok')
        thread.join()
        listed, thread = writer('list', SAXPY.encode())
        read = []
        lines, reading = reader('lines', read)
        self.kiln('batch', '--target=tgl', '--list=' + listed, '--jsonl=' + lines)
        thread.join()
        reading.join()
        self.assertEqual(json.loads(read[0])['status'], 'ok')
        # A report of nothing ends, and files that are no files are written to, not replaced.
        empty, thread = writer('empty', b'')
        results = self.file('r.jsonl', read[0])
        self.fails(2, 'has no results', 'report', empty, results)
        thread.join()
        page = []
        html, reading = reader('html', page)
        self.kiln('report', '--html=' + html, results, results)
        reading.join()
        self.assertIn(b'<html', page[0])
        self.assertTrue(os.path.exists(html) and not os.path.isfile(html))
        self.fails(2, '/dev/full: cannot write: No space left', 'report', '--html=/dev/full', results,
                   results)

class Terminal(Cli):
    def on_terminal(self, *arguments, **more):
        """Standard output and error of kiln on a terminal."""
        parent, child = pty.openpty()
        process = subprocess.Popen([KILN, *arguments], stdout=child, stderr=child, cwd=self.folder,
                                   env=self.environment(**more))
        os.close(child)
        text = b''
        while select.select([parent], [], [], 120)[0]:
            try:
                block = os.read(parent, 65536)
            except OSError:
                break
            if not block:
                break
            text += block
        process.wait(60)
        os.close(parent)
        return text.decode('utf-8', 'replace')

    def test_colours(self):
        self.assertIn('\x1b[32mok', self.on_terminal('compile', '--target=tgl', SAXPY))
        self.assertNotIn('\x1b', self.on_terminal('compile', '--target=tgl', SAXPY, NO_COLOR='1'))
        self.assertNotIn('\x1b', self.on_terminal('compile', '--target=tgl', '--color=never', SAXPY))
        self.assertIn('\x1b[32mok', self.kiln('compile', '--target=tgl', '--color=always', SAXPY))

    def test_progress_on_terminals_only(self):
        flags = ['batch', '--target=tgl', '--cache=bypass', SHADERS]
        self.assertRegex(self.on_terminal(*flags), r'\r *\d+/\d+ \[[#-]+\] +\d+%.*/s')
        self.kiln(*flags)
        self.assertNotIn('\r', self.err)


    def test_progress_says_that_it_waits(self):
        daemon = Daemon()
        listed = self.file('list', (SAXPY + '\n') * 200000)
        path = self.file('r.jsonl', '')

        def leave():
            while os.path.getsize(path) == 0:
                time.sleep(0.05)
            daemon.stop()
        leaves = threading.Thread(target=leave)
        leaves.start()
        text = self.on_terminal('batch', '--server=' + daemon.address, '--target=tgl', '--patience=3',
                                '--cache=bypass', '--list=' + listed, '--jsonl=' + path)
        leaves.join()
        self.assertRegex(text, r'\r *\d+/200000 (\[[#-]+\])? +\d+%  waiting for 127\.0\.0\.1:\d+ '
                         r'0:0[123] of 0:03')
        self.assertIn('does not answer (', text)


class Report(unittest.TextTestResult):
    """Also collects XML cases."""

    def startTestRun(self):
        self.suite = ElementTree.Element('testsuite', name='cli_test')

    def case(self, test, tag=None, message=''):
        case = ElementTree.SubElement(self.suite, 'testcase', classname=type(test).__name__,
                                      name=getattr(test, '_testMethodName', str(test)))
        if tag:
            ElementTree.SubElement(case, tag, message=message)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.case(test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.case(test, 'failure', str(err[1])[:2000].encode('ascii', 'replace').decode())

    def addError(self, test, err):
        super().addError(test, err)
        self.case(test, 'error', str(err[1])[:2000].encode('ascii', 'replace').decode())

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.case(test, 'failure', str(err[1])[:2000].encode('ascii', 'replace').decode())

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.case(test, 'skipped', reason)


def main():
    runner = unittest.TextTestRunner(resultclass=Report, verbosity=2)
    loader = unittest.TestLoader()
    names = sys.argv[1:]
    module = sys.modules[__name__]
    suite = loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)
    result = runner.run(suite)
    xml = os.environ.get('XML_OUTPUT_FILE')
    if xml:
        root = ElementTree.Element('testsuites')
        root.append(result.suite)
        text = ElementTree.tostring(root, encoding='unicode')
        with open(xml, 'w') as file:
            file.write(re.sub(r'[^\t\n\x20-\ud7ff\ue000-\ufffd]', '?', text))
    shutil.rmtree(SCRATCH, ignore_errors=True)
    return 0 if result.wasSuccessful() else 1


if __name__ == '__main__':
    sys.exit(main())
