"""kiln precompile end to end: captures of tests/precompile's own writer, a real kilnd, real kills.

Run by Bazel from the root of the runfiles.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import big_capture
import foz_writer as foz
import programs
import same_results
import spirv_writer as spirv


class Precompile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        cls.daemon = programs.Daemon(cls.scratch)

    @classmethod
    def tearDownClass(cls):
        cls.daemon.stop()

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=self.scratch)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, contents):
        with open(self.path(name), "wb") as file:
            file.write(contents)
        return self.path(name)

    def run_kiln(self, *arguments, expect=0):
        done = subprocess.run([programs.KILN, *arguments], capture_output=True, text=True,
                              cwd=self.folder, timeout=120,
                              env={**os.environ, "KILN_SERVER": self.daemon.address})
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def precompile(self, *arguments, expect=0):
        return self.run_kiln("precompile", "--target=tgl", "-o", "r.sqlite", "--json", *arguments,
                             expect=expect)

    def rows(self, query, database="r.sqlite"):
        with sqlite3.connect(self.path(database)) as db:
            return db.execute(query).fetchall()

    def small_capture(self):
        w = foz.Writer()
        kernel = w.module(spirv.compute(1, spec_id=0))
        w.compute(kernel, 0x1)
        w.compute(kernel, 0x2, spec=[(0, b"\5\0\0\0")])
        w.compute(kernel, 0x3, subgroup_size=16)
        stages = [foz.stage(foz.VERTEX, w.module(spirv.vertex(2, outputs=3))),
                  foz.stage(foz.FRAGMENT, w.module(spirv.fragment(3, inputs=2)))]
        w.graphics(stages, formats=[37], hash64=0x4)
        w.graphics([stages[0]], formats=[37], hash64=0x5)
        w.graphics(stages, formats=[37], hash64=0x6, dynamic=[1000455005])
        w.graphics([], hash64=0x7, chain=[{"sType": 1000290000, "libraries": ["8"]}])
        w.ray_tracing([foz.stage(foz.RAY_GENERATION, kernel)], hash64=0x8)
        w.compute(0x999, 0x9)
        return w

    def test_each_stage_has_a_row(self):
        self.write("a.foz", self.small_capture().bytes())
        summary = json.loads(self.precompile("a.foz", expect=1).stdout)
        self.assertEqual(summary["pipelines"], 9)
        self.assertEqual(
            self.rows("SELECT pipeline, stage, status, cause FROM stage_result "
                      "ORDER BY pipeline, number"),
            [("compute/%016x" % 1, "compute", "ok", "ok"),
             ("compute/%016x" % 2, "compute", "ok", "ok"),
             ("compute/%016x" % 3, "compute", "ok", "ok"),
             ("compute/%016x" % 9, "compute", "invalid", "missing_module"),
             ("graphics/%016x" % 4, "vertex", "ok", "ok"),
             ("graphics/%016x" % 4, "fragment", "ok", "ok"),
             ("graphics/%016x" % 5, "vertex", "ok", "ok"),
             ("graphics/%016x" % 6, "vertex", "ok", "ok"),
             ("graphics/%016x" % 6, "fragment", "refused", "dynamic_state"),
             ("graphics/%016x" % 7, "", "refused", "pipeline_library"),
             ("ray_tracing/%016x" % 8, "ray_generation", "refused", "unsupported_stage")])
        # The specialised kernel and the one of one width are programs of their own.
        self.assertEqual(self.rows("SELECT count(DISTINCT result) FROM stage_result "
                                   "WHERE stage = 'compute' AND status = 'ok'"), [(3,)])
        self.assertEqual(self.rows("SELECT variant FROM variant JOIN stage_result USING (result) "
                                   "WHERE pipeline = 'compute/%016x'" % 3), [("SIMD16",)])
        # The fragment shader reads two of the three vectors.
        self.assertEqual(self.rows("SELECT reads FROM result WHERE reads <> ''"),
                         [("0:xyzw 1:xyzw",)])
        instructions = dict(self.rows(
            "SELECT pipeline, value FROM stage_statistic WHERE stage = 'vertex' AND "
            "statistic = 'instructions'"))
        self.assertLess(instructions["graphics/%016x" % 4], instructions["graphics/%016x" % 5])
        self.assertEqual(self.rows("SELECT count(*) FROM statistic_kind WHERE target = 'tgl'"),
                         self.rows("SELECT count(*) FROM statistic WHERE result = 1 AND variant = "
                                   "(SELECT min(variant) FROM variant WHERE result = 1)"))
        causes = self.rows("SELECT cause, sentence, remedy FROM refused_by_cause")
        self.assertEqual(len(causes), 4)
        self.assertTrue(all(sentence and remedy for _, sentence, remedy in causes))

    def test_nothing_is_compiled_twice(self):
        self.write("a.foz", self.small_capture().bytes())
        self.precompile("a.foz", expect=1)
        before = self.path("before.sqlite")
        os.rename(self.path("r.sqlite"), before)
        self.precompile("a.foz", expect=1)
        lines, rows = same_results.differences(before, self.path("r.sqlite"))
        self.assertEqual(lines, [])
        self.assertGreater(rows, 100)
        again = json.loads(self.precompile("a.foz", expect=1).stdout)
        self.assertEqual((again["compiled"], again["cached"]), (0, 0))
        # All but those whose cause is the capture's, which another file may mend.
        self.assertEqual(again["finished_before"], 5)
        self.assertEqual(same_results.differences(before, self.path("r.sqlite"))[0], [])

    def test_a_file_that_comes_later_completes_a_capture(self):
        w = foz.Writer()
        w.compute(0x10, 0x1)
        self.write("a.foz", w.bytes())
        self.precompile("a.foz", expect=1)
        late = foz.Writer()
        late.module(spirv.compute(5), 0x10)
        self.write("a.1.foz", late.bytes())
        self.precompile("a.1.foz")
        self.assertEqual(self.rows("SELECT status FROM stage_result"), [("ok",)])
        self.assertEqual(self.rows("SELECT count(*) FROM result"), [(1,)])

    def test_pipelines_that_go_are_removed(self):
        w = foz.Writer()
        kernel = w.module(spirv.compute(6))
        w.compute(kernel, 0x1)
        whole = w.bytes()
        w.compute(kernel, 0x2, subgroup_size=8)
        self.write("a.foz", w.bytes())
        self.precompile("a.foz")
        self.write("a.foz", whole)
        self.precompile("a.foz")
        self.assertEqual(self.rows("SELECT pipeline FROM stage_result"), [("compute/%016x" % 1,)])

    def test_damage_is_told_and_ends_nothing(self):
        whole = self.small_capture().bytes()
        self.write("a.foz", whole[:-20])
        done = self.precompile("a.foz", expect=1)
        self.assertIn("the last entry is cut short", done.stderr)
        self.assertIn("cut short", self.rows("SELECT trouble FROM source")[0][0])
        self.assertEqual(self.rows("SELECT count(*) FROM pipeline"), [(8,)])

    def test_other_files_are_errors(self):
        self.write("text.foz", b"text")
        self.assertIn("is not a Fossilize capture", self.precompile("text.foz", expect=2).stderr)
        self.assertFalse(os.path.exists(self.path("r.sqlite")))
        self.assertIn("leave it out", self.precompile(
            "--entry=x", self.write("a.foz", foz.Writer().bytes()), expect=2).stderr)
        self.write("r.sqlite", b"no database" * 100)
        self.write("b.foz", self.small_capture().bytes())
        self.assertIn("r.sqlite", self.precompile("b.foz", expect=2).stderr)

    def test_shards_make_the_whole(self):
        self.write("a.foz", self.small_capture().bytes())
        self.precompile("a.foz", expect=1)
        parts = []
        for number in (1, 2, 3):
            parts.append("part%d.sqlite" % number)
            self.run_kiln("precompile", "--target=tgl", "-o", parts[-1], "--shard=%d/3" % number,
                          "a.foz", expect=1)
        self.run_kiln("precompile", "--merge", "-o", "merged.sqlite", *parts, expect=1)
        self.assertEqual(same_results.differences(self.path("r.sqlite"),
                                                  self.path("merged.sqlite"))[0], [])

    def test_parts_are_looked_at_first(self):
        self.write("a.foz", self.small_capture().bytes())
        self.precompile("a.foz", expect=1)
        for part, pattern in (("none.sqlite", "none.sqlite"), ("a.foz", "a.foz")):
            done = self.run_kiln("precompile", "--merge", "-o", "new.sqlite", part, expect=2)
            self.assertIn(pattern, done.stderr)
            self.assertFalse(os.path.exists(self.path("new.sqlite")))
        done = self.run_kiln("precompile", "--merge", "-o", "r.sqlite", "./r.sqlite", expect=2)
        self.assertIn("is FILE itself", done.stderr)

    def test_kills_of_either_side_leave_no_trace(self):
        capture = self.path("big.foz")
        big_capture.write(capture, pipelines=1200, modules=900, seed=7)
        quiet, noisy = self.path("quiet.sqlite"), self.path("noisy.sqlite")
        first, second = (programs.Daemon(self.folder) for _ in range(2))
        _, seconds, memory = programs.precompile(first, quiet, capture)
        first.stop()
        _, met = programs.disturbed(second, noisy, seconds, 2, capture)
        second.stop()
        self.assertGreaterEqual(met, 2)
        self.assertLess(memory, 256)
        lines, rows = same_results.differences(quiet, noisy)
        self.assertEqual(lines, [])
        self.assertGreater(rows, 10000)

    def test_an_interrupted_run_is_continued(self):
        capture = self.path("big.foz")
        big_capture.write(capture, pipelines=3000, modules=2500, seed=8)
        process = subprocess.Popen(
            programs.command(self.daemon, self.path("r.sqlite"), capture),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not self.pipelines_written():
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertTrue(json.loads(out)["interrupted"])
        self.assertIn("run it again", err)
        written = self.pipelines_written()
        self.assertLess(written, 3000)
        summary = json.loads(self.precompile(capture, expect=1).stdout)
        self.assertGreater(summary["finished_before"], 0)
        self.assertEqual(self.pipelines_written(), 3000)
        self.assertEqual(self.rows("SELECT outcome FROM run ORDER BY id"),
                         [("interrupted",), ("complete",)])

    def pipelines_written(self):
        try:
            return self.rows("SELECT count(*) FROM pipeline")[0][0]
        except sqlite3.OperationalError:
            return 0  # there are no tables yet

    def test_report_compares_databases_and_lines(self):
        os.mkdir(self.path("shaders"))
        self.write("shaders/a.spv", spirv.compute(11))
        self.write("shaders/b.spv", spirv.compute(12, spec_id=0))
        self.precompile("shaders")
        self.run_kiln("batch", "--target=tgl", "--jsonl=lines.jsonl", "shaders")
        self.run_kiln("precompile", "--target=tgl", "-o", "other.sqlite",
                      "--disable-pass=simplify", "shaders")
        for before, after in (("r.sqlite", "lines.jsonl"), ("lines.jsonl", "r.sqlite"),
                              ("r.sqlite", "r.sqlite")):
            report = json.loads(self.run_kiln("report", "--json", before, after).stdout)
            for statistic in report["statistics"]:
                if statistic["name"] in ("instructions", "cycles"):
                    self.assertGreater(statistic["compared"], 0, (before, after))
                    self.assertEqual(statistic["before"], statistic["after"], (before, after))
            self.assertEqual((report["lost"], report["gained"]), ({}, {}), (before, after))
        text = self.run_kiln("report", "r.sqlite", "other.sqlite").stdout
        self.assertIn("instructions", text)

    def write_pair(self):
        self.write("m.vert", b"#version 450\nlayout(location = 0) out vec4 a;\nlayout(location = 1) out vec4 b;\n"
                             b"void main() { a = vec4(N); b = vec4(gl_VertexIndex); gl_Position = b; }\n")
        self.write("m.frag", b"#version 450\nlayout(location = 0) in vec4 a;\nlayout(location = 0) out vec4 c;\n"
                             b"void main() { c = a * N; }\n")

    def test_pairs_and_permutations_are_those_of_a_batch(self):
        self.write_pair()
        self.write("k.comp", b"#version 450\nlayout(binding = 0) buffer B { uint v[]; };\n"
                             b"layout(constant_id = 3) const uint k = 1;\nvoid main() { v[0] = N * k; }\n")
        self.write("m.jsonl", b'{"file": "k.comp", "permutations": "N=1,2;3=uint:4,5"}\n'
                              b'{"vertex": "m.vert", "fragment": "m.frag", "permutations": "N=1"}\n')
        inputs = ["--manifest=m.jsonl", "--pair=m.vert,m.frag", "--permutations=N=3,4"]
        lists = ["--target=tgl", "--list-items", *inputs]
        listed = self.run_kiln("precompile", *lists).stdout
        self.assertEqual(listed, self.run_kiln("batch", *lists).stdout)
        self.assertEqual(len(listed.splitlines()), 4 + 1 + 2)
        self.precompile(*inputs)
        self.assertEqual(self.rows("SELECT kind, count(*) FROM pipeline GROUP BY 1"), [("file", 4), ("pair", 3)])
        self.assertEqual(self.rows("SELECT stage, status, count(*) FROM stage_result GROUP BY 1, 2"),
                         [("compute", "ok", 4), ("fragment", "ok", 3), ("vertex", "ok", 3)])
        again = json.loads(self.precompile(*inputs).stdout)
        self.assertEqual((again["compiled"], again["cached"]), (0, 0))
        self.run_kiln("batch", "--target=tgl", "--jsonl=lines.jsonl", *inputs)
        report = json.loads(self.run_kiln("report", "--json", "r.sqlite", "lines.jsonl").stdout)
        self.assertEqual((report["results_before"], report["results_after"]), (10, 10))
        self.assertEqual((report["only_before"], report["only_after"]), (0, 0))

    def test_a_mismatch_of_a_pair_is_told(self):
        self.write_pair()
        self.write("n.frag", b"#version 450\nlayout(location = 0) in flat uint a;\n"
                             b"layout(location = 0) out vec4 c;\nvoid main() { c = vec4(a); }\n")
        self.precompile("-DN=1", "--pair=m.vert,n.frag", expect=1)
        self.assertEqual(self.rows("SELECT stage, status, cause FROM stage_result ORDER BY number"),
                         [("vertex", "ok", "ok"), ("fragment", "invalid", "interface_mismatch")])
        again = json.loads(self.precompile("-DN=1", "--pair=m.vert,n.frag", expect=1).stdout)
        self.assertEqual((again["compiled"], again["cached"]), (0, 0))

    def test_known_failures_may_be_allowed(self):
        self.write("a.foz", self.small_capture().bytes())
        causes = ["missing_module", "dynamic_state", "pipeline_library", "unsupported_stage"]
        self.precompile("a.foz", "--allow=" + ",".join(causes))
        self.precompile("a.foz", "--allow=" + ",".join(causes[:3]), expect=1)

    def test_a_budget_judges_captures(self):
        w = foz.Writer()
        for seed in (1, 2):
            w.compute(w.module(spirv.compute(seed)), seed)
        self.write("a.foz", w.bytes())
        self.precompile("a.foz")
        most, = self.rows("SELECT max(value) FROM stage_statistic WHERE statistic = 'instructions'")[0]
        for bound, path, expect in ((most, "a.foz", 0), (most - 1, "a.foz", 1), (most - 1, "b.foz", 0)):
            self.write("b.json", json.dumps({"rules": [
                {"path": path, "target": "tgl", "max": {"instructions": bound}}]}).encode())
            done = self.precompile("--budget=b.json", "--junit=j.xml", "a.foz", expect=expect)
            summary = json.loads(done.stdout)
            self.assertEqual((summary["compiled"], summary["cached"]), (0, 0))
            self.assertEqual(summary["budget"]["over"] > 0, expect == 1)
            self.assertEqual(summary["budget"]["variants"] > 0, path == "a.foz")
            self.assertEqual("over budget" in done.stderr, expect == 1)

    def test_pressure_is_asked_for(self):
        self.write("a.foz", self.small_capture().bytes())
        self.assertIn("cpu=PERCENT", self.precompile("--pause-above=disk=5", "a.foz",
                                                     expect=2).stderr)
        if os.path.exists("/proc/pressure/cpu"):
            self.precompile("--pause-above=memory=100", "a.foz", expect=1)


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1)
