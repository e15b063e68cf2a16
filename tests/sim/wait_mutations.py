#!/usr/bin/env python3
"""Removes waits from Mesa's binaries and counts how many removals the simulator's contract mode
notices.

    wait_mutations.py --results FILE --eu-run PATH [--binaries 20] [--per-binary 60] [--seed 1]

FILE is what mesa_vs_lavapipe.py --out wrote; the agreeing binaries are sampled, driven with the
same inputs, and each of up to --per-binary executed waits (a register distance, a $n.dst or $n.src,
the function of a sync.allrd or sync.allwr) is removed alone.

Many waits of a compiler are redundant. Which are needed is decided here independently of the
simulator, from iga64's disassembly, within straight-line code only: a wait is needed if without it
some instruction reads or overwrites a register (by dword) that an earlier one of the same
straight-line code has in flight, and with it does not. Every needed one must be noticed; those
needed only across branches are counted in the second figure.
"""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "drive"))
import drive  # noqa: E402

SIZE = {"ub": 1, "b": 1, "uw": 2, "w": 2, "hf": 2, "ud": 4, "d": 4, "f": 4, "uq": 8, "q": 8,
        "df": 8}
DEPTH = 10   # in-order instructions after which a result has landed


class Inst:
    """What waits depend on: footprints in dwords, order, waits, place."""

    def __init__(self, j, offset):
        self.offset, self.op, self.sub = offset, j["op"], j["subop"]
        self.unordered = self.op in ("send", "sendc", "math")
        self.in_order = not self.unordered and self.op != "sync"
        self.branch = any(s["kind"] == "LB" for s in j["srcs"]) or self.op in ("jmpi", "ret")
        self.distance = int(j["regDist"][1:]) if j["regDist"] else 0
        self.set = self.dst_wait = self.src_wait = None
        if j["sbid"]:
            name, _, kind = j["sbid"][1:].partition(".")
            if kind == "dst":
                self.dst_wait = int(name)
            elif kind == "src":
                self.src_wait = int(name)
            else:
                self.set = int(name)
        self.eot = "EOT" in j["opts"]
        self.reads, self.writes, self.known = set(), set(), True
        self.address = False
        for s in j["srcs"]:
            self._source(s, j["es"])
        if j["dst"]:
            self._destination(j["dst"], j["es"])

    def _range(self, reg, start_byte, end_byte):
        base = reg["r"] * 32
        return range((base + start_byte) // 4, (base + end_byte + 3) // 4)

    def _source(self, s, es):
        if s["kind"] == "AD":     # address payload of a message
            a = s["addr"]
            if a["reg"]["rn"] == "r":
                self.reads.update(self._range(a["reg"], 0, 32 * a["len"]))
            return
        reg = s.get("reg")
        if not reg:
            return
        if reg["rn"] == "a":
            self.address = True
        if reg["rn"] != "r":
            return
        if s["kind"] == "DA":
            self.reads.update(self._range(reg, 0, 32 * s["len"]))
        elif s["kind"] == "RD" and s["type"] in SIZE:
            size, rgn = SIZE[s["type"]], s["rgn"]
            v, w, h = rgn.get("Vt"), rgn.get("Wi"), rgn.get("Hz")
            for i in range(es):
                if w is None:     # three sources: <V;H> or <H>
                    if v is None:
                        e = i * (h or 0)
                    elif not h:
                        e = i * v
                    else:
                        n = max(v // h, 1)
                        e = i // n * v + i % n * h
                else:
                    e = i // w * (v or 0) + i % w * (h or 0)
                at = reg["sr"] * size + e * size
                self.reads.update(self._range(reg, at, at + size))
        else:
            self.known = False

    def _destination(self, d, es):
        reg = d.get("reg")
        if not reg or reg["rn"] != "r":
            if d["kind"] not in ("RD", "DA"):
                self.known = False
            return
        if d["kind"] == "DA":
            self.writes.update(self._range(reg, 0, 32 * d["len"]))
        elif d["kind"] == "RD" and d["type"] in SIZE:
            size = SIZE[d["type"]]
            for i in range(es):
                at = reg["sr"] * size + i * (d["rgn"]["Hz"] or 1) * size
                self.writes.update(self._range(reg, at, at + size))
        else:
            self.known = False


def disassemble(binary):
    """(pieces of straight-line code, all instructions)."""
    p = subprocess.run(["iga64", "-d", "-p=12p1", "-Xprint-json", binary],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    pieces, piece, everything, offset = [], [], [], 0
    for j in json.loads(p.stdout)["insts"]:
        if j["kind"] != "I":
            pieces.append(piece)
            piece = []
            continue
        i = Inst(j, offset)
        offset += 8 if "Compacted" in j["opts"] else 16
        piece.append(i)
        everything.append(i)
        if i.branch:
            pieces.append(piece)
            piece = []
    return pieces + [piece], everything


def hazard(piece, removed=None):
    """Does straight-line code violate anything, with one wait left out? `removed` is
    (instruction, kind)."""
    order, done = 1, 0
    written, read = {}, {}                      # dword -> in-order number
    pending_write, pending_read = {}, {}        # token -> dwords

    for i in piece:
        gone = removed[1] if removed and removed[0] is i else None
        if i.distance and gone != "distance":
            done = max(done, order - i.distance)
        if i.dst_wait is not None and gone != "dst":
            pending_write.pop(i.dst_wait, None)
            pending_read.pop(i.dst_wait, None)
        if i.src_wait is not None and gone != "src":
            pending_read.pop(i.src_wait, None)
        if i.op == "sync" and i.sub == "allwr" and gone != "all":
            pending_write.clear()
            pending_read.clear()
        if i.op == "sync" and i.sub == "allrd" and gone != "all":
            pending_read.clear()
        if i.set is not None:
            pending_write.pop(i.set, None)
            pending_read.pop(i.set, None)

        def flying(number):
            return number > done and order - number <= DEPTH

        for d in i.reads:
            if flying(written.get(d, 0)) or any(d in s for s in pending_write.values()):
                return True
        for d in i.writes:
            if any(d in s for s in pending_write.values()) or any(
                    d in s for s in pending_read.values()):
                return True
            if i.unordered and (flying(written.get(d, 0)) or flying(read.get(d, 0))):
                return True
        if i.set is not None:
            pending_write[i.set], pending_read[i.set] = set(i.writes), set(i.reads)
        if i.in_order:
            for d in i.reads:
                read[d] = order
            for d in i.writes:
                written[d] = order
            order += 1
    return False


def mutations(pieces, executed):
    """Yields (instruction, kind, patches, needed) of every wait of executed instructions."""
    for piece in pieces:
        bad = any(not i.known for i in piece)
        for i in piece:
            if i.offset not in executed:
                continue
            kinds = []
            if i.distance:
                rest = 0
                if i.set is not None:
                    rest = 0x40 | i.set
                elif i.dst_wait is not None:
                    rest = 0x20 | i.dst_wait
                kinds.append(("distance", [(i.offset + 1, rest)]))
            if i.dst_wait is not None:
                kinds.append(("dst", [(i.offset + 1, i.distance)]))
            if i.src_wait is not None:
                kinds.append(("src", [(i.offset + 1, 0)]))
            if i.op == "sync" and i.sub in ("allrd", "allwr"):
                kinds.append(("all", [(i.offset + 11, 0)]))
            for kind, patches in kinds:
                needed = not bad and not hazard(piece) and hazard(piece, (i, kind))
                yield i, kind, patches, needed


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--results", required=True)
    p.add_argument("--eu-run", required=True)
    p.add_argument("--binaries", type=int, default=20)
    p.add_argument("--per-binary", type=int, default=60)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--max-instructions", type=int, default=2000000,
                   help="skip drives that execute more")
    a = p.parse_args()
    with open(a.results) as f:
        rows = [json.loads(line) for line in f]
    rows = [r for r in rows if r["status"] == "agree" and r["instructions"] <= a.max_instructions]
    rng = random.Random(a.seed)
    rng.shuffle(rows)
    total = collections.Counter()
    for row in rows[:a.binaries]:
        launch = row["launch"]
        with open(launch) as f:
            record = json.load(f)
        binary = launch[:-len(".launch.json")] + ".bin"
        with tempfile.TemporaryDirectory() as folder:
            job, _ = drive.make_job(record["file"], row["recipe"], a.seed)
            path = os.path.join(folder, "job.json")
            with open(path, "w") as f:
                json.dump(job, f)
            run = subprocess.run([a.eu_run, "--coverage", binary, launch, path],
                                 stdout=subprocess.PIPE, check=True)
            base = json.loads(run.stdout)
            if not base["ok"]:
                print("%s: fails unmodified: %s" % (launch, base["error"]))
                continue
            pieces, _ = disassemble(binary)
            found = list(mutations(pieces, set(base["executed"])))
            rng.shuffle(found)
            found = found[:a.per_binary]
            listing = os.path.join(folder, "list")
            with open(listing, "w") as f:
                for _, _, patches, _ in found:
                    f.write("%s %s %s %s\n" % (binary, launch, path, " ".join(
                        "--patch=%d:%d" % x for x in patches)))
            run = subprocess.run([a.eu_run, "--list", listing], stdout=subprocess.PIPE, check=True)
            count = collections.Counter()
            for (inst, kind, _, needed), line in zip(found, run.stdout.splitlines()):
                result = json.loads(line)
                noticed = not result["ok"] and "contract" in result["error"]
                count["all"] += 1
                count["noticed"] += noticed
                count["needed"] += needed
                count["needed and noticed"] += needed and noticed
                if needed and not noticed:
                    print("  missed: %s at 0x%x (%s) in %s: %s" % (
                        kind, inst.offset, inst.op, os.path.basename(binary),
                        result.get("error", "ran")))
        total.update(count)
        print("%-70s waits %3d noticed %3d; needed in straight-line code %3d noticed %3d" % (
            os.path.basename(record["file"]), count["all"], count["noticed"], count["needed"],
            count["needed and noticed"]), flush=True)
    print("\n%d binaries: %d waits removed, %d noticed; of %d needed in straight-line code %d "
          "noticed (%.2f %%)" % (
              min(len(rows), a.binaries), total["all"], total["noticed"], total["needed"],
              total["needed and noticed"],
              100.0 * total["needed and noticed"] / max(total["needed"], 1)))
    return 0 if total["needed and noticed"] == total["needed"] else 1


if __name__ == "__main__":
    sys.exit(main())
