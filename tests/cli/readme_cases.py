"""README.md and `kiln COMMAND --help` are true: their commands run and print what is shown there.

Commands run in bash, in a folder where tests/ and client/examples lie as in the clone, after tests/shaders
has been compiled once, as deploy/quickstart does. Only times, rates and the daemon's address may differ.
"""

import os
import re
import subprocess

from fixture import KILN, Cli, Daemon

README = os.path.abspath('README.md')
HIP_PAGE = os.path.abspath('client/HIP.md')
DEFAULT_ADDRESS = '127.0.0.1:7411'
# Exit codes of the commands that are shown because they fail.
FAILING = {
    'kiln batch --target=tgl --json --budget=client/examples/budget.json tests/shaders > summary.json': 1,
    'kiln compile --target=tgl client/examples/broken.comp': 1,
    'kiln compile --target=tlg tests/shaders/saxpy.comp': 2,
}


def shown_commands(text):
    """Returns (command, lines shown after it) for each `    $ COMMAND` in an indented block."""
    shown, inside = [], False
    for line in text.splitlines():
        if line.startswith('    $ '):
            shown.append((line[6:], []))
            inside = True
        elif inside and line.startswith('    '):
            shown[-1][1].append(line[4:])
        else:
            inside = False
    return shown


def commands_of_tables(text):
    """Returns the commands that fill a cell of a table."""
    return re.findall(r'^\|.*\| `(kiln [^`]*)` \|', text, re.M)


def examples_of(help_text):
    """Returns the lines of a help text's section "Examples:"."""
    return [line.strip() for line in
            re.search(r'^Examples:\n((?:  .*\n)+)', help_text, re.M).group(1).splitlines()]


def masked(text, address=DEFAULT_ADDRESS):
    """Returns the lines of `text` without times, rates, the daemon's address and trailing spaces."""
    text = text.replace(address, 'ADDRESS')
    text = re.sub(r'\b\d+(\.\d+)? (m?s)\b', r'TIME \2', text)
    text = re.sub(r'\(\d+(\.\d+)?/s\)', '(RATE)', text)
    return [line.rstrip() for line in text.splitlines()]


class AsInTheClone(Cli):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        done = subprocess.run([KILN, 'batch', '--target=tgl,gfx1030', '--server=' + cls.daemon.address, 'tests/shaders'],
                              check=False, capture_output=True, timeout=600)
        assert done.returncode == 0, done.stderr

    def setUp(self):
        super().setUp()
        os.mkdir(os.path.join(self.folder, 'client'))
        for name in ('tests', 'client/examples'):
            os.symlink(os.path.abspath(name), os.path.join(self.folder, name))

    def bash(self, command, **more):
        """Returns the exit code and the output of both streams."""
        path = os.path.dirname(KILN) + os.pathsep + os.environ['PATH']
        done = subprocess.run(['bash', '-o', 'pipefail', '-c', command], cwd=self.folder, timeout=300,
                              env=self.environment(PATH=path, **more), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode()

    def runs(self, command, shown_as=None, **more):
        code, printed = self.bash(command, **more)
        self.assertEqual(code, FAILING.get(shown_as or command, 0), command + '\n' + printed[:4000])
        return printed

    def check_page(self, page, least):
        """Runs the commands that a page shows; there are more than `least`."""
        with open(page) as file:
            shown = shown_commands(file.read())
        self.assertGreater(len(shown), least)
        for command, lines in shown:
            with self.subTest(command):
                got = masked(self.runs(command), self.daemon.address)
                want = masked('\n'.join(lines))
                if want[-1:] == ['...']:  # The rest of the output is not shown.
                    want.pop()
                    self.assertGreater(len(got), len(want), command)
                    got = got[:len(want)]
                self.assertNotIn('...', want)
                self.assertEqual(got, want, command)


class Readme(AsInTheClone):
    def test_commands_print_what_is_shown(self):
        self.check_page(README, 8)

    def test_commands_of_tables_run(self):
        with open(README) as file:
            commands = commands_of_tables(file.read())
        self.assertEqual(len(commands), 3)
        for command in commands:
            with self.subTest(command):
                self.runs(command)


class HipPage(AsInTheClone):
    def test_commands_print_what_is_shown(self):
        self.check_page(HIP_PAGE, 2)

    def test_the_struct_has_the_offsets_of_the_metadata(self):
        """Compiles the page's struct with an assertion for each argument of the kernel."""
        with open(HIP_PAGE) as file:
            struct = re.search(r'^    (struct Arguments \{\n(?:    .*\n)+?    \};)', file.read(), re.M).group(1)
        self.runs('kiln compile --target=gfx1030 --container=amdhsa --widths=32 -o out tests/shaders/saxpy.comp')
        arguments = re.findall(r'^;   at (\d+), (\d+) bytes: (\w+),', self.runs(
            'kiln disasm --target=gfx1030 out/saxpy.comp.gfx1030.32.hsaco'), re.M)
        self.assertEqual([name for _, _, name in arguments],
                         ['push_constants', 'buffer_0_0_0', 'buffer_0_0_0_bytes', 'buffer_0_1_0', 'buffer_0_1_0_bytes'])
        checks = ['static_assert(offsetof(Arguments, %s) == %s && sizeof(Arguments::%s) == %s);' % (name, at, name, size)
                  for at, size, name in arguments]
        self.file('arguments.cc', '#include <cstddef>\n#include <cstdint>\n%s\n%s\n' % (struct, '\n'.join(checks)))
        self.runs('g++ -std=c++17 -fsyntax-only arguments.cc')


class HelpExamples(AsInTheClone):
    def quarantined(self):
        """Returns a daemon with a shader in quarantine, and that shader's key."""
        daemon = Daemon('--quarantine-after=1', '--job-cpu-time=100ms')
        self.addCleanup(daemon.stop)
        slow = ''.join('  a = sin(a * %d.0) + x[i + %d];\n' % (i + 2, i) for i in range(20000))
        path = self.file('slow.comp', '#version 450\nlayout(local_size_x = 8) in;\n'
                                      'layout(binding = 0) buffer X { float x[]; };\nvoid main() {\n'
                                      '  uint i = gl_GlobalInvocationID.x;\n  float a = x[i];\n'
                                      + slow + '  x[i] = a;\n}\n')
        self.kiln('compile', '--target=tgl', '--server=' + daemon.address, path, expect=4)
        key = self.kiln('quarantine', 'list', '--server=' + daemon.address).split()[0]
        self.assertRegex(key, '^[0-9a-f]{64}$')
        return daemon, key

    def test_examples_run(self):
        overview = self.kiln('--help')
        names = re.findall(r'^  (\w+) ', overview[:overview.index('Examples:')], re.M)
        self.assertIn('quarantine', names)
        daemon, key = self.quarantined()
        # Examples run in one folder, in the order of the overview: `kiln report` reads what `kiln
        # batch` wrote.
        for name in ['', *names]:
            server = daemon.address if name == 'quarantine' else self.daemon.address
            examples = examples_of(self.kiln(*filter(None, [name]), '--help'))
            self.assertTrue(examples)
            for example in examples:
                with self.subTest(example):
                    command = example.replace('build-host:7411', server).replace(' KEY ', ' %s ' % key)
                    self.runs(command, example, KILN_SERVER=server)


class Judge(AsInTheClone):
    """The comparison itself: a stale figure is found, a time is not one."""

    def test_only_times_rates_and_the_address_may_differ(self):
        line = 'a.comp  tgl  ok  compiled in 2.68 ms  cache memory  91 (2286/s) on 127.0.0.1:7411'
        other = 'a.comp  tgl  ok  compiled in 13.0 ms  cache memory  91 (76.0/s) on 127.0.0.1:5'
        self.assertEqual(masked(line), masked(other, '127.0.0.1:5'))
        for stale in (line.replace('91', '92'), line.replace('memory', 'disk'), line + ' more'):
            self.assertNotEqual(masked(stale), masked(other, '127.0.0.1:5'))

    def test_a_command_ends_at_the_next_or_with_its_block(self):
        self.assertEqual(shown_commands('    ls\n\n    $ a\n    1\n      2\n    $ b\n\n    3\n'),
                         [('a', ['1', '  2']), ('b', [])])
