#!/usr/bin/env python3
"""Breaks fragment and vertex binaries for gfx1030, Mesa's or Kiln's, where they meet the fixed functions: the simulator must
notice.

    draw_mutations.py --results RESULTS --jobs JOBS --rdna2-run PATH [--binaries 20] [--per-kind 6] [--seed 1]

RESULTS and JOBS come from mesa_draws_of_waves_vs_lavapipe.py (--out, --keep). In agreeing binaries, drawn by the seed,
one executed instruction at a time is changed (fragments: in a triangle whose edges cut quads):

| kind | change |
|---|---|
| done, valid mask | the bit of a last export is cleared |
| early done | the bit of another export of colours or positions is set |
| dropped | an export becomes s_nop, twice |
| m0 | the write of m0 before parameters are read becomes s_nop |
| exports' wait | expcnt is no longer waited for |
| no lanes | the instruction before an export turns off all lanes |
| changed source | the instruction behind an export writes a register that it exports |
| changed exec | the instruction behind an export turns off all lanes |
| request | s_sendmsg becomes s_nop |
| late request | s_sendmsg becomes s_nop, and the instruction behind an export becomes s_sendmsg |
| stores' wait | vscnt is no longer waited for |
| branch | the branch that keeps other waves than the first from requesting becomes s_nop |
| whole quads | s_wqm becomes s_nop |

A change is noticed by a named error, or by results other than before ("differs"). Unnoticed changes are listed.
Waits for exports and whole quads may be unneeded on the path taken.
"""

import argparse
import collections
import json
import os
import random
import struct
import sys
import tempfile

import fragment_job
import mesa_fragments_vs_lavapipe as fragments

NOP = 0xbf800000
NO_LANES = 0xbefe0480   # s_mov_b64 exec, 0
DONE, VALID_MASK = 1 << 11, 1 << 12
END, SEND, WAIT_FOR_STORES = 0xbf810000, 0xbf900009, 0xbbfd
MOVE_ZERO = 0x7e000280   # v_mov_b32 v0, 0
NULL = 9


def is_export(dword):
    return dword >> 26 == 0b111110


def target_of(dword):
    return dword >> 4 & 63


def of_export(dword, before):
    """Yields (kind, {offset: dword}) of an export at offset 0; `before`: an instruction of one dword stands at -4."""
    target = target_of(dword)
    yield "dropped", {0: NOP, 4: NOP}
    if before:
        yield "no lanes", {-4: NO_LANES}
    if dword & DONE:
        yield "done", {0: dword & ~DONE}
        if target <= NULL:
            yield "valid mask", {0: dword & ~VALID_MASK}
    elif target < NULL or 12 <= target < 20:
        yield "early done", {0: dword | DONE | VALID_MASK}


def len_of(executed, offset):
    """Returns the bytes to the next executed instruction; 0: there is none."""
    at = executed.index(offset)
    return executed[at + 1] - offset if at + 1 < len(executed) else 0


def behind_export(words, offset, following, sent):
    """Yields (kind, {byte: dword}) of changes to the instruction behind an export at this offset, if it has one dword."""
    if following != offset + 8 or words[following // 4] == END:
        return
    yield "changed exec", {following: NO_LANES}
    if sent and sent[0] < offset:
        yield "late request", {sent[0]: NOP, following: SEND}
    enabled = words[offset // 4] & 15
    if enabled:
        source = words[offset // 4 + 1] >> 8 * ((enabled & -enabled).bit_length() - 1) & 0xff
        yield "changed source", {following: MOVE_ZERO | source << 17}


def changes(code, executed):
    """Yields (kind, {byte of the code: dword})."""
    words = struct.unpack("<%dI" % (len(code) // 4), code[:len(code) // 4 * 4])
    at_instruction = set(executed)
    interpolates = any(words[o // 4] >> 26 == 0b110010 for o in executed)
    sent = [o for o in executed if words[o // 4] == SEND]
    for n, offset in enumerate(executed):
        w = words[offset // 4]
        following = executed[n + 1] if n + 1 < len(executed) else None
        if is_export(w):
            # Not behind an instruction of two dwords, whose second one is not executed by itself.
            before = offset >= 4 and offset - 4 in at_instruction
            for kind, change in of_export(w, before):
                yield kind, {offset + k: v for k, v in change.items()}
            if following is not None and len_of(executed, following) == 4:
                yield from behind_export(words, offset, following, sent)
        elif w >> 16 == 0xbefc and w >> 8 & 0xff == 3 and interpolates:
            yield "m0", {offset: NOP}
        elif w >> 16 == 0xbf8c and w >> 4 & 7 != 7:
            yield "exports' wait", {offset: w | 7 << 4}
        elif w >> 16 == WAIT_FOR_STORES:
            yield "stores' wait", {offset: NOP}
        elif w == SEND:
            yield "request", {offset: NOP}
        elif w >> 16 == 0xbf85 and sent and offset < sent[0] <= offset + 4 + 4 * (w & 0xffff):
            yield "branch", {offset: NOP}
        elif w in (0xbefe097e, 0xbefe0a7e):
            yield "whole quads", {offset: NOP}


def results_of(result):
    """Returns what a run leaves, for comparison with another one's."""
    return {k: result[k] for k in ("outputs", "resources", "colors", "depth", "stencil", "sample_mask") if k in result}


def with_helper_lanes(job):
    """Returns the job with a triangle whose edges cut quads, if it has one triangle."""
    if len(job.get("draw", {}).get("positions", [])) != 3:
        return job
    return dict(job, draw=dict(job["draw"], positions=fragment_job.positions(fragment_job.SCENES[1])))


def run(a, launch, job, folder, options=()):
    return fragments.simulate(a.rdna2_run, launch, job, folder, options)


def judge(a, launch, job, rng, totals, missed):
    with open(launch[:-len(".launch.json")] + ".bin", "rb") as f:
        code = f.read()
    with tempfile.TemporaryDirectory() as folder:
        plain = run(a, launch, job, folder, ["--coverage"])
        if not plain.get("ok"):
            return False
        before = results_of(plain)
        by_kind = collections.defaultdict(list)
        for kind, change in changes(code, plain["executed"]):
            by_kind[kind].append(change)
        for kind, found in sorted(by_kind.items()):
            for change in rng.sample(found, min(a.per_kind, len(found))):
                patches = ["--patch=%d:%d" % (offset + k, dword >> 8 * k & 0xff)
                           for offset, dword in change.items() for k in range(4)]
                got = run(a, launch, job, folder, patches + ["--max-instructions=20000000"])
                outcome = "differs" if got.get("ok") else "error"
                if got.get("ok") and results_of(got) == before:
                    outcome = "missed"
                    missed.append("%s: %s %s" % (os.path.basename(launch), kind, change))
                totals[kind, outcome] += 1
    return True


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--results", required=True)
    p.add_argument("--jobs", required=True)
    p.add_argument("--rdna2-run", required=True)
    p.add_argument("--binaries", type=int, default=20)
    p.add_argument("--per-kind", type=int, default=6, help="changes of a kind in a binary")
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    with open(a.results) as f:
        agreeing = [r["launch"] for r in map(json.loads, f) if r["status"] == "agree"]
    rng = random.Random(a.seed)
    totals, missed, count = collections.Counter(), [], 0
    for launch in rng.sample(sorted(agreeing), len(agreeing)):
        if count == a.binaries:
            break
        with open(launch) as f:
            module = json.load(f)["file"]
        path = os.path.join(a.jobs, os.path.basename(module) + ".json")
        if not os.path.exists(path):
            continue
        with open(path) as f:
            job = with_helper_lanes(json.load(f))
        count += judge(a, launch, job, rng, totals, missed)
    print("%d binaries of %s" % (count, a.results))
    for kind in sorted({k for k, _ in totals}):
        print("%-14s %s" % (kind, ", ".join("%s %d" % (o, totals[kind, o]) for o in ("error", "differs", "missed"))))
    for line in missed:
        print("missed: " + line)
    return 0 if count else 2


if __name__ == "__main__":
    sys.exit(main())
