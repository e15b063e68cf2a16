#!/usr/bin/env python3
"""Proves the EU simulator on fragment programs of another compiler: Mesa's binaries of all widths, run in
the simulator in contract mode, against the same draws on lavapipe.

    mesa_fragments_vs_lavapipe.py --bins DIR --eu-run PATH [--draw 40] [--seed 1] [--out FILE]

DIR holds the output of `run-peer tgl --dump-bin DIR MODULES...`. Modules whose records need no descriptor
memory are drawn at random (by the seed); none is left out by name or by the messages it uses. A drive
that does not count (no changed operation of the module changes a colour, the depth, a buffer or an
image) is listed as undriven.

Compares the colour components that the module declares, depth, stencil, buffers and images. Integers
must be equal, floats within --ulp units in the last place or 4e-6. Rasterisers interpolate differently in the last
bits, and programs may amplify that: a dword may differ by SLACK times the change that it shows when the draw's
inputs are changed by 2^-21 (several runs of the simulator). The number of dwords that needed that is printed.
Binaries that break contract mode run again without it; those that agree then are listed separately ("contract").
For modules with derivatives that need not be fine, only the upper left pixels of quads are compared: lavapipe's
derivatives are fine, the hardware's those of the first pixel. Modules that differ and make random numbers from the
last bits of sines, fract(sin(x) * 43758.5453), are listed separately ("noise").
"""

import argparse
import collections
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import fragment_job
import launch_records

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "drive"))
import compare  # noqa: E402
import drive  # noqa: E402
import peer  # noqa: E402
import texels  # noqa: E402
from spirv_module import Unsupported  # noqa: E402

SLACK = 8       # factor on the effect of changed inputs
NUDGES = 12     # changed draws


def modules(folder):
    """Returns module -> launch records of its fragment binaries, ascending by width, for modules that need no
    descriptor memory."""
    found = {}
    for path, record in launch_records.of_stage(folder, "fragment"):
        if not launch_records.reads_descriptors(record):
            found.setdefault(record["file"], []).append((record["dispatch_width"], path))
    return {k: sorted(v) for k, v in found.items()}


def simulate(eu_run, launch, job, folder, options=()):
    path = os.path.join(folder, "sim.json")
    with open(path, "w") as f:
        json.dump(job, f)
    binary = launch[:-len(".launch.json")] + ".bin"
    try:
        p = subprocess.run([eu_run, "--max-seconds=30", "--sourced", *options, binary, launch, path],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        return json.loads(p.stdout)
    except (subprocess.TimeoutExpired, ValueError) as e:
        return {"ok": False, "error": "eu_run: %s" % e}


def lavapipe(jobs, folder, timeout):
    """Returns the results of draws; colours and depth as bytes. With two blend sources, only the first, since the
    others lack the second."""
    jobs = [dict(j, draw=dict(j["draw"], out=os.path.join(folder, "out%d" % k)))
            for k, j in enumerate(jobs)]
    results = peer.run_many(jobs, folder, timeout)
    for r in results:
        if "colors" in r:
            r["colors"] = [c for c in r["colors"] if c.get("index", 0) == 0]
        for part in r.get("colors", []) + [r[k] for k in ("depth", "stencil") if k in r]:
            with open(part["file"], "rb") as f:
                part["hex"] = f.read().hex()
    return results


def colour_kinds(result):
    """Returns location -> kind of the leaves, by lavapipe's description of its render targets."""
    return {c["location"]: c.get("as", c.get("type", "f32"))[0] for c in result.get("colors", [])}


def everything(result):
    """Returns name -> bytes of colours, depth, buffers and images."""
    found = {("color", c["location"]): bytes.fromhex(c["hex"]) for c in result.get("colors", [])}
    if "depth" in result:
        found["depth", 0] = clamped(bytes.fromhex(result["depth"]["hex"]))
    if "stencil" in result:
        found["stencil", 0] = bytes.fromhex(result["stencil"]["hex"])
    found.update(peer.outputs(result))
    return found


def declared(outputs, components):
    """Returns the outputs with components of render targets that `components`, location -> bits, lacks set to 0."""
    kept = dict(outputs)
    for key in outputs:
        if key[0] == "color" and key[1] in components:
            kept[key] = b"".join(kept[key][o:o + 4] if components[key[1]] >> (o // 4 % 4) & 1
                                 else bytes(4) for o in range(0, len(kept[key]), 4))
    return kept


def clamped(depth):
    """Returns depth as it is stored: within the viewport's 0 to 1; NaN, whose result is undefined, becomes 1."""
    values = struct.unpack("<%df" % (len(depth) // 4), depth)
    return struct.pack("<%df" % len(values), *(min(max(v, 0.0), 1.0) if v == v else 1.0 for v in values))


def leaves_of(name, job, types, kinds, size, first_of_quads):
    if name[0] == "color":
        pixel = 16 * job["draw"].get("samples", 1)   # bytes
        row = pixel * job["draw"]["width"]
        return [(o, kinds.get(name[1], "f"), 32) for o in range(0, size, 4)
                if not first_of_quads or (o // row % 2 == 0 and o // pixel % 2 == 0)]
    if name[0] == "depth":
        return [(o, "f", 32) for o in range(0, size, 4)]
    if name[0] == "stencil":
        return [(o, "u", 8) for o in range(size)]
    resources = {(r.get("set", 0), r["binding"], r.get("index", 0)) if "binding" in r
                 else (r["name"], 0, 0): r for r in job["resources"]}
    fmt = resources[name].get("format")
    return texels.leaves(fmt, size) if fmt else types.get(name[:2], [])


def has_coarse_derivatives(module):
    """Returns True if the module has OpDPdx, OpDPdy, OpFwidth or their Coarse forms."""
    return any(i.op in (207, 208, 209, 213, 214, 215) for f in module.reached
               for i in module.functions.get(f, []))


def has_sine_noise(module):
    return any(i.op == 43 and i.words[2:] == [0x472aee8c] for i in module.instructions())


def has_narrow_interface(module):
    """Capability StorageInputOutput16."""
    return any(i.op == 17 and i.words[0] == 4436 for i in module.instructions())


def counted(path, module, seed, folder, timeout, accept, change=lambda draw: None, run=None):
    """Returns (job, types, lavapipe's result, reason) of the first recipe whose drive counts. `accept`, given a
    job, may return a reason why it is no drive. `change` changes a draw in place. `run` (as lavapipe()) runs the
    jobs instead of lavapipe."""
    if not run and has_narrow_interface(module):
        return None, None, None, "lavapipe: does not offer storageInputOutput16"
    reason = "no recipe ran"
    chosen = drive.mutants(module, random.Random(seed), 4, False) or drive.mutants(
        module, random.Random(seed), 4, True)
    for recipe in range(len(fragment_job.ORDER)):
        job, types = fragment_job.make_job(module, path, recipe, seed)
        change(job["draw"])
        refused = accept(job)
        if refused:
            reason = refused
            continue
        jobs = [job]
        for site, new in chosen:
            mutant = os.path.join(folder, "mutant%d.spv" % site)
            drive.mutate.write(module.words, site, new, mutant)
            jobs.append(dict(job, shader=mutant))
        results = (run or lavapipe)(jobs, folder, timeout)
        if not results[0].get("ok"):
            reason = ("interpreter: " if run else "lavapipe: ") + str(results[0].get("error"))[:120]
            if "time" in reason:
                break
            continue
        base = everything(results[0])
        if any(r.get("ok") and everything(r) != base for r in results[1:]):
            return job, types, results[0], ""
        reason = drive.NOTHING_CHANGES
    return None, None, None, reason


def close(kind, bits, want, got, others, ulp):
    """Returns how a leaf agrees: 2 within the tolerance, 1 by its change in changed draws, 0 not."""
    if compare.near(kind, want, got, bits, ulp):
        return 2
    if all(o == got for o in others):
        return 0
    if kind != "f":
        return 1 if want in others or kind in "iu" and min(others + [got]) <= want <= max(
            others + [got]) else 0
    values = [compare.value(b, bits) for b in others + [got]]
    w = compare.value(want, bits)
    if want in others or any(v != v for v in values):
        return 1
    reach = SLACK * max(abs(v - values[-1]) for v in values)
    return 1 if abs(w - values[-1]) <= reach else 0


def differences(job, want, got, others, types, kinds, ulp, first_of_quads=False):
    """Returns (None or the first difference, leaves that agree only by their change in changed draws)."""
    loose = 0
    for name, data in sorted(want.items(), key=str):
        if name not in got and name[0] == "color":
            continue   # a render target that the program does not write
        if name not in got:
            return "%s %s: not returned" % name[:2], loose
        if data == got[name]:
            continue
        if len(data) != len(got[name]):
            return "%s %s: sizes %d and %d" % (*name[:2], len(data), len(got[name])), loose
        for o, kind, bits in leaves_of(name, job, types, kinds, len(data), first_of_quads):
            n = bits // 8
            a, b, *rest = (int.from_bytes(d[o:o + n], "little")
                           for d in [data, got[name]] + [x[name] for x in others])
            verdict = close(kind, bits, a, b, rest, ulp)
            loose += verdict == 1
            if verdict == 0:
                text = [compare.value(v, bits) if kind == "f" else v for v in (a, b)]
                return "%s %s byte %d: want %s, got %s" % (*name[:2], o, *text), loose
    return None, loose


def undefined_use(eu_run, launch, job, folder):
    """Returns why the inputs make the module's result undefined: beyond an array of descriptors, endless loop."""
    first = simulate(eu_run, launch, job, folder, ["--no-contract", "--max-instructions=3000000"])
    if first.get("code") == "DEADLINE_EXCEEDED":
        return "does not end"
    if "nothing is bound" in first.get("error", ""):
        return first["error"][:80]
    return None


def judge(eu_run, launch, job, types, want, module, folder, ulp, options=(), fusion=True):
    """Returns (status, cause, dwords that agree loosely). Compares the components of render targets that `module`
    declares. `fusion`: the machine has a fusion mode, in which the results must be the same."""
    kinds, first_of_quads = colour_kinds(want), has_coarse_derivatives(module)
    components = module.written_components()

    def defined(result):
        return declared(everything(result), components)
    got = simulate(eu_run, launch, job, folder, options)
    if got.get("error", "").startswith("contract"):
        status, cause, loose = judge(eu_run, launch, job, types, want, module, folder, ulp,
                                     ["--no-contract"], fusion)
        return ("contract" if status == "agree" else status,
                "%s; without contract mode: %s %s" % (got["error"][:200], status, cause), loose)
    if not got.get("ok"):
        return "error", got.get("error", "")[:300], 0
    plain = [job, defined(want), defined(got)]
    difference, loose = differences(*plain, [], types, kinds, ulp, first_of_quads)
    if difference:
        others = [simulate(eu_run, launch, fragment_job.nudged(job, k), folder, options)
                  for k in range(NUDGES)]
        others = [defined(o) for o in others if o.get("ok")]
        difference, loose = differences(*plain, others, types, kinds, ulp,
                                        first_of_quads)
    opposite = simulate(eu_run, launch, job, folder, ["--opposite", *options])
    if not opposite.get("ok") or defined(opposite) != defined(got):
        return "undefined", "changes with order or undefined contents: %s" % (
            opposite.get("error") or difference), loose
    if difference:
        return "differ", difference, loose
    if not fusion:
        return "agree", "", loose
    fused = simulate(eu_run, launch, job, folder, ["--fusion", *options])
    if not fused.get("ok") or defined(fused) != defined(got):
        return "differ", "fusion mode: %s" % fused.get("error", "outputs differ"), loose
    return "agree", "", loose


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--bins", required=True)
    p.add_argument("--eu-run", required=True)
    p.add_argument("--draw", type=int, default=40, help="modules")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--ulp", type=int, default=16)
    p.add_argument("--timeout", type=int, default=20, help="seconds for one run of lavapipe")
    p.add_argument("--view-mask", type=lambda v: int(v, 0), default=0,
                   help="of multiview: that with which the binaries were made")
    p.add_argument("--width", type=int, help="only binaries of so many lanes")
    p.add_argument("--only", help="part of the modules' names")
    p.add_argument("--keep", help="folder for the jobs that ran, by module")
    p.add_argument("--out", help="JSON lines, one per binary")
    a = p.parse_args()
    pool = {path: [b for b in found if a.width in (None, b[0])]
            for path, found in modules(a.bins).items()}
    pool = {path: found for path, found in pool.items() if found}
    if not pool:
        sys.exit("no launch records in %s" % a.bins)
    drawn = random.Random(a.seed).sample(sorted(pool), len(pool))
    if a.only:
        drawn = [d for d in drawn if a.only in d]
    views = {"view_mask": a.view_mask} if a.view_mask else {}
    totals, agreeing, loose_total = collections.Counter(), set(), 0
    out = open(a.out, "w") if a.out else None
    for path in drawn[:a.draw]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                module = fragment_job.FragmentModule.load(path)
                job, types, want, reason = counted(
                    path, module, a.seed, folder, a.timeout,
                    lambda j: undefined_use(a.eu_run, pool[path][0][1], j, folder),
                    lambda draw: draw.update(views))
            except Unsupported as e:
                job, reason = None, "drive: %s" % e
            if job and a.keep:
                with open(os.path.join(a.keep, os.path.basename(path) + ".json"), "w") as f:
                    json.dump(job, f)
            for width, launch in pool[path]:
                status, cause, loose = "undriven", reason, 0
                if job:
                    status, cause, loose = judge(a.eu_run, launch, job, types, want, module,
                                                 folder, a.ulp)
                if status == "differ" and has_sine_noise(module):
                    status = "noise"
                totals[status, width] += 1
                loose_total += loose
                if status == "agree":
                    agreeing.add(path)
                print("%-9s %-50s SIMD%-2d %s%s" % (
                    status, "/".join(path.split("/")[-2:]), width, cause,
                    " (%d loose)" % loose if loose else ""), flush=True)
                if out:
                    json.dump({"launch": launch, "status": status, "cause": cause,
                               "loose": loose}, out)
                    out.write("\n")
    print("\npool %d modules, drawn %d, agreeing at some width %d" % (
        len(pool), len(drawn[:a.draw]), len(agreeing)))
    for status in ("agree", "contract", "differ", "noise", "undefined", "error", "undriven"):
        print("%-9s %s" % (status, ", ".join("SIMD%d %d" % (w, totals[status, w])
                                             for w in (8, 16, 32))))
    print("dwords that agree only by what changed draws do: %d" % loose_total)
    return 0 if not any(totals[s, w] for s in ("contract", "differ", "error") for w in (8, 16, 32)) else 1


if __name__ == "__main__":
    sys.exit(main())
