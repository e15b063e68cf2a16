#!/usr/bin/env python3
"""Tells which opcodes of Mesa's gfx1030 binaries ran in one that agrees with lavapipe.

    wave_opcodes.py --results FILE --drives DIR --rdna2-run PATH [--share 0.01] [--seed 1]

FILE and DIR are what mesa_waves_vs_lavapipe.py wrote with --out and --drives. Counted are all binaries of FILE in which an
opcode stands, by llvm-mc's names without the ending of the encoding, and the agreeing ones in which it was executed for at
least one lane. Exit status 1 if one that stands in at least this share of the binaries ran in none.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import wave_paths
import wave_wait_mutations

ENDING = re.compile(r"_(e32|e64|dpp|dpp8|sdwa)$")


def names_of(launch):
    """Returns offset -> opcode of a binary."""
    with open(launch) as f:
        record = json.load(f)
    with open(launch[:-len(".launch.json")] + ".bin", "rb") as f:
        code = f.read()[:record["amd"]["instruction_bytes"]]
    return {offset: ENDING.sub("", name)
            for offset, name, _ in wave_paths.listing(code, record["dispatch_width"])}


def executed(run, launch, job):
    """Returns the offsets of the instructions that a run executes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "job.json")
        with open(path, "w") as f:
            json.dump(job, f)
        p = subprocess.run([run, "--sourced", "--coverage", launch[:-len(".launch.json")] + ".bin", launch, path],
                           stdout=subprocess.PIPE)
    return json.loads(p.stdout)["executed"]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--results", required=True)
    p.add_argument("--drives", required=True)
    p.add_argument("--rdna2-run", required=True)
    p.add_argument("--share", type=float, default=0.01)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    with open(a.results) as f:
        rows = [json.loads(line) for line in f]
    stand, ran, binaries = collections.Counter(), collections.Counter(), 0
    for row in rows:
        try:
            names = names_of(row["launch"])
        except wave_paths.Unknown as e:
            print("left out: %s: %s" % (os.path.basename(row["launch"]), e))
            continue
        binaries += 1
        stand.update(set(names.values()))
        if row["status"] == "agree":
            job = wave_wait_mutations.found_of(row["launch"], a.drives, a.seed)["job"]
            ran.update({names[offset] for offset in executed(a.rdna2_run, row["launch"], job)})
    often = sorted(op for op, n in stand.items() if n >= a.share * binaries)
    never = [op for op in often if not ran[op]]
    print("binaries %d, opcodes %d, in at least %g of the binaries %d, of which %d ran in an agreeing one" % (
        binaries, len(stand), a.share, len(often), len(often) - len(never)))
    for op in never:
        print("  never ran: %s, which stands in %d" % (op, stand[op]))
    return 1 if never or not often else 0


if __name__ == "__main__":
    sys.exit(main())
