#!/usr/bin/env python3
"""Judges importer and MIR interpreter by lavapipe: fragment modules are drawn on both.

    lavapipe_fragments.py --mir-run PATH [--optimise] [--out FILE] [--ulp 16] [--seeds 1,2]
                          [--order SEED] [--count N] [--budget SECONDS] MODULE.spv... | @LIST

Draws come from tests/sim/fragment_job.py, one for each seed; a draw counts only if changing one operation
of the module changes a colour, the depth, a buffer or an image on lavapipe. Compares the colour
components that the module declares, depth, buffers and images. Statuses and excuses are those of
lavapipe_interp.py; runs for "unstable" include draws whose inputs are changed in their last bits,
since rasterisers differ there. One sample a pixel.
"""

import argparse
import dataclasses
import hashlib
import os
import pickle
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "drive"), os.path.join(HERE, "..", "sim")]
import drives  # noqa: E402
import excuses  # noqa: E402
import fragment_job  # noqa: E402
import judging  # noqa: E402
import lavapipe_interp  # noqa: E402
import mesa_fragments_vs_lavapipe as draws  # noqa: E402
import processes  # noqa: E402
from spirv_module import Unsupported  # noqa: E402

NUDGES = 8       # changed draws
CACHE_FORM = 2   # 1: samplers that functions compare by did not compare


def leaves(job, types, want, kinds):
    """Returns (output's first two parts) -> members, of colours, depth and resources."""
    return {**types, **{key[:2]: draws.leaves_of(key, job, types, kinds, len(data), False)
                        for key, data in want.items()}}


def first_of_quads(outputs, width):
    """Returns the outputs with all pixels of render targets set to 0 but the first of each quad. A coarse
    derivative may be that of any pixel of the quad: for modules with such, only these are compared."""

    def kept(o):
        return o // 16 % width % 2 == 0 and o // 16 // width % 2 == 0
    return {key: data if key[0] != "color" else b"".join(
        data[o:o + 4] if kept(o) else bytes(4) for o in range(0, len(data), 4))
            for key, data in outputs.items()}


def clipped(job):
    """Returns why this draw is no first choice: lavapipe clips to the view and draws the rest as several
    triangles, whose quads along their edges have their own helpers."""
    outside = any(abs(v) > p[3] for p in job["draw"]["positions"] for v in p[:2])
    return "triangles that reach beyond the target" if outside else None


def counted(path, module, seed, folder, timeout, views, run=None):
    """As draws.counted: a draw without clipped triangles, if possible. `views`: {"view_mask": ...}, or nothing."""
    def change(draw):
        draw.update(views)
    found = draws.counted(path, module, seed, folder, timeout, clipped, change, run)
    return found if found[0] else draws.counted(path, module, seed, folder, timeout, lambda _: None, change, run)


def runs_of_interpreter(interpreter, module):
    """Returns what runs jobs on the interpreter as draws.lavapipe() does."""
    kinds = {location: kind for location, _, kind, _ in module.outputs()}

    def run(jobs, folder, _):
        options = [*drives.FLUSH, "--max-steps=%d" % drives.SCOUT_STEPS]
        results = [interpreter.run(drives.write_job(job, folder, "alone"), options) for job in jobs]
        for color in (c for r in results for c in r.get("colors", [])):
            color["type"] = kinds.get(color["location"], "f32")
        return results
    return run


@dataclasses.dataclass
class Drive:
    """A counted draw."""
    job: dict
    types: dict
    result: dict     # lavapipe's
    coarse: bool     # has derivatives that need not be fine
    alone: bool = False      # the result is the interpreter's: lavapipe was not asked
    by_moves: bool = False   # never: moves are not changed here


def drive_of(a, path, module, seed, folder):
    """Returns (Drive, "") or (None, reason). Kept in a.cache, if set, by the module's bytes and the seed."""
    with open(path, "rb") as f:
        name = "%s.fragment%d.%d" % (hashlib.sha256(f.read()).hexdigest()[:24], CACHE_FORM, seed)
    views = {"view_mask": a.view_mask} if a.view_mask else {}
    name += ".views%x" % a.view_mask if views else ""
    entry = os.path.join(a.cache, name) if a.cache else None
    alone = a.no_lavapipe and not (entry and os.path.exists(entry))
    if alone and entry:
        entry += ".alone"
    if entry and os.path.exists(entry):
        with open(entry, "rb") as f:
            job, types, result, reason = pickle.load(f)
    else:
        try:
            run = runs_of_interpreter(a.interpreter, module) if alone else None
            job, types, result, reason = counted(path, module, seed, folder, a.timeout, views, run)
        except Unsupported as e:
            job, types, result, reason = None, None, None, "drive: %s" % e
        if entry:
            with open(entry, "wb") as f:
                pickle.dump((job, types, result, reason), f)
    if not job:
        return None, reason
    return Drive(job, types, result, draws.has_coarse_derivatives(module), alone), ""


def probe(interpreter, path, folder):
    """Returns (status, cause) of a module that cannot be imported, or ("", "")."""
    result = interpreter.run(drives.write_job({"shader": os.path.abspath(path)}, folder, "probe"))
    if result["ok"] or result["stage"] == "job":
        return "", ""
    return ("refused" if result["stage"] == "import" else "error",
            "%s: %s" % (result["cause"], result["error"]))


def evidence(interpreter, job, folder, outputs_of, tolerance, options):
    """runs_of for excuses.settle()."""

    def runs_of(kind):
        path = os.path.join(folder, "job.json")
        more = tolerance.loose if kind == "unstable" else []
        runs = [interpreter.run(path, [*options, *more, o]) for o in excuses.RUNS.get(kind, [])]
        if kind == "unstable":
            runs += [interpreter.run(drives.write_job(fragment_job.nudged(job, k), folder, "nudged"),
                                     options) for k in range(NUDGES)]
        return [outputs_of(r) for r in runs if r["ok"]]

    return runs_of


def compare_draw(interpreter, where, drive, result, folder, tolerance,
                 options=drives.FLUSH):
    """Returns a Comparison of a result of the draw, lavapipe's or the simulator's, with the interpreter's, or
    (status, cause)."""
    job = drive.job
    mine = interpreter.run(drives.write_job(job, folder, "job"), options)
    if not mine["ok"] and (mine["cause"] in ("deadline_exceeded", "timeout", "unimplemented")
                           or mine["error"].startswith("draw: ")):
        return "undriven", "interpreter: " + mine["error"]
    if not mine["ok"]:
        return "error", "%s: %s: %s" % (mine["stage"], mine["cause"], mine["error"])

    def compared_parts(outputs):
        outputs = draws.declared(outputs, {c["location"]: c["components"] for c in mine["colors"]})
        return first_of_quads(outputs, job["draw"]["width"]) if drive.coarse else outputs

    want = compared_parts(draws.everything(result))

    def outputs_of(run):
        found = compared_parts(draws.everything(run))
        # A render target that the program never writes keeps the clear value.
        found.update({key: bytes(len(data)) for key, data in want.items()
                      if key[0] == "color" and key not in found})
        return {key: found[key] for key in want if key in found}

    return excuses.compared(where, outputs_of(mine), want,
                            leaves(job, drive.types, want, draws.colour_kinds(drive.result)),
                            tolerance,
                            evidence(interpreter, job, folder, outputs_of, tolerance, options))


def judge(a, path, folder):
    """A judging.Verdict."""
    verdict = judging.Verdict(path)
    verdict.status, verdict.cause = probe(a.interpreter, path, folder)
    if verdict.status:
        return verdict
    try:
        module = fragment_job.FragmentModule.load(path)
    except Unsupported as e:
        verdict.undriven.append("drive: %s" % e)
        verdict.settle()
        return verdict
    tolerance = excuses.Tolerance.of(module, a.ulp)
    for seed in a.seeds:
        drive, reason = drive_of(a, path, module, seed, folder)
        if not drive:
            verdict.undriven.append(reason)
            continue
        found = compare_draw(a.interpreter, "seed %d lavapipe" % seed, drive, drive.result, folder,
                             tolerance)
        if isinstance(found, excuses.Comparison):
            verdict.comparisons.append(found)
        elif found[0] == "undriven":
            verdict.undriven.append(found[1])
        else:
            verdict.fail(*found)
    verdict.settle()
    return verdict


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--mir-run", required=True)
    p.add_argument("--optimise", action="store_true", help="run the target-independent passes")
    judging.add_view_mask(p)
    judging.add_arguments(p)
    a = p.parse_args()
    pool = processes.Pool()
    a.interpreter = drives.Interpreter(pool, a.mir_run, ["--optimise"] if a.optimise else [])
    verdicts = judging.judge_all(a, judge, lavapipe_interp.summary)
    pool.close()
    return judging.exit_status(verdicts)


if __name__ == "__main__":
    sys.exit(main())
