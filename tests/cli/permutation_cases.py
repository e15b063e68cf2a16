"""kiln batch: permutations, pipeline state and pairs as items, and kiln report over them."""

import json
import os

from fixture import SAXPY, Cli
from pair_cases import READS_SECOND, VERTEX

UBER = '''#version 450
layout(local_size_x = 8) in;
layout(constant_id = 3) const uint extra = 0;
layout(binding = 0) buffer B { uint v[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  v[i] = N * i + extra;
#ifdef FOG
  v[i] += v[i + 1] * v[i + 2];
#endif
}
'''
COLOURS = '''#version 450
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() { a = gl_FragCoord; b = sin(gl_FragCoord); }
'''


class Permutations(Cli):
    def setUp(self):
        super().setUp()
        self.file('uber.comp', UBER)

    def lines(self, *arguments, expect=0):
        out = self.kiln('batch', '--target=tgl', '--jsonl=-', *arguments, expect=expect)
        return [json.loads(line) for line in out.splitlines()]

    def manifest(self, *rows):
        return '--manifest=' + self.file('m.jsonl', '\n'.join(map(json.dumps, rows)))

    def test_the_product_is_compiled(self):
        lines = self.lines('--permutations=N=1,2;FOG?;3=uint:0..1', 'uber.comp')
        self.assertEqual([(line.get('defines'), line.get('spec')) for line in lines],
                         [(['N=%d' % n, *fog], ['3=uint:%d' % c]) for n in (1, 2) for fog in ([], ['FOG']) for c in (0, 1)])
        self.assertEqual(len({line['key'] for line in lines}), 8)
        self.assertEqual({line['status'] for line in lines}, {'ok'})

    def test_the_list_is_a_manifest_of_the_same_items(self):
        text = self.kiln('batch', '--target=tgl', '-D', 'X=1', '--permutations=N=1,2;FOG?', '--list-items', 'uber.comp')
        self.assertEqual(text.splitlines(), ['uber.comp (N=1)', 'uber.comp (N=1 FOG)', 'uber.comp (N=2)',
                                             'uber.comp (N=2 FOG)'])
        listed = self.kiln('batch', '--target=tgl', '-D', 'X=1', '--permutations=N=1,2;FOG?', '--list-items', '--json',
                           'uber.comp')
        self.file('list.jsonl', listed)
        made = self.lines('-D', 'X=1', '--permutations=N=1,2;FOG?', 'uber.comp')
        again = self.lines('--manifest=list.jsonl', '--strict')
        self.assertEqual([line['key'] for line in made], [line['key'] for line in again])

    def test_of_an_item(self):
        lines = self.lines('--permutations=N=7', self.manifest(
            {'file': 'uber.comp', 'name': 'a', 'permutations': 'N=1,2'}, {'file': 'uber.comp', 'name': 'b', 'defines': ['FOG']}))
        self.assertEqual([(line['name'], line['defines']) for line in lines],
                         [('a', ['N=1']), ('a', ['N=2']), ('b', ['FOG', 'N=7'])])

    def test_outputs_name_the_permutation(self):
        self.lines('--permutations=N=1,2', '--widths=8', '-o', 'out', 'uber.comp')
        self.assertEqual(sorted(name for name in os.listdir(os.path.join(self.folder, 'out')) if name.endswith('.bin')),
                         ['uber.comp.N-1.tgl.8.bin', 'uber.comp.N-2.tgl.8.bin'])

    def test_wrong_ones(self):
        for text, said in (('N', "--permutations: 'N': must be NAME=VALUE"), ('N=3..1', 'goes down'),
                           ('A=0..999;B=0..999', 'more than 65536 permutations'), (';', 'names no define')):
            self.fails(2, said, 'batch', '--target=tgl', '--permutations=' + text, 'uber.comp')
        self.fails(2, r'm\.jsonl:1: "permutations" \'N\'', 'batch', '--target=tgl',
                   self.manifest({'file': 'uber.comp', 'permutations': 'N'}))
        self.file('x.spv', b'\x03\x02\x23\x07' + bytes(16))
        self.fails(2, 'no effect on SPIR-V', 'batch', '--target=tgl', '--permutations=N=1', 'x.spv')

    def test_the_report_joins_each_with_itself(self):
        for name in ('a.jsonl', 'b.jsonl'):
            self.kiln('batch', '--target=tgl', '--jsonl=' + name, '--permutations=N=1..4;FOG?', 'uber.comp')
        report = json.loads(self.kiln('report', '--json', 'a.jsonl', 'b.jsonl'))
        self.assertEqual((report['results_before'], report['only_before'], report['only_after']), (8, 0, 0))
        self.assertNotIn('twice', self.err)


class StateAndPairs(Cli):
    def setUp(self):
        super().setUp()
        self.file('s/a.vert', VERTEX)
        self.file('s/b.frag', READS_SECOND)
        self.file('s/colours.frag', COLOURS)

    def lines(self, *rows, expect=0, more=()):
        self.file('s/m.jsonl', '\n'.join(map(json.dumps, rows)))
        self.kiln('batch', '--target=tgl', '--strict', '--manifest=s/m.jsonl', '--jsonl=r.jsonl', *more, expect=expect)
        with open(os.path.join(self.folder, 'r.jsonl'), encoding='utf-8') as file:
            return [json.loads(line) for line in file]

    def test_state_of_an_item(self):
        one = {'fragment': {'color': {'attachments': [{'type': 'FLOAT'}]}}}
        none, first = self.lines({'file': 'colours.frag'}, {'file': 'colours.frag', 'state': one})
        self.assertNotIn('state', none)
        # Without what is the default.
        said = {'fragment': {'color': {'attachments': [{}]}}}
        self.assertEqual(first['state'], said)
        self.assertLess(first['variants'][0]['instructions'], none['variants'][0]['instructions'])
        # It replaces that of the command line, and is the same as --state.
        self.file('state.json', json.dumps(one))
        by_flag, empty = self.lines({'file': 'colours.frag'}, {'file': 'colours.frag', 'state': {}},
                                    more=['--state=state.json'])
        self.assertEqual((by_flag['key'], by_flag['state']), (first['key'], said))
        self.assertEqual(empty['key'], none['key'])
        wrong, = self.lines({'file': 'colours.frag', 'state': {'fragment': {'samples': 3}}}, expect=1)
        self.assertEqual((wrong['status'], wrong['cause']), ('invalid', 'rejected_request'))

    def test_a_pair_is_what_compile_makes_of_two_files(self):
        expected = [json.loads(line) for line in
                    self.kiln('compile', '--target=tgl', '--json', 's/a.vert', 's/b.frag').splitlines()]
        alone, vertex, pixel = self.lines({'file': 'a.vert'}, {'vertex': 'a.vert', 'fragment': 'b.frag', 'name': 'lit'})
        self.assertEqual([vertex['key'], pixel['key']], [line['key'] for line in expected])
        self.assertEqual([(line['file'], line['stage'], line['pair'], line['name']) for line in (vertex, pixel)],
                         [('s/a.vert', 'vertex', 's/b.frag', 'lit'), ('s/b.frag', 'fragment', 's/a.vert', 'lit')])
        self.assertLess(vertex['variants'][0]['instructions'], alone['variants'][0]['instructions'])
        self.assertEqual([line['pair'] for line in expected], ['s/b.frag', 's/a.vert'])

    def test_outputs_and_report_of_pairs(self):
        self.file('s/c.frag', READS_SECOND.replace('second.y', 'second.x'))
        rows = [{'vertex': 'a.vert', 'fragment': name} for name in ('b.frag', 'c.frag')]
        rows.append({'vertex': 'a.vert', 'fragment': 'b.frag', 'name': 'lit', 'widths': [8]})
        for name in ('before', 'after'):
            lines = self.lines(*rows, more=['-o', name])
            os.rename(os.path.join(self.folder, 'r.jsonl'), os.path.join(self.folder, name + '.jsonl'))
        self.assertEqual(len(lines), 6)
        files = {os.path.relpath(os.path.join(folder, name), os.path.join(self.folder, 'after'))
                 for folder, _, names in os.walk(os.path.join(self.folder, 'after')) for name in names}
        for name in ('s/a.vert.tgl.8.bin', 's/a.vert~2.tgl.8.bin', 's/c.frag.tgl.8.bin', 'lit.vertex.tgl.8.bin',
                     'lit.fragment.tgl.8.bin'):
            self.assertIn(name, files)
        report = json.loads(self.kiln('report', '--json', 'before.jsonl', 'after.jsonl'))
        self.assertEqual((report['results_before'], report['only_before']), (6, 0))
        self.assertNotIn('twice', self.err)

    def test_permutations_and_constants_of_pairs(self):
        self.file('s/v.vert', '#version 450\nlayout(constant_id = 1) const float k = 1.0;\n'
                              'layout(location = 3) out vec2 second;\nvoid main() { second = vec2(k, N); gl_Position = vec4(k); }\n')
        lines = self.lines({'vertex': 'v.vert', 'fragment': 'b.frag', 'permutations': 'N=1,2', 'vertex_spec': ['1=float:4']})
        self.assertEqual([(line['stage'], line['defines'], line.get('spec')) for line in lines],
                         [(stage, ['N=%d' % n], spec) for n in (1, 2)
                          for stage, spec in (('vertex', ['1=float:4']), ('fragment', None))])

    def test_pairs_that_fail(self):
        self.file('s/bad.frag', 'void main() { x; }')
        self.file('s/wants.frag', READS_SECOND.replace('3) in vec2', '9) in vec2'))
        lines = self.lines({'vertex': 'a.vert', 'fragment': 'bad.frag'}, {'vertex': 'a.vert', 'fragment': 'none.frag'},
                           {'vertex': 'a.vert', 'fragment': 'wants.frag'}, expect=1)
        self.assertEqual([(line['stage'], line['cause']) for line in lines],
                         [('vertex', 'other_stage_failed'), ('fragment', 'invalid_glsl'),
                          ('vertex', 'cannot_read'), ('fragment', 'cannot_read'), ('vertex', 'ok'), ('fragment', 'ok')])
        self.assertRegex(self.err, r'warning: .*wants\.frag.*undefined')
        self.file('p.jsonl', json.dumps({'vertex': 'a.vert', 'fragment': 'b.frag'}))
        self.fails(2, '--stage: not with a pair', 'batch', '--target=tgl', '--stage=vert', '--manifest=p.jsonl', SAXPY)
