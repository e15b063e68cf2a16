"""Made-up texts in which language.py must find a fault, and those in which it must not."""
import os
import tempfile
import unittest

from tests.format import language


def found(path, text):
    return list(language.findings_of(path, text))


class Language(unittest.TestCase):
    def test_actors_without_a_name_are_found(self):
        for word in ("nobody", "Somebody", "anybody", "whoever"):
            self.assertEqual(["a.cc:2: '%s' is no actor: name who it is" % word],
                             found("a.cc", "int a;\n// Runs until %s stops it.\n" % word))
        self.assertEqual([], found("a.cc", "// The nobodyness of a body.\n"))

    def test_bare_openings_are_found(self):
        for text in ("// Of lanes, the first.", "// What is not read.", "// Whether it holds.",
                     "// Returns a. What b is.", "int a = 1;  // Of lanes.", "/// Of lanes."):
            self.assertEqual(1, len(found("a.h", text + "\n")), text)
        for text in ("// Offsets of lanes.", "// What is read here?", "// See what is read.",
                     "// The part of it", "// Returns a; what b is.", "// True if what is read is 0."):
            self.assertEqual([], found("a.h", text + "\n"), text)

    def test_a_sentence_may_begin_in_the_middle_of_a_paragraph(self):
        self.assertEqual(1, len(found("a.h", "// Returns a of\n// b.\n// What c is.\n")))
        self.assertEqual([], found("a.h", "// Returns the cost\n// of a.\n"))
        self.assertEqual(1, len(found("a.h", "// Returns the cost\n//\n// Of a.\n")))

    def test_only_comments_are_read(self):
        for text in ('Print("What nobody reads");', 'f("// Of lanes");', "char c = '\"';  // one quote",
                     '"http://nobody.org"'):
            self.assertEqual([], found("a.cc", text + "\n"), text)
        self.assertEqual(1, len(found("a.cc", 'Print("a");  // Of lanes.\n')))

    def test_scripts_have_comments_and_docstrings(self):
        for path, text in (("a.py", "# Of lanes.\n"), ("BUILD", "# What is built.\n"), ("run", "#!/bin/bash\n# Of lanes.\n"),
                           ("a.py", '"""What nobody reads."""\n'),
                           ("a.py", 'def f():\n    """Returns a.\n\n    Of b, c.\n    """\n')):
            self.assertLessEqual(1, len(found(path, text)), text)
        self.assertEqual(["a.py:4: a sentence begins with a bare 'Of': Of b, c."],
                         found("a.py", 'def f():\n    """Returns a.\n\n    Of b, c.\n    """\n'))
        for text in ('TEXT = """\nOf lanes.\n"""\n', "if a:  # the first\n    print('Of lanes')\n"):
            self.assertEqual([], found("a.py", text), text)

    def test_pages_are_prose_but_for_headings_and_fences(self):
        self.assertEqual(["a.md:3: a sentence begins with a bare 'What': What b is."],
                         found("a.md", "# What a is\n\nWhat b is.\n\n```\nOf lanes.\n```\n"))
        for text in ("* Of lanes.\n", "1. Whether it holds.\n", "| a | b |\n|---|---|\n| Of lanes | b |\n"):
            self.assertEqual(1, len(found("a.md", text)), text)
        self.assertEqual([], found("a.md", "| what | how |\n|---|---|\n"))

    def test_names_of_bounds_and_types(self):
        self.assertEqual(["a.h:1: kMostLanes: upper bounds are kMax..."], found("a.h", "constexpr int kMostLanes = 8;\n"))
        for text in ("struct Place {", "enum class SlotPlace : int {", "using Place = int;"):
            self.assertEqual(1, len(found("a.cc", text + "\n")), text)
        for text in ("constexpr int kMaxLanes = 8;", "struct Placement {", "Place place;", "kAlmostMost"):
            self.assertEqual([], found("a.cc", text + "\n"), text)
        self.assertEqual([], found("a.py", "kMostLanes = 8\n"))

    def test_names_of_several_words(self):
        for path, text, name in (("a_test.cc", "TEST(A, WhatNobodyReadsGoes) {", "WhatNobodyReadsGoes"),
                                 ("a_test.cc", "TEST(A, ALockIsNobodysBusiness) {", "ALockIsNobodysBusiness"),
                                 ("a_test.cc", "TEST(A, BehindTheLoopItIsFree) {", "BehindTheLoopItIsFree"),
                                 ("a.cc", "constexpr int kBehind = 1;", "kBehind"),
                                 ("a.cc", "const bool nobody_waits = over;", "nobody_waits"),
                                 ("a.cc", "bool for_nobody_ = false;", "for_nobody_"),
                                 ("BUILD", 'args = ["--gtest_filter=A.LiesBehind"],', "LiesBehind"),
                                 ("a.md", "`SomebodyReads` says so.", "SomebodyReads"),
                                 ("a.py", "    def test_whoever_reads(self):", "test_whoever_reads")):
            self.assertEqual(["%s:1: %s: name who it is; After for what follows" % (path, name)], found(path, text + "\n"))
        for text in ("const passwd* nobody = getpwnam(name);", "int BehindhandAnswers();", "// Behind the door, a cat.",
                     "int nobodyness_of = 1;"):
            self.assertEqual([], found("a.cc", text + "\n"), text)

    def test_files_with_comments_are_read(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as root:
            for name, text in (("a.cc", ""), ("b.frag", ""), ("run", "#!/bin/bash\n"), ("data", "\0"), ("c.json", ""),
                               (".github/A.md", ""), (".git/b.md", ""), ("bazel-bin/c.h", ""), ("d/BUILD", "")):
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual([".github/A.md", "a.cc", "b.frag", "d/BUILD", "run"], sorted(language.files_below(root, ".")))
            self.assertEqual(["d/BUILD"], list(language.files_below(root, "d/BUILD")))


if __name__ == "__main__":
    unittest.main()
