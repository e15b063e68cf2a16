"""Tells which waits a gfx1030 program needs on the path that a run took.

The judge of contract mode's judge: it knows nothing of core/sim/rdna2's rules. Registers and counts come from llvm-mc's text,
the path, its lanes and the addresses of accesses from `rdna2_run --trace`. Rules (Mesa 25.0.7, aco_insert_waitcnt.cpp; README-ISA.md
there for s_endpgm):

* The result of a load is in flight until a wait covers it. Using its registers before, to read or to write, is a
  hazard; but a load of the same kind (with sampler, without, LDS) may overwrite them, since those end in order. In vector
  registers only lanes count that were on when it was issued.
* A count of n covers all but the last n of what ends in order; 0 covers all. Scalar loads end out of order.
* Waves of a workgroup: an access that had not ended when its wave arrived at a barrier conflicts with one of another wave
  behind it, if one of them writes and they are not both atomic. In CU mode, where the waves share a cache, only in LDS.
* s_endpgm waits for all.

A wait is needed if a hazard or a conflict arises without it: between it and the next wait that covers the same.
"""

import bisect
import collections
import re
import subprocess

LINE = re.compile(r"^\t(\S+)\s*(.*?)\s*; encoding: \[(.*)\]$")
REGISTER = re.compile(r"\b(?:(v|s|ttmp)(?:(\d+)|\[(\d+):(\d+)\])|(vcc|exec)(_lo|_hi)?\b|(m0)\b)")
COUNT = re.compile(r"(vm|lgkm|exp)cnt\((\d+)\)")
FIRST_VGPR, VCC, TTMP, M0, EXEC = 256, 106, 108, 124, 126
READS_VCC = ("s_cbranch_vcc", "v_div_fmas")
ALL_LANES = re.compile(r"quad_perm|row_|dpp8|^v_(readlane|writelane|permlane)")


class Unknown(Exception):
    """An instruction whose registers or counters this file cannot tell."""


def registers(text, wide_masks):
    """Returns the codes of the registers that operands name. `wide_masks`: vcc without suffix is a pair."""
    found = set()
    for kind, one, first, last, mask, half, m0 in REGISTER.findall(text):
        if m0:
            found.add(M0)
        elif mask:
            base = VCC if mask == "vcc" else EXEC
            found |= {base, base + 1} if not half and wide_masks else {base + (half == "_hi")}
        else:
            base = {"v": FIRST_VGPR, "s": 0, "ttmp": TTMP}[kind]
            low, high = (int(one), int(one)) if one else (int(first), int(last))
            found |= set(range(base + low, base + high + 1))
    return frozenset(found)


class Instruction:
    """kind: what the results in flight are ("scalar", "sampled", "vector", "ray", "lds"), or "store" or None. counter: "lgkm",
    "vm", "vs" or None. waits: [(counter, count)]."""

    def __init__(self, name, operands):
        self.name, self.text = name, operands
        self.kind = self.counter = None
        self.results = self.uses = frozenset()
        self.waits = []
        self.all_lanes = bool(ALL_LANES.search(name) or ALL_LANES.search(operands))
        lane = re.search(r", (\d+)$", operands) if re.match("v_(read|write)lane", name) else None
        self.lane = int(lane.group(1)) if lane else None   # the only one used, if the text says it
        self.ends = name == "s_endpgm"
        if name == "s_waitcnt":
            self.waits = [(c, int(n)) for c, n in COUNT.findall(operands)]
            if not self.waits:
                raise Unknown("%s %s" % (name, operands))
            return
        if name == "s_waitcnt_vscnt":
            self.waits = [("vs", int(operands.split(",")[1], 0))]
            return
        if name.startswith("s_waitcnt"):
            raise Unknown(name)
        self.classify()
        named = registers(operands, True)
        if self.kind in (None, "store"):
            self.uses = named
        else:
            first, _, rest = operands.partition(",")
            # Operands like `v[0:1]` have no comma inside.
            self.results = registers(first, True)
            self.uses = registers(rest, True)
            if "atomic" in name and self.kind != "lds" and not name.startswith("global"):
                self.uses |= self.results   # data and result are one operand
        if name.startswith(READS_VCC):
            self.uses |= {VCC, VCC + 1}
        if re.match(r"[vs]_movrel", name) or name.startswith("flat_") or name.startswith("exp"):
            raise Unknown(name)

    def classify(self):
        name = self.name
        family = name.split("_")[0]
        atomic = "_atomic_" in name
        if family == "s" and re.match(r"s_(buffer_)?load|s_mem(real)?time", name):
            self.kind, self.counter = "scalar", "lgkm"
        elif family == "ds":
            result = re.match(r"ds_(read|.*_rtn|.*permute|swizzle|consume|append|ordered)", name)
            self.kind, self.counter = ("lds" if result else "store"), "lgkm"
        elif family in ("buffer", "tbuffer", "global", "scratch"):
            if "_gl0_inv" in name or "_gl1_inv" in name:
                return
            loads = "_load" in name or (atomic and re.search(r"\bglc\b", self.text))
            self.kind, self.counter = ("vector", "vm") if loads else ("store", "vs")
        elif family == "image":
            if "bvh" in name:
                self.kind = "ray"
            elif re.search(r"sample|gather|get_lod", name):
                self.kind = "sampled"
            elif "store" in name or (atomic and not re.search(r"\bglc\b", self.text)):
                self.kind = "store"
            else:
                self.kind = "vector"
            self.counter = "vs" if self.kind == "store" else "vm"


def listing(code, lanes):
    """Returns [(offset, name, operands)], by llvm-mc."""
    words = ["-arch=amdgcn", "-mcpu=gfx1030", "-disassemble", "-show-encoding"]
    if lanes == 64:
        words.append("-mattr=+wavefrontsize64")
    p = subprocess.run(["llvm-mc-19", *words], input=",".join("0x%02x" % b for b in code).encode(),
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines, at = [], 0
    for line in p.stdout.decode().splitlines():
        m = LINE.match(line)
        if not m:
            continue
        lines.append((at, m.group(1), m.group(2)))
        # Only their number counts: in fields that mean nothing Mesa's bytes are others than llvm-mc's.
        at += len(m.group(3).split(","))
    # llvm-mc leaves out dwords that it does not know.
    if p.stderr or at != len(code):
        raise Unknown(p.stderr.decode().split("\n")[0] or "the text ends at 0x%x" % at)
    return lines


def disassemble(code, lanes):
    """Returns offset -> Instruction."""
    return {offset: Instruction(name, operands) for offset, name, operands in listing(code, lanes)}


class Event:
    """A load or store that a wave has issued. `cover`: the wait that covered it first, (offset, counter); `ended`: the phases in
    which it ended for certain, and in which it would have without that wait."""

    __slots__ = ("offset", "kind", "counter", "lanes", "number", "cover", "ended", "wave", "phase", "results")

    def __init__(self, offset, inst, wave, phase, lanes, number):
        self.offset, self.kind, self.counter, self.results = offset, inst.kind, inst.counter, inst.results
        self.wave, self.phase, self.lanes, self.number = wave, phase, lanes, number
        self.cover, self.ended = None, [None, None]


class Wave:
    """The loads and stores of one wave that have not ended for certain."""

    def __init__(self):
        self.issued = collections.Counter()   # by counter, of those that end in order
        self.open = collections.defaultdict(list)      # by counter: no wait covers them
        self.half = collections.defaultdict(list)      # by counter: one wait does
        self.users = collections.defaultdict(list)     # register -> events

    def forget(self, event):
        for r in event.results:
            if event in self.users[r]:
                self.users[r].remove(event)

    def wait(self, counter, count, key, phase):
        """Returns the kinds of what this wait is the first to cover."""
        def covered(e):
            in_order = e.kind != "scalar"
            return count == 0 or (in_order and self.issued[counter] - e.number - 1 >= count)

        left = []
        for e in self.half[counter]:
            if e.cover == key or not covered(e):
                left.append(e)
            else:
                e.ended[1] = phase
                self.forget(e)
        still, kinds = [], set()
        for e in self.open[counter]:
            if covered(e):
                e.cover, e.ended[0] = key, phase
                left.append(e)
                kinds.add(e.kind)
            else:
                still.append(e)
        self.half[counter], self.open[counter] = left, still
        return kinds

    def end(self, phase):
        for pool in (self.open, self.half):
            for events in pool.values():
                for e in events:
                    e.ended = [e.ended[0] if e.ended[0] is not None else phase, phase]
            pool.clear()
        self.users.clear()

    def issue(self, e, inst):
        self.open[e.counter].append(e)
        if e.kind != "scalar":
            self.issued[e.counter] += 1
        for r in inst.results:
            self.users[r] = [o for o in self.users[r] if o.kind != e.kind or o.lanes & ~e.lanes] + [e]


class Judge:
    """Reads a trace; `needed`: {(offset, counter)}, `broken`: hazards and conflicts of the program as it is. `covered`: wait ->
    the kinds of what it was the first to cover."""

    def __init__(self, program, lanes, one_cache):
        self.program, self.one_cache = program, one_cache
        self.every_lane = (1 << lanes) - 1
        self.needed, self.broken = set(), set()
        self.covered = collections.defaultdict(set)
        self.begin()

    def begin(self):
        self.waves = collections.defaultdict(Wave)
        self.touched = collections.defaultdict(dict)   # (space, dword) -> {(event, use): True}
        self.current = None

    def hazard(self, e, offset):
        if e.cover is None:
            self.broken.add((e.offset, offset))
        else:
            self.needed.add(e.cover)

    def use(self, wave, inst, offset, lanes):
        reached = self.every_lane if inst.all_lanes else lanes
        if inst.lane is not None:
            reached = 1 << inst.lane
        for r in inst.uses | inst.results:
            events = wave.users.get(r)
            if not events:
                continue
            for e in list(events):
                if r >= FIRST_VGPR and not e.lanes & reached:
                    continue
                if r in inst.results and r not in inst.uses and e.kind == inst.kind and e.kind != "scalar":
                    continue
                self.hazard(e, offset)
                if e.cover is not None:
                    wave.forget(e)

    def step(self, number, phase, offset, lanes):
        inst, wave = self.program[offset], self.waves[number]
        self.current = None
        for counter, count in inst.waits:
            self.covered[offset, counter] |= wave.wait(counter, count, (offset, counter), phase)
        if inst.ends:
            wave.end(phase)
        if wave.users:
            self.use(wave, inst, offset, lanes)
        if inst.kind:
            self.current = Event(offset, inst, number, phase, lanes, wave.issued[inst.counter])
            wave.issue(self.current, inst)

    def access(self, space, address, count, use):
        if self.current is None or (self.one_cache and space != "l"):
            return
        for dword in range(address // 4, (address + count + 3) // 4):
            self.touched[space, dword][self.current, use] = True

    def conflicts(self):
        """Judges the accesses of a workgroup that has ended."""
        for accesses in self.touched.values():
            if len({e.wave for e, _ in accesses}) < 2:
                continue
            rows = sorted(((e.phase, e.wave, use) for e, use in accesses))
            phases = [row[0] for row in rows]
            for (e, use) in accesses:
                # Behind the first barrier, up to the one before which it would end without its wait.
                first, last = bisect.bisect_right(phases, e.phase), bisect.bisect_right(phases, e.ended[1])
                for phase, wave, other in rows[first:last]:
                    if wave == e.wave or use == other != "w":
                        continue
                    if phase <= e.ended[0]:
                        self.broken.add((e.offset, "barrier"))
                    else:
                        self.needed.add(e.cover)
                        break

    def why_not(self, wait):
        """Returns why a wait is not needed."""
        kinds = self.covered.get(wait, set())
        if not kinds:
            return "nothing in flight"
        if kinds == {"store"}:
            return "stores that no other wave meets behind a barrier"
        return "results that are not used before another wait covers them"

    def read(self, lines):
        for line in lines:
            words = line.split()
            if words[0] == "s":
                wave, phase, offset, lanes = (int(x, 16) for x in words[1:])
                self.step(wave, phase, offset, lanes)
            elif words[0] == "a":
                self.access(words[1], int(words[2], 16), int(words[3], 16), words[4])
            else:
                self.conflicts()
                self.begin()
        self.conflicts()
        return self
