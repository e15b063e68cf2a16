#!/usr/bin/env python3
"""Judges fragment modules in pipelines of several samples: Kiln's binaries of all widths in the
simulator, in contract mode, against the same draws on lavapipe.

    samples_vs_lavapipe.py --kiln-bins PATH --eu-run PATH [--samples 4] [--sample-shading] [--seed 1]
                           MODULE.spv... | @LIST
    samples_vs_lavapipe.py --kiln-bins PATH --eu-run PATH [--samples 4] [--sample-shading]
                           --alpha-to-coverage MODULE.spv...

With --rdna2-run PATH instead of --eu-run the target is gfx1030, at waves of 32 and of 64 lanes.
Compares colours, depth, stencil, buffers and images sample by sample, as mesa_fragments_vs_lavapipe.py does.

In a program that runs for each sample, Vulkan lets inputs that are declared neither `sample` nor `centroid` be
evaluated at the pixel's centre or at the sample ("Sample Shading": it permits both). Lavapipe does the former,
Kiln's code the latter: there lavapipe draws a copy of the module in which they are declared `sample`. The copy still
has interpolateAtCentroid, which lavapipe evaluates at the pixel's centroid and Kiln's code at the sample: such
modules differ (frag_interpolate_at_centroid.frag). So do those with locations that are flat in part, which lavapipe
interpolates as a whole (frag_input_flat_and_smooth.frag), and reductions over subgroups in which helpers take part,
as they may (frag_subgroup_atomic.frag).

The triangles have the same w at all vertices. With others lavapipe divides an input that is evaluated anywhere but
at the centre by the w of the centre: for frag_input_sample.frag and w from 1 to 2 its result is within
1.4e-7 of that, and up to 0.016 from the value that Vulkan defines ("Polygon Rasterization").

The implementation decides which samples a value of alpha covers ("Multisample Coverage": the number of ones is
to be proportional to alpha, none at 0, all at 1). So with --alpha-to-coverage the module, whose input at
location 0 is a vec4 with the alpha of location 0 as its w, is drawn with alphas from below 0 to above 1.
Requirements on Kiln's code: no sample at 0 and below; at 1 and above exactly those that lavapipe covers; in between
a number that never falls while alpha rises (lavapipe's depends on the pixel too, as it may) and is within one of
the proportion; and every covered sample has the colour that lavapipe gives it without the state.
In a program that runs for each sample, each sample has its own alpha, which decides its coverage: over the
samples of a pixel the number is within one of the bounds by the least and the greatest of their alphas, and a sample
is never lost while its alpha rises. Lavapipe with the state must first meet the same, except there: it loses
samples whose own alpha is above 1 (frag_alpha_to_coverage.frag). Programs for tgl that leave the coverage to hardware,
which its simulator does not model, are listed as "hardware"; gfx1030's does.
"""

import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

import fragment_job
import mesa_fragments_vs_lavapipe as draws

SAMPLE, FLAT, CENTROID = 17, 14, 16   # decorations
OP_CAPABILITY, OP_DECORATE, SAMPLE_RATE_SHADING = 17, 71, 35
CLIP_DISTANCE, CULL_DISTANCE, POINT_COORD, SAMPLE_ID, SAMPLE_POSITION = 3, 4, 16, 18, 19   # built-ins
NAME_OPS = range(5, 9)
SIZE = 16
PLACES = [(0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875)]   # standardSampleLocations of 4


def per_sample(module, shading):
    """Returns True if the program runs for each sample."""
    return shading or any(
        storage == 1 and (SAMPLE in d or d.get(fragment_job.BUILTIN) in (SAMPLE_ID, SAMPLE_POSITION))
        for id_, _, storage in module.variables for d in [module.decorations.get(id_, {})])


def at_samples(module):
    """Returns the module's words with its interpolated inputs declared `sample`."""
    added = []
    for id_, _, storage in module.variables:
        d = module.decorations.get(id_, {})
        interpolated = d.get(fragment_job.BUILTIN, CLIP_DISTANCE) in (CLIP_DISTANCE, CULL_DISTANCE, POINT_COORD)
        if storage == 1 and interpolated and not {FLAT, SAMPLE} & set(d):
            added += [3 << 16 | OP_DECORATE, id_, SAMPLE]
    removed = {i for i, d in module.decorations.items() if CENTROID in d}
    words, out = list(module.words), list(module.words[:5])
    out += [2 << 16 | OP_CAPABILITY, SAMPLE_RATE_SHADING]
    at = 5
    while at < len(words):
        op, count = words[at] & 0xffff, words[at] >> 16
        inst = words[at:at + count]
        if op == OP_DECORATE and added:
            out += added
            added = []
        if not (op == OP_DECORATE and inst[1] in removed and inst[2] == CENTROID):
            out += inst
        at += count
    return out


def clipped(job):
    """Returns why this is no drive: lavapipe clips to the view, and the rest are several triangles, whose fragments
    along their common edges each have a part of the samples."""
    outside = any(abs(v) > p[3] for p in job["draw"]["positions"] for v in p[:2])
    return "triangles that reach beyond the target" if outside else None


def without_perspective(a, draw):
    draw.update(samples=a.samples, sample_shading=a.sample_shading,
                positions=[[v / p[3] for v in p] for p in draw["positions"]])


def compiled(a, path, folder):
    """Returns ({width: launch record's path}, the compiler's message)."""
    options = ["--target=gfx1030"] if a.rdna2_run else []
    options += ["--samples=%d" % a.samples]
    options += ["--sample-shading"] if a.sample_shading else []
    options += ["--alpha-to-coverage"] if a.alpha_to_coverage else []
    p = subprocess.run([a.kiln_bins, *options, folder, path], stdout=subprocess.PIPE, text=True, check=True)
    found = {}
    for launch in glob.glob(os.path.join(folder, "*.launch.json")):
        with open(launch) as f:
            found[json.load(f)["dispatch_width"]] = launch
    return found, p.stdout.split(":", 1)[1].strip()


def drawn_by_lavapipe(a, path, module, folder):
    """Returns the file of the module that lavapipe draws."""
    if not per_sample(module, a.sample_shading):
        return path
    drawn_path = os.path.join(folder, "at_samples.spv")
    with open(drawn_path, "wb") as f:
        for word in at_samples(module):
            f.write(word.to_bytes(4, "little"))
    return drawn_path


def judge(a, path, bins, folder):
    """Yields (status, width, cause) of the launch records `bins`, by width."""
    module = fragment_job.FragmentModule.load(path)
    drawn_path = drawn_by_lavapipe(a, path, module, folder)
    drawn = fragment_job.FragmentModule.load(drawn_path)
    job, types, want, reason = draws.counted(drawn_path, drawn, a.seed, folder, a.timeout, clipped,
                                             lambda draw: without_perspective(a, draw))
    for width, launch in sorted(bins.items()):
        if not job:
            yield "undriven", width, reason
            continue
        status, cause, loose = draws.judge(a.run, launch, job, types, want, module, folder, a.ulp,
                                          fusion=not a.rdna2_run)
        yield status, width, "%s%s" % (cause, " (%d loose)" % loose if loose else "")


# ---- alpha to coverage ----

def covered(colours, pixel, samples):
    """Returns the samples of a pixel that have a colour: their x is drawn as 1."""
    return {s for s in range(samples) if any(
        c[16 * (pixel * samples + s):16 * (pixel * samples + s) + 4] != bytes(4) for c in colours)}


def within_unit(x):
    return min(max(x, 0), 1)


def rises(pairs):
    """Returns True if the second of (alpha, covered) never falls while the first rises."""
    counts = [n for _, n in sorted(pairs)]
    return counts == sorted(counts)


def coverage_fault(a, alphas, plain, all_covered, got, dithered):
    """Returns the fault in the samples that a draw covers, or None. `alphas`: for each pixel those of its samples.
    `dithered`: the number may depend on the pixel's position."""
    numbers, by_alpha, by_sample = set(), [], [[] for _ in range(a.samples)]
    for pixel, of_samples in enumerate(alphas):
        mine, most = covered(got.values(), pixel, a.samples), all_covered[pixel]
        least, greatest = min(of_samples), max(of_samples)
        where = "pixel %d, alpha %g to %g: %s of %s" % (pixel, least, greatest, sorted(mine), sorted(most))
        if not mine <= most:
            return "too many: " + where
        if any((of_samples[s] <= 0 and s in mine) or (of_samples[s] >= 1 and s not in mine) for s in most):
            return "ends: " + where
        if len(most) == a.samples:
            numbers.add(len(mine))
            if least == greatest:
                by_alpha.append((least, len(mine)))
            if not within_unit(least) * a.samples - 1 <= len(mine) <= within_unit(greatest) * a.samples + 1:
                return "no proportion: " + where
        for s in most:
            by_sample[s].append((of_samples[s], s in mine))
        for name, data in got.items():
            for s in mine:
                at = 16 * (pixel * a.samples + s)
                if not draws.compare.near("f", *(int.from_bytes(d[at:at + 4], "little")
                                                 for d in (plain[name], data)), 32, a.ulp):
                    return "colour: " + where
    if not dithered and not (rises(by_alpha) and all(rises(of_one) for of_one in by_sample)):
        return "falls"
    if len(numbers) <= a.samples:
        return "not every number occurs: %s" % sorted(numbers)
    return None


def judge_coverage(a, path, bins, folder):
    """Yields (status, width, cause) of the launch records `bins`, by width."""
    # One triangle that covers the render target, whose alpha is a function of x and y without equal
    # values.
    values = [1, 1, 1, -1, 1, 1, 1, 4.9, 1, 1, 1, -0.7]
    draw = {"width": SIZE, "height": SIZE, "samples": a.samples, "sample_shading": a.sample_shading,
            "inputs": [{"location": 0, "f32": values}]}
    module = fragment_job.FragmentModule.load(path)
    job = {"shader": os.path.abspath(drawn_by_lavapipe(a, path, module, folder)), "resources": [], "draw": draw}
    plain_result, with_state = draws.lavapipe([job, dict(job, draw=dict(draw, alpha_to_coverage=True))],
                                              folder, a.timeout)
    if not (plain_result.get("ok") and with_state.get("ok")):
        yield "undriven", 0, str(plain_result.get("error") or with_state.get("error"))
        return

    def colours(result):
        return {k: v for k, v in draws.everything(result).items() if k[0] == "color"}
    plain, theirs = colours(plain_result), colours(with_state)
    shaded = per_sample(module, a.sample_shading)
    places = PLACES if shaded else [(0.5, 0.5)] * a.samples
    alphas = [[values[3] + ((values[7] - values[3]) * (x + u) + (values[11] - values[3]) * (y + v)) / (2 * SIZE)
               for u, v in places] for y in range(SIZE) for x in range(SIZE)]
    every = [covered(plain.values(), p, a.samples) for p in range(SIZE * SIZE)]
    # checks lavapipe before Kiln
    fault = coverage_fault(a, alphas, plain, every, theirs, dithered=True)
    if fault and not shaded:
        yield "undriven", 0, "lavapipe: " + fault
        return
    for width, launch in sorted(bins.items()):
        with open(launch) as f:
            by_program = json.load(f)["fragment"]["outputs"]["sample_mask"]
        got = draws.simulate(a.run, launch, dict(job, draw=dict(draw, alpha_to_coverage=True)) if a.rdna2_run else job,
                             folder)
        if not by_program and not a.rdna2_run:
            yield "hardware", width, ""
        elif not got.get("ok"):
            yield "error", width, got.get("error", "")[:300]
        else:
            fault = coverage_fault(a, alphas, plain, every, colours(got), dithered=False)
            yield ("differ" if fault else "agree"), width, fault or ""


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--kiln-bins", required=True)
    simulator = p.add_mutually_exclusive_group(required=True)
    simulator.add_argument("--eu-run")
    simulator.add_argument("--rdna2-run")
    p.add_argument("--samples", type=int, default=4, choices=[4])
    p.add_argument("--sample-shading", action="store_true")
    p.add_argument("--alpha-to-coverage", action="store_true")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--ulp", type=int, default=16)
    p.add_argument("--timeout", type=int, default=20, help="seconds for one run of lavapipe")
    p.add_argument("modules", nargs="+")
    a = p.parse_args()
    a.run = a.rdna2_run or a.eu_run
    paths = [line for m in a.modules
             for line in (open(m[1:]).read().split() if m.startswith("@") else [m])]
    totals = collections.Counter()
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            try:
                bins, said = compiled(a, path, folder)
                judged = (judge_coverage if a.alpha_to_coverage else judge)(a, path, bins, folder)
                for status, width, cause in judged if bins else [("refused", 0, said)]:
                    totals[status, width] += 1
                    print("%-9s %-50s %2d lanes %s" % (status, os.path.basename(path), width, cause),
                          flush=True)
            except fragment_job.Unsupported as e:
                totals["undriven", 0] += 1
                print("%-9s %-50s %s" % ("undriven", os.path.basename(path), e), flush=True)
    print()
    for status in sorted({s for s, _ in totals}):
        print("%-9s %s" % (status, ", ".join("%d lanes: %d" % (w, totals[status, w])
                                             for w in (0, 8, 16, 32, 64) if totals[status, w])))
    return 0 if not any(s in ("contract", "differ", "error", "undefined") for s, _ in totals) else 1


if __name__ == "__main__":
    sys.exit(main())
