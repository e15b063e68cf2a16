#!/usr/bin/env python3
"""Finds the compute modules of the corpus that lie within the capability list of the compute front end.

The list: compute; 32-bit integers, floats and booleans, vectors, structs, arrays, private arrays
with constant or dynamic index; uniform and storage buffers, push constants, shared memory,
barriers, 32-bit atomics; specialisation constants; loops, switches, function calls; GLSL.std.450.
No images, subgroup operations, 8/16/64-bit types.

Reads the modules themselves, word by word, without asking the compiler what it refuses. A
module is outside if it contains an instruction, type, built-in, storage class or addressing model
that the list does not name; what it merely declares as a capability does not count.

usage: within_capabilities.py [--corpus=DIR] [--list=FILE] [--outside=FILE] [--import-tool=PATH]
  --corpus   the corpus (default: $KILN_CORPUS, else ../shared/corpus beside the checkout)
  --list     write the paths of the modules within the list, one a line
  --outside  write the others with the reason, tab-separated
  --import-tool  //core/front:import_tool, which then imports and verifies every module within the
             list; failures are printed
Prints the counts. Exit status 2 if there is no corpus, 1 if fewer than 98 of 100 modules within the
list import.
"""

import argparse
import collections
import json
import os
import struct
import subprocess
import sys

# Opcode numbers of the SPIR-V specification.
OP_EXT_INST_IMPORT = 11
OP_EXT_INST = 12
OP_MEMORY_MODEL = 14
OP_ENTRY_POINT = 15
OP_EXECUTION_MODE = 16
OP_TYPE_INT = 21
OP_TYPE_FLOAT = 22
OP_TYPE_POINTER = 32
OP_VARIABLE = 59
OP_ACCESS_CHAINS = (65, 66)
OP_DECORATE = 71
OP_MEMBER_DECORATE = 72
OP_SELECT = 169
OP_PHI = 245
OP_FUNCTION = 54
OP_TYPE_ARRAY = 28
OP_TYPE_RUNTIME_ARRAY = 29
OP_TYPE_STRUCT = 30
OP_CONSTANTS = range(41, 53)

STORAGE_PHYSICAL = 5349
STORAGE_WITHIN = {1: "Input", 2: "Uniform", 4: "Workgroup", 6: "Private", 7: "Function",
                  9: "PushConstant", 12: "StorageBuffer"}
SUBGROUP_BUILTINS = {36, 37, 38, 39, 40, 41, 4416, 4417, 4418, 4419, 4420}
RUNTIME_BLOCK_EXECUTION_MODES = {4459: "float controls", 4460: "float controls",
                                 4461: "float controls", 4462: "float controls",
                                 4463: "float controls", 5289: "derivative groups",
                                 5290: "derivative groups"}


def family(op):
    """Returns the reason why an opcode is outside the list, or None."""
    if op in (25, 26, 27) or 60 == op or 86 <= op <= 107 or 305 <= op <= 316 or op == 320:
        return "images"
    if op in (67, 70, 401, 402, 403):
        return "variable pointers"
    if op in (117, 118, 119, 120, 121, 122, 123, 64, 69):
        return "physical addresses"
    if 207 <= op <= 215:
        return "derivatives"
    if 218 <= op <= 221 or op in (252, 4416, 5380, 5381):
        return "graphics stages"
    if 259 <= op <= 271 or 333 <= op <= 366 or 4421 <= op <= 4432 or 5000 <= op <= 5007 \
            or op == 5296 or 5571 <= op <= 5580 or 6401 <= op <= 6408:
        return "subgroup operations"
    if 4450 <= op <= 4455:
        return "integer dot products"
    if op in (6035, 5614, 5615):
        return "float atomics"
    if 4445 <= op <= 4449 or 4472 <= op <= 4481 or 5249 <= op <= 5282 or 5334 <= op <= 5344 \
            or op == 4433 or op == 5341 or 6016 <= op <= 6033:
        return "ray tracing"
    if op in (5358, 5359, 5360, 5361, 5362) or 4456 <= op <= 4460:
        return "cooperative matrices"
    if op == 5056:
        return "shader clock"
    if op in (31, 34, 35, 36, 37, 38, 318, 319) or 272 <= op <= 303 or 321 <= op <= 329:
        return "OpenCL"
    if op > 400 and op not in (5632, 5633):   # string decorations
        return "extension instruction %d" % op
    return None


def instructions(words):
    at = 5
    while at < len(words):
        count = words[at] >> 16
        if count == 0 or at + count > len(words):
            raise ValueError("malformed module")
        yield words[at] & 0xffff, words[at:at + count]
        at += count


class Facts:
    """Holds facts about ids that the tests below need."""

    def __init__(self, words):
        self.pointer_types = {}     # id -> (storage class, pointee)
        self.array_types = {}       # id -> element
        self.structs = set()
        self.variables = {}         # id -> (pointer type, storage class)
        self.constants = set()
        self.reasons = []
        for op, inst in instructions(words):
            self.note(op, inst)
        for op, inst in instructions(words):
            self.judge(op, inst)

    def note(self, op, inst):
        if op == OP_TYPE_POINTER:
            self.pointer_types[inst[1]] = (inst[2], inst[3])
        elif op in (OP_TYPE_ARRAY, OP_TYPE_RUNTIME_ARRAY):
            self.array_types[inst[1]] = inst[2]
        elif op == OP_TYPE_STRUCT:
            self.structs.add(inst[1])
        elif op == OP_VARIABLE:
            self.variables[inst[2]] = (inst[1], inst[3])
        elif op in OP_CONSTANTS:
            self.constants.add(inst[2])

    def out(self, reason):
        if reason not in self.reasons:
            self.reasons.append(reason)

    def judge(self, op, inst):
        reason = family(op)
        if reason:
            self.out(reason)
        elif op == OP_TYPE_INT and inst[2] != 32:
            self.out("%d-bit integers" % inst[2])
        elif op == OP_TYPE_FLOAT and inst[2] != 32:
            self.out("%d-bit floats" % inst[2])
        elif op == OP_TYPE_POINTER and inst[2] == STORAGE_PHYSICAL:
            self.out("physical addresses")
        elif op == OP_VARIABLE and inst[3] not in STORAGE_WITHIN:
            self.out("images" if inst[3] == 0 else "storage class %d" % inst[3])
        elif op == OP_MEMORY_MODEL and inst[1] not in (0, 5348):
            self.out("addressing model %d" % inst[1])
        elif op in (OP_DECORATE, OP_MEMBER_DECORATE):
            rest = inst[2:] if op == OP_DECORATE else inst[3:]
            if rest[0] == 11 and rest[1] in SUBGROUP_BUILTINS:
                self.out("subgroup operations")
        elif op == OP_EXECUTION_MODE and inst[2] in RUNTIME_BLOCK_EXECUTION_MODES:
            self.out(RUNTIME_BLOCK_EXECUTION_MODES[inst[2]])
        elif op in (OP_SELECT, OP_PHI) and inst[1] in self.pointer_types:
            self.out("variable pointers")
        elif op in OP_ACCESS_CHAINS:
            self.judge_chain(inst)

    def judge_chain(self, inst):
        """Refuses access chains that choose a descriptor by value: the list lacks indexing of descriptors."""
        base = inst[3]
        if base not in self.variables or len(inst) < 5:
            return
        pointer, storage = self.variables[base]
        if storage not in (2, 12) or pointer not in self.pointer_types:
            return
        pointee = self.pointer_types[pointer][1]
        if pointee in self.array_types and inst[4] not in self.constants:
            self.out("descriptors indexed by value")


def read_words(path):
    with open(path, "rb") as f:
        data = f.read()
    return struct.unpack("<%dI" % (len(data) // 4), data[:len(data) // 4 * 4])


def import_all(tool, corpus, names):
    """Runs the importer over the modules, prints those that fail, and returns how many do not."""
    run = subprocess.run([tool, "--root=" + corpus, "-"], input="\n".join(names) + "\n",
                         stdout=subprocess.PIPE, universal_newlines=True, check=False)
    results = [line.split("\t") for line in run.stdout.splitlines()]
    good = sum(1 for r in results if r[1] == "ok")
    for result in results:
        if result[1] != "ok":
            print("  " + "  ".join(result))
    print("imported and verified %d of %d" % (good, len(names)))
    return len(names) - good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.join(here, "..", "..", "..", "shared", "corpus")
    parser.add_argument("--corpus", default=os.environ.get("KILN_CORPUS", beside))
    parser.add_argument("--list")
    parser.add_argument("--outside")
    parser.add_argument("--import-tool")
    args = parser.parse_args()
    manifest = os.path.join(args.corpus, "MANIFEST.jsonl")
    if not os.path.exists(manifest):
        print("no corpus at %s" % args.corpus, file=sys.stderr)
        return 2
    within = []
    outside = []
    reasons = collections.Counter()
    with open(manifest) as f:
        entries = [json.loads(line) for line in f]
    compute = [e for e in entries if e["stage"] == "comp"]
    for entry in compute:
        facts = Facts(read_words(os.path.join(args.corpus, entry["file"])))
        if facts.reasons:
            outside.append((entry["file"], facts.reasons))
            reasons.update(facts.reasons)
        else:
            within.append(entry["file"])
    if args.list:
        with open(args.list, "w") as f:
            f.writelines(name + "\n" for name in within)
    if args.outside:
        with open(args.outside, "w") as f:
            f.writelines("%s\t%s\n" % (name, ", ".join(why)) for name, why in outside)
    print("compute modules %d, within the capability list %d, outside %d"
          % (len(compute), len(within), len(outside)))
    for reason, count in reasons.most_common():
        print("  %5d  %s" % (count, reason))
    if args.import_tool:
        failed = import_all(args.import_tool, args.corpus, within)
        return 1 if failed * 100 > 2 * len(within) else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
