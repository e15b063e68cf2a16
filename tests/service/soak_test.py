"""A short soak, and soaks that must fail: wrong bytes, leaks, unexplained errors."""

import os
import shutil
import signal
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import soak_requests  # noqa: E402
import soak_run  # noqa: E402

soak_requests.MODULES = 8

QUIET_LOAD = ["compile", "compile", "look"]


class SoakTest(unittest.TestCase):

    def soak(self, seconds, seed=1):
        """Returns a soak whose findings are expected, and so are not printed."""
        soak = soak_run.Soak(".", seconds, seed, patience=3)
        soak.judge.quiet = True
        self.addCleanup(soak.end)
        return soak

    def found(self, soak, what):
        return [f for f in soak.judge.findings if what in f]

    def test_short_soak_passes(self):
        soak = soak_run.Soak(".", 20, 1)
        self.assertTrue(soak.run(), list(soak.judge.findings))
        for check in ("answers are the first answer", "kiln --local makes the same",
                      "metrics count what clients count",
                      "at rest memory and descriptors are back"):
            self.assertGreater(soak.judge.checks[check], 0, check)

    def test_another_compiler_s_bytes_are_seen(self):
        soak = self.soak(1)
        soak.begin()
        soak.load(1, QUIET_LOAD)
        self.assertEqual(list(soak.judge.findings), [])
        soak.daemon.stop()
        shutil.rmtree(soak.daemon.directory)
        soak.daemon.command.append("--worker-binary=server/worker/testing/fake_worker")
        self.assertTrue(soak.daemon.start())
        soak.load(1, QUIET_LOAD)
        self.assertTrue(self.found(soak, "answers are the first answer"))
        self.assertFalse(soak.judge.verdict())

    def test_a_daemon_that_dies_is_seen(self):
        soak = self.soak(1)
        soak.begin()
        os.kill(soak.daemon.pid, signal.SIGABRT)
        soak.daemon.process.wait()
        soak.rest()
        self.assertTrue(self.found(soak, "kilnd died"))

    def test_what_is_left_open_is_seen(self):
        soak = self.soak(1)
        soak.begin()
        soak.load(1, QUIET_LOAD)
        soak.rest()
        self.assertEqual(list(soak.judge.findings), [])
        host, port = soak.daemon.address.split(":")
        held, over = [], threading.Event()

        def hold():  # kilnd disconnects idle clients
            while not over.wait(0.2):
                held.extend(socket.create_connection((host, int(port))) for _ in range(5))

        holder = threading.Thread(target=hold)
        holder.start()
        time.sleep(1)
        soak.rest()
        over.set()
        holder.join()
        for s in held:
            s.close()
        self.assertTrue(self.found(soak, "memory and descriptors are back"))
        self.assertFalse(soak.judge.verdict())

    def test_records_that_are_gone_and_calls_not_counted_are_seen(self):
        soak = self.soak(1)
        soak.begin()
        soak.load(1, QUIET_LOAD)
        soak.daemon.stop()
        shutil.rmtree(soak.daemon.directory)
        self.assertTrue(soak.daemon.start())
        soak.clients.stored([p for _, p in soak.judge.acknowledged])
        self.assertTrue(self.found(soak, "stored before a restart"))
        soak.judge.ended("compile", "OK", time.monotonic(), (soak.daemon.pid, soak.daemon.pid))
        soak.judge_counts()
        self.assertTrue(self.found(soak, "metrics count what clients count"))

    def test_errors_need_an_explanation(self):
        soak = self.soak(1)
        judge, now = soak.judge, time.monotonic()
        fault = judge.begin("kill_worker")
        judge.ended("compile", "MEMORY_LIMIT/killed_by_system", now, permutation=1)
        judge.ended("compile", "UNAVAILABLE: the queue is full: 24 jobs are waiting", now)
        judge.ended("compile", "REFUSED/quarantined", now, permutation=1)
        judge.ended("invalid", "INVALID_ARGUMENT: targets", now)
        self.assertEqual(list(judge.findings), [])
        judge.end(fault, after=-1)
        for asked, label in (("compile", "MEMORY_LIMIT/killed_by_system"),
                             ("compile", "UNAVAILABLE: Socket closed"),
                             ("compile", "CRASHED/segmentation_fault"),
                             ("compile", "CANCELLED: "), ("invalid", "OK"), ("healthz", "503"),
                             ("bad_glsl", "CRASHED/segmentation_fault")):
            before = len(judge.findings)
            judge.ended(asked, label, time.monotonic())
            self.assertEqual(len(judge.findings), before + 1, label)

    def test_log_lines_must_be_events(self):
        soak = self.soak(1)
        soak.daemon.take_line(b'{"event":"started"}\n')
        soak.daemon.take_line(b'{"eve')  # killed meanwhile
        self.assertEqual(list(soak.judge.findings), [])
        soak.daemon.take_line(b"Assertion failed\n")
        self.assertTrue(self.found(soak, "log: no event"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
