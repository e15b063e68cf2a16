"""Tests count_results.py: it must miss no failure."""

import os
import tempfile
import unittest

import count_results

GOOGLETEST = '''<?xml version="1.0"?><testsuites><testsuite name="S">
<testcase name="Good" status="run" result="completed" classname="S" />
<testcase name="Bad" status="run" result="completed" classname="S"><failure message="x"/></testcase>
<testcase name="Skip" status="run" result="skipped" classname="S"><skipped message="no
tool"/></testcase>
<testcase name="DISABLED_Off" status="notrun" result="suppressed" classname="S" />
<testcase name="Filtered" status="notrun" result="suppressed" classname="S" />
</testsuite></testsuites>'''
ONE_GOOD = '<testsuites><testsuite name="t"><testcase name="t" status="run"/></testsuite></testsuites>'
ONE_ERROR = ('<testsuites><testsuite name="t"><testcase name="t" status="run">'
             '<error message="exited with error code 139"/></testcase></testsuite></testsuites>')


class CountResultsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.files = 0

    def result(self, label, status, xml, **identity):
        outputs = []
        if xml is not None:
            self.files += 1
            path = os.path.join(self.folder.name, 'report %d.xml' % self.files)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(xml)
            outputs = [{'name': 'test.log', 'uri': 'file:///nowhere'},
                       {'name': 'test.xml', 'uri': 'file://' + path.replace(' ', '%20')}]
        return {'id': {'testResult': dict(label=label, **identity)},
                'testResult': {'status': status, 'testActionOutput': outputs}}

    def counts(self, *events):
        results = count_results.collect(events)
        return results.passed, len(results.failed), len(results.skipped)

    def test_cases_of_a_report(self):
        self.assertEqual(self.counts(self.result('//a', 'FAILED', GOOGLETEST)), (1, 1, 2))

    def test_crash_with_bazels_report(self):
        self.assertEqual(self.counts(self.result('//a', 'FAILED', ONE_ERROR)), (0, 1, 0))

    def test_failure_that_the_report_does_not_show(self):
        self.assertEqual(self.counts(self.result('//a', 'FAILED', ONE_GOOD)), (1, 1, 0))
        self.assertEqual(self.counts(self.result('//a', 'TIMEOUT', None)), (0, 1, 0))

    def test_passed_without_a_report_is_no_pass(self):
        self.assertEqual(self.counts(self.result('//a', 'PASSED', None)), (0, 1, 0))
        self.assertEqual(self.counts(self.result('//a', 'PASSED', '<broken')), (0, 1, 0))

    def test_shards_add_and_attempts_replace(self):
        self.assertEqual(
            self.counts(self.result('//a', 'PASSED', ONE_GOOD, shard=1),
                        self.result('//a', 'PASSED', ONE_GOOD, shard=2),
                        self.result('//b', 'FAILED', ONE_ERROR, attempt=1),
                        self.result('//b', 'PASSED', ONE_GOOD, attempt=2)), (3, 0, 0))

    def test_target_that_does_not_build(self):
        unbuilt = {'id': {'targetCompleted': {'label': '//a'}}, 'completed': {}}
        aborted = {'id': {'configuredLabel': {'label': '//b'}},
                   'aborted': {'reason': 'ANALYSIS_FAILURE'}}
        built = {'id': {'targetCompleted': {'label': '//c'}}, 'completed': {'success': True}}
        self.assertEqual(self.counts(unbuilt, aborted, built), (0, 2, 0))

    def test_failed_test_target_counts_once(self):
        completed = {'id': {'targetCompleted': {'label': '//a'}}, 'completed': {'success': True}}
        self.assertEqual(self.counts(completed, self.result('//a', 'FAILED', ONE_ERROR)), (0, 1, 0))


if __name__ == '__main__':
    unittest.main(verbosity=2)
