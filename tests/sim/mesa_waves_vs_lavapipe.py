#!/usr/bin/env python3
"""Proves the gfx1030 simulator on programs of another compiler: Mesa's compute binaries, run in the
simulator in contract mode, against the same modules on lavapipe.

    mesa_waves_vs_lavapipe.py --bins DIR [--bins DIR] --rdna2-run PATH [--draw 300] [--seed 1] [--drives DIR]

DIR holds the output of `run-peer navi21 --dump-bin DIR MODULES...`: binaries and launch records, which name their
modules. With several, each module drawn is judged once for each number of lanes that its binaries have. None is left out
by name or by the instructions it uses, and every failure is listed with its cause. Inputs come from tests/drive; one
drive of a module serves all its binaries. A drive that does not count (no changed operation changes an output) is
listed as undriven and is no agreement. --drives keeps drives for the next call.

Modules with subgroup operations may give other results on lavapipe, whose subgroups have 8 lanes: when they differ that
is said.

A result that differs is run again in the opposite order and with other undefined contents: if that changes the simulator's
own output, the module has no defined result with these inputs. Agreeing binaries run in the opposite order too.

Integers must be equal, floats within --ulp units in the last place or 4e-6 (compare.py).
"""

import argparse
import collections
import hashlib
import json
import os
import random
import sys
import tempfile

import launch_records
import mesa_vs_lavapipe as base

sys.path.insert(0, os.path.join(base.HERE, "..", "drive"))
import drive  # noqa: E402
import peer  # noqa: E402
from spirv_module import Unsupported  # noqa: E402

# Capabilities GroupNonUniform and what follows it, SubgroupBallotKHR, SubgroupVoteKHR.
SUBGROUP_CAPABILITIES = set(range(61, 69)) | {4423, 4431}


def uses_subgroups(path):
    """Tells whether a module declares subgroup operations."""
    with open(path, "rb") as f:
        data = f.read()
    words = [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]
    at = 5
    while at < len(words) and words[at] & 0xffff == 17:  # OpCapability comes first
        if words[at + 1] in SUBGROUP_CAPABILITIES:
            return True
        at += words[at] >> 16
    return False


def find_drive(path, seed, timeout, cache):
    """Returns {job, types, result, recipe} or {reason}, from the cache if it is there."""
    name = os.path.join(cache, hashlib.sha1(("%s %d" % (path, seed)).encode()).hexdigest() + ".json")
    if os.path.exists(name):
        with open(name) as f:
            return json.load(f)
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = drive.counted_drive(path, folder, seed, timeout=timeout)
        except Unsupported as e:
            found = drive.Drive(reason="drive: %s" % e)
    result = {"reason": found.reason}
    if found.job is not None and found.result is not None:
        result = {"job": found.job, "recipe": found.recipe, "result": found.result,
                  "types": [[list(k), v] for k, v in found.types.items()]}
    with open(name + ".new", "w") as f:
        json.dump(result, f)
    os.rename(name + ".new", name)
    return result


def judge(run, launch, found, ulp):
    """Returns (status, cause) of one binary."""
    if "job" not in found:
        return "undriven", found["reason"]
    job = found["job"]
    types = {tuple(k): v for k, v in found["types"]}
    with tempfile.TemporaryDirectory() as folder:
        got = base.simulate(run, launch, job, folder)
        if not got.get("ok"):
            unsupported = "unsupported" in got.get("error", "") or got.get("code") == "UNIMPLEMENTED"
            return "unsupported" if unsupported else "error", got.get("error", "")[:400]
        d = base.differences(job, peer.outputs(found["result"]), peer.outputs(got), types, ulp)
        changes = base.undefined(run, launch, job, folder, got)
    if d is None:
        return "agree", "changes in the opposite order" if changes else ""
    return ("undefined" if changes else "differ"), d


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--bins", required=True, action="append")
    p.add_argument("--rdna2-run")
    p.add_argument("--draw", type=int, default=300)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--ulp", type=int, default=16)
    p.add_argument("--timeout", type=int, default=20, help="seconds for one run of lavapipe")
    p.add_argument("--drives", help="folder that keeps drives")
    p.add_argument("--only-drives", action="store_true", help="make drives and stop")
    p.add_argument("--module", action="append", help="judge only modules whose path contains this")
    p.add_argument("--out", help="JSON lines, one per binary")
    a = p.parse_args()
    modules = collections.defaultdict(dict)
    for folder in a.bins:
        for path, record in launch_records.of_stage(folder, "compute"):
            modules[record["file"]].setdefault(record["dispatch_width"], path)
    drawn = random.Random(a.seed).sample(sorted(modules), min(a.draw, len(modules)))
    if a.module:
        drawn = [m for m in drawn if any(part in m for part in a.module)]
    temporary = tempfile.TemporaryDirectory()
    cache = a.drives or temporary.name
    os.makedirs(cache, exist_ok=True)
    out = open(a.out, "w") if a.out else None
    totals = collections.defaultdict(collections.Counter)
    for module in drawn:
        found = find_drive(module, a.seed, a.timeout, cache)
        for width, launch in sorted(modules[module].items()):
            if a.only_drives:
                continue
            status, cause = judge(a.rdna2_run, launch, found, a.ulp)
            if status == "differ" and uses_subgroups(module):
                status = "subgroups"
            totals[width][status] += 1
            print("%-11s %-55s wave%d %s" % (status, os.path.basename(module), width, cause), flush=True)
            if out:
                json.dump({"launch": launch, "width": width, "status": status, "cause": cause}, out)
                out.write("\n")
    for width, counts in sorted(totals.items()):
        print("wave%d: drawn %d, %s" % (width, sum(counts.values()),
                                        ", ".join("%s %d" % c for c in sorted(counts.items()))))
    return 1 if any(c["differ"] for c in totals.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
