"""Compares buffers of two executions: integers exactly, floats by units in the last place."""

import struct

import texels

# Absolute tolerance for floats whose neighbours cancel: results of sin, log2 and the like near zero
# (tests/peer/README.md states lavapipe's own errors: log2 3e-7, atan 3e-6 absolute).
ABSOLUTE = 4e-6


def ordered(bits, width):
    """Maps float bits to integers in order of value; both zeros give 0."""
    top = 1 << (width - 1)
    return -(bits & (top - 1)) if bits & top else bits


def subnormal_or_zero(bits, width):
    exponent = {16: 0x7c00, 32: 0x7f800000, 64: 0x7ff << 52}[width]
    return bits & exponent == 0


def is_nan(bits, width):
    exponent = {16: 0x7c00, 32: 0x7f800000, 64: 0x7ff << 52}[width]
    return bits & exponent == exponent and bits & ((exponent & -exponent) - 1) != 0


def float_distance(a, b, width):
    """Units in the last place; 0 for equal, both NaN, or two subnormals (either may be flushed)."""
    if a == b or (is_nan(a, width) and is_nan(b, width)):
        return 0
    if subnormal_or_zero(a, width) and subnormal_or_zero(b, width):
        return 0
    if is_nan(a, width) or is_nan(b, width):
        return 1 << 62
    return abs(ordered(a, width) - ordered(b, width))


def value(bits, width):
    code = {16: "<e", 32: "<f", 64: "<d"}[width]
    return struct.unpack(code, bits.to_bytes(width // 8, "little"))[0]


def near(kind, a, b, bits, ulp, absolute=ABSOLUTE):
    """Returns True if the bits of two leaves agree within the tolerance of their kind."""
    if a == b or kind == "p":  # every execution has its own addresses
        return True
    if kind == "n":
        return min(abs(a - b), (1 << bits) - abs(a - b)) <= 1
    if kind in texels.PACKED:
        return all(abs(x - y) <= 1 for x, y in zip(texels.channels(kind, a),
                                                   texels.channels(kind, b)))
    if kind != "f":
        return False
    return (float_distance(a, b, bits) <= ulp
            or abs(value(a, bits) - value(b, bits)) <= absolute)


def compare(want, got, leaves, ulp, absolute=ABSOLUTE):
    """Returns None if the buffers agree, else a description of the first difference. `leaves` are
    (offset, kind, bits), kinds as in texels.py; bytes in no leaf must be equal."""
    if len(want) != len(got):
        return "sizes %d and %d" % (len(want), len(got))
    if want == got:
        return None
    covered = bytearray(len(want))
    for offset, kind, bits in leaves:
        n = bits // 8
        covered[offset:offset + n] = b"\1" * n
        a = int.from_bytes(want[offset:offset + n], "little")
        b = int.from_bytes(got[offset:offset + n], "little")
        if near(kind, a, b, bits, ulp, absolute):
            continue
        if kind != "f":
            return "byte %d: want %#x, got %#x" % (offset, a, b)
        d = float_distance(a, b, bits)
        return "byte %d: want %g, got %g (%s ulp)" % (
            offset, value(a, bits), value(b, bits), d if d < 1 << 60 else "NaN")
    for i, c in enumerate(covered):
        if not c and want[i] != got[i]:
            return "byte %d, in no member" % i
    return None
