"""The kiln command end to end: through a kilnd of its own and with --local.

    cli_test.py [MODULE.CLASS[.TEST]...]        batch_cases.Batch.test_folder

Run by Bazel from the root of the runfiles. Every test starts the real programs; the daemon is shared
by a class and has a new cache. Results go to $XML_OUTPUT_FILE, one case per test. Where Bazel runs
several processes of it (shard_count), they share the modules.
"""

import importlib
import os
import re
import shutil
import sys
import unittest
import xml.etree.ElementTree as ElementTree

from fixture import SCRATCH

# The longest first, so that shards take about as long as each other.
CASES = ['batch_cases', 'output_cases', 'schema_cases', 'run_cases',
         'hlsl_cases', 'compile_cases', 'export_cases', 'files_cases',
         'reach_cases', 'pair_cases', 'manual_cases', 'readme_cases',
         'machine_code_cases', 'permutation_cases', 'trace_cases']


class Report(unittest.TextTestResult):
    """Also collects XML cases."""

    def startTestRun(self):
        self.suite = ElementTree.Element('testsuite', name='cli_test')

    def case(self, test, tag=None, message=''):
        case = ElementTree.SubElement(self.suite, 'testcase', classname=type(test).__name__,
                                      name=getattr(test, '_testMethodName', str(test)))
        if tag:
            ElementTree.SubElement(case, tag, message=message)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.case(test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.case(test, 'failure', str(err[1])[:2000].encode('ascii', 'replace').decode())

    def addError(self, test, err):
        super().addError(test, err)
        self.case(test, 'error', str(err[1])[:2000].encode('ascii', 'replace').decode())

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.case(test, 'failure', str(err[1])[:2000].encode('ascii', 'replace').decode())

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.case(test, 'skipped', reason)


def of_this_shard(names):
    """Those that this process runs; Bazel's variables say which of how many processes it is."""
    status = os.environ.get('TEST_SHARD_STATUS_FILE')
    if status:   # Tells Bazel that the test shares its work.
        with open(status, 'w', encoding='utf-8'):
            pass
    first, step = os.environ.get('TEST_SHARD_INDEX', '0'), os.environ.get('TEST_TOTAL_SHARDS', '1')
    return names[int(first)::int(step)]


def main():
    runner = unittest.TextTestRunner(resultclass=Report, verbosity=2)
    loader = unittest.TestLoader()
    if sys.argv[1:]:
        suite = loader.loadTestsFromNames(of_this_shard(sys.argv[1:]))
    else:
        modules = [importlib.import_module(name) for name in of_this_shard(CASES)]
        suite = unittest.TestSuite(loader.loadTestsFromModule(module) for module in modules)
    result = runner.run(suite)
    xml = os.environ.get('XML_OUTPUT_FILE')
    if xml:
        root = ElementTree.Element('testsuites')
        root.append(result.suite)
        text = ElementTree.tostring(root, encoding='unicode')
        with open(xml, 'w') as file:
            file.write(re.sub(r'[^\t\n\x20-\ud7ff\ue000-\ufffd]', '?', text))
    shutil.rmtree(SCRATCH, ignore_errors=True)
    return 0 if result.wasSuccessful() else 1


if __name__ == '__main__':
    sys.exit(main())
