"""Measures `kiln precompile` with a large capture, undisturbed and disturbed.

  big_run.py FOLDER [--pipelines=100000] [--modules=22000] [--seed=1] [--kills=3]

Run in bazel-bin, after `bazel build //client:kiln //server:kilnd`; the environment may name other
programs (KILN, KILND). Writes a capture, compiles it through a daemon with an empty
cache, again with nothing to do, and once more through another daemon, while client and daemon are
killed (kill -9) in turns, each as often as --kills says. Prints what was measured, and fails if a
goal is missed: 256 MiB of resident memory of the client; a run with nothing to do compiles nothing
and takes at most 5 % of the first; the disturbed database is the same row for row.
"""

import argparse
import os
import sys

import big_capture
import programs
import same_results

MEBIBYTES = 256
SHARE = 0.05


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--pipelines", type=int, default=100000)
    parser.add_argument("--modules", type=int, default=22000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=3)
    a = parser.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    capture = os.path.join(a.folder, "big.foz")
    quiet, noisy = (os.path.join(a.folder, name) for name in ("quiet.sqlite", "noisy.sqlite"))
    for path in (quiet, noisy):
        if os.path.exists(path):
            os.remove(path)
    big_capture.write(capture, a.pipelines, a.modules, a.seed)
    missed = []

    def goal(text, reached):
        print(("reached: " if reached else "MISSED: ") + text, flush=True)
        if not reached:
            missed.append(text)

    daemon = programs.Daemon(a.folder)
    first, seconds, memory = programs.precompile(daemon, quiet, capture)
    print("first run: %.1f s, %s" % (seconds, {k: v for k, v in first.items() if k != "outcomes"}))
    print("stages:", {(o["status"], o["cause"]): o["stages"] for o in first["outcomes"]})
    goal("client %.0f MiB, at most %d" % (memory, MEBIBYTES), memory <= MEBIBYTES)
    again, seconds_again, _ = programs.precompile(daemon, quiet, capture)
    daemon.stop()
    goal("a second run compiles %d" % again["compiled"], again["compiled"] == 0)
    share = seconds_again / seconds
    goal("a second run takes %.2f s, %.1f %% of the first" % (seconds_again, 100 * share),
         share <= SHARE)
    daemon = programs.Daemon(a.folder)
    last, met = programs.disturbed(daemon, noisy, seconds, a.kills, capture)
    daemon.stop()
    goal("%d of %d kills met a running client" % (met, 2 * a.kills), met == 2 * a.kills)
    print("last run after kills:", {k: v for k, v in last.items() if k != "outcomes"})
    lines, rows = same_results.differences(quiet, noisy)
    goal("%d rows, the same after kills" % rows, not lines)
    print("\n".join(lines))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
