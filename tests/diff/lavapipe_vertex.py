#!/usr/bin/env python3
"""Judges importer and MIR interpreter by lavapipe: vertex modules are drawn on both.

    lavapipe_vertex.py --mir-run PATH [--optimise] [--cache DIR] [--out FILE] [--ulp 16] [--seeds 1,2]
                       [--view-mask MASK]
                       [--order SEED] [--count N] [--budget SECONDS] MODULE.spv... | @LIST

Draws come from tests/drive/vertex_job.py, one for each seed; a draw counts only if changing one arithmetic
operation of the module changes an output, a buffer or an image on lavapipe. Compares, for each
vertex of each instance, all scalars of outputs that the program stores, as they were written; buffers and
images. A component that it never stores is undefined and not compared. Statuses and excuses are those
of lavapipe_interp.py.
"""

import argparse
import dataclasses
import hashlib
import os
import pickle
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "drive")]
import drive  # noqa: E402
import drives  # noqa: E402
import excuses  # noqa: E402
import judging  # noqa: E402
import lavapipe_interp  # noqa: E402
import meshes  # noqa: E402
import peer  # noqa: E402
import processes  # noqa: E402
import vertex_job  # noqa: E402
from spirv_module import Unsupported  # noqa: E402

CACHE_FORM = 3
TRIES = 8   # changed operations for each recipe
KINDS = {"f32": "f", "u32": "u"}
NEVER_WRITTEN = bytes.fromhex("efbeadde")   # neither a small integer nor a small float (-6e18)


def lavapipe(jobs, folder, timeout):
    """Returns the results of draws; outputs as "hex"."""
    jobs = [dict(j, vertices=dict(j["vertices"], out=os.path.join(folder, "out%d" % k)))
            for k, j in enumerate(jobs)]
    results = peer.run_many(jobs, folder, timeout)
    for r in results:
        for part in r.get("outputs", []):
            with open(part["file"], "rb") as f:
                part["hex"] = f.read().hex()
    return results


def read_back(part):
    """Returns the bytes of an output. The simulator marks the bytes that were written; the others may hold
    anything and are set to NEVER_WRITTEN, which no program stores."""
    data, written = bytes.fromhex(part["hex"]), part.get("written")
    if written is None or "0" not in written:
        return data
    return b"".join(data[4 * k:4 * k + 4] if w == "1" else NEVER_WRITTEN for k, w in enumerate(written))


def scalars(result):
    """Returns ("out", place) -> dwords of all invocations, for outputs of lavapipe or the simulator; place is
    "position.2" or "location 3.1". An array of a built-in comes whole or as its elements, one after the
    other."""
    found, elements = {}, {}
    for part in result.get("outputs", []):
        data, n = read_back(part), part["components"]
        for c in range(n):
            if "builtin" in part:
                at = elements.get(part["builtin"], 0)
                elements[part["builtin"]] = at + 1
                place = "%s.%d" % (part["builtin"], at)
            else:
                place = "location %d.%d" % (part["location"], part["component"] + c)
            found["out", place] = b"".join(data[o:o + 4] for o in range(4 * c, len(data), 4 * n))
    return found


def own_place(output):
    return "out", "%s.%d" % (output.get("builtin", "location %d" % output.get("location", 0)),
                             output["component"])


def own_scalars(result):
    """Returns the same of mir_run's outputs."""
    return {own_place(o): bytes.fromhex(o["hex"]) for o in result.get("vertices", [])}


def own_types(result):
    """Returns ("out", place) -> leaves, by mir_run's outputs: their types are the module's."""
    return {own_place(o): [(at, KINDS[o["type"]], 32) for at in range(0, len(o["hex"]) // 2, 4)]
            for o in result.get("vertices", [])}


def everything(result, kept):
    """Returns name -> bytes of the kept scalars, and of buffers and images, of lavapipe's result."""
    found = {k: v for k, v in scalars(result).items() if k in kept}
    found.update(peer.outputs({"resources": result.get("resources", [])}))
    return found


def own_everything(result):
    """Returns name -> bytes of all outputs of an interpreter's result."""
    return {**own_scalars(result), **peer.outputs({"outputs": result["outputs"]})}


@dataclasses.dataclass
class Drive:
    """A counted draw."""
    job: dict
    types: dict      # of buffers and images
    result: dict     # lavapipe's
    by_moves: bool   # no changed arithmetic reaches an output
    alone: bool = False   # it counts by the interpreter: lavapipe was not asked


def run_interpreter(interpreter, job, folder, name="job", options=()):
    return interpreter.run(drives.write_job(job, folder, name), options)


def seen_by_lavapipe(jobs, kept, folder, timeout):
    """Returns [lavapipe's results or the reason why there are none, name -> bytes] of each job."""
    results = lavapipe(jobs, folder, timeout)
    return [(r, everything(r, kept)) if r.get("ok") else ("lavapipe: " + str(r.get("error"))[:120], None)
            for r in results]


def seen_by(interpreter):
    """Returns the same of the interpreter, whose results are None. Jobs run when they are asked for."""
    def seen(jobs, kept, folder, _):
        options = [*drives.FLUSH, "--max-steps=%d" % drives.SCOUT_STEPS]
        for job in jobs:
            r = run_interpreter(interpreter, job, folder, "alone", options)
            yield (None, own_everything(r)) if r["ok"] else ("interpreter: " + r["error"], None)
    return seen


def is_defined(interpreter, job, folder):
    """Returns True if the interpreter sees no undefined results of the program on this draw."""
    run = run_interpreter(interpreter, job, folder, "doubt", ["--races"])
    return run["ok"] and not (run["races"] or run["undefined_results"]
                              or run["outside_local_accesses"])


def counted(interpreter, path, module, seed, folder, timeout, views, seen=seen_by_lavapipe, **draws):
    """Returns (job, types, lavapipe's result, by moves, reason) of the first recipe whose draw counts, one
    without undefined results if there is any. By moves: no changed arithmetic reaches an output, a move does.
    `views`: {"view_mask": ...}, or nothing; `seen`: by whom changed modules are run; `draws`: see
    vertex_job.make_job."""
    reason = "no recipe ran"
    for by_moves in (False, True):
        doubtful = None
        chosen = drive.mutants(module, random.Random(seed), TRIES, by_moves)
        for recipe in range(len(vertex_job.ORDER) if chosen else 0):
            job, types = vertex_job.make_job(module, path, recipe, seed, **draws)
            job["vertices"].update(views)
            mine = run_interpreter(interpreter, job, folder, "scout")
            if not mine["ok"]:
                return None, None, None, False, "interpreter: %s" % mine["error"]
            defined = is_defined(interpreter, job, folder)
            if not defined and recipe >= vertex_job.USUAL:
                continue
            kept = own_scalars(mine)
            jobs = [job]
            for site, new in chosen:
                mutant = os.path.join(folder, "mutant%d.spv" % site)
                drive.mutate.write(module.words, site, new, mutant)
                jobs.append(dict(job, shader=mutant))
            others = iter(seen(jobs, kept, folder, timeout))
            result, base = next(others)
            if base is None:
                reason = result
                continue
            if not any(values is not None and values != base for _, values in others):
                reason = drive.NOTHING_CHANGES
                continue
            found = job, types, result, by_moves, ""
            if defined:
                return found
            doubtful = doubtful or found
        if doubtful:
            return doubtful
    return None, None, None, False, reason


def drive_of(a, path, module, seed, folder):
    """Returns (Drive, "") or (None, reason). Kept in a.cache, if set, by the module's bytes and the seed."""
    with open(path, "rb") as f:
        name = "%s.vertex%d.%d" % (hashlib.sha256(f.read()).hexdigest()[:24], CACHE_FORM, seed)
    views = {"view_mask": a.view_mask} if a.view_mask else {}
    name += ".views%x" % a.view_mask if views else ""
    draws = {}
    if a.meshes:
        draws = {"draws": meshes.DRAWS, "instanced": 0 if a.bins else 0.25}
        name += ".meshes%d%s" % (meshes.FORM, ".vertex_rates" if a.bins else "")
    entry = os.path.join(a.cache, name) if a.cache else None
    alone = a.no_lavapipe and not (entry and os.path.exists(entry))
    if alone and entry:
        entry += ".alone"
    if entry and os.path.exists(entry):
        with open(entry, "rb") as f:
            found = pickle.load(f)
    else:
        try:
            seen = seen_by(a.interpreter) if alone else seen_by_lavapipe
            found = counted(a.interpreter, path, module, seed, folder, a.timeout, views, seen, **draws)
        except Unsupported as e:
            found = None, None, None, False, "drive: %s" % e
        if entry:
            with open(entry, "wb") as f:
                pickle.dump(found, f)
    return (Drive(*found[:4], alone), "") if found[0] else (None, found[4])


def probe(interpreter, path, folder):
    """Returns (status, cause) of a module that cannot be imported, or ("", "")."""
    result = run_interpreter(interpreter, {"shader": os.path.abspath(path)}, folder, "probe")
    if result["ok"] or result["stage"] == "job":
        return "", ""
    return ("refused" if result["stage"] == "import" else "error",
            "%s: %s" % (result["cause"], result["error"]))


def only(values, needed):
    """Returns the outputs of those runs alone that `needed` marks with a 1; all without it."""
    if needed is None:
        return values
    runs = [k for k, mark in enumerate(needed) if mark == "1"]
    return {key: b"".join(data[4 * k:4 * k + 4] for k in runs) if key[0] == "out" else data
            for key, data in values.items()}


def compare_vertices(interpreter, where, drive_, result, folder, tolerance,
                     options=drives.FLUSH):
    """Returns a Comparison of a result of the draw, lavapipe's or the simulator's, with the interpreter's, or
    (status, cause). A result may name the runs that count ("needed")."""
    mine = run_interpreter(interpreter, drive_.job, folder, "job", options)
    if not mine["ok"] and mine["cause"] in ("deadline_exceeded", "timeout", "unimplemented"):
        return "undriven", "interpreter: " + mine["error"]
    if not mine["ok"]:
        return "error", "%s: %s: %s" % (mine["stage"], mine["cause"], mine["error"])
    kept = own_scalars(mine)
    theirs = scalars(result)
    missing = [key for key in kept if key not in theirs]
    if missing:
        return "error", "no output %s" % missing[0][1]
    needed = result.get("needed")
    want = only(everything(result, kept), needed)

    def outputs_of(run):
        found = only(own_everything(run), needed)
        return {key: found[key] for key in want if key in found}

    def runs_of(kind):
        more = tolerance.loose if kind == "unstable" else []
        runs = [run_interpreter(interpreter, drive_.job, folder, "job", [*options, *more, o])
                for o in excuses.RUNS.get(kind, [])]
        return [outputs_of(r) for r in runs if r["ok"]]

    types = {**drive_.types, **own_types(mine)}
    return excuses.compared(where, outputs_of(mine), want, types, tolerance, runs_of)


def judge(a, path, folder):
    """A judging.Verdict."""
    verdict = judging.Verdict(path)
    verdict.status, verdict.cause = probe(a.interpreter, path, folder)
    if verdict.status:
        return verdict
    try:
        module = vertex_job.VertexModule.load(path)
    except Unsupported as e:
        verdict.undriven.append("drive: %s" % e)
        verdict.settle()
        return verdict
    tolerance = excuses.Tolerance.of(module, a.ulp)
    for seed in a.seeds:
        found, reason = drive_of(a, path, module, seed, folder)
        if not found:
            verdict.undriven.append(reason)
            continue
        verdict.by_moves |= found.by_moves
        result = compare_vertices(a.interpreter, "seed %d lavapipe" % seed, found, found.result, folder,
                                  tolerance)
        if isinstance(result, excuses.Comparison):
            verdict.comparisons.append(result)
        elif result[0] == "undriven":
            verdict.undriven.append(result[1])
        else:
            verdict.fail(*result)
    verdict.settle()
    return verdict


def summary(verdicts):
    print("counted by changed moves, since no changed arithmetic reaches an output: %d modules" % sum(
        v.by_moves for v in verdicts))
    lavapipe_interp.summary(verdicts)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--mir-run", required=True)
    p.add_argument("--optimise", action="store_true", help="run the target-independent passes")
    judging.add_view_mask(p)
    judging.add_arguments(p)
    a = p.parse_args()
    pool = processes.Pool()
    a.interpreter = drives.Interpreter(pool, a.mir_run, ["--optimise"] if a.optimise else [])
    verdicts = judging.judge_all(a, judge, summary)
    pool.close()
    return judging.exit_status(verdicts)


if __name__ == "__main__":
    sys.exit(main())
