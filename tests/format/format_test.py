"""Every C++ file has clang-format's layout, and a file that has not is found."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

FOLDERS = ("core", "server", "client", "proto", "tests", "deploy")
FORMAT = "clang-format-14"  # other versions break lines at other places


def sources(root):
    return sorted(str(path) for folder in FOLDERS for path in pathlib.Path(root, folder).rglob("*")
                  if path.suffix in (".h", ".cc", ".c"))


def misformatted(files):
    """Returns the names of the files that clang-format would change."""
    found = set()
    for first in range(0, len(files), 100):
        run = subprocess.run([FORMAT, "--dry-run", "-Werror", "--ferror-limit=1"] + files[first:first + 100],
                             stderr=subprocess.PIPE, text=True, check=False)
        lines = run.stderr.splitlines()
        found |= {line.split(":")[0] for line in lines if "error:" in line}
        if run.returncode and not found:
            raise RuntimeError(run.stderr)
    return sorted(found)


class Format(unittest.TestCase):
    def test_every_file(self):
        root = os.environ["KILN_ROOT"]
        files = sources(root)
        self.assertGreater(len(files), 1000, root)
        self.assertEqual([], [os.path.relpath(file, root) for file in misformatted(files)],
                         "tests/format/format formats them")

    def test_a_misformatted_file_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(os.environ["KILN_ROOT"], ".clang-format"), folder)
            good, bad = pathlib.Path(folder, "good.cc"), pathlib.Path(folder, "bad.cc")
            good.write_text("int f() { return 1; }\n", encoding="utf-8")
            bad.write_text("int f()   {return 1;}\n", encoding="utf-8")
            self.assertEqual([str(bad)], misformatted([str(bad), str(good)]))


if __name__ == "__main__":
    sys.exit(unittest.main())
