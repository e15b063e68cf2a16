"""README.md shows the table that mesa_table.py prints from the record, and the versions compared in it."""
import json
import os
import unittest

from tests.corpus import mesa_table


class MesaTable(unittest.TestCase):
    def test_readme_has_the_recorded_figures(self):
        with open(mesa_table.RECORD, encoding="utf-8") as file:
            record = json.load(file)
        with open(os.path.join(os.path.dirname(mesa_table.RECORD), "..", "..", "README.md"), encoding="utf-8") as file:
            readme = file.read()
        self.assertIn("\n".join(mesa_table.table(record)), readme)
        self.assertIn(record["kiln"], readme)
        self.assertIn("Mesa " + record["mesa"], readme)

    def test_lost_programs_are_counted(self):
        row = {"programs": 3, "lost": 1, "instructions": 0.5, "cycles": 1, "sends": 1, "registers": 1, "bytes": 2.346}
        self.assertEqual("| compute | 3 | 1 | 0.50 | 1.00 | 1.00 | 1.00 | 2.35 |",
                         mesa_table.table({"stages": {"compute": row}})[2])


if __name__ == "__main__":
    unittest.main()
