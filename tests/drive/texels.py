"""What the bytes of an image are made of, so that outputs can be compared (compare.py)."""

import re

# Formats whose channels do not lie in bytes: bits of each channel, from the lowest.
PACKED = {"rgb10a2": (10, 10, 10, 2), "rgb10a2ui": (10, 10, 10, 2), "r11g11b10f": (11, 11, 10)}


def leaves(fmt, size):
    """(offset, kind, bits) of all channels in `size` bytes. Kinds: "f" floats, "i" integers, "n"
    normalised integers and packed channels, which two roundings may leave one unit apart."""
    if fmt in PACKED:
        return [(o, fmt, 32) for o in range(0, size, 4)]
    m = re.match(r"(?:rgba|bgra|rg|r|d)(8|16|32)(ui|i|f|_snorm|_srgb|)$", fmt)
    bits, suffix = int(m.group(1)), m.group(2)
    kind = {"f": "f", "i": "i", "ui": "i"}.get(suffix, "n")
    return [(o, kind, bits) for o in range(0, size, bits // 8)]


def channels(fmt, bits):
    """The channels of a packed texel."""
    found = []
    for width in PACKED[fmt]:
        found.append(bits & ((1 << width) - 1))
        bits >>= width
    return found
