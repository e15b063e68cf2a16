#!/usr/bin/env python3
"""Proves the EU simulator on vertex programs of another compiler: Mesa's binaries, run in the simulator in
contract mode, with and without fusion, against the outputs that lavapipe captures for the same draw.

    mesa_vertex_vs_lavapipe.py --bins DIR --eu-run PATH [--draw 60] [--seed 1] [--out FILE]

DIR holds the output of `run-peer tgl --dump-bin DIR MODULES...`. Modules are drawn at random (by the seed)
from all that have a vertex record; none is left out by name or by the messages it uses. A drive that does
not count (no changed operation of the module changes an output, a buffer or an image) is listed as
undriven.

Compares all outputs of all vertices that lavapipe returns, buffers and images. Integers must be
equal, floats within --ulp units in the last place or 4e-6. Implementations may round sums of products
differently, and programs may amplify that: a dword may differ by SLACK times the change that it shows when
attributes and buffers are changed by 2^-22 of themselves (several runs of the simulator). The number of dwords
that needed that is printed. An output that the program never writes is a difference. Outputs that change in
the opposite order and with other contents of undefined registers are listed as "undefined". Binaries that
break contract mode run again without it; those that agree then are listed separately ("contract").
"""

import argparse
import collections
import json
import os
import random
import sys
import tempfile

import launch_records
import mesa_fragments_vs_lavapipe as fragments
import vertex_draws
from fragment_job import drive
from mesa_fragments_vs_lavapipe import close, compare, peer, simulate, texels
from spirv_module import Unsupported

NUDGE = 2.0 ** -22
NUDGES = 8      # changed draws
STATUSES = ("agree", "contract", "differ", "noise", "undefined", "error", "undriven")


def modules(folder):
    """Returns module -> entry point -> launch record of its vertex binary."""
    found = {}
    for path, record in launch_records.of_stage(folder, "vertex"):
        found.setdefault(record["file"], {})[record["entry_point"]] = path
    return found


def lavapipe(jobs, folder, timeout):
    """Returns the results of draws; outputs as bytes."""
    jobs = [dict(j, vertices=dict(j["vertices"], out=os.path.join(folder, "out%d" % k)))
            for k, j in enumerate(jobs)]
    results = peer.run_many(jobs, folder, timeout)
    for r in results:
        for part in r.get("outputs", []):
            with open(part["file"], "rb") as f:
                part["hex"] = f.read().hex()
    return results


def name_of(output):
    return ("out", output["builtin"]) if "builtin" in output else ("out", output["location"])


def outputs(result):
    """Returns name -> list of (component, components, bytes, written) of the outputs of vertices."""
    found = collections.defaultdict(list)
    for o in result.get("outputs", []):
        found[name_of(o)].append((o.get("component", 0), o["components"], bytes.fromhex(o["hex"]),
                                  o.get("written")))
    return found


def dwords(result):
    """Returns (name, component) -> list of dwords of all vertices; None where the program wrote nothing."""
    found = {}
    for name, parts in outputs(result).items():
        for first, count, data, written in parts:
            for c in range(count):
                places = range(c, len(data) // 4, count)
                found[name, first + c] = [
                    int.from_bytes(data[4 * k:4 * k + 4], "little")
                    if written is None or written[k] == "1" else None for k in places]
    return found


def everything(result):
    return dwords(result), peer.outputs({"resources": result.get("resources", [])})


def kinds_of(module):
    """Returns (name, component) -> kind, from the module's outputs: integers are compared exactly."""
    found = {(("out", "layer"), 0): "i", (("out", "viewport"), 0): "i"}
    for location, component, kind, n in module.outputs():
        for c in range(component, component + n):
            found[("out", location), c] = kind[0]
    return found


def counted(path, module, seed, folder, timeout, accept, view_mask=0, make=vertex_draws.make_job):
    """Returns (job, types, lavapipe's result, reason) of the first recipe whose drive counts. `accept`, given a
    job, may return a reason why it is no drive. In modules without arithmetic a view must change an output. `make`:
    as vertex_draws.make_job."""
    reason = "no recipe ran"
    rng = random.Random(seed)
    chosen = drive.mutants(module, rng, 4, False) or (view_mask and drive.mutants(module, rng, 4, True))
    if not chosen:
        return None, None, None, "no arithmetic"
    for recipe in range(len(vertex_draws.ORDER)):
        job, types = make(module, path, recipe, seed)
        if view_mask:
            job["vertices"]["view_mask"] = view_mask
        refused = accept(job)
        if refused:
            reason = refused
            continue
        jobs = [job]
        for site, new in chosen:
            mutant = os.path.join(folder, "mutant%d.spv" % site)
            drive.mutate.write(module.words, site, new, mutant)
            jobs.append(dict(job, shader=mutant))
        results = lavapipe(jobs, folder, timeout)
        if not results[0].get("ok"):
            reason = "lavapipe: " + str(results[0].get("error"))[:120]
            if "time" in reason:
                break
            continue
        base = everything(results[0])
        if any(r.get("ok") and everything(r) != base for r in results[1:]):
            return job, types, results[0], ""
        reason = drive.NOTHING_CHANGES
    return None, None, None, reason


def output_differences(want, got, others, kinds, ulp):
    loose = 0
    for key, values in sorted(want.items(), key=str):
        (_, name), component = key
        where = "output %s component %d" % (name, component)
        if key not in got:
            return "%s: not returned" % where, loose
        if len(values) != len(got[key]):
            return "%s: %d and %d vertices" % (where, len(values), len(got[key])), loose
        for run, (a, b) in enumerate(zip(values, got[key])):
            if b is None:
                return "%s of run %d: never written" % (where, run), loose
            kind = kinds.get(key, "f")
            verdict = close(kind, 32, a, b, [o[key][run] for o in others], ulp)
            loose += verdict == 1
            if verdict == 0:
                text = [compare.value(v, 32) if kind == "f" else v for v in (a, b)]
                return "%s of run %d: want %s, got %s" % (where, run, *text), loose
    return None, loose


def differences(job, want, got, others, types, kinds, ulp):
    """Returns (None or the first difference, dwords that agree only by their change in changed draws)."""
    difference, loose = output_differences(want[0], got[0], [o[0] for o in others], kinds, ulp)
    if difference:
        return difference, loose
    return fragments.differences(job, want[1], got[1], [o[1] for o in others], types, {}, ulp)[0], loose


def wrong_layer(job, got):
    """Returns a run whose layer is not its view: runs are in the order instance, view, vertex."""
    draw = job["vertices"]
    views = [v for v in range(32) if draw.get("view_mask", 0) >> v & 1]
    if not views:
        return None
    layers = dwords(got).get((("out", "layer"), 0))
    if layers is None:
        return "the layer is not written"
    count = len(draw["indices"]) if "indices" in draw else draw["count"]
    want = [v for _ in range(draw.get("instances", 1)) for v in views for _ in range(count)]
    return None if layers == want else "layers: want %s, got %s" % (want, layers)


def judge(eu_run, launch, job, types, want, kinds, folder, ulp, options=(), fusion=True):
    """Returns (status, cause, dwords that agree loosely). `fusion`: as for fragments.judge."""
    got = simulate(eu_run, launch, job, folder, options)
    if got.get("ok") and wrong_layer(job, got):
        return "differ", wrong_layer(job, got), 0
    if got.get("error", "").startswith("contract"):
        status, cause, loose = judge(eu_run, launch, job, types, want, kinds, folder, ulp,
                                     ["--no-contract"], fusion)
        return ("contract" if status == "agree" else status,
                "%s; without contract mode: %s %s" % (got["error"][:200], status, cause), loose)
    if not got.get("ok"):
        return "error", got.get("error", "")[:300], 0
    plain = [job, everything(want), everything(got)]
    difference, loose = differences(*plain, [], types, kinds, ulp)
    if difference and "never written" not in difference:
        others = [simulate(eu_run, launch, vertex_draws.nudged(job, types, k, NUDGE), folder, options)
                  for k in range(NUDGES)]
        others = [everything(o) for o in others if o.get("ok")]
        difference, loose = differences(*plain, others, types, kinds, ulp)
    opposite = simulate(eu_run, launch, job, folder, ["--opposite", *options])
    if not opposite.get("ok") or wanted(opposite, want) != wanted(got, want):
        return "undefined", "changes with order or undefined contents: %s" % (
            opposite.get("error") or difference), loose
    if difference:
        return "differ", difference, loose
    if not fusion:
        return "agree", "", loose
    fused = simulate(eu_run, launch, job, folder, ["--fusion", *options])
    if not fused.get("ok") or wanted(fused, want) != wanted(got, want) or wrong_layer(job, fused):
        return "differ", "fusion mode: %s" % fused.get("error", "outputs differ"), loose
    return "agree", "", loose


def wanted(result, want):
    """Returns the part of a simulator's result that lavapipe returns too: the other components of a slot that is
    written whole are undefined."""
    values, resources = everything(result)
    return {k: v for k, v in values.items() if k in dwords(want)}, resources


def prove(path, launches, a):
    """Returns (status, cause, loose) of one module, for its first vertex entry point."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            module = vertex_draws.VertexModule.load(path)
            launch = launches.get(module.entry_name)
            if launch is None:
                return "undriven", "no record of the first entry point", 0
            kinds = kinds_of(module)
            job, types, want, reason = counted(
                path, module, a.seed, folder, a.timeout,
                lambda j: fragments.undefined_use(a.eu_run, launch, j, folder), a.view_mask)
        except Unsupported as e:
            return "undriven", "drive: %s" % e, 0
        if job is None:
            return "undriven", reason, 0
        if a.keep:
            with open(os.path.join(a.keep, os.path.basename(path) + ".json"), "w") as f:
                json.dump(job, f)
        status, cause, loose = judge(a.eu_run, launch, job, types, want, kinds, folder, a.ulp)
        if status == "differ" and fragments.has_sine_noise(module):
            status = "noise"
        return status, cause, loose


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--bins", required=True)
    p.add_argument("--eu-run", required=True)
    p.add_argument("--draw", type=int, default=60, help="modules")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--ulp", type=int, default=16)
    p.add_argument("--timeout", type=int, default=20, help="seconds for one run of lavapipe")
    p.add_argument("--view-mask", type=lambda v: int(v, 0), default=0,
                   help="of multiview: that with which the binaries were made")
    p.add_argument("--only", help="part of the modules' names")
    p.add_argument("--keep", help="folder for the jobs that ran, by module")
    p.add_argument("--out", help="JSON lines, one per binary")
    a = p.parse_args()
    pool = modules(a.bins)
    if not pool:
        sys.exit("no launch records of vertex programs in %s" % a.bins)
    drawn = random.Random(a.seed).sample(sorted(pool), len(pool))
    drawn = [d for d in drawn if not a.only or a.only in d][:a.draw]
    totals, loose_total = collections.Counter(), 0
    out = open(a.out, "w") if a.out else None
    for path in drawn:
        status, cause, loose = prove(path, pool[path], a)
        totals[status] += 1
        loose_total += loose
        print("%-9s %-50s %s%s" % (status, "/".join(path.split("/")[-2:]), cause,
                                   " (%d loose)" % loose if loose else ""), flush=True)
        if out:
            json.dump({"launch": sorted(pool[path].values())[0], "status": status, "cause": cause, "loose": loose}, out)
            out.write("\n")
            out.flush()
    print("\npool %d modules, drawn %d" % (len(pool), len(drawn)))
    print(", ".join("%s %d" % (s, totals[s]) for s in STATUSES))
    print("dwords that agree only by what changed draws do: %d" % loose_total)
    return 1 if any(totals[s] for s in ("contract", "differ", "error")) else 0


if __name__ == "__main__":
    sys.exit(main())
