"""Changes one arithmetic operation of a SPIR-V module, keeping it valid: the opcode is replaced by
another one with the same operands and types."""

import struct

from spirv_module import Module

# OpIAdd 128, OpFAdd 129, OpISub 130, OpFSub 131, OpIMul 132, OpFMul 133, OpFDiv 136, ...
REPLACEMENT = {128: 130, 130: 128, 129: 131, 131: 129, 132: 128, 133: 129, 136: 133, 134: 137,
               137: 134, 135: 138, 138: 135, 139: 135, 197: 199, 199: 197, 198: 199, 196: 194,
               194: 196, 195: 196}
# GLSL.std.450: FMin <-> FMax, UMin <-> UMax, SMin <-> SMax, Floor <-> Ceil, Sin <-> Cos,
# Exp <-> Exp2, Log <-> Log2, Sqrt <-> InverseSqrt.
EXT_REPLACEMENT = {37: 40, 40: 37, 38: 41, 41: 38, 39: 42, 42: 39, 8: 9, 9: 8, 13: 14, 14: 13,
                   27: 29, 29: 27, 28: 30, 30: 28, 31: 32, 32: 31}


def sites(path):
    """Word indices of operations that apply() can change, in reached functions."""
    m = Module.load(path)
    found = []
    for f in m.reached:
        for i in m.functions.get(f, []):
            if i.op in REPLACEMENT or (i.op == 12 and i.words[3] in EXT_REPLACEMENT):
                found.append(i.at)
    return sorted(found)


def apply(path, site, out):
    """Writes the module with the operation at word `site` changed."""
    m = Module.load(path)
    w = m.words
    op = w[site] & 0xffff
    if op == 12:
        w[site + 4] = EXT_REPLACEMENT[w[site + 4]]
    else:
        w[site] = (w[site] & 0xffff0000) | REPLACEMENT[op]
    with open(out, "wb") as f:
        f.write(struct.pack("<%dI" % len(w), *w))
