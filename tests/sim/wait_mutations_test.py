"""Tests of wait_mutations.py that need neither Mesa's binaries nor the simulator."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import wait_mutations  # noqa: E402


class StatusTest(unittest.TestCase):

    def test_nothing_needed_is_no_success(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            results = os.path.join(folder, "results")
            open(results, "w").close()
            p = subprocess.run([sys.executable, os.path.join(HERE, "wait_mutations.py"), "--results",
                                results, "--eu-run", "/bin/false"], stdout=subprocess.PIPE)
            self.assertIn("0 waits removed; 0 needed", p.stdout.decode())
            self.assertEqual(p.returncode, 1)

    def status_with(self, answers, hazards):
        """Returns the exit status for two binaries with one wait each, which is needed and noticed. `answers`: the
        simulator's, to each unmodified binary; `hazards`: True if a hazard is read in the unmodified binary."""
        inst = mock.Mock(offset=0, op="send")
        unmodified = iter(answers)

        def run(words, **_):
            said = {"ok": False, "error": "contract: r5"} if "--list" in words else next(unmodified)
            return mock.Mock(stdout=json.dumps(said).encode())

        read = iter(hazards)
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            launch, results = os.path.join(folder, "a.launch.json"), os.path.join(folder, "results")
            row = {"status": "agree", "instructions": 1, "launch": launch, "recipe": 0}
            for path, text in ((launch, '{"file": "a"}'), (results, 2 * (json.dumps(row) + "\n"))):
                with open(path, "w") as f:
                    f.write(text)
            with mock.patch.object(wait_mutations.drive, "make_job", lambda *_: ({}, None)), \
                    mock.patch.object(wait_mutations, "disassemble", lambda _: {0: inst}), \
                    mock.patch.object(wait_mutations, "mutations", lambda *_: [(inst, "dst", [])]), \
                    mock.patch.object(wait_mutations, "pieces", lambda path: [path]), \
                    mock.patch.object(wait_mutations, "hazard",
                                      lambda _, removed=None: bool(removed) or next(read)), \
                    mock.patch.object(wait_mutations.subprocess, "run", run), \
                    mock.patch.object(sys, "argv", ["x", "--results", results, "--eu-run", "y"]), \
                    contextlib.redirect_stdout(io.StringIO()):
                return wait_mutations.main()

    def test_every_binary_counts(self):
        good, bad = {"ok": True, "executed": [0], "paths": [[0]]}, {"ok": False, "error": "r7"}
        self.assertEqual(self.status_with([good, good], [False, False]), 0)
        self.assertEqual(self.status_with([good, bad], [False]), 1)
        self.assertEqual(self.status_with([good, good], [False, True]), 1)


if __name__ == "__main__":
    unittest.main()
