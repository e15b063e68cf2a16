#!/usr/bin/env python3
"""coverage_table - COVERAGE.md: how many modules of a corpus compile for each target, and why the others do not.

  coverage_table.py                        prints it from the record (coverage_table.json)
  coverage_table.py --record=RESULTS.jsonl [--kiln=COMMIT]
                                           records what `kiln batch` wrote for all targets, and prints it

A module is a line of RESULTS.jsonl: a shader and an entry point. How to make the file: README.md beside this one.
coverage_table_test compares COVERAGE.md with the record. Exit status 1 if a line of the results is neither ok nor
refused nor invalid: such a line is a fault of the compiler or of the run, and nothing is recorded.
"""
import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "coverage_table.json")
# Stages by the ends of names, in the order of a pipeline.
STAGES = {"comp": "compute", "vert": "vertex", "tesc": "tessellation control", "tese": "tessellation evaluation",
          "geom": "geometry", "task": "task", "mesh": "mesh", "frag": "fragment"}


def stage_of(line):
    """Returns the stage of a result; that of the file's name, since a refused module may have none."""
    parts = os.path.basename(line["file"]).split(".")
    return next((STAGES[p] for p in reversed(parts) if p in STAGES), line["stage"] or "other")


def count(lines):
    """Returns {stage: {target: {cause: modules}}}, with the cause "ok" for those that compile."""
    counts = {}
    for line in lines:
        if line["status"] not in ("ok", "refused", "invalid"):
            raise ValueError("%s: %s: %s" % (line["file"], line["target"], line["status"]))
        causes = counts.setdefault(stage_of(line), {}).setdefault(line["target"], {})
        causes[line["cause"]] = causes.get(line["cause"], 0) + 1
    order = list(STAGES.values())
    return {stage: {target: dict(sorted(causes.items())) for target, causes in sorted(counts[stage].items())}
            for stage in sorted(counts, key=lambda s: (order.index(s) if s in order else len(order), s))}


def targets_of(stages):
    return sorted({target for targets in stages.values() for target in targets}, reverse=True)


def table(record):
    """Returns lines of Markdown: modules of each stage that compile for each target."""
    targets = targets_of(record["stages"])
    lines = ["| stage | modules | " + " | ".join("`%s`" % t for t in targets) + " |",
             "|---|---|" + "---|" * len(targets)]
    for stage, counts in record["stages"].items():
        modules = max(sum(causes.values()) for causes in counts.values())
        lines.append("| %s | %d | %s |" % (stage, modules, " | ".join(
            str(counts.get(t, {}).get("ok", 0)) for t in targets)))
    return lines


def causes(record):
    """Returns lines of Markdown: the causes by which the others are refused, the commonest first."""
    lines = ["| stage | target | causes |", "|---|---|---|"]
    for stage, counts in record["stages"].items():
        for target in targets_of(record["stages"]):
            refused = sorted(((n, cause) for cause, n in counts.get(target, {}).items() if cause != "ok"),
                             key=lambda row: (-row[0], row[1]))
            if refused:
                lines.append("| %s | `%s` | %s |" % (stage, target, ", ".join("%s %d" % (c, n) for n, c in refused)))
    return lines


def page(record):
    """Returns COVERAGE.md."""
    return "\n".join([
        "# How much of a corpus compiles", "",
        "Modules of the corpus that compile for each target, at any width (commit %s; made and printed by"
        % record["kiln"],
        "`tests/corpus/coverage_table.py`, see README.md beside this file).", "",
        *table(record), "",
        "Why the others do not, by the causes of core/base/causes.def (`kiln batch` prints each with its sentence):", "",
        *causes(record), ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--record", metavar="FILE")
    parser.add_argument("--kiln", default="")
    arguments = parser.parse_args()
    if arguments.record:
        with open(arguments.record, encoding="utf-8") as file:
            try:
                stages = count(map(json.loads, file))
            except ValueError as error:
                print(error, file=sys.stderr)
                return 1
        with open(RECORD, "w", encoding="utf-8") as file:
            json.dump({"kiln": arguments.kiln, "stages": stages}, file, indent=1)
            file.write("\n")
    with open(RECORD, encoding="utf-8") as file:
        print(page(json.load(file)), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
