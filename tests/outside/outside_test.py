"""run-amber's parsers, formats, jobs and judge, on tests of our own."""

import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

try:
    import numpy as np
except ImportError:
    np = None
else:
    from draws import Draw, attribute, clear
    from expect import Judge, histogram_distance
    from formats import TEXEL, decode, encode, image_format, number_type
    from interpreter import Interpreter
    from kiln import Refused, reason_of
    from resources import Resources, sampler_keys
    from test_run import choose_tiles, expected_failure, parse

SCRIPT = '''#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f GLSL
#version 450
layout(location = 0) out vec4 c;
void main() { c = vec4(1); }
END
BUFFER target FORMAT R8G8B8A8_UNORM
BUFFER depth FORMAT D32_SFLOAT_S8_UINT
BUFFER data DATA_TYPE uint32 DATA 1 2 3 END
SAMPLER s MAG_FILTER linear ADDRESS_MODE_U mirrored_repeat ADDRESS_MODE_V clamp_to_border
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 4 2
  BIND BUFFER target AS color LOCATION 0
  BIND BUFFER depth AS depth_stencil
  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 1
  BIND BUFFER data AS uniform DESCRIPTOR_SET 0 BINDING 2 DESCRIPTOR_OFFSET 4 DESCRIPTOR_RANGE 8
  DEPTH
    TEST on
    WRITE on
    COMPARE_OP less_or_equal
    BOUNDS on min 0.25 max 0.5
    BIAS constant 1 clamp 2 slope 3
  END
  STENCIL FRONT
    TEST on
    PASS_OP replace
    REFERENCE 7
  END
  BLEND
    SRC_COLOR_FACTOR src_alpha
    COLOR_OP max
  END
END
CLEAR_COLOR p 255 0 0 255
CLEAR_DEPTH p 0.5
CLEAR p
RUN p DRAW_RECT POS 0 0 SIZE 4 2
EXPECT data IDX 4 EQ 2 3
EXPECT target IDX 0 0 SIZE 4 2 EQ_RGBA 255 0 0 255
'''
OLD = '''[require]
depthstencil D16_UNORM
[vertex shader passthrough]
[fragment shader]
#version 450
void main() {}
[test]
depthTestEnable true
stencilTestEnable true
front.passOp VK_STENCIL_OP_INCREMENT_AND_WRAP
colorWriteMask VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_A_BIT
blendEnable true
srcColorBlendFactor VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR
cullMode VK_CULL_MODE_FRONT_AND_BACK
draw rect -1 -1 2 2
probe all rgba 0 0 0 0
'''


@unittest.skipIf(np is None, 'needs python3-numpy')
class Outside(unittest.TestCase):
    def script(self, text):
        with tempfile.NamedTemporaryFile('w', suffix='.amber', delete=False) as f:
            f.write(text)
        self.addCleanup(os.remove, f.name)
        return parse(f.name)

    def test_a_draw_is_one_job(self):
        s = self.script(SCRIPT)
        p = s.pipelines['p']
        for name, t, _ in s.commands:
            if name == 'CLEAR_COLOR':
                p.clear_color = tuple(float(x) / 255 for x in t[1:])
            if name == 'CLEAR_DEPTH':
                p.clear_depth = float(t[1])
        clear(s, p)
        self.assertEqual(s.buffers['depth'].data, np.float32(0.5).tobytes() * 8)
        with tempfile.TemporaryDirectory() as folder:
            resources = Resources(s, folder).add(p)
            draw = Draw(s, p, 'TRIANGLE_STRIP', resources)
            with open(os.path.join(folder, draw.job['targets'][0]['data']['file']), 'rb') as f:
                self.assertEqual(f.read(), b'\xff\0\0\xff' * 8)
            with open(os.path.join(folder, draw.job['depth']['data']['file']), 'rb') as f:
                self.assertEqual(f.read(), np.float32(0.5).tobytes() * 8)
            left = {'color': b'\1\2\3\4' * 8, 'depth': np.float32(0.25).tobytes() * 8, 'stencil': b'\7' * 8}
            for kind, _, name in draw.results:
                with open(os.path.join(folder, name), 'wb') as f:
                    f.write(left[kind])
            draw.take_back()
        self.assertEqual((s.buffers['target'].data, s.buffers['depth'].data, s.buffers['depth'].stencil),
                         tuple(left.values()))
        self.assertEqual(draw.job['targets'][0]['format'], 'rgba8')
        self.assertEqual(draw.job['targets'][0]['blend']['src'], 'src_alpha')
        self.assertEqual(draw.job['targets'][0]['blend']['op'], 'max')
        depth = draw.job['depth']
        self.assertEqual((depth['format'], depth['compare'], depth['write'], depth['bounds']),
                         ('d32f', 'less_equal', True, [0.25, 0.5]))
        self.assertEqual(draw.job['depth_bias'], {'constant': 1.0, 'clamp': 2.0, 'slope': 3.0})
        front = draw.job['stencil']['front']
        self.assertEqual((front['compare'], front['pass'], front['reference'], front['compare_mask']),
                         ('always', 'replace', 7, 0xffffffff))
        both = [r for r in resources.list if r.get('same_as') == 'data']
        self.assertEqual([(r['binding'], r['offset'], r['size']) for r in both], [(1, 0, 12), (2, 4, 8)])
        self.assertEqual(len([r for r in resources.list if r.get('name') == 'data']), 1)

    def test_a_depth_test_without_operation_always_passes(self):
        s = self.script(SCRIPT.replace('    COMPARE_OP less_or_equal\n', ''))
        with tempfile.TemporaryDirectory() as folder:
            p = s.pipelines['p']
            draw = Draw(s, p, 'TRIANGLE_STRIP', Resources(s, folder).add(p))
        self.assertEqual(draw.job['depth']['compare'], 'always')

    def test_unrestricted_depth_is_not_clamped(self):
        s = self.script(SCRIPT.replace('#!amber\n', '#!amber\nDEVICE_EXTENSION VK_EXT_depth_range_unrestricted\n'))
        with tempfile.TemporaryDirectory() as folder:
            p = s.pipelines['p']
            draw = Draw(s, p, 'TRIANGLE_STRIP', Resources(s, folder).add(p))
        self.assertNotIn('format', draw.job['depth'])

    def test_vkscript_state_applies_from_its_line_on(self):
        s = self.script(OLD)
        g = s.pipelines['g']
        self.assertEqual([name for name, _, _ in s.commands][:1], ['STATE'])
        for name, t, _ in s.commands:
            if name == 'STATE':
                t[0].state(t[1], g)
        self.assertEqual(g.depth['TEST'], ['on'])
        self.assertEqual(g.stencil['FRONT']['PASS_OP'], ['increment_and_wrap'])
        self.assertEqual(g.stencil['FRONT']['TEST'], ['on'])
        self.assertEqual(g.state['target'], {'write_mask': 'ra'})
        self.assertEqual(g.blend, {'SRC_COLOR_FACTOR': ['one_minus_dst_color']})
        self.assertEqual(g.state['draw']['cull'], 'both')
        self.assertIn('depthstencil', s.buffers)

    def test_formats(self):
        for name, texel in (('R8G8B8A8_SRGB', 'rgba8_srgb'), ('B8G8R8A8_SNORM', 'bgra8_snorm'), ('R16G16B16_SFLOAT', 'rgb16f'),
                            ('R32G32_UINT', 'rg32ui'), ('A2B10G10R10_SNORM_PACK32', 'rgb10a2_snorm'), ('D16_UNORM', 'd16')):
            self.assertEqual(TEXEL[name], texel)
        f = image_format('B8G8R8A8_UNORM')
        self.assertEqual(encode(f, np.array([[1.0, 0.5, 0.0, 1.0]])), b'\x00\x80\xff\xff')
        self.assertEqual(float(decode(f, b'\0\0\xff\xff')['R'][0]), 1.0)
        self.assertEqual(number_type('vec3<float>').size, 16)

    def test_samplers(self):
        s = self.script(SCRIPT)
        keys = sampler_keys(s.samplers['s'])
        self.assertEqual(keys['address'], ['mirror', 'border', 'repeat'])
        self.assertEqual((keys['filter'], keys['min_filter']), ('linear', 'nearest'))

    def test_the_judge_finds_what_is_wrong(self):
        s = self.script(SCRIPT)
        judge = Judge()
        expectations = [t for name, t, _ in s.commands if name == 'EXPECT']
        judge.expect(s, expectations[0], 1)
        self.assertEqual(judge.fails, [])
        s.buffers['target'].data = b'\xff\0\0\xff' * 7 + b'\xfe\0\0\xff'
        judge.expect(s, expectations[1], 2)
        self.assertEqual(len(judge.fails), 1)
        self.assertIn('1 of 8 pixels', judge.fails[0])
        judge.expect(s, ['data', 'IDX', '0', 'TOLERANCE', '1', 'EQ', '2'], 3)
        judge.expect(s, ['data', 'IDX', '0', 'EQ', '2'], 4)
        self.assertEqual(len(judge.fails), 2)
        self.assertEqual(histogram_distance(b'\0' * 4, b'\xff' * 4), 255 / 256)

    def test_vertex_data(self):
        s = self.script(SCRIPT)
        values, count = attribute(s, dict(buffer='data', location=3, rate='instance', format=None, offset=4, stride=None))
        self.assertEqual((values, count), ({'location': 3, 'rate': 'instance', 'components': 1, 'u32': [2, 3]}, 2))

    def test_only_refusals_and_wrong_values_are_an_expected_failure(self):
        for status in ('refused', 'disagrees'):
            self.assertEqual(expected_failure(dict(status=status, why='x')), dict(status='agrees', why='x'))
        for status in ('agrees', 'ran'):
            self.assertEqual(expected_failure(dict(status=status)), dict(status='disagrees', why='it should fail'))
        for status in ('crash', 'timeout', 'service', 'usage', 'toolchain', 'too slow', 'exit 9', 'not expressible'):
            self.assertEqual(expected_failure(dict(status=status))['status'], status)

    def test_a_refusal_is_known_by_its_cause(self):
        self.assertEqual(reason_of('a.spv: tgl: warning\na.spv: tgl: refused (partial_subgroups): size 119\n'
                                   '  why: Full subgroups are required.\n  what to do: Make the size a multiple.'),
                         'a.spv: tgl: refused (partial_subgroups): size 119')
        self.assertEqual(reason_of('kiln: no such file'), 'kiln: no such file')

    def test_the_interpreter_gets_ranges_and_gives_them_back(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, 'mir_run')
            with open(program, 'w', encoding='utf-8') as f:   # adds 1 to the first byte of a resource
                f.write('#!/usr/bin/python3\nimport json, sys\njob = json.load(open(sys.argv[1]))\n'
                        'r = job["resources"][0]\ndata = bytearray.fromhex(r["data"]["hex"])\ndata[0] += 1\n'
                        'print(json.dumps(dict(ok=job["entry"] == "main" and "same_as" not in r, instructions=7, outputs=['
                        'dict(set=0, binding=2, index=0, hex=data.hex())])))\n')
            os.chmod(program, 0o755)
            with open(os.path.join(folder, 'r1.bin'), 'wb') as f:
                f.write(bytes([1, 2, 3, 4, 5, 6]))
            job = dict(dispatch=[1, 1, 1], resources=[
                dict(set=0, binding=2, index=0, same_as='b', offset=2, size=3),
                dict(name='b', data={'file': 'r1.bin'}, out='o1.bin')])
            interpreter = Interpreter(program, folder)
            self.assertEqual(interpreter.run(['a.spv'], job, ['--entry=main'], 60)['out_of_bounds']['accesses'], 0)
            self.assertEqual(interpreter.instructions, 7)
            with open(os.path.join(folder, 'o1.bin'), 'rb') as f:
                self.assertEqual(f.read(), bytes([1, 2, 4, 4, 5, 6]))
            with self.assertRaises(Refused):
                interpreter.run(['a.spv', 'b.spv'], job, ['--entry=main'], 60)

    def test_tiles_lie_inside_and_apart(self):
        tiles = choose_tiles(256, 250)
        self.assertEqual(len(tiles), len(set(tiles)))
        self.assertGreater(len(tiles), 20)
        self.assertTrue(all(x + 16 <= 256 and y + 16 <= 250 for x, y in tiles))


if __name__ == '__main__':
    unittest.main()
