"""kiln batch: lists, manifests, interruption, and daemons that go and come."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time

from fixture import KILN, LINE_KEYS, SAXPY, SHADERS, Cli, Daemon, several_entry_points


class Batch(Cli):
    def lines(self, path):
        with open(path) as file:
            return [json.loads(line) for line in file]

    def test_folder(self):
        jsonl = os.path.join(self.folder, 'r.jsonl')
        expected = sorted(n for n in os.listdir(SHADERS) if n.endswith(('.comp', '.frag', '.vert')))
        text = self.kiln('batch', '--target=tgl', '--root=' + SHADERS, '--jsonl=' + jsonl)
        self.assertRegex(text, r'(?m)^%d modules, %d results in ' % (len(expected), len(expected)))
        self.assertRegex(text, r'(?m)^  ok +%d$' % len(expected))
        self.assertRegex(text, r'(?m)^  cache: ')
        lines = self.lines(jsonl)
        self.assertEqual([line['file'] for line in lines], expected)
        for line in lines:
            self.assertEqual(list(line)[:len(LINE_KEYS)], LINE_KEYS)
        again = json.loads(self.kiln('batch', '--target=tgl', '--json', SHADERS))
        self.assertEqual(again['outcomes'], [{'status': 'ok', 'cause': 'ok', 'count': len(expected)}])

    def test_nearly_all_of_the_time_has_a_name(self):
        out = self.kiln('batch', '--local', '--target=tgl', '--jobs=1', '--jsonl=-', SHADERS, expect=0)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertGreater(len(lines), 50)
        total = sum(line['compile_ms'] for line in lines)
        named = sum(p['us'] for line in lines for p in line['passes']
                    if p['name'] != 'start_glslang') / 1000
        self.assertGreater(named, 0.95 * total)
        self.assertLess(named, 1.01 * total)
        names = {p['name'] for p in lines[0]['passes']}
        self.assertLess({'translate_glsl', 'read_request', 'read_spirv', 'validate_spirv', 'import_spirv',
                         'compact_mir', 'assign_abi', 'count_program', 'pack_result', 'select'}, names)

    def test_second_run_comes_from_the_cache(self):
        for tier in ('miss', 'memory'):
            summary = json.loads(self.kiln('batch', '--target=tgl', '--json', '--no-validate', SHADERS))
            self.assertEqual(list(summary['cache']), [tier])

    def test_list_with_wrong_entries(self):
        self.file('in/bad.comp', 'oops')
        self.file('in/empty.spv', b'')
        shutil.copy(SAXPY, os.path.join(self.folder, 'in/good.comp'))
        self.kiln('batch', '--target=tgl', '--root=in', '--list=-', '--jsonl=-', expect=1,
                  stdin=b'bad.comp\n# nothing\nmissing.spv\nempty.spv\ngood.comp\n')
        lines = [json.loads(line) for line in self.out.splitlines()]
        self.assertEqual([(line['file'], line['status'], line['cause']) for line in lines],
                         [('bad.comp', 'invalid', 'invalid_glsl'),
                          ('missing.spv', 'invalid', 'cannot_read'),
                          ('empty.spv', 'invalid', 'empty_file'), ('good.comp', 'ok', 'ok')])
        self.assertRegex(self.err, r'(?m)^missing\.spv: tgl: invalid \(cannot_read\)')
        self.assertRegex(self.err, r'4 modules, 4 results')

    def test_what_is_in_an_outputs_way_is_that_items_result(self):
        shutil.copy(SAXPY, os.path.join(self.folder, 'a.comp'))
        names = ['a', 'a.tgl.8.bin/b', 'taken', 'c']
        os.makedirs(os.path.join(self.folder, 'out', 'taken.tgl.8.bin'))
        manifest = self.file('m.jsonl', '\n'.join(
            json.dumps({'file': 'a.comp', 'name': name, 'widths': [8]}) for name in names))
        self.kiln('batch', '--target=tgl', '--jobs=1', '--manifest=' + manifest, '--jsonl=r.jsonl', '-o',
                  'out', expect=1)
        self.assertIn('a.tgl.8.bin/b.tgl.8.bin: cannot write: Not a directory', self.err)
        lines = self.lines(os.path.join(self.folder, 'r.jsonl'))
        self.assertEqual([line['cause'] for line in lines], ['ok', 'cannot_write', 'cannot_write', 'ok'])
        self.assertTrue(os.path.isfile(os.path.join(self.folder, 'out', 'c.tgl.8.bin')))

    def test_manifest(self):
        shutil.copy(SAXPY, os.path.join(self.folder, 'a.comp'))
        rows = [{'file': 'a.comp'}, {'file': 'a.comp', 'widths': [8], 'licence': 'any'},
                {'file': 'a.comp', 'widths': [16], 'name': 'wide', 'stage': 'comp'}]
        manifest = self.file('m.jsonl', '\n'.join(json.dumps(row) for row in rows))
        self.kiln('batch', '--target=tgl', '--manifest=' + manifest, '--jsonl=r.jsonl', '-o', 'out')
        widths = [[v['width'] for v in line['variants']]
                  for line in self.lines(os.path.join(self.folder, 'r.jsonl'))]
        self.assertEqual(widths[1:], [[8], [16]])
        files = []
        for _, _, names in os.walk(os.path.join(self.folder, 'out')):
            files += names
        self.assertIn('wide.tgl.16.bin', files)
        self.assertIn('a.comp~2.tgl.8.launch.json', files)
        bad = self.file('bad.jsonl', '{"file": "a.comp"}\n{"file": "a.comp", "widths": [3]}\n')
        self.fails(2, r"bad\.jsonl:2: '3' is not a dispatch width", 'batch', '--target=tgl',
                   '--manifest=' + bad)
        bad = self.file('bad.jsonl', '{"file": "a.comp", "targets": ["tgll"]}')
        self.fails(2, r'did you mean tgl', 'batch', '--target=tgl', '--manifest=' + bad)

    def test_permutations_are_told_apart_and_compared_each(self):
        with open(SAXPY) as file:
            text = file.read()
        self.file('uber.comp', re.sub(r'(?m)^#version.*$', r'\g<0>\n#ifndef N\n#define N 1\n#endif\n'
                                      'layout(constant_id = 3) const uint extra = N;', text))
        rows = [{'file': 'uber.comp', 'name': 'uber/%d' % n, 'defines': ['N=%d' % n],
                 'spec': ['3=uint:%d' % n]} for n in range(20)]
        rows += [{'file': 'uber.comp', 'defines': ['N=99']}, {'file': 'uber.comp', 'subgroup_size': 16}]
        manifest = self.file('m.jsonl', '\n'.join(json.dumps(row) for row in rows))
        for name in ('before.jsonl', 'after.jsonl'):
            self.kiln('batch', '--target=tgl', '--manifest=' + manifest, '--jsonl=' + name)
        lines = self.lines(os.path.join(self.folder, 'after.jsonl'))
        for line, row in zip(lines, rows):
            self.assertEqual({key: line.get(key) for key in ('name', 'defines', 'spec', 'subgroup_size')},
                             {key: row.get(key) for key in ('name', 'defines', 'spec', 'subgroup_size')})
            self.assertRegex(line['version'], r'^\d+\.\d+\.\d+$')
            self.assertGreater(line['code_generation'], 0)
        report = json.loads(self.kiln('report', '--json', 'before.jsonl', 'after.jsonl'))
        self.assertEqual(report['results_before'], len(rows))
        self.assertEqual(report['compared'], sum(len(line['variants']) for line in lines))
        self.assertNotIn('twice', self.err)

    def test_keys_of_manifests_that_are_no_options(self):
        shutil.copy(SAXPY, os.path.join(self.folder, 'a.comp'))
        batch = ['batch', '--target=tgl', '--manifest=m.jsonl']
        for keys, said in (({'target': ['tgl']}, 'did you mean "targets"'),
                           ({'view_mask': 3}, 'in the form of --state=FILE.json'),
                           ({'vert': 'a.vert'}, 'write "vertex"'),
                           ({'jobs': 3}, 'give --jobs on the command line')):
            self.file('m.jsonl', '{"file": "a.comp"}\n' + json.dumps({'file': 'a.comp', **keys}))
            self.fails(2, r'm\.jsonl:2: "%s" is not a key of a manifest; .*%s'
                       % (list(keys)[0], re.escape(said)), *batch)
        self.file('m.jsonl', '\n'.join(json.dumps({'file': 'a.comp', 'licence': 'MIT', 'sha256': 'x'})
                                       for _ in range(3)))
        self.kiln(*batch)
        self.assertEqual(self.err.count('these keys are unknown here and ignored: licence, sha256'), 1)
        self.fails(2, 'these keys are unknown here: licence, sha256', *batch, '--strict')
        many = {'own_%03d' % n: n for n in range(100)}
        self.file('m.jsonl', json.dumps({'file': 'a.comp', 'k' * 5000: 1, **many}))
        self.kiln(*batch)
        self.assertRegex(self.err, 'own_018 and 81 more')
        self.assertLess(len(self.err), 2000)

    def test_lists_that_name_no_file(self):
        self.file('empty', '\n')
        for flag in ('--manifest=empty', '--list=empty'):
            self.fails(2, 'there is nothing to compile: %s lists no file' % flag, 'batch',
                       '--target=tgl', flag)

    def test_a_folder_of_includes_that_is_not_there_is_said(self):
        for command in ('batch', 'compile'):
            self.kiln(command, '--target=tgl', '-I', '/nonexist', SAXPY)
            self.assertIn('-I /nonexist: there is no such folder; no include will be found in it', self.err)

    def test_files_of_other_languages(self):
        for name, contents, said in (('a.dxil', 'x', 'is a DirectX container'),
                                     ('a.wgsl', '@compute', 'is WGSL'),
                                     ('a.foz', b'\x81FOSSILIZEDB', 'is a Fossilize capture')):
            self.file(name, contents)
            self.fails(2, said, 'compile', '--target=tgl', name)
            self.kiln('batch', '--target=tgl', name, expect=1)
            self.assertIn(said, self.err)

    def test_names_that_no_file_can_have(self):
        shutil.copy(SAXPY, os.path.join(self.folder, 'a.comp'))
        names = ['a\0b', 'a\nb', '\x1b[31m', 'x' * 5000, 'x' * 201, 'good', 'd/' * 600, '../' * 9 + 'up']
        manifest = self.file('m.jsonl', ''.join(
            json.dumps({'file': 'a.comp', 'name': name}) + '\n' for name in names))
        batch = ['batch', '--target=tgl', '--manifest=' + manifest, '--jsonl=r.jsonl', '-o', 'out']
        for where in ([], ['--local']):
            self.kiln(*batch, *where, expect=1)
            lines = self.lines(os.path.join(self.folder, 'r.jsonl'))
            self.assertEqual([line['status'] == 'ok' for line in lines],
                             [False] * 5 + [True, False, True])
            files = [os.path.join(d, f) for d, _, fs in os.walk(os.path.join(self.folder, 'out'))
                     for f in fs if f.endswith('.8.bin')]
            self.assertEqual(sorted(os.path.basename(f) for f in files),
                             ['good.tgl.8.bin', 'up.tgl.8.bin'])
        # Without outputs their names do not matter.
        self.kiln(*batch[:-2], expect=0)

    def test_entry_points_are_items(self):
        module = several_entry_points((5, 'blur'), (0, 'main'), (4, 'main'), (5, 'scan'))
        self.file('in/lib.spv', module)
        batch = ['batch', '--target=tgl', '--root=in', '--jsonl=r.jsonl']
        path = os.path.join(self.folder, 'r.jsonl')
        for where in ([], ['--local']):
            self.kiln(*batch, *where, '-o', 'out')
            self.assertEqual([(l['file'], l['entry'], l['stage'], l['status'], l['cause'])
                              for l in self.lines(path)],
                             [('lib.spv', 'blur', 'compute', 'ok', 'ok'),
                              ('lib.spv', 'main', 'vertex', 'ok', 'ok'),
                              ('lib.spv', 'main', 'fragment', 'ok', 'ok'),
                              ('lib.spv', 'scan', 'compute', 'ok', 'ok')])
        self.assertIn('lib.spv.scan.tgl.8.bin', os.listdir(os.path.join(self.folder, 'out')))
        os.rename(path, os.path.join(self.folder, 'all.jsonl'))
        self.kiln(*batch, '--entry=scan')
        self.assertEqual([(l['entry'], l['status']) for l in self.lines(path)], [('scan', 'ok')])
        self.kiln(*batch, '--stage=comp')
        self.assertEqual([l['entry'] for l in self.lines(path)], ['blur', 'scan'])
        report = json.loads(self.kiln('report', '--json', 'all.jsonl', 'r.jsonl'))
        self.assertEqual((report['compared'], report['only_before'], report['only_after']), (4, 2, 0))
        manifest = self.file('in/m.jsonl', '{"file": "lib.spv", "entry": "blur"}')
        self.kiln(*batch, '--manifest=' + manifest)
        self.assertEqual([l['entry'] for l in self.lines(path)], ['blur'])
        # One entry point at a time; the message names those that there are.
        self.fails(1, r'several compute entry points.*"blur".*"scan"', 'compile', '--target=tgl',
                   'in/lib.spv')
        line = self.line(self.kiln('compile', '--target=tgl', '--json', '--entry=blur', 'in/lib.spv'))
        self.assertEqual((line['entry'], line['status']), ('blur', 'ok'))

    def test_usage(self):
        self.fails(2, 'there is nothing to compile: give files or folders', 'batch', '--target=tgl')
        self.fails(2, 'nowhere: there is no such file or folder', 'batch', '--target=tgl', 'nowhere')
        self.fails(2, '--root=nowhere: there is no such folder', 'batch', '--target=tgl',
                   '--root=nowhere')
        self.fails(2, 'there is nothing to compile', 'batch', '--target=tgl', self.folder)
        self.fails(2, '--list: nowhere: there is no such file', 'batch', '--target=tgl',
                   '--list=nowhere')
        self.fails(2, '--jobs=0', 'batch', '--target=tgl', '--jobs=0', SHADERS)

    def test_disabled_pass_changes_the_key(self):
        keys = {self.line(self.kiln('batch', '--target=tgl', '--jsonl=-', *flags, SAXPY))['key']
                for flags in ([], ['--disable-pass=simplify'])}
        self.assertEqual(len(keys), 2)

    def test_interrupted(self):
        listed = self.file('list', (SAXPY + '\n') * 20000)
        process = subprocess.Popen(
            [KILN, 'batch', '--local', '--target=tgl', '--jobs=2', '--list=' + listed,
             '--jsonl=r.jsonl', '--json'],
            cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        path = os.path.join(self.folder, 'r.jsonl')
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if os.path.exists(path) and os.path.getsize(path) > 0:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        lines = self.lines(path)
        self.assertGreater(len(lines), 0)
        self.assertLess(len(lines), 20000)
        self.assertTrue(all(line['status'] == 'ok' for line in lines))
        summary = json.loads(out)
        self.assertEqual((summary['interrupted'], summary['results']), (True, len(lines)))
        self.assertIn(b'interrupted after', err)

    def test_interrupted_while_it_waits_for_input(self):
        for command in (['disasm', '--target=tgl', '-'], ['compile', '--target=tgl', '-'],
                        ['batch', '--target=tgl', '--list=-']):
            process = subprocess.Popen([KILN, *command], env=self.environment(), cwd=self.folder,
                                       stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(10), 130, command)
            process.stdin.close()

    def long_batch(self, daemon, *flags):
        """A batch of 200,000 files that has begun to write results."""
        listed = self.file('list', (SAXPY + '\n') * 200000)
        path = self.file('r.jsonl', '')
        process = subprocess.Popen(
            [KILN, 'batch', '--server=' + daemon.address, '--target=tgl', '--cache=bypass',
             '--list=' + listed, '--jsonl=r.jsonl', *flags],
            cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not (os.path.exists(path) and os.path.getsize(path) > 0) and process.poll() is None:
            time.sleep(0.05)
        return process, path

    def test_daemon_dies(self):
        for signal_sent in (signal.SIGKILL, signal.SIGTERM):
            daemon = Daemon()
            process, path = self.long_batch(daemon, '--patience=1.5')
            daemon.process.send_signal(signal_sent)
            daemon.process.wait()
            daemon.process.stderr.close()
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 3, err)
            self.assertGreater(len(self.lines(path)), 0)
            self.assertIn(b' does not answer (', err)
            self.assertRegex(err, rb'has not answered for 1\.5 s \(.*[Rr]un it again .*--patience=SECONDS')
            self.assertRegex(out, rb'(?m)^\d+ modules, ')

    def test_interrupted_while_the_daemon_is_away(self):
        daemon = Daemon()
        process, path = self.long_batch(daemon)
        daemon.process.kill()
        daemon.process.wait()
        daemon.process.stderr.close()
        self.assertIn(b'does not answer', process.stderr.readline())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)
        self.assertGreater(len(self.lines(path)), 0)

    def away_and_back(self, leave, stays=1.5):
        """Three batches, over one daemon that leaves in the middle of the first and comes back."""
        daemon = Daemon()
        shaders = [self.file('s%d.comp' % i, '#version 450\nlayout(binding = 0) buffer B { uint v[]; };\n'
                             'void main() { v[%d] = v[%d] * %du; }\n' % (i, i + 1, i + 3))
                   for i in range(1500)]
        listed = self.file('list', '\n'.join(shaders))
        flags = ['batch', '--server=' + daemon.address, '--target=tgl', '--list=' + listed, '--patience=60']
        process = subprocess.Popen([KILN, *flags, '--jsonl=r.jsonl', '--json'], cwd=self.folder,
                                   env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        path = os.path.join(self.folder, 'r.jsonl')
        while not os.path.exists(path) or os.path.getsize(path) == 0:
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        leave(daemon)
        before = [line['file'] for line in self.lines(path)]
        time.sleep(stays)
        daemon.start()
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, err)
        lines = self.lines(path)
        self.assertEqual([line['file'] for line in lines], shaders)
        self.assertEqual({line['status'] for line in lines}, {'ok'})
        self.assertRegex(err.decode(), r'kiln: 127\.0\.0\.1:\d+ does not answer \(.*\); waiting for it, '
                         r'up to 60 s \(--patience\)\n(?s:.*)kiln: 127.* answers again after 0:0\d')
        # Items written before the daemon left are in its cache: an acknowledged result is stored.
        again = self.file('again', '\n'.join(before))
        text = self.kiln('batch', '--server=' + daemon.address, '--target=tgl', '--list=' + again)
        self.assertNotIn('miss', text)
        daemon.stop()

    def test_a_daemon_killed_and_back(self):
        def kill(daemon):
            daemon.process.kill()
            daemon.process.wait()
            daemon.process.stderr.close()
        self.away_and_back(kill)

    def test_a_daemon_upgraded(self):
        self.away_and_back(Daemon.stop)

    def test_patience(self):
        self.fails(2, '--patience is for a daemon', 'batch', '--local', '--patience=3', '--target=tgl', SAXPY)
        self.fails(2, '--patience=-1: must be a time in seconds', 'batch', '--patience=-1', '--target=tgl', SAXPY)
        # At the start a command waits only with --patience, and says so; an interrupt ends the wait
        # as well.
        with socket.socket() as s:
            s.bind(('127.0.0.1', 0))
            server = '--server=127.0.0.1:%d' % s.getsockname()[1]
        for command in ('compile', 'batch'):
            self.fails(3, 'does not answer(?s:.*)no kilnd answers', command, server, '--patience=1.5',
                       '--target=tgl', SAXPY)
            process = subprocess.Popen([KILN, command, server, '--patience=60', '--target=tgl', SAXPY],
                                       env=self.environment(), stderr=subprocess.PIPE)
            self.assertIn(b'up to 60 s', process.stderr.readline())
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(10), 130)
            process.stderr.close()
