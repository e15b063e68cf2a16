"""client/schemas: what the command writes and reads obeys them, and what they refuse the command refuses.

The fixture also holds every other test's output, jobs, manifests and launch records to them (schemas.py).
"""

import copy
import glob
import json
import os
import subprocess
import sys
import unittest

import jsonschema

import schemas
from fixture import SAXPY, SHADERS, Cli

sys.path.append('client/schemas')
from keys import READ, WRITTEN  # noqa: E402



def objects_of(schema, path=''):
    """(path, schema) of every schema of an object with named keys."""
    if isinstance(schema, dict):
        if 'properties' in schema and isinstance(schema['properties'], dict):
            yield path, schema
        for key, part in schema.items():
            yield from objects_of(part, path + '/' + key)
    elif isinstance(schema, list):
        for number, part in enumerate(schema):
            yield from objects_of(part, '%s/%d' % (path, number))


class Schemas(unittest.TestCase):
    def test_they_are_schemas_of_2020_12(self):
        self.assertEqual(set(schemas.SCHEMAS), {*WRITTEN, *READ})
        for name, schema in schemas.SCHEMAS.items():
            self.assertEqual(schema['$schema'], 'https://json-schema.org/draft/2020-12/schema')
            jsonschema.Draft202012Validator.check_schema(schema)
            self.assertGreater(len(schema['title']), 10, name)

    def test_they_take_no_other_keys(self):
        count, with_statistics = 0, []
        for name, schema in schemas.SCHEMAS.items():
            for path, part in objects_of(schema):
                count += 1
                if part.get('additionalProperties') is not False:
                    with_statistics.append(name + path)
                    self.assertEqual(part['additionalProperties']['type'], 'integer')
        self.assertEqual(with_statistics, ['analyze', 'result/$defs/variant'])
        self.assertGreater(count, 50)

    def test_those_of_protobuf_messages_are_what_proto_says(self):
        done = subprocess.run([sys.executable, 'client/schemas/from_proto.py', 'client/schemas', '--check'],
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual((done.stdout, done.returncode), ('', 0))

    def test_examples_obey(self):
        documents, lines = glob.glob('client/examples/*.json'), glob.glob('client/examples/*.jsonl')
        self.assertTrue(documents and lines)
        for path in documents:
            with open(path, encoding='utf-8') as file:
                schema = ('launch' if path.endswith('.launch.json') else
                          'budget' if path.endswith('budget.json') else 'job')
                self.assertEqual(schemas.faults(schema, json.load(file)), [], path)
        for path in lines:
            with open(path, encoding='utf-8') as file:
                self.assertEqual(schemas.faults_of_lines('manifest', file.read()), [], path)


class Written(Cli):
    """Each kind of output at least once, with all parts that it may have."""

    def document(self, *arguments, **more):
        return json.loads(self.kiln(*arguments, '--json', **more))

    def more_keys_than_the_schema(self, name, value):
        """A key more in any object of `value`, or a member of another type, is found."""
        self.assertEqual(schemas.faults(name, value), [])
        objects = []

        def collect(part):
            if isinstance(part, dict):
                objects.append(part)
            for inner in (part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()):
                collect(inner)
        collect(value)
        for part in objects:
            part['not_a_key'] = {}
            self.assertNotEqual(schemas.faults(name, value), [], part)
            del part['not_a_key']
        for key in value:
            wrong = {**value, key: {'': []}}
            self.assertNotEqual(schemas.faults(name, wrong), [], key)

    def test_results(self):
        line = self.line(self.kiln('compile', '--target=tgl', '--json', '--asm', '-o', 'out', SAXPY))
        self.assertTrue(line['remarks'] and line['passes'] and 'binary' in line['variants'][0])
        self.more_keys_than_the_schema('result', line)
        wide = self.file('m.jsonl', json.dumps({'file': 'a.comp', 'name': 'n', 'defines': ['N=1'], 'spec': ['3=uint:2'],
                                                'subgroup_size': 16}))
        self.file('a.comp', '#version 450\nlayout(local_size_x = N) in;\nlayout(constant_id = 3) const uint c = 1;\n'
                            'layout(binding = 0) buffer B { uint v[]; };\nvoid main() { v[0] = c; }\n')
        line = self.line(self.kiln('batch', '--target=tgl', '--manifest=' + wide, '--jsonl=-'))
        self.assertEqual((line['name'], line['spec'], line['subgroup_size']), ('n', ['3=uint:2'], 16))
        self.more_keys_than_the_schema('result', line)

    def test_results_of_failures(self):
        double = self.file('d.comp', '#version 450\nlayout(local_size_x = 8) in;\n'
                                     'layout(binding = 0) buffer B { double v[]; };\nvoid main() { v[0] *= 2.0lf; }\n')
        for path, status in ((double, 'refused'), ('client/examples/broken.comp', 'invalid')):
            line = self.line(self.kiln('compile', '--target=tgl', '--json', os.path.abspath(path), expect=1))
            self.assertEqual(line['status'], status)
            self.more_keys_than_the_schema('result', line)

    def test_precompile(self):
        shader = self.file('a.comp', open(SAXPY).read())
        summary = self.document('precompile', '--target=tgl', '-o', 'r.sqlite', shader)
        self.more_keys_than_the_schema('precompile', summary)

    def test_batch_and_report(self):
        shader = self.file('a.comp', open(SAXPY).read())
        summary = self.document('batch', '--target=tgl', '--jsonl=a.jsonl', shader)
        self.more_keys_than_the_schema('batch', summary)
        self.document('batch', '--target=tgl', '--disable-pass=simplify', '--jsonl=b.jsonl', SHADERS)
        self.document('batch', '--target=tgl', '--jsonl=c.jsonl', SHADERS)
        self.kiln('report', '--json=r.json', 'b.jsonl', 'c.jsonl')
        report = self.document('report', 'b.jsonl', 'c.jsonl')
        self.assertTrue(report['statistics'][0]['best'] and report['folders'])
        schema = schemas.SCHEMAS['report']
        self.assertEqual(set(report), set(schema['properties']))
        wrong = copy.deepcopy(report)
        wrong['statistics'][0]['helped']['absolute']['not_a_key'] = 1
        self.assertNotEqual(schemas.faults('report', wrong), [])
        # And of a result that one file alone has.
        self.kiln('report', '--json', 'a.jsonl', 'c.jsonl')

    def test_code(self):
        self.kiln('compile', '--target=tgl', '--widths=16', '-o', 'out', SAXPY)
        code = ['--target=tgl', 'out/saxpy.comp.tgl.16.bin']
        self.more_keys_than_the_schema('disasm', self.document('disasm', *code))
        analysis = self.document('analyze', '--fusion', *code)
        self.assertIn('missing_if_skipped', analysis)
        with_units = {key: value for key, value in analysis.items() if key not in ('messages', 'opcodes')}
        self.assertNotEqual(schemas.faults('analyze', with_units), [])   # all are required
        self.assertNotEqual(schemas.faults('analyze', {**analysis, 'not_a_key': 'text'}), [])
        # Other keys are statistics of the target: those that code shows, in the order of the target's rows.
        named = [key for key in analysis if key not in schemas.SCHEMAS['analyze']['properties']]
        self.assertEqual(sorted(named), sorted(name for name in self.statistics() if 'spill' not in name and 'fill' not in name))
        # Code that cannot be judged says so in keys of its own.
        self.document('analyze', '--target=tgl', self.file('zeros', bytes(64)))
        with open(os.path.join(self.folder, 'out/saxpy.comp.tgl.16.launch.json'), encoding='utf-8') as file:
            record = json.load(file)
        self.more_keys_than_the_schema('launch', record)

    def test_launch_records_of_every_stage(self):
        self.kiln('compile', '--target=tgl', '-o', 'out', os.path.abspath('client/examples/mesh.vert'),
                  os.path.abspath('client/examples/mesh.frag'))
        self.assertEqual(len(glob.glob(os.path.join(self.folder, 'out/**/*.launch.json'), recursive=True)), 4)

    def test_run(self):
        job = self.file('j.json', json.dumps({'push': [{'f32': 2}, {'u32': 4}], 'resources': [
            {'binding': 0, 'data': {'f32': [1, 2]}}, {'binding': 1, 'data': {'f32': [1, 'nan']}, 'as': 'f32'}]}))
        document = self.document('run', '--target=tgl', '--buffers=' + job, SAXPY)
        self.assertGreater(document['out_of_bounds']['accesses'], 0)
        self.more_keys_than_the_schema('run', document)
        vertices = self.document('run', '--target=tgl', '--buffers=' + os.path.abspath('client/examples/points.json'),
                                 os.path.join(SHADERS, 'vert_point_size.vert'))
        self.more_keys_than_the_schema('run', vertices)
        drawn = self.document('run', '--target=tgl', '--png=a.png', '--size=4x4',
                              os.path.join(SHADERS, 'frag_mandelbrot.frag'))
        self.more_keys_than_the_schema('run', drawn)

    def test_service(self):
        for where in ([], ['--local']):
            self.more_keys_than_the_schema('health', self.document('health', *where))
            self.document('targets', *where)
        self.assertNotEqual(schemas.faults('targets', {'version': '1'}), [])
        self.document('quarantine', 'list')


class Refused(Cli):
    """The command refuses, by name, what a schema refuses, and takes what the schema takes."""

    def refused(self, name, value, flags, said):
        self.assertNotEqual(schemas.faults(name, value), [], value)
        path = self.file('x.json', json.dumps(value))
        self.fails(2, said, *[flag.replace('FILE', path) for flag in flags])

    def test_jobs(self):
        run = ['run', '--target=tgl', '--buffers=FILE', SAXPY]
        good = {'push': [{'f32': 2}, {'u32': 1}],
                'resources': [{'binding': 0, 'size': 16}, {'binding': 1, 'size': 16, 'as': 'f32'}]}
        self.kiln(*[flag.replace('FILE', self.file('good.json', json.dumps(good))) for flag in run])
        resource = good['resources'][0]
        for change, said in (
                ({'pussh': []}, 'unknown key "pussh"'),
                ({'push': 3}, '"push": data: must be an object with one key'),
                ({'push': {'f32': [{}]}}, 'is not of type f32'),
                ({'push': {'f33': 1}}, "'f33' is neither a type"),
                ({'push': {'u8': 256}}, '256 is not of type u8'),
                ({'push': {'hex': '0'}}, 'needs pairs'),
                ({'push': {'zero': -1}}, '"zero": must be a whole number'),
                ({'dispatch': 3}, '"dispatch": must be up to three counts'),
                ({'dispatch': [1, 1, 1, 1]}, '"dispatch": must be up to three counts'),
                ({'base': [65536]}, '"base": must be up to three counts'),
                ({'resources': {}}, '"resources" is not a list'),
                ({'resources': [{**resource, 'sise': 3}]}, 'resource 0: unknown key "sise"'),
                ({'resources': [{**resource, 'size': '16'}]}, 'resource 0: "size": must be a whole number'),
                ({'resources': [{'size': 16}]}, 'neither a binding nor a name'),
                ({'resources': [{**resource, 'as': 'f33'}]}, '"f33" is not a type'),
                ({'resources': [{**resource, 'filter': 'cubic'}]}, '"cubic" is not one of'),
                ({'resources': [{**resource, 'format': 3}]}, '"format": must be text'),
                ({'spec': []}, '"spec": is not a JSON object'),
                ({'spec': {'a': 1}}, '"spec": "a" is not an id'),
                ({'spec': {'0': 'a'}}, '"spec": "0":'),
                ({'spec': {'0': {'f32': [1, 2]}}}, 'must be one value with a type'),
                ({'draw': 3}, '"draw": must be an object'),
                ({'vertices': []}, '"vertices": must be an object')):
            with self.subTest(change):
                self.refused('job', {**good, **change}, run, said)

    def test_draws(self):
        shader = self.file('one.frag', '#version 450\nlayout(location = 0) out vec4 c;\n'
                                       'void main() { c = vec4(1.0); }\n')
        run = ['run', '--target=tgl', '--buffers=FILE', shader]
        good = self.file('good.json', json.dumps({'draw': {'width': 2, 'height': 2, 'topology': 'triangle_list'}}))
        self.kiln('run', '--target=tgl', '--buffers=' + good, shader)
        for draw, said in (
                ({'widht': 3}, 'draw: unknown key "widht"'),
                ({'width': -1}, 'draw: "width": must be a whole number'),
                ({'width': 'a'}, 'draw: "width": must be a whole number'),
                ({'depth': 1}, 'draw: "depth": must be true, false or an object'),
                ({'cull': 'left'}, '"cull": "left" is not one of'),
                ({'targets': [{'formt': 'r8'}]}, 'draw: target 0: unknown key "formt"'),
                ({'stencil': {'front': {'pass': 'up'}}}, '"pass": "up" is not one of'),
                ({'topology': 'patch_list'}, 'topology patch_list is not supported'),
                ({'clear': 1}, '"clear": must be a list'),
                ({'sample_mask': -1}, '"sample_mask": must be a whole number'),
                ({'instances': 1}, '"instances" is not supported'),
                ({'inputs': [{'locaton': 0}]}, 'draw: input 0: unknown key "locaton"'),
                ({'inputs': [{'location': 0}]}, 'an input has no values')):
            with self.subTest(draw):
                self.refused('job', {'draw': draw}, run, said)

    def test_vertices(self):
        run = ['run', '--target=tgl', '--buffers=FILE', os.path.join(SHADERS, 'vert_point_size.vert')]
        given = {'location': 0, 'f32': [1, 2, 0]}
        for vertices, said in (
                ({'count': 1, 'instance': 1}, 'unknown key "instance"'),
                ({'count': 0}, '"count": must be a whole'),
                ({}, '"count" or "indices" is missing'),
                ({'count': 1, 'indices': [0]}, 'exclude each other'),
                ({'count': 1, 'vertex_offset': 1}, 'needs "indices"'),
                ({'count': 1, 'inputs': [{**given, 'rate': 'patch'}]}, '"rate" must be vertex or instance'),
                ({'count': 1, 'inputs': [{'location': 0}]}, 'input 0 has no values'),
                ({'count': 1, 'inputs': [given], 'as': {'0': 'f64'}}, 'is not one of|does not write')):
            with self.subTest(vertices):
                self.refused('job', {'vertices': vertices}, run, said)

    def test_manifests(self):
        self.file('a.comp', open(SAXPY).read())
        batch = ['batch', '--target=tgl', '--strict', '--manifest=FILE']
        good = {'file': 'a.comp', 'name': None, 'targets': ['tgl'], 'stage': 'comp', 'entry': 'main',
                'defines': ['N=1', 'M'], 'include_dirs': ['.'], 'spec': [], 'widths': [8, '16'],
                'subgroup_size': 0, 'full_subgroups': False, 'dispatch_base': True, 'container': None, 'no_validate': None, 'disable_passes': ['simplify'],
                'state': {'view_mask': 0}, 'permutations': 'K=1,2', 'lang': 'glsl', 'row_major': None,
                'register_shifts': ['t:16', 'u:4:1']}
        pair = {'vertex', 'fragment', 'vertex_spec'}
        self.assertEqual(set(schemas.SCHEMAS['manifest']['properties']) - set(good), {'entry_point', *pair})
        self.kiln('batch', '--target=tgl', '--strict', '--manifest=' + self.file('good.jsonl', json.dumps(good)))
        for change, said in (
                ({'licence': 'MIT'}, 'unknown here: licence'),
                ({'target': 'tgl'}, 'give --target on the command line'),
                ({'file': 3}, '"file" must be a string'),
                ({'file': ''}, '"file" is missing'),
                ({'name': []}, '"name" must be a string'),
                ({'targets': 'tgl'}, '"targets" must be a list'),
                ({'stage': 'pixel'}, 'is not a stage'),
                ({'widths': [3]}, 'is not a dispatch width'),
                ({'widths': 8}, '"widths" must be a list'),
                ({'subgroup_size': 7}, 'is not a dispatch width'),
                ({'full_subgroups': 1}, 'must be true or false'),
                ({'spec': ['3']}, "there is no '='"),
                ({'spec': ['3=vec2:1']}, 'there is no type'),
                ({'defines': [{}]}, 'must be a list of strings'),
                ({'state': {'fragmnt': {}}}, '"state" is not a pipeline state'),
                ({'state': 's.json'}, '"state" must be an object'),
                ({'permutations': ['K=1']}, '"permutations" must be a string'),
                ({'lang': 'slang'}, "'slang' is not a language"),
                ({'row_major': 1}, 'must be true or false'),
                ({'register_shifts': ['t']}, 'must be KIND:N'),
                ({'vertex_spec': ['3']}, "there is no '='"),
                ({'vertex': 'a.vert', 'fragment': 'b.frag'}, '"file" excludes')):
            with self.subTest(change):
                self.refused('manifest', {**good, **change}, batch, said)
        self.refused('manifest', {'vertex': 'a.vert'}, batch, '"fragment" is missing')

    def test_budgets(self):
        compile_ = ['compile', '--target=tgl', '--budget=FILE', SAXPY]
        rule = {'path': 'a', 'target': 'tgl', 'stage': 'comp', 'entry': 'main', 'name': 'n', 'widths': [8, 16],
                'max': {'instructions': 1}, 'total': {'bytes': 1}}
        # No statistic of tgl is better higher.
        self.assertEqual({*rule, 'min'}, set(schemas.SCHEMAS['budget']['$defs']['rule']['properties']))
        self.kiln(*[flag.replace('FILE', self.file('good.json', json.dumps({'rules': [rule]}))) for flag in compile_])
        for change, said in (
                ({'pathh': 'a'}, '"pathh" is not a key here; .*did you mean path'),
                ({'path': ''}, '"path" must be text that is not empty'),
                ({'target': 3}, '"target" must be text'),
                ({'stage': 'pixel'}, 'which is no stage'),
                ({'widths': 8}, '"widths" must be a list'),
                ({'widths': [7]}, 'each 8, 16, 32 or 64'),
                ({'max': {}}, '"max" must be an object of statistics'),
                ({'max': {'instructions': -1}}, 'not negative'),
                ({'max': {'instructions': '3'}}, 'whole number'),
                ({'total': {'bytes': 1.5}}, 'whole number')):
            with self.subTest(change):
                self.refused('budget', {'rules': [{'max': {'spills': 0}}, {**rule, **change}]}, compile_,
                             'rule 2: .*' + said)
        self.refused('budget', {'rules': []}, compile_, 'must be a list that is not empty')
        self.refused('budget', {'rules': [{'path': 'a'}]}, compile_, 'rule 1: bounds nothing')
        # Names are the target's, which no schema knows.
        self.fails(2, 'rule 1: .*did you mean instructions', 'compile', '--target=tgl', SAXPY, '--budget=' +
                   self.file('typo.json', json.dumps({'rules': [{'max': {'instruction': 1}}]})))

    def test_state(self):
        frag = os.path.abspath('client/examples/mesh.frag')
        compile_ = ['compile', '--target=tgl', '--state=FILE', frag]
        colours = {'attachments': [{'location': 0, 'type': 'FLOAT'}]}
        good = {'fragment': {'color': colours, 'samples': 4}, 'view_mask': 0}
        self.kiln('compile', '--target=tgl', '--state=' + self.file('good.json', json.dumps(good)), frag)
        for change, said in (
                ({'fragmnt': {}}, 'not a pipeline state'),
                ({'view_mask': 'a'}, 'not a pipeline state'),
                ({'fragment': 3}, 'not a pipeline state'),
                ({'fragment': {'color': {'attachments': [{'type': 'HALF'}]}}}, 'not a pipeline state')):
            with self.subTest(change):
                self.refused('state', {**good, **change}, compile_, said)

    def test_launch_records(self):
        self.kiln('compile', '--target=tgl', '--widths=8', '-o', 'out', SAXPY)
        job = self.file('j.json', '{}')
        with open(os.path.join(self.folder, 'out/saxpy.comp.tgl.8.launch.json'), encoding='utf-8') as file:
            record = json.load(file)
        run = ['run', '--target=tgl', '--launch=FILE', '--buffers=' + job, 'out/saxpy.comp.tgl.8.bin']
        # Keys that are unknown the command ignores: records of the peer tool have more.
        self.refused('launch', {**record, 'dispatch_width': 'wide'}, run, 'x.json: ')
        self.refused('launch', {**record, 'compute': []}, run, 'x.json: ')
