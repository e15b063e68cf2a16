"""Excuses for differences between two executions of a program, place by place.

A place is a member of an output. An excuse is something that the program leaves open, shown by runs of
the interpreter that differ in nothing else. It holds for a place only if one of those runs changed that
very place:

  unstable   rounding at random within Vulkan's limits (--perturb) moved it at least half as far as
             the other execution is away
  order      another order of workgroups, lanes and racing accesses (--opposite, --shuffle) moved it so
             far, or put the other execution's very value into a place of the same output
  undefined  random undefined results (--undefined) moved it, by any distance
  race       the interpreter saw unordered stores of different values (or stores and atomics) of several
             invocations to bytes of that very place, a data race after which Vulkan's memory model defines
             nothing, and an order moved it, by any distance
  beyond     the module accesses a shared array beyond its end. The interpreter sees only accesses that
             leave shared memory: with its shared variables in another order some do, while in their own
             order and with the same random values none does; and such orders moved it, or half of the
             places that differ in the same output

Distances are units in the last place for floats, and numbers for integers. No excuse outlives the
comparison it was found in: the runs are those of one drive at one width.
"""

import collections
import dataclasses
import json
import os
import random
import struct

import compare
import peer
import texels
from spirv_module import OP, Module

RUNS = {"unstable": [],
        "order": ["--opposite"] + ["--shuffle=%d" % n for n in range(1, 33)],
        "undefined": ["--undefined=%d" % n for n in (*range(1, 9), 12)]}


def perturb(runs):
    """Sets how many runs have random rounding."""
    RUNS["unstable"] = ["--perturb=%d" % n for n in range(1, runs + 1)]


perturb(16)
KINDS = (*RUNS, "race", "beyond")
OP_FUNCTION, OP_VARIABLE, WORKGROUP = 54, 59, 4   # of SPIR-V
REARRANGED = 24   # orders of shared variables that are tried


def differing(want, got, types, ulp, absolute):
    """Returns (places, description of the first) where two results differ by more than the tolerance. A place
    is (output, offset); (output, -1) if one of them has no such output."""
    places, first = set(), None
    for key in sorted(set(want) | set(got), key=str):
        a_all, b_all = want.get(key), got.get(key)
        if a_all is None or b_all is None or len(a_all) != len(b_all):
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
            if compare.near(kind, x, y, bits, ulp, absolute):
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


def distance(kind, a, b, bits):
    """Returns the distance of two values of a kind."""
    if kind == "f":
        return compare.float_distance(a, b, bits)
    if kind in texels.PACKED:
        return max(abs(x - y) for x, y in zip(texels.channels(kind, a), texels.channels(kind, b)))
    return min(abs(a - b), (1 << bits) - abs(a - b))


class Leaves:
    """The members of outputs by place; a byte in no member counts as a member."""

    def __init__(self, types):
        self.by_place = {(key, offset): (kind, bits)
                         for key, leaves in types.items() for offset, kind, bits in leaves}

    def kind(self, place):
        (key, offset) = place
        return self.by_place.get((key[:2], offset), ("u", 8))

    def value(self, outputs, place):
        (key, offset), bits = place, self.kind(place)[1]
        return int.from_bytes(outputs[key][offset:offset + bits // 8], "little")


def moved_so_far(place, got, mine, runs, leaves):
    """Returns True if a run moved this place at least half as far as `got` is away."""
    kind, bits = leaves.kind(place)
    here = leaves.value(mine, place)
    away = distance(kind, leaves.value(got, place), here, bits)
    return any(0 < distance(kind, leaves.value(r, place), here, bits) * 2 >= away for r in runs)


def moved(place, mine, runs, leaves):
    return any(leaves.value(r, place) != leaves.value(mine, place) for r in runs)


def values_put(mine, runs, types):
    """Returns (output, bits) -> the values that a run put into a place that it moved."""
    found = collections.defaultdict(set)
    for r in runs:
        for key in mine:
            if r[key] == mine[key]:
                continue
            for offset, _, bits in types.get(key[:2], []):
                a, b = (x[key][offset:offset + bits // 8] for x in (mine, r))
                if a != b:
                    found[key, bits].add(int.from_bytes(b, "little"))
    return found


def half_moved(places, those):
    """Returns `those` of the places, and all places of outputs at least half of which are in `those`."""
    outputs = collections.Counter(key for key, _ in places)
    found = collections.Counter(key for key, _ in those)
    return {p for p in places if p in those or 2 * found[p[0]] >= outputs[p[0]]}


def excused(kind, places, mine, got, types, runs):
    """Returns the places that runs of this kind excuse."""
    leaves = Leaves(types)
    if kind in ("undefined", "race"):
        return {p for p in places if moved(p, mine, runs, leaves)}
    if kind == "beyond":
        return half_moved(places, {p for p in places if moved(p, mine, runs, leaves)})
    found = {p for p in places if moved_so_far(p, got, mine, runs, leaves)}
    if kind == "order":
        put = values_put(mine, runs, types)
        found |= {p for p in places if moved(p, mine, runs, leaves)
                  and leaves.value(got, p) in put[p[0], leaves.kind(p)[1]]}
    return found


def only_raced(races, mine, runs):
    """Returns the outputs of `runs` with the bytes of `mine` wherever no data race of stores was seen. `races`:
    the interpreter's result with --races."""
    found = []
    for r in runs:
        changed = {key: bytearray(data) for key, data in mine.items()}
        for output in races["outputs"]:
            for begin, end in output.get("raced", []):
                key = peer.key_of(output)
                changed[key][begin:end] = r[key][begin:end]
        found.append({key: bytes(data) for key, data in changed.items()})
    return found


def settle(places, mine, got, types, runs_of):
    """Returns (kind -> number of places that it excuses, places without an excuse). `runs_of`, given a kind,
    makes the interpreter's runs of that kind; `mine` is the run with nothing else different."""
    counts, rest = collections.Counter(), set(places)
    if any(offset < 0 for _, offset in rest):
        return counts, rest
    for kind in KINDS:
        if not rest:
            break
        found = excused(kind, rest, mine, got, types, runs_of(kind))
        if found:
            counts[kind] = len(found)
        rest -= found
    return counts, rest


@dataclasses.dataclass
class Comparison:
    """Compares two executions of one drive: they agree, differ, or differ only where it is excused."""
    where: str
    excuses: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    differing: int = 0      # places without an excuse
    first: str = ""         # description of the first difference

    @property
    def status(self):
        return "differ" if self.differing else "excused" if self.excuses else "agree"


def compared(where, mine, got, types, tolerance, runs_of):
    """Returns the Comparison of an interpreter's outputs with others; runs_of as in settle()."""
    places, first = differing(mine, got, types, tolerance.ulp, tolerance.absolute)
    counts, rest = settle(places, mine, got, types, runs_of)
    return Comparison(where, counts, len(rest), first or "")


# GLSL.std.450: functions whose error Vulkan bounds absolutely (sin, cos, log, log2) and those that
# inherit it; tests/peer/README.md lists lavapipe's errors.
ABSOLUTE_ERROR = {13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 28, 30}
INVERSE = {16, 17, 18, 25}   # asin, acos, atan, atan2
# Vulkan's own limits for atan and atan2, of floats and of halves; asin and acos inherit from atan2
# and from sqrt, for which Vulkan allows more near some arguments: stricter here. asinh, acosh and
# atanh inherit from log and sqrt, which the interpreter rounds at random in their formulas.
INVERSE_ULP, INVERSE_HALF_ULP = 4096, 5


def is_half(module, of_type):
    """Returns True if this type of a Module is a float of 16 bits, or a vector of such."""
    op, words = module.types[of_type]
    return is_half(module, words[0]) if op == OP["TypeVector"] else words[0] == 16


@dataclasses.dataclass
class Tolerance:
    ulp: int
    absolute: float
    loose: list    # options of mir_run: results that random rounding moves further

    @staticmethod
    def of(module, ulp):
        """Returns the tolerance for the functions in a Module: nothing absolute if none of them has such an
        error. The larger error of inverse functions applies only to values that depend on them; the rest of
        the outputs is compared as in other modules."""
        called = [i for f in module.reached for i in module.functions.get(f, []) if i.op == 12]
        inverse = sorted({(i.words[1], i.words[0]) for i in called if i.words[3] in INVERSE})
        absolute = any(i.words[3] in ABSOLUTE_ERROR for i in called)
        return Tolerance(ulp, compare.ABSOLUTE if absolute else 0.0,
                         ["--loose=%d:%d" % (result, INVERSE_HALF_ULP if is_half(module, of_type)
                                             else INVERSE_ULP) for result, of_type in inverse])


def rearranged(words, seed):
    """Returns the words of a module with its shared variables in an order drawn by the seed, or None if it has
    fewer than two. They come directly before the functions, so that their types precede them."""
    variables, others, at = [], [], 5
    while at < len(words) and words[at] & 0xffff != OP_FUNCTION:
        instruction = words[at:at + (words[at] >> 16)]
        shared = instruction[0] & 0xffff == OP_VARIABLE and instruction[3] == WORKGROUP
        (variables if shared else others).append(instruction)
        at += len(instruction)
    if len(variables) < 2:
        return None
    random.Random(seed).shuffle(variables)
    return words[:5] + sum(others + variables, []) + words[at:]


def rearranged_job(job, folder, seed):
    """Returns the path of the job with its module rearranged, or None."""
    words = rearranged(Module.load(job["shader"]).words, seed)
    if words is None:
        return None
    shader, path = (os.path.join(folder, "rearranged" + end) for end in (".spv", ".json"))
    with open(shader, "wb") as f:
        f.write(struct.pack("<%dI" % len(words), *words))
    with open(path, "w") as f:
        json.dump({**job, "shader": shader}, f)
    return path


def evidence(interpreter, job_path, options, tolerance):
    """Returns runs_of for settle(); each kind's runs are made at the first call and kept. Writes beside the job."""
    made = {}

    def stays_inside(more):
        """Returns True if the unchanged module accesses no shared or private memory beyond its end."""
        result = interpreter.run(job_path, [*options, *more])
        return result["ok"] and not result["outside_local_accesses"]

    def rearranged_runs():
        """Returns no runs unless an order leaves shared memory where the unchanged module does not, also with the
        same random values for undefined results: an undefined index leads anywhere."""
        if not stays_inside([]):
            return []
        with open(job_path) as f:
            job = json.load(f)
        runs = []
        for seed in range(1, REARRANGED + 1):
            path = rearranged_job(job, os.path.dirname(job_path), seed)
            random_values = "--undefined=%d" % seed
            if path is None or not stays_inside([random_values]):
                return []
            runs.append(interpreter.run(path, [*options, random_values]))
        runs = [r for r in runs if r["ok"]]
        leave = any(r["outside_local_accesses"] for r in runs)
        return [peer.outputs(r) for r in runs] if leave else []

    def raced_runs():
        races = interpreter.run(job_path, [*options, "--races"])
        mine = interpreter.outputs(job_path, options)
        if not races["ok"] or mine is None:
            return []
        return only_raced(races, mine, runs_of("order"))

    def runs_of(kind):
        if kind not in made and kind == "beyond":
            made[kind] = rearranged_runs()
        if kind not in made and kind == "race":
            made[kind] = raced_runs()
        if kind not in made:
            more = tolerance.loose if kind == "unstable" else []
            runs = [interpreter.outputs(job_path, [*options, *more, o]) for o in RUNS[kind]]
            made[kind] = [r for r in runs if r is not None]
        return made[kind]

    return runs_of
