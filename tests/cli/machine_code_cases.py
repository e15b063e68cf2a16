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
            self.assertRegex(self.kiln('targets', *where), r'gfx1030 +[1-9]\d* +1 +disasm, analyze, trace, run')

    def test_graphics_shaders_of_both_targets(self):
        shaders = ('vert_point_size.vert', 'frag_coord.frag')
        for where, shader in [(where, shader) for where in ([], ['--local']) for shader in shaders]:
            lines = self.kiln('compile', '--target=tgl,gfx1030', '--json', *where, os.path.join(SHADERS, shader))
            results = {line['target']: line for line in map(json.loads, lines.splitlines())}
            self.assertEqual({line['status'] for line in results.values()}, {'ok'})
            self.assertEqual([v['name'] for v in results['gfx1030']['variants']], ['wave32', 'wave64'])

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


class CodeObjects(Cli):
    """Code objects of ROCm (--container=amdhsa), through a real daemon and the worker of --local."""
    def compiled(self, *flags, expect=0, file=SAXPY):
        return [json.loads(line) for line in
                self.kiln('compile', '--json', '-o', 'out', *flags, file, expect=expect).splitlines()]

    def path(self, variant):
        return os.path.join(self.folder, variant['binary'])

    def bytes_of(self, variant):
        with open(self.path(variant), 'rb') as file:
            return file.read()

    def test_requests_for_containers_do_not_answer_each_other(self):
        with open(SAXPY) as file:
            own = self.file('own.comp', file.read().replace('local_size_x = 64', 'local_size_x = 96'))  # not cached yet
        raw, = self.compiled('--target=gfx1030', file=own)
        boxed, = self.compiled('--target=gfx1030', '--container=amdhsa', file=own)
        self.assertEqual((raw['status'], boxed['status']), ('ok', 'ok'))
        self.assertNotEqual(raw['key'], boxed['key'])
        self.assertEqual((raw['cache'], boxed['cache']), ('miss', 'miss'))
        self.assertEqual((raw['loadable_by'], boxed['loadable_by']), ('none', 'rocm'))
        self.assertEqual((raw.get('container'), boxed['container']), (None, 'amdhsa'))
        for a, b in zip(raw['variants'], boxed['variants']):
            self.assertEqual((a['name'], a['binary'][-4:], b['binary'][-6:]), (b['name'], '.bin', '.hsaco'))
            self.assertEqual(self.bytes_of(b)[:4], b'\x7fELF')
            self.assertNotEqual(self.bytes_of(a)[:4], b'\x7fELF')
        # Asked again, each has its own, from the daemon's cache; "raw" is the default by name.
        for flags, first in (('--container=raw', raw), ('--container=amdhsa', boxed)):
            again, = self.compiled('--target=gfx1030', flags, file=own)
            self.assertEqual((again['key'], again['cache']), (first['key'], 'memory'))
            self.assertEqual([v['binary'] for v in again['variants']], [v['binary'] for v in first['variants']])
        local, = self.compiled('--target=gfx1030', '--container=amdhsa', '--local', file=own)
        self.assertEqual(local['loadable_by'], 'rocm')

    def test_what_does_not_have_it_is_refused_by_name(self):
        tgl, gfx1030 = self.compiled('--target=tgl,gfx1030', '--container=amdhsa', expect=1)
        self.assertEqual((tgl['status'], tgl['cause']), ('refused', 'container'))
        self.assertIn('amdhsa for the target tgl', tgl['message'])
        self.assertNotIn('loadable_by', tgl)
        self.assertEqual(gfx1030['status'], 'ok')
        image = self.line(self.kiln('compile', '--target=gfx1030', '--container=amdhsa', '--json',
                                    os.path.join(SHADERS, 'bilateral_blur.comp'), expect=1))
        self.assertEqual((image['status'], image['cause']), ('refused', 'kernel_arguments'))
        stage = self.line(self.kiln('compile', '--target=gfx1030', '--container=amdhsa', '--json',
                                    os.path.join(SHADERS, 'frag_coord.frag'), expect=1))
        self.assertEqual((stage['status'], stage['cause']), ('refused', 'container'))
        self.assertIn('amdhsa for the stage fragment of the target gfx1030', stage['message'])
        self.fails(2, r"--container: 'elf' is not a container; the containers are raw, amdhsa", 'compile',
                   '--target=gfx1030', '--container=elf', SAXPY)

    def test_targets_lists_it(self):
        for where in ([], ['--local']):
            self.assertIn('container amdhsa: gfx1030, compute\n', self.kiln('targets', *where))
        targets = {t['name']: t for t in self.line(self.kiln('targets', '--json'))['targets']}
        self.assertEqual(targets['gfx1030']['containers'], [{'name': 'amdhsa', 'stages': ['compute']}])
        self.assertEqual(targets['tgl']['containers'], [])

    def test_a_manifest_says_it_for_a_file(self):
        lines = self.file('m.jsonl', '\n'.join(
            json.dumps({'file': SAXPY, 'name': name, **more})
            for name, more in (('a', {}), ('b', {'container': 'amdhsa'}), ('c', {'container': 'raw'}))))
        text = self.kiln('batch', '--target=gfx1030', '--manifest=' + lines, '--jsonl=out.jsonl')
        with open(os.path.join(self.folder, 'out.jsonl')) as file:
            results = {r['name']: r for r in map(json.loads, file)}
        self.assertEqual([results[n]['loadable_by'] for n in 'abc'], ['none', 'rocm', 'none'], text)

    def test_the_tools_take_it(self):
        made, = self.compiled('--target=gfx1030', '--container=amdhsa', '--widths=32')
        code = self.path(made['variants'][0])
        text = self.kiln('disasm', '--target=gfx1030', code)
        self.assertRegex(text, r'^; kernel main: wave32, ')
        self.assertIn(';   at 16, 8 bytes: buffer_0_0_0, address of a buffer, only read\n', text)
        self.assertIn('s_endpgm', text)
        line = self.line(self.kiln('analyze', '--target=gfx1030', '--json', code))
        self.assertEqual((line['wave_size'], line['findings'], line['lds_bytes']), (32, [], 0))
        # Compiled and run, and loaded from its file without a launch record.
        where = ('run', '--target=gfx1030', '--json', JOB)
        compiled = self.line(self.kiln(*where, '--container=amdhsa', '--widths=32', SAXPY))
        self.assertEqual(compiled['outputs'][0]['values'], [12, 24, 36, 48, 60, 72, 84, 96])
        loaded = self.line(self.kiln(*where, code))
        self.assertEqual(loaded['outputs'], compiled['outputs'])
        self.assertEqual(loaded['instructions'], compiled['instructions'])
        self.assertEqual(loaded['variant'], 'wave32')
        self.fails(2, '--widths is an option for compiling; the file is machine code', *where, '--widths=32', code)

    def test_other_files_are_named(self):
        made, = self.compiled('--target=gfx1030', '--container=amdhsa', '--widths=32')
        good = self.bytes_of(made['variants'][0])
        for at, value, error in ((18, 62, 'an ELF file for machine 62, not for AMDGPU'),
                                 (48, 0x41, 'made for another device: e_flags 0x41, gfx1030 has 0x36'),
                                 (8, 4, 'version 6 of code objects; versions 4 and 5 are read')):
            bad = bytearray(good)
            bad[at] = value
            path = self.file('bad.hsaco', bytes(bad))
            for command, code in (('disasm', 1), ('analyze', 1), ('run', 2)):
                more = [JOB] if command == 'run' else []
                self.fails(code, error, command, '--target=gfx1030', *more, path)
        cut = self.file('cut.hsaco', good[:len(good) // 2])
        self.fails(1, 'damaged ELF file', 'disasm', '--target=gfx1030', cut)
        whole = self.file('whole.hsaco', good)
        self.fails(2, 'machine code .ELF.', 'compile', '--target=gfx1030', whole)
