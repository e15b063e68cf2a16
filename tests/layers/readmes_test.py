"""Made-up folders in which readmes.py must find a fault, and those in which it must not."""
import pathlib
import tempfile
import unittest

from tests.layers import readmes


class Readmes(unittest.TestCase):
    def test_a_folder_without_one_is_found(self):
        with tempfile.TemporaryDirectory() as root:
            for folder, names in (("a", ["BUILD", "README.md"]), ("a/b", ["BUILD"]), ("c", ["x.cc"]),
                                  ("bazel-out/d", ["BUILD"]), ("deploy/bazel/e", ["BUILD"])):
                pathlib.Path(root, folder).mkdir(parents=True)
                for name in names:
                    pathlib.Path(root, folder, name).write_text("", encoding="utf-8")
            self.assertEqual(["a/b: no README.md"], readmes.findings(root, at_least=2))
            self.assertEqual(2, len(readmes.findings(root, at_least=3)))


if __name__ == "__main__":
    unittest.main()
