"""Splits the bytes of an image into channels, so that outputs can be compared (compare.py)."""

import re
import struct

# Formats whose channels do not lie in bytes: bits of each channel, from the lowest.
PACKED = {"rgb10a2": (10, 10, 10, 2), "rgb10a2ui": (10, 10, 10, 2), "r11g11b10f": (11, 11, 10)}


# Formats of storage images by their number in SPIR-V.
STORAGE = dict(enumerate(
    "rgba32f rgba16f r32f rgba8 rgba8_snorm rg32f rg16f r11g11b10f r16f rgba16 rgb10a2 rg16 rg8 r16 "
    "r8 rgba16_snorm rg16_snorm rg8_snorm r16_snorm r8_snorm rgba32i rgba16i rgba8i r32i rg32i "
    "rg16i rg8i r16i r8i rgba32ui rgba16ui rgba8ui r32ui rgb10a2ui rg32ui rg16ui rg8ui r16ui r8ui"
    .split(), 1))


def channel(fmt):
    """(kind, bits, channels) of a format whose channels are alike; kinds as in leaves."""
    m = re.match(r"(rgba|bgra|rg|r|d)(8|16|32)(ui|i|f|_snorm|_srgb|)$", fmt)
    kind = {"f": "f", "i": "i", "ui": "i"}.get(m.group(3), "n")
    return kind, int(m.group(2)), len(m.group(1))


def texel_bytes(fmt):
    if fmt in PACKED:
        return 4
    _, bits, channels = channel(fmt)
    return bits * channels // 8


def leaves(fmt, size):
    """(offset, kind, bits) of all channels in `size` bytes. Kinds: "f" floats, "i" integers, "n"
    normalised integers and packed channels, which two roundings may leave one unit apart."""
    if fmt in PACKED:
        return [(o, fmt, 32) for o in range(0, size, 4)]
    kind, bits, _ = channel(fmt)
    return [(o, kind, bits) for o in range(0, size, bits // 8)]


def data(fmt, count, random):
    """Bytes of `count` texels: integers below 8, floats from 0 to 2, anything else."""
    if fmt == "r11g11b10f":   # exponents from 2^-3 to 1
        return b"".join(
            (random.randint(12 << 6, 15 << 6) | random.randint(12 << 6, 15 << 6) << 11
             | random.randint(12 << 5, 15 << 5) << 22).to_bytes(4, "little") for _ in range(count))
    if fmt in PACKED:
        return random.randbytes(4 * count)
    kind, bits, per_texel = channel(fmt)
    if kind == "f":
        values = [round(random.random() * 64) / 32 for _ in range(per_texel * count)]
        return struct.pack("<%d%s" % (len(values), {16: "e", 32: "f"}[bits]), *values)
    if kind == "i":
        return b"".join(random.randint(0, 7).to_bytes(bits // 8, "little")
                        for _ in range(per_texel * count))
    return random.randbytes(bits * per_texel * count // 8)


def channels(fmt, bits):
    """The channels of a packed texel."""
    found = []
    for width in PACKED[fmt]:
        found.append(bits & ((1 << width) - 1))
        bits >>= width
    return found
