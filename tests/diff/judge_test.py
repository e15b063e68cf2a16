"""Tests of the judge itself: differences that each excuse excuses, and those that it must not. Neither compiler
nor lavapipe runs here; runs of the interpreter are written by hand."""

import argparse
import collections
import io
import os
import contextlib
import signal
import struct
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "drive"))
import culling_judge  # noqa: E402
import drives  # noqa: E402
import excuses  # noqa: E402
import judging  # noqa: E402
import peer  # noqa: E402
import lavapipe_vertex  # noqa: E402
import processes  # noqa: E402
import sim_interp  # noqa: E402
import spirv_module  # noqa: E402

KEY = (0, 0, 0)
FLOATS = {(0, 0): [(4 * k, "f", 32) for k in range(4)]}
INTS = {(0, 0): [(4 * k, "u", 32) for k in range(4)]}
EXACT = excuses.Tolerance(16, 0.0, [])


def floats(*values):
    return {KEY: struct.pack("<%df" % len(values), *values)}


def ints(*values):
    return {KEY: struct.pack("<%dI" % len(values), *values)}


def judged(mine, got, types, tolerance=EXACT, **runs):
    """Returns the comparison, with these runs of the kinds named."""
    return excuses.compared("here", mine, got, types, tolerance, lambda kind: runs.get(kind, []))


class VertexScalarsTest(unittest.TestCase):
    """Outputs of vertices have the same names from lavapipe and from the interpreter."""

    def test_components_and_elements_of_built_ins(self):
        theirs = {"outputs": [
            {"location": 2, "component": 1, "components": 2,
             "hex": struct.pack("<4I", 1, 2, 3, 4).hex()},
            {"builtin": "clip_distance", "components": 1, "hex": struct.pack("<2f", 5, 6).hex()},
            {"builtin": "clip_distance", "components": 1, "hex": struct.pack("<2f", 7, 8).hex()}]}
        mine = {"vertices": [
            {"location": 2, "component": 2, "type": "u32",
             "hex": struct.pack("<2I", 2, 4).hex()},
            {"builtin": "clip_distance", "component": 1, "type": "f32",
             "hex": struct.pack("<2f", 7, 8).hex()}]}
        found = lavapipe_vertex.scalars(theirs)
        own = lavapipe_vertex.own_scalars(mine)
        self.assertEqual(len(found), 4)
        self.assertEqual({k: found[k] for k in own}, own)
        self.assertEqual(lavapipe_vertex.own_types(mine), {
            ("out", "location 2.2"): [(0, "u", 32), (4, "u", 32)],
            ("out", "clip_distance.1"): [(0, "f", 32), (4, "f", 32)]})
        # Components that the program does not store are not compared.
        self.assertEqual(lavapipe_vertex.everything(theirs, own), own)

    def test_subnormals_are_flushed_as_lavapipe_does_in_graphics_stages(self):
        class Interpreter:
            def run(self, path, options):
                self.options = list(options)
                return {"ok": False, "cause": "timeout", "error": ""}

        interpreter, drive = Interpreter(), lavapipe_vertex.Drive({}, {}, {}, False)
        with tempfile.TemporaryDirectory() as folder:
            lavapipe_vertex.compare_vertices(interpreter, "here", drive, {}, folder, EXACT)
        self.assertEqual(interpreter.options, ["--flush"])

    def test_what_the_simulator_never_saw_written_agrees_only_where_it_is_undefined(self):
        place = ("out", "location 0.0")
        mine = {place: struct.pack("<2f", 1, 2)}
        types = {place: [(0, "f", 32), (4, "f", 32)]}
        output = {"location": 0, "component": 0, "components": 2,
                  "hex": struct.pack("<4f", 1, 0, 2, 0).hex()}
        for written, status in (("1010", "agree"), ("1000", "differ"), ("0010", "differ")):
            got = lavapipe_vertex.scalars({"outputs": [{**output, "written": written}]})
            got = {place: got[place]}
            self.assertEqual(judged(mine, got, types).status, status)
        moved = {place: struct.pack("<2f", 7, 2)}
        c = judged(mine, got, types, undefined=[moved])
        self.assertEqual((c.status, c.excuses), ("excused", {"undefined": 1}))


class RememberingTest(unittest.TestCase):

    def test_only_what_ran_before_is_remembered(self):
        class Interpreter:
            runs = []

            def run(self, path, options):
                self.runs.append(options)
                return len(self.runs)

        with tempfile.TemporaryDirectory() as folder:
            path, other = os.path.join(folder, "a"), os.path.join(folder, "b")
            for name, text in ((path, "1"), (other, "1")):
                with open(name, "w") as f:
                    f.write(text)
            remembering = drives.Remembering(Interpreter())
            self.assertEqual(remembering.run(path), 1)
            self.assertEqual(remembering.run(other), 1)
            self.assertEqual(remembering.run(path, ["--flush"]), 2)
            with open(path, "w") as f:
                f.write("2")
            self.assertEqual(remembering.run(path), 3)


class CullingTest(unittest.TestCase):
    """Runs of programs that cull: positions of the interpreter, and the runs that count."""

    @staticmethod
    def output(component, *values):
        return {"builtin": "position", "component": component, "type": "f32",
                "hex": struct.pack("<%df" % len(values), *values).hex()}

    def test_positions_of_each_run(self):
        run = {"vertices": [self.output(c, c, 10 + c) for c in range(4)]}
        want = struct.pack("<8f", 0, 1, 2, 3, 10, 11, 12, 13).hex()
        self.assertEqual(culling_judge.positions(run), want)
        run = {"vertices": [self.output(1, 5)]}
        self.assertEqual(culling_judge.positions(run), struct.pack("<4f", 0, 5, 0, 1).hex())
        self.assertIsNone(culling_judge.positions({"vertices": []}))

    def test_positions_that_undefined_results_move(self):
        a, b = "0" * culling_judge.DIGITS, "1" * culling_judge.DIGITS
        self.assertEqual(culling_judge.moved(a + a + a, [a + a + a, a + b + a]), "010")
        self.assertEqual(culling_judge.moved(a + a, []), "00")

    def test_negative_and_undefined_distances(self):
        def run(*values):
            return {"vertices": [{"builtin": "clip_distance", "component": 1, "type": "f32",
                                  "hex": struct.pack("<3f", *values).hex()}]}
        self.assertEqual(culling_judge.outside(run(-1, 0, 1), []), ["100"])
        self.assertEqual(culling_judge.outside(run(-1, 0, 1), [run(-1, 0, 2)]), ["101"])
        self.assertEqual(culling_judge.outside({"vertices": []}, []), [])

    def test_only_runs_that_are_needed_count(self):
        values = {("out", "position.0"): struct.pack("<3I", 1, 2, 3), KEY: b"12345678"}
        self.assertEqual(lavapipe_vertex.only(values, "101"),
                         {("out", "position.0"): struct.pack("<2I", 1, 3), KEY: b"12345678"})
        self.assertEqual(lavapipe_vertex.only(values, None), values)

    def test_positions_with_other_roundings_may_excuse(self):
        class Interpreter:
            def __init__(self):
                self.runs = 0

            def run(self, _, options=()):
                self.runs += 1
                return {"ok": True, "vertices": [CullingTest.output(0, len(options))]}

        answers = [{"ok": False, "error": "the primitive of runs 0, 1, 2 " + culling_judge.COVERS},
                   {"ok": True, "primitives": 3, "left_out": 9, "left_out_by": [1, 1, 0, 1, 2, 4], "sets": 3}]
        asked = []

        class Pool:
            def ask(self, _, words, __):
                asked.append(words)
                return answers[len(asked) - 1]

        interpreter = Interpreter()
        a = argparse.Namespace(pool=Pool(), simulator="x", bins=None)
        culling = culling_judge.Culling(a)
        with tempfile.TemporaryDirectory() as folder:
            got = culling.cull(interpreter, "stem", os.path.join(folder, "job"), [], [], EXACT, folder)
        self.assertTrue(got["ok"])
        self.assertEqual((culling.primitives, culling.left_out), (3, 9))
        self.assertEqual(culling.by_reason,
                         {"its position": 1, "rounding": 1, "undefined": 1, "snapping": 2, "a distance": 4})
        self.assertEqual(interpreter.runs, 2 + len(excuses.RUNS["unstable"]) + len(excuses.RUNS["undefined"]))


class ToleranceTest(unittest.TestCase):

    def test_nothing_absolute_for_ordinary_floats(self):
        mine, got = floats(1e-6, 1, 1, 1), floats(2e-6, 1, 1, 1)
        self.assertEqual(judged(mine, got, FLOATS).status, "differ")
        slack = excuses.Tolerance(16, 4e-6, [])
        self.assertEqual(judged(mine, got, FLOATS, slack).status, "agree")

    def test_outputs_that_are_missing_differ(self):
        c = judged(ints(1, 2, 3, 4), {}, INTS, undefined=[ints(5, 6, 7, 8)])
        self.assertEqual(c.status, "differ")
        extra = {**ints(1, 2, 3, 4), (0, 1, 0): b"x"}
        self.assertEqual(judged(ints(1, 2, 3, 4), extra, INTS).status, "differ")


    def test_an_inverse_function_leaves_what_it_does_not_move(self):
        # A module with atan of a float, %4, and of two halves, %5: these results may move by
        # Vulkan's limit; other values get no excuse.
        words = [0x07230203, 0, 0, 9, 0, 5 << 16 | 15, 5, 2, *struct.unpack("<2I", b"main\0\0\0\0"),
                 3 << 16 | 22, 6, 32, 3 << 16 | 22, 7, 16, 4 << 16 | 23, 8, 7, 2,
                 5 << 16 | 54, 1, 2, 0, 3, 6 << 16 | 12, 6, 4, 1, 18, 9, 6 << 16 | 12, 8, 5, 1, 18, 9,
                 1 << 16 | 56]
        module = spirv_module.Module(struct.pack("<%dI" % len(words), *words))
        tolerance = excuses.Tolerance.of(module, 16)
        self.assertEqual((tolerance.ulp, tolerance.loose), (16, ["--loose=4:4096", "--loose=5:5"]))
        halves = {(0, 0): [(0, "f", 16), (2, "f", 16)]}
        mine, got = ({KEY: struct.pack("<2e", 1.0, x)} for x in (1.0, 1.9))
        self.assertEqual(judged(mine, got, halves, tolerance).status, "differ")
        mine, near = floats(1, 1, 1, 1), floats(1.0002, 1, 1, 1)
        self.assertEqual(judged(mine, near, FLOATS, tolerance).status, "differ")
        c = judged(mine, near, FLOATS, tolerance, unstable=[floats(1.0003, 1, 1, 1)])
        self.assertEqual((c.status, c.excuses), ("excused", {"unstable": 1}))


class StatusTest(unittest.TestCase):

    def test_success_needs_a_comparison(self):
        compared = excuses.Comparison("here", collections.Counter())
        agree = judging.Verdict("a", "agree", comparisons=[compared])
        self.assertEqual(judging.exit_status([agree]), 0)
        self.assertEqual(judging.exit_status([agree, judging.Verdict("b", "refused")]), 0)
        self.assertEqual(judging.exit_status([]), 1)
        self.assertEqual(judging.exit_status([judging.Verdict("b", "refused")]), 1)
        self.assertEqual(judging.exit_status([judging.Verdict("b", "undriven")]), 1)
        for status in ("differ", "broken", "error"):
            self.assertEqual(judging.exit_status([agree, judging.Verdict("b", status)]), 1)

    def test_success_of_the_compiler_needs_machine_code(self):
        a = argparse.Namespace(kilnc="/bin/true", target="tgl", widths=None, view_mask=0)
        module = argparse.Namespace(specialised={})
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            files, status, cause = sim_interp.compile_module(a, "a.spv", module, folder)
            self.assertEqual((files, status), ({}, "broken"), cause)


class UnstableTest(unittest.TestCase):

    def test_bounded_in_magnitude(self):
        mine = floats(1, 1, 1, 1)
        runs = [floats(1.001, 1, 1, 1)]
        near, far = floats(0.999, 1, 1, 1), floats(1.003, 1, 1, 1)
        c = judged(mine, near, FLOATS, unstable=runs)
        self.assertEqual((c.status, c.excuses), ("excused", {"unstable": 1}))
        self.assertEqual(judged(mine, far, FLOATS, unstable=runs).status, "differ")
        self.assertEqual(judged(mine, floats(float("nan"), 1, 1, 1), FLOATS,
                                unstable=runs).status, "differ")

    def test_bounded_in_place(self):
        c = judged(floats(1, 1, 1, 1), floats(1.001, 1.001, 1, 1), FLOATS,
                   unstable=[floats(1.001, 1, 1, 1)])
        self.assertEqual((c.status, c.differing, c.excuses), ("differ", 1, {"unstable": 1}))

    def test_integers_too(self):
        mine, runs = ints(10, 0, 0, 0), [ints(11, 0, 0, 0)]
        self.assertEqual(judged(mine, ints(9, 0, 0, 0), INTS, unstable=runs).status, "excused")
        self.assertEqual(judged(mine, ints(14, 0, 0, 0), INTS, unstable=runs).status, "differ")

    def test_texels_by_channel(self):
        types = {(0, 0): [(0, "r11g11b10f", 32)]}
        mine, got = ints(0x100), ints(0x100 + (64 << 11))
        run = ints(0x101)
        self.assertEqual(judged(mine, got, types, unstable=[run]).status, "differ")


class OrderTest(unittest.TestCase):

    def test_a_list_in_another_order(self):
        # Three lanes append; each run has another order, none has the observed one.
        mine, got = ints(1, 2, 900, 0), ints(900, 1, 2, 0)
        runs = [ints(2, 900, 1, 0), ints(2, 1, 900, 0)]
        c = judged(mine, got, INTS, order=runs)
        self.assertEqual((c.status, c.excuses), ("excused", {"order": 3}))

    def test_only_places_that_move(self):
        mine, got = ints(1, 2, 3, 7), ints(2, 1, 3, 8)
        c = judged(mine, got, INTS, order=[ints(2, 1, 3, 7)])
        self.assertEqual((c.status, c.differing, c.excuses), ("differ", 1, {"order": 2}))

    def test_only_values_that_an_order_gives(self):
        mine, runs = ints(1, 2, 3, 0), [ints(2, 1, 3, 0)]
        self.assertEqual(judged(mine, ints(77, 1, 3, 0), INTS, order=runs).status, "differ")

    def test_sums_of_floats_move_little(self):
        mine, runs = floats(1, 0, 0, 0), [floats(1.00001, 0, 0, 0)]
        self.assertEqual(judged(mine, floats(0.99999, 0, 0, 0), FLOATS, order=runs).status, "excused")
        self.assertEqual(judged(mine, floats(0.5, 0, 0, 0), FLOATS, order=runs).status, "differ")


class UndefinedTest(unittest.TestCase):

    def test_only_places_that_move(self):
        mine, runs = ints(1, 2, 3, 4), [ints(9, 2, 3, 4)]
        self.assertEqual(judged(mine, ints(5, 2, 3, 4), INTS, undefined=runs).status, "excused")
        self.assertEqual(judged(mine, ints(1, 5, 3, 4), INTS, undefined=runs).status, "differ")

    def test_bytes_in_no_member(self):
        types = {(0, 0): [(0, "u", 32)]}
        mine, got = ints(1, 2), ints(1, 3)
        self.assertEqual(judged(mine, got, types, undefined=[ints(1, 9)]).status, "excused")
        self.assertEqual(judged(mine, got, types, undefined=[ints(9, 2)]).status, "differ")


class RaceTest(unittest.TestCase):
    """A data race of stores: any value is right there, and nowhere else."""

    def evidence_of(self, raced, order):
        """Returns the runs for "race" of a made-up interpreter that sees races in these bytes; `order`: the
        outputs in another order of the accesses."""
        class Interpreter:
            def run(_, path, options=()):
                output = {"set": 0, "binding": 0, "index": 0, "hex": ints(1, 2, 3, 4)[0, 0, 0].hex()}
                return {"ok": True, "outputs": [{**output, "raced": raced} if "--races" in options else output]}

            def outputs(self, path, options):
                moves = any(o == "--opposite" or o.startswith("--shuffle") for o in options)
                return order if moves else peer.outputs(self.run(path, options))
        return excuses.evidence(Interpreter(), "job", [], EXACT)("race")

    def test_bytes_that_race_and_move(self):
        runs = self.evidence_of([[4, 12]], order=ints(9, 9, 3, 9))
        self.assertEqual(runs[0], ints(1, 9, 3, 4))
        mine = ints(1, 2, 3, 4)
        self.assertEqual(judged(mine, ints(1, 77, 3, 4), INTS, race=runs).status, "excused")
        self.assertEqual(judged(mine, ints(1, 2, 77, 4), INTS, race=runs).status, "differ")   # does not move
        self.assertEqual(judged(mine, ints(77, 2, 3, 4), INTS, race=runs).status, "differ")   # does not race
        self.assertEqual(judged(mine, ints(1, 2, 3, 77), INTS, race=runs).status, "differ")

    def test_nothing_races(self):
        runs = self.evidence_of([], order=ints(9, 9, 9, 9))
        self.assertEqual(judged(ints(1, 2, 3, 4), ints(1, 77, 3, 4), INTS, race=runs).status, "differ")


class BeyondTest(unittest.TestCase):

    def test_the_output_of_which_half_moves(self):
        mine, got = ints(1, 2, 3, 4), ints(5, 6, 7, 4)
        c = judged(mine, got, INTS, beyond=[ints(9, 9, 3, 4)])
        self.assertEqual((c.status, c.excuses), ("excused", {"beyond": 3}))
        c = judged(mine, got, INTS, beyond=[ints(9, 2, 3, 9)])
        self.assertEqual((c.status, c.differing, c.excuses), ("differ", 2, {"beyond": 1}))

    def test_other_outputs_are_their_own(self):
        types = {**INTS, (0, 1): INTS[0, 0]}
        other = {(0, 1, 0): struct.pack("<4I", 1, 1, 1, 1)}
        changed = {(0, 1, 0): struct.pack("<4I", 1, 1, 1, 2)}
        c = judged({**ints(1, 2, 3, 4), **other}, {**ints(5, 6, 7, 4), **changed}, types,
                   beyond=[{**ints(9, 9, 9, 4), **other}])
        self.assertEqual((c.status, c.differing, c.excuses), ("differ", 1, {"beyond": 3}))

    def evidence_of(self, plain_leaves, orders_leave, random_leaves=0, fails=False):
        """Returns the runs for "beyond" of a module with two shared variables, by a made-up interpreter;
        random_leaves: accesses outside by the unchanged module if undefined results are random."""
        class Interpreter:
            def run(_, path, options=()):
                random = any(o.startswith("--undefined") for o in options)
                leaves = (orders_leave if "rearranged" in path
                          else random_leaves if random else plain_leaves)
                if fails and random and "rearranged" not in path:
                    return {"ok": False}
                return {"ok": True, "outside_local_accesses": leaves, "outputs": []}
        shared = [[4 << 16 | 59, 1, n, 4] for n in (5, 6)]
        entry = [5 << 16 | 15, 5, 2, *struct.unpack("<2I", b"main\0\0\0\0")]
        words = [0x07230203, 0, 0, 9, 0] + entry + shared[0] + shared[1] + [5 << 16 | 54, 1, 2, 0, 3]
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            shader, job = os.path.join(folder, "m.spv"), os.path.join(folder, "job.json")
            with open(shader, "wb") as f:
                f.write(struct.pack("<%dI" % len(words), *words))
            with open(job, "w") as f:
                f.write('{"shader": "%s"}' % shader)
            return excuses.evidence(Interpreter(), job, [], EXACT)("beyond")

    def test_only_if_an_order_leaves_shared_memory(self):
        self.assertEqual(len(self.evidence_of(0, 7)), excuses.REARRANGED)
        self.assertEqual(self.evidence_of(0, 0), [])
        self.assertEqual(self.evidence_of(7, 7), [])    # "undefined" sees that

    def test_only_if_the_order_alone_leads_outside(self):
        # An index read before it is written: random, it leaves shared memory in any order.
        self.assertEqual(self.evidence_of(0, 7, random_leaves=7), [])
        self.assertEqual(self.evidence_of(0, 7, fails=True), [])


class RearrangedTest(unittest.TestCase):

    def test_shared_variables_change_places_and_nothing_else(self):
        def variable(result, storage):
            return [4 << 16 | 59, 1, result, storage]
        head, end = [0x07230203, 0, 0, 9, 0], [5 << 16 | 54, 2, 3, 0, 4]
        a, b, other = variable(5, 4), variable(6, 4), variable(7, 12)
        found = [excuses.rearranged(head + a + b + other + end, seed) for seed in range(10)]
        self.assertIn(head + other + a + b + end, found)
        self.assertIn(head + other + b + a + end, found)
        self.assertEqual({len(w) for w in found}, {len(head + other + a + b + end)})
        self.assertIsNone(excuses.rearranged(head + a + other + end, 1))


class VerdictTest(unittest.TestCase):

    def test_an_excuse_holds_for_its_own_comparison_only(self):
        mine, got = ints(1, 2, 3, 4), ints(5, 2, 3, 4)
        v = judging.Verdict("m.spv")
        v.comparisons = [judged(mine, got, INTS, undefined=[ints(9, 2, 3, 4)]),
                         judged(mine, got, INTS)]
        v.settle()
        self.assertEqual([c.status for c in v.comparisons], ["excused", "differ"])
        self.assertEqual(v.status, "differ")

    def test_worst_comparison_decides(self):
        agree = excuses.Comparison("a")
        excused = excuses.Comparison("b", collections.Counter(order=2))
        for found, want in (([], "undriven"), ([agree], "agree"), ([agree, excused], "excused")):
            v = judging.Verdict("m.spv", comparisons=found)
            v.settle()
            self.assertEqual(v.status, want)

    def test_excuses_are_counted_by_kind(self):
        v = judging.Verdict("m.spv")
        v.comparisons = [excuses.Comparison("a"),
                         excuses.Comparison("b", collections.Counter(order=2, unstable=1)),
                         excuses.Comparison("c", collections.Counter(order=5))]
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            judging.print_excuses([v])
        self.assertEqual([line.split() for line in text.getvalue().splitlines()], [
            "comparisons 3, without any difference 1".split(),
            "excused as order modules 1, comparisons 2, places 7".split(),
            "excused as unstable modules 1, comparisons 1, places 1".split()])


class OutsideTest(unittest.TestCase):

    def test_each_cause_needs_its_own_count(self):
        # Accesses outside of bounded buffers, arrays and images are no access to an address without
        # a buffer.
        nothing = {"outside_addresses": 0, "outside_descriptors": 0, "undefined_results": 9,
                   "outside_accesses": 9, "outside_local_accesses": 0, "split_barriers": 0}
        split = "SIMD8: deadlock: threads wait at a barrier that others left (workgroup 0,0,0)"
        for count, excuse, error in (
                ("outside_addresses", "outside", "address 0x0 (4 bytes) lies in no allocation"),
                ("outside_local_accesses", "outside", "byte 4294967288 of 3072 of the lane's scratch"),
                ("outside_descriptors", "outside", "nothing is bound to surface 24"),
                ("outside_descriptors", "outside", "no image is bound to surface with handle 0x0"),
                ("outside_descriptors", "outside", "contract: reads memory at 0x100030000, which the dispatch writes: "
                 "the scalar cache is not coherent with vector stores"),
                ("split_barriers", "barrier", split)):
            self.assertIsNone(sim_interp.excuse_of_stop(nothing, error))
            self.assertEqual(sim_interp.excuse_of_stop({**nothing, count: 1}, error), excuse)
            for other in ("r5 is read too early", split if excuse == "outside" else "no allocation"):
                self.assertIsNone(sim_interp.excuse_of_stop({**nothing, count: 1}, other))
        self.assertIsNone(sim_interp.excuse_of_stop({**nothing, "outside_addresses": 1},
                                                    "nothing is bound to surface 24"))


class RunTest(unittest.TestCase):

    def test_order_is_that_of_the_seed(self):
        names = ["m%d" % k for k in range(20)]
        self.assertEqual(judging.in_order(names, 1), judging.in_order(names[::-1], 1))
        self.assertNotEqual(judging.in_order(names, 1), judging.in_order(names, 2))

    def stopped(self, **arguments):
        """Returns the output of a run over three modules, the second of which never ends; in a child, since such a
        run ends its process."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(writer, 1)
            sys.stdout = os.fdopen(1, "w")
            p = argparse.ArgumentParser()
            judging.add_arguments(p)
            a = p.parse_args(["x", "y", "z"])
            a.__dict__.update(arguments)
            stuck = judging.in_order(a.modules, a.order)[1]

            def judge(_, path, folder):
                if path == stuck:
                    if not a.budget:
                        os.kill(os.getpid(), signal.SIGTERM)
                    threading.Event().wait()
                return judging.Verdict(path, "agree", comparisons=[excuses.Comparison("here")])

            judging.judge_all(a, judge, lambda verdicts: print("table of", len(verdicts)))
            os._exit(9)
        os.close(writer)
        with os.fdopen(reader) as f:
            text = f.read()
        return text, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def test_a_run_that_is_stopped_prints_its_table(self):
        for arguments in ({"budget": 1.0}, {"budget": None}):
            text, status = self.stopped(**arguments)
            self.assertIn("stopped: 2 modules not looked at", text)
            self.assertIn("table of 1", text)
            self.assertEqual(status, 0)


class ServerTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        program = os.path.join(self.folder.name, "program.py")
        with open(program, "w") as f:
            f.write("import sys, time\n"
                    "for line in sys.stdin:\n"
                    "  if line == 'die\\n': sys.exit('last words')\n"
                    "  if line == 'wait\\n': time.sleep(100)\n"
                    "  print('{\"ok\": true, \"said\": \"%s\"}' % line.strip().replace(chr(9), '|'), flush=True)\n")
        self.server = processes.Server([sys.executable, program])

    def tearDown(self):
        self.server.close()
        self.folder.cleanup()

    def test_one_process_answers_until_it_dies(self):
        self.assertEqual(self.server.ask(["a", "b"], 20)["said"], "a|b")
        self.assertEqual(self.server.ask(["a path", "b"], 20)["said"], "a path|b")
        first = self.server.process
        self.assertEqual(self.server.ask(["c"], 20)["said"], "c")
        self.assertIs(self.server.process, first)
        died = self.server.ask(["die"], 20)
        self.assertEqual((died["ok"], died["cause"]), (False, "crash"))
        self.assertIn("last words", died["error"])
        self.assertEqual(self.server.ask(["d"], 20)["said"], "d")

    def test_patience_ends(self):
        late = self.server.ask(["wait"], 0.5)
        self.assertEqual((late["ok"], late["cause"]), (False, "timeout"))
        self.assertEqual(self.server.ask(["e"], 20)["said"], "e")


if __name__ == "__main__":
    unittest.main()
