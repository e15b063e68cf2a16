"""Tests of the generator of random shaders: it is deterministic, glslang accepts its programs, they have all
constructs that they are meant to have, and the invariants that can be read off the text."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import generate  # noqa: E402
import run  # noqa: E402

SEEDS = range(1, 61)


class GenerateTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.texts = {seed: generate.generate(seed)[0] for seed in SEEDS}

    def test_a_seed_is_a_program(self):
        for hash_seed in ("0", "1"):
            again = subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), "7"], check=True,
                                   stdout=subprocess.PIPE, env={"PYTHONHASHSEED": hash_seed})
            self.assertEqual(again.stdout.decode(), self.texts[7])
        self.assertEqual(len(set(self.texts.values())), len(SEEDS))
        self.assertEqual(generate.generate(7)[1], generate.generate(7)[1])

    def test_glslang_accepts_them(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            for seed in list(SEEDS)[:25]:
                source, module = (os.path.join(folder, n) for n in ("p.comp", "p.spv"))
                with open(source, "w") as f:
                    f.write(self.texts[seed])
                p = subprocess.run(["glslangValidator", "-V", "--target-env", "vulkan1.2", "-o", module,
                                    source], stdout=subprocess.PIPE)
                self.assertEqual(p.returncode, 0, "seed %d: %s" % (seed, p.stdout.decode()))
                subprocess.run(["spirv-val", "--target-env", "vulkan1.2", module], check=True)

    def test_every_construct_occurs(self):
        all_text = "\n".join(self.texts.values())
        for word in ["switch", "while", "do {", r"for \(", "continue;", "break;", "default:", "return ",
                     r"if \(.*\) return;", "barrier", "atomicXor", "shared_words", "subgroupClustered",
                     "subgroupBallot", "subgroupShuffle", "subgroupElect", "inout", "umulExtended",
                     "bitfieldInsert", "float16_t", "kept39", r"\) continue;\n", "Pair", r"uvec\d", r"\.w\[",
                     *generate.INTEGERS]:
            self.assertRegex(all_text, word)

    def test_barriers_are_in_uniform_control_flow(self):
        # In main's outermost block, or in the only kind of loop whose bound is a constant.
        for seed, text in self.texts.items():
            lines = text.splitlines()
            for k, line in enumerate(lines):
                if "barrier();" not in line:
                    continue
                depth = len(line) - len(line.lstrip())
                self.assertIn(depth, (2, 4), "seed %d" % seed)
                if depth == 4:
                    around = next(l for l in lines[k::-1] if len(l) - len(l.lstrip()) == 2)
                    self.assertRegex(around, r"^  for \(uint (\w+) = 1u; \1 < \d+u; \1 <<= 1\) \{$")

    def test_no_return_before_a_barrier(self):
        for seed, text in self.texts.items():
            main = text[text.index("void main"):]
            if "return;" in main:
                self.assertNotIn("barrier", main[main.index("return;"):], "seed %d" % seed)
                self.assertNotIn("subgroup", main[main.index("return;"):], "seed %d" % seed)

    def test_divisors_and_shifts(self):
        for text in self.texts.values():
            for operator in re.finditer(r" (<<|>>) \(", text):
                self.assertRegex(self.parenthesised(text, operator.end() - 1),
                                 r"& (\w+\((7|15)\)|(31|63|24)u?l?|31)\)$")
            for operator in re.finditer(r" / \(", text):
                self.assertRegex(self.parenthesised(text, operator.end() - 1), r"\| (\w+\(1\)|1u?l?)\)$")

    @staticmethod
    def parenthesised(text, at):
        depth = 0
        for k in range(at, len(text)):
            depth += (text[k] == "(") - (text[k] == ")")
            if depth == 0:
                return text[at:k + 1]
        return text[at:]


class RunTest(unittest.TestCase):

    def test_one_byte_is_a_difference(self):
        want = {(0, 6, 0): bytes(8), (0, 5, 0): bytes(4)}
        self.assertEqual(run.first_difference(want, dict(want)), "")
        got = {**want, (0, 6, 0): bytes(5) + b"\1" + bytes(2)}
        self.assertEqual(run.first_difference(want, got),
                         "binding 6 byte 5: lavapipe 0x00, here 0x01")
        self.assertIn("no comparable", run.first_difference(want, {(0, 5, 0): bytes(4)}))

    def test_reduction_takes_blocks_and_leaves_barriers(self):
        lines = ["void main() {", "  if (a) {", "    b;", "  }", "  barrier();", "  c;", "}"]
        self.assertEqual(run.chunks(lines), [(1, 4), (2, 3), (5, 6)])

    @staticmethod
    def compiler(folder, script):
        """Returns arguments with the path of a program that stands for kilnc: its fourth argument is the folder for
        binaries."""
        path = os.path.join(folder, "kilnc")
        with open(path, "w") as f:
            f.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        return argparse.Namespace(kilnc=path, target="tgl", widths="8,16,32")

    def test_widths_are_those_of_the_last_compilation(self):
        # --reduce compiles all candidates in one folder.
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            for widths in ("8 16", "8"):
                program = run.Program(1, "", {}, folder)
                found = program.compile(self.compiler(
                    folder, 'for w in %s; do touch "$4/program.SIMD$w.bin"; done' % widths))
                self.assertEqual(found, ("", ""))
                self.assertEqual(sorted(program.stems), [int(w) for w in widths.split()])
            program = run.Program(1, "", {}, folder)
            self.assertEqual(program.compile(self.compiler(folder, "exit 0"))[0], "broken")

    def test_nothing_compared_is_no_success(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            refusing = self.compiler(folder, "echo 'program.comp: unsupported: all of it' >&2; exit 1").kilnc
            p = subprocess.run([sys.executable, os.path.join(HERE, "run.py"), "--kilnc", refusing,
                                "--eu-run", "/bin/false", "--count", "2"], stdout=subprocess.PIPE)
            self.assertIn("comparisons 0,", p.stdout.decode())
            self.assertIn("refused 2,", p.stdout.decode())
            self.assertEqual(p.returncode, 1)


class LavapipeTest(unittest.TestCase):

    def test_programs_behind_one_that_ends_the_process_run(self):
        asked = []

        def run_many(jobs, folder, timeout):
            """A process that ends at the job named "slow"; those behind it fail."""
            asked.append(list(jobs))
            alive = jobs.index("slow") if "slow" in jobs else len(jobs)
            return [{"ok": k < alive, "job": job} for k, job in enumerate(jobs)]

        before, run.peer.run_many = run.peer.run_many, run_many
        try:
            results = run.on_lavapipe(["a", "slow", "b", "slow", "c"], "", 20)
        finally:
            run.peer.run_many = before
        self.assertEqual([r["job"] for r in results], ["a", "slow", "b", "slow", "c"])
        self.assertEqual([r["ok"] for r in results], [True, False, True, False, True])
        self.assertEqual(asked[1:], [["b", "slow", "c"], ["c"]])


if __name__ == "__main__":
    unittest.main()
