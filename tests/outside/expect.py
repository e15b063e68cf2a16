"""Judges the expectations of a test."""

import math

import numpy as np

from formats import Unsupported, decode, pack_one, unpack_one
from amberscript import number

OPERATIONS = {'EQ', 'NE', 'LT', 'LE', 'GT', 'GE'}


class Judge:
    def __init__(self):
        self.checks, self.fails = 0, []

    def fail(self, line, text):
        self.fails.append('line %s: %s' % (line, text))

    def expect(self, script, t, line):
        """EXPECT of AmberScript: `t` are its words."""
        self.checks += 1
        buffer = script.buffers[t[0]]
        if t[1] in ('EQ_BUFFER', 'RMSE_BUFFER', 'EQ_HISTOGRAM_EMD_BUFFER'):
            return self.buffers(buffer, script.buffers[t[2]], t, line)
        if t[1] != 'IDX':
            raise Unsupported('EXPECT ' + t[1])
        if 'SIZE' in t[:5]:
            count = 4 if t[7] == 'EQ_RGBA' else 3
            want = [float(v) / 255 for v in t[8:8 + count]]
            rest = t[8 + count:]
            tolerance = rest[1:] if rest[:1] == ['TOLERANCE'] else []
            return self.probe(buffer, [int(v) for v in (t[2], t[3], t[5], t[6])], want, tolerance, line)
        i, tolerance = 3, []
        operation = t[3]
        if operation == 'TOLERANCE':
            i, operation = 4, 'FUZZY'
            while t[i] not in OPERATIONS:
                tolerance.append(t[i])
                i += 1
        return self.values(buffer, int(t[2]), buffer.fmt, operation, [number(v) for v in t[i + 1:]], tolerance, line)

    def buffers(self, a, b, t, line):
        if a.samples > 1 or b.samples > 1:
            raise Unsupported('comparison of multisampled buffers')
        x, y = visible(a, b)
        if t[1] == 'EQ_BUFFER':
            if x == y:
                return None
            n = min(len(x), len(y))
            differ = np.nonzero(np.frombuffer(x[:n], np.uint8) != np.frombuffer(y[:n], np.uint8))[0]
            at = int(differ[0]) // 4 * 4 if len(differ) else n
            return self.fail(line, '%s differs from %s: %d bytes, first at %d: %s for %s' % (
                t[0], t[2], len(differ), at, x[at:at + 16].hex(), y[at:at + 16].hex()))
        tolerance = float(t[4])
        if t[1] == 'RMSE_BUFFER':
            error = rmse(a.fmt, x, y)
            return self.fail(line, 'RMSE %g > %g' % (error, tolerance)) if error > tolerance else None
        distance = histogram_distance(x, y)
        return self.fail(line, 'EMD %g > %g' % (distance, tolerance)) if distance > tolerance else None

    def probe(self, buffer, rect, want, tolerance, line):
        """Compares a rectangle of pixels with a colour of components 0 to 1."""
        if buffer.samples > 1:
            raise Unsupported('probe of a multisampled buffer')
        f = buffer.fmt
        _, width, height, _ = buffer.level(0)
        x, y, w, h = [int(v) for v in rect]
        if width is None:
            raise Unsupported('probe of a buffer without size')
        if x + w > width or y + h > height:
            return self.fail(line, 'probe outside of the target')
        pixels = np.frombuffer(bytes(buffer.data)[:width * height * f.size], np.uint8).reshape(height, width, f.size)
        channels = decode(f, np.ascontiguousarray(pixels[y:y + h, x:x + w].reshape(-1, f.size)).tobytes())
        limits = [(float(v.rstrip('%')), v.endswith('%')) for v in tolerance] or [(0.002, False)]
        limits += [limits[0]] * (4 - len(limits))
        bad = np.zeros(w * h, dtype=bool)
        for k, name in enumerate('RGBA'[:len(want)]):
            if name not in channels:
                continue
            limit, percent = limits[k]
            with np.errstate(invalid='ignore'):
                bad |= ~(np.abs(channels[name] - want[k]) <= (limit / 100 * abs(want[k]) if percent else limit))
        if buffer.drawn is not None:
            bad &= buffer.drawn[y:y + h, x:x + w].reshape(-1)
        if not bad.any():
            return None
        k = int(np.nonzero(bad)[0][0])
        got = ['%.5g' % float(channels[n][k]) for n in 'RGBA' if n in channels]
        return self.fail(line, '%d of %d pixels; first (%d,%d): %s for %s' % (
            bad.sum(), w * h, x + k % w, y + k // w, got, ['%.5g' % v for v in want]))

    def values(self, buffer, at, fmt, operation, want, tolerance, line):
        """Compares elements of a buffer from byte `at` on."""
        data = bytes(buffer.data)
        limits = [(float(v.rstrip('%')), v.endswith('%')) for v in tolerance] or [(1e-6, True)]
        i = 0
        while i < len(want):
            for segment in fmt.segs:
                if segment[0] == 'p':
                    at += segment[1]
                    continue
                if i >= len(want):
                    break
                size = segment[2] // 8
                if at + size > len(data):
                    return self.fail(line, 'behind the end of the buffer')
                value = unpack_one(data[at:at + size], segment[1], segment[2])
                wanted = wanted_value(want[i], segment)
                if not holds(operation, value, wanted, segment[1] == 'sfloat', limits[0]):
                    return self.fail(line, '%s at byte %d: %r %s %r' % (buffer.name, at, value, operation, wanted))
                at, i = at + size, i + 1
        return None


def wanted_value(value, segment):
    """An expected number as the buffer's type has it."""
    if segment[1] != 'sfloat':
        return unpack_one(pack_one(value, segment[1], segment[2]), segment[1], segment[2])
    return float(np.float32(value)) if segment[2] == 32 else float(value)


def holds(operation, value, wanted, is_float, limit):
    def near():
        if not is_float and operation in ('EQ', 'NE'):
            return value == wanted
        if value != value or wanted != wanted:
            return (value != value) == (wanted != wanted)
        distance = abs(value - wanted) if value != wanted else 0
        return distance <= (limit[0] / 100 * abs(wanted) if limit[1] else limit[0])
    return {'EQ': near, 'FUZZY': near, 'NE': lambda: not near(), 'LT': lambda: value < wanted,
            'LE': lambda: value <= wanted, 'GT': lambda: value > wanted, 'GE': lambda: value >= wanted}[operation]()


def visible(a, b):
    """The bytes of two buffers, 0 where a sampled draw did not draw."""
    masks = [x.drawn for x in (a, b) if x.drawn is not None]
    if not masks:
        return bytes(a.data), bytes(b.data)
    keep = np.logical_and.reduce(masks)
    out = []
    for x in (a, b):
        texels = np.frombuffer(bytes(x.data), np.uint8).reshape(keep.shape[0], keep.shape[1], -1).copy()
        texels[~keep] = 0
        out.append(texels.tobytes())
    return out


def rmse(fmt, x, y):
    total, count, at = 0.0, 0, 0
    while at + fmt.size <= len(x):
        for segment in fmt.segs:
            if segment[0] == 'p':
                at += segment[1]
                continue
            size = segment[2] // 8
            d = unpack_one(x[at:at + size], segment[1], segment[2]) - unpack_one(y[at:at + size], segment[1], segment[2])
            total, count, at = total + d * d, count + 1, at + size
    return math.sqrt(total / max(count, 1))


def histogram_distance(x, y):
    """The largest of the channels' earth mover's distances between histograms, of 8-bit colours."""
    worst = 0.0
    for c in range(4):
        h = [np.bincount(np.frombuffer(v, np.uint8)[c::4], minlength=256) / (len(v) // 4) for v in (x, y)]
        worst = max(worst, np.abs(np.cumsum(h[0] - h[1])).sum() / 256)
    return worst
