"""COVERAGE.md is what coverage_table.py prints from the record; the counting of results."""
import json
import os
import unittest

from tests.corpus import coverage_table


def line(file, target, status, cause, stage=""):
    return {"file": file, "target": target, "status": status, "cause": cause, "stage": stage}


class CoverageTable(unittest.TestCase):
    def test_the_page_is_that_of_the_record(self):
        with open(coverage_table.RECORD, encoding="utf-8") as file:
            record = json.load(file)
        with open(os.path.join(os.path.dirname(coverage_table.RECORD), "COVERAGE.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), coverage_table.page(record))
        # Every target has the same modules.
        for stage, targets in record["stages"].items():
            self.assertEqual(sorted(targets), ["gfx1030", "tgl"], stage)
            self.assertEqual(len({sum(causes.values()) for causes in targets.values()}), 1, stage)

    def test_each_result_is_counted_under_its_stage_target_and_cause(self):
        stages = coverage_table.count([
            line("x/a.frag.spv", "tgl", "ok", "ok", "fragment"), line("x/a.frag.spv", "gfx1030", "refused", "missing_stage"),
            line("x/b.comp.spv", "tgl", "refused", "float64"), line("x/b.comp.spv", "gfx1030", "ok", "ok"),
            line("x/c.comp.spv", "tgl", "refused", "float64"), line("x/c.comp.spv", "gfx1030", "ok", "ok"),
            line("x/comp.d.comp.spv", "tgl", "invalid", "invalid_module"), line("x/comp.d.comp.spv", "gfx1030", "ok", "ok")])
        self.assertEqual(list(stages), ["compute", "fragment"])
        record = {"kiln": "", "stages": stages}
        self.assertEqual(coverage_table.table(record), [
            "| stage | modules | `tgl` | `gfx1030` |", "|---|---|---|---|",
            "| compute | 3 | 0 | 3 |", "| fragment | 1 | 1 | 0 |"])
        self.assertEqual(coverage_table.causes(record)[2:], [
            "| compute | `tgl` | float64 2, invalid_module 1 |", "| fragment | `gfx1030` | missing_stage 1 |"])

    def test_a_crash_is_not_recorded(self):
        with self.assertRaisesRegex(ValueError, "a.comp.spv: tgl: crashed"):
            coverage_table.count([line("a.comp.spv", "tgl", "crashed", "internal")])


if __name__ == "__main__":
    unittest.main()
