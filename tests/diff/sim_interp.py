#!/usr/bin/env python3
"""Judges the compiler by two others: compute modules are compiled, run in the simulator, and
compared with the MIR interpreter, which is compared with lavapipe.

    sim_interp.py --kilnc PATH --mir-run PATH --eu-run PATH | --rdna2-run PATH [--cache DIR] [--out FILE]
                  [--ulp 16] [--seeds 1,2] [--no-fusion] [--widths 8,16,32] [--order SEED] [--count N]
                  [--jobs N] [--budget SECONDS] [--no-lavapipe] [--groups X,Y,Z] [--declaring N]
                  MODULE.spv... | @LIST

With --rdna2-run the target is gfx1030, else tgl. Every compiled width is run in contract mode, for tgl with
and without fusion (blocks entered with all channels off), on the drive of every seed. Each of these is a separate comparison with the
interpreter at that width, with separate excuses (excuses.py). Inputs and the meaning of agree, excused,
differ and undriven are those of lavapipe_interp.py, whose comparison comes first; for the simulator,
subnormals are flushed in the interpreter as the hardware does. Further:

  alone      simulator and interpreter agree, but lavapipe takes too long or crashes, or was not asked
             (--no-lavapipe; its results in the cache count all the same): by two judges
  refused    by the importer or the back end, with its cause
  broken     compilation failed otherwise, or the simulator refused the program (a contract
             violation, say): always a bug
  outside    excuse of a comparison that cannot be made: an access to an address that no buffer has, to a
             descriptor beyond the end of an array, or beyond private memory, in the interpreter too
  barrier    likewise: threads wait at a barrier that other threads left, and the interpreter saw one that not
             all invocations of the workgroup reach, which Vulkan leaves undefined

The last lines are causes, excuses by kind and a table: compiled; driven (some drive ran); counted
(changing one arithmetic operation changes an output, or, where none does, changing a move: those are
shown separately); agreeing, in all and by width. An interrupted run prints them too. The exit status is 1 if
any module differs or is broken, or if there was no comparison.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "drive"))
import drive  # noqa: E402
import drives  # noqa: E402
import excuses  # noqa: E402
import judging  # noqa: E402
import lavapipe_interp  # noqa: E402
import peer  # noqa: E402
import processes  # noqa: E402
from spirv_module import Module  # noqa: E402

# Causes of "undriven" for which a drive ran, but did not count.
RAN = (drive.NOTHING_CHANGES, drive.NOTHING_WRITTEN)
# On gfx1030 descriptors beyond the end of an array are those of the next resource: one that the program writes, and
# that the scalar cache then must not read.
COHERENCE = "the scalar cache is not coherent with vector stores"
# Options of the interpreter by target: what Vulkan leaves to it (mir_run).
OF_TARGET = {"gfx1030": ["--angles-in-turns", "--helpers-if-needed"]}
# Private arrays' memory, in errors of gfx1030's simulator.
SCRATCH = "of the lane's scratch"
MAX_SECONDS = 100   # for one run of the simulator


def declaring(capability, paths):
    """Returns the paths of modules that declare the capability of this number."""
    return [path for path in paths if capability in Module.load(path).capabilities]


def compile_module(a, path, module, folder, rates=(), options=()):
    """Returns (files by width, status, cause). `rates`: locations of attributes by instance; `options`: more of
    kilnc."""
    spec = ["--spec=%d:%d" % kv for kv in sorted(module.specialised.items())]
    widths = ["--widths=" + a.widths] if a.widths else []
    state = ["--view-mask=%x" % a.view_mask] if a.view_mask else []
    state += ["--instance-rates=" + ",".join(map(str, sorted(rates)))] if rates else []
    p = subprocess.run([a.kilnc, "--target=" + a.target, *widths, *spec, *state, *options, "-o", folder, path], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=300)
    text = p.stderr.decode(errors="replace").strip()
    if p.returncode == 1:
        cause = text.split(": ", 1)[1] if ": " in text else text
        broken = cause.startswith("internal") or cause.startswith("invalid")
        return {}, "broken" if broken else "refused", cause
    if p.returncode != 0:
        return {}, "broken", "kilnc ends with %d: %s" % (p.returncode, text[-200:])
    widths = {}
    for name in os.listdir(folder):
        m = re.search(r"\.(?:SIMD|wave)(\d+)\.bin$", name)
        if m:
            widths[int(m.group(1))] = os.path.join(folder, name[:-4])
    if not widths:
        return {}, "broken", "kilnc succeeds without machine code"
    return widths, "", ""


def simulate(a, stem, job_path, options):
    sourced = ["--sourced"] if a.bins else []   # rules without a source do not bind others
    words = ["--max-seconds=%d" % MAX_SECONDS, "--zero-memory", *sourced, *options, stem + ".bin",
             stem + ".launch.json", job_path]
    return a.pool.ask(a.simulator, words, MAX_SECONDS + 20)


def excuse_of_stop(mine, error):
    """Returns the excuse if the simulator stopped at an access that the interpreter too saw outside of the bound
    resources, or at a barrier that the interpreter too saw reached by some only; else None. Offsets beyond the
    end of a buffer do not count: bound buffers have bounds, which the compiled program must keep."""
    if (mine["outside_addresses"] and "no allocation" in error
            or mine["outside_local_accesses"] and SCRATCH in error
            or mine["outside_descriptors"] and (" is bound to " in error or COHERENCE in error)):
        return "outside"
    if mine["split_barriers"] and "wait at a barrier that others left" in error:
        return "barrier"
    return None


def compare_width(a, stem, width, found, where, job_path, tolerance):
    """Returns (Comparisons of both modes, "" or why one of them is broken)."""
    options = ["--flush", "--subgroup-size=%d" % width, *OF_TARGET.get(a.target, [])]
    mine = a.interpreter.run(job_path, options)
    if not mine["ok"]:
        return [], "interpreter: " + mine["error"]
    runs_of = excuses.evidence(a.interpreter, job_path, options, tolerance)
    outputs, made = peer.outputs(mine), []
    for mode in [[]] if a.no_fusion or a.target != "tgl" else [[], ["--fusion"]]:
        name = "%s %s%d%s" % (where, a.of_lanes, width, " fused" if mode else "")
        got = simulate(a, stem, job_path, mode)
        excuse = None if got["ok"] else excuse_of_stop(mine, got["error"])
        if excuse:
            made.append(excuses.Comparison(name, collections.Counter([excuse]), first=got["error"]))
        elif not got["ok"]:
            return made, "%s: %s" % (name, got["error"])
        else:
            made.append(excuses.compared(name, outputs, peer.outputs(got), found.types, tolerance,
                                         runs_of))
    return made, ""


def judge_drive(a, widths, found, seed, folder, tolerance, verdict):
    """Adds the comparisons of one drive. Returns the widths that agree."""
    where = "seed %d" % seed
    job_path = drives.write_job(found.job, folder, "seed%d" % seed)
    if found.result:
        first = lavapipe_interp.compare_drive(a.interpreter, found, where, job_path, tolerance)
        if isinstance(first, excuses.Comparison):
            verdict.comparisons.append(first)
        elif first[0] == "undriven":
            verdict.undriven.append(first[1])
            return set()
        else:
            verdict.fail("broken", "interpreter and lavapipe: " + first[1])
            return set()
    else:
        verdict.alone = verdict.alone or found.reason
    verdict.drives += 1
    verdict.by_moves |= found.by_moves
    agreeing = set()
    for width in sorted(widths):
        made, broken = compare_width(a, widths[width], width, found, where, job_path, tolerance)
        verdict.comparisons += made
        if broken:
            verdict.fail("broken", broken)
        elif all(c.status == "agree" for c in made):
            agreeing.add(width)
    return agreeing


def judge(a, path, folder):
    """A judging.Verdict."""
    verdict = judging.Verdict(path)
    module = Module.load(path, specialise=True)
    widths, verdict.status, verdict.cause = compile_module(a, path, module, folder)
    if verdict.status:
        return verdict
    verdict.status, verdict.cause = lavapipe_interp.probe(a.interpreter, path, folder)
    if verdict.status:
        verdict.status = "broken"
        return verdict
    tolerance = excuses.Tolerance.of(module, a.ulp)
    agreeing = set(widths)
    for seed, found in zip(a.seeds, drives.drives_of(path, folder, a.cache, a.seeds, a.timeout,
                                                     a.interpreter, a.no_lavapipe, a.groups)):
        if found.job is None:
            verdict.undriven.append(found.reason)
            continue
        agreeing &= judge_drive(a, widths, found, seed, folder, tolerance, verdict)
    verdict.widths = sorted(agreeing) if verdict.drives else []
    verdict.settle()
    return verdict


def summary(verdicts):
    totals = collections.Counter(v.status for v in verdicts)
    causes = collections.Counter(v.status + ": " + v.cause.split(":")[0] for v in verdicts
                                 if v.status in ("refused", "undriven"))
    for cause, count in causes.most_common():
        print("%5d  %s" % (count, cause))
    judging.print_excuses(verdicts)
    compiled = [v for v in verdicts if v.status not in ("refused", "broken")]
    counted = [v for v in compiled if v.status != "undriven"]
    ran = len(counted) + sum(v.status == "undriven" and v.cause in RAN for v in verdicts)
    agreeing = [v for v in verdicts if v.status == "agree"]
    widths = collections.Counter(w for v in verdicts for w in v.widths)
    print("modules %d, refused %d, broken %d, excused %d, differing %d" % (
        len(verdicts), totals["refused"], totals["broken"], totals["excused"], totals["differ"]))
    for name, n in [("compiled", len(compiled)), ("driven", ran), ("counted", len(counted)),
                    ("by two drives", sum(v.drives > 1 for v in counted)),
                    ("agreeing", len(agreeing)),
                    ("of these by moves", sum(v.by_moves for v in agreeing)),
                    ("alone", totals["alone"]), ("excused", totals["excused"])] + [
                        ("agreeing at SIMD%d" % w, widths[w]) for w in sorted(widths)]:
        print("%-20s %4d  %5.1f %%" % (name, n, 100.0 * n / max(len(verdicts), 1)))


def add_simulator(p):
    """Adds the flags that name the simulator, and so the target."""
    simulator = p.add_mutually_exclusive_group(required=True)
    simulator.add_argument("--eu-run", help="the simulator of tgl")
    simulator.add_argument("--rdna2-run", help="the simulator of gfx1030")


def take_simulator(a):
    """Sets a.target, a.of_lanes, the start of names of widths, and a.simulator from the flags."""
    a.target, a.of_lanes = ("gfx1030", "wave") if a.rdna2_run else ("tgl", "SIMD")
    a.simulator = a.rdna2_run or a.eu_run


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--kilnc", required=True)
    p.add_argument("--mir-run", required=True)
    add_simulator(p)
    p.add_argument("--widths", help="8,16,32: these instead of those that the compiler chooses")
    p.add_argument("--no-fusion", action="store_true")
    p.add_argument("--no-lavapipe", action="store_true", help="only its results in the cache")
    p.add_argument("--groups", type=lambda s: [int(x) for x in s.split(",")],
                   help="X,Y,Z: dispatch so many workgroups, for modules with much work in each")
    p.add_argument("--declaring", type=int, metavar="N",
                   help="only modules that declare this capability, by its number in SPIR-V (10: Float64)")
    judging.add_arguments(p)
    a = p.parse_args()
    if a.declaring:
        a.modules = declaring(a.declaring, judging.in_order(a.modules, a.order))
    take_simulator(a)
    # Without a folder for them, each run looks for drives anew.
    with tempfile.TemporaryDirectory() as own_cache:
        a.cache = a.cache or own_cache
        os.makedirs(a.cache, exist_ok=True)
        a.pool = processes.Pool()
        a.interpreter = drives.Interpreter(a.pool, a.mir_run)
        verdicts = judging.judge_all(a, judge, summary)
        a.pool.close()
    return judging.exit_status(verdicts)


if __name__ == "__main__":
    sys.exit(main())
