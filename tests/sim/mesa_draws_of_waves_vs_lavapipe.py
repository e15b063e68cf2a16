#!/usr/bin/env python3
"""Proves the gfx1030 simulator on draws of another compiler: Mesa's fragment or vertex binaries, run in the simulator
in contract mode, against the same draws on lavapipe.

    mesa_draws_of_waves_vs_lavapipe.py --stage fragment --bins DIR [--bins DIR] --rdna2-run PATH [--draw 60] [--seed 1]

DIR holds the output of `run-peer navi21 --dump-bin DIR MODULES...`. Modules are drawn at random (by the seed) from all
that have a record of the stage; none is left out by name or by the instructions it uses, and every outcome is listed
with its cause. With several folders each module drawn is judged once for each: of waves of 32 and of 64 lanes,
say, or with and without code that leaves out primitives.

Drives, comparison and outcomes are those of mesa_fragments_vs_lavapipe.py and mesa_vertex_vs_lavapipe.py; besides them,
"unsupported" is what the simulator names as not modelled. Vertices are drawn so many that workgroups have several
waves, and no attribute advances by instance: Mesa's programs were compiled for none.

With --ngg-culling=N vertex programs are told to leave out primitives (SgprContent::kNggCulling in core/out/amd_launch.h,
for a viewport of 16 x 16). Vertices of primitives that were left out have no outputs; the others must agree, and
those without outputs belong only to primitives that cannot be seen (of what N asks for: faces, small ones; always what
lies outside). Their number is printed.
"""

import argparse
import collections
import functools
import json
import os
import random
import struct
import sys
import tempfile

import fragment_job
import launch_records
import mesa_fragments_vs_lavapipe as fragments
import mesa_vertex_vs_lavapipe as vertices
import vertex_draws
from spirv_module import Unsupported

STATUSES = ("agree", "contract", "differ", "noise", "undefined", "error", "unsupported", "undriven")

# Plain, indexed with an offset, instanced. A workgroup has at most 128 vertices.
DRAWS = [
    {"count": 150},
    {"indices": [(7 * k + k // 5) % 61 for k in range(140)], "vertex_offset": 2},
    {"count": 71, "first_vertex": 2, "instances": 2, "first_instance": 1},
]
GROUP = 128


def modules(folders, stage):
    """Returns module -> entry point -> launch records, one of each folder."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for folder in folders:
        for path, record in launch_records.of_stage(folder, stage):
            found[record["file"]][record["entry_point"]].append((path, record))
    return found


def undefined_use(run, launches, job, folder):
    for launch, _ in launches[:1]:
        return fragments.undefined_use(run, launch, job, folder)
    return None


def positions(want):
    """Returns the positions of lavapipe's vertices."""
    columns = [want[(("out", "position"), c)] for c in range(4)]
    return [tuple(struct.unpack("<f", struct.pack("<I", v))[0] for v in p) for p in zip(*columns)]


def hidden(corners, bits):
    """Tells whether a triangle may be left out."""
    if any(v != v for c in corners for v in c):
        return True
    if all(c[3] <= 0 for c in corners):
        return True
    if any(c[3] == 0 for c in corners):
        return True
    points = [(x / w, y / w) for x, y, _, w in corners]
    (x0, y0), (x1, y1), (x2, y2) = points
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if sum(c[3] < 0 for c in corners) % 2:
        area = -area
    # The program's rounding may take an area for 0, or for one of the other sign.
    slack = 1e-5 * (abs((x1 - x0) * (y2 - y0)) + abs((x2 - x0) * (y1 - y0)))
    if abs(area) <= slack:
        return True
    counter_clockwise = area < 0   # y points down: Vulkan 1.3, "Basic Polygon Rasterization"
    front = counter_clockwise == bool(bits & 4)
    if bits & (1 if front else 2):
        return True
    if any(c[3] < 0 for c in corners):
        return False
    low, high = [min(p[i] for p in points) for i in (0, 1)], [max(p[i] for p in points) for i in (0, 1)]
    if any(l > 1 - 1e-5 for l in low) or any(h < -1 + 1e-5 for h in high):
        return True
    # No centre of a pixel lies inside the box, which is larger by what bits 31:24 say, but for rounding.
    margin = 2.0 ** ((bits >> 24) - (bits >> 31 << 8)) - 1e-5
    return bool(bits & 8) and any(round(8 * l + 8 - margin) == round(8 * h + 8 + margin)
                                  for l, h in zip(low, high))


def without_culled(job, want, got, bits):
    """Returns (an error or None, number of vertices without outputs). `got`: the dwords of a run that left out some."""
    at = positions(want)
    draw = job["vertices"]
    count = len(draw["indices"]) if "indices" in draw else draw["count"]
    lost = [run for run, v in enumerate(got[(("out", "position"), 0)]) if v is None]
    for run in lost:
        first = run - run % count + run % count // GROUP * GROUP
        end = min(first + GROUP, run - run % count + count)
        for k in range(max(first, run - 2), min(run, end - 3) + 1):
            if not hidden(at[k:k + 3], bits):
                return "the triangle from run %d is left out: %s" % (k, at[k:k + 3]), len(lost)
    return None, len(lost)


def judge_culling(a, launch, job, types, want, kinds, folder):
    """Returns (status, cause, vertices without outputs) of a run that leaves out primitives."""
    got = fragments.simulate(a.rdna2_run, launch, job, folder, ["--ngg-culling=%d" % a.ngg_culling])
    if not got.get("ok"):
        return "error", got.get("error", "")[:300], 0
    whole = fragments.simulate(a.rdna2_run, launch, job, folder)
    outputs = vertices.everything(got)
    wrong, lost = without_culled(job, vertices.dwords(want), outputs[0], a.ngg_culling)
    if wrong is None:
        # With the run that leaves out nothing, which agrees with lavapipe as well as rounding lets it.
        plain = vertices.everything(whole)
        plain = {k: v for k, v in plain[0].items() if k in vertices.dwords(want)}, plain[1]
        for key, values in plain[0].items():
            outputs[0][key] = [w if v is None else v for v, w in zip(outputs[0][key], values)]
        wrong, _ = vertices.differences(job, plain, outputs, [], types, kinds, a.ulp)
    return ("differ", wrong, lost) if wrong else ("agree", "", lost)


def judge(a, launch, job, types, want, module, folder):
    """Returns (status, cause, dwords that agree loosely, vertices that were left out)."""
    lost = 0
    if a.stage == "fragment":
        status, cause, loose = fragments.judge(a.rdna2_run, launch, job, types, want, module, folder, a.ulp, (), False)
    else:
        kinds = vertices.kinds_of(module)
        status, cause, loose = vertices.judge(a.rdna2_run, launch, job, types, want, kinds, folder, a.ulp, (), False)
        if status == "agree" and a.ngg_culling:
            status, cause, lost = judge_culling(a, launch, job, types, want, kinds, folder)
    if status == "error" and "unsupported" in cause:
        status = "unsupported"
    if status == "differ" and fragments.has_sine_noise(module):
        status = "noise"
    return status, cause, loose, lost


def drive_of(a, path, entries, folder):
    """Returns (module, records of its first entry point, job, types, lavapipe's result, reason)."""
    stage = fragment_job.FragmentModule if a.stage == "fragment" else vertex_draws.VertexModule
    try:
        module = stage.load(path)
        launches = entries.get(module.entry_name)
        if not launches:
            return module, sum(entries.values(), []), None, None, None, "no record of the first entry point"
        accept = functools.partial(undefined_use, a.rdna2_run, launches, folder=folder)
        if a.stage == "fragment":
            found = fragments.counted(path, module, a.seed, folder, a.timeout, accept)
        else:
            make = functools.partial(vertex_draws.make_job, draws=DRAWS, instanced=0)
            found = vertices.counted(path, module, a.seed, folder, a.timeout, accept, make=make)
    except Unsupported as e:
        return None, sum(entries.values(), []), None, None, None, "drive: %s" % e
    return (module, launches, *found)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--stage", required=True, choices=("fragment", "vertex"))
    p.add_argument("--bins", required=True, action="append")
    p.add_argument("--rdna2-run", required=True)
    p.add_argument("--draw", type=int, default=60, help="modules")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--ulp", type=int, default=16)
    p.add_argument("--timeout", type=int, default=20, help="seconds for one run of lavapipe")
    p.add_argument("--ngg-culling", type=lambda v: int(v, 0), default=0)
    p.add_argument("--only", help="part of the modules' names")
    p.add_argument("--keep", help="folder for the jobs that ran, by module")
    p.add_argument("--out", help="JSON lines, one per binary")
    a = p.parse_args()
    pool = modules(a.bins, a.stage)
    if not pool:
        sys.exit("no launch records of %s programs" % a.stage)
    drawn = [d for d in random.Random(a.seed).sample(sorted(pool), len(pool)) if not a.only or a.only in d][:a.draw]
    totals, loose_total, lost_total = collections.Counter(), 0, 0
    out = open(a.out, "w") if a.out else None
    for path in drawn:
        with tempfile.TemporaryDirectory() as folder:
            module, launches, job, types, want, reason = drive_of(a, path, pool[path], folder)
            if job and a.keep:
                with open(os.path.join(a.keep, os.path.basename(path) + ".json"), "w") as f:
                    json.dump(job, f)
            for launch, record in launches:
                status, cause, loose, lost = "undriven", reason, 0, 0
                if job:
                    status, cause, loose, lost = judge(a, launch, job, types, want, module, folder)
                bins = os.path.basename(os.path.dirname(launch))
                totals[bins, status] += 1
                loose_total += loose
                lost_total += lost
                print("%-11s %-50s wave%d %s%s%s" % (
                    status, "/".join(path.split("/")[-2:]), record["dispatch_width"], cause,
                    " (%d loose)" % loose if loose else "", " (%d left out)" % lost if lost else ""), flush=True)
                if out:
                    json.dump({"launch": launch, "status": status, "cause": cause, "loose": loose, "left_out": lost}, out)
                    out.write("\n")
                    out.flush()
    print("\npool %d modules, drawn %d" % (len(pool), len(drawn)))
    for bins in sorted({b for b, _ in totals}):
        print("%s: %s" % (bins, ", ".join("%s %d" % (s, totals[bins, s]) for s in STATUSES if totals[bins, s])))
    print("dwords that agree only by what changed draws do: %d; vertices left out: %d" % (loose_total, lost_total))
    return 1 if any(s in ("contract", "differ", "error") for _, s in totals) else 0


if __name__ == "__main__":
    sys.exit(main())
