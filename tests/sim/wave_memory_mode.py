#!/usr/bin/env python3
"""Runs Mesa's gfx1030 binaries in memory mode: those that agree with lavapipe must still agree.

    wave_memory_mode.py --results FILE --drives DIR --rdna2-run PATH [--binaries 60] [--seeds 8] [--seed 1]

FILE and DIR are what mesa_waves_vs_lavapipe.py wrote with --out and --drives. A sample of the agreeing binaries of each wave
size is drawn by --seed; each runs once with each of the seeds 1 to --seeds, in contract mode. A run that fails or whose
outputs differ from lavapipe's (or, where that has been judged by another reference, from those of the run without memory
mode) is listed. Told apart are, of those that differ,

  * undefined: the opposite order of execution changes the outputs without memory mode too;
  * race: a load without GLC read what another CU had written (--needs of rdna2_run). Mesa sets GLC on the accesses of
    coherent variables, atomic loads and volatile ones: this one's module promises nothing to others.
"""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

import mesa_vs_lavapipe as base
import wave_coherence_mutations as coherence
import wave_wait_mutations as mutations

sys.path.insert(0, os.path.join(base.HERE, "..", "drive"))
import peer  # noqa: E402


def runs(run, launch, path, options):
    """Returns the answers to runs with each list of options."""
    binary = launch[:-len(".launch.json")] + ".bin"
    lines = path + ".list"
    with open(lines, "w") as f:
        for more in options:
            f.write("\t".join([binary, launch, path, "--sourced", "--max-seconds=60", *more]) + "\n")
    out = subprocess.run([run, "--list", lines], stdout=subprocess.PIPE).stdout.decode()
    return [json.loads(line) for line in out.splitlines()]


def races(launch, answers):
    """Tells whether a load without GLC read what another CU had written."""
    with open(launch[:-len(".launch.json")] + ".bin", "rb") as f:
        code = f.read()
    for answer in answers:
        for offset, what in answer.get("needs", []):
            if what == "load" and not coherence.has_glc(code, offset):
                return True
    return False


def judge(run, launch, found, seeds):
    """Returns (status, first cause) of one binary."""
    job = found["job"]
    types = {tuple(k): v for k, v in found["types"]}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "job.json")
        with open(path, "w") as f:
            json.dump(job, f)
        plain, opposite, *answers = runs(run, launch, path, [[], ["--opposite"]] + [["--memory-seed=%d" % s, "--needs"]
                                                                                    for s in seeds])
        by_lavapipe = base.differences(job, peer.outputs(found["result"]), peer.outputs(plain), types, 16) is None
        want = peer.outputs(found["result"] if by_lavapipe else plain)
        for seed, answer in zip(seeds, answers):
            if not answer.get("ok"):
                return "error", "seed %d: %s" % (seed, answer.get("error", "")[:300])
            d = base.differences(job, want, peer.outputs(answer), types, 16)
            if d:
                status = "race" if races(launch, answers) else "differ"
                if opposite.get("ok") and peer.outputs(opposite) != peer.outputs(plain):
                    status = "undefined"
                return status, "seed %d: %s" % (seed, d)
    return "agree", ""


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--results", required=True)
    p.add_argument("--drives", required=True)
    p.add_argument("--rdna2-run", required=True)
    p.add_argument("--binaries", type=int, default=60, help="of each number of lanes")
    p.add_argument("--seeds", type=int, default=8, help="of memory mode, for each binary")
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    with open(a.results) as f:
        agreeing = [r for r in map(json.loads, f) if r["status"] == "agree"]
    failed = False
    for width in sorted({r["width"] for r in agreeing}):
        drawn = [r for r in agreeing if r["width"] == width]
        random.Random(a.seed).shuffle(drawn)
        totals = collections.Counter()
        for r in drawn[:a.binaries]:
            found = mutations.found_of(r["launch"], a.drives, a.seed)
            status, cause = judge(a.rdna2_run, r["launch"], found, range(1, a.seeds + 1))
            totals[status] += 1
            if status != "agree":
                print("%-9s %-60s wave%d %s" % (status, os.path.basename(r["launch"]), width, cause), flush=True)
        failed |= totals["differ"] + totals["error"] > 0
        print("wave%d: drawn %d of %d, %s" % (width, sum(totals.values()), len(drawn),
                                              ", ".join("%s %d" % t for t in sorted(totals.items()))), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
