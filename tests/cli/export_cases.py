"""Results for other tools: --junit, --sarif, --depfile (read by ninja and make), --budget."""

import json
import os
import subprocess
import time
import xml.etree.ElementTree

from fixture import KILN, SAXPY, Cli

GOOD = '''#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer B { uint v[]; };
#include "inc/%s.h"
void main() { v[gl_GlobalInvocationID.x] = VALUE; }
'''
BAD = '''#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer B { uint v[]; };
void main() { float f = missing; }
'''
DOUBLE = '''#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer B { double v[]; };
void main() { v[0] *= 2.0lf; }
'''


class Export(Cli):
    def setUp(self):
        super().setUp()
        self.file('s/ok.comp', open(SAXPY).read())
        self.file('s/bad name.comp', BAD)
        self.file('s/double.comp', DOUBLE)

    def text(self, name):
        with open(os.path.join(self.folder, name), encoding='utf-8') as file:
            return file.read()

    def batch(self, *arguments, expect=0):
        return self.kiln('batch', '--target=tgl', *arguments, expect=expect)

    def test_junit(self):
        self.batch('--junit=j.xml', 's', expect=1)
        suites = xml.etree.ElementTree.fromstring(self.text('j.xml'))
        self.assertEqual((suites.tag, suites.get('tests'), suites.get('failures'), suites.get('errors')),
                         ('testsuites', '3', '2', '0'))
        suite, = suites
        self.assertEqual(suite.get('name'), 'kiln.tgl')
        cases = {case.get('classname'): case for case in suite}
        self.assertEqual(sorted(cases), ['s/bad name.comp', 's/double.comp', 's/ok.comp'])
        self.assertEqual(len(cases['s/ok.comp']), 0)
        self.assertGreater(float(cases['s/ok.comp'].get('time')), 0)
        failure, = cases['s/bad name.comp']
        self.assertEqual((failure.tag, failure.get('type'), failure.get('message')),
                         ('failure', 'invalid_glsl', "'missing' : undeclared identifier"))
        failure, = cases['s/double.comp']
        self.assertEqual(failure.get('type'), 'float64')
        self.assertIn('what to do: ', failure.text)

    def test_sarif(self):
        self.batch('--sarif=k.sarif', 's', expect=1)
        log = json.loads(self.text('k.sarif'))
        run, = log['runs']
        self.assertEqual((log['version'], run['tool']['driver']['name']), ('2.1.0', 'kiln'))
        self.assertEqual(run['invocations'], [{'executionSuccessful': True, 'exitCode': 1}])
        bad, double = run['results']
        self.assertEqual((bad['ruleId'], bad['message']['text']),
                         ('invalid_glsl', "'missing' : undeclared identifier"))
        place = bad['locations'][0]['physicalLocation']
        self.assertEqual(place['artifactLocation']['uri'], 's/bad%20name.comp')
        column = BAD.splitlines()[3].index('missing') + 1
        self.assertEqual(place['region'], {'startLine': 4, 'startColumn': column,
                                           'endColumn': column + len('missing')})
        self.assertEqual(double['ruleId'], 'float64')
        for result in run['results']:
            self.assertEqual(run['tool']['driver']['rules'][result['ruleIndex']]['id'], result['ruleId'])

    def test_places_in_includes_and_below_a_root(self):
        self.file('s/inc.comp', GOOD % 'a')
        self.file('s/inc/a.h', '\n#define VALUE 1u\nuint f() { return none; }\n')
        for more in (['s/inc.comp'], ['--root=s', 'inc.comp']):
            self.batch('--sarif=k.sarif', *more, expect=1)
            place = json.loads(self.text('k.sarif'))['runs'][0]['results'][0]['locations'][0]['physicalLocation']
            self.assertEqual(place, {'artifactLocation': {'uri': 's/inc/a.h'},
                                     'region': {'startLine': 3, 'startColumn': 19, 'endColumn': 23}})

    def test_compile_writes_the_same_files(self):
        self.kiln('compile', '--target=tgl', '--sarif=k.sarif', '--junit=j.xml', 's/bad name.comp', expect=1)
        self.assertEqual(json.loads(self.text('k.sarif'))['runs'][0]['results'][0]['ruleId'], 'invalid_glsl')
        self.assertIn('failures="1"', self.text('j.xml'))
        self.kiln('compile', '--target=tgl', '--widths=8', '--junit=j.xml', '-o', '-', 's/ok.comp')
        self.assertIn('tests="1" failures="0"', self.text('j.xml'))

    def test_a_budget_is_a_gate(self):
        line = json.loads(self.kiln('compile', '--target=tgl', '--json', '--widths=8', 's/ok.comp'))
        count = line['variants'][0]['instructions']

        def budget(bound):
            return '--budget=' + self.file('b.json', json.dumps({'rules': [
                {'path': 's', 'widths': [8], 'max': {'instructions': bound}}]}))
        self.batch(budget(count), 's/ok.comp')
        out = self.batch(budget(count - 1), '--junit=j.xml', '--sarif=k.sarif', 's/ok.comp', expect=1)
        self.assertRegex(out, r'(?m)b\.json: 1 over budget$')
        self.assertRegex(out, r'(?m)^  s/ok\.comp \(main\) +tgl +SIMD8 +instructions +%d +<= %d +\+\d+\.\d%% +1$'
                         % (count, count - 1))
        self.assertIn('type="over_budget"', self.text('j.xml'))
        self.assertEqual(json.loads(self.text('k.sarif'))['runs'][0]['results'][0]['ruleId'], 'over_budget')
        summary = json.loads(self.batch(budget(count - 1), '--json', 's/ok.comp', expect=1))
        self.assertEqual(summary['budget'], {'variants': 1, 'over': 1})
        out = self.kiln('compile', '--target=tgl', budget(count - 1), 's/ok.comp', expect=1)
        self.assertIn('1 over budget', out)
        self.kiln('compile', '--target=tgl', '--json', budget(count - 1), 's/ok.comp', expect=1)
        self.assertIn('1 over budget', self.err)
        # A rule that no result fits is named: such a gate cannot fail.
        out = self.batch('--budget=' + self.file('u.json', json.dumps({'rules': [
            {'path': 'other', 'max': {'instructions': 0}}]})), 's/ok.comp')
        self.assertIn('u.json: rule 1 (other) fits no result that is ok', out)

    def test_wrong_flags(self):
        for flags, said in ((['--junit=s/ok.comp'], 'is an input of this command'),
                            (['--junit=x', '--sarif=x'], 'another flag names this file'),
                            (['--depfile=d'], '--depfile-target=NAME'),
                            (['--depfile-target=d'], 'has no effect without --depfile'),
                            (['--budget=none.json'], '--budget: none.json')):
            self.fails(2, said, 'batch', '--target=tgl', *flags, 's/ok.comp')
        self.assertEqual(self.text('s/ok.comp'), open(SAXPY).read())


class Dependencies(Cli):
    """ninja and make read --depfile."""

    def setUp(self):
        super().setUp()
        for name in 'ab':
            self.file('%s one.comp' % name, GOOD % name)
            self.file('inc/%s.h' % name, '#include "common.h"\n#define VALUE %du\n' % ord(name))
        self.file('inc/common.h', '\n')

    def run_tool(self, *command):
        done = subprocess.run(command, cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def change(self, name):
        time.sleep(0.01)
        with open(os.path.join(self.folder, name), 'a', encoding='utf-8') as file:
            file.write('// changed\n')

    def judge(self, *tool):
        """Runs the tool after changes; it has to make again what the change makes stale, and nothing else."""
        for change, made in ((None, 'ab'), (None, ''), ('inc/a.h', 'a'), ('inc/common.h', 'ab'), ('b one.comp', 'b'),
                             (None, '')):
            if change:
                self.change(change)
            said = self.run_tool(*tool)
            self.assertEqual(''.join(name for name in 'ab' if 'making out %s.json' % name in said), made, (change, said))

    def rule(self, name):
        return ("echo making out %s.json && '%s' compile --target=tgl --json --depfile=%s.d "
                "'--depfile-target=out %s.json' '%s one.comp' > 'out %s.json'" % (name, KILN, name, name, name, name))

    def test_ninja(self):
        self.file('build.ninja', 'rule kiln\n  command = $how\n  depfile = $name.d\n' + ''.join(
            'build out$ %s.json: kiln %s$ one.comp\n  name = %s\n  how = %s\n' % (n, n, n, self.rule(n)) for n in 'ab'))
        self.judge('ninja')

    def test_make(self):
        self.file('Makefile', 'all: out\\ a.json out\\ b.json\n' + ''.join(
            'out\\ %s.json: %s\\ one.comp\n\t@%s\n-include %s.d\n' % (n, n, self.rule(n), n) for n in 'ab'))
        self.judge('make')
        # Without the include make goes on, and the shader that has it is compiled again.
        os.remove(os.path.join(self.folder, 'inc/a.h'))
        self.file('a one.comp', (GOOD % 'a').replace('#include "inc/a.h"', '#define VALUE 3u'))
        self.assertIn('making out a.json', self.run_tool('make'))

    def test_a_batch_has_a_rule_for_each_output(self):
        self.kiln('batch', '--target=tgl', '--widths=8', '-o', 'out', '--jsonl=r.jsonl', '--depfile=d', 'a one.comp',
                  'b one.comp')
        with open(os.path.join(self.folder, 'd'), encoding='utf-8') as file:
            text = file.read()
        self.assertEqual(text.splitlines()[:3], [
            'out/a\\ one.comp.tgl.8.bin: a\\ one.comp inc/a.h inc/common.h',
            'out/b\\ one.comp.tgl.8.bin: b\\ one.comp inc/b.h inc/common.h',
            'r.jsonl: a\\ one.comp inc/a.h inc/common.h b\\ one.comp inc/b.h'])
        self.assertIn('\ninc/common.h:\n', text)
        self.file('a*b.comp', open(SAXPY).read())
        self.kiln('batch', '--target=tgl', '--jsonl=r.jsonl', '--depfile=d', 'a*b.comp', expect=2)
        self.assertIn('cannot be written so that both Make and Ninja read it', self.err)
