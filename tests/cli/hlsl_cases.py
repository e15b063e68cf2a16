"""HLSL: what a text means, seen in the values that the simulator computes; the expectations are by hand."""

import json
import os

from fixture import Cli

OUT = 'RWStructuredBuffer<float> o : register(u0);\n'
MAIN = '[numthreads(1, 1, 1)] void main() '


class Hlsl(Cli):
    def run_values(self, text, resources, *flags, name='a.cs.hlsl', out=2000, **job):
        """Compiles and runs a text; returns the floats of the buffer at binding `out` of set 0."""
        shader = self.file(name, text)
        has_out = any(r['binding'] == out and r.get('set', 0) == 0 for r in resources)
        if not has_out:
            resources = resources + [{'binding': out, 'data': {'f32': [0] * 16}, 'as': 'f32'}]
        path = self.file('job.json', json.dumps({'resources': resources, **job}))
        line = self.line(self.kiln('run', '--target=tgl', '--buffers=' + path, '--json', *flags, shader))
        return next(o['values'] for o in line['outputs'] if (o['set'], o['binding']) == (0, out))

    def test_constant_buffers_have_the_layout_of_dxc(self):
        # A float, a vector that does not cross 16 bytes, one that would, elements of 16 bytes.
        words = [1, 2, 3, 4,  5, 6, 0, 0,  7, 8, 9, 0,  10, 0, 0, 0,  11, 0, 0, 0,  12, 0, 0, 0]
        text = ('cbuffer C : register(b0) { float a; float3 b; float2 c; float3 d; float e[2]; float f; }\n' + OUT +
                MAIN + '{ o[0] = a; o[1] = b.x; o[2] = b.z; o[3] = c.y; o[4] = d.x; o[5] = d.z;'
                       ' o[6] = e[0]; o[7] = e[1]; o[8] = f; }')
        self.assertEqual(self.run_values(text, [{'binding': 0, 'data': {'f32': words}}])[:9],
                         [1, 2, 4, 6, 7, 9, 10, 11, 12])

    def test_matrices_are_packed_by_columns_or_rows(self):
        # Memory holds 1, 2, 3, 4; 5, ... in its vectors of 16 bytes.
        memory = [{'binding': 0, 'data': {'f32': list(range(1, 17))}}]
        text = ('cbuffer C : register(b0) { %sfloat4x4 m; }\n' + OUT +
                MAIN + '{ o[0] = m[0][1]; o[1] = m[1][0]; float4 v = mul(m, float4(1, 10, 100, 1000));'
                       ' o[2] = v.x; o[3] = v.y; o[4] = mul(float4(1, 0, 0, 0), m).w; }')
        columns = [5, 2, 1 + 50 + 900 + 13000, 2 + 60 + 1000 + 14000, 13]
        rows = [2, 5, 4321, 8765, 4]
        for word, flags, want in (('', [], columns), ('', ['-Zpc'], columns), ('', ['-Zpr'], rows),
                                  ('row_major ', [], rows), ('column_major ', ['-Zpr'], columns)):
            self.assertEqual(self.run_values(text % word, memory, *flags)[:5], want, (word, flags))

    def test_registers_of_each_kind_and_space_are_apart(self):
        text = ('cbuffer C : register(b0) { float c; }\ncbuffer D : register(b0, space1) { float d; }\n'
                'StructuredBuffer<float> t : register(t0);\nByteAddressBuffer s : register(t0, space1);\n'
                'Buffer<float> x : register(t2);\n' + OUT +
                MAIN + '{ o[0] = c; o[1] = d; o[2] = t[1]; o[3] = asfloat(s.Load(4)); o[4] = x[1]; }')

        def at(space, binding, *values, **more):
            return {'set': space, 'binding': binding, 'data': {'f32': list(values)}, **more}
        want = [1, 2, 3, 4, 5]
        texels = {'format': 'r32f'}
        self.assertEqual(self.run_values(text, [at(0, 0, 1), at(1, 0, 2), at(0, 1000, 0, 3), at(1, 1000, 0, 4),
                                                at(0, 1002, 0, 5, **texels)])[:5], want)
        self.assertEqual(self.run_values(
            text, [at(0, 4, 1), at(1, 4, 2), at(0, 16, 0, 3), at(1, 32, 0, 4), at(0, 18, 0, 5, **texels)],
            '--register-shift=b:4', '--register-shift=t:16', '--register-shift=t:32:1',
            '--register-shift=u:8', out=8)[:5], want)

    def test_structured_buffers_have_strides(self):
        # struct { float; float3; float2 }: offsets 0, 4 and 16, in 32 bytes.
        text = ('struct S { float a; float3 b; float2 c; };\nRWStructuredBuffer<S> s : register(u1);\n' + OUT +
                MAIN + '{ o[0] = s[0].a; o[1] = s[0].b.z; o[2] = s[0].c.y; o[3] = s[1].a; o[4] = s[2].c.x; }')
        values = self.run_values(text, [{'binding': 2001, 'data': {'f32': list(range(24))}, 'as': 'f32'}])
        self.assertEqual(values[:5], [0, 3, 5, 8, 20])

    def test_textures_samplers_and_writable_textures(self):
        text = ('Texture2D<float4> t : register(t0); SamplerState s : register(s0);\n'
                'RWTexture2D<float4> u : register(u1);\n' + OUT +
                MAIN + '{ float4 v = t.SampleLevel(s, float2(0.75, 0.25), 0); o[0] = v.x;'
                       ' o[1] = t.Load(int3(0, 1, 0)).x; u[uint2(1, 0)] = float4(7, 8, 9, 10); o[2] = u[uint2(1, 0)].y; }')
        image = {'format': 'rgba32f', 'width': 2, 'height': 2}
        texels = [1, 0, 0, 0,  2, 0, 0, 0,  3, 0, 0, 0,  4, 0, 0, 0]
        shader = self.file('a.cs.hlsl', text)
        job = self.file('job.json', json.dumps({'resources': [
            {'binding': 1000, **image, 'data': {'f32': texels}},
            {'binding': 2001, **image, 'data': {'f32': [0] * 16}, 'as': 'f32'},
            {'binding': 3000, 'filter': 'nearest'},
            {'binding': 2000, 'data': {'f32': [0] * 4}, 'as': 'f32'}]}))
        line = self.line(self.kiln('run', '--target=tgl', '--buffers=' + job, '--json', shader))
        values = {o['binding']: o['values'] for o in line['outputs']}
        self.assertEqual(values[2000][:3], [2, 3, 8])
        self.assertEqual(values[2001][4:8], [7, 8, 9, 10])

    def test_system_values_number_the_threads(self):
        text = (OUT + '[numthreads(4, 1, 1)] void main(uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupID,'
                ' uint3 t : SV_GroupThreadID, uint i : SV_GroupIndex)'
                ' { o[d.x] = g.x * 100 + t.x * 10 + i; }')
        self.assertEqual(self.run_values(text, [], dispatch=[2, 1, 1])[:8],
                         [0, 11, 22, 33, 100, 111, 122, 133])

    def test_shared_memory_and_atomics(self):
        text = (OUT + 'groupshared uint g[4];\n'
                '[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { g[i] = i * i;'
                ' GroupMemoryBarrierWithGroupSync(); uint old; InterlockedAdd(g[0], 5, old);'
                ' GroupMemoryBarrierWithGroupSync(); o[i] = g[3 - i]; }')
        self.assertEqual(self.run_values(text, [])[:4], [9, 4, 1, 20])

    def test_push_constants_and_specialisation(self):
        text = ('struct P { float a; float b; };\n[[vk::push_constant]] P p;\n'
                '[[vk::constant_id(3)]] const int k = 5;\n' + OUT + MAIN + '{ o[0] = p.b * k; }')
        push = [{'f32': 2}, {'f32': 3}]
        self.assertEqual(self.run_values(text, [], push=push)[0], 15)
        self.assertEqual(self.run_values(text, [], '--spec=3=int:7', push=push)[0], 21)

    def test_graphics(self):
        both = self.file('both.hlsl',
                         'struct V { float4 p : SV_Position; float2 uv : TEXCOORD0; nointerpolation float k : K; };\n'
                         'cbuffer C : register(b0) { float4x4 m; };\n'
                         'V VS(float3 p : POSITION, float2 uv : TEXCOORD0, uint i : SV_VertexID)\n'
                         '{ V v; v.p = mul(m, float4(p, 1)); v.uv = uv; v.k = i; return v; }\n'
                         'float4 PS(V v, bool front : SV_IsFrontFace) : SV_Target1 { return float4(v.uv, v.k, 1); }\n')
        columns = [2, 0, 0, 0,  0, 3, 0, 0,  0, 0, 1, 0,  5, 0, 0, 1]  # scales, and moves x by 5
        job = self.file('job.json', json.dumps({
            'resources': [{'binding': 0, 'data': {'f32': columns}}],
            'vertices': {'count': 2, 'inputs': [{'location': 0, 'f32': [1, 1, 0, -1, 2, 0]},
                                                {'location': 1, 'f32': [0.25, 0.5, 0.75, 1]}]}}))
        line = self.line(self.kiln('run', '--target=tgl', '--buffers=' + job, '--json', '-T', 'vs_6_0', '-E', 'VS', both))
        outputs = [{o.get('builtin', o.get('location')): o['values'] for o in v['outputs']} for v in line['vertices']]
        self.assertEqual([o['position'] for o in outputs], [[7, 3, 0, 1], [3, 6, 0, 1]])
        self.assertEqual([(o[0][:2], o[1][:1]) for o in outputs], [([0.25, 0.5], [0]), ([0.75, 1], [1])])
        draw = self.file('draw.json', json.dumps({'draw': {
            'width': 1, 'height': 1, 'positions': [[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]],
            'targets': [{'location': 1, 'format': 'rgba32f', 'as': 'f32'}],
            'inputs': [{'location': 0, 'f32': [0.5, 0.25] * 3}, {'location': 1, 'f32': [4, 4, 4]}]}}))
        line = self.line(self.kiln('run', '--target=tgl', '--buffers=' + draw, '--json', '-T', 'ps_5_1', '-E', 'PS', both))
        self.assertEqual([(r['what'], r['values']) for r in line['draw']['results']], [('location 1', [0.5, 0.25, 4, 1])])
        # A pair in one file, by a manifest.
        manifest = self.file('m.jsonl', json.dumps({'vertex': both, 'fragment': both, 'entry_point': 'VS,PS'}) + '\n')
        lines = [json.loads(l) for l in self.kiln('batch', '--target=tgl', '--jsonl=-', '--manifest=' + manifest).splitlines()]
        self.assertEqual([(l['stage'], l['status'], l['entry']) for l in lines],
                         [('vertex', 'ok', 'VS'), ('fragment', 'ok', 'PS')])

    def test_the_language_follows_from_name_or_flag(self):
        text = OUT + MAIN + '{ o[0] = VALUE; }'
        define = ['--target=tgl', '-D', 'VALUE=2']
        self.kiln('compile', *define, self.file('a.comp.hlsl', text))
        self.kiln('compile', *define, '--lang=hlsl', self.file('a.comp', text))
        self.kiln('compile', *define, '--lang=hlsl', '-T', 'cs_6_0', '-', stdin=text.encode())
        path = self.file('a.hlsl', text)
        self.fails(2, 'a.hlsl: the stage is not known; give a profile, -T ps_6_0', 'compile', *define, path)
        self.kiln('compile', *define, '-Tcs_6_0', path)
        self.kiln('compile', *define, '--stage=comp', path)
        self.fails(2, r'-T lib_6_3: is no profile of a stage', 'compile', *define, '-T', 'lib_6_3', path)
        self.fails(2, r'-T ps_6_0: --stage names another stage', 'compile', *define, '-T', 'ps_6_0', '--stage=comp', path)
        self.fails(2, r'--lang: .slang. is not a language', 'compile', *define, '--lang=slang', path)
        self.fails(2, r'--register-shift=x:1: must be KIND:N', 'compile', *define, '--register-shift=x:1', path)
        self.fails(2, r'-Zip: must be -Zpc or -Zpr', 'compile', *define, '-Zip', path)
        line = self.line(self.kiln('compile', '--target=tgl', '--json', '--lang=glsl', '--stage=comp', path, expect=1))
        self.assertEqual(line['cause'], 'invalid_glsl')

    def test_folders_manifests_and_the_cache(self):
        text = OUT + '#include "inc/f.hlsli"\n[numthreads(1, 1, 1)] void First() { o[0] = F(); }\n'
        self.file('s/a.cs.hlsl', text.replace('First', 'main'))
        self.file('s/lib.hlsl', text)  # no stage in its name
        self.file('s/inc/f.hlsli', '#pragma once\nfloat F() { return VALUE; }\n')
        flags = ['--target=tgl', '-D', 'VALUE=1', '--jsonl=-']

        def lines(*arguments, expect=0):
            return [json.loads(l) for l in self.kiln('batch', *flags, *arguments, expect=expect).splitlines()]
        first = lines('s')
        self.assertEqual([(l['file'], l['status'], l['cache'], l['entry']) for l in first],
                         [('s/a.cs.hlsl', 'ok', 'miss', 'main')])
        self.assertEqual([l['cache'] for l in lines('s')], ['memory'])
        manifest = self.file('m.jsonl', '\n'.join(json.dumps({'file': 's/lib.hlsl', 'stage': 'comp', **more}) for more in (
            {'entry_point': 'First'}, {'entry_point': 'First', 'row_major': True}, {'entry_point': 'Second'},
            {'entry_point': 'First', 'register_shifts': ['u:3']}, {'entry_point': 'First', 'lang': 'glsl'})))
        got = lines('--manifest=' + manifest, expect=1)
        self.assertEqual([(l['status'], l['cause'], l['entry']) for l in got],
                         [('ok', 'ok', 'First'), ('ok', 'ok', 'First'), ('invalid', 'invalid_hlsl', 'Second'),
                          ('ok', 'ok', 'First'), ('invalid', 'invalid_glsl', 'First')])
        self.file('s/inc/f.hlsli', '#pragma once\nfloat F() { return 2 * VALUE; }\n')
        self.assertEqual([l['cache'] for l in lines('s')], ['miss'])
        wrong = self.file('w.jsonl', json.dumps({'file': 's/lib.hlsl', 'register_shifts': ['u']}))
        self.fails(2, r'w.jsonl:1: "register_shifts" has u: must be KIND:N', 'batch', *flags, '--manifest=' + wrong)
        # A results database takes them like other files.
        self.kiln('precompile', '--local', '--target=tgl', '-D', 'VALUE=1', '-o', 'r.sqlite', 's')

    def test_errors_and_newer_features_have_lines(self):
        path = self.file('a.cs.hlsl', OUT + MAIN + '\n{ o[0] = nothing; }\n')
        self.fails(1, r"a\.cs\.hlsl: tgl: invalid \(invalid_hlsl\): ERROR: .*a\.cs\.hlsl:3: 'nothing' : unknown",
                   'compile', '--target=tgl', path)
        self.assertIn('dxc -spirv', self.err)
        path = self.file('b.cs.hlsl', OUT + '\ntemplate<typename T> T F(T x) { return x; }\n' + MAIN + '{ o[0] = F(1.0); }\n')
        line = self.line(self.kiln('compile', '--target=tgl', '--json', path, expect=1))
        self.assertEqual((line['status'], line['cause']), ('refused', 'hlsl_feature'))
        reason = line['reason']
        self.assertEqual((reason['what'], os.path.basename(reason['file']), reason['line']),
                         ('templates', 'b.cs.hlsl', 3))
        self.assertIn('dxc -spirv', reason['remedy'])
        self.kiln('compile', '--target=tgl', '--sarif=k.sarif', path, expect=1)
        with open(os.path.join(self.folder, 'k.sarif'), encoding='utf-8') as f:
            result = json.load(f)['runs'][0]['results'][0]
        self.assertEqual(result['locations'][0]['physicalLocation']['region'], {'startLine': 3})
