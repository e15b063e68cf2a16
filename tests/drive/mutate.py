"""Changes one arithmetic operation of a SPIR-V module, keeping it valid. In order of preference: the
opcode is replaced by another one with the same operands and types, two operands are exchanged, or
the operation is replaced by a copy of an operand of the result's type. Arithmetic includes
comparisons, logic, conversions, matrices, the arithmetic of atomics and operations between the
invocations of a subgroup; not moves (composites, loads and stores, selection of constants, atomic
exchange). Those have mutants of their own (`moves`), for modules whose arithmetic reaches no output: other
components, exchanged operands, and a write left out."""

import struct

from spirv_module import Module

# OpIAdd 128, OpFAdd 129, OpISub 130, OpFSub 131, OpIMul 132, OpFMul 133, OpFDiv 136, ...
REPLACEMENT = {128: 130, 130: 128, 129: 131, 131: 129, 132: 128, 133: 129, 136: 133, 134: 137,
               137: 134, 135: 138, 138: 135, 139: 135, 197: 199, 199: 197, 198: 199, 196: 194,
               194: 196, 195: 196,
               140: 129, 141: 129,                          # OpFRem, OpFMod
               149: 150, 150: 149, 151: 152, 152: 151,      # carry and extended multiplication
               202: 203, 203: 202, 204: 200, 205: 200,      # bit fields, OpBitReverse, OpBitCount
               154: 155, 155: 154, 156: 157, 157: 156,      # OpAny, OpAll, OpIsNan, OpIsInf
               164: 165, 165: 164, 166: 167, 167: 166,      # equality of and logic with booleans
               170: 171, 171: 170, 172: 178, 178: 172, 176: 174, 174: 176,  # integer comparisons:
               173: 179, 179: 173, 177: 175, 175: 177,                      # the negations
               180: 182, 182: 180, 181: 183, 183: 181,      # comparisons of floats
               184: 190, 190: 184, 186: 188, 188: 186, 185: 191, 191: 185, 187: 189, 189: 187,
               111: 112,                                    # OpConvertSToF, OpConvertUToF
               126: 200, 200: 126,                          # OpSNegate, OpNot
               232: 233, 233: 232, 234: 235, 235: 234, 236: 238, 238: 236, 237: 239, 239: 237,
               240: 241, 241: 240, 242: 234,                # atomics
               # Subgroup operations: votes, shuffles, first and last bits of ballots, reductions.
               334: 335, 335: 334, 345: 346, 346: 345, 347: 348, 348: 347, 343: 344, 344: 343,
               349: 351, 351: 349, 350: 352, 352: 350, 353: 356, 356: 353, 354: 357, 357: 354,
               355: 358, 358: 355, 359: 360, 360: 359, 361: 360, 362: 363, 363: 362, 364: 363}
# GLSL.std.450: FMin <-> FMax, UMin <-> UMax, SMin <-> SMax, Floor <-> Ceil, Sin <-> Cos,
# Exp <-> Exp2, Log <-> Log2, Sqrt <-> InverseSqrt, ...
EXT_REPLACEMENT = {37: 40, 40: 37, 38: 41, 41: 38, 39: 42, 42: 39, 8: 9, 9: 8, 13: 14, 14: 13,
                   27: 29, 29: 27, 28: 30, 30: 28, 31: 32, 32: 31,
                   1: 9, 2: 9, 3: 9, 4: 6, 6: 4, 5: 7, 7: 5, 10: 8, 11: 12, 12: 11, 15: 13,
                   16: 13, 17: 13, 18: 13, 19: 20, 20: 19, 21: 13, 25: 26, 26: 25, 43: 46, 46: 50,
                   50: 46, 48: 37, 49: 46, 54: 55, 55: 54, 56: 57, 57: 56, 58: 57, 60: 61, 61: 60,
                   62: 61, 63: 64, 64: 63, 69: 6, 73: 75, 74: 73}
COPY_OBJECT, NOP = 83, 0
ATOMICS = set(range(229, 243)) | {318, 5614, 5615, 6035}
SEEN = {2, 11, 12, 5349}   # Uniform, Image, StorageBuffer, PhysicalStorageBuffer
WRITES = {62, 63, 99, 228}   # OpStore, OpCopyMemory, OpImageWrite, OpAtomicStore
EXCHANGED = {144: 145, 145: 144, 146: 146, 147: 147}  # matrix products, if the types allow it
COPIED = {127, 142, 143, 144, 145, 146, 168, 201, 84}   # others: a copy of an operand
EXT_COPIED = {35, 44, 45, 53, 68, 70, 71, 72}
SAME_OPERANDS = {148}                                   # OpDot: of the first operand with itself
# Instructions in functions without a result or without a result type.
NO_RESULT = {0, 8, 56, 62, 63, 64, 99, 224, 225, 228, 246, 247, 248, 249, 250, 251, 252, 253, 254,
             255, 256, 257, 317}
# Comparisons, and logic of booleans: tried after the rest, since a change of arithmetic proper
# shows more.
COMPARISONS = set(range(154, 192)) - {169}


def value_types(m):
    """Returns the result types of constants and of values in functions, which a mutant may copy."""
    types = {}
    for i in m.instructions():
        if 41 <= i.op <= 52:
            types[i.words[1]] = i.words[0]
    for body in m.functions.values():
        for i in body:
            if i.op not in NO_RESULT and len(i.words) > 1:
                types[i.words[1]] = i.words[0]
    return types


def plan(m, i, types):
    """Replacement words of an arithmetic instruction, or None."""
    w, n = m.words, len(i.words) + 1
    old = w[i.at:i.at + n]
    if i.op in REPLACEMENT:
        new = [old[0] & 0xffff0000 | REPLACEMENT[i.op]] + old[1:]
        return new
    if i.op == 12 and i.words[3] in EXT_REPLACEMENT:
        return old[:4] + [EXT_REPLACEMENT[i.words[3]]] + old[5:]
    if i.op in SAME_OPERANDS and old[3] != old[4]:
        return old[:4] + [old[3]]
    if i.op in EXCHANGED and types.get(old[3]) == types.get(old[4]) and old[3] != old[4]:
        return [old[0] & 0xffff0000 | EXCHANGED[i.op], old[1], old[2], old[4], old[3]]
    operands = []
    if i.op in COPIED:
        operands = old[3:]
    elif i.op == 12 and i.words[3] in EXT_COPIED:
        operands = old[5:]
    for operand in operands:
        if types.get(operand) == i.words[0]:
            return [4 << 16 | COPY_OBJECT, old[1], old[2], operand] + [1 << 16 | NOP] * (n - 4)
    return None


def plans(m):
    """Word index -> replacement words, for all operations in reached functions that can change."""
    found = {}
    types = value_types(m)
    for f in m.reached:
        for i in m.functions.get(f, []):
            new = plan(m, i, types)
            if new:
                found[i.at] = new
    return found


def has_output(m):
    """Returns True if a reached function writes memory visible outside: buffers, images, by address."""
    types = value_types(m)
    types.update({id_: pointer for id_, pointer, _ in m.variables})
    for f in m.reached:
        for i in m.functions.get(f, []):
            if i.op == 99:                                       # OpImageWrite
                return True
            pointer = None
            if i.op in (62, 63, 228):                            # stores, OpCopyMemory
                pointer = i.words[0]
            elif i.op in ATOMICS:
                pointer = i.words[2]
            storage = m.types.get(types.get(pointer), (None, [None]))
            if storage[0] == 32 and storage[1][0] in SEEN:
                return True
    return False


def other_components(literals):
    """Other literals of a shuffle, all of them in range."""
    turned = literals[1:] + literals[:1]
    if turned != literals:
        return turned
    return [0 if literals[0] else 1] * len(literals)


def move_plan(m, i, types):
    """Replacement words of a move, or None."""
    old = m.words[i.at:i.at + len(i.words) + 1]
    if i.op == 79 and len(old) > 6:                                      # OpVectorShuffle
        return old[:5] + other_components(old[5:])
    if i.op == 81 and len(old) == 5:                                     # OpCompositeExtract
        composite = m.types.get(types.get(old[3]))
        if composite and composite[0] == 23:
            return old[:4] + [0 if old[4] else 1]
    if i.op == 169 and old[4] != old[5]:                                 # OpSelect
        return old[:4] + [old[5], old[4]]
    if i.op == 80:                                                       # OpCompositeConstruct
        for k in range(4, len(old)):
            if old[k] != old[3] and types.get(old[k], 0) == types.get(old[3]):
                return old[:3] + [old[k]] + old[4:k] + [old[3]] + old[k + 1:]
    if i.op in WRITES:
        return [1 << 16 | NOP] * len(old)
    return None


def moves(m):
    """Word index -> replacement words, for all moves in reached functions that can change; writes are
    in a separate dict."""
    changed, left_out = {}, {}
    types = value_types(m)
    for f in m.reached:
        for i in m.functions.get(f, []):
            new = move_plan(m, i, types)
            if new:
                (left_out if i.op in WRITES else changed)[i.at] = new
    return changed, left_out


def sites(path):
    """Word indices of operations that apply() can change, in reached functions."""
    return sorted(plans(Module.load(path)))


def in_order(m, found, rng):
    """Word indices of plans() in the order in which trying them is most promising: late operations
    are nearest to the outputs and alternate with random ones; comparisons come last."""
    first = [s for s in sorted(found) if m.words[s] & 0xffff not in COMPARISONS]
    last = [s for s in sorted(found) if m.words[s] & 0xffff in COMPARISONS]
    order = []
    for group in (first, last):
        late, shuffled = group[::-1], rng.sample(group, len(group))
        for pair in zip(late, shuffled):
            order += [s for s in pair if s not in order]
    return order


def write(words, site, new, out):
    """Writes the words with those at `site` replaced."""
    w = words[:site] + new + words[site + len(new):]
    with open(out, "wb") as f:
        f.write(struct.pack("<%dI" % len(w), *w))


def apply(path, site, out):
    """Writes the module with the operation at word `site` changed."""
    m = Module.load(path)
    write(m.words, site, plans(m)[site], out)
