#!/usr/bin/env python3
"""Judges importer and MIR interpreter by lavapipe: compute modules are driven on both.

    lavapipe_interp.py --mir-run PATH [--optimise] [--cache DIR] [--out FILE] [--ulp 16]
                       [--seeds 1,2] [--order SEED] [--budget SECONDS] MODULE.spv... | @LIST

Inputs come from tests/drive, a drive for each seed; a drive counts only if changing one arithmetic
operation in the module changes an output on lavapipe. --cache keeps drives and lavapipe's results for
the next run. Every module ends as one of:

  agree      integers equal, floats within --ulp units in the last place (compare.py); also within 4e-6
             absolute, only if the module uses functions whose error is absolute (excuses.py). The error
             of inverse trigonometric functions, 4096 units by Vulkan, excuses values that depend on them
  excused    each place that differs is excused, as unstable, order or undefined (excuses.py)
  differ     anything else: a bug until shown otherwise
  undriven   no drive counts, the drive generator cannot serve the module, or the drive takes more
             than MAX_STEPS in the interpreter
  refused    by the importer, with its cause
  error      importing or interpreting failed in another way

The last lines are excuses by kind and a summary, also when the run is interrupted; the exit status is 1
if any module differs or fails, or if there was no comparison.
"""

import argparse
import collections
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "drive"))
import drives  # noqa: E402
import excuses  # noqa: E402
import judging  # noqa: E402
import peer  # noqa: E402
import processes  # noqa: E402
from spirv_module import Module  # noqa: E402


def probe(interpreter, path, folder):
    """Returns (status, cause) of a module that cannot be interpreted at all, or ("", "")."""
    job = {"shader": os.path.abspath(path), "dispatch": [0, 0, 0]}
    result = interpreter.run(drives.write_job(job, folder, "probe"))
    if result["ok"] or result["stage"] == "run" and result["cause"] != "crash":
        return "", ""
    status = "refused" if result["stage"] == "import" else "error"
    return status, "%s: %s" % (result["cause"], result["error"])


def compare_drive(interpreter, found, where, job_path, tolerance):
    """Returns a Comparison of lavapipe's result with the interpreter's, or (status, cause)."""
    mine = interpreter.run(job_path)
    if not mine["ok"] and mine["cause"] in ("deadline_exceeded", "timeout"):
        return "undriven", "too long for the interpreter"
    if not mine["ok"]:
        return "error", "%s: %s: %s" % (mine["stage"], mine["cause"], mine["error"])
    returned = drives.returned(found.job)
    outputs = {key: data for key, data in peer.outputs(mine).items() if key in returned}
    return excuses.compared(where + " lavapipe", outputs, found.result, found.types, tolerance,
                            excuses.evidence(interpreter, job_path, [], tolerance))


def judge(a, path, folder):
    """A judging.Verdict."""
    verdict = judging.Verdict(path)
    verdict.status, verdict.cause = probe(a.interpreter, path, folder)
    if verdict.status:
        return verdict
    tolerance = excuses.Tolerance.of(Module.load(path), a.ulp)
    for seed, found in zip(a.seeds, drives.drives_of(path, folder, a.cache, a.seeds, a.timeout,
                                                     a.interpreter)):
        if not found.result:
            verdict.undriven.append(found.reason)
            continue
        job_path = drives.write_job(found.job, folder, "seed%d" % seed)
        result = compare_drive(a.interpreter, found, "seed %d" % seed, job_path, tolerance)
        if isinstance(result, excuses.Comparison):
            verdict.comparisons.append(result)
        elif result[0] == "undriven":
            verdict.undriven.append(result[1])
        else:
            verdict.fail(*result)
    verdict.settle()
    return verdict


def summary(verdicts):
    totals = collections.Counter(v.status for v in verdicts)
    causes = collections.Counter(v.status + ": " + v.cause.split(":")[0] for v in verdicts
                                 if v.status in ("refused", "undriven"))
    for cause, count in causes.most_common():
        print("%5d  %s" % (count, cause))
    judging.print_excuses(verdicts)
    compiled = len(verdicts) - totals["refused"] - totals["error"]
    print("modules %d, compiled %d, counted %d, agreeing %d, excused %d, differing %d, undriven %d, "
          "refused %d, errors %d" % (
              len(verdicts), compiled, compiled - totals["undriven"], totals["agree"],
              totals["excused"], totals["differ"], totals["undriven"], totals["refused"],
              totals["error"]))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--mir-run", required=True)
    p.add_argument("--optimise", action="store_true", help="run the target-independent passes")
    judging.add_arguments(p)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as own_cache:
        a.cache = a.cache or own_cache
        os.makedirs(a.cache, exist_ok=True)
        pool = processes.Pool()
        a.interpreter = drives.Interpreter(pool, a.mir_run, ["--optimise"] if a.optimise else [])
        verdicts = judging.judge_all(a, judge, summary)
        pool.close()
    return judging.exit_status(verdicts)


if __name__ == "__main__":
    sys.exit(main())
