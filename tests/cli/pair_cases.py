"""kiln compile of a vertex and a fragment shader: outputs that the second does not read are not computed."""

import json
import os

from fixture import SAXPY, Cli, several_entry_points

VERTEX = '''#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 first;
layout(location = 3) out vec2 second;
layout(location = 4) flat out uint third;
void main() { gl_Position = a; first = sin(a); second = a.xy * a.zw; third = uint(a.x); }
'''


def fragment(inputs, color):
    return ('#version 450\n' + ''.join('layout(location = %s;\n' % i for i in inputs) +
            'layout(location = 0) out vec4 color;\nvoid main() { color = %s; }\n' % color)


READS_SECOND = fragment(['3) in vec2 second'], 'vec4(second.y)')


class Pair(Cli):
    WHERE = (['--target=tgl', '--json'], ['--target=tgl', '--json', '--local'])

    def setUp(self):
        super().setUp()
        self.file('a.vert', VERTEX)
        self.file('b.frag', READS_SECOND)

    def lines(self, *arguments, **more):
        return [json.loads(line) for line in self.kiln('compile', *arguments, **more).splitlines()]

    def record(self, name):
        with open(os.path.join(self.folder, name + '.launch.json')) as file:
            return json.load(file)

    def refused_usage(self, pattern, *arguments, **more):
        """Expects the same refusal from a daemon and from --local."""
        for where in (['--target=tgl'], ['--target=tgl', '--local']):
            self.fails(2, pattern, 'compile', *where, *arguments, **more)

    def test_the_vertex_shader_is_trimmed_and_the_key_says_so(self):
        alone, = self.lines('--target=tgl', '--json', 'a.vert')
        following, = self.lines('--target=tgl', '--json', 'b.frag')
        vertex, pixel = self.lines('--target=tgl', '--json', 'a.vert', 'b.frag')
        self.assertEqual([(line['file'], line['stage'], line['status']) for line in (vertex, pixel)],
                         [('a.vert', 'vertex', 'ok'), ('b.frag', 'fragment', 'ok')])
        for counted in ('instructions', 'sends', 'bytes'):
            self.assertLess(vertex['variants'][0][counted], alone['variants'][0][counted])
        self.assertNotEqual(vertex['key'], alone['key'])
        self.assertEqual((pixel['key'], pixel['cache']), (following['key'], 'memory'))
        self.assertEqual(pixel['variants'], following['variants'])
        # Another fragment shader with the same inputs asks for the same program.
        self.file('same.frag', fragment(['3) in vec2 other'], 'vec4(2.0, 0.0, other.y, 1.0)'))
        same, _ = self.lines('--target=tgl', '--json', 'a.vert', 'same.frag')
        self.assertEqual((same['key'], same['cache']), (vertex['key'], 'memory'))
        self.file('more.frag', fragment(['3) in vec2 second'], 'second.xyxy'))
        more, _ = self.lines('--target=tgl', '--json', 'a.vert', 'more.frag')
        self.assertNotEqual(more['key'], vertex['key'])
        again, = self.lines('--target=tgl', '--json', 'a.vert')
        self.assertEqual((again['key'], again['variants']), (alone['key'], alone['variants']))

    def test_any_order(self):
        forth = self.lines('--target=tgl', '--json', 'a.vert', 'b.frag')
        back = self.lines('--target=tgl', '--json', 'b.frag', 'a.vert')
        self.assertEqual([line['key'] for line in back], [line['key'] for line in reversed(forth)])
        self.assertEqual([line['file'] for line in back], ['b.frag', 'a.vert'])

    def test_records_of_a_pair_agree(self):
        for where, flags in (('remote', []), ('local', ['--local'])):
            self.kiln('compile', '--target=tgl', '--widths=8', *flags, '-o', where, 'a.vert', 'b.frag')
        names = sorted(os.listdir(os.path.join(self.folder, 'remote')))
        self.assertEqual(names, ['%s.tgl.8.%s' % (name, kind) for name in ('a.vert', 'b.frag')
                                 for kind in ('bin', 'launch.json')])
        for name in names:
            with open(os.path.join(self.folder, 'remote', name), 'rb') as a, \
                    open(os.path.join(self.folder, 'local', name), 'rb') as b:
                self.assertEqual(a.read(), b.read(), name)
        part = {'component': 1, 'components': 1, 'type': 'float', 'bits': 32}
        record = self.record('remote/a.vert.tgl.8')
        self.assertEqual(record['vertex']['outputs'], [{'location': 3, 'parts': [part]}])
        self.assertEqual([(slot['slot'], slot['location'], slot['written'])
                          for slot in record['intel']['vertex']['vue'] if slot['what'] == 'location'],
                         [(7, 3, True)])
        read = self.record('remote/b.frag.tgl.8')['fragment']['inputs']
        self.assertEqual([(a['location'], a['parts'], a['flat']) for a in read], [(3, [part], False)])

    def test_widths_are_the_fragment_shaders(self):
        vertex, pixel = self.lines('--target=tgl', '--json', '--widths=16', 'a.vert', 'b.frag')
        self.assertEqual([[v['width'] for v in line['variants']] for line in (vertex, pixel)],
                         [[8], [16]])
        state = self.file('state.json', '{"fragment": {"samples": 4}}')
        self.lines('--target=tgl', '--json', '--state=' + state, 'a.vert', 'b.frag')

    def test_the_pass_can_be_left_out(self):
        alone, = self.lines('--target=tgl', '--json', 'a.vert')
        vertex, _ = self.lines('--target=tgl', '--json', '--disable-pass=remove_unread_outputs',
                               'a.vert', 'b.frag')
        self.assertEqual(vertex['variants'], alone['variants'])

    def test_what_is_never_written_is_warned_of(self):
        self.file('b.frag', fragment(['3) in vec4 second', '7) in vec3 none'],
                                     'second + none.xyzz'))
        for where in self.WHERE:
            vertex, pixel = self.lines(*where, 'a.vert', 'b.frag')
            self.assertEqual((vertex['status'], pixel['status']), ('ok', 'ok'))
            self.assertIn('warning: b.frag: tgl: location 3.zw: read and never written by a.vert', self.err)
            self.assertIn('warning: b.frag: tgl: location 7.xyz: read and never written by a.vert', self.err)
            self.assertEqual([r['text'] for r in pixel['remarks'] if r['kind'] == 'undefined_input'],
                             ['location 3.zw: read and never written',
                              'location 7.xyz: read and never written'])

    def test_another_type_is_an_error(self):
        self.file('b.frag', fragment(['4) in float third'], 'vec4(third)'))
        for where in self.WHERE:
            vertex, pixel = self.lines(*where, 'a.vert', 'b.frag', expect=1)
            self.assertEqual((vertex['status'], pixel['status'], pixel['cause'], pixel['variants']),
                             ('ok', 'invalid', 'interface_mismatch', []))
            self.assertIn('a.vert: location 4.x: written as int32, read as float32', pixel['message'])

    # Halves are passed as floats, whichever width either stage declares.
    def test_other_widths_fit(self):
        head = '#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n'
        self.file('a.vert', head + '''layout(location = 0) in vec4 a;
layout(location = 0) out f16vec2 half_part;
layout(location = 1) flat out u64vec2 wide;
void main() { gl_Position = a; half_part = f16vec2(a.xy); wide = u64vec2(a.zw); }
''')
        self.file('b.frag', head + '''layout(location = 0) in f16vec2 half_part;
layout(location = 1) flat in u64vec2 wide;
layout(location = 0) out vec4 color;
void main() { color = vec4(half_part, float(wide.y), 1.0); }
''')
        self.lines('--target=tgl', '--json', 'a.vert', 'b.frag')
        self.assertEqual(self.err, '')

    def test_a_stage_that_does_not_compile(self):
        self.file('bad.frag', '#version 450\nvoid main() { x }\n')
        self.file('bad.vert', '#version 450\nvoid main() { y }\n')
        for where in self.WHERE:
            pixel, = self.lines(*where, 'a.vert', 'bad.frag', expect=1)
            self.assertEqual((pixel['file'], pixel['cause']), ('bad.frag', 'invalid_glsl'))
            self.assertIn('warning: a.vert: tgl: not compiled: the inputs of bad.frag are not known', self.err)
            vertex, pixel = self.lines(*where, 'bad.vert', 'b.frag', expect=1)
            self.assertEqual((vertex['cause'], pixel['status']), ('invalid_glsl', 'ok'))

    def test_what_is_no_pair(self):
        self.file('c.frag', READS_SECOND)
        self.file('d.vert', VERTEX)
        drawn = 'two files must be a vertex and a fragment shader'
        self.refused_usage(drawn + r'.*b\.frag is fragment, c\.frag is fragment', 'b.frag', 'c.frag')
        self.refused_usage(drawn + r'.*a\.vert is vertex, d\.vert is vertex', 'a.vert', 'd.vert')
        self.refused_usage(drawn + r'.*compute, b\.frag is fragment', SAXPY, 'b.frag')
        self.refused_usage(r'none\.frag: .*(no such file|No such file)', 'a.vert', 'none.frag')
        self.refused_usage(r'none\.vert: .*(no such file|No such file)', 'none.vert', 'b.frag')
        self.refused_usage('give one file, or a vertex and a fragment shader', 'a.vert', 'b.frag', 'c.frag')
        self.refused_usage('only one of the two files can be standard input', '-', '-')
        self.refused_usage('-o - writes one program', '-o', '-', 'a.vert', 'b.frag')
        self.refused_usage('--stage: not with two files', '--stage=vert', 'a.vert', 'b.frag')
        self.refused_usage('--entry=a,b,c: for two files give NAME', '--entry=a,b,c', 'a.vert', 'b.frag')
        state = self.file('state.json', '{"next_stage_reads": {}}')
        self.refused_usage('next_stage_reads is derived from the fragment shader', '--state=' + state,
                           'a.vert', 'b.frag')

    def test_both_stages_in_one_module(self):
        both = self.file('both.spv', several_entry_points((0, 'v'), (4, 'f'), (4, 'g')))
        vertex, pixel = self.lines('--target=tgl', '--json', '--widths=8', '--entry=v,g', '-o', 'out',
                                   both, both)
        self.assertEqual([(line['stage'], line['entry'], line['status']) for line in (vertex, pixel)],
                         [('vertex', 'v', 'ok'), ('fragment', 'g', 'ok')])
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, 'out'))),
                         ['both.spv.%s.tgl.8.%s' % (stage, kind) for stage in ('fragment', 'vertex')
                          for kind in ('bin', 'launch.json')])
        self.refused_usage('without a matching entry point', '--entry=x,y', both, both)
        # The fragment shader from standard input.
        with open(both, 'rb') as file:
            module = file.read()
        _, pixel = self.lines('--target=tgl', '--json', '--entry=v,f', both, '-', stdin=module)
        self.assertEqual((pixel['file'], pixel['entry']), ('stdin', 'f'))

    def test_more_than_sixteen_attributes_are_numbered_as_they_are_written(self):
        places = [l for l in range(18) if l != 9]
        self.file('a.vert', '#version 450\nlayout(location = 0) in vec4 a;\n' + ''.join(
            'layout(location = %d) out float o%d;\n' % (l, l) for l in places) +
            'void main() { gl_Position = a; ' + ''.join('o%d = a.x;' % l for l in places) + '}\n')
        self.file('b.frag', fragment(['%d) in float o%d' % (l, l) for l in places],
                                     'vec4(' + ' + '.join('o%d' % l for l in places) + ')'))
        self.kiln('compile', '--target=tgl', '-o', self.folder, 'a.vert', 'b.frag')
        slots = {s['location']: s['slot'] for s in self.record('a.vert.tgl.8')['intel']['vertex']['vue']
                 if s['what'] == 'location'}
        fragment_record = self.record('b.frag.tgl.8')
        read = fragment_record['fragment']['inputs']
        first = min(slots[a['location']] for a in read) & ~1
        numbers = {slots[a['location']] - first: number
                   for a, number in zip(read, fragment_record['intel']['fragment']['input_slots'])}
        self.assertEqual(len(read), len(places))
        # Only the first sixteen are routed (core/intel/ABI.md).
        self.assertTrue(any(n >= 16 for n in numbers.values()))
        for slot, number in numbers.items():
            self.assertTrue(number < 16 or number == slot, numbers)
