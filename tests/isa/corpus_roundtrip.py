#!/usr/bin/env python3
"""Round trip of compute binaries that Mesa makes for a corpus (a command, not a test of tests/run).

For each *.bin in the directory (made by tests/peer/run-peer tgl --runs 1 --dump-bin DIR ...):
  1. ours:   decode, re-encode, decode: equal fields; the EU verifier accepts it;
  2. iga64:  assembles our text; our decoder reads the same fields from those bytes and the original's;
  3. iga64:  disassembles our re-encoded bytes and the original to the same text.
Steps 2 and 3 need iga64 (package libigc-tools). Ends with counts; exit status 1 on any failure
that is not listed as the binary's own fault (iga64 cannot decode it either).

Usage: corpus_roundtrip.py [--tool=bazel-bin/tests/isa/eu_roundtrip] [--no-iga] DIR
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

IGA = ["iga64", "-p=12p1"]


def run(args):
    return subprocess.run(args, capture_output=True, text=True, errors="replace")


def iga_text(path):
    """Returns iga64's disassembly with numeric branch distances, without parts that re-encoding may change."""
    done = run(IGA + ["-d", "-n", path])
    lines = []
    for line in done.stdout.splitlines():
        line = re.sub(r"//.*", "", line)
        line = re.sub(r"\{Compacted\}", "", line)
        line = re.sub(r"Compacted,|,Compacted", "", line)
        line = " ".join(line.split())
        if line and not re.fullmatch(r"L\d+:", line):
            lines.append(line)
    return done.returncode, lines, done.stderr


def check(tool, path, out):
    """Returns a list of messages about the faults of one binary; [] if there are none."""
    base = os.path.join(out, os.path.basename(path))
    if not os.path.exists(base + ".full"):
        status, _, why = iga_text(path)
        return ["iga64 cannot decode it either"] if status or "error" in why else ["not decoded"]
    wrong = []
    assembled = base + ".iga"
    made = run(IGA + ["-a", "-Xno-ir-checking", base + ".asm", "-o", assembled])
    if not os.path.exists(assembled):
        wrong.append("iga64 refuses our text: " + made.stderr[:300])
    else:
        same = run([tool, "same", path, assembled])
        if same.returncode:
            wrong.append("iga64's bytes of our text differ: " + same.stderr[:600])
        os.remove(assembled)
    _, theirs, _ = iga_text(path)
    _, ours, _ = iga_text(base + ".full")
    if theirs != ours:
        diff = [f"{a}\n    {b}" for a, b in zip(theirs, ours) if a != b][:3]
        wrong.append(f"iga64 reads our bytes differently: {len(theirs)} and {len(ours)} lines\n    "
                     + "\n    ".join(diff))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="bazel-bin/tests/isa/eu_roundtrip")
    parser.add_argument("--no-iga", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("dir")
    args = parser.parse_args()
    files = sorted(os.path.join(args.dir, f) for f in os.listdir(args.dir) if f.endswith(".bin"))
    if not files:
        sys.exit(f"{args.dir}: no *.bin; make them with tests/peer/run-peer --dump-bin")
    with tempfile.TemporaryDirectory() as out:
        wrote = run([args.tool, "write", out] + files)
        sys.stderr.write(wrote.stderr)
        counts = json.loads(wrote.stdout)
        if args.no_iga or not shutil.which("iga64"):
            print("iga64 steps skipped: " + ("--no-iga" if args.no_iga else "no iga64 here"))
            results = []
            failed = counts["failed_files"]
        else:
            with ThreadPoolExecutor(args.jobs) as pool:
                results = list(pool.map(lambda f: check(args.tool, f, out), files))
            failed = 0
            counts["undecodable_by_iga64_too"] = 0
            for path, wrong in zip(files, results):
                if wrong == ["iga64 cannot decode it either"]:
                    counts["undecodable_by_iga64_too"] += 1
                elif wrong:
                    failed += 1
                    print(path + ":\n  " + "\n  ".join(wrong))
            counts["iga64_agrees"] = sum(not w for w in results)
    counts["failed"] = failed
    print(json.dumps(counts))
    sys.exit(1 if failed or counts["findings"] else 0)


main()
