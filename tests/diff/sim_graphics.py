#!/usr/bin/env python3
"""Judges the compiler on modules of a graphics stage: they are compiled, drawn by the simulator at every
width in contract mode, and compared with the MIR interpreter, which is compared with lavapipe.

    sim_graphics.py --stage vertex|fragment --kilnc PATH --mir-run PATH --eu-run PATH | --rdna2-run PATH
                    [--cache DIR] [--no-lavapipe] [--out FILE] [--ulp 16] [--seeds 1,2] [--widths 8,16,32] [--no-fusion] [--order SEED]
                    [--count N] [--budget SECONDS] [--view-mask MASK] [--meshes [--bins DIR]...] [--ngg-group=128|256]
                    MODULE.spv... | @LIST

With --rdna2-run the target is gfx1030, whose widths are 32 and 64, else tgl. With --meshes vertices of gfx1030 are drawn
as triangles that share vertices (tests/drive/meshes.py), by a program that does not cull, and, of modules that may, by
one that does (culling_judge.py). With --bins the programs are those of another compiler (`run-peer navi21 --dump-bin
DIR`), culling or not, of waves of 32 and of 64 lanes in folders of their own.
Drives are those of lavapipe_vertex.py or lavapipe_fragments.py, whose comparison comes first; each width,
with and without fusion, is a separate comparison with the interpreter at that width, with separate
excuses. Statuses are those of sim_interp.py; subnormals are flushed in the interpreter. The
last lines are causes, excuses by kind, and a table: modules, driven, counted, agreeing, excused, differing,
in all and by width. An output that a vertex program never writes differs from the interpreter's value, unless
that is undefined.
"""

import argparse
import collections
import dataclasses
import functools
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "drive"), os.path.join(HERE, "..", "sim")]
import culling_judge  # noqa: E402
import drives  # noqa: E402
import excuses  # noqa: E402
import fragment_job  # noqa: E402
import judging  # noqa: E402
import lavapipe_fragments  # noqa: E402
import lavapipe_vertex  # noqa: E402
import meshes  # noqa: E402
import processes  # noqa: E402
import sim_interp  # noqa: E402
import vertex_job  # noqa: E402
from spirv_module import Unsupported  # noqa: E402


@dataclasses.dataclass
class Stage:
    """Holds the differences between the stages."""
    widths: dict         # target -> widths of programs of this stage
    load: object         # (path) -> the module; raises Unsupported
    drive_of: object     # (arguments, path, module, seed, folder) -> (drive, "") or (None, reason)
    compare: object      # (interpreter, where, drive, result, folder, tolerance[, options]) -> a
                         # Comparison, or (status, cause)


STAGES = {
    "vertex": Stage({"tgl": (8,), "gfx1030": (32, 64)}, vertex_job.VertexModule.load, lavapipe_vertex.drive_of,
                    lavapipe_vertex.compare_vertices),
    "fragment": Stage({"tgl": (8, 16, 32), "gfx1030": (32, 64)}, fragment_job.FragmentModule.load, lavapipe_fragments.drive_of,
                      lavapipe_fragments.compare_draw),
}


def runs_of(a, stem, drive, folder):
    """Returns [(name, run)] of a binary: run() returns the simulator's result."""
    job, assembly = meshes.split(drive.job)
    job_path = drives.write_job(job, folder, "draw")
    modes = [[]] if a.no_fusion or a.target != "tgl" else [[], ["--fusion"]]
    return [(" fused" if mode else "", functools.partial(sim_interp.simulate, a, stem, job_path, [*assembly, *mode]))
            for mode in modes]


def options_of(a, width):
    """Returns the interpreter's options for programs of this width."""
    return [*drives.FLUSH, "--subgroup-size=%d" % width, *sim_interp.OF_TARGET.get(a.target, [])]


def compare_width(a, interpreter, runs, width, drive, where, folder, tolerance):
    """Returns (Comparisons of all runs, "" or why one of them is broken)."""
    made = []
    options = options_of(a, width)
    job_path = drives.write_job(drive.job, folder, "draw_interpreted")
    for run_name, run in runs:
        name = "%s %s%d%s" % (where, a.of_lanes, width, run_name)
        got = run()
        if not got["ok"]:
            mine = interpreter.run(job_path, options)
            excuse = sim_interp.excuse_of_stop(mine, got["error"]) if mine["ok"] else None
            if not excuse:
                return made, "%s: %s" % (name, got["error"])
            made.append(excuses.Comparison(name, collections.Counter([excuse]), first=got["error"]))
            continue
        found = a.stage.compare(interpreter, name, drive, got, folder, tolerance, options)
        if not isinstance(found, excuses.Comparison):
            return made, "%s: %s" % (name, found[1])
        made.append(found)
    return made, ""


def judge_drive(a, widths, culling, drive, seed, folder, tolerance, verdict):
    """Adds the comparisons of one drive. `culling`: files by width of programs that cull."""
    where = "seed %d" % seed
    if drive.alone:
        verdict.alone = "lavapipe was not asked"
        return judge_widths(a, widths, culling, drive, where, folder, tolerance, verdict)
    first = a.stage.compare(a.interpreter, where + " lavapipe", drive, drive.result, folder, tolerance)
    if not isinstance(first, excuses.Comparison):
        if first[0] == "undriven":
            verdict.undriven.append(first[1])
        else:
            verdict.fail("broken", "interpreter and lavapipe: " + first[1])
        return
    verdict.comparisons.append(first)
    judge_widths(a, widths, culling, drive, where, folder, tolerance, verdict)


def judge_widths(a, widths, culling, drive, where, folder, tolerance, verdict):
    """Adds the comparisons of the simulator's results on a drive."""
    verdict.drives += 1
    verdict.by_moves |= drive.by_moves
    interpreter = drives.Remembering(a.interpreter)
    for width in sorted({**widths, **culling}):
        runs = runs_of(a, widths[width], drive, folder) if width in widths else []
        if width in culling:
            runs += a.culling.runs_of(interpreter, culling[width], drive, options_of(a, width), tolerance, folder)
        made, broken = compare_width(a, interpreter, runs, width, drive, where, folder, tolerance)
        verdict.comparisons += made
        if broken:
            verdict.fail("broken", broken)


def widths_by(verdict, status):
    """Returns the widths whose worst comparison has this status."""
    ranks = ["agree", "excused", "differ"]
    worst = {}
    for c in verdict.comparisons:
        for word in c.where.split():
            m = re.fullmatch(r"(?:SIMD|wave)(\d+)", word)
            if m:
                w = int(m.group(1))
                worst[w] = max(worst.get(w, 0), ranks.index(c.status))
    return [w for w, rank in worst.items() if ranks[rank] == status]


def instance_rates(drive):
    """Returns the locations of a drive's attributes that advance by instance, ascending."""
    inputs = drive.job.get("vertices", {}).get("inputs", [])
    return sorted(i["location"] for i in inputs if i.get("rate") == "instance")


def widths_for(a, path, module, widths, drive, folder):
    """Returns the files by width that this drive needs: programs that fetch attributes depend on their rates."""
    rates = instance_rates(drive)
    if not rates or a.target == "tgl" or a.bins:
        return widths
    own = os.path.join(folder, "rates%s" % "_".join(map(str, rates)))
    os.makedirs(own, exist_ok=True)
    return sim_interp.compile_module(a, path, module, own, rates, a.plain)[0]


def judge(a, path, folder):
    """A judging.Verdict."""
    verdict = judging.Verdict(path)
    try:
        module = a.stage.load(path)
    except Unsupported as e:
        verdict.undriven.append("drive: %s" % e)
        verdict.settle()
        return verdict
    if a.bins:
        widths, verdict.status, verdict.cause = a.culling.plain_bins(path, module)
    else:
        widths, verdict.status, verdict.cause = sim_interp.compile_module(a, path, module, folder, (), a.plain)
    if verdict.status:
        return verdict
    tolerance = excuses.Tolerance.of(module, a.ulp)
    for seed in a.seeds:
        drive, reason = a.stage.drive_of(a, path, module, seed, folder)
        if drive:
            own = widths_for(a, path, module, widths, drive, folder)
            culling = {}
            if a.meshes:
                culling, broken = a.culling.compile(path, module, instance_rates(drive), folder)
                if broken:
                    verdict.fail("broken", broken)
            judge_drive(a, own, culling, drive, seed, folder, tolerance, verdict)
        else:
            verdict.undriven.append(reason)
    verdict.widths = sorted(widths_by(verdict, "agree"))
    verdict.settle()
    return verdict


def summary(a, verdicts):
    sim_interp.summary(verdicts)
    if a.meshes:
        a.culling.print_counts()
    for w in sorted({w for v in verdicts for s in ("agree", "excused", "differ") for w in widths_by(v, s)}):
        by = {s: sum(w in widths_by(v, s) for v in verdicts) for s in ("agree", "excused", "differ")}
        print("%2d lanes  counted %4d, agreeing %4d, excused %4d, differing %4d" % (
            w, sum(by.values()), by["agree"], by["excused"], by["differ"]))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--stage", required=True, choices=sorted(STAGES))
    p.add_argument("--kilnc", required=True)
    p.add_argument("--mir-run", required=True)
    sim_interp.add_simulator(p)
    p.add_argument("--widths", help="8,16: these instead of all that the stage has")
    p.add_argument("--no-fusion", action="store_true")
    p.add_argument("--no-lavapipe", action="store_true",
                   help="only its results in the cache: others are the interpreter's alone")
    p.add_argument("--meshes", action="store_true", help="gfx1030, vertices: triangles that share vertices; culling, too")
    p.add_argument("--bins", action="append", help="with --meshes: folders with another compiler's programs")
    p.add_argument("--ngg-group", type=int, choices=(128, 256), default=128)
    judging.add_view_mask(p)
    judging.add_arguments(p)
    a = p.parse_args()
    a.stage = STAGES[a.stage]
    sim_interp.take_simulator(a)
    if a.target not in a.stage.widths:
        p.error("programs of this stage are not compiled for " + a.target)
    if a.meshes and (a.target != "gfx1030" or a.stage is not STAGES["vertex"]):
        p.error("--meshes is for vertices of gfx1030")
    a.plain = ["--culling=off", "--ngg-group=%d" % a.ngg_group] if a.meshes else []
    a.culling = culling_judge.Culling(a)
    a.widths = a.widths or ",".join(str(w) for w in a.stage.widths[a.target])
    with tempfile.TemporaryDirectory() as own_cache:
        a.cache = a.cache or own_cache
        os.makedirs(a.cache, exist_ok=True)
        a.pool = processes.Pool()
        a.interpreter = drives.Interpreter(a.pool, a.mir_run)
        verdicts = judging.judge_all(a, judge, functools.partial(summary, a))
        a.pool.close()
    return judging.exit_status(verdicts)


if __name__ == "__main__":
    sys.exit(main())
