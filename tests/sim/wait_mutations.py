#!/usr/bin/env python3
"""Removes waits from Mesa's binaries and counts the removals that the simulator's contract mode
notices.

    wait_mutations.py --results FILE --eu-run PATH [--binaries 20] [--per-binary 60] [--seed 1]

FILE is the --out file of mesa_vs_lavapipe.py; the agreeing binaries are sampled, driven with the
same inputs, and each of up to --per-binary executed waits (a register distance, a $n.dst or $n.src,
the function of a sync.allrd or sync.allwr) is removed alone.

Many waits of a compiler are redundant. This script decides which are needed, independently of the
simulator's scoreboard, by reading iga64's disassembly along the paths that threads took through
the program, branches and loops included (eu_run --paths; the outputs, which agree with lavapipe's,
show that those paths are right). A wait is needed if without it some instruction of a path reads or
overwrites a register (by dword), or reads the address register, that an earlier one has in flight, and
with it none does. Every needed one must be noticed. Operands r[a0] name no register here: a wait that
only they need counts as not needed, and the last figure includes it if it is noticed. The exit status is 1
if a needed wait is not noticed, if none was needed, or if a binary fails or the unchanged binary has a hazard
by this reading.
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
ADDRESS = 1 << 1024   # bit after the dwords of r0 to r127


def bits(dwords):
    mask = 0
    for d in dwords:
        mask |= 1 << d
    return mask


class Inst:
    """Holds what waits depend on: footprints in dwords, order, waits, offset."""

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
        self.reads, self.writes = 0, 0      # masks of dwords
        for s in j["srcs"]:
            self._source(s, j["es"])
        if j["dst"]:
            self._destination(j["dst"], j["es"])

    def _range(self, reg, start_byte, end_byte):
        base = reg["r"] * 32
        return bits(range((base + start_byte) // 4, (base + end_byte + 3) // 4))

    def _source(self, s, es):
        if s["kind"] == "AD":     # address payload of a message
            a = s["addr"]
            if a["reg"]["rn"] == "r":
                self.reads |= self._range(a["reg"], 0, 32 * a["len"])
            return
        if s["kind"] == "RI":
            self.reads |= ADDRESS
        reg = s.get("reg")
        if not reg:
            return
        if reg["rn"] == "a":
            self.reads |= ADDRESS
        if reg["rn"] != "r":
            return
        if s["kind"] == "DA":
            self.reads |= self._range(reg, 0, 32 * s["len"])
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
                self.reads |= self._range(reg, at, at + size)

    def _destination(self, d, es):
        if d["kind"] == "RI":
            self.reads |= ADDRESS
        reg = d.get("reg")
        if reg and reg["rn"] == "a":
            self.writes |= ADDRESS
        if not reg or reg["rn"] != "r":
            return
        if d["kind"] == "DA":
            self.writes |= self._range(reg, 0, 32 * d["len"])
        elif d["kind"] == "RD" and d["type"] in SIZE:
            size = SIZE[d["type"]]
            for i in range(es):
                at = reg["sr"] * size + i * (d["rgn"]["Hz"] or 1) * size
                self.writes |= self._range(reg, at, at + size)


def disassemble(binary):
    """Returns instructions by their offset. Those after a label or a branch start a piece."""
    p = subprocess.run(["iga64", "-d", "-p=12p1", "-Xprint-json", binary],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    found, offset, starts = {}, 0, True
    for j in json.loads(p.stdout)["insts"]:
        if j["kind"] != "I":
            starts = True
            continue
        i = found[offset] = Inst(j, offset)
        i.starts, starts = starts, i.branch
        offset += 8 if "Compacted" in j["opts"] else 16
    return found


def pieces(path):
    """Returns the straight-line parts of a path."""
    part = []
    for step in path:
        if step[0].starts and part:
            yield part
            part = []
        part.append(step)
    yield part


class InOrder:
    """The last results, or reads, of the in-order pipe."""

    def __init__(self):
        self.last = collections.deque(maxlen=DEPTH)   # (number, mask)

    def touches(self, mask, done):
        return any(m & mask and n > done for n, m in self.last)


def hazard(path, removed=None):
    """Returns True if a path through the program violates anything, with one wait left out. `path` has pairs
    (instruction, whether it is masked and all channels are off), `removed` is (instruction, kind)."""
    order, done = 1, 0
    written, read = InOrder(), InOrder()
    pending_write, pending_read = {}, {}        # token -> mask

    for i, off in path:
        if off:                                 # neither waits nor has an effect, but counts
            if i.in_order:
                written.last.append((order, 0))
                read.last.append((order, 0))
                order += 1
            continue
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

        touched = i.reads | i.writes
        for mask in pending_write.values():
            if mask & touched:
                return True
        for mask in pending_read.values():
            if mask & i.writes:
                return True
        if written.touches(i.reads, done):
            return True
        if i.unordered and (written.touches(i.writes, done) or read.touches(i.writes, done)):
            return True

        if i.set is not None:
            pending_write[i.set], pending_read[i.set] = i.writes, i.reads
        if i.in_order:
            written.last.append((order, i.writes))
            read.last.append((order, i.reads))
            order += 1
    return False


def mutations(code, executed):
    """Yields (instruction, kind, patches) of every wait of executed instructions."""
    for offset in executed:
        i = code[offset]
        if i.distance:
            rest = 0
            if i.set is not None:
                rest = 0x40 | i.set
            elif i.dst_wait is not None:
                rest = 0x20 | i.dst_wait
            yield i, "distance", [(i.offset + 1, rest)]
        if i.dst_wait is not None:
            yield i, "dst", [(i.offset + 1, i.distance)]
        if i.src_wait is not None:
            yield i, "src", [(i.offset + 1, 0)]
        if i.op == "sync" and i.sub in ("allrd", "allwr"):
            yield i, "all", [(i.offset + 11, 0)]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--results", required=True)
    p.add_argument("--eu-run", required=True)
    p.add_argument("--binaries", type=int, default=20)
    p.add_argument("--per-binary", type=int, default=60)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--max-instructions", type=int, default=200000,
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
            run = subprocess.run([a.eu_run, "--sourced", "--coverage", "--paths", binary, launch, path],
                                 stdout=subprocess.PIPE, check=True)
            base = json.loads(run.stdout)
            if not base["ok"]:
                print("%s: fails unmodified: %s" % (launch, base["error"]))
                total["failing"] += 1
                continue
            code = disassemble(binary)
            paths = [[(code[o & ~1], o & 1) for o in path] for path in base["paths"]]
            if any(hazard(path) for path in paths):
                print("%s: a hazard by this reading, unmodified" % launch)
                total["misread"] += 1
                continue
            found = list(mutations(code, base["executed"]))
            rng.shuffle(found)
            found = found[:a.per_binary]
            listing = os.path.join(folder, "list")
            with open(listing, "w") as f:
                for _, _, patches in found:
                    f.write("\t".join(["--sourced", binary, launch, path] + [
                        "--patch=%d:%d" % x for x in patches]) + "\n")
            run = subprocess.run([a.eu_run, "--list", listing], stdout=subprocess.PIPE, check=True)
            count = collections.Counter()
            for (inst, kind, _), line in zip(found, run.stdout.splitlines()):
                result = json.loads(line)
                needed = any(hazard(path, (inst, kind)) for path in paths)
                noticed = not result["ok"] and "contract" in result["error"]
                count["all"] += 1
                count["noticed"] += noticed
                count["needed"] += needed
                count["across"] += needed and not any(
                    hazard(part, (inst, kind)) for path in paths for part in pieces(path)
                    if any(i is inst for i, _ in part))
                count["needed and noticed"] += needed and noticed
                count["only noticed"] += noticed and not needed
                if needed != noticed:
                    print("  %s: %s at 0x%x (%s) in %s: %s" % (
                        "missed" if needed else "not needed", kind, inst.offset, inst.op,
                        os.path.basename(binary), result.get("error", "ran")))
        total.update(count)
        print("%-70s waits %3d needed %3d noticed of them %3d, of the others %3d" % (
            os.path.basename(record["file"]), count["all"], count["needed"],
            count["needed and noticed"], count["only noticed"]), flush=True)
    print("\n%d binaries (%d failing, %d misread): %d waits removed; %d needed on the ways taken (%d only across "
          "branches), %d of them noticed (%.2f %%); %d not needed, %d of them noticed" % (
              min(len(rows), a.binaries), total["failing"], total["misread"], total["all"],
              total["needed"], total["across"], total["needed and noticed"],
              100.0 * total["needed and noticed"] / max(total["needed"], 1),
              total["all"] - total["needed"], total["only noticed"]))
    proven = total["needed and noticed"] == total["needed"] > 0
    return 0 if proven and not total["failing"] and not total["misread"] else 1


if __name__ == "__main__":
    sys.exit(main())
