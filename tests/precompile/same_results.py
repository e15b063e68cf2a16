"""Compares two databases of results row for row, times aside.

  same_results.py A.sqlite B.sqlite

Rows are compared by what they say, not by their ids, which depend on the order of writing. Left
out: table run, and the columns compile_us and ns. Exit code 1, with the first differences, if they
differ.
"""

import sqlite3
import sys

RESULT = ("hex(unit), target, code_generation, final, status, cause, message, spirv_id, last_pass, "
          "version, loadable_by, key, spirv_sha256, reads")
NAMED_RESULT = "(SELECT hex(unit) || target || code_generation FROM result WHERE id = %s)"
QUERIES = {
    "source": "SELECT name, kind, trouble FROM source",
    "pipeline": "SELECT source.name, pipeline.name, file, pipeline.kind, options FROM pipeline "
                "JOIN source ON source.id = source",
    "stage": "SELECT source.name, pipeline.name, number, stage, entry, module, stage.name, defines, "
             "spec, subgroup_size, state FROM stage JOIN pipeline ON pipeline.id = pipeline "
             "JOIN source ON source.id = source",
    "outcome": "SELECT source.name, pipeline.name, number, target, " + NAMED_RESULT % "result" +
               ", " + NAMED_RESULT % "previous" + " FROM outcome "
               "JOIN pipeline ON pipeline.id = pipeline JOIN source ON source.id = source",
    "result": "SELECT " + RESULT + " FROM result",
    "cause": "SELECT * FROM cause",
    "statistic_kind": "SELECT * FROM statistic_kind",
    "variant": "SELECT " + NAMED_RESULT % "result" + ", variant, width FROM variant",
    "statistic": "SELECT " + NAMED_RESULT % "result" + ", variant, name, value FROM statistic",
    "pass": "SELECT " + NAMED_RESULT % "result" +
            ", pass, runs, changed, instructions_delta FROM pass",
}


def differences(first, second):
    """Returns lines, at most a few for each table; and the number of rows that were compared."""
    lines, rows = [], 0
    with sqlite3.connect(first) as a, sqlite3.connect(second) as b:
        for table, query in QUERIES.items():
            one, two = a.execute(query).fetchall(), b.execute(query).fetchall()
            rows += len(one)
            if len(one) != len(two):
                lines.append("%s: %d and %d rows" % (table, len(one), len(two)))
            only = set(one) ^ set(two)
            lines += ["%s: %s" % (table, row) for row in sorted(map(repr, only))[:5]]
    return lines, rows


def main():
    lines, rows = differences(sys.argv[1], sys.argv[2])
    print("\n".join(lines) if lines else "%d rows are the same" % rows)
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
