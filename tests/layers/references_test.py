"""Made-up texts in which references.py must find a dead name, and those in which it must not."""
import unittest

from tests.layers import references

PATHS = ["core/mid/values/fold.h", "core/DESIGN.md"]


class References(unittest.TestCase):
    def test_dead_names_are_found(self):
        self.assertEqual(
            ["a.h:2: there is no folded.h", "b.md:1: there is no front/fold.h"],
            references.findings({"a.h": "// as fold.h says\n// as folded.h says\n",
                                 "b.md": "see `front/fold.h` and core/DESIGN.md\n"}, PATHS))

    def test_code_patterns_and_sources_of_facts_are_none(self):
        self.assertEqual([], references.findings(
            {"a.h": '#include "gone.h"\nint gone.h;\n// brw_eu.h, *.h, <stdint.h>, values/fold.h\n'}, PATHS))


if __name__ == "__main__":
    unittest.main()
