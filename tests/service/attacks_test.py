"""Attacks of tests/service/attacks that take only a moment, and the outcome that each must have.

Those that take memory or long are only in the table. Run by attacks_test.sh.
"""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import attacks_target  # noqa: E402

# Attack -> (bound on the daemon's additional memory in MiB, outcome).
EXPECTED = {
    "gzip": (64, r"4 x UNIMPLEMENTED"),
    "empty_targets": (128, r"4 x INVALID_ARGUMENT"),
    "empty_includes": (128, r"4 x INVALID_ARGUMENT"),
    "gzip_of_fields": (64, r"1 x UNIMPLEMENTED"),
    "unknown_fields": (128, r"4 x INVALID_ARGUMENT"),
    "unknown_fields_reflection": (128, r"4 x RESOURCE_EXHAUSTED"),
    "metrics_port": (64, r"10 of 10 scrapes"),
    "digest_source_once": (64, r"NOT_CACHED, 0 bytes"),
    "doubling_includes": (64, r"REFUSED \(shader_too_large\)"),
    "honest_worker": (0, r"first job: OK \(ok\) with right; second: OK \(ok\) with right"),
    "frames_ahead": (0, r"first job: CRASHED \(worker_protocol\); second: CRASHED"),
    "other_target": (0, r"first job: CRASHED \(worker_protocol\); second: CRASHED"),
    "half_an_answer": (0, r"first job: CRASHED \(worker_protocol\); second: CRASHED"),
    "giant_frame": (0, r"first job: CRASHED \(worker_protocol\); second: CRASHED"),
    "planted_in_cache": (0, r"target untouched; .*serves$"),
    "foreign_directory": (0, r"3 of 3 files left; serves"),
    "planted_output": (0, r"target untouched; 0 files written elsewhere"),
    "absolute_include": (64, r"not sent"),
    "dotted_include": (64, r"not sent"),
    "linked_source": (64, r"not sent"),
    "include_of_fifo": (0, r"exit 1"),
    "manifest_names": (0, r"exit 1; 4 files, the good one's written"),
}


class AttacksTest(unittest.TestCase):
    def test_outcomes(self):
        attacks = [a for a in attacks_target.load() if a.name in EXPECTED]
        rows = attacks_target.run(attacks_target.Programs(os.path.abspath(".")), attacks)
        self.assertEqual({row["name"] for row in rows}, set(EXPECTED))
        for row in rows:
            with self.subTest(row["name"]):
                most, outcome = EXPECTED[row["name"]]
                self.assertTrue(row["made"], row["outcome"])
                self.assertRegex(row["outcome"], outcome)
                self.assertLessEqual(row.get("daemon_mib", 0), most)
                self.assertEqual(row.get("missed", 0), 0)


if __name__ == "__main__":
    unittest.main()
