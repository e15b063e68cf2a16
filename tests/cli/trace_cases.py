"""kiln trace: timelines of shaders and of machine code of any compiler; --scan, --ngg-group."""

import json
import os
import struct

from fixture import SAXPY, SHADERS, Cli
from machine_code_cases import RECORD, STORE


class Trace(Cli):
    def trace(self, *arguments, **more):
        return json.loads(self.kiln('trace', '--json', *arguments, **more))

    def consistent(self, trace):
        """Holds what the object says about cycles against itself."""
        every = trace['instructions']
        for before, after in zip(every, every[1:]):
            self.assertEqual(after['turn'], before['next'])
        for each in every:
            self.assertEqual(each['issue'], each['turn'] + sum(w['cycles'] for w in each['waits']))
            for wait in each['waits']:
                self.assertLess(wait.get('producer', -1), each['index'])
        self.assertEqual(trace['cycles'], every[-1]['next'])
        self.assertEqual(sum(c['cycles'] for c in trace['causes']), trace['cycles'])
        self.assertLess(abs(sum(c['counted'] for c in trace['causes']) - trace['counted_cycles']), 1)

    def test_a_shader_is_compiled(self):
        for target, name in (('tgl', 'SIMD8'), ('gfx1030', 'wave32')):
            for where in ([], ['--local']):
                trace = self.trace('--target=' + target, '--widths=' + name.lstrip('SIMDwave'), *where, SAXPY)
                self.assertEqual((trace['file'], trace['target'], trace['variant']), (SAXPY, target, name))
                self.consistent(trace)
        widest = self.trace('--target=gfx1030', SAXPY)
        self.assertEqual(widest['variant'], 'wave64')
        self.fails(1, 'undeclared identifier', 'trace', '--target=tgl',
                   self.file('broken.comp', '#version 450\nvoid main() { x = 1; }\n'))
        self.fails(1, 'syntax error', 'trace', '--target=tgl', self.file('text.comp', 'no shader'))
        self.fails(2, 'there is no such file|No such file', 'trace', '--target=tgl', 'none.comp')

    def test_all_stages(self):
        for name in ('frag_sample_2d.frag', 'frag_discard_loop.frag'):
            for target in ('tgl', 'gfx1030'):
                self.consistent(self.trace('--target=' + target, os.path.join(SHADERS, name)))
        self.consistent(self.trace('--target=tgl', os.path.join(SHADERS, 'vert_skinning.vert')))

    def test_machine_code_is_the_same_as_its_shader(self):
        for target, width in (('tgl', '16'), ('gfx1030', '64')):
            where = ('--target=' + target,)
            self.kiln('compile', *where, '--widths=' + width, '-o', 'out', SAXPY)
            code = 'out/saxpy.comp.%s.%s.bin' % (target, width)
            more = ['--launch=' + code[:-4] + '.launch.json'] if target == 'gfx1030' else []
            compiled, read = self.trace(*where, '--widths=' + width, SAXPY), self.trace(*where, *more, code)
            self.assertEqual(read['instructions'], compiled['instructions'])
            self.assertEqual(read['causes'], compiled['causes'])
            # The figures are those of the analysis.
            analysis = json.loads(self.kiln('analyze', '--json', *where, *more, code))
            self.assertEqual(read['counted_cycles'], analysis['cycles'])
            waits = {unit['name']: unit['waits'] for unit in analysis['units']}
            for cause in read['causes']:
                if cause['cause'] == 'result' and cause['kind'] in waits and target == 'tgl':
                    self.assertLess(abs(waits[cause['kind']] - cause['counted']), 1)
            with open(os.path.join(self.folder, code), 'rb') as file:
                bare = self.trace(*where, '-', stdin=file.read())
            self.assertEqual(len(bare['instructions']), len(read['instructions']))

    def test_machine_code_of_other_compilers(self):
        code = self.file('store.bin', struct.pack('<%dI' % len(STORE), *STORE))
        record = '--launch=' + self.file('store.launch.json', json.dumps(RECORD))
        for more in ([], [record], ['--wave64']):
            trace = self.trace('--target=gfx1030', *more, code)
            self.consistent(trace)
            texts = [each['text'] for each in trace['instructions']]
            self.assertEqual(texts[4], 's_waitcnt lgkmcnt(0)')
            wait, = trace['instructions'][4]['waits']
            self.assertEqual((wait['for'], wait['name'], wait['kind'], wait['producer']),
                             ('counter', 'lgkmcnt', 'scalar_memory', 1))
        boxed = self.line(self.kiln('compile', '--target=gfx1030', '--container=amdhsa', '--widths=32', '--json', '-o',
                                    'out', SAXPY))
        self.consistent(self.trace('--target=gfx1030', boxed['variants'][0]['binary']))
        self.fails(1, 'is it gfx1030 machine code', 'trace', '--target=gfx1030', self.file('no.bin', b'\xff\0' * 8))
        self.fails(2, '--stage is an option for compiling', 'trace', '--target=gfx1030', '--stage=comp', code)
        self.fails(2, '--wave64: the timeline of tgl has no such mode', 'trace', '--target=tgl', '--wave64', code)
        self.fails(2, '--launch: the timeline of tgl takes no launch record', 'trace', '--target=tgl', record, code)

    def test_text(self):
        text = self.kiln('trace', '--target=gfx1030', '--widths=32', SAXPY)
        self.assertRegex(text, r'saxpy\.comp gfx1030 wave32: \d+ instructions, \d+ cycles( with each once, .*)?\n')
        self.assertRegex(text, r'\n +\d+ +\d+ +\d+ +\d+ \|[ .#=>]+\| s_waitcnt .*; waits \d+ for \w+ of \d+ \(\w+\)\n')
        self.assertRegex(text, r'\ncause +cycles +as counted +share\n')
        self.assertRegex(text, r'\nissue +\d+ ')

    def test_a_part(self):
        whole = self.trace('--target=gfx1030', SAXPY)
        middle = whole['cycles'] // 2
        part = self.trace('--target=gfx1030', '--from=%d' % middle, '--to=%d' % (middle + 20), SAXPY)
        self.assertEqual(part['instructions'], [each for each in whole['instructions']
                                                if each['turn'] < middle + 20 and each['next'] > middle])
        self.assertEqual(part['causes'], whole['causes'])
        self.assertEqual((part['from'], part['to']), (middle, middle + 20))
        self.fails(2, r'--from=99999 --to=\d+: no cycle of the program, which takes \d+', 'trace', '--target=gfx1030',
                   '--from=99999', SAXPY)
        self.fails(2, '--from=-1', 'trace', '--target=gfx1030', '--from=-1', SAXPY)

    def test_page(self):
        text = self.kiln('trace', '--target=tgl', '--html=page.html', SAXPY)
        self.assertIn('wrote page.html\n', text)
        self.assertNotIn('|', text)
        with open(os.path.join(self.folder, 'page.html'), encoding='utf-8') as page:
            self.assertIn('<title>saxpy.comp</title>', page.read())
        self.fails(2, 'no/such', 'trace', '--target=tgl', '--html=/proc/no/such/page.html', SAXPY)

    def test_usage(self):
        self.fails(2, '--target is missing', 'trace', SAXPY)
        self.fails(2, 'no such target', 'trace', '--target=tlg', SAXPY)
        self.fails(2, 'give one file', 'trace', '--target=tgl')
        self.fails(2, 'give one file', 'trace', '--target=tgl', SAXPY, SAXPY)


class Scans(Cli):
    """--scan: part of the key, refused by name for a target without it."""
    FORMS = ['dword_dpp', 'dword_scalar', 'byte_perm', 'byte_dot', 'byte_msad']

    def test_forms_are_those_of_the_target(self):
        for where in ([], ['--local']):
            self.assertIn('scans of gfx1030: %s\n' % ', '.join(self.FORMS), self.kiln('targets', *where))
            targets = {each['name']: each for each in json.loads(self.kiln('targets', '--json', *where))['targets']}
            self.assertEqual((targets['gfx1030']['scans'], targets['tgl']['scans']), (self.FORMS, []))
            lines = [json.loads(line) for line in
                     self.kiln('compile', '--target=tgl,gfx1030', '--scan=byte_perm', '--json', *where, SAXPY,
                               expect=1).splitlines()]
            self.assertEqual([(line['status'], line['cause'], line['scan']) for line in lines],
                             [('refused', 'scan', 'byte_perm'), ('ok', 'ok', 'byte_perm')])
            self.assertIn('form of scans byte_perm for the target tgl', lines[0]['message'])
            self.fails(2, r"--scan=byte_prem: no target of .* has this form; the forms are dword_dpp, .*did you mean byte_perm",
                       'compile', '--target=gfx1030', '--scan=byte_prem', *where, SAXPY)

    def test_each_form_is_a_result_of_its_own(self):
        own = self.file('own.comp', open(SAXPY).read() + '// of this test alone\n')
        keys = set()
        for form in [None, *self.FORMS]:
            for cache in ('miss', 'memory'):
                line = self.line(self.kiln('compile', '--target=gfx1030', '--json',
                                           *(['--scan=' + form] if form else []), own))
                self.assertEqual((line['cache'], line.get('scan')), (cache, form))
                keys.add(line['key'])
        self.assertEqual(len(keys), 6)


class NggGroups(Cli):
    """--ngg-group: part of the key, in the launch record, refused by name for a target or stage without it."""
    VERTEX = os.path.join(SHADERS, 'vert_skinning.vert')

    def test_sizes_are_those_of_the_target(self):
        for where in ([], ['--local']):
            self.assertIn('workgroups of vertices of gfx1030: 128, 256\n', self.kiln('targets', *where))
            lines = [json.loads(line) for line in
                     self.kiln('compile', '--target=tgl,gfx1030', '--ngg-group=256', '--json', *where, self.VERTEX,
                               expect=1).splitlines()]
            self.assertEqual([(line['status'], line['cause'], line['ngg_group']) for line in lines],
                             [('refused', 'ngg_group', 256), ('ok', 'ok', 256)])
            self.assertIn('workgroups of 256 vertices for the target tgl', lines[0]['message'])
            line = self.line(self.kiln('compile', '--target=gfx1030', '--ngg-group=256', '--json', *where, SAXPY,
                                       expect=1))
            self.assertEqual((line['cause'], line['message']),
                             ('ngg_group', 'workgroups of 256 vertices for the stage compute'))
            self.fails(2, r'--ngg-group=64: no target of .* has workgroups of so many vertices; the sizes are 128, 256',
                       'compile', '--target=gfx1030', '--ngg-group=64', *where, self.VERTEX)

    def test_the_record_has_it(self):
        sizes = {}
        for size in (128, 256):
            out = os.path.join(self.folder, 'group%d' % size)
            self.kiln('compile', '--target=gfx1030', '--widths=64', '--ngg-group=%d' % size, '-o', out, self.VERTEX)
            record, = (name for name in os.listdir(out) if name.endswith('.launch.json'))
            with open(os.path.join(out, record)) as file:
                sizes[size] = json.load(file)['amd']['vertex']['ge_cntl']
        self.assertEqual(sizes, {128: 128 | 128 << 9, 256: 256 | 251 << 9})

    def test_culling_is_state(self):
        on = self.file('on.json', '{"primitive_culling": "CULLING_ON"}')
        line = self.line(self.kiln('compile', '--target=tgl', '--state=' + on, '--json', self.VERTEX, expect=1))
        self.assertEqual((line['status'], line['cause']), ('refused', 'primitive_culling'))
        line = self.line(self.kiln('compile', '--target=gfx1030', '--state=' + on, '--json', self.file(
            'stores.vert', '#version 450\nlayout(binding = 0) buffer B { uint n; };\n'
            'void main() { n = 1u; gl_Position = vec4(1); }\n'), expect=1))
        self.assertEqual((line['status'], line['cause']), ('refused', 'primitive_culling'))
        self.assertIn('writes memory', line['message'])
