#!/usr/bin/env python3
"""Drops cache bits and waits from gfx1030 binaries of programs whose waves communicate: memory mode must notice.

    wave_coherence_mutations.py --rdna2-run PATH [--run-peer PATH | --kilnc PATH] [--work DIR] [--seeds 200] [--program NAME]
    wave_coherence_mutations.py --rdna2-run PATH --results FILE --drives DIR [--binaries 60] [--seeds 40] [--seed 1]

The programs are below: message passing, a sum over workgroups, a reduction by the last of them, a lock, and the same by
atomics, images, addresses, and between waves of a workgroup. Each lane is an instance of its own, so that the stores of a
wave overwrite whole cache lines. Their results do not depend on the order of execution. Mesa, or Kiln with --kilnc, compiles
each for waves of 32 and of 64 lanes (with GLSL's compiler, glslangValidator, before it).

Each binary must give its result with every seed. The simulator tells the needs of these runs (--needs of rdna2_run,
core/sim/rdna2/needs.h), which it knows by what was accessed, not by what a removal changes: loads of bytes that another CU
had changed (DLC: of another array), stores of whole lines that another CU read, counts of waits for which something was in
flight, of vscnt something that another CU read. Each of these loads loses GLC, DLC or both, each of these stores GLC, each
of these waits that count, alone. A mutant is noticed if a run in contract mode fails by the contract, or one in memory mode
gives another result, fails or does not end. Those that are not noticed are listed.

With --results and --drives (of mesa_waves_vs_lavapipe.py) the same is done to the agreeing binaries of the corpus.
"""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

import wave_wait_mutations as waits

HERE = os.path.dirname(os.path.abspath(__file__))

HEAD = """#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = WAVES * W) in;
layout(set = 0, binding = 0) buffer Out { uint results[]; };
layout(set = 0, binding = 1) buffer Memory { uint memory[]; };
#define STORAGE gl_StorageSemanticsBuffer
#define RELAXED gl_SemanticsRelaxed
#define ACQUIRE gl_SemanticsAcquire
#define RELEASE gl_SemanticsRelease
#define LOAD(p, order) atomicLoad(p, SCOPE, STORAGE, order)
#define STORE(p, v, order) atomicStore(p, v, SCOPE, STORAGE, order)
#define WAIT_FOR(p, v) while (LOAD(p, RELAXED) != (v)); memoryBarrier(SCOPE, STORAGE, ACQUIRE)
uint lane = gl_LocalInvocationID[0] % W;
uint thread = gl_WorkGroupID[0] * WAVES + gl_LocalInvocationID[0] / W;
#define CELL(n) memory[(n) * W + lane]
#define RESULT(n, v) results[(n) * W + lane] = (v)
"""

# name: (workgroups, waves of each, the program). A thread is what runs lanes together.
PROGRAMS = {
    "message": (2, 1, """void main() {
      if (thread == 0) { STORE(CELL(0), 7u, RELAXED); STORE(CELL(1), 1u, RELEASE); return; }
      uint old = LOAD(CELL(0), RELAXED);
      WAIT_FOR(CELL(1), 1u);
      RESULT(0, LOAD(CELL(0), RELAXED));
    }"""),
    "message_twice": (3, 1, """void main() {
      if (thread == 0) { STORE(CELL(0), 7u, RELAXED); STORE(CELL(1), 1u, RELEASE); return; }
      if (thread == 1) { WAIT_FOR(CELL(1), 1u); STORE(CELL(2), LOAD(CELL(0), RELAXED) + 1u, RELAXED);
                         STORE(CELL(3), 1u, RELEASE); return; }
      WAIT_FOR(CELL(3), 1u);
      RESULT(0, LOAD(CELL(0), RELAXED)); RESULT(1, LOAD(CELL(2), RELAXED));
    }"""),
    "prefix": (5, 1, """void main() {
      uint sum = lane + 1u;
      if (thread > 0) { WAIT_FOR(CELL(2 * thread - 1), 1u); sum += LOAD(CELL(2 * thread - 2), RELAXED); }
      STORE(CELL(2 * thread), sum, RELAXED);
      STORE(CELL(2 * thread + 1), 1u, RELEASE);
      RESULT(thread, sum);
    }"""),
    "reduction": (4, 1, """void main() {
      STORE(CELL(thread), thread + lane, RELAXED);
      uint before = atomicAdd(CELL(8), 1u, SCOPE, STORAGE, gl_SemanticsAcquireRelease);
      if (before != 3u) return;
      uint sum = 0u;
      for (uint k = 0u; k < 4u; ++k) sum += LOAD(CELL(k), RELAXED) << k;
      RESULT(0, sum);
    }"""),
    "exchange": (2, 1, """void main() {
      if (thread == 0) { STORE(CELL(0), 7u, RELAXED);
                         atomicExchange(CELL(1), 1u, SCOPE, STORAGE, RELEASE); return; }
      uint old = LOAD(CELL(0), RELAXED);
      while (atomicAdd(CELL(1), 0u, SCOPE, STORAGE, RELAXED) == 0u);
      memoryBarrier(SCOPE, STORAGE, ACQUIRE);
      RESULT(0, LOAD(CELL(0), RELAXED));
    }"""),
    # Lanes of one wave may hold turns in any order, so that none may wait for another outside of the loop.
    "lock": (4, 1, """void main() {
      uint ticket = atomicAdd(CELL(0), 1u, SCOPE, STORAGE, RELAXED);
      for (bool done = false; !done;) {
        if (LOAD(CELL(1), RELAXED) != ticket) continue;
        memoryBarrier(SCOPE, STORAGE, ACQUIRE);
        STORE(CELL(2), LOAD(CELL(2), RELAXED) + 1u, RELAXED);
        if (ticket == 3u) RESULT(0, LOAD(CELL(2), RELAXED));
        STORE(CELL(1), ticket + 1u, RELEASE);
        done = true;
      }
    }"""),
    # The values that end the loops of this and the next program are results, or Mesa removes the loops.
    "references": (2, 1, """layout(buffer_reference, std430, buffer_reference_align = 4) buffer Cells { uint cell[]; };
    layout(push_constant) uniform Push { Cells there; };
    #define REMOTE(n) there.cell[(n) * W + lane]
    void main() {
      if (thread == 0) { STORE(REMOTE(0), 7u, RELAXED); STORE(REMOTE(1), 5u, RELEASE); return; }
      uint old = LOAD(REMOTE(0), RELAXED), flag;
      do flag = LOAD(REMOTE(1), RELAXED); while (flag == 0u);
      memoryBarrier(SCOPE, STORAGE, ACQUIRE);
      RESULT(0, LOAD(REMOTE(0), RELAXED)); RESULT(1, flag);
    }"""),
    "images": (2, 1, """layout(set = 0, binding = 2, r32ui) uniform uimage2D cells;
    #undef STORAGE
    #define STORAGE gl_StorageSemanticsImage
    #define TEXEL(n) cells, ivec2(lane, n)
    void main() {
      if (thread == 0) { imageAtomicStore(TEXEL(0), 7u, SCOPE, STORAGE, RELAXED);
                         imageAtomicStore(TEXEL(1), 5u, SCOPE, STORAGE, RELEASE); return; }
      uint old = imageAtomicLoad(TEXEL(0), SCOPE, STORAGE, RELAXED), flag;
      do flag = imageAtomicLoad(TEXEL(1), SCOPE, STORAGE, RELAXED); while (flag == 0u);
      memoryBarrier(SCOPE, STORAGE, ACQUIRE);
      RESULT(0, imageAtomicLoad(TEXEL(0), SCOPE, STORAGE, RELAXED)); RESULT(1, flag);
    }"""),
    # The data are plain; those that are not coherent become available and visible by the semantics of the barriers.
    "plain": (2, 1, """layout(set = 0, binding = 2) devicecoherent buffer Plain { uint plain[]; };
    #define DATUM(n) plain[(n) * W + lane]
    void main() {
      if (thread == 0) { DATUM(0) = 7u; STORE(CELL(1), 1u, RELEASE); return; }
      WAIT_FOR(CELL(1), 1u);
      RESULT(0, DATUM(0));
    }"""),
    "plain_reduction": (4, 1, """layout(set = 0, binding = 2) devicecoherent buffer Plain { uint plain[]; };
    #define DATUM(n) plain[(n) * W + lane]
    void main() {
      DATUM(thread) = thread + lane;
      uint before = atomicAdd(CELL(8), 1u, SCOPE, STORAGE, gl_SemanticsAcquireRelease);
      if (before != 3u) return;
      uint sum = 0u;
      for (uint k = 0u; k < 4u; ++k) sum += DATUM(k) << k;
      RESULT(0, sum);
    }"""),
    "non_private": (2, 1, """layout(set = 0, binding = 2) nonprivate buffer Plain { uint plain[]; };
    void main() {
      if (thread == 0) { plain[lane] = 7u; STORE(CELL(1), 1u, RELEASE | gl_SemanticsMakeAvailable); return; }
      while (LOAD(CELL(1), RELAXED) != 1u);
      memoryBarrier(SCOPE, STORAGE, ACQUIRE | gl_SemanticsMakeVisible);
      RESULT(0, plain[lane]);
    }"""),
    "non_private_images": (2, 1, """layout(set = 0, binding = 2, r32ui) nonprivate uniform uimage2D cells;
    #define BOTH STORAGE | gl_StorageSemanticsImage
    void main() {
      if (thread == 0) { imageStore(cells, ivec2(lane, 0), uvec4(7u));
                         memoryBarrier(SCOPE, BOTH, RELEASE | gl_SemanticsMakeAvailable);
                         STORE(CELL(1), 1u, RELAXED); return; }
      while (LOAD(CELL(1), RELAXED) != 1u);
      memoryBarrier(SCOPE, BOTH, ACQUIRE | gl_SemanticsMakeVisible);
      RESULT(0, imageLoad(cells, ivec2(lane, 0)).x);
    }"""),
    "barrier": (1, 2, """void main() {
      uint old = LOAD(CELL(1 - thread), RELAXED);
      STORE(CELL(thread), thread + 7u, RELAXED);
      controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, STORAGE, gl_SemanticsAcquireRelease);
      RESULT(thread, LOAD(CELL(1 - thread), RELAXED) + old * 0u);
    }"""),
    "barriers": (1, 4, """void main() {
      uint value = lane + thread;
      for (uint k = 0u; k < 3u; ++k) {
        STORE(CELL(thread), value, RELAXED);
        controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, STORAGE, gl_SemanticsAcquireRelease);
        value += LOAD(CELL((thread + 1u) % 4u), RELAXED);
        controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, STORAGE, gl_SemanticsAcquireRelease);
      }
      RESULT(thread, value);
    }"""),
    "wave_message": (1, 2, """void main() {
      if (thread == 0) { STORE(CELL(0), 7u, RELAXED); STORE(CELL(1), 1u, RELEASE); return; }
      uint old = LOAD(CELL(0), RELAXED);
      WAIT_FOR(CELL(1), 1u);
      RESULT(0, LOAD(CELL(0), RELAXED));
    }"""),
}

# Bounds of a run: the programs need some thousands of instructions.
LIMIT, CORPUS_LIMIT = "--max-instructions=150000", "--max-seconds=20"


# Positions of GLC and DLC by encoding: MUBUF, MTBUF, FLAT and kin, MIMG (core/amd/isa).
BITS = {0x38: (14, 15), 0x3a: (14, 15), 0x37: (16, 12), 0x3c: (13, 7)}


def has_glc(code, offset):
    """Tells whether a memory instruction has the bit."""
    word = int.from_bytes(code[offset:offset + 4], "little")
    return bool(word >> BITS[word >> 26][0] & 1)


def bit_mutations(code, needs):
    """Yields (offset, name, new word) for each bit of loads and stores that some run needed."""
    for offset, kind in sorted(needs):
        if kind not in ("load", "store"):
            continue
        if not has_glc(code, offset):
            continue
        word = int.from_bytes(code[offset:offset + 4], "little")
        glc, dlc = BITS[word >> 26]
        yield offset, kind + " glc", word & ~(1 << glc)
        if kind == "load" and word >> dlc & 1:
            if (offset, "far load") in needs:
                yield offset, "load dlc", word & ~(1 << dlc)
            yield offset, "load glc dlc", word & ~(1 << glc | 1 << dlc)


def wait_mutations(code, executed, needs):
    """Yields the same for each count of a wait at which, in some run, something was in flight."""
    for offset, name, low in waits.mutations(code, executed):
        if (offset, name) in needs:
            word = int.from_bytes(code[offset:offset + 4], "little")
            yield offset, name, word & 0xffff0000 | low


class Runner:
    """Runs a binary, or mutants of it, on one job."""

    def __init__(self, run, launch, job, folder, limit=LIMIT):
        self.run = run
        self.limit = limit
        self.launch = launch
        self.binary = launch[:-len(".launch.json")] + ".bin"
        self.folder = folder
        self.job = os.path.join(folder, "job.json")
        with open(self.job, "w") as f:
            json.dump(job, f)
        with open(self.binary, "rb") as f:
            self.code = f.read()

    def answers(self, options):
        """Returns the answers to runs with each list of options."""
        lines = os.path.join(self.folder, "list")
        with open(lines, "w") as f:
            for more in options:
                f.write("\t".join([self.binary, self.launch, self.job, "--sourced", self.limit, *more]) + "\n")
        out = subprocess.run([self.run, "--list", lines], stdout=subprocess.PIPE).stdout.decode()
        return [json.loads(line) for line in out.splitlines()]


def patches(offset, word):
    return ["--patch=%d:%d" % (offset + i, word >> 8 * i & 255) for i in range(4)]


def notice(runner, want, offset, word, seeds):
    """Returns how a mutant is noticed, or None."""
    patch = patches(offset, word)
    plain, = runner.answers([patch])
    if "contract" in plain.get("error", ""):
        return "contract"
    for first in range(1, seeds + 1, 10):
        some = [patch + ["--no-contract", "--memory-seed=%d" % s] for s in range(first, min(first + 10, seeds + 1))]
        for answer in runner.answers(some):
            if not answer.get("ok"):
                return "does not end" if answer.get("code") == "DEADLINE_EXCEEDED" else "error"
            if answer["outputs"][0] != want:
                return "result"
    return None


def compile_program(a, name, lanes, folder):
    """Returns the launch record's path of a program for waves of that many lanes."""
    groups, waves, text = PROGRAMS[name]
    source = os.path.join(folder, "%s%d.comp" % (name, lanes))
    with open(source, "w") as f:
        f.write(HEAD + text + "\n")
    scope = "gl_ScopeDevice" if groups > 1 else "gl_ScopeWorkgroup"
    subprocess.run(["glslangValidator", "-V", "--target-env", "vulkan1.2", "-DW=%d" % lanes, "-DWAVES=%d" % waves,
                    "-DSCOPE=" + scope, source, "-o", source + ".spv"], check=True, stdout=subprocess.DEVNULL)
    module = os.path.basename(source) + ".spv"
    if a.kilnc:
        subprocess.run([a.kilnc, "--target=gfx1030", "--widths=%d" % lanes, "-o", folder, source + ".spv"], check=True,
                       stdout=subprocess.DEVNULL)
        return os.path.join(folder, "%s.wave%d.launch.json" % (module, lanes))
    environment = dict(os.environ)
    if lanes == 32:
        environment["RADV_PERFTEST"] = "cswave32"
    subprocess.run([os.path.abspath(a.run_peer), "navi21", "--runs", "1", "--dump-bin", ".", module], check=True,
                   cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return os.path.join(folder, module + ".compute.launch.json")


def job_of(name, lanes):
    groups, _, text = PROGRAMS[name]
    zeros = {"hex": "00" * 4 * lanes * 16}
    job = {"dispatch": [groups, 1, 1], "resources": [{"set": 0, "binding": 0, "data": zeros},
                                                     {"set": 0, "binding": 1, "data": zeros}]}
    if "Push" in text:
        job["resources"].append({"name": "there", "data": zeros})
        job["push"] = {"address": "there"}
    if "buffer Plain" in text:
        job["resources"].append({"set": 0, "binding": 2, "data": zeros})
    if "uimage2D" in text:
        job["resources"].append({"set": 0, "binding": 2, "format": "r32ui", "width": lanes, "height": 2, "dim": "2d",
                                 "data": {"hex": "00" * 4 * lanes * 2}})
    return job


def judge(a, title, runner, totals):
    """Runs a binary whole and without each thing that it needs, and prints what is not noticed."""
    plain, = runner.answers([["--coverage"]])
    if not plain.get("ok"):
        raise SystemExit("%s: %s" % (title, plain.get("error")))
    want = plain["outputs"]
    answers = runner.answers([["--needs", "--memory-seed=%d" % s] for s in range(1, a.seeds + 1)])
    bad = [s for s, answer in enumerate(answers, 1) if not answer.get("ok") or answer["outputs"][0] != want[0]]
    if bad and a.results:
        return  # wave_memory_mode.py judges these
    needs = {tuple(n) for answer in answers for n in answer.get("needs", [])}
    totals["whole", "seeds"] += a.seeds
    totals["whole", "wrong"] += len(bad)
    mutants = [*bit_mutations(runner.code, needs), *wait_mutations(runner.code, plain["executed"], needs)]
    random.Random(a.seed).shuffle(mutants)
    print("%-24s %3d mutants, whole: %s" % (title, len(mutants), "WRONG with %s" % bad if bad else "right with all seeds"))
    for offset, what, word in mutants[:a.per_binary]:
        how = notice(runner, want[0], offset, word, a.seeds)
        totals[what, how or "not noticed"] += 1
        if how is None:
            behind = int.from_bytes(runner.code[offset + 4:offset + 8], "little")
            print("  not noticed: 0x%x %s, then %08x" % (offset, what, behind), flush=True)


def judge_programs(a, totals):
    with tempfile.TemporaryDirectory() as temporary:
        folder = a.work or temporary
        os.makedirs(folder, exist_ok=True)
        for name in a.program or PROGRAMS:
            for lanes in (32, 64):
                launch = compile_program(a, name, lanes, folder)
                with open(launch) as f:
                    if json.load(f)["dispatch_width"] != lanes:
                        raise SystemExit("%s: not of %d lanes" % (name, lanes))
                runner = Runner(a.rdna2_run, launch, job_of(name, lanes), folder)
                judge(a, "%s, %d lanes" % (name, lanes), runner, totals)


def judge_corpus(a, totals):
    with open(a.results) as f:
        agreeing = [r for r in map(json.loads, f) if r["status"] == "agree"]
    for width in (32, 64):
        drawn = [r for r in agreeing if r["width"] == width]
        random.Random(a.seed).shuffle(drawn)
        for r in drawn[:a.binaries]:
            with tempfile.TemporaryDirectory() as folder:
                found = waits.found_of(r["launch"], a.drives, a.seed)
                runner = Runner(a.rdna2_run, r["launch"], found["job"], folder, CORPUS_LIMIT)
                judge(a, os.path.basename(r["launch"]), runner, totals)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--rdna2-run", required=True)
    p.add_argument("--run-peer", default=os.path.join(HERE, "..", "peer", "run-peer"))
    p.add_argument("--kilnc", help="Kiln's compiler (tests/kilnc) instead of Mesa's")
    p.add_argument("--work", help="folder that keeps sources and binaries")
    p.add_argument("--seeds", type=int, default=200, help="of memory mode, for each binary and mutant")
    p.add_argument("--program", action="append", choices=sorted(PROGRAMS))
    p.add_argument("--results")
    p.add_argument("--drives")
    p.add_argument("--binaries", type=int, default=60, help="of each number of lanes")
    p.add_argument("--per-binary", type=int, default=200)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    totals = collections.Counter()
    (judge_corpus if a.results else judge_programs)(a, totals)
    for (what, how), count in sorted(totals.items()):
        print("%-14s %-12s %d" % (what, how, count))
    return 1 if totals["whole", "wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
