#!/usr/bin/env python3
"""Runs random shaders (generate.py) through compiler and simulator, and on lavapipe, and compares the bytes.

    run.py --kilnc PATH --eu-run PATH | --rdna2-run PATH [--first 1] [--count 300] [--widths 8,16,32] [--batch 40]
           [--keep DIR] [--budget SECONDS]
    run.py --kilnc PATH --eu-run PATH | --rdna2-run PATH --reduce SEED      a shorter program with the same difference

With --rdna2-run the target is gfx1030, else tgl. Every width that the compiler makes is run in contract mode, for tgl
with and without fusion. A process of
lavapipe runs a batch of programs, one simulator runs all. The last line counts; --keep keeps
program, module and job of each difference. Exit status 1 if anything differs or is broken, or if nothing
was compared.
"""

import argparse
import collections
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "drive"), os.path.join(HERE, "..", "diff")]
import generate  # noqa: E402
import peer  # noqa: E402
import processes  # noqa: E402

MAX_SECONDS = 60
BINARY = re.compile(r"\.(?:SIMD|wave)(\d+)\.bin$")
NO_ROOM = "no room for a value"    # a width that runs out of registers; it should spill


class Program:
    """One program in a folder of its own."""

    def __init__(self, seed, text, job, folder):
        self.seed, self.text, self.folder = seed, text, folder
        os.makedirs(folder, exist_ok=True)
        self.source, self.module = (os.path.join(folder, n) for n in ("program.comp", "program.spv"))
        with open(self.source, "w") as f:
            f.write(text)
        self.job = {**job, "shader": self.module}
        self.job_path = os.path.join(folder, "job.json")
        with open(self.job_path, "w") as f:
            json.dump(self.job, f)
        self.stems = {}     # width -> path without .bin

    def translate(self):
        """Returns glslang's error, or ""."""
        p = subprocess.run(["glslangValidator", "-V", "--target-env", "vulkan1.2", "-o", self.module,
                            self.source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return p.stdout.decode(errors="replace") if p.returncode else ""

    def compile(self, a):
        """Returns (status, cause): "refused" or "broken", or "" twice. The folder may have an earlier program's
        binaries, of widths that this one does not have."""
        for name in os.listdir(self.folder):
            if BINARY.search(name):
                os.remove(os.path.join(self.folder, name))
        p = subprocess.run([a.kilnc, "--target=" + a.target, "--widths=" + a.widths, "-o", self.folder, self.module],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        text = p.stderr.decode(errors="replace").strip()
        if p.returncode not in (0, 1):
            return "broken", "kilnc ends with %d: %s" % (p.returncode, text[-300:])
        if p.returncode == 1:
            broken = re.search(r": (internal|invalid)|out_of_registers|" + NO_ROOM, text)
            return "broken" if broken else "refused", text
        lost = re.search("width_refused.*(SIMD.*%s.*)" % NO_ROOM, p.stdout.decode(errors="replace"))
        if lost:
            return "broken", lost.group(1)
        for name in os.listdir(self.folder):
            m = BINARY.search(name)
            if m:
                self.stems[int(m.group(1))] = os.path.join(self.folder, name[:-4])
        return ("", "") if self.stems else ("broken", "kilnc succeeds without a binary")


def first_difference(want, got):
    """Returns where two sets of outputs differ first, or ""."""
    for key in sorted(want):
        if key not in got or len(got[key]) != len(want[key]):
            return "binding %d: no comparable output" % key[1]
        for at, (x, y) in enumerate(zip(want[key], got[key])):
            if x != y:
                return "binding %d byte %d: lavapipe 0x%02x, here 0x%02x" % (key[1], at, x, y)
    return ""


def on_lavapipe(jobs, folder, timeout):
    """Returns lavapipe's results of jobs, in order. A program that takes too long, or crashes, ends the process:
    another one runs those behind it."""
    results = []
    while len(results) < len(jobs):
        got = peer.run_many(jobs[len(results):], folder, timeout)
        failed = [k for k, r in enumerate(got) if not r.get("ok")]
        results += got[:failed[0] + 1] if failed else got
    return results


class Runner:

    def __init__(self, a):
        self.a = a
        self.pool = processes.Pool()
        self.counts = collections.Counter()
        self.failed = []

    def simulate(self, program, width, mode):
        stem = program.stems[width]
        return self.pool.ask(self.a.simulator, [
            "--max-seconds=%d" % MAX_SECONDS, "--zero-memory", *mode, stem + ".bin",
            stem + ".launch.json", program.job_path], MAX_SECONDS + 20)

    def judge(self, program, want):
        """Returns (status, cause) of a program that compiled, by lavapipe's result."""
        if not want.get("ok"):
            return "lavapipe", str(want.get("error"))
        outputs = peer.outputs(want)
        for width in sorted(program.stems):
            for mode in self.a.modes:
                name = "%d lanes%s" % (width, " fused" if mode else "")
                got = self.simulate(program, width, mode)
                if not got["ok"]:
                    return "broken", "%s: %s" % (name, got["error"])
                self.counts["comparisons"] += 1
                text = first_difference(outputs, peer.outputs(got))
                if text:
                    return "differ", "%s: %s" % (name, text)
        return "agree", ""

    def prepare(self, seed, text, job, folder):
        """Returns (program, status, cause), the last two empty if it is ready to run."""
        program = Program(seed, text, job, folder)
        error = program.translate()
        if error:
            return program, "generator", error
        return (program, *program.compile(self.a))

    def batch(self, seeds, folder):
        """Judges the programs of these seeds; yields (seed, status, cause)."""
        ready = []
        for seed in seeds:
            text, job = generate.generate(seed)
            program, status, cause = self.prepare(seed, text, job, os.path.join(folder, str(seed)))
            if status:
                yield seed, status, cause
            else:
                ready.append(program)
        results = on_lavapipe([p.job for p in ready], folder, self.a.timeout)
        for program, want in zip(ready, results):
            yield (program.seed, *self.judge(program, want))

    def run(self):
        start, seeds = time.time(), range(self.a.first, self.a.first + self.a.count)
        for at in range(0, len(seeds), self.a.batch):
            if self.a.budget and time.time() - start > self.a.budget:
                break
            with tempfile.TemporaryDirectory() as own:
                folder = self.a.keep or own
                for seed, status, cause in self.batch(seeds[at:at + self.a.batch], folder):
                    self.counts["programs"] += 1
                    self.counts[status] += 1
                    if status != "agree":
                        print("%-9s seed %d: %s" % (status, seed, cause[:300]), flush=True)
                    if status in ("differ", "broken", "generator"):
                        self.failed.append(seed)
                    elif self.a.keep:
                        subprocess.run(["rm", "-r", os.path.join(folder, str(seed))], check=True)


# ---- Making a program shorter ----

def chunks(lines):
    """Returns runs of lines that can be removed together: a statement, or one with its block; from large to small.
    Barriers stay: without them programs race."""
    found = []
    start = next(k for k, line in enumerate(lines) if line.startswith("void main"))
    for first in range(start + 1, len(lines)):
        depth = 0
        for last in range(first, len(lines)):
            depth += lines[last].count("{") - lines[last].count("}")
            if depth <= 0:
                break
        if depth == 0 and not any("barrier" in line for line in lines[first:last + 1]):
            found.append((first, last + 1))
    return sorted(found, key=lambda c: c[0] - c[1])


def reduce(runner, seed, folder):
    """Returns the text of the seed's program without lines that the difference does not need."""
    text, job = generate.generate(seed)

    def status(lines):
        program, found, _ = runner.prepare(seed, "\n".join(lines) + "\n", job, folder)
        if found:
            return found
        return runner.judge(program, peer.run(program.job, folder, runner.a.timeout))[0]

    lines = text.splitlines()
    wanted = status(lines)
    if wanted not in ("differ", "broken"):
        sys.exit("seed %d: %s" % (seed, wanted))
    shorter = True
    while shorter:
        shorter = False
        for first, last in chunks(lines):
            if last > len(lines):
                continue
            fewer = lines[:first] + lines[last:]
            if status(fewer) == wanted:
                lines, shorter = fewer, True
                break
    return "\n".join(lines) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--kilnc", required=True)
    simulator = p.add_mutually_exclusive_group(required=True)
    simulator.add_argument("--eu-run", help="the simulator of tgl")
    simulator.add_argument("--rdna2-run", help="the simulator of gfx1030")
    p.add_argument("--first", type=int, default=1, help="seed of the first program")
    p.add_argument("--count", type=int, default=300)
    p.add_argument("--widths", help="by default all that the target has")
    p.add_argument("--batch", type=int, default=40, help="programs for one process of lavapipe")
    p.add_argument("--timeout", type=int, default=20, help="seconds for one program on lavapipe")
    p.add_argument("--budget", type=float, help="stop after so many seconds")
    p.add_argument("--keep", help="folder for what differs")
    p.add_argument("--reduce", type=int, metavar="SEED")
    a = p.parse_args()
    a.target, a.simulator, widths, a.modes = (
        ("gfx1030", a.rdna2_run, "32,64", ([],)) if a.rdna2_run else
        ("tgl", a.eu_run, "8,16,32", ([], ["--fusion"])))
    a.widths = a.widths or widths
    runner = Runner(a)
    if a.reduce is not None:
        with tempfile.TemporaryDirectory() as own:
            sys.stdout.write(reduce(runner, a.reduce, a.keep or own))
        return 0
    for s in (signal.SIGINT, signal.SIGTERM):
        signal.signal(s, signal.default_int_handler)
    try:
        runner.run()
    except KeyboardInterrupt:
        print("stopped")
    runner.pool.close()
    c = runner.counts
    print("programs %d (seeds from %d), comparisons %d, agreeing %d, differing %d, broken %d, refused %d, "
          "not by lavapipe %d, not GLSL %d" % (
              c["programs"], a.first, c["comparisons"], c["agree"], c["differ"], c["broken"],
              c["refused"], c["lavapipe"], c["generator"]))
    return 1 if runner.failed or not c["comparisons"] else 0


if __name__ == "__main__":
    sys.exit(main())
