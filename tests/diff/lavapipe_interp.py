#!/usr/bin/env python3
"""Judges importer and MIR interpreter by lavapipe: compute modules are driven on both.

    lavapipe_interp.py --mir-run PATH [--optimise] [--cache DIR] [--out FILE] [--ulp 16]
                       [--budget SECONDS] MODULE.spv... | @LIST

Inputs come from tests/drive; a drive counts only if changing one arithmetic operation in the module
changes an output on lavapipe. --cache keeps drives and lavapipe's results for the next run. Every
module ends as one of:

  agree      integers equal, floats within --ulp units in the last place or 4e-6 (compare.py);
             4096 units, Vulkan's own limit, if the module uses inverse trigonometric functions
  differ     anything else not explained below: a bug until shown otherwise
  order      differs, and the interpreter sees racing accesses, or gives other results with lanes
             and workgroups in the opposite order (order of atomics)
  unstable   differs only in values that the interpreter itself moves when it rounds at random within
             what Vulkan allows (--perturb of mir_run, 16 runs): floats at least half as far as
             lavapipe's result is away, integers at all
  undefined  differs, and accesses private arrays or shared memory outside of their bounds; or differs
             only in values that change when undefined results (division by 0, values of lanes that are
             not there, descriptors that lanes choose differently without saying so) are random;
             memory read before it is written makes values unstable
  undriven   no drive counts, the drive generator cannot serve the module, or the drive takes more
             than MAX_STEPS in the interpreter
  refused    by the importer, with its cause
  error      importing or interpreting failed in another way

The last line is a summary; the exit status is 1 if any module differs or fails.
"""

import argparse
import collections
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "drive"))
import compare  # noqa: E402
import drive  # noqa: E402
import peer  # noqa: E402
from spirv_module import Module, Unsupported  # noqa: E402

MAX_STEPS = 1000000000
SCOUT_STEPS = 20000000   # of a drive that is looked for
CACHE_FORM = 2           # 1: before moves were changed and undefined results counted


def interpret(mir_run, job, folder, options=()):
    path = os.path.join(folder, "interp.json")
    with open(path, "w") as f:
        json.dump(job, f)
    command = [mir_run, "--max-steps=%d" % MAX_STEPS, *options, path]
    try:
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        return json.loads(p.stdout)
    except subprocess.TimeoutExpired:
        return {"ok": False, "stage": "run", "cause": "timeout", "error": "120 s"}
    except ValueError:
        return {"ok": False, "stage": "crash", "cause": "crash",
                "error": "exit %d: %s" % (p.returncode, p.stderr.decode(errors="replace")[-300:])}


def interpret_many(mir_run, jobs, folder, options=()):
    """Results of several jobs by one process; jobs after a crash fail."""
    paths, lines = [], []
    for k, job in enumerate(jobs):
        paths.append(os.path.join(folder, "interp%d.json" % k))
        with open(paths[-1], "w") as f:
            json.dump(job, f)
    try:
        p = subprocess.run([mir_run, *options, *paths], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=120)
        lines = p.stdout.decode(errors="replace").splitlines()
    except subprocess.TimeoutExpired as e:
        lines = (e.stdout or b"").decode(errors="replace").splitlines()
    results = [json.loads(line) for line in lines[:len(jobs)] if line.endswith("}")]
    return results + [{"ok": False, "error": "crash"}] * (len(jobs) - len(results))


def scouts(mir_run, folder):
    """The interpreter as scout of drive.counted_drive, and the doubt whether a drive is defined: not
    if results are undefined, accesses race or leave private or shared memory, or if the order of
    workgroups matters."""

    def scout(jobs):
        return interpret_many(mir_run, jobs, folder, ["--max-steps=%d" % SCOUT_STEPS])

    def doubt(job, result):
        if result.get("outside_local_accesses") or result.get("undefined_results"):
            return True
        for options in (["--opposite"], ["--races"]):
            other = interpret_many(mir_run, [job], folder, options)[0]
            if not other["ok"] or other["races"] or peer.outputs(other) != peer.outputs(result):
                return True
        return False

    return scout, doubt


def differing(want, got, types, ulp):
    """(places, description of the first): where two results differ by more than the tolerance."""
    places, first = set(), None
    for key in sorted(want, key=str):
        a_all, b_all = want[key], got.get(key)
        if b_all is None or len(a_all) != len(b_all):
            return {(key, -1)}, "no comparable output for %s" % (key,)
        if a_all == b_all:
            continue
        covered = set()
        for offset, kind, bits in types.get(key[:2], []):
            n = bits // 8
            covered.update(range(offset, offset + n))
            a, b = a_all[offset:offset + n], b_all[offset:offset + n]
            if a == b:
                continue
            x, y = int.from_bytes(a, "little"), int.from_bytes(b, "little")
            if compare.near(kind, x, y, bits, ulp):
                continue
            if kind == "f":
                text = "want %.9g, got %.9g" % (compare.value(x, bits), compare.value(y, bits))
            else:
                text = "want 0x%s, got 0x%s" % (a[::-1].hex(), b[::-1].hex())
            places.add((key, offset))
            first = first or "set %s binding %s byte %d: %s" % (key[0], key[1], offset, text)
        for i, (x, y) in enumerate(zip(a_all, b_all)):
            if x != y and i not in covered:
                places.add((key, i))
                first = first or "set %s binding %s byte %d, in no member" % (key[0], key[1], i)
    return places, first


def explained(place, want, mine, runs, types, undefined):
    """Do runs with random rounding differ at this place as lavapipe does? What is undefined may be
    anything."""
    key, offset = place
    found = [(k, bits) for o, k, bits in types.get(key[:2], []) if o == offset]
    if not found:
        return any(r[key][offset] != mine[key][offset] for r in runs)
    kind, bits = found[0]

    def at(outputs):
        return int.from_bytes(outputs[key][offset:offset + bits // 8], "little")

    if kind != "f" or undefined:
        return any(at(r) != at(mine) for r in runs)
    away = compare.float_distance(at(want), at(mine), bits)
    return any(2 * compare.float_distance(at(r), at(mine), bits) >= away for r in runs)


def inverse_trigonometry(path):
    """Result ids of asin, acos, atan, atan2 and the inverse hyperbolic functions in the module."""
    m = Module.load(path)
    return sorted({i.words[1] for f in m.reached for i in m.functions.get(f, [])
                   if i.op == 12 and i.words[3] in (16, 17, 18, 22, 23, 24, 25)})


def read_drive(entry, path, doubtful):
    """The drive of a cache's file; None if there is none, or if it is of the first form of the cache and
    the search finds more now."""
    if not os.path.exists(entry):
        return None
    with open(entry) as f:
        d = json.load(f)
    if d.get("form", 1) < CACHE_FORM and (d.get("reason") or doubtful(d["job"])):
        return None
    if d.get("job") is None:
        return drive.Drive(reason=d["reason"])
    d["job"]["shader"] = os.path.abspath(path)
    want = d["want"] and {tuple(k): bytes.fromhex(v) for k, v in d["want"]}
    return drive.Drive(d["job"], {tuple(k): [tuple(x) for x in v] for k, v in d["types"]}, want,
                       by_moves=d.get("by_moves", False), reason=d.get("reason", ""))


def write_drive(entry, found):
    with open(entry, "w") as f:
        json.dump({"form": CACHE_FORM, "reason": found.reason, "job": found.job,
                   "by_moves": found.by_moves,
                   "types": found.types and [[list(k), v] for k, v in found.types.items()],
                   "want": found.result and [[list(k), v.hex()] for k, v in found.result.items()]}, f)


def cached_drive(path, folder, cache, seed, timeout, mir_run):
    """A drive.Drive whose `result` are lavapipe's outputs, if lavapipe could run it."""
    scout, doubt = scouts(mir_run, folder)

    def doubtful(job):
        result = scout([{**job, "shader": os.path.abspath(path)}])[0]
        return bool(not result["ok"] or result.get("undefined_results"))

    entry = None
    if cache:
        with open(path, "rb") as f:
            entry = os.path.join(cache, hashlib.sha256(f.read()).hexdigest()[:24] + ".json")
        found = read_drive(entry, path, doubtful)
        if found:
            return found
    try:
        found = drive.counted_drive(path, folder, seed, timeout=timeout, scout=scout, doubt=doubt,
                                    specialise=True)
    except Unsupported as e:
        found = drive.Drive(reason="drive: %s" % e)
    if found.result:
        found.result = peer.outputs(found.result)
    if entry:
        write_drive(entry, found)
    return found


def judge(a, path, folder):
    """(status, cause)."""
    base = ["--optimise"] if a.optimise else []
    probe = interpret(a.mir_run, {"shader": os.path.abspath(path), "dispatch": [0, 0, 0]}, folder,
                      base)
    if not probe["ok"] and probe["stage"] != "run":
        status = "refused" if probe["stage"] == "import" else "error"
        return status, "%s: %s" % (probe["cause"], probe["error"])
    found = cached_drive(path, folder, a.cache, a.seed, a.timeout, a.mir_run)
    if not found.result:
        return "undriven", found.reason
    job, types, want = found.job, found.types, found.result
    got = interpret(a.mir_run, job, folder, base)
    if not got["ok"] and got["cause"] in ("deadline_exceeded", "timeout"):
        return "undriven", "too long for the interpreter"
    if not got["ok"]:
        return "error", "%s: %s: %s" % (got["stage"], got["cause"], got["error"])
    mine = peer.outputs(got)
    inverse = inverse_trigonometry(path)
    ulp = max(a.ulp, 4096) if inverse else a.ulp
    loose = ["--loose=%d:4096" % i for i in inverse]
    places, first = differing(want, mine, types, ulp)
    if not places:
        return "agree", ""
    other = interpret(a.mir_run, job, folder, base + ["--opposite"])
    if other["ok"] and differing(mine, peer.outputs(other), types, ulp)[0]:
        return "order", first
    other = interpret(a.mir_run, job, folder, base + ["--races"])
    if other["ok"] and other["races"]:
        return "order", "%d racing accesses, %s" % (other["races"], first)
    if got["outside_local_accesses"]:
        return "undefined", "%d accesses outside of local memory, %s" % (
            got["outside_local_accesses"], first)
    runs = []
    for seed in range(1, 17):
        other = interpret(a.mir_run, job, folder, base + loose + ["--perturb=%d" % seed])
        if other["ok"]:
            runs.append(peer.outputs(other))
    if all(explained(place, want, mine, runs, types, got["undefined_results"])
           for place in places):
        return "undefined" if got["undefined_results"] else "unstable", first
    return "differ", "%d places, %s" % (len(places), first)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--mir-run", required=True)
    p.add_argument("--optimise", action="store_true", help="run the target-independent passes")
    p.add_argument("--cache")
    p.add_argument("--out", help="JSON lines, one per module")
    p.add_argument("--ulp", type=int, default=16)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--timeout", type=int, default=10, help="seconds for one run of lavapipe")
    p.add_argument("--budget", type=float, help="stop after so many seconds; the rest is not counted")
    p.add_argument("modules", nargs="+")
    a = p.parse_args()
    files = []
    for m in a.modules:
        if m.startswith("@"):
            with open(m[1:]) as f:
                files += [line.strip() for line in f if line.strip()]
        else:
            files.append(m)
    if a.cache:
        os.makedirs(a.cache, exist_ok=True)
    totals, causes, start, out = collections.Counter(), collections.Counter(), time.time(), None
    if a.out:
        out = open(a.out, "w")
    for n, path in enumerate(files):
        if a.budget and time.time() - start > a.budget:
            print("stopped by the budget, %d modules not looked at" % (len(files) - n))
            break
        with tempfile.TemporaryDirectory() as folder:
            status, cause = judge(a, path, folder)
        totals[status] += 1
        if status in ("refused", "undriven"):
            causes[status + ": " + cause.split(":")[0]] += 1
        print("%-9s %-60s %s" % (status, os.path.basename(path)[-60:], cause[:200]), flush=True)
        if out:
            out.write(json.dumps({"file": path, "status": status, "cause": cause}) + "\n")
            out.flush()
    for cause, count in causes.most_common():
        print("%5d  %s" % (count, cause))
    compiled = sum(totals.values()) - totals["refused"] - totals["error"]
    counted = sum(totals[k] for k in ("agree", "differ", "order", "undefined", "unstable"))
    print("modules %d, compiled %d, counted %d, agreeing %d, differing %d, order-dependent %d, "
          "undefined %d, unstable %d, undriven %d, refused %d, errors %d" % (
              sum(totals.values()), compiled, counted, totals["agree"], totals["differ"],
              totals["order"], totals["undefined"], totals["unstable"], totals["undriven"], totals["refused"],
              totals["error"]))
    return 1 if totals["differ"] or totals["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
