"""Made-up tables in which pass_names.py must find a fault, and those in which it must not."""
import unittest

from tests.layers import pass_names

TABLE = """
constexpr Pass<Work> kPasses[] = {
    {"remove_dead_code", mid::RemoveDeadCode, true, 1, "values that nobody uses"},
    {"remove_dead_lowered", OnLir<mid::RemoveDeadCode>, true, 2,
     "values that nobody uses"},
    {"lower_int64", Unless<&Features::int64, mid::LowerInt64>, false, 0,
     "64-bit integers become pairs"},
    {"schedule", Schedule, true, 0, "order"},
    {"schedule_allocated", ScheduleAllocated, true, 0, "order"},
};
"""
FILES = {"lower_int64": ["bool LowerInt64(Module& m) {"],
         "remove_dead_code": ["bool RemoveDeadCode(Module& m) {"],
         "schedule": ["bool Schedule(Work& w) {", "bool ScheduleAllocated(Work& w) {"]}


class PassNamesTest(unittest.TestCase):

    def found(self, old="", new="", files=FILES):
        return pass_names.findings(pass_names.rows_of(TABLE.replace(old, new, 1)), files)

    def test_one_name_and_second_runs(self):
        self.assertEqual(len(pass_names.rows_of(TABLE)), 5)
        self.assertEqual(self.found(), [])

    def test_a_function_of_another_name(self):
        self.assertIn("its function is EliminateDeadCode, not RemoveDeadCode",
                      self.found("mid::RemoveDeadCode", "mid::EliminateDeadCode")[0])

    def test_a_second_run_has_the_first_words(self):
        self.assertIn("clean_lowered", self.found('"remove_dead_lowered"', '"clean_lowered"')[0])

    def test_a_file_of_another_name(self):
        self.assertEqual(len(self.found(files={**FILES, "remove_dead_code": [], "dce": FILES["remove_dead_code"],
                                               "schedule": FILES["schedule"]})), 2)


if __name__ == "__main__":
    unittest.main()
