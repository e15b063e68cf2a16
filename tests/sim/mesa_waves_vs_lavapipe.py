#!/usr/bin/env python3
"""Proves the gfx1030 simulator on programs of another compiler: Mesa's compute binaries, run in the
simulator in contract mode, against the same modules on lavapipe.

    mesa_waves_vs_lavapipe.py --bins DIR [--bins DIR] --rdna2-run PATH [--draw 300] [--seed 1] [--drives DIR]

DIR holds the output of `run-peer navi21 --dump-bin DIR MODULES...`: binaries and launch records, which name their
modules. With several, each module drawn is judged once for each number of lanes that its binaries have. None is left out
by name or by the instructions it uses, and every failure is listed with its cause. Inputs come from tests/drive; one
drive of a module serves all its binaries. A drive that does not count (no changed operation changes an output) is
listed as undriven and is no agreement; those that count only by a changed move (tests/drive) are counted apart, too. --drives keeps drives for the next call.

Modules with subgroup operations give other results on lavapipe, whose subgroups have 8 lanes: those that differ are
compared with the MIR interpreter (--mir-run, tests/diff) at the binary's number of lanes, if with 8 it agrees with lavapipe.

A module on which lavapipe fails (its time limit, a crash) is compared with the interpreter alone: "interpreted", which is no
agreement.

A float that differs is noise if it lies among the interpreter's values with random rounding (PERTURBED runs; the range is
widened by its own size on both sides): sines of large numbers, sums that cancel, hashes. Such binaries are listed by
themselves.

A result that differs has no defined value if the interpreter counts races between invocations or undefined results.

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
import subprocess
import sys
import tempfile

import launch_records
import mesa_vs_lavapipe as base

sys.path.insert(0, os.path.join(base.HERE, "..", "drive"))
import compare  # noqa: E402
import drive  # noqa: E402
import peer  # noqa: E402
import texels  # noqa: E402
from spirv_module import Unsupported  # noqa: E402

sys.path.insert(0, os.path.join(base.HERE, "..", "diff"))
import drives  # noqa: E402
import processes  # noqa: E402

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


def find_drive(path, seed, timeout, cache, interpreter):
    """Returns {job, types, result, recipe} or {reason}, from the cache if it is there. With an interpreter (tests/diff) that
    one looks for inputs and lavapipe confirms them; of a module that it cannot run, lavapipe looks. If lavapipe fails on a
    drive that counts for the interpreter, there is {reason, job, types, recipe}."""
    name = os.path.join(cache, hashlib.sha1(("%s %d" % (path, seed)).encode()).hexdigest() + ".json")
    if os.path.exists(name):
        with open(name) as f:
            return json.load(f)
    with tempfile.TemporaryDirectory() as folder:
        try:
            scout, doubt = interpreter.scout(folder) if interpreter else (None, None)
            found = drive.counted_drive(path, folder, seed, timeout=timeout, scout=scout, doubt=doubt)
            if scout and found.job is None:
                found = drive.counted_drive(path, folder, seed, timeout=timeout)
        except Unsupported as e:
            found = drive.Drive(reason="drive: %s" % e)
    result = {"reason": found.reason}
    if found.job is not None:
        result.update({"job": found.job, "recipe": found.recipe, "by_moves": found.by_moves,
                       "types": [[list(k), v] for k, v in found.types.items()]})
    if found.result is not None:
        result["result"] = found.result
    with open(name + ".new", "w") as f:
        json.dump(result, f)
    os.rename(name + ".new", name)
    return result


PERTURBED = 12


def interpret(mir_run, job, lanes, folder, options=()):
    """Returns the interpreter's outputs, or None."""
    path = os.path.join(folder, "interpreted.json")
    with open(path, "w") as f:
        json.dump(job, f)
    p = subprocess.run([mir_run, "--flush", "--subgroup-size=%d" % lanes, *options, path], stdout=subprocess.PIPE,
                       timeout=120)
    result = json.loads(p.stdout)
    return peer.outputs(result) if result.get("ok") else None


def floats(leaves, data):
    """Returns {offset: value} of the floats in a buffer."""
    return {offset: compare.value(int.from_bytes(data[offset:offset + bits // 8], "little"), bits)
            for offset, kind, bits in leaves if kind == "f"}


def is_noise(a, found, got, width, types, folder):
    """Tells whether outputs differ from lavapipe's in floats alone that random rounding moves as far."""
    job, want = found["job"], peer.outputs(found["result"])
    runs = [interpret(a.mir_run, job, width, folder, ["--perturb=%d" % seed] if seed else [])
            for seed in range(PERTURBED + 1)]
    if None in runs:
        return False
    formats = {(r.get("set", 0), r["binding"], r.get("index", 0)): r.get("format")
               for r in job["resources"] if "binding" in r}
    for key, data in want.items():
        leaves = texels.leaves(formats[key], len(data)) if formats.get(key) else types.get(key[:2], [])
        values = [floats(leaves, run[key]) for run in runs]
        mended = bytearray(got[key])
        for offset, value in floats(leaves, got[key]).items():
            low, high = min(v[offset] for v in values), max(v[offset] for v in values)
            if 2 * low - high <= value <= 2 * high - low:
                size = next(bits // 8 for o, _, bits in leaves if o == offset)
                mended[offset:offset + size] = data[offset:offset + size]
        if compare.compare(data, bytes(mended), leaves, a.ulp):
            return False
    return True


def judge_subgroups(a, found, got, width, types, folder):
    """Returns (status, cause) of a binary whose outputs `got` differ from lavapipe's because its subgroups may."""
    job = found["job"]
    if not a.mir_run:
        return "subgroups", "no interpreter given"
    few = interpret(a.mir_run, job, 8, folder)
    if few is None:
        return "subgroups", "not interpreted"
    d = base.differences(job, peer.outputs(found["result"]), few, types, a.ulp)
    if d:
        return "subgroups", "the interpreter differs from lavapipe: " + d
    d = base.differences(job, interpret(a.mir_run, job, width, folder), got, types, a.ulp)
    return ("differ", d) if d else ("agree", "with the interpreter at %d lanes" % width)


def races(a, job, folder):
    """Returns what the interpreter says of a job without a defined result, or None."""
    if not a.mir_run:
        return None
    path = os.path.join(folder, "races.json")
    with open(path, "w") as f:
        json.dump(job, f)
    p = subprocess.run([a.mir_run, "--flush", "--races", path], stdout=subprocess.PIPE, timeout=120)
    result = json.loads(p.stdout)
    counts = [(result.get(key), key) for key in ("races", "undefined_results", "outside_local_accesses")]
    return ", ".join("%d %s" % (n, key.replace("_", " ")) for n, key in counts if n) or None


def judge_interpreted(a, launch, width, found):
    """Returns (status, cause) of a binary on whose drive lavapipe failed: the interpreter alone judges."""
    job, types = found["job"], {tuple(k): v for k, v in found["types"]}
    with tempfile.TemporaryDirectory() as folder:
        got = base.simulate(a.rdna2_run, launch, job, folder)
        want = interpret(a.mir_run, job, width, folder)
        if not got.get("ok") or want is None:
            return "undriven", "%s; %s" % (found["reason"], got.get("error", "not interpreted")[:200])
        d = base.differences(job, want, peer.outputs(got), types, a.ulp)
        if d and base.undefined(a.rdna2_run, launch, job, folder, got):
            return "undriven", "%s; no defined result: %s" % (found["reason"], d)
    return ("interp-diff", d) if d else ("interpreted", found["reason"])


def judge(a, launch, width, module, found):
    """Returns (status, cause) of one binary."""
    run = a.rdna2_run
    if "job" in found and "result" not in found and a.mir_run:
        return judge_interpreted(a, launch, width, found)
    if "result" not in found:
        return "undriven", found["reason"]
    job = found["job"]
    types = {tuple(k): v for k, v in found["types"]}
    with tempfile.TemporaryDirectory() as folder:
        got = base.simulate(run, launch, job, folder)
        if not got.get("ok"):
            unsupported = "unsupported" in got.get("error", "") or got.get("code") == "UNIMPLEMENTED"
            return "unsupported" if unsupported else "error", got.get("error", "")[:400]
        d = base.differences(job, peer.outputs(found["result"]), peer.outputs(got), types, a.ulp)
        changes = base.undefined(run, launch, job, folder, got)
        if d and not changes and uses_subgroups(module):
            status, cause = judge_subgroups(a, found, peer.outputs(got), width, types, folder)
            if status != "differ" or races(a, job, folder) is None:
                return status, cause
        raced = races(a, job, folder) if d and not changes else None
        if raced:
            return "undefined", "by the interpreter %s: %s" % (raced, d)
        if d and changes:
            zero = base.simulate(run, launch, job, folder, ["--zero-memory"])
            if base.differences(job, peer.outputs(found["result"]), peer.outputs(zero), types, a.ulp) is None:
                d = "reads shared memory that nothing wrote (agrees if it is 0): " + d
        if d and not changes and a.mir_run and is_noise(a, found, peer.outputs(got), width, types, folder):
            return "noise", d
    if d is None:
        return "agree", "changes in the opposite order" if changes else ""
    return ("undefined" if changes else "differ"), d


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--bins", required=True, action="append")
    p.add_argument("--rdna2-run")
    p.add_argument("--mir-run")
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
    pool = processes.Pool()
    interpreter = drives.Interpreter(pool, a.mir_run, ["--flush"]) if a.mir_run else None
    out = open(a.out, "w") if a.out else None
    totals = collections.defaultdict(collections.Counter)
    for module in drawn:
        found = find_drive(module, a.seed, a.timeout, cache, interpreter)
        for width, launch in sorted(modules[module].items()):
            if a.only_drives:
                continue
            status, cause = judge(a, launch, width, module, found)
            totals[width][status] += 1
            if status == "agree" and found.get("by_moves"):
                totals[width]["agree by a changed move"] += 1
                cause = "a changed move; " + cause
            print("%-11s %-55s wave%d %s" % (status, os.path.basename(module), width, cause), flush=True)
            if out:
                json.dump({"launch": launch, "width": width, "status": status, "cause": cause}, out)
                out.write("\n")
    pool.close()
    for width, counts in sorted(totals.items()):
        drawn_here = sum(n for status, n in counts.items() if " " not in status)
        print("wave%d: drawn %d, %s" % (width, drawn_here, ", ".join("%s %d" % c for c in sorted(counts.items()))))
    return 1 if any(c["differ"] or c["interp-diff"] for c in totals.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
