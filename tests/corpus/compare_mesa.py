#!/usr/bin/env python3
"""compare_mesa - Kiln's code beside Mesa's, for the same modules at the same dispatch width.

  compare_mesa.py --kiln=BATCH.jsonl --mesa=PEER.jsonl --eu-stats=PROGRAM [--stage=compute] [--list=FILE]
                  [--json=FILE] [--worst=10]

BATCH.jsonl comes from `kiln batch --target=tgl --jsonl=...`, PEER.jsonl from
`tests/peer/run-peer tgl --dump-bin DIR ...`, both over the same files (compared by file name below
the corpus folder, and entry point). Instructions, cycles of Kiln's model, sends, registers and bytes of both sides are
counted in the binaries by the same program (//tests/corpus:eu_stats), spills and fills come from the compilers'
records. Binaries of Mesa that do not decode are counted and left out; one with a message that the model does
not know has no cycles, is named, and not judged by them. A row is a program of Mesa's: a compute
module has one, of the width that Mesa chose, a fragment module one for each width. Ratios are Kiln / Mesa,
geometric means over programs that both made; a program that Mesa has and Kiln has not is LOST and counts as 2.0 in
the second mean. If the batch was made with -o, a LOST width is called outdone where a narrower program of Kiln's
finishes as many lanes in the same time as Mesa's program of that width does, by the model: lanes / the larger
of cycles and busiest cycles. --stage names the stage that is compared, --list restricts the comparison to the modules named
there.
Compile time is that of Kiln's passes (thread CPU time, from the same JSON lines) for all widths made,
per instruction of the final code; results answered from a cache carry the times of the compile that
made them.
"""
import argparse
import json
import math
import os
import subprocess
import sys

STATISTICS = ["instructions", "cycles", "sends", "registers", "bytes"]
# Taken from the compilers' own records: the bytes do not show them.
RECORDED = {"spills": "Spill Count", "fills": "Fill Count"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kiln", required=True)
    parser.add_argument("--mesa", required=True)
    parser.add_argument("--eu-stats", required=True)
    parser.add_argument("--stage", default="compute", choices=["compute", "fragment", "vertex"])
    parser.add_argument("--list")
    parser.add_argument("--json")
    parser.add_argument("--worst", type=int, default=10)
    return parser.parse_args()


def module_name(path):
    """Returns the part of a path that names a module of the corpus, whichever folder precedes it."""
    marker = "spirv/"
    return path[path.rindex(marker):] if marker in path else os.path.basename(path)


def lines_of(path):
    with open(path) as f:
        return [json.loads(line) for line in f if line.strip()]


def entry_of(line):
    """Returns a line's module and entry point; lines of earlier versions lack the latter."""
    return module_name(line["file"]), line.get("entry", "")


def mesa_programs(path, program, stage, wanted):
    """Returns {((module, entry point), width): statistics} of every wanted program of the stage that Mesa made, and
    how many did not decode."""
    found = []
    for line in lines_of(path):
        if not line["ok"] or line["stage"] != stage:
            continue
        name = entry_of(line)
        if wanted is not None and name[0] not in wanted:
            continue
        found += [(name, e) for e in line["executables"] if e.get("binary")]
    counts = []
    for begin in range(0, len(found), 200):
        files = [e["binary"] for _, e in found[begin:begin + 200]]
        run = subprocess.run([program] + files, stdout=subprocess.PIPE, text=True, check=False)
        counts += [json.loads(text) for text in run.stdout.splitlines()]
    if len(counts) != len(found):
        sys.exit("compare_mesa: %s answered for %d of %d files" %
                 (program, len(counts), len(found)))
    programs, undecoded = {}, 0
    for (name, executable), count in zip(found, counts):
        if "error" in count:
            undecoded += 1
            continue
        recorded = {s: executable["stats"].get(key, 0) for s, key in RECORDED.items()}
        programs[name, executable["subgroup_size"]] = {**count, **recorded}
    return programs, undecoded


def lanes_per_kilocycle(width, count):
    """Returns lanes per thousand cycles of successive threads of a program; None if the model does not know."""
    if count.get("cycles") is None:
        return None
    return 1000 * width / max(count["cycles"], count["busiest_cycles"], 1)


def fastest(line, program):
    """Returns the most lanes in a thousand cycles that one of the line's programs finishes, counted in its binary; None
    if not known."""
    made = [v for v in line.get("variants", []) if v.get("binary")]
    if not made:
        return None
    run = subprocess.run([program] + [v["binary"] for v in made], stdout=subprocess.PIPE, text=True, check=False)
    rates = [lanes_per_kilocycle(v["width"], json.loads(text)) for v, text in zip(made, run.stdout.splitlines())]
    return max((r for r in rates if r is not None), default=None)


def ratios_of(ours, theirs):
    """Returns {statistic: Kiln / Mesa}, without those that one side does not know."""
    return {s: max(ours[s], 1) / max(theirs[s], 1) for s in STATISTICS
            if ours[s] is not None and theirs[s] is not None}


def geometric_mean(ratios):
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios)) if ratios else float("nan")


def print_compile_time(lines):
    """Prints microseconds of all passes per final instruction: in all, and by size of the module."""
    samples = []
    for line in lines:
        made = sum(v["instructions"] for v in line.get("variants", []))
        spent = sum(p["us"] for p in line.get("passes", []))
        if made and spent:
            samples.append((made, spent))
    if not samples:
        return
    print("\ncompile time: %.2f us per final instruction over %d modules (all widths made)" % (
        sum(s for _, s in samples) / sum(m for m, _ in samples), len(samples)))
    for low, high in ((0, 100), (100, 300), (300, 1000), (1000, 10 ** 9)):
        part = [(m, s) for m, s in samples if low <= m < high]
        if part:
            print("  %5d and more instructions: %6.2f us each, %d modules" % (
                low, sum(s for _, s in part) / sum(m for m, _ in part), len(part)))


def main():
    options = arguments()
    wanted = None
    if options.list:
        with open(options.list) as f:
            wanted = {module_name(line.strip()) for line in f if line.strip()}
    mesa, undecoded = mesa_programs(options.mesa, options.eu_stats, options.stage, wanted)
    kiln = {entry_of(line): line for line in lines_of(options.kiln)}
    rows, lost = [], []
    for (name, width), theirs in sorted(mesa.items()):
        line = kiln.get(name) or kiln.get((name[0], ""))
        if line is None:
            continue
        name = name[0]
        ours = next((v for v in line.get("variants", []) if v["width"] == width), None)
        if ours is None:
            rate, its = fastest(line, options.eu_stats), lanes_per_kilocycle(width, theirs)
            if rate is not None and its is not None:
                why = "%s: %.1f lanes in 1,000 cycles, a narrower one %.1f" % (
                    "outdone" if rate >= its else "faster", its, rate)
            else:
                why = line.get("cause") if line["status"] != "ok" else "width not made"
            lost.append((name, width, line["status"], why))
            continue
        rows.append({"file": name, "width": width, "ratios": ratios_of(ours, theirs),
                     "kiln": {s: ours[s] for s in [*STATISTICS, *RECORDED]},
                     "mesa": {s: theirs[s] for s in [*STATISTICS, *RECORDED]}})

    print("compared: %d %s programs of %d modules at Mesa's widths; LOST: %d, outdone by a narrower one %d; "
          "binaries of Mesa not decoded: %d" % (
              len(rows), options.stage, len({r["file"] for r in rows}), len(lost),
              sum(why.startswith("outdone") for *_, why in lost), undecoded))
    print("%-14s %10s %10s %8s %10s %10s" % ("", "Kiln", "Mesa", "total", "geo. mean", "with LOST"))
    summary = {}
    for s in STATISTICS:
        judged = [r for r in rows if s in r["ratios"]]
        ours = sum(r["kiln"][s] for r in judged)
        theirs = sum(r["mesa"][s] for r in judged)
        ratios = [r["ratios"][s] for r in judged]
        summary[s] = {"kiln": ours, "mesa": theirs, "geometric_mean": geometric_mean(ratios),
                      "with_lost": geometric_mean(ratios + [2.0] * len(lost))}
        print("%-14s %10d %10d %8.3f %10.3f %10.3f" % (
            s, ours, theirs, ours / max(theirs, 1), summary[s]["geometric_mean"],
            summary[s]["with_lost"]))
    for s in RECORDED:
        print("%-14s %10d %10d" % (s, sum(r["kiln"][s] for r in rows),
                                   sum(r["mesa"][s] for r in rows)))
    print_compile_time([k for name, k in sorted(kiln.items()) if wanted is None or name[0] in wanted])
    rows.sort(key=lambda r: -r["ratios"]["instructions"])
    for title, part in (("worst", rows[:options.worst]), ("best", rows[::-1][:options.worst])):
        print("\n%s by instructions:" % title)
        for r in part:
            print("  %6.2f  %5d / %-5d sends %d / %d  SIMD%d  %s" % (
                r["ratios"]["instructions"], r["kiln"]["instructions"],
                r["mesa"]["instructions"], r["kiln"]["sends"], r["mesa"]["sends"], r["width"],
                r["file"]))
    for s in STATISTICS:
        unknown = [r for r in rows if s not in r["ratios"]]
        if unknown:
            print("\nnot judged by %s, which one side does not know:" % s)
        for r in unknown:
            print("  SIMD%-2d %s" % (r["width"], r["file"]))
    if lost:
        print("\nLOST:")
        for name, width, status, cause in lost:
            print("  SIMD%-2d %s (%s)  %s" % (width, status, cause, name))
    if options.json:
        with open(options.json, "w") as f:
            json.dump({"summary": summary, "rows": rows, "lost": lost}, f, indent=1)


if __name__ == "__main__":
    main()
