#!/usr/bin/env python3
"""Judges the compiler on modules of a graphics stage: they are compiled, drawn by the simulator at every
width in contract mode, and compared with the MIR interpreter, which is compared with lavapipe.

    sim_graphics.py --stage vertex|fragment --kilnc PATH --mir-run PATH --eu-run PATH | --rdna2-run PATH
                    [--cache DIR] [--no-lavapipe] [--out FILE] [--ulp 16] [--seeds 1,2] [--widths 8,16,32] [--no-fusion] [--order SEED]
                    [--count N] [--budget SECONDS] [--view-mask MASK] MODULE.spv... | @LIST

With --rdna2-run the target is gfx1030, whose widths are 32 and 64, else tgl.
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
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "drive"), os.path.join(HERE, "..", "sim")]
import drives  # noqa: E402
import excuses  # noqa: E402
import fragment_job  # noqa: E402
import judging  # noqa: E402
import lavapipe_fragments  # noqa: E402
import lavapipe_vertex  # noqa: E402
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


def compare_width(a, stem, width, drive, where, folder, tolerance):
    """Returns (Comparisons of both modes, "" or why one of them is broken)."""
    made = []
    options = [*drives.FLUSH, "--subgroup-size=%d" % width, *sim_interp.OF_TARGET.get(a.target, [])]
    job_path = drives.write_job(drive.job, folder, "draw")
    for mode in [[]] if a.no_fusion or a.target != "tgl" else [[], ["--fusion"]]:
        name = "%s %s%d%s" % (where, a.of_lanes, width, " fused" if mode else "")
        got = sim_interp.simulate(a, stem, job_path, mode)
        if not got["ok"]:
            mine = a.interpreter.run(job_path, options)
            excuse = sim_interp.excuse_of_stop(mine, got["error"]) if mine["ok"] else None
            if not excuse:
                return made, "%s: %s" % (name, got["error"])
            made.append(excuses.Comparison(name, collections.Counter([excuse]), first=got["error"]))
            continue
        found = a.stage.compare(a.interpreter, name, drive, got, folder, tolerance, options)
        if not isinstance(found, excuses.Comparison):
            return made, "%s: %s" % (name, found[1])
        made.append(found)
    return made, ""


def judge_drive(a, widths, drive, seed, folder, tolerance, verdict):
    """Adds the comparisons of one drive."""
    where = "seed %d" % seed
    if getattr(drive, "alone", False):
        verdict.alone = "lavapipe was not asked"
        return judge_widths(a, widths, drive, where, folder, tolerance, verdict)
    first = a.stage.compare(a.interpreter, where + " lavapipe", drive, drive.result, folder, tolerance)
    if not isinstance(first, excuses.Comparison):
        if first[0] == "undriven":
            verdict.undriven.append(first[1])
        else:
            verdict.fail("broken", "interpreter and lavapipe: " + first[1])
        return
    verdict.comparisons.append(first)
    judge_widths(a, widths, drive, where, folder, tolerance, verdict)


def judge_widths(a, widths, drive, where, folder, tolerance, verdict):
    """Adds the comparisons of the simulator's results on a drive."""
    verdict.drives += 1
    verdict.by_moves |= drive.by_moves
    for width in sorted(widths):
        made, broken = compare_width(a, widths[width], width, drive, where, folder, tolerance)
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


def widths_for(a, path, module, widths, drive, folder):
    """Returns the files by width that this drive needs: programs that fetch attributes depend on their rates."""
    rates = [i["location"] for i in drive.job.get("vertices", {}).get("inputs", []) if i.get("rate") == "instance"]
    if not rates or a.target == "tgl":
        return widths
    own = os.path.join(folder, "rates%s" % "_".join(map(str, sorted(rates))))
    os.makedirs(own, exist_ok=True)
    return sim_interp.compile_module(a, path, module, own, rates)[0]


def judge(a, path, folder):
    """A judging.Verdict."""
    verdict = judging.Verdict(path)
    try:
        module = a.stage.load(path)
    except Unsupported as e:
        verdict.undriven.append("drive: %s" % e)
        verdict.settle()
        return verdict
    widths, verdict.status, verdict.cause = sim_interp.compile_module(a, path, module, folder)
    if verdict.status:
        return verdict
    tolerance = excuses.Tolerance.of(module, a.ulp)
    for seed in a.seeds:
        drive, reason = a.stage.drive_of(a, path, module, seed, folder)
        if drive:
            own = widths_for(a, path, module, widths, drive, folder)
            judge_drive(a, own, drive, seed, folder, tolerance, verdict)
        else:
            verdict.undriven.append(reason)
    verdict.widths = sorted(widths_by(verdict, "agree"))
    verdict.settle()
    return verdict


def summary(verdicts):
    sim_interp.summary(verdicts)
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
                   help="only its results in the cache (fragments): others are the interpreter's alone")
    judging.add_view_mask(p)
    judging.add_arguments(p)
    a = p.parse_args()
    a.stage = STAGES[a.stage]
    sim_interp.take_simulator(a)
    if a.target not in a.stage.widths:
        p.error("programs of this stage are not compiled for " + a.target)
    a.widths = a.widths or ",".join(str(w) for w in a.stage.widths[a.target])
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
