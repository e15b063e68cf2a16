#!/usr/bin/env python3
"""compare_radv - Kiln's gfx1030 code and compile time beside RADV's, at the wave size that RADV chose.

  tests/peer/run-peer navi21 --runs 3 --dump-bin DIR @LIST > PEER.jsonl
  compare_radv.py --mesa=PEER.jsonl --compiler=compile_modules --stats=rdna_stats [--stage=compute|fragment|vertex]
                  [--culling=on|off] [--list=FILE] [--rounds=3] [--keep=DIR] [--worst=15] [--opcodes=15] [--json=FILE]

Compiles every module of that stage in PEER.jsonl (of those that --list names, if it is given) with
//tests/corpus:compile_modules, in the default state of both tools, which is the same (proto/README.md). Instructions, bytes, VGPRs as allocated, waves of a SIMD, latency and inverse
throughput of both sides are counted in the binaries by the same program (//tests/corpus:rdna_stats), spills come from
the compilers' records. Time is thread CPU time of all of Kiln's passes for that one wave size, without the validator,
beside processor time of pipeline creation: the median of --rounds runs, and of run-peer's. Each run of Kiln's is of all
modules in turn, so that only --runs 1 of the peer is as cold.

Fragment and vertex programs are compared only if both export the same components to the same targets; others are
listed, as are modules of several entry points, which are left out. Vertex programs of the peer do not cull with
RADV_DEBUG=nonggc in its environment, Kiln's not with --culling=off.

Ratios are Kiln / Mesa, geometric means over modules that both made; a module that Mesa made and Kiln did not is LOST
and counts as 2.0 in the second mean. Modules that Mesa did not make are named with its error. --worst lists modules
by instructions, VGPRs and inverse throughput, --opcodes the mnemonics of which Kiln has most more and most fewer,
summed over all modules; --json writes all figures of each module. --keep has Kiln's binaries left in a folder.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

FIGURES = ["instructions", "bytes", "vgprs", "latency", "inverse_throughput", "compile_us"]
# By the names of the compilers' records.
SPILLS = {"spilled_vgprs": "Spilled VGPRs", "spilled_sgprs": "Spilled SGPRs"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--mesa", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--stats", required=True)
    parser.add_argument("--stage", default="compute", choices=["compute", "fragment", "vertex"])
    parser.add_argument("--list")
    parser.add_argument("--culling", choices=["on", "off"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep")
    parser.add_argument("--worst", type=int, default=15)
    parser.add_argument("--opcodes", type=int, default=15)
    parser.add_argument("--json")
    return parser.parse_args()


def lines_of(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit("compare_radv: %s failed with %d" % (command[0], done.returncode))
    return done.stdout


def count(program, files):
    """Returns {file: its figures} of the files that decode."""
    counts = {}
    for begin in range(0, len(files), 200):
        for line in map(json.loads, run([program] + files[begin:begin + 200]).splitlines()):
            if "error" in line:
                print("not decoded: %s: %s" % (line["file"], line["error"]))
            else:
                counts[line["file"]] = line
    return counts


def named_by_wave(line, folder, number):
    """Returns the path of a link to the binary whose name says the wave size, which few programs show."""
    executable = line["executables"][0]
    link = os.path.join(folder, "%d.wave%d.bin" % (number, executable["subgroup_size"]))
    os.symlink(os.path.abspath(executable["binary"]), link)
    return link


def read_peer(path, wanted, stage):
    """Returns {module: its line} of the stage's modules that Mesa made, {module: error} of what it did not make, and
    the modules of the stage that have several entry points, which are in neither."""
    lines = {}
    for line in lines_of(path):
        if wanted is None or line["file"] in wanted:
            lines.setdefault(line["file"], []).append(line)
    made, failed, several = {}, {}, []
    for name, of in lines.items():
        if len(of) > 1:
            several += [name] if stage in (line["stage"] for line in of) else []
        elif not of[0]["ok"]:
            failed[name] = of[0]["error"]
        elif of[0]["stage"] == stage:
            made[name] = of[0]
    return made, failed, several


def mesa_programs(made, stats):
    """Returns {module: figures} of what Mesa made, with "wave"."""
    programs = {}
    with tempfile.TemporaryDirectory() as folder:
        links = {name: named_by_wave(line, folder, i) for i, (name, line) in enumerate(made.items())}
        counts = count(stats, list(links.values()))
    for name, line in made.items():
        executable = line["executables"][0]
        if links[name] not in counts:
            continue
        spills = {s: executable["stats"].get(key, 0) for s, key in SPILLS.items()}
        programs[name] = {**counts[links[name]], **spills, "wave": executable["subgroup_size"],
                          "compile_us": 1000 * line["cpu_ms_median"]}
    return programs


def kiln_programs(args, waves, folder):
    """Returns {module: figures} of what Kiln makes, and {module: cause} of what it refuses; `waves`: {module: size}.

    One process compiles all of them, as the peer's does: what a process does once counts on both sides alike.
    """
    listing, results = os.path.join(folder, "list"), os.path.join(folder, "jsonl")
    with open(listing, "w", encoding="utf-8") as f:
        f.write("".join("%s\t%d\n" % each for each in sorted(waves.items())))
    lines = {}
    culling = ["--culling=" + args.culling] if args.culling else []
    for _ in range(args.rounds):
        run([args.compiler, "--target=gfx1030", "--no-validate", "--warm", *culling, "--dump=" + folder,
             "--jsonl=" + results, listing])
        for line in lines_of(results):
            lines.setdefault(line["file"], []).append(line)
    variants = {n: of[0]["variants"][0] for n, of in lines.items() if of[0].get("variants")}
    counts = count(args.stats, [v["binary"] for v in variants.values()])
    programs = {n: {**counts[v["binary"]], **{s: v.get(s, 0) for s in SPILLS},
                    "compile_us": statistics.median(line["pass_us"] for line in lines[n])}
                for n, v in variants.items()}
    return programs, {n: of[0]["cause"] for n, of in lines.items() if n not in programs}


def all_kiln_programs(args, theirs):
    waves = {n: p["wave"] for n, p in theirs.items()}
    if not waves:
        return {}, {}
    with tempfile.TemporaryDirectory() as folder:
        return kiln_programs(args, waves, args.keep or folder)


def split_by_exports(pairs):
    """Returns the pairs whose programs export the same, and the others."""
    same = [p for p in pairs if p[1]["exports"] == p[2]["exports"]]
    return same, [p for p in pairs if p[1]["exports"] != p[2]["exports"]]


def print_other_exports(pairs):
    print("other exports, not compared: %d" % len(pairs))
    for name, ours, theirs in pairs:
        sides = [", ".join(sorted("%s %s" % e for e in a["exports"].items() if b["exports"].get(e[0]) != e[1]))
                 for a, b in ((ours, theirs), (theirs, ours))]
        print("  Kiln %s; Mesa %s: %s" % (*(s or "none more" for s in sides), name))


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def ratio(pair, figure):
    return max(pair[1][figure], 1) / max(pair[2][figure], 1)


def print_means(pairs, lost):
    print("%-20s %8s %10s" % ("", "both", "with LOST"))
    for figure in FIGURES:
        ratios = [ratio(pair, figure) for pair in pairs]
        print("%-20s %8.3f %10.3f" % (figure, geometric_mean(ratios), geometric_mean(ratios + [2.0] * len(lost))))
    for spills in SPILLS:
        print("%-20s %8d of Kiln, %d of Mesa" % (spills, *(sum(p[side][spills] for p in pairs) for side in (1, 2))))
    print("compile time in all: Kiln %.1f ms, Mesa %.1f ms" %
          tuple(sum(p[side]["compile_us"] for p in pairs) / 1000 for side in (1, 2)))


def print_occupancy(pairs):
    lower = [pair for pair in pairs if pair[1]["waves"] < pair[2]["waves"]]
    print("occupancy lower in %d of %d, higher in %d" %
          (len(lower), len(pairs), sum(ours["waves"] > theirs["waves"] for _, ours, theirs in pairs)))
    for name, ours, theirs in lower:
        print("  %3d waves, %3d of Mesa; %3d VGPRs, %3d; wave%d %s" %
              (ours["waves"], theirs["waves"], ours["vgprs"], theirs["vgprs"], theirs["wave"], name))


def print_worst(pairs, figure, number):
    print("worst by %s:" % figure)
    for pair in sorted(pairs, key=lambda p: -ratio(p, figure))[:number]:
        print("%6.2f %6d %6d wave%d %s" % (ratio(pair, figure), pair[1][figure], pair[2][figure], pair[2]["wave"],
                                           pair[0]))


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
    wanted = None
    if args.list:
        with open(args.list, encoding="utf-8") as f:
            wanted = {line.strip() for line in f if line.strip()}
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    made, failed, several = read_peer(args.mesa, wanted, args.stage)
    theirs = mesa_programs(made, args.stats)
    ours, refused = all_kiln_programs(args, theirs)
    pairs, others = split_by_exports([(n, ours[n], theirs[n]) for n in sorted(theirs) if n in ours])
    print("Mesa made %d modules, compared %d, LOST %d, not made by Mesa %d" %
          (len(theirs), len(pairs), len(refused), len(failed)))
    for name, cause in sorted(refused.items()):
        print("  LOST: %s: %s" % (name, cause))
    for name, error in sorted(failed.items()):
        print("  not made by Mesa: %s: %s" % (name, error))
    for name in several:
        print("  several entry points: %s" % name)
    print_other_exports(others)
    print_means(pairs, refused)
    print_occupancy(pairs)
    for figure in ("instructions", "vgprs", "inverse_throughput"):
        print_worst(pairs, figure, args.worst)
    print_opcodes(pairs, args.opcodes)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump({"pairs": [{"file": n, "kiln": a, "mesa": b} for n, a, b in pairs], "lost": refused,
                       "not_made": failed, "several_entry_points": several,
                       "other_exports": [n for n, _, _ in others]}, f, indent=1)


if __name__ == "__main__":
    main()
