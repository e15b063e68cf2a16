"""Finding a daemon: which one answers, or that none does."""

import json
import socket
import time

from fixture import SAXPY, Cli


class Reach(Cli):
    def free_port(self):
        with socket.socket() as s:
            s.bind(('127.0.0.1', 0))
            return s.getsockname()[1]

    def test_no_daemon_answers(self):
        server = '--server=127.0.0.1:%d' % self.free_port()
        for command in (['compile', '--target=tgl', SAXPY], ['batch', '--target=tgl', SAXPY],
                        ['targets'], ['health']):
            start = time.monotonic()
            self.fails(3, r'no kilnd answers on 127\.0\.0\.1:\d+.*--local', *command, server)
            self.assertLess(time.monotonic() - start, 10)

    def test_bad_addresses(self):
        for bad in ('localhost', 'host:99999', ':1', 'http://x:1', 'host:port'):
            self.fails(2, 'must be HOST:PORT', 'health', '--server=' + bad)

    def test_not_a_kilnd(self):
        with socket.socket() as other:
            other.bind(('127.0.0.1', 0))
            other.listen()
            self.fails(3, 'no kilnd answers', 'health',
                       '--server=127.0.0.1:%d' % other.getsockname()[1])

    def test_health_and_targets(self):
        self.assertIn('serving', self.kiln('health'))
        health = json.loads(self.kiln('health', '--json'))
        self.assertEqual({s['service']: s['status'] for s in health['services']},
                         {'': 'serving', 'kiln.v1.Compiler': 'serving'})
        self.assertIn('locked in by', health['services'][1]['detail'])
        self.assertIn('seccomp', health['services'][1]['detail'])
        self.assertRegex(self.kiln('targets', '--passes'), r'(?s)tgl +\d+ .*stages:.*optional')
        self.assertRegex(self.kiln('targets', '--statistics'),
                         r'(?s)statistics of tgl\nname .*\nbytes +bytes +lower +The size of the machine code\.\n')
        for where in ([], ['--local']):
            targets = json.loads(self.kiln('targets', '--json', *where))
            self.assertEqual(targets['targets'][0]['name'], 'tgl')
            self.assertIn('compute', targets['stages'])
            self.assertGreater(len(targets['passes']), 5)
            self.assertEqual(targets['sandbox']['seccomp'], 1)
            self.assertIn('landlock', targets['sandbox'])
        self.assertEqual(json.loads(self.kiln('health', '--local', '--json'))['services'][0]['status'],
                         'serving')
