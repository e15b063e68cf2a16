"""Reads the PNG files that Chromium writes: eight bits a channel, not interlaced."""

import struct
import zlib

CHANNELS = {2: 3, 6: 4}   # of colour types


def undo_filter(kind, line, above, step):
    """Replaces the bytes of a line by those before filtering."""
    for i in range(len(line)):
        left = line[i - step] if i >= step else 0
        up = above[i]
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            line[i] = line[i] + left & 255
        elif kind == 2:
            line[i] = line[i] + up & 255
        elif kind == 3:
            line[i] = line[i] + (left + up) // 2 & 255
        elif kind == 4:
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda other: abs(guess - other))
            line[i] = line[i] + nearest & 255


def read(path):
    """Returns (width, height, {(red, green, blue): pixels})."""
    with open(path, 'rb') as file:
        data = file.read()
    if data[:8] != b'\x89PNG\r\n\x1a\n':
        raise ValueError('no PNG: ' + path)
    at, packed, head = 8, b'', None
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b'IHDR':
            head = struct.unpack('>IIBBBBB', body)
        if kind == b'IDAT':
            packed += body
        at += 12 + length
    width, height, depth, colour, _, _, interlace = head
    if depth != 8 or interlace or colour not in CHANNELS:
        raise ValueError('another kind of PNG: ' + path)
    step = CHANNELS[colour]
    rows, above, counts = zlib.decompress(packed), bytearray(width * step), {}
    for y in range(height):
        start = y * (width * step + 1)
        line = bytearray(rows[start + 1:start + 1 + width * step])
        undo_filter(rows[start], line, above, step)
        for x in range(0, len(line), step):
            pixel = tuple(line[x:x + 3])
            counts[pixel] = counts.get(pixel, 0) + 1
        above = line
    return width, height, counts
