#!/usr/bin/env python3
"""Proves the EU simulator on programs of another compiler: Mesa's compute binaries, run in the
simulator in contract mode, against the same modules on lavapipe.

    mesa_vs_lavapipe.py --bins DIR --eu-run PATH [--draw 120] [--seed 1] [--ulp 16] [--out FILE]

DIR holds the output of `run-peer tgl --dump-bin DIR MODULES...`: binaries and launch records, which
name their modules. Compute binaries whose records need no descriptor memory are drawn at random (by
the seed); none is left out by name or by the messages it uses, and every failure is
listed with its cause. Inputs come from tests/drive. A drive that does not count (no changed
operation changes an output) is listed as undriven and does not count as an agreement.

A result that differs is run again with threads, workgroups and lanes in the opposite order and
other undefined contents: if that changes the simulator's own output, the module with these
inputs has no defined result, which is given as the cause.

Agreeing programs also run in fusion mode and must give the same outputs.

Integers must be equal, floats within --ulp units in the last place or 4e-6 (compare.py).
"""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

import launch_records

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "drive"))
import compare  # noqa: E402
import drive  # noqa: E402
import peer  # noqa: E402
import texels  # noqa: E402
from spirv_module import Unsupported  # noqa: E402


def candidates(folder):
    """Returns the launch records of compute programs that need no descriptor memory, in order of names."""
    return [(path, record) for path, record in launch_records.of_stage(folder, "compute")
            if not launch_records.reads_descriptors(record)]


def uses_images(record):
    return any("image" in kind or "texel" in kind for kind in launch_records.kinds_in_table(record))


def simulate(eu_run, launch, job, folder, options=(), seconds=60):
    path = os.path.join(folder, "sim.json")
    with open(path, "w") as f:
        json.dump(job, f)
    binary = launch[:-len(".launch.json")] + ".bin"
    try:
        p = subprocess.run([eu_run, "--max-seconds=%g" % seconds, "--sourced", *options, binary, launch, path],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds + 30)
        return json.loads(p.stdout)
    except (subprocess.TimeoutExpired, ValueError) as e:
        return {"ok": False, "error": "eu_run: %s" % e}


def differences(job, want, got, types, ulp):
    """Returns None, or the first difference between two sets of outputs."""
    resources = {(r.get("set", 0), r["binding"], r.get("index", 0)) if "binding" in r
                 else (r["name"], 0, 0): r for r in job["resources"]}
    for key, data in sorted(want.items(), key=str):
        if key not in got:
            return "set %s binding %s: not returned" % key[:2]
        fmt = resources[key].get("format")
        leaves = texels.leaves(fmt, len(data)) if fmt else types.get(key[:2], [])
        d = compare.compare(data, got[key], leaves, ulp)
        if d:
            return "set %s binding %s: %s" % (key[0], key[1], d)
    return None


def undefined(eu_run, launch, job, folder, first):
    """Returns True if the opposite order changes the simulator's own outputs."""
    other = simulate(eu_run, launch, job, folder, ["--opposite"])
    return other.get("ok") and peer.outputs(other) != peer.outputs(first)


def judge(eu_run, launch, record, folder, seed, ulp, timeout):
    """Returns (status, cause, details) of one binary."""
    # The simulator finds sooner than lavapipe that inputs make a loop endless or that the program
    # sends a message that the simulator lacks.
    failures = []

    def accept(job):
        if failures:
            return failures[-1]
        first = simulate(eu_run, launch, job, folder, ["--max-instructions=20000000"])
        if "unsupported" in first.get("error", ""):
            failures.append(first["error"][:120])
            return failures[-1]
        return "does not end" if first.get("code") == "DEADLINE_EXCEEDED" else None

    try:
        found = drive.counted_drive(record["file"], folder, seed, timeout=timeout, accept=accept)
    except Unsupported as e:
        return "undriven", "drive: %s" % e, None
    if found.job is None:
        return ("error", failures[0], None) if failures else ("undriven", found.reason, None)
    job, types, want = found.job, found.types, found.result
    got = simulate(eu_run, launch, job, folder)
    details = {"recipe": found.recipe, "instructions": got.get("instructions"),
               "lane_operations": got.get("lane_operations"), "seconds": got.get("seconds")}
    if not got.get("ok"):
        return "error", got.get("error", "")[:300], details
    d = differences(job, peer.outputs(want), peer.outputs(got), types, ulp)
    if d is None:
        return "agree", "", details
    if undefined(eu_run, launch, job, folder, got):
        return "undefined", "depends on execution order or undefined data: " + d, details
    return "differ", d, details


def fusion_agrees(eu_run, launch, record, folder, recipe, seed):
    """Returns True if fusion mode, which enters skipped blocks with all channels off, gives the same outputs and
    violates nothing."""
    job, _ = drive.make_job(record["file"], recipe, seed)
    plain = simulate(eu_run, launch, job, folder)
    fused = simulate(eu_run, launch, job, folder, ["--fusion"])
    if not fused.get("ok"):
        return fused.get("error", "")
    return "" if peer.outputs(fused) == peer.outputs(plain) else "outputs differ"


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--bins", required=True)
    p.add_argument("--eu-run", required=True)
    p.add_argument("--draw", type=int, default=120)
    p.add_argument("--images", action="store_true",
                   help="draw only from programs with images or texel buffers")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--ulp", type=int, default=16)
    p.add_argument("--timeout", type=int, default=20, help="seconds for one run of lavapipe")
    p.add_argument("--out", help="JSON lines, one per binary; what is there is not "
                   "run again")
    a = p.parse_args()
    pool = candidates(a.bins)
    if a.images:
        pool = [(p, r) for p, r in pool if uses_images(r)]
    if not pool:
        sys.exit("no launch records in %s" % a.bins)
    drawn = random.Random(a.seed).sample(pool, min(a.draw, len(pool)))
    known = {}
    if a.out and os.path.exists(a.out):
        with open(a.out) as f:
            known = {r["launch"]: r for r in map(json.loads, f)}
    out = open(a.out, "a") if a.out else None
    totals, fusion = collections.Counter(), collections.Counter()
    for launch, record in drawn:
        if launch in known:
            details = known[launch]
            status, cause = details["status"], details["cause"]
        else:
            with tempfile.TemporaryDirectory() as folder:
                status, cause, details = judge(a.eu_run, launch, record, folder, a.seed, a.ulp,
                                               a.timeout)
        totals[status] += 1
        if status == "agree":
            with tempfile.TemporaryDirectory() as folder:
                trouble = fusion_agrees(a.eu_run, launch, record, folder, details["recipe"], a.seed)
            fusion["different" if trouble else "same"] += 1
            cause = "fusion mode: " + trouble if trouble else ""
        name = os.path.basename(record["file"])
        print("%-9s %-55s SIMD%-2d %s" % (status, name, record["dispatch_width"], cause),
              flush=True)
        if out and launch not in known:
            json.dump({"launch": launch, "status": status, "cause": cause, **(details or {})}, out)
            out.write("\n")
            out.flush()
    ran = totals["agree"] + totals["differ"] + totals["undefined"]
    print("\npool %d, drawn %d, ran %d, agreeing %d, differing %d, no defined result %d, "
          "simulator errors %d, undriven %d" % (
              len(pool), len(drawn), ran, totals["agree"], totals["differ"], totals["undefined"],
              totals["error"], totals["undriven"]))
    print("fusion mode on the agreeing ones: same outputs %d, trouble %d" % (
        fusion["same"], fusion["different"]))
    return 0 if totals["differ"] == 0 and not fusion["different"] else 1


if __name__ == "__main__":
    sys.exit(main())
