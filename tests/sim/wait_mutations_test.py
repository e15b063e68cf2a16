"""Tests of wait_mutations.py that need neither Mesa's binaries nor the simulator."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class StatusTest(unittest.TestCase):

    def test_nothing_needed_is_no_success(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            results = os.path.join(folder, "results")
            open(results, "w").close()
            p = subprocess.run([sys.executable, os.path.join(HERE, "wait_mutations.py"), "--results",
                                results, "--eu-run", "/bin/false"], stdout=subprocess.PIPE)
            self.assertIn("0 waits removed; 0 needed", p.stdout.decode())
            self.assertEqual(p.returncode, 1)


if __name__ == "__main__":
    unittest.main()
