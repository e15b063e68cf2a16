"""Counts test cases from Bazel's build event file.

Usage: count_results.py [--bazel-status=N] EVENTS.json

Prints failed and skipped cases, then one last line `N passed, N failed[, N skipped]`. Exits with
1 if anything failed or nothing passed.

Cases come from each test's XML report: GoogleTest writes one with every case; for other tests Bazel
writes one with a single case, unless they write $XML_OUTPUT_FILE themselves (the way to report a
`<skipped message="why"/>`). A target counts as one more failure when
  * it or something it needs did not build,
  * it failed though its report shows no failed case (crash, timeout, leak at exit, no report).
So a failure can be counted once too often but never be missed.
"""

import argparse
import json
import sys
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree


class Results:
    def __init__(self):
        self.passed = 0
        self.failed = []   # descriptions
        self.skipped = []  # descriptions

    def add_report(self, target, path):
        """Adds the cases of one XML report; returns how many failed, or None if unreadable."""
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError):
            return None
        failed = 0
        for case in root.iter('testcase'):
            name = target + ' ' + '.'.join(
                part for part in (case.get('classname'), case.get('name')) if part)
            skip = case.find('skipped')
            if case.find('failure') is not None or case.find('error') is not None:
                self.failed.append(name)
                failed += 1
            elif skip is not None or case.get('result') == 'skipped':
                reason = (skip.get('message') or '') if skip is not None else ''
                self.skipped.append(name + (': ' + ' '.join(reason.split()) if reason else ''))
            elif case.get('status') == 'notrun':
                # Disabled, or left out by --test_filter.
                if case.get('result') == 'suppressed' and 'DISABLED_' in name:
                    self.skipped.append(name + ': disabled')
            else:
                self.passed += 1
        return failed


def local_path(uri):
    return urllib.request.url2pathname(urllib.parse.urlparse(uri).path)


def read_events(path):
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def add_test_result(results, label, event):
    """One attempt of one shard of one target."""
    status = event.get('status')
    reports = [output['uri'] for output in event.get('testActionOutput', [])
               if output['name'] == 'test.xml' and output.get('uri', '').startswith('file:')]
    failed = results.add_report(label, local_path(reports[0])) if reports else None
    if status == 'PASSED':
        if failed is None:
            results.failed.append(label + ': passed, but its report cannot be read')
    elif status == 'FLAKY' or not failed:
        results.failed.append('%s: %s' % (label, (status or 'no status').lower()))


def collect(events):
    results = Results()
    last_attempt = {}  # (label, run, shard) -> event: earlier attempts do not count
    unbuilt = {}       # label -> reason; insertion order is Bazel's
    for event in events:
        identity = event.get('id', {})
        if 'testResult' in event:
            key = identity['testResult']
            last_attempt[key['label'], key.get('run', 1), key.get('shard', 1)] = event['testResult']
        elif 'targetCompleted' in identity:
            if not event.get('completed', {}).get('success') and 'aborted' not in event:
                unbuilt[identity['targetCompleted']['label']] = 'did not build'
        if 'aborted' in event:
            for kind in ('targetCompleted', 'configuredLabel', 'unconfiguredLabel', 'pattern'):
                if kind in identity:
                    key = identity[kind]
                    label = key.get('label') or ' '.join(key.get('pattern', ['?']))
                    reason = event['aborted'].get('reason', 'aborted').lower()
                    unbuilt.setdefault(label, 'not analysed (%s)' % reason)
    for (label, _, _), event in last_attempt.items():
        add_test_result(results, label, event)
        unbuilt.pop(label, None)
    results.failed += ['%s: %s' % item for item in unbuilt.items()]
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bazel-status', type=int, default=0)
    parser.add_argument('events')
    arguments = parser.parse_args()

    results = collect(read_events(arguments.events))
    if arguments.bazel_status and not results.failed:
        results.failed.append('bazel: exit status %d' % arguments.bazel_status)
    for title, names in (('skipped', results.skipped), ('FAILED', results.failed)):
        for name in names:
            print('%s: %s' % (title, name))
    line = '%d passed, %d failed' % (results.passed, len(results.failed))
    if results.skipped:
        line += ', %d skipped' % len(results.skipped)
    print(line)
    return 1 if results.failed or not results.passed else 0


if __name__ == '__main__':
    sys.exit(main())
