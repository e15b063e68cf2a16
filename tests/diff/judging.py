"""Shared by the judges: verdicts on modules, and going through a list of them.

Modules are taken in an order drawn from a seed, so that a run that is cut off has judged a fair sample;
on SIGINT, SIGTERM and at the end of the budget it prints the table so far.
"""

import collections
import concurrent.futures
import dataclasses
import json
import os
import random
import signal
import sys
import tempfile
import time

import excuses


@dataclasses.dataclass
class Verdict:
    """The verdict on one module. With a status from the start (refused, broken, ...) nothing was compared."""
    path: str
    status: str = ""
    cause: str = ""
    comparisons: list = dataclasses.field(default_factory=list)
    undriven: list = dataclasses.field(default_factory=list)   # reasons for missing drives
    widths: list = dataclasses.field(default_factory=list)     # those that agree with every drive
    by_moves: bool = False   # drives counted by a changed move only
    alone: str = ""          # why lavapipe did not judge a drive that simulator and interpreter did
    drives: int = 0          # that were compared

    def fail(self, status, cause):
        """Records a failure; the first one counts."""
        if not self.status:
            self.status, self.cause = status, cause

    def settle(self):
        """Sets the status of a module without a failure: the worst of its comparisons."""
        if self.status:
            return
        for wanted in ("differ", "excused"):
            found = [c for c in self.comparisons if c.status == wanted]
            if found:
                self.status = wanted
                self.cause = "; ".join(describe(c) for c in found[:4])
                return
        if not self.comparisons:
            self.status, self.cause = "undriven", self.undriven[0] if self.undriven else ""
        elif self.alone:
            self.status, self.cause = "alone", self.alone
        else:
            self.status = "agree"

    def row(self):
        return {"file": self.path, "status": self.status, "cause": self.cause, "widths": self.widths,
                "drives": self.drives, "comparisons": len(self.comparisons),
                "excuses": [{"where": c.where, "kinds": dict(c.excuses), "first": c.first}
                            for c in self.comparisons if c.excuses]}


def exit_status(verdicts):
    """Returns a judge's exit status: success needs a comparison, and no module that failed in any way."""
    failed = any(v.status in ("differ", "broken", "error") for v in verdicts)
    return 1 if failed or not any(v.comparisons for v in verdicts) else 0


def describe(c):
    kinds = ", ".join("%s %d" % kv for kv in sorted(c.excuses.items()))
    if not c.differing:
        return "%s: %s" % (c.where, kinds)
    return "%s: %d places%s, %s" % (c.where, c.differing, " besides " + kinds if kinds else "", c.first)


def print_excuses(verdicts):
    """Prints modules, comparisons and places by kind of excuse."""
    modules, comparisons, places = (collections.Counter() for _ in range(3))
    for v in verdicts:
        for kind in {k for c in v.comparisons for k in c.excuses}:
            modules[kind] += 1
        for c in v.comparisons:
            for kind, n in c.excuses.items():
                comparisons[kind] += 1
                places[kind] += n
    total = sum(len(v.comparisons) for v in verdicts)
    print("comparisons %d, without any difference %d" % (
        total, sum(c.status == "agree" for v in verdicts for c in v.comparisons)))
    for kind in sorted(modules):
        print("excused as %-10s modules %4d, comparisons %5d, places %7d" % (
            kind, modules[kind], comparisons[kind], places[kind]))


def add_arguments(p):
    p.add_argument("--cache", help="folder for drives and lavapipe's results")
    p.add_argument("--out", help="JSON lines, one per module")
    p.add_argument("--ulp", type=int, default=16)
    p.add_argument("--timeout", type=int, default=10, help="seconds for one run of lavapipe")
    p.add_argument("--seeds", type=lambda s: [int(x) for x in s.split(",")], default=[1, 2],
                   help="a drive for each (1,2)")
    p.add_argument("--perturbations", type=int, default=16,
                   help="runs with random rounding that may show a place to be unstable (16): noise needs more to "
                   "reach every place")
    p.add_argument("--order", type=int, default=1, help="seed of the order of the modules")
    p.add_argument("--count", type=int, help="only so many modules, the first in that order")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--budget", type=float, help="stop after so many seconds; the rest is not counted")
    p.add_argument("modules", nargs="+")
    p.set_defaults(view_mask=0, target="tgl", no_lavapipe=False, meshes=False, bins=None)   # for judges without these flags


def add_view_mask(p):
    p.add_argument("--view-mask", type=lambda v: int(v, 0), default=0,
                   help="draw these views of multiview, a bit each")


def in_order(modules, seed):
    """Returns paths, with lists (@FILE) read, in the seed's order: the same for the same set of modules."""
    files = []
    for m in modules:
        if m.startswith("@"):
            with open(m[1:]) as f:
                files += [line.strip() for line in f if line.strip()]
        else:
            files.append(m)
    files = sorted(set(files))
    random.Random(seed).shuffle(files)
    return files


class Interrupted(Exception):
    pass


def interrupt(*_):
    raise Interrupted()


def judge_one(a, judge, path):
    """(Verdict, seconds)."""
    begin = time.time()
    with tempfile.TemporaryDirectory() as folder:
        try:
            verdict = judge(a, path, folder)
        except Exception as e:  # one module must not end the run
            verdict = Verdict(path, "broken", "the judge itself: %s: %s" % (type(e).__name__, e))
    return verdict, time.time() - begin


def report(verdict, seconds, out):
    print("%-9s %-60s %-17s %5.1f s  %s" % (
        verdict.status, os.path.basename(verdict.path)[-60:],
        " ".join("at %d" % w for w in verdict.widths), seconds, verdict.cause[:400]), flush=True)
    if out:
        out.write(json.dumps({**verdict.row(), "seconds": round(seconds, 2)}) + "\n")
        out.flush()


def judge_all(a, judge, summary):
    """Judges all modules, prints Verdicts as they come (and writes them to a.out), then the summary of those
    that were reached. A run that is stopped ends the process."""
    excuses.perturb(a.perturbations)
    files = in_order(a.modules, a.order)[:a.count]
    verdicts, taken = [], set()
    out = open(a.out, "w") if a.out else None
    for s in (signal.SIGINT, signal.SIGTERM):
        signal.signal(s, interrupt)
    pool = concurrent.futures.ThreadPoolExecutor(a.jobs)
    futures = [pool.submit(judge_one, a, judge, path) for path in files]

    def take(future):
        taken.add(future)
        verdict, seconds = future.result()
        verdicts.append(verdict)
        report(verdict, seconds, out)

    try:
        for future in concurrent.futures.as_completed(futures, a.budget):
            take(future)
    except (Interrupted, concurrent.futures.TimeoutError):
        for s in (signal.SIGINT, signal.SIGTERM):
            signal.signal(s, signal.SIG_IGN)
        pool.shutdown(wait=False, cancel_futures=True)
        for future in futures:
            if future.done() and not future.cancelled() and future not in taken:
                take(future)
        print("stopped: %d modules not looked at" % (len(files) - len(verdicts)))
        summary(verdicts)
        sys.stdout.flush()
        # Threads may still wait for a module.
        os._exit(exit_status(verdicts))
    summary(verdicts)
    return verdicts
