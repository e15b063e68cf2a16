"""Files that are wrong, damaged, or out of reach."""

import json
import os
import re
import shutil
import subprocess

from fixture import SAXPY, Cli, several_entry_points


class WrongFiles(Cli):
    def test_files_that_cannot_be_read(self):
        self.fails(2, r'none\.spv: there is no such file', 'compile', '--target=tgl', 'none.spv')
        self.fails(2, r'is a folder; `kiln batch`', 'compile', '--target=tgl', '.')
        if os.geteuid() != 0:
            path = self.file('secret.spv', b'x')
            os.chmod(path, 0)
            self.fails(2, r'secret\.spv: Permission denied', 'compile', '--target=tgl', path)

    def invalid(self, path, cause, pattern):
        for where in ([], ['--local']):
            line = self.line(self.kiln('compile', '--target=tgl', '--json', *where, path, expect=1))
            self.assertEqual((line['status'], line['cause']), ('invalid', cause))
            self.assertRegex(line['message'], pattern)
            self.fails(1, re.escape(os.path.basename(path)) + r'.*invalid \(' + cause, 'compile',
                       '--target=tgl', *where, path)

    def test_empty(self):
        self.invalid(self.file('empty.spv', b''), 'empty_file', 'is empty')

    def test_truncated(self):
        self.invalid(self.file('cut.spv', b'\x03\x02\x23\x07abc'), 'truncated_module', 'is truncated')
        module = b'\x03\x02\x23\x07\x00\x00\x01\x00' + b'\0' * 4 + b'\x08\0\0\0' + b'\0' * 4
        self.invalid(self.file('half.spv', module + b'\x11\x00\x02\x00'), 'invalid_module', '.')

    def test_not_spirv(self):
        self.invalid(self.file('text.spv', b'hello, this is text'), 'not_spirv', 'begins with 68656c6c')

    def test_syntax_error_names_file_and_line(self):
        path = self.file('bad.comp', '#version 450\nlayout(local_size_x = 8) in;\n'
                                     'void main() {\n  int x = undeclared;\n}\n')
        self.invalid(path, 'invalid_glsl', r"bad\.comp:4: .*undeclared")

    def test_refusals_behind_the_front_end_name_the_spirv_id(self):
        path = self.file('chosen.comp', """#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 8) in;
layout(push_constant) uniform P { uint which; };
layout(binding = 0) buffer B { uint64_t v[]; } b[4];
void main() { b[0].v[gl_LocalInvocationIndex] = atomicAdd(b[which].v[8], 1ul); }
""")
        line = self.line(self.kiln('compile', '--target=tgl', '--json', path, expect=1))
        self.assertEqual((line['status'], line['cause']), ('refused', 'int64_atomics'))
        self.assertGreater(line['spirv_id'], 0)
        self.assertNotIn('%%%d' % line['spirv_id'], line['message'])  # it has a field
        self.assertIn('64 bits', line['reason']['what'])

    def test_refusals_say_what_why_and_what_to_do(self):
        path = self.file('wide.comp', """#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Particles { double mass[]; };
void main() {
  mass[gl_LocalInvocationIndex] = 1.0lf;
}
""")
        for where in ([], [], ['--local']):  # the second is answered from the cache
            line = self.line(self.kiln('compile', '--target=tgl', '--json', *where, path, expect=1))
            reason = line['reason']
            self.assertEqual((line['status'], line['cause']), ('refused', 'float64'))
            self.assertEqual(reason['sentence'], 'The target has no double precision.')
            self.assertEqual((reason['name'], reason['capability']), ('Particles', 'Float64'))
            self.assertRegex(reason['remedy'], r'32-bit floats.*\.$')
            self.assertNotIn('file', reason)  # GLSL is compiled without lines
            self.fails(1, r'wide\.comp: tgl: refused \(float64\): [a-z].*\[capability Float64\] '
                          r'\(%\d+ "Particles"\)\n  why: The target has no double precision\.\n'
                          r'  what to do: Use 32-bit floats', 'compile', '--target=tgl', *where, path)

    def test_refusals_of_glsl_name_file_and_line(self):
        path = self.file('deep.comp', '#version 450\nvoid main() {\n' + 1024 * '{' + 1024 * '}' + '\n}\n')
        for where in ([], [], ['--local']):
            line = self.line(self.kiln('compile', '--target=tgl', '--json', *where, path, expect=1))
            self.assertEqual((line['status'], line['cause']), ('refused', 'nesting_too_deep'))
            self.assertRegex(line['reason']['file'], r'deep\.comp$')
            self.assertEqual(line['reason']['line'], 3)
            self.fails(1, r'nested GLSL braces: 1025, at most 1024 \([^ ]*deep\.comp:3\)\n', 'compile',
                       '--target=tgl', *where, path)

    def test_no_name_makes_a_line_of_its_own(self):
        forged = 'g\nother.spv: tgl: ok\x85\u2028\u202e\t'
        shown = r'g\\x0aother\.spv: tgl: ok\\xc2\\x85\\xe2\\x80\\xa8\\xe2\\x80\\xae\\x09'
        path = self.file('two.spv', several_entry_points((4, forged), (4, 'f')))
        self.fails(1, r'two\.spv: tgl: invalid \(ambiguous_entry_point\): several fragment entry points; '
                      r'name one with --entry: "%s" "f"\n$' % shown, 'compile', '--target=tgl', path)
        line = self.line(self.kiln('compile', '--target=tgl', '--json', path, expect=1))
        self.assertEqual((line['status'], line['cause']), ('invalid', 'ambiguous_entry_point'))
        # The log has several lines; a shader may give its own names to the files in it.
        path = self.file('line.comp', '#version 450\n#extension GL_GOOGLE_cpp_style_line_directive : require\n'
                                      '#line 7 "other\x1b[2J\x85"\nvoid main() { y = 1; }\n')
        self.kiln('compile', '--target=tgl', path, expect=1)
        first, *more = self.err.splitlines()
        self.assertRegex(first, r"line\.comp: tgl: invalid .*other\\x1b\[2J.*'y' : undeclared identifier")
        self.assertTrue(more and all(text.startswith('    ') for text in more), self.err)
        self.assertNotRegex(self.err, '[\x00-\x09\x0b-\x1f\x7f-\x9f]')

    def test_limits_have_numbers(self):
        path = self.file('many.comp', '#version 450\nlayout(local_size_x = 1024, local_size_y = 2) in;\n'
                                      'void main() {}\n')
        line = self.line(self.kiln('compile', '--target=tgl', '--json', path, expect=1))
        reason = line['reason']
        self.assertEqual((line['cause'], reason['seen'], reason['limit']),
                         ('too_many_invocations', 2048, 1024))
        # A text, which the front end refuses before glslang sees it.
        path = self.file('deep.comp', '#version 450\nvoid main() ' + '{' * 1100 + '}' * 1100 + '\n')
        for where in ([], [], ['--local']):
            line = self.line(self.kiln('compile', '--target=tgl', '--json', *where, path, expect=1))
            self.assertEqual((line['cause'], line['reason']['seen'], line['reason']['limit']),
                             ('nesting_too_deep', 1100, 1024))

    def test_refusals_name_the_line_that_the_module_has(self):
        if shutil.which('glslangValidator') is None:
            self.skipTest('glslangValidator is not installed (glslang-tools)')
        path = self.file('lines.comp', """#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Particles { double mass[]; };
void main() {
  mass[gl_LocalInvocationIndex] = 1.0lf;
}
""")
        for flag in ('-g', '-gV'):
            module = os.path.join(self.folder, 'lines%s.spv' % flag)
            # By its name alone: texts of the module are cut at some 100 bytes.
            subprocess.run(['glslangValidator', flag, '-V', '-o', module, os.path.basename(path)], check=True,
                           stdout=subprocess.DEVNULL, cwd=os.path.dirname(path))
            line = self.line(self.kiln('compile', '--target=tgl', '--json', module, expect=1))
            self.assertEqual((line['cause'], line['reason']['line']), ('float64', 5), flag)
            self.assertRegex(line['reason']['file'], r'lines\.comp$')

    # A list of many failures explains each cause once.
    def test_a_batch_explains_a_cause_once(self):
        for name in ('a.comp', 'b.comp'):
            self.file('many/' + name, '#version 450\nlayout(local_size_x = 1024, local_size_y = 2) in;\n'
                                      'void main() {}\n')
        self.kiln('batch', '--target=tgl', 'many', expect=1)
        self.assertEqual(self.err.count('refused (too_many_invocations): '), 2, self.err)
        self.assertEqual(self.err.count('  why: '), 1, self.err)
        self.assertEqual(self.err.count('  what to do: '), 1, self.err)

    def test_a_failed_translation_has_its_time(self):
        path = self.file('bad.comp', '#version 450\nlayout(local_size_x = 8) in;\nvoid main() { oops }\n')
        for where in ([], [], ['--local']):  # The second answer comes from the cache.
            line = self.line(self.kiln('compile', '--target=tgl', '--json', *where, path, expect=1))
            self.assertEqual((line['status'], line['cause']), ('invalid', 'invalid_glsl'))
            self.assertGreater(line['compile_ms'], 0)
            self.assertIn('translate_glsl', [p['name'] for p in line['passes']])

    def test_refusals_of_a_launch_name_the_spirv_id(self):
        head = '#version 450\nlayout(local_size_x = 8) in;\n'
        buffers = ''.join('layout(binding = %d) buffer B%d { uint v%d; };\n' % (i, i, i)
                          for i in range(241))
        sources = {
            'too_many_invocations': '#version 450\n'
                'layout(local_size_x = 1024, local_size_y = 2) in;\nvoid main() {}\n',
            'shared_memory_too_large': head + 'shared uint s[20000];\nlayout(binding = 0) buffer B '
                '{ uint v; };\nvoid main() { s[v] = 1; barrier(); v = s[v + 1]; }\n',
            'too_many_descriptors': head + buffers + 'void main() { %s }\n' % ' '.join(
                'v%d = 1;' % i for i in range(241)),
            'push_constants_too_large': head + 'layout(push_constant) uniform P { uint p[600]; };\n'
                'layout(binding = 0) buffer B { uint v; };\nvoid main() { v = %s; }\n' % ' + '.join(
                    'p[%d]' % i for i in range(0, 600, 7)),
        }
        for cause, source in sources.items():
            path = self.file(cause + '.comp', source)
            line = self.line(self.kiln('compile', '--target=tgl', '--json', path, expect=1))
            self.assertEqual((line['status'], line['cause']), ('refused', cause))
            self.assertGreater(line.get('spirv_id', 0), 0, line)

    # Starting glslang takes 0.1 s, once for each #version that a worker meets.
    def test_the_start_of_glslang_is_no_compile_time(self):
        files = ['a.comp', 'b.comp', 'c.comp', 'd.comp']
        for name, version in zip(files, (450, 450, 460, 460)):
            self.file(name, '// x\n#version %d\nlayout(local_size_x = 8) in;\n'
                            'layout(binding = 0) buffer B { uint %s; };\nvoid main() { %s = 1; }\n'
                      % (version, name[0], name[0]))
        self.kiln('batch', '--local', '--target=tgl', '--jobs=1', '--jsonl=-', *files)
        lines = [json.loads(line) for line in self.out.splitlines()]
        starts = [[p['us'] for p in line['passes'] if p['name'] == 'start_glslang'] for line in lines]
        self.assertEqual([len(s) for s in starts], [1, 0, 1, 0])
        for i in (0, 2):
            # Without the start, the first text takes as long as a second one; measured: 20 and more
            # times less.
            self.assertLess(lines[i]['compile_ms'] * 1000, starts[i][0])

    def test_huge(self):
        path = self.file('huge.spv', b'')
        os.truncate(path, 1 << 33)
        self.invalid(path, 'too_large', 'larger than')

    def test_either_byte_order(self):
        if shutil.which('glslangValidator') is None:
            self.skipTest('glslangValidator is not installed (glslang-tools)')
        path = os.path.join(self.folder, 'saxpy.spv')
        subprocess.run(['glslangValidator', '-V', '-o', path, SAXPY], check=True,
                       stdout=subprocess.DEVNULL)
        with open(path, 'rb') as file:
            words = file.read()
        swapped = b''.join(words[i:i + 4][::-1] for i in range(0, len(words), 4))
        lines = [self.line(self.kiln('compile', '--target=tgl', '--json', p))
                 for p in (path, self.file('swapped.spv', swapped))]
        self.assertEqual([line['status'] for line in lines], ['ok', 'ok'])
        self.assertEqual(lines[0]['variants'], lines[1]['variants'])

    def test_unwritable_output(self):
        blocked = self.file('blocked', b'')
        self.fails(2, r'-o .*blocked: cannot write here', 'compile', '--target=tgl', '-o', blocked,
                   SAXPY)
        self.fails(2, r'--jsonl=.*cannot write', 'batch', '--target=tgl',
                   '--jsonl=' + blocked + '/x', SAXPY)

    def test_an_output_without_a_name(self):
        """A script's variable that is not set: without the error, outputs would be lost in silence."""
        for command in ('compile', 'batch'):
            self.fails(2, r'--output is given without a name', command, '--target=tgl', '-o', '', SAXPY)
        for flag in ('jsonl', 'list', 'manifest', 'root'):
            self.fails(2, '--%s is given without a name' % flag, 'batch', '--target=tgl', '--%s=' % flag,
                       SAXPY)
        self.fails(2, r'--html is given without a name', 'report', '--html=', SAXPY, SAXPY)

    def test_disasm(self):
        self.fails(2, '--target is missing; the targets are tgl, gfx1030', 'disasm', SAXPY)
        self.fails(2, 'no such target; the targets are tgl, gfx1030; did you mean tgl', 'disasm', '--target=tg1',
                   SAXPY)
        self.fails(2, 'is empty', 'disasm', '--target=tgl', self.file('empty', b''))
        self.fails(1, 'is it tgl machine code', 'disasm', '--target=tgl',
                   self.file('noise', b'\xff' * 100))


class Elsewhere(Cli):
    """Requests to a daemon on another machine. 0.0.0.0 stands for one here: the client cannot know that it
    is this machine."""

    def setUp(self):
        super().setUp()
        with open(SAXPY, 'rb') as file:
            self.saxpy = file.read()
        self.secret = self.file('secret/s.comp', self.saxpy)
        self.file('lib/lib.h', '// lib\n')
        self.file('src/a.comp', self.saxpy)
        self.file('src/sub/b.comp', self.saxpy)

    def environment(self, **more):
        return super().environment(KILN_SERVER='0.0.0.0:' + self.daemon.address.split(':')[1], **more)

    def batch(self, *arguments, expect):
        """Returns each file's message; empty where the file compiled."""
        self.kiln('batch', '--target=tgl', '--jsonl=-', *arguments, expect=expect)
        lines = [json.loads(line) for line in self.out.splitlines()]
        for line in lines:
            self.assertEqual(line['status'], 'invalid' if 'message' in line else 'ok')
        return {line['file']: line.get('message', '') for line in lines}

    def link(self, to, name):
        os.symlink(to, os.path.join(self.folder, name))

    def test_walked_links_out_of_the_folder(self):
        self.link('../secret/s.comp', 'src/out.comp')
        self.link('sub/b.comp', 'src/in.comp')
        self.link('../secret', 'src/folder')
        said = self.batch('src', expect=1)
        self.assertEqual([name for name in said if said[name]], ['src/out.comp'])
        self.assertEqual(sorted(said), ['src/a.comp', 'src/in.comp', 'src/out.comp',
                                        'src/sub/b.comp'])
        self.assertRegex(said['src/out.comp'],
                         'src/out.comp: leads to .*/secret/s.comp, .*--allow-include-outside')
        self.assertEqual(len(self.batch('--root=src', expect=1)), 4)
        for allowed in ('--allow-include-outside', '-Isecret/'):
            self.assertFalse(any(self.batch(allowed, 'src', expect=0).values()))
        self.kiln('compile', '--target=tgl', 'src/in.comp')
        self.kiln('compile', '--target=tgl', '-I', 'secret', 'src/out.comp')
        self.kiln('compile', '--target=tgl', '-', '--stage=comp', stdin=self.saxpy)
        self.fails(2, 'src/out.comp: leads to', 'compile', '--target=tgl', 'src/out.comp')

    def test_lists_and_manifests_do_not_reach_out(self):
        names = ['a.comp', '../secret/s.comp', self.secret, 'sub/../../secret/s.comp', '-', '/dev/zero']
        manifest = self.file('src/m.jsonl', ''.join(
            json.dumps({'file': name, 'stage': 'comp'}) + '\n' for name in names))
        said = list(self.batch('--manifest=' + manifest, expect=1).values())
        self.assertEqual([bool(text) for text in said], [False] + [True] * (len(said) - 1))
        listed = self.file('src/list', 'src/a.comp\n../none.comp\n' + SAXPY)
        said = self.batch('--list=' + listed, expect=1)
        self.assertEqual(said.pop('src/a.comp'), '')
        self.assertTrue(all(said.values()))
        self.file('src/list', 'a.comp\n../secret/s.comp\n' + self.secret)
        said = self.batch('--root=src', '--list=' + listed, expect=1)
        self.assertEqual([bool(text) for text in said.values()], [False, True, True])
        self.kiln('batch', '--target=tgl', '--root=/', '--list=-', stdin=self.secret.encode())

    def test_include_dirs_of_a_manifest_do_not_reach_out(self):
        self.file('src/i.comp', self.saxpy.replace(
            b'#version 450', b'#version 450\n#extension GL_GOOGLE_include_directive : require\n'
                             b'#include <lib.h>'))
        manifest = self.file('src/m.jsonl', json.dumps({'file': 'i.comp', 'include_dirs': ['../lib']}))
        (text,) = self.batch('--manifest=' + manifest, expect=1).values()
        self.assertRegex(text, 'lib/lib.h: leads to .*/lib/lib.h, outside of .*-I DIR')
        self.batch('--manifest=' + manifest, '-Ilib', expect=0)
        self.batch('--manifest=' + manifest, '--allow-include-outside', expect=0)
        self.batch('--manifest=' + manifest, '--root=src', expect=1)

    def test_what_is_no_file(self):
        os.mkfifo(os.path.join(self.folder, 'src/fifo.comp'))
        self.link('/dev/zero', 'src/zero.comp')
        manifest = self.file('src/m.jsonl', '{"file": "fifo.comp"}\n{"file": "zero.comp"}')
        for here in ((), ('--local',), ('--server=' + self.daemon.address,)):
            said = self.batch('--manifest=' + manifest, *here, expect=1)
            self.assertEqual(len([text for text in said.values() if text]), 2)
