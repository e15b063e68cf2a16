"""kiln compile, with a daemon and with --local; help and usage."""

import json
import os
import re
import struct

from fixture import LINE_KEYS, SAXPY, SHADERS, VARIANT_KEYS, Cli


class Overview(Cli):
    def test_help_of_everything(self):
        text = self.kiln('--help')
        commands = re.findall(r'^  (\w+)  +\w', text, re.M)
        self.assertEqual(commands, ['compile', 'batch', 'run', 'report', 'targets', 'disasm', 'analyze',
                                    'trace', 'health', 'man'])
        for command in commands[:5]:
            help_text = self.kiln(command, '--help')
            self.assertRegex(help_text, r'Examples:\n  kiln |Examples:\n  .*kiln ' + command)
            self.assertIn('--json', help_text)
            self.assertIn('Exit codes:', help_text)
            self.assertEqual(self.kiln('help', command), help_text)
        self.assertRegex(self.kiln('--version'), r'^kiln \d+\.\d+\.\d+ \(kiln\.v1\)\n$')

    def test_usage_errors(self):
        self.fails(2, 'Usage: kiln COMMAND')
        self.fails(2, "no command 'compil'; did you mean compile", 'compil')
        self.fails(2, "'explain' is not available yet", 'explain', 'x.spv')
        self.fails(2, 'the command comes before its flags', '--target=tgl')
        self.fails(2, r"-D: 'A=\\xff' is not UTF-8", 'compile', '--target=tgl', '-D', 'A=\udcff', SAXPY)
        self.fails(2, r"--entry: '\\xff' is not UTF-8", 'batch', '--target=tgl', '--entry=\udcff', SAXPY)
        self.fails(2, 'unknown flag --tagret; did you mean --target\\?', 'compile', '--tagret=tgl', 'x')
        self.fails(2, '--target is missing', 'compile', SAXPY)
        self.fails(2, 'a file is missing', 'compile', '--target=tgl')
        self.fails(2, 'give one file, or a vertex and a fragment shader', 'compile', '--target=tgl', 'a', 'b', 'c')
        self.fails(2, 'auto, always or never', 'health', '--color=blue')
        for later in ('bisect', 'cache'):
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
        self.assertEqual(['name', 'width', *self.statistics()], VARIANT_KEYS)
        for variant in line['variants']:
            self.assertEqual(list(variant), VARIANT_KEYS)
            self.assertGreater(variant['bytes'], 0)
            self.assertEqual(variant['name'], 'SIMD%d' % variant['width'])
        self.assertEqual(list(line['passes'][0]),
                         ['name', 'runs', 'changed', 'us', 'instructions_delta'])
        self.assertIn(('width_refused', 32), [(r['kind'], r['width']) for r in line['remarks']])

    def test_bisect_permits_so_many_rewrites(self):
        def code(*flags):
            line = self.line(self.kiln('compile', '--target=tgl', '--json', '--widths=8', *flags, SAXPY))
            return line['variants'][0]['instructions'], line['key']
        every, none = code(), code('--bisect=0')
        self.assertLess(every[0], none[0])
        self.assertEqual(code('--bisect=1000000000')[0], every[0])
        self.assertEqual(len({every[1], none[1], code('--bisect=1')[1]}), 3)
        for wrong in ('-1', 'x', ''):
            self.fails(2, '--bisect', 'compile', '--target=tgl', '--bisect=' + wrong, SAXPY)

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
            self.assertEqual(record['record_version'], 2)
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
        self.fails(2, 'the stage is not known', 'compile', '--target=tgl', '-', stdin=source)

    def test_assembly_alone(self):
        text = self.kiln('compile', '--target=tgl', '--asm', '--widths=8', SAXPY)
        self.assertRegex(text, r'^// .*saxpy\.comp tgl SIMD8: instructions \d+, .*, bytes \d+\n')
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

    # Bytes that are not UTF-8 were once taken for a fault of the worker. A file's bytes reach the
    # compiler as UTF-8, in which a stray byte is U+FFFD.
    def test_bytes_beyond_ascii_in_code(self):
        for code, shown in ((b'float caf\xe9 = 1;', "'U+FFFD or a byte that is not UTF-8'"),
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
        # A module that declares its only entry point twice, under a name that is not UTF-8.
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
                (r'--target=tlg: no such target; the targets of .* are tgl, gfx1030; did you mean tgl', ['--target=tlg']),
                (r'given twice', ['--target=tgl,tgl']),
                (r'constant 1 is given twice', ['--target=tgl', '--spec=1=2', '--spec=1=3']),
                (r'there is no type', ['--target=tgl', '--spec=1=half:2']),
                (r"'7' is not a dispatch width", ['--target=tgl', '--widths=7']),
                (r"'pixel' is not a stage", ['--target=tgl', '--stage=pixel']),
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


    # The stage may be stated in the module alone. Both a daemon, which knows its workers, and a
    # compiler report it.
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
        self.assertRegex(line['message'], 'samples: 3 is not one of')
        wrong = self.file('wrong.json', b'{"fragment": {"sample": 4}}')
        self.fails(2, r'wrong\.json: not a pipeline state: .*sample', 'compile',
                   '--target=tgl', '--state=' + wrong, SAXPY)
        defaults = self.file('defaults.json', b'{"fragment": {"samples": 1}, "next_stage_reads": null}')
        self.kiln('compile', '--target=tgl', '--state=' + defaults, SAXPY)
        empty = self.file('empty.json', b'{}')
        self.kiln('compile', '--target=tgl', '--state=' + empty, SAXPY)


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
