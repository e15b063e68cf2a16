#!/usr/bin/env python3
"""mesa_table - the table of README.md: Kiln's code beside Mesa's.

  mesa_table.py                      prints it from the record (mesa_table.json)
  mesa_table.py --record STAGE=FILE... [--kiln=COMMIT] [--mesa=VERSION]
                                     records the output of compare_mesa.py --json=FILE of each stage, and prints it

How to make the files: README.md beside this one, "compare_mesa". mesa_table_test compares README.md with the record.
"""
import argparse
import json
import os
import sys

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mesa_table.json")
COLUMNS = ["instructions", "cycles", "sends", "registers", "bytes"]
SPILLS = ["spills", "fills"]


def table(record):
    """Returns lines of Markdown; ratios are geometric means with LOST programs as 2.0."""
    lines = ["| stage | programs | LOST | " + " | ".join(COLUMNS) + " |",
             "|---|---|---|" + "---|" * len(COLUMNS)]
    for stage, row in record["stages"].items():
        lines.append("| %s | %d | %d | %s |" % (stage, row["programs"], row["lost"], " | ".join(
            "%.2f" % row[column] for column in COLUMNS)))
    return lines


def recorded(path):
    """Returns the record of one stage from a file of compare_mesa.py."""
    with open(path, encoding="utf-8") as file:
        compared = json.load(file)
    row = {column: round(compared["summary"][column]["with_lost"], 4) for column in COLUMNS}
    row["programs"] = len(compared["rows"]) + len(compared["lost"])
    row["lost"] = len(compared["lost"])
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--record", nargs="+", metavar="STAGE=FILE")
    parser.add_argument("--kiln", default="")
    parser.add_argument("--mesa", default="")
    arguments = parser.parse_args()
    if arguments.record:
        stages = dict(pair.split("=", 1) for pair in arguments.record)
        record = {"kiln": arguments.kiln, "mesa": arguments.mesa,
                  "stages": {stage: recorded(path) for stage, path in stages.items()}}
        with open(RECORD, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1)
            file.write("\n")
    with open(RECORD, encoding="utf-8") as file:
        print("\n".join(table(json.load(file))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
