"""kiln run, analyze and report."""

import json
import os
import struct
import zlib

from fixture import SAXPY, SHADERS, Cli, several_entry_points


def pixels(path):
    """Returns width, height and rows of a PNG with 8 bits each of red, green, blue and alpha (RFC 2083)."""
    with open(path, 'rb') as f:
        png = f.read()
    width, height, depth, colour = struct.unpack('>IIBB', png[16:26])
    assert (png[:8], depth, colour) == (b'\x89PNG\r\n\x1a\n', 8, 6)
    data, at = b'', 8
    while at < len(png):
        length, kind = struct.unpack('>I4s', png[at:at + 8])
        data += png[at + 8:at + 8 + length] if kind == b'IDAT' else b''
        at += 12 + length
    data, rows, above = zlib.decompress(data), [], bytearray(4 * width)
    for y in range(height):
        line = data[y * (4 * width + 1):(y + 1) * (4 * width + 1)]
        row = bytearray()
        for x, byte in enumerate(line[1:]):
            a, c = (row[x - 4], above[x - 4]) if x >= 4 else (0, 0)
            b = above[x]
            paeth = min((a, b, c), key=lambda v: abs(a + b - c - v))
            row.append((byte + (0, a, b, (a + b) // 2, paeth)[line[0]]) & 255)
        rows.append(row)
        above = row
    return width, height, rows


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

    def test_run_draws_a_picture(self):
        shader = self.file('ramp.frag',
                           '#version 450\nlayout(location = 0) in vec2 place;\n'
                           'layout(location = 0) out vec4 a;\nlayout(location = 2) out vec4 b;\n'
                           'void main() { a = vec4(place, 0.25, 1.0); b = vec4(2.0, -1.0, 0.5, 0.0); }\n')
        out = os.path.join(self.folder, 'a.png')
        for where in ([], ['--local']):
            self.kiln('run', *where, '--target=tgl', '--png=' + out, '--size=8x4', shader)
            width, height, rows = pixels(out)
            self.assertEqual((width, height), (8, 4))
            for y in range(4):
                for x in range(8):
                    want = [(x + 0.5) / 8, (y + 0.5) / 4, 0.25, 1.0]
                    self.assertEqual(list(rows[y][4 * x:4 * x + 4]), [int(255 * v + 0.5) for v in want])
        self.kiln('run', '--target=tgl', '--png=' + out, '--size=1x1', '--location=2', shader)
        self.assertEqual(pixels(out), (1, 1, [bytearray([255, 0, 128, 0])]))
        job = self.file('draw.json', json.dumps({'draw': {
            'width': 2, 'height': 2, 'positions': [[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]],
            'inputs': [{'location': 0, 'f32': [1, 0, 1, 0, 1, 0]}]}}))
        self.kiln('run', '--target=tgl', '--buffers=' + job, '--png=' + out, shader)
        self.assertEqual(pixels(out)[2], [bytearray([255, 0, 64, 255] * 2)] * 2)

    def test_run_draws_the_views_of_the_state(self):
        shader = self.file('view.frag', '#version 450\n#extension GL_EXT_multiview : require\n'
                                        'layout(location = 0) out vec4 c;\n'
                                        'void main() { c = vec4(gl_ViewIndex == 2 ? 1.0 : 0.0, 0.0, 0.0, 1.0); }\n')
        out = os.path.join(self.folder, 'a.png')
        draw = ['run', '--target=tgl', '--png=' + out, '--size=1x1', shader]
        state = '--state=' + self.file('views.json', json.dumps({'view_mask': 5}))
        self.kiln(*draw, state)
        self.assertEqual(pixels(out)[2], [bytearray(v) for v in ([0, 0, 0, 255], [0] * 4, [255, 0, 0, 255])])
        for mask, flags in ((3, [state]), (5, [])):
            job = self.file('draw.json', json.dumps({'draw': {'width': 1, 'height': 1, 'view_mask': mask}}))
            self.kiln(*draw, *flags, '--buffers=' + job, expect=2)
            self.assertIn('draw: view_mask is %d, but the shader is compiled for' % mask, self.err)

    def test_run_says_what_is_wrong_with_a_picture(self):
        shader = self.file('one.frag', '#version 450\nlayout(location = 0) out vec4 c;\n'
                                       'void main() { c = vec4(1.0); }\n')
        png = '--png=' + os.path.join(self.folder, 'a.png')
        for arguments, message in (
                ([shader], '--buffers=JSON is missing; for a fragment shader --png=FILE suffices'),
                ([png, '--size=0x4', shader], '--size=0x4: must be a width and a height from 1 to 4096'),
                ([png, '--size=7', shader], '--size=7: must be a width and a height from 1 to 4096'),
                ([png, '--location=3', shader], 'no colour to location 3; it writes 0'),
                ([png, '--groups=3', shader], '--groups is for compute shaders'),
                ([png, '--buffers=' + self.saxpy_job(), SAXPY], '--png is for fragment shaders'),
                ([png, SAXPY], '--png is for fragment shaders; this is a compute shader')):
            self.kiln('run', '--target=tgl', *arguments, expect=2)
            self.assertIn(message, self.err)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'a.png')))

    def test_run_of_vertices(self):
        shader = self.file('two.vert',
                           '#version 450\nlayout(location = 0) in vec2 place;\n'
                           'layout(location = 2) in int step;\nlayout(binding = 0) buffer B { uint n[]; };\n'
                           'layout(location = 1) flat out ivec2 o;\n'
                           'void main() {\n'
                           '  gl_Position = vec4(place * 2.0, 0.5, 1.0);\n  gl_PointSize = 3.0;\n'
                           '  o = ivec2(gl_VertexIndex - step, gl_InstanceIndex);\n'
                           '  atomicMax(n[gl_VertexIndex], uint(gl_InstanceIndex));\n}\n')

        def job(**which):
            return '--buffers=' + self.file('vertices.json', json.dumps({
                'resources': [{'binding': 0, 'size': 16, 'as': 'u32'}], 'vertices': {
                    **which, 'instances': 2, 'first_instance': 4, 'as': {'1': 'i32'},
                    'inputs': [{'location': 0, 'f32': [0, 1, 2, 3, 4, 5]},
                               {'location': 2, 'rate': 'instance', 'i32': [0, 0, 0, 0, 10, 20]}]}}))

        for where in ([], ['--local']):
            line = self.line(self.kiln('run', *where, '--target=tgl', '--json', job(count=2, first_vertex=1), shader))
            want = [{'instance': i, 'vertex': v, 'outputs': [
                {'builtin': 'point_size', 'values': [3.0]},
                {'builtin': 'position', 'values': [4.0 * (v + 1), 4.0 * (v + 1) + 2, 0.5, 1.0]},
                {'location': 1, 'values': [1 + v - (10, 20)[i], 4 + i]}]}
                for i in range(2) for v in range(2)]
            for row in line['vertices']:
                del row['outputs'][2]['values'][2:]  # components that the shader does not store
            self.assertEqual(line['vertices'], want)
            self.assertEqual(line['outputs'][0]['values'], [0, 5, 5, 0])
        text = self.kiln('run', '--target=tgl', job(indices=[2, 0]), shader)
        self.assertIn('vertex 1 of instance 1\n  point_size: 3.0\n  position: 0.0 2.0 0.5 1.0\n'
                      '  location 1: -20 5 ', text)

    def test_run_of_vertices_shows_what_is_written(self):
        shader = self.file('some.vert', '#version 450\nout float gl_ClipDistance[3];\n'
                                        'layout(location = 4) out uint o;\n'
                                        'void main() { gl_Position = vec4(1.0); o = 7u;\n'
                                        '  gl_ClipDistance[0] = 0.5; gl_ClipDistance[2] = -1.0; }\n')
        job = '--buffers=' + self.file('j.json', '{"vertices": {"count": 20, "as": {"4": "u32"}}}')
        text = self.kiln('run', '--target=tgl', job, shader)
        self.assertIn('vertex 0\n  position: 1.0 1.0 1.0 1.0\n  location 4: 7 ', text)
        self.assertIn('\n  clip_distance: 0.5 - -1.0\n', text)
        self.assertEqual(text.count('vertex '), 16)
        self.assertTrue(text.endswith('... (20 vertices; --json prints all)\n'), text)
        line = self.line(self.kiln('run', '--target=tgl', '--json', job, shader))
        self.assertEqual(len(line['vertices']), 20)
        self.assertEqual(line['vertices'][19]['outputs'][2], {'builtin': 'clip_distance', 'values': [0.5, None, -1.0]})

    def test_run_says_what_is_wrong_with_vertices(self):
        shader = self.file('one.vert', '#version 450\nlayout(location = 3) in vec4 a;\n'
                                       'void main() { gl_Position = a; }\n')
        draw = self.file('one.frag', '#version 450\nlayout(location = 0) out vec4 c;\n'
                                     'void main() { c = vec4(1.0); }\n')
        module = self.file('two.spv', several_entry_points((0, 'v'), (0, 'w'), (5, 'c')))
        three = {'count': 3, 'inputs': [{'location': 3, 'f32': [1, 2, 3]}]}
        unused = {'count': 1, 'inputs': [{'location': l, 'f32': [1]} for l in (3, 4)]}

        def fails(code, message, job, file, *arguments):
            job = '--buffers=' + self.file('job.json', json.dumps(job))
            self.kiln('run', '--target=tgl', *arguments, job, file, expect=code)
            self.assertIn(message, self.err)

        for message, vertices in (
                ('job.json: the job: "vertices": must be an object, not 3', 3),
                ('"count": must be a whole number from 1 to 4294967295, not 0', {'count': 0}),
                ('1048578 with those of all instances; 1048576 can be printed',
                 {'count': 524289, 'instances': 2}),
                ('18446744065119617025 with', {'count': 2**32 - 1, 'instances': 2**32 - 1}),
                ('job.json: vertices: unknown key "instance"', {'count': 3, 'instance': 1}),
                ('"as": "0": the program does not write this location', {'count': 3, 'as': {'0': 'f32'}}),
                ('no input at location 3; the program reads 3, "inputs" has none', {'count': 3}),
                ('does not read the input at location 4; it reads 3 (--allow-unused', unused)):
            fails(2, message, {'vertices': vertices}, shader)
        fails(2, 'a vertex shader needs "vertices"', {}, shader)
        fails(2, 'draw: this is a vertex shader', {'vertices': three, 'draw': {}}, shader)
        fails(2, 'dispatch: this is a vertex shader', {'vertices': three, 'dispatch': [1, 1, 1]}, shader)
        fails(2, 'dispatch: this is a fragment shader', {'draw': {}, 'base': [1, 0, 0]}, draw)
        fails(2, 'vertices: this is a fragment shader', {'vertices': three}, draw)
        fails(2, 'vertices: this is a compute shader', {'vertices': three}, SAXPY)
        fails(2, '--groups is for compute shaders', {'vertices': three}, shader, '--groups=2')
        fails(2, '--png is for fragment shaders', {'vertices': three}, shader, '--png=a.png')
        fails(2, '--size is for fragment shaders', {'vertices': three}, shader, '--size=3x3')
        fails(1, 'several vertex entry points', {'vertices': {'count': 1}}, module, '--stage=vertex')
        fails(2, 'vertices: this is a compute shader', {'vertices': {'count': 1}}, module)
        fails(1, 'no fragment entry point', {'vertices': {'count': 1}}, module, '--stage=fragment')
        job = '--buffers=' + self.file('job.json', json.dumps({'vertices': unused}))
        self.assertIn('position: 1.0 0.0 0.0 1.0', self.kiln('run', '--target=tgl', job, '--allow-unused', shader))
        job = '--buffers=' + self.file('job.json', '{"vertices": {"count": 1}}')
        self.assertIn('vertex 0\n', self.kiln('run', '--target=tgl', job, '--entry=w', module))

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
        # A missing file is told before a service is looked for.
        self.fails(2, 'none.comp: there is no such file', 'run', '--server=127.0.0.1:1', '--target=tgl',
                   '--png=x.png', 'none.comp')
        self.fails(2, 'give one file', 'run', '--target=tgl', job)
        self.fails(2, 'nothing.json: there is no such file', 'run', '--target=tgl',
                   '--buffers=nothing.json', SAXPY)
        self.fails(2, 'the job is not a JSON object', 'run', '--target=tgl', '--buffers=-', SAXPY,
                   stdin=b'[')
        self.fails(2, '--groups=x', 'run', '--target=tgl', job, '--groups=x', SAXPY)
        self.fails(1, r'nothing is bound to set 0 binding \d', 'run', '--target=tgl', '--buffers=-',
                   SAXPY, stdin=b'{"push": [{"f32": 2}, {"u32": 4}]}')
        self.fails(2, 'reads 8 bytes of push constants; .* has none', 'run', '--target=tgl',
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
            self.fails(2, name + ' is an option for compiling', 'run', '--target=tgl', flag,
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

    def test_run_with_a_record_of_version_1(self):
        self.kiln('compile', '--target=tgl', '--widths=8', '-o', 'out', SAXPY)
        with open(os.path.join(self.folder, 'out/saxpy.comp.tgl.8.launch.json'), encoding='utf-8') as file:
            now = json.load(file)
        intel, first = now['intel'], now['intel']['push_registers']['first']

        def place(entry):
            resource = now['resources'][entry['resource']]
            return {'kind': resource['kind'], 'set': resource['set'], 'binding': resource['binding'],
                    'element': entry['element']}
        old = {'record_version': 1, 'driver': 'kiln', 'grf_used': 128, 'needs_descriptor_memory': False,
               **{key: now[key] for key in ('target', 'stage', 'entry_point', 'code_bytes', 'code_sha256',
                                            'dispatch_width', 'push_constant_bytes', 'constant_data')},
               'push': {'first_register': first, 'registers': intel['push_registers']['count'],
                        'cross_thread_registers': intel['compute']['cross_thread_registers'],
                        'per_thread_registers': intel['compute']['per_thread_registers'],
                        'parts': [{'register': first + part['at'] // 32, 'byte': part['at'] % 32,
                                   'bytes': part['bytes'], 'source': part['source'], 'offset': part['offset']}
                                  for part in now['push_data']]},
               'compute': {'local_size': now['compute']['local_size'],
                           'threads_per_group': intel['compute']['threads_per_group'],
                           'last_thread_mask': intel['compute']['last_thread_mask'],
                           'requires_zero_base': now['compute']['requires_zero_base']},
               'binding_table': [{'index': entry['index'], **place(entry)} for entry in intel['binding_table']]}
        run = ['run', '--target=tgl', '--buffers=' + self.saxpy_job(**{'as': 'f32'}),
               '--launch=' + self.file('old.json', json.dumps(old)), 'out/saxpy.comp.tgl.8.bin']
        self.assertIn('12.0 24.0 36.0 48.0', self.kiln(*run))
        newer = self.file('newer.json', json.dumps({**now, 'record_version': 3}))
        self.fails(2, 'unknown version 3; this program reads versions 1 and 2', 'run', '--target=tgl',
                   '--buffers=' + self.saxpy_job(), '--launch=' + newer, 'out/saxpy.comp.tgl.8.bin')

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
        with open(os.path.join(self.folder, 'out/saxpy.comp.tgl.8.launch.json'), encoding='utf-8') as file:
            record = json.load(file)
        icl = self.file('icl.json', json.dumps({**record, 'target': 'icl'}))
        self.fails(2, 'of a program for icl, not for tgl', *run, '--launch=' + icl, 'out/saxpy.comp.tgl.8.bin')

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
        # Messages whose effect is late are counted like others, typed ones included.
        image = self.file('image.comp', b'#version 450\nlayout(local_size_x = 8) in;\n'
                          b'layout(binding = 1, r32ui) uniform writeonly uimage2D i;\nvoid main() {\n'
                          b'  imageStore(i, ivec2(gl_LocalInvocationIndex, 0), uvec4(1u));\n}\n')
        texels = (b'{"resources": [{"binding": 1, "format": "r32ui", "width": 3, "height": 1}]}')
        for program, data, accesses in ((outside, job, 4), (image, texels, 5)):
            for seed in ([], ['--memory-seed=5']):
                line = self.line(self.kiln('run', '--target=tgl', '--widths=8', '--buffers=-', program,
                                           '--json', *seed, stdin=data))
                self.assertEqual(line['out_of_bounds']['accesses'], accesses, (program, seed))

    def test_widened_reads_are_not_out_of_bounds(self):
        """Uniform reads come in blocks of 16 bytes and more; dwords that no instruction uses do not count."""
        shader = self.file('widened.comp', b'#version 450\nlayout(local_size_x = 8) in;\n'
                           b'layout(binding = 0) readonly buffer A { uint a[]; };\n'
                           b'layout(binding = 1) buffer B { uint b[]; };\n'
                           b'void main() { b[gl_LocalInvocationIndex] = a[0] + a[1] + a[2]; }\n')
        job = '{"resources": [{"binding": 0, "data": {"u32": %s}}, {"binding": 1, "size": 32, "as": "u32"}]}'
        for data, accesses, value in (('[1, 2, 4]', 0, 7), ('[1, 2]', 1, 3)):
            line = self.line(self.kiln('run', '--target=tgl', '--buffers=-', '--json', shader,
                                       stdin=(job % data).encode()))
            self.assertEqual(line['out_of_bounds']['accesses'], accesses)
            self.assertEqual(line['outputs'][0]['values'], 8 * [value])

    def test_resources_that_share_bytes(self):
        shader = self.file('shared.comp', b'#version 450\nlayout(local_size_x = 4) in;\n'
                           b'layout(binding = 0) buffer A { uint a[]; };\n'
                           b'layout(binding = 1) buffer B { uint b[]; };\n'
                           b'layout(binding = 2, r32ui) uniform readonly uimageBuffer c;\n'
                           b'void main() { uint i = gl_LocalInvocationIndex; b[i] = 10u + i; barrier();\n'
                           b'  memoryBarrierBuffer(); if (i == 0u) a[0] = imageLoad(c, 4).x + a[7]; }\n')
        job = (b'{"resources": [{"binding": 0, "name": "a", "size": 32, "as": "u32"},'
               b' {"binding": 1, "same_as": "a", "offset": 16}, {"binding": 2, "same_as": "a", "format": "r32ui"}]}')
        line = self.line(self.kiln('run', '--target=tgl', '--buffers=-', '--json', shader, stdin=job))
        self.assertEqual(line['outputs'][0]['values'], [23, 0, 0, 0, 10, 11, 12, 13])

    def pair(self):
        return (self.file('p.vert', b'#version 450\nlayout(location = 0) in vec2 at;\n'
                          b'layout(location = 0) flat out uvec2 id;\n'
                          b'layout(constant_id = 0) const float kDepth = 0.5;\n'
                          b'void main() { gl_Position = vec4(at, kDepth, 1); gl_PointSize = 2.0;\n'
                          b'  id = uvec2(gl_VertexIndex, gl_InstanceIndex); }\n'),
                self.file('p.frag', b'#version 450\nlayout(location = 0) flat in uvec2 id;\n'
                          b'layout(constant_id = 0) const uint kAdd = 0;\n'
                          b'layout(location = 0) out uvec4 a;\nlayout(location = 2) out vec4 b;\n'
                          b'void main() { a = uvec4(id, 300u, kAdd); b = vec4(2, -1, 0.5, 1); }\n'))

    def test_pair(self):
        """Vertices and fragments in one job: several targets, integers, formats, depth, coverage, points."""
        job = {'vertices': {'count': 2, 'instances': 2,
                            'inputs': [{'location': 0, 'f32': [-0.5, -0.5, 0.5, 0.5]}]},
               'spec': {'0': {'u32': 9}}, 'vertex_spec': {'0': {'f32': 0.25}},
               'draw': {'width': 4, 'height': 4, 'topology': 'point_list',
                        'targets': [{'format': 'rgba16ui', 'clear': [1, 2, 3, 4], 'as': 'u16'},
                                    {'location': 2, 'format': 'rgba8', 'as': 'u8', 'write_mask': 'rgb'}],
                        'depth': {'format': 'd16', 'compare': 'less', 'as': 'u16'},
                        'coverage': {'as': 'u32'}}}
        line = self.line(self.kiln('run', '--target=tgl', '--buffers=-', '--json', *self.pair(),
                                   stdin=json.dumps(job).encode()))
        self.assertTrue(line['vertex_file'].endswith('p.vert'))
        results = {r['what']: r['values'] for r in line['draw']['results']}
        pixel = lambda values, x, y: values[4 * (4 * y + x):][:4]
        a, b = results['location 0'], results['location 2']
        # Points of 2 x 2 pixels. Those of the second instance have the same depth: not less.
        self.assertEqual(pixel(a, 0, 0), [0, 0, 300, 9])
        self.assertEqual(pixel(a, 3, 3), [1, 0, 300, 9])
        self.assertEqual(pixel(a, 3, 0), [1, 2, 3, 4])
        self.assertEqual(pixel(b, 1, 1), [255, 0, 128, 0])
        self.assertEqual(results['depth'][0], 16384)
        self.assertEqual(results['depth'][3], 65535)
        self.assertEqual(results['coverage'], [1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1])
        text = self.kiln('run', '--target=tgl', '--buffers=-', *self.pair(), stdin=json.dumps(job).encode())
        self.assertIn('location 0: 128 bytes of u16\n  0 0 300 9', text)

    def test_pair_errors(self):
        run = ['run', '--target=tgl', '--buffers=-', *self.pair()]
        vertices = {'count': 1, 'inputs': [{'location': 0, 'f32': [0, 0]}]}
        for job, said in (
                ({'draw': {}}, 'needs "vertices"'),
                ({'vertices': vertices, 'draw': {'positions': [[0, 0, 0, 1]]}}, '"positions": the vertex shader'),
                ({'vertices': vertices, 'draw': {'topology': 'patch_list'}}, 'topology patch_list'),
                ({'vertices': vertices, 'dispatch': [1]}, 'dispatch: this is a fragment shader')):
            self.fails(2, said, *run, stdin=json.dumps(job).encode())
        self.fails(2, '--launch: give one file', *run, '--launch=x.json')

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
        # Code that the run leaves before its end.
        self.file('leaves.frag', '#version 450\nlayout(location = 0) in vec2 at;\n'
                  'layout(location = 0) out vec4 color;\n'
                  'void main() { if (at.x < at.y) discard; color = exp2(vec4(at, at.yx * 3.0)); }\n')
        self.kiln('compile', '--target=tgl', '--widths=16', '-o', 'out', 'leaves.frag')
        left = 'out/leaves.frag.tgl.16.bin'
        of_fragment = self.line(self.kiln('analyze', '--target=tgl', '--json', left))
        self.assertEqual(line['exit_cycles'], 0)
        self.assertTrue(0 < of_fragment['exit_cycles'] < of_fragment['cycles'])
        self.assertIn('cycles %(cycles)d, exit cycles %(exit_cycles)d; throughput bound by' % of_fragment,
                      self.kiln('analyze', '--target=tgl', left))
        # Zeros, and code whose end is cut off.
        zeros = self.line(self.kiln('analyze', '--target=tgl', '--json', self.file('zeros', bytes(64))))
        self.assertIn("byte 48: a thread continues past the program's end", zeros['findings'])
        with open(os.path.join(self.folder, 'out/saxpy.comp.tgl.16.bin'), 'rb') as code:
            cut = self.file('cut', code.read()[:-32])  # a nop, and what ends the thread
        self.assertIn("a thread continues past the program's end",
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
        self.fails(2, "'speed' is not a statistic", 'report', 'a.jsonl', 'b.jsonl', '--fail-if=speed>1')
        self.fails(2, 'r.html:1: the line is not a JSON object', 'report', 'a.jsonl', 'r.html')
