"""kiln man, kilnd --man, the committed references, and completion as the shells do it."""

import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

from fixture import KILN, KILND, SCRATCH

BIN = os.path.dirname(KILN)
REFERENCES = {'client/REFERENCE.md': [KILN, 'man', '--markdown'], 'server/REFERENCE.md': [KILND, '--markdown']}


def printed(*command, expect=0):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    assert done.returncode == expect, (command, done.returncode, done.stdout)
    return done.stdout.decode()


def needs(program):
    return unittest.skipUnless(shutil.which(program), '%s is not installed' % program)


def commands():
    return re.findall(r'^  ([a-z]+) ', printed(KILN, '--help').partition('Commands:')[2].partition('\n\n')[0], re.M)


class References(unittest.TestCase):
    def test_they_are_what_the_programs_print(self):
        for path, command in REFERENCES.items():
            with open(path, encoding='utf-8') as file:
                committed = file.read()
            makes_it = 'bazel-bin/%s > %s' % (' '.join([os.path.relpath(command[0]), *command[1:]]), path)
            self.assertEqual(committed, printed(*command), 'stale; at the top of the clone: ' + makes_it)

    def test_they_have_all_that_help_has(self):
        with open('client/REFERENCE.md', encoding='utf-8') as file:
            reference = file.read()
        for command in commands():
            flags = re.findall(r'^  (-.*?)(?:  |$)', printed(KILN, command, '--help').partition('\nFlags:\n')[2], re.M)
            self.assertGreaterEqual(len(flags), 2, command)
            section = reference.partition('\n## kiln %s\n' % command)[2].partition('\n## ')[0]
            for flag in flags:
                self.assertIn('* `%s`: ' % flag.strip(), section, command)


class ManPages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=SCRATCH)
        printed(KILN, 'man', '-o', self.folder)
        with open(os.path.join(self.folder, 'kilnd.8'), 'w', encoding='utf-8') as file:
            file.write(printed(KILND, '--man'))

    def pages(self):
        for name in sorted(os.listdir(self.folder)):
            with open(os.path.join(self.folder, name), encoding='utf-8') as file:
                yield name, file.read()

    def test_one_for_each_command(self):
        names = [name for name, _ in self.pages()]
        self.assertEqual(names, sorted(['kiln.1', 'kilnd.8'] + ['kiln-%s.1' % c for c in commands()]))
        self.assertEqual(printed(KILN, 'man', 'compile'), dict(self.pages())['kiln-compile.1'])
        self.assertEqual(printed(KILN, 'man'), dict(self.pages())['kiln.1'])

    def test_they_are_made_of_requests_that_are_known(self):
        for name, text in self.pages():
            self.assertTrue(text.isascii(), name)
            lines = text.splitlines()
            self.assertTrue(lines[0].startswith('.TH '), name)
            requests = {line.split()[0] for line in lines if line.startswith(('.', "'"))}
            known = {'.TH', '.SH', '.PP', '.TP', '.RS', '.RE', '.nf', '.fi', '.nh', '.ad'}
            self.assertEqual(requests - known, set(), name)
            self.assertEqual(text.count('\n.nf\n'), text.count('\n.fi\n'), name)
            titles = [line[4:] for line in lines if line.startswith('.SH ')]
            self.assertEqual(titles[:3], ['NAME', 'SYNOPSIS', 'DESCRIPTION'], name)
            self.assertEqual(titles[-1], 'SEE ALSO', name)

    @needs('groff')
    def test_groff_has_no_warning(self):
        for name, _ in self.pages():
            done = subprocess.run(['groff', '-man', '-ww', '-z', '-Tutf8', os.path.join(self.folder, name)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
            self.assertEqual((done.stdout, done.returncode), (b'', 0), name)

    @needs('groff')
    def test_what_a_reader_sees(self):
        text = subprocess.run(['groff', '-man', '-Tascii', '-P-c', os.path.join(self.folder, 'kiln-compile.1')],
                              stdout=subprocess.PIPE, timeout=60, check=True).stdout.decode()
        text = re.sub(r'.\x08', '', text)   # overstrikes
        for part in ('kiln-compile - compile a shader', '-t, --target=T[,T...]', 'kiln compile --target=tgl',
                     'SEE ALSO', 'kilnd(8)'):
            self.assertIn(part, text)

    def test_usage(self):
        for arguments, said in ((['compil'], "there is no command 'compil'; did you mean compile?"),
                                (['compile', 'run'], 'takes one command'), (['--json'], 'unknown flag --json'),
                                (['--markdown', 'run'], 'leave out COMMAND and --output')):
            self.assertIn(said, printed(KILN, 'man', *arguments, expect=2))
        self.assertIn('bash, zsh or fish', printed(KILN, 'completion', expect=2))
        self.assertIn("there is no completion for the shell 'csh'", printed(KILN, 'completion', 'csh', expect=2))


class Shell(unittest.TestCase):
    """A folder with files, in which command lines are completed."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(dir=SCRATCH)
        for name in ('blur.comp', 'blue.frag', 'job.json'):
            with open(os.path.join(cls.folder, name), 'w', encoding='utf-8'):
                pass
        os.makedirs(os.path.join(cls.folder, 'blind'))

    def script(self, shell):
        path = os.path.join(self.folder, '.' + shell)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(printed(KILN, 'completion', shell))
        return path


class Bash(Shell):
    def offered(self, *words):
        """Returns what bash offers for the last word; words are split as bash does it, at "=" too."""
        script = ('source "$0" && complete -p kiln && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _kiln'
                  ' && printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(['bash', '--norc', '-c', script, self.script('bash'), *words], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], 'complete -F _kiln kiln')
        return [line for line in lines[1:] if line]

    def test_commands(self):
        self.assertEqual(set(self.offered('kiln', '')), {*commands(), 'help', '--help', '--version'})
        self.assertEqual(self.offered('kiln', 'comp'), ['compile', 'completion'])
        self.assertEqual(set(self.offered('kiln', 'help', '')), set(commands()))
        self.assertEqual(self.offered('kiln', 'man', 'dis'), ['disasm'])

    def test_flags(self):
        for command in commands():
            help_text = printed(KILN, command, '--help').partition('\nFlags:\n')[2].partition('\n\n')[0]
            names = set(re.findall(r'^  (?:-\w, )?(--[a-z0-9-]+)', help_text, re.M))
            names |= set(re.findall(r'^  (-\w)\b', help_text, re.M))
            self.assertEqual({flag.rstrip('=') for flag in self.offered('kiln', command, '-')}, names, command)
        self.assertEqual(self.offered('kiln', 'compile', '--tar'), ['--target='])
        self.assertEqual(self.offered('kiln', 'compile', '--as'), ['--asm'])

    def test_values(self):
        for before in (['--cache', '='], ['--cache']):
            end = [''] if before[-1] != '=' else []
            self.assertEqual(self.offered('kiln', 'batch', *before, *end), ['use', 'refresh', 'bypass'])
            self.assertEqual(self.offered('kiln', 'batch', *before, 're'), ['refresh'])
        self.assertEqual(self.offered('kiln', 'compile', '--color=n'), ['--color=never'])   # "=" is no word break
        self.assertEqual(self.offered('kiln', 'compile', '-t', ''), ['tgl', 'gfx1030'])
        self.assertEqual(self.offered('kiln', 'compile', '--widths', '=', '8,1'), ['8,16'])
        self.assertIn('simplify', self.offered('kiln', 'compile', '--disable-pass', '=', 'simp'))
        self.assertEqual(self.offered('kiln', 'compile', '--timeout', '=', ''), [])
        self.assertEqual(self.offered('kiln', 'compile', '--asm', '=', ''), [])   # it takes no value

    def test_values_that_are_offered_are_taken(self):
        nowhere = ['--server=127.0.0.1:1', '--patience=0', 'x.comp']
        for flag in ('--cache', '--color', '--stage', '--widths', '--subgroup-size', '--disable-pass', '--target'):
            values = self.offered('kiln', 'compile', flag, '=', '')
            self.assertTrue(values, flag)
            for value in values[:20]:
                # The flags are read before the daemon is asked, which is not there.
                target = [] if flag == '--target' else ['--target=tgl']
                command = [KILN, 'compile', *target, '%s=%s' % (flag, value), *nowhere]
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 3, (command, done.stderr))
        wrong = [KILN, 'compile', '--target=tgl', '--cache=no', *nowhere]
        self.assertEqual(subprocess.run(wrong, capture_output=True, timeout=60).returncode, 2)

    def test_files(self):
        everything = ['blind', 'blue.frag', 'blur.comp']
        self.assertEqual(sorted(self.offered('kiln', 'compile', 'bl')), everything)
        self.assertEqual(sorted(self.offered('kiln', 'run', '--buffers', '=', 'j')), ['job.json'])
        self.assertEqual(self.offered('kiln', 'compile', '-o', 'bl'), ['blind'])       # folders alone
        self.assertEqual(self.offered('kiln', 'batch', '--root', '=', 'bl'), ['blind'])
        self.assertEqual(sorted(self.offered('kiln', 'report', '--json', '=', 'bl')), everything)
        self.assertEqual(sorted(self.offered('kiln', 'report', '--json', 'bl')), everything)   # an argument
        self.assertEqual(self.offered('kiln', 'health', 'bl'), [])

    def test_words_of_a_command(self):
        self.assertEqual(self.offered('kiln', 'quarantine', ''), ['list', 'show', 'clear'])
        self.assertEqual(self.offered('kiln', 'quarantine', 'show', ''), [])
        self.assertEqual(self.offered('kiln', 'completion', 'z'), ['zsh'])

    def test_nothing_for_what_is_no_command(self):
        self.assertEqual(self.offered('kiln', 'nothing', '-'), [])
        self.assertEqual(self.offered('kiln', 'nothing', ''), [])


@needs('fish')
class Fish(Shell):
    def offered(self, line):
        done = subprocess.run(
            ['fish', '--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', self.script('fish'), line],
            cwd=self.folder, capture_output=True, text=True, timeout=60,
            env={**os.environ, 'HOME': self.folder, 'PATH': BIN + os.pathsep + os.environ['PATH']})
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return [offer.split('\t')[0] for offer in done.stdout.splitlines()]

    def test_commands_flags_and_values(self):
        self.assertEqual(set(self.offered('kiln ')), {*commands(), 'help'})
        self.assertEqual(self.offered('kiln heal'), ['health'])
        self.assertIn('--target', [flag.rstrip('=') for flag in self.offered('kiln compile --targ')])
        self.assertEqual(self.offered('kiln batch --cache=re'), ['--cache=refresh'])
        self.assertEqual(self.offered('kiln batch --cache re'), ['refresh'])
        self.assertEqual(self.offered('kiln compile --widths 8,1'), ['8,16'])
        self.assertEqual(set(self.offered('kiln quarantine ')), {'list', 'show', 'clear'})
        self.assertEqual(self.offered('kiln help heal'), ['health'])
        self.assertEqual(self.offered('kiln health --asm'), [])   # a flag of another command

    def test_files(self):
        self.assertEqual(sorted(self.offered('kiln compile bl')), ['blind/', 'blue.frag', 'blur.comp'])
        self.assertEqual(self.offered('kiln compile -o bl'), ['blind/'])
        self.assertEqual(self.offered('kiln run --buffers j'), ['job.json'])
        self.assertEqual(self.offered('kiln health bl'), [])


@needs('zsh')
class Zsh(Shell):
    def completed(self, line):
        """The line after the key Tab, at its end if it has none, in a shell on a terminal of its own."""
        setup = os.path.join(self.folder, '.setup')
        with open(setup, 'w', encoding='utf-8') as file:
            file.write('unsetopt beep; autoload -Uz compinit; compinit -u -D; source %s\n'
                       'show() { print -r -- "LINE<$BUFFER>"; }; zle -N show; bindkey "^X" show; PS1="READY "\n'
                       % self.script('zsh'))
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(shutil.which('zsh'), ['zsh', '-f', '-i'],
                      {'PATH': BIN + ':/usr/bin:/bin', 'TERM': 'vt100', 'HOME': self.folder, 'LC_ALL': 'C.UTF-8'})
        try:
            os.write(terminal, ('source %s\n' % setup).encode())
            self.read_until(terminal, '(READY) ')
            os.write(terminal, (line + ('' if '\t' in line else '\t') + '\x18').encode())
            return self.read_until(terminal, 'LINE<(.*)>')
        finally:
            os.close(terminal)
            os.kill(process, 9)
            os.waitpid(process, 0)

    def read_until(self, terminal, pattern):
        """The group of the pattern, as soon as the terminal shows it."""
        text, deadline = '', time.monotonic() + 60
        while time.monotonic() < deadline:
            found = re.search(pattern, text)
            if found:
                return found.group(1)
            if select.select([terminal], [], [], 0.5)[0]:
                text += os.read(terminal, 65536).decode('utf-8', 'replace')
        self.fail('zsh did not answer: ' + text)

    def test_lines(self):
        # The comma after an element of a list goes away with the space.
        for line, whole in (('kiln heal', 'kiln health '), ('kiln compile --targ', 'kiln compile --target='),
                            ('kiln batch --cache=ref', 'kiln batch --cache=refresh '),
                            ('kiln compile -t t\t ', 'kiln compile -t tgl'), ('kiln compile blu', 'kiln compile blu'),
                            ('kiln compile blur', 'kiln compile blur.comp '),
                            ('kiln compile -o bl', 'kiln compile -o blind/'),
                            ('kiln quarantine cl', 'kiln quarantine clear '), ('kiln help heal', 'kiln help health '),
                            ('kiln run --buffers=j', 'kiln run --buffers=job.json ')):
            with self.subTest(line):
                self.assertEqual(self.completed(line).rstrip(), whole.rstrip())
