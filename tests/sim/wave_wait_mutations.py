#!/usr/bin/env python3
"""Removes waits from Mesa's gfx1030 binaries: contract mode must notice.

    wave_wait_mutations.py --results FILE --drives DIR --rdna2-run PATH [--binaries 60] [--per-binary 200] [--seed 1]

FILE and DIR are what mesa_waves_vs_lavapipe.py wrote with --out and --drives. In each agreeing binary each count of an
executed s_waitcnt, and each executed s_waitcnt_vscnt, is raised alone to the value that does not wait. The ones that are not
noticed are listed with the instruction behind the wait: a wait may be needed on another path only, since compilers place it
where paths join, or order memory that no other wave accesses in this run.
"""

import argparse
import collections
import hashlib
import json
import os
import random
import subprocess
import tempfile

WAITCNT = 0xbf8c
WAITCNT_VSCNT = 0xbbfd
COUNTS = {"vmcnt": 0xc00f, "expcnt": 0x70, "lgkmcnt": 0x3f00}
BARRIER = 0xbf8a0000


def mutations(code, executed):
    """Yields (offset, name, new lower half) for each count of each executed wait."""
    for offset in executed:
        word = int.from_bytes(code[offset:offset + 4], "little")
        low = word & 0xffff
        if word >> 16 == WAITCNT_VSCNT and low < 63:
            yield offset, "vscnt", 63
        if word >> 16 != WAITCNT:
            continue
        for name, mask in COUNTS.items():
            if low & mask != mask:
                yield offset, name, low | mask


def found_of(launch, drives, seed):
    """Returns what mesa_waves_vs_lavapipe.py found for a binary's module: job, types, result."""
    with open(launch) as f:
        module = json.load(f)["file"]
    name = hashlib.sha1(("%s %d" % (module, seed)).encode()).hexdigest() + ".json"
    with open(os.path.join(drives, name)) as f:
        return json.load(f)


def run_mutants(run, launch, job, seed, most):
    """Returns [(offset, name, notice or None)] of one binary; notice is the simulator's error."""
    binary = launch[:-len(".launch.json")] + ".bin"
    with open(binary, "rb") as f:
        code = f.read()
    with tempfile.TemporaryDirectory() as folder:
        path, lines = os.path.join(folder, "job.json"), os.path.join(folder, "list")
        with open(path, "w") as f:
            json.dump(job, f)
        plain = json.loads(subprocess.run([run, "--sourced", "--coverage", binary, launch, path],
                                          stdout=subprocess.PIPE).stdout)
        chosen = list(mutations(code, plain["executed"]))
        random.Random(seed).shuffle(chosen)
        del chosen[most:]
        with open(lines, "w") as f:
            for offset, _, low in chosen:
                f.write("\t".join([binary, launch, path, "--sourced", "--max-seconds=20",
                                   "--patch=%d:%d" % (offset, low & 255),
                                   "--patch=%d:%d" % (offset + 1, low >> 8)]) + "\n")
        out = subprocess.run([run, "--list", lines], stdout=subprocess.PIPE).stdout.decode()
    results = []
    for (offset, name, _), line in zip(chosen, out.splitlines()):
        error = json.loads(line).get("error", "")
        behind = int.from_bytes(code[offset + 4:offset + 8], "little")
        results.append((offset, name, "s_barrier" if behind == BARRIER else "%08x" % behind, error))
    return results


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--results", required=True)
    p.add_argument("--drives", required=True)
    p.add_argument("--rdna2-run", required=True)
    p.add_argument("--binaries", type=int, default=60, help="of each number of lanes")
    p.add_argument("--per-binary", type=int, default=200)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    with open(a.results) as f:
        agreeing = [r for r in map(json.loads, f) if r["status"] == "agree"]
    for width in sorted({r["width"] for r in agreeing}):
        done, all_, noticed = 0, 0, collections.Counter()
        missed = []
        for r in agreeing:
            if r["width"] != width or done >= a.binaries:
                continue
            results = run_mutants(a.rdna2_run, r["launch"], found_of(r["launch"], a.drives, a.seed).get("job"),
                                  a.seed, a.per_binary)
            done += bool(results)
            for offset, name, behind, error in results:
                all_ += 1
                if "contract" in error:
                    noticed[name] += 1
                else:
                    missed.append("%s 0x%x %s, then %s %s" % (os.path.basename(r["launch"]), offset, name, behind,
                                                              error[:80]))
        print("wave%d: binaries %d, waits removed %d, noticed %d (%s)" % (
            width, done, all_, sum(noticed.values()),
            ", ".join("%s %d" % n for n in sorted(noticed.items()))))
        for line in missed:
            print("  not noticed: " + line)


if __name__ == "__main__":
    main()
