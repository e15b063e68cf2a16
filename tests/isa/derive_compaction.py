#!/usr/bin/env python3
"""Derives Gen12's compaction tables by experiment with iga64 (package libigc-tools).

A compacted (64-bit) instruction holds indices; each index stands for a group of bits of the full
instruction. The experiment: build a compacted instruction with every value of one index, let iga64
disassemble it, take the word Compacted away, let iga64 assemble the text to the full form, and
read the group's bits there. Bits that the text cannot show (the type of an absent source, the flag
register of an instruction without predicate or modifier) read as zero.

Usage: derive_compaction.py > core/intel/isa/gen12_compaction.inc
"""
import os
import re
import subprocess
import sys
import tempfile

PLATFORM = "-p=12p1"

# Full-form bit ranges (high, low) that each index stands for, most significant first; found by
# comparing full forms of neighbouring index values.
GROUPS = {
    "control": [(95, 92), (34, 34), (33, 33), (32, 32), (31, 31), (28, 28), (27, 24), (23, 22),
                (21, 19), (18, 16)],
    "datatype": [(98, 98), (91, 88), (66, 66), (50, 50), (49, 48), (47, 47), (46, 46), (43, 40),
                 (39, 36), (35, 35)],
    "subreg": [(103, 99), (71, 67), (55, 51)],
    "src0": [(87, 84), (83, 81), (80, 80), (65, 64), (45, 44)],
    "src1": [(121, 120), (119, 116), (115, 113), (112, 112), (97, 96)],
    "ternary_control": [(95, 92), (90, 88), (82, 80), (50, 50), (48, 48), (42, 40), (39, 39),
                        (38, 36), (34, 34), (33, 33), (32, 32), (31, 31), (28, 28), (27, 24),
                        (23, 22), (21, 19), (18, 16)],
    "ternary_source": [(114, 114), (113, 112), (98, 98), (97, 96), (91, 91), (87, 86), (85, 84),
                       (83, 83), (66, 66), (65, 64), (47, 47), (46, 46), (45, 44), (43, 43),
                       (35, 35)],
    "ternary_subreg": [(119, 115), (103, 99), (71, 67), (55, 51)],
}
OPCODE = {"mov": 0x61, "add": 0x40, "and": 0x65, "mad": 0x5B, "sel": 0x62, "csel": 0x72,
          "bfe": 0x78, "dp4a": 0x58, "cmp": 0x70, "mul": 0x41, "math": 0x38}


def compact(op, control=0, datatype=0, subreg=0, src0=0, src1=0, ternary=False):
    """Returns a compacted instruction; register numbers are 32, which is also acc0."""
    bits = OPCODE[op] | 0x20 << 16 | control << 24 | 1 << 29 | datatype << 30 | subreg << 35
    bits |= 0x20 << 40 | src0 << 48 | src1 << 52 | 0x20 << 56
    if ternary:
        bits = bits & ~(0xFF << 48) | 0x20 << 48
    return bits


def run(args):
    return subprocess.run(["iga64", PLATFORM] + args, capture_output=True, text=True)


def full_form(compacted, directory):
    """Returns the 128-bit form of one compacted instruction, or None where iga64 rejects it."""
    raw, text, out = (os.path.join(directory, n) for n in ("c.bin", "c.asm", "f.bin"))
    with open(raw, "wb") as f:
        f.write(compacted.to_bytes(8, "little"))
    if os.path.exists(out):
        os.remove(out)
    shown = run(["-d", raw])
    if shown.returncode or "error" in shown.stdout or "INVALID" in shown.stdout:
        return None, shown.stdout + shown.stderr
    line = re.sub(r"\{Compacted,?", "{", shown.stdout).replace("//", "\n//")
    line = re.sub(r",Compacted", "", line).replace("{}", "")
    with open(text, "w") as f:
        f.write(line)
    made = run(["-a", "-Xno-ir-checking", "-Xno-autocompact", text, "-o", out])
    if not os.path.exists(out):
        return None, line + made.stderr
    with open(out, "rb") as f:
        data = f.read()
    if len(data) != 16:
        return None, line
    return int.from_bytes(data, "little"), line


def gather(full, group):
    value = 0
    for high, low in GROUPS[group]:
        width = high - low + 1
        value = value << width | full >> low & ((1 << width) - 1)
    return value


def derive(group, count, candidates, directory, mask_of=None):
    """Returns the table of one index: the first of `candidates(i)` that iga64 accepts gives the value."""
    table = []
    for i in range(count):
        value, why = 0, ""
        found = False
        for candidate in candidates(i):
            full, why = full_form(candidate, directory)
            if full is not None:
                value |= gather(full, group)
                found = True
                if mask_of is None:
                    break
        if not found:
            print(f"{group} {i}: {why}", file=sys.stderr)
        table.append(value)
    return table


def main():
    with tempfile.TemporaryDirectory() as d:
        control = derive("control", 32, lambda i: [compact("add", control=i),
                                                   compact("cmp", control=i)], d)
        datatype = derive("datatype", 32,
                          lambda i: [compact(o, datatype=i)
                                     for o in ("add", "and", "mul", "mov", "cmp")], d)
        src0 = derive("src0", 16, lambda i: [compact("add", src0=i)], d)
        src1 = derive("src1", 16, lambda i: [compact("add", src1=i)], d)
        # Sub-registers show in units of the operand's type: try all type rows and join the bits.
        subreg = derive("subreg", 32,
                        lambda i: [compact("add", datatype=t, subreg=i) for t in range(32)], d,
                        mask_of=True)
        t_control = derive("ternary_control", 32,
                           lambda i: [compact(o, control=i, ternary=True)
                                      for o in ("mad", "csel", "bfe", "dp4a")], d)
        t_source = derive("ternary_source", 32,
                          lambda i: [compact("mad", datatype=i, ternary=True),
                                     compact("bfe", datatype=i, ternary=True)], d)
        t_subreg = derive("ternary_subreg", 32,
                          lambda i: [compact("mad", control=c, subreg=i, ternary=True)
                                     for c in range(0, 32)], d, mask_of=True)
    tables = [("Control", control), ("Datatype", datatype), ("Subreg", subreg), ("Src0", src0),
              ("Src1", src1), ("TernaryControl", t_control), ("TernarySource", t_source),
              ("TernarySubreg", t_subreg)]
    print("// Made by tests/isa/derive_compaction.py from the behaviour of iga64; see there and")
    print("// core/intel/isa/ERRATA.md for the experiment.")
    for name, table in tables:
        print(f"constexpr uint64_t k{name}Index[{len(table)}] = {{")
        for k in range(0, len(table), 4):
            print("    " + " ".join(f"{v:#x}," for v in table[k:k + 4]))
        print("};")


main()
