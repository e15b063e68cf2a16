#!/usr/bin/env python3
"""compare_radv - Kiln's gfx1030 code beside that of Mesa's RADV, at the wave size that RADV chose.

  compare_radv.py --kiln=DIR --mesa=DIR --stats=PROGRAM --list=FILE [--worst=15] [--opcodes=15]

--kiln holds what `compile_modules --target=gfx1030 --dump=DIR` wrote (NAME.wave32.bin, NAME.wave64.bin), --mesa one
file NAME.bin a module; NAME is a module's path below spirv/, without .spv, with "_" for "/". All figures are counted
in the binaries of both sides by the same program (//tests/corpus:rdna_stats). Ratios are Kiln / Mesa, geometric means
over modules that both made; a module of the list that Mesa has and Kiln has not is LOST and counts as 2.0 in the
second mean. --opcodes lists the mnemonics of which Kiln has most more, summed over all modules.
"""
import argparse
import json
import math
import os
import subprocess

FIGURES = ["instructions", "bytes", "vgprs", "latency", "inverse_throughput"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kiln", required=True)
    parser.add_argument("--mesa", required=True)
    parser.add_argument("--stats", required=True)
    parser.add_argument("--list", required=True)
    parser.add_argument("--worst", type=int, default=15)
    parser.add_argument("--opcodes", type=int, default=15)
    return parser.parse_args()


def names_of(path):
    """Returns the names of the modules in a list of paths, without those that are no compute modules."""
    with open(path) as f:
        paths = [line.strip() for line in f if line.strip().endswith(".comp.spv")]
    return [p[p.rfind("spirv/") + len("spirv/"):-len(".spv")].replace("/", "_") for p in paths]


def count(program, files):
    """Returns {file: its figures} of the files that decode."""
    counts = {}
    for begin in range(0, len(files), 200):
        run = subprocess.run([program] + files[begin:begin + 200], stdout=subprocess.PIPE, text=True, check=False)
        for line in map(json.loads, run.stdout.splitlines()):
            if "error" not in line:
                counts[line["file"]] = line
    return counts


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def print_means(pairs, lost):
    print("%-20s %8s %10s" % ("", "both", "with LOST"))
    for figure in FIGURES:
        ratios = [max(ours[figure], 1) / max(theirs[figure], 1) for _, ours, theirs in pairs]
        print("%-20s %8.3f %10.3f" % (figure, geometric_mean(ratios), geometric_mean(ratios + [2.0] * len(lost))))
    lower = sum(ours["waves"] < theirs["waves"] for _, ours, theirs in pairs)
    print("occupancy lower in %d of %d" % (lower, len(pairs)))


def print_worst(pairs, number):
    def ratio(pair):
        return pair[1]["instructions"] / pair[2]["instructions"]
    for pair in sorted(pairs, key=ratio, reverse=True)[:number]:
        print("%5.2f %6d %6d wave%d %s" % (ratio(pair), pair[1]["instructions"], pair[2]["instructions"],
                                           pair[2]["wave"], pair[0]))


def print_opcodes(pairs, number):
    more = {}
    for _, ours, theirs in pairs:
        for side, sign in (ours, 1), (theirs, -1):
            for opcode, n in side["opcodes"].items():
                more[opcode] = more.get(opcode, 0) + sign * n
    rows = sorted(more.items(), key=lambda row: (-row[1], row[0]))
    print("most more:  ", ", ".join("%s %+d" % row for row in rows[:number]))
    print("most fewer: ", ", ".join("%s %+d" % row for row in rows[::-1][:number]))


def main():
    args = arguments()
    names = names_of(args.list)
    mesa_files = {n: os.path.join(args.mesa, n + ".bin") for n in names}
    theirs = count(args.stats, [f for f in mesa_files.values() if os.path.exists(f)])
    made = {n: theirs[f] for n, f in mesa_files.items() if f in theirs}
    our_files = {n: os.path.join(args.kiln, "%s.wave%d.bin" % (n, made[n]["wave"])) for n in made}
    ours = count(args.stats, [f for f in our_files.values() if os.path.exists(f)])
    pairs = [(n, ours[our_files[n]], made[n]) for n in made if our_files[n] in ours]
    lost = [n for n in made if our_files[n] not in ours]
    print("%d modules, Mesa made %d, both %d, LOST %d: %s" %
          (len(names), len(made), len(pairs), len(lost), " ".join(lost)))
    print_means(pairs, lost)
    print_worst(pairs, args.worst)
    print_opcodes(pairs, args.opcodes)


if __name__ == "__main__":
    main()
