"""Compiles captures, and checks that each pipeline stage has a row with a result or a cause.

  corpus_check.py CAPTURE...

Run in bazel-bin, after `bazel build //client:kiln //server:kilnd`; the environment may name other
programs (KILN, KILND). Prints the outcomes by status and cause.
"""

import os
import sqlite3
import sys
import tempfile

import foz_reader
import programs


def main():
    captures = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "results.sqlite")
        daemon = programs.Daemon(folder)
        summary, seconds, _ = programs.precompile(daemon, database, *captures)
        daemon.stop()
        wanted = {(path, *row) for path in captures for row in foz_reader.stages(path)}
        with sqlite3.connect(database) as db:
            rows = db.execute("SELECT source, pipeline, number, stage, module, status, cause "
                              "FROM stage_result").fetchall()
    for outcome in summary["outcomes"]:
        print(outcome["status"], outcome["cause"], outcome["stages"])
    found = {row[:5] for row in rows}
    unexplained = [row for row in rows if not row[6] or not row[5]]
    print("%d stages of %d pipelines in %.1f s; %d have no row, %d rows are of no stage, %d say "
          "nothing" % (len(wanted), len({row[:2] for row in wanted}), seconds, len(wanted - found),
                       len(found - wanted), len(unexplained)))
    sys.exit(1 if found != wanted or unexplained or len(rows) != len(wanted) else 0)


if __name__ == "__main__":
    main()
