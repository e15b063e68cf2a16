#!/usr/bin/env python3
"""Judges the compiler by two others: compute modules are compiled, run in the simulator, and
compared with the MIR interpreter, which is compared with lavapipe.

    sim_interp.py --kilnc PATH --mir-run PATH --eu-run PATH [--cache DIR] [--out FILE] [--ulp 16]
                  [--no-fusion] [--widths 8,16,32] [--jobs N] [--budget SECONDS] MODULE.spv... | @LIST

Every width that comes out is run in contract mode, with and without fusion (blocks entered with
all channels off). Inputs and the meaning of agree, differ, order, unstable, undefined and undriven
are those of lavapipe_interp.py, whose comparison comes first; for the simulator, subnormals are
flushed in the interpreter as the hardware does. Further:

  alone      simulator and interpreter agree, but lavapipe takes too long or crashes: by two judges

  refused    by the importer or the back end, with its cause
  broken     compilation failed otherwise, or the simulator refused the program (a contract
             violation, say): always a bug

The last lines are causes and a table: compiled; driven (some drive ran); counted (changing one
arithmetic operation changes an output, or, where none does, changing a move: those are told apart);
agreeing, in all and by width. The exit status is 1 if any module differs or is broken.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "drive"))
import drive  # noqa: E402
import peer  # noqa: E402
import lavapipe_interp  # noqa: E402
from lavapipe_interp import (cached_drive, differing, interpret,  # noqa: E402
                             inverse_trigonometry)
from spirv_module import Module  # noqa: E402

# Causes of "undriven" by which a drive ran, but did not count.
RAN = (drive.NOTHING_CHANGES, drive.NOTHING_WRITTEN)
BY_MOVES = "counted by a changed move"


def compile_module(a, path, folder):
    """(files by width, status, cause)."""
    specialised = Module.load(path, specialise=True).specialised
    spec = ["--spec=%d:%d" % kv for kv in sorted(specialised.items())]
    widths = ["--widths=" + a.widths] if a.widths else []
    p = subprocess.run([a.kilnc, *widths, *spec, "-o", folder, path], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=300)
    text = p.stderr.decode(errors="replace").strip()
    if p.returncode == 1:
        cause = text.split(": ", 1)[1] if ": " in text else text
        broken = cause.startswith("internal") or cause.startswith("invalid")
        return {}, "broken" if broken else "refused", cause
    if p.returncode != 0:
        return {}, "broken", "kilnc ends with %d: %s" % (p.returncode, text[-200:])
    widths = {}
    for name in os.listdir(folder):
        m = re.search(r"\.SIMD(\d+)\.bin$", name)
        if m:
            widths[int(m.group(1))] = os.path.join(folder, name[:-4])
    return widths, "", ""


def simulate(a, stem, job, folder, options):
    path = os.path.join(folder, "job.json")
    with open(path, "w") as f:
        json.dump(job, f)
    command = [a.eu_run, "--max-seconds=100", "--zero-memory", *options, stem + ".bin", stem + ".launch.json", path]
    try:
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        return json.loads(p.stdout)
    except subprocess.TimeoutExpired:
        return {"ok": False, "error": "timeout"}
    except ValueError:
        return {"ok": False, "error": "exit %d: %s" % (p.returncode, p.stderr.decode()[-300:])}


def explained(a, job, folder, size, mine, types, ulp, places):
    """Why the interpreter itself may give another result at these places, or ''."""
    if mine["outside_local_accesses"]:
        return "undefined"
    undefined, mine = mine["undefined_results"], peer.outputs(mine)
    other = interpret(a.mir_run, job, folder, ["--opposite", size])
    if other["ok"] and differing(mine, peer.outputs(other), types, ulp)[0]:
        return "order"
    moved = set()
    for seed in range(1, 9):
        other = interpret(a.mir_run, job, folder, ["--perturb=%d" % seed, size])
        if other["ok"]:
            moved |= differing(mine, peer.outputs(other), types, ulp)[0]
    if not places <= moved:
        return ""
    return "undefined" if undefined else "unstable"


def judge(a, path, folder):
    """(status, cause, agreeing widths)."""
    widths, status, cause = compile_module(a, path, folder)
    if status:
        return status, cause, []
    status, cause = lavapipe_interp.judge(a, path, folder)
    if status in ("agree", "undriven"):
        found = cached_drive(path, folder, a.cache, a.seed, a.timeout, a.mir_run)
    alone = status == "undriven" and found.job is not None
    if status != "agree" and not alone:
        where = "" if status == "undriven" else "interpreter and lavapipe: "
        return ("broken" if status == "error" else status), where + cause, []
    job, types = found.job, found.types
    ulp = max(a.ulp, 4096) if inverse_trigonometry(path) else a.ulp
    excuse, agreeing = "", []
    for width in sorted(widths):
        size = "--subgroup-size=%d" % width
        reference = interpret(a.mir_run, job, folder, ["--flush", size])
        if not reference["ok"]:
            return "broken", "interpreter: " + reference["error"], []
        for mode in ([], ["--fusion"]):
            if mode and a.no_fusion:
                continue
            name = "SIMD%d%s" % (width, " fused" if mode else "")
            got = simulate(a, widths[width], job, folder, mode)
            if not got["ok"] and reference["outside_accesses"] and "no allocation" in got["error"]:
                return "undefined", "%s: %s" % (name, got["error"]), agreeing
            if not got["ok"]:
                return "broken", "%s: %s" % (name, got["error"]), agreeing
            places, first = differing(peer.outputs(reference), peer.outputs(got), types, ulp)
            if not places:
                continue
            excuse = excuse or explained(a, job, folder, size, reference, types, ulp, places)
            if not excuse:
                return "differ", "%s: %d places, %s" % (name, len(places), first), agreeing
        if not excuse:
            agreeing.append(width)
    if excuse:
        return excuse, "", agreeing
    return ("alone", cause, agreeing) if alone else ("agree", BY_MOVES * found.by_moves, agreeing)


def judge_safely(a, path):
    with tempfile.TemporaryDirectory() as folder:
        return judge(a, path, folder)


def print_table(rows):
    """rows: (status, cause, agreeing widths)."""
    totals = collections.Counter(status for status, _, _ in rows)
    causes = collections.Counter(status + ": " + cause.split(":")[0] for status, cause, _ in rows
                                 if status in ("refused", "undriven"))
    for cause, count in causes.most_common():
        print("%5d  %s" % (count, cause))
    compiled = len(rows) - totals["refused"] - totals["broken"]
    counted = compiled - totals["undriven"]
    ran = counted + sum(status == "undriven" and cause in RAN for status, cause, _ in rows)
    widths = collections.Counter(w for _, _, agreeing in rows for w in agreeing)
    print("modules %d, refused %d, broken %d, order-dependent %d, unstable %d, undefined %d, "
          "differing %d" % (len(rows), totals["refused"], totals["broken"], totals["order"],
                            totals["unstable"], totals["undefined"], totals["differ"]))
    by_moves = sum(status == "agree" and cause == BY_MOVES for status, cause, _ in rows)
    for name, n in [("compiled", compiled), ("driven", ran), ("counted", counted),
                    ("agreeing", totals["agree"]), ("of these by moves", by_moves),
                    ("alone", totals["alone"])] + [
                        ("agreeing at SIMD%d" % w, widths[w]) for w in sorted(widths)]:
        print("%-20s %4d  %5.1f %%" % (name, n, 100.0 * n / max(len(rows), 1)))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--kilnc", required=True)
    p.add_argument("--mir-run", required=True)
    p.add_argument("--eu-run", required=True)
    p.add_argument("--cache")
    p.add_argument("--out", help="JSON lines, one per module")
    p.add_argument("--ulp", type=int, default=16)
    p.add_argument("--timeout", type=int, default=10, help="seconds for one run of lavapipe")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--widths", help="8,16,32: these instead of those that the compiler chooses")
    p.add_argument("--no-fusion", action="store_true")
    p.add_argument("--budget", type=float, help="stop after so many seconds")
    p.add_argument("modules", nargs="+")
    a = p.parse_args()
    files = []
    for m in a.modules:
        if m.startswith("@"):
            with open(m[1:]) as f:
                files += [line.strip() for line in f if line.strip()]
        else:
            files.append(m)
    # Two steps look for the drive of a module: the second one finds it here.
    own_cache = tempfile.TemporaryDirectory()
    a.cache = a.cache or own_cache.name
    os.makedirs(a.cache, exist_ok=True)
    a.optimise = False
    start, rows = time.time(), []
    out = open(a.out, "w") if a.out else None
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        futures = [pool.submit(judge_safely, a, path) for path in files]
        for n, (path, future) in enumerate(zip(files, futures)):
            if a.budget and time.time() - start > a.budget:
                print("stopped by the budget, %d modules not looked at" % (len(files) - n))
                pool.shutdown(cancel_futures=True)
                break
            status, cause, agreeing = future.result()
            rows.append((status, cause, agreeing))
            print("%-9s %-60s %-14s %s" % (status, os.path.basename(path)[-60:],
                                           " ".join("SIMD%d" % w for w in agreeing), cause[:300]),
                  flush=True)
            if out:
                out.write(json.dumps({"file": path, "status": status, "cause": cause,
                                      "widths": agreeing}) + "\n")
                out.flush()
    print_table(rows)
    return 1 if any(r[0] in ("differ", "broken") for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
