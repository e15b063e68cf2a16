#!/usr/bin/env python3
"""Removes waits from Mesa's gfx1030 binaries: contract mode must notice.

    wave_wait_mutations.py --results FILE --drives DIR --rdna2-run PATH [--binaries 60] [--per-binary 200] [--seed 1]

FILE and DIR are what mesa_waves_vs_lavapipe.py wrote with --out and --drives. In each agreeing binary each count of an
executed s_waitcnt, and each executed s_waitcnt_vscnt, is raised alone to the value that does not wait. wave_paths.py says which
of these the run needs: compilers place waits where paths join, or order memory that no other wave accesses. Contract mode
must notice the needed ones, and complain of no other, nor of the binary as it is.
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

import wave_paths

WAITCNT = 0xbf8c
WAITCNT_VSCNT = 0xbbfd
COUNTS = {"vmcnt": 0xc00f, "expcnt": 0x70, "lgkmcnt": 0x3f00}
WGP_MODE = 29   # bit of rsrc1


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


def judge_path(code, record, trace):
    """Returns a wave_paths.Judge that has read the trace."""
    lanes, amd = record["dispatch_width"], record["amd"]
    program = wave_paths.disassemble(code[:amd["instruction_bytes"]], lanes)
    with open(trace) as f:
        return wave_paths.Judge(program, lanes, one_cache=not amd["rsrc1"] >> WGP_MODE & 1).read(f)


class Binary:
    """Contract mode and the path's judge on one binary. `rows`: (what, needed, notice) of each wait removed, the notice being
    the simulator's error, "" if none; `complaints`: about the binary as it is; `reasons`: why waits are not needed, counted."""

    def __init__(self, run, launch, job, seed, most):
        self.rows, self.complaints, self.reasons = [], [], collections.Counter()
        binary = launch[:-len(".launch.json")] + ".bin"
        with open(binary, "rb") as f:
            code = f.read()
        with open(launch) as f:
            record = json.load(f)
        with tempfile.TemporaryDirectory() as folder:
            path, lines, trace = (os.path.join(folder, name) for name in ("job.json", "list", "trace"))
            with open(path, "w") as f:
                json.dump(job, f)
            plain = json.loads(subprocess.run([run, "--sourced", "--coverage", "--trace=" + trace, binary, launch, path],
                                              stdout=subprocess.PIPE).stdout)
            if not plain["ok"]:
                self.complaints.append(plain["error"])
                return
            judge = judge_path(code, record, trace)
            self.complaints += ["by its path: %s" % (b,) for b in sorted(judge.broken, key=str)]
            chosen = list(mutations(code, plain["executed"]))
            random.Random(seed).shuffle(chosen)
            del chosen[most:]
            with open(lines, "w") as f:
                for offset, _, low in chosen:
                    f.write("\t".join([binary, launch, path, "--sourced", "--max-seconds=20",
                                       "--patch=%d:%d" % (offset, low & 255),
                                       "--patch=%d:%d" % (offset + 1, low >> 8)]) + "\n")
            out = subprocess.run([run, "--list", lines], stdout=subprocess.PIPE).stdout.decode()
        for (offset, name, _), line in zip(chosen, out.splitlines(), strict=True):
            wait = (offset, name[:-3])
            needed = wait in judge.needed
            if not needed:
                self.reasons[judge.why_not(wait)] += 1
            self.rows.append(("%s 0x%x %s" % (os.path.basename(launch), offset, name), needed,
                              json.loads(line).get("error", "")))


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
    good = bool(agreeing)
    for width in sorted({r["width"] for r in agreeing}):
        done, texts = 0, []
        cells, by_counter, reasons = collections.Counter(), collections.Counter(), collections.Counter()
        for r in agreeing:
            if r["width"] != width or done >= a.binaries:
                continue
            try:
                b = Binary(a.rdna2_run, r["launch"], found_of(r["launch"], a.drives, a.seed).get("job"),
                           a.seed, a.per_binary)
            except wave_paths.Unknown as e:
                texts.append("left out: %s: %s" % (os.path.basename(r["launch"]), e))
                continue
            done += bool(b.rows)
            reasons += b.reasons
            texts += ["complaint: %s: %s" % (os.path.basename(r["launch"]), c[:200]) for c in b.complaints]
            for what, needed, error in b.rows:
                noticed = "contract" in error
                cells[needed, noticed] += 1
                by_counter[what.split()[-1]] += needed
                if needed != noticed:
                    texts.append("%s: %s: %s" % ("not noticed" if needed else "false alarm", what, error[:200]))
        needed, other = (cells[n, True] + cells[n, False] for n in (True, False))
        print("wave%d: binaries %d, waits removed %d; needed %d (%s), noticed %d; not needed %d, noticed %d" % (
            width, done, needed + other, needed, ", ".join("%s %d" % n for n in sorted(by_counter.items())),
            cells[True, True], other, cells[False, True]))
        for text in ["not needed: %s: %d" % row for row in reasons.most_common()] + texts:
            print("  " + text)
        good &= cells[True, True] >= 0.99 * needed > 0 and cells[False, True] <= 0.002 * (needed + other)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
