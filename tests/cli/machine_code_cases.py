"""The target gfx1030: machine code of other compilers and of Kiln's own."""

import json
import os
import struct

from fixture import SAXPY, SHADERS, Cli

# 32 lanes store 7 each. Made by Kiln's encoder (core/amd/pipeline/testing.h has the same program).
STORE = (
    0xbe8103ff, 0xffff8000,  # s_mov_b32 s1, 0xffff8000
    0xf4080200, 0xfa000000,  # s_load_dwordx4 s[8:11], s[0:1], 0x0
    0x34020082,              # v_lshlrev_b32_e32 v1, 2, v0
    0x7e040287,              # v_mov_b32_e32 v2, 7
    0xbf8cc07f,              # s_waitcnt lgkmcnt(0)
    0xe0701000, 0x80020201,  # buffer_store_dword v2, v1, s[8:11], 0 offen
    0xbf810000,              # s_endpgm
)
RECORD = {
    'record_version': 2, 'target': 'gfx1030', 'file': 'store.comp.spv', 'entry_point': 'main', 'stage': 'compute',
    'code_bytes': 4 * len(STORE), 'entry': 0, 'dispatch_width': 32,
    'resources': [{'kind': 'ssbo', 'set': 0, 'binding': 0, 'elements': 1}],
    'push_constant_bytes': 0, 'push_data': [],
    'descriptor_memory': [{'memory': 0, 'resource': 0, 'element': 0, 'count': 1, 'offset': 0, 'stride': 16,
                           'form': 'buffer_resource'}],
    'shared_bytes': 0, 'scratch_bytes_per_thread': 0,
    'compute': {'local_size': [32, 1, 1], 'uses_barrier': False},
    'amd': {'rsrc1': 0xc0 << 12 | 1 << 21, 'rsrc2': 2 << 1 | 1 << 7, 'rsrc3': 0, 'vgprs': 3,
            'instruction_bytes': 4 * len(STORE), 'address_high': 0xffff8000, 'push_first_sgpr': 0, 'push_sgprs': 0,
            'user_sgprs': [{'sgpr': 0, 'what': 'descriptor_memory', 'memory': 0}]},
}
JOB = '--buffers=' + os.path.abspath('client/examples/saxpy.json')


class MachineCode(Cli):
    def code(self):
        return self.file('store.bin', struct.pack('<%dI' % len(STORE), *STORE))

    def test_disasm(self):
        text = self.kiln('disasm', '--target=gfx1030', self.code())
        self.assertIn('s_waitcnt lgkmcnt(0)', text)
        self.assertIn('buffer_store_dword v2, v1, s[8:11], 0 offen', text)
        self.fails(1, 'byte 0: .*is it gfx1030 machine code', 'disasm', '--target=gfx1030',
                   self.file('no.bin', b'\xff' * 8))

    def test_analyze(self):
        line = self.line(self.kiln('analyze', '--target=gfx1030', '--json', self.code()))
        self.assertEqual([line[key] for key in ('instructions', 'wait_instructions', 'valu', 'salu', 'vmem', 'smem')],
                         [6, 1, 2, 1, 1, 1])
        self.assertEqual((line['vgprs'], line['sgprs'], line['wave_size'], line['bytes']), (3, 12, 32, 40))
        self.assertGreater(line['stores_stalls'], 300)
        self.assertEqual(line['findings'], [])
        self.assertIn('only a run', line['missing_waits_not_judged'])
        self.assertFalse({'lds_bytes', 'redundant_syncs', 'missing_waits'} & set(line))
        wide = self.line(self.kiln('analyze', '--target=gfx1030', '--wave64', '--json', self.code()))
        self.assertEqual(wide['wave_size'], 64)
        self.assertIn('missing waits: not checked', self.kiln('analyze', '--target=gfx1030', self.code()))
        self.fails(2, '--fusion: the analysis of gfx1030 has no such mode', 'analyze', '--target=gfx1030', '--fusion',
                   self.code())

    def test_analyze_with_a_launch_record(self):
        def record(**changed):
            return '--launch=' + self.file('store.launch.json', json.dumps({**RECORD, **changed}))

        where = ('analyze', '--target=gfx1030')
        line = self.line(self.kiln(*where, '--json', record(shared_bytes=4096, scratch_bytes_per_thread=256),
                                   self.code()))
        self.assertEqual([line[key] for key in ('lds_bytes', 'scratch_bytes', 'waves_per_simd', 'wave_size')],
                         [4096, 256, 8, 32])
        self.assertNotIn('spilled_vgprs', line)
        self.assertIn('waves per simd 16', self.kiln(*where, record(), self.code()))
        self.assertEqual(self.line(self.kiln(*where, '--json', record(dispatch_width=64), self.code()))['wave_size'], 64)
        self.fails(2, 'waves of 32 lanes; --wave64 says 64', *where, '--wave64', record(), self.code())
        self.fails(2, 'launch record of a program for tgl', *where, record(target='tgl'), self.code())
        self.fails(2, '--launch: the analysis of tgl takes no launch record', 'analyze', '--target=tgl', record(),
                   self.code())

    def test_run(self):
        record = self.file('store.launch.json', json.dumps(RECORD))
        job = self.file('store.json', json.dumps({'resources': [{'binding': 0, 'size': 128, 'as': 'u32'}]}))
        line = self.line(self.kiln('run', '--target=gfx1030', '--launch=' + record, '--buffers=' + job, '--json',
                                   self.code()))
        self.assertEqual(line['outputs'][0]['values'], [7] * 32)
        self.assertEqual(line['instructions'], 7)

    def test_both_targets_are_compiled(self):
        for where in ([], ['--local']):
            codes = []
            for target in ('tgl,gfx1030', 'gfx1030'):  # the second from the daemon's cache
                out = self.folder + '/out'
                lines = self.kiln('compile', '--target=' + target, '--json', '-o', out, *where, SAXPY).splitlines()
                line = [line for line in map(json.loads, lines) if line['target'] == 'gfx1030'][0]
                self.assertEqual(line['status'], 'ok')
                if where == []:
                    self.assertEqual(line['cache'], 'miss' if ',' in target else 'memory')
                self.assertEqual([v['name'] for v in line['variants']], ['wave32', 'wave64'])
                names = self.statistics('gfx1030')
                for variant in line['variants']:
                    self.assertEqual([key for key in variant if key in names], names)
                with open(line['variants'][1]['binary'], 'rb') as code:
                    codes.append(code.read())
            self.assertEqual(codes[0], codes[1])
            self.assertRegex(self.kiln('targets', *where), r'gfx1030 +[1-9]\d* +1 +disasm, analyze, run')

    def test_a_stage_that_only_the_other_target_compiles(self):
        for name in ('frag_coord.frag', 'vert_point_size.vert'):
            lines = self.kiln('compile', '--target=tgl,gfx1030', '--json', os.path.join(SHADERS, name), expect=1)
            results = {line['target']: line for line in map(json.loads, lines.splitlines())}
            self.assertEqual(results['tgl']['status'], 'ok')
            refused = results['gfx1030']
            self.assertEqual((refused['status'], refused['cause']), ('refused', 'missing_stage'))
            self.assertIn('for gfx1030 compute shaders are compiled', refused['message'])

    def test_what_was_compiled_is_read_and_run(self):
        made = self.line(self.kiln('compile', '--target=gfx1030', '--widths=32', '--json', '-o', 'out', SAXPY))
        code = os.path.join(self.folder, made['variants'][0]['binary'])
        record = '--launch=' + code[:-len('.bin')] + '.launch.json'
        self.assertIn('s_endpgm', self.kiln('disasm', '--target=gfx1030', code))
        line = self.line(self.kiln('analyze', '--target=gfx1030', '--json', record, code))
        self.assertEqual(line['wave_size'], 32)
        self.assertEqual(line['findings'], [])
        compiled = self.line(self.kiln('run', '--target=gfx1030', '--widths=32', '--json', JOB, SAXPY))
        self.assertEqual(compiled['outputs'][0]['values'], [12, 24, 36, 48, 60, 72, 84, 96])
        loaded = self.line(self.kiln('run', '--target=gfx1030', '--json', JOB, record, code))
        self.assertEqual(loaded['outputs'], compiled['outputs'])
        self.assertEqual(loaded['instructions'], compiled['instructions'])
