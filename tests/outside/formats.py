"""Formats of AmberScript: number types, structures' elements and image formats, as bytes and as numbers."""

import math
import re
import struct

import numpy as np


class Unsupported(Exception):
    """Something that this command or `kiln run` cannot express."""


class ParseError(Exception):
    """A test that is not understood."""


MODES = {'UNORM': 'unorm', 'SNORM': 'snorm', 'UINT': 'uint', 'SINT': 'sint', 'SFLOAT': 'sfloat',
         'UFLOAT': 'ufloat', 'SRGB': 'srgb', 'USCALED': 'uscaled', 'SSCALED': 'sscaled'}
SCALARS = {'int8': ('sint', 8), 'int16': ('sint', 16), 'int32': ('sint', 32), 'int64': ('sint', 64),
           'uint8': ('uint', 8), 'uint16': ('uint', 16), 'uint32': ('uint', 32), 'uint64': ('uint', 64),
           'float16': ('sfloat', 16), 'float': ('sfloat', 32), 'double': ('sfloat', 64)}
PACK = {('sint', 8): 'b', ('sint', 16): 'h', ('sint', 32): 'i', ('sint', 64): 'q',
        ('uint', 8): 'B', ('uint', 16): 'H', ('uint', 32): 'I', ('uint', 64): 'Q',
        ('sfloat', 16): 'e', ('sfloat', 32): 'f', ('sfloat', 64): 'd'}


class Fmt:
    """segs: ('v', mode, bits) or ('p', bytes), of one element."""

    def __init__(self, name, segs, comps=None, packed=0, align=0, vk=None):
        self.name, self.segs, self.comps, self.packed, self.vk = name, segs, comps, packed, vk
        self.size = sum(s[1] if s[0] == 'p' else s[2] // 8 for s in segs)
        self.values = sum(1 for s in segs if s[0] == 'v')

    def key(self):
        return (tuple(self.segs), tuple(self.comps or ()), self.packed)

    def pack(self, values):
        """Bytes of these values (numbers), padded to whole elements."""
        out = bytearray()
        i, n = 0, len(values)
        while i < n:
            for s in self.segs:
                if s[0] == 'p':
                    out += b'\0' * s[1]
                    continue
                if i >= n:
                    out += b'\0' * (s[2] // 8)
                    continue
                out += pack_one(values[i], s[1], s[2])
                i += 1
        return bytes(out)


def pack_one(v, mode, bits):
    if mode == 'sfloat' and bits == 16 and math.isfinite(float(v)) and abs(float(v)) < 65536:
        h = struct.unpack('<I', struct.pack('<f', float(v)))[0]      # amber truncates, and flushes denormals
        e = (h >> 23) & 255
        e = (e - 112) & 31 if e > 112 else 0
        return struct.pack('<H', (h >> 31) << 15 | e << 10 | ((h & 0x7fffff) >> 13 if e else 0))
    if mode == 'sfloat':
        try:
            return struct.pack('<' + PACK[(mode, bits)], float(v))
        except OverflowError:
            return struct.pack('<' + PACK[(mode, bits)], math.inf if v > 0 else -math.inf)
    return (int(v) & ((1 << bits) - 1)).to_bytes(bits // 8, 'little')


def unpack_one(b, mode, bits):
    if mode == 'sfloat':
        return struct.unpack('<' + PACK[(mode, bits)], b)[0]
    return int.from_bytes(b, 'little', signed=mode in ('sint', 'snorm', 'sscaled'))


def image_format(name):
    m = re.fullmatch(r'(.*?)(?:_PACK(\d+))?', name)
    body, packed = m.group(1), int(m.group(2) or 0)
    parts = body.split('_')
    comps, pending = [], []
    for p in parts:
        if p in MODES:
            for c, b in pending:
                comps.append((c, b, MODES[p]))
            pending = []
        elif re.fullmatch(r'([RGBAXDSE]\d+)+', p):
            pending += [(c, int(b)) for c, b in re.findall(r'([RGBAXDSE])(\d+)', p)]
        else:
            return None
    for c, b in pending:
        comps.append((c, b, 'uint'))
    if not comps:
        return None
    if packed:
        return Fmt(name, [('v', 'uint', packed)], comps, packed, vk=name)
    if any(b % 8 for _, b, _ in comps):
        return None
    base = {'unorm': 'uint', 'snorm': 'sint', 'srgb': 'uint', 'uscaled': 'uint', 'sscaled': 'sint'}
    segs = [('v', base.get(m, m), b) for _, b, m in comps]
    if name == 'D24_UNORM_S8_UINT':
        segs = [('v', 'uint', 32)]
    return Fmt(name, segs, comps, vk=name)


def number_type(name, layout='std430'):
    """int32, vec4<float>, mat2x3<float>, with [] behind."""
    array = name.endswith('[]')
    n = name[:-2] if array else name
    cols, rows = 1, 1
    m = re.fullmatch(r'vec([234])<(\w+)>', n)
    if m:
        rows, n = int(m.group(1)), m.group(2)
    m = re.fullmatch(r'mat([234])x([234])<(\w+)>', n)
    mat = bool(m)
    if m:
        cols, rows, n = int(m.group(1)), int(m.group(2)), m.group(3)
    if n not in SCALARS:
        return None
    mode, bits = SCALARS[n]
    segs = []
    pad = (layout == 'std140' and (mat or array)) or rows == 3
    for _ in range(cols):
        segs += [('v', mode, bits)] * rows
        if pad and rows < 4:
            segs.append(('p', (4 - rows) * bits // 8))
    f = Fmt(name, segs)
    f.scalar, f.rows, f.cols = (mode, bits), rows, cols
    f.align = bits // 8 * (4 if rows == 3 else rows)
    if mat and layout == 'std140' or (array and layout == 'std140'):
        f.align = (f.align + 15) // 16 * 16
    if not mat and not array:
        vk = {('sfloat', 32): 'SFLOAT', ('sint', 32): 'SINT', ('uint', 32): 'UINT', ('sint', 8): 'SINT',
              ('uint', 8): 'UINT', ('sint', 16): 'SINT', ('uint', 16): 'UINT', ('sfloat', 16): 'SFLOAT'}.get((mode, bits))
        if vk:
            f.vk = ''.join('RGBA'[i] + str(bits) for i in range(rows)) + '_' + vk
            f.comps = [('RGBA'[i], bits, mode) for i in range(rows)]
    return f



def small_float(x, exp, man):
    e, m = (x >> man) & ((1 << exp) - 1), x & ((1 << man) - 1)
    v = np.where(e == 0, m / (1 << man) * 2.0 ** (1 - (2 ** (exp - 1) - 1)),
                 (1 + m / (1 << man)) * 2.0 ** (e.astype(float) - (2 ** (exp - 1) - 1)))
    return np.where(e == (1 << exp) - 1, np.where(m == 0, np.inf, np.nan), v)


def to_linear(v):
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def to_srgb(v):
    return np.where(v <= 0.0031308, v * 12.92, 1.055 * np.maximum(v, 0) ** (1 / 2.4) - 0.055)


def raw_components(fmt, data):
    """name -> (values as integers or floats, bits, mode)"""
    out = {}
    if fmt.packed:
        x = np.frombuffer(data, dtype='<u%d' % (fmt.packed // 8)).astype(np.uint64)
        at = fmt.packed
        for c, b, m in fmt.comps:
            at -= b
            out[c] = ((x >> np.uint64(at)) & np.uint64((1 << b) - 1), b, m)
        return out
    if fmt.name == 'D24_UNORM_S8_UINT':
        raise Unsupported('pixels of ' + fmt.name)
    fields, names = [], []
    for c, b, m in fmt.comps:
        k = 'f' if m in ('sfloat', 'ufloat') else 'i' if m in ('sint', 'snorm', 'sscaled') else 'u'
        fields.append((c, '<%s%d' % (k, b // 8)))
        names.append((c, b, m))
    pad = sum(s[1] for s in fmt.segs if s[0] == 'p')
    if pad:
        fields.append(('pad', 'V%d' % pad))
    a = np.frombuffer(data, dtype=np.dtype(fields))
    for c, b, m in names:
        out[c] = (a[c], b, m)
    return out


def decode(fmt, data):
    """As the verifier sees it: name -> float array (normalised where the format is)."""
    out = {}
    for c, (v, b, m) in raw_components(fmt, data).items():
        if m == 'unorm':
            v = v.astype(float) / ((1 << b) - 1)
        elif m == 'snorm':
            v = v.astype(float) / ((1 << (b - 1)) - 1)
        elif m == 'srgb':
            v = v.astype(float) / ((1 << b) - 1)
            v = to_linear(v) if c != 'A' else v
        elif m == 'ufloat':
            v = small_float(v, 5, b - 5)
        elif m == 'sint' and fmt.packed:
            v = np.where(v >> np.uint64(b - 1), v.astype(float) - (1 << b), v.astype(float))
        else:
            v = v.astype(float)
        out[c] = v
    return out


def encode(fmt, rgba):
    """Bytes of float pixels (n, 4)."""
    if fmt.packed:
        x = np.zeros(len(rgba), dtype=np.uint64)
        at = fmt.packed
        for c, b, m in fmt.comps:
            at -= b
            v = rgba[:, 'RGBA'.index(c)] if c in 'RGBA' else np.zeros(len(rgba))
            if m == 'unorm':
                q = np.floor(np.clip(v, 0, 1) * ((1 << b) - 1) + 0.5).astype(np.uint64)
            elif m == 'snorm':
                q = (np.rint(np.clip(v, -1, 1) * ((1 << (b - 1)) - 1)).astype(np.int64) & ((1 << b) - 1)).astype(np.uint64)
            elif m == 'ufloat':
                h = np.clip(v, 0, 65024).astype(np.float16).view(np.uint16).astype(np.uint64)
                q = h >> np.uint64(15 - b)
            else:
                raise Unsupported('clear value of ' + fmt.name)
            x |= (q & np.uint64((1 << b) - 1)) << np.uint64(at)
        return x.astype('<u%d' % (fmt.packed // 8)).tobytes()
    cols = []
    for c, b, m in fmt.comps:
        v = rgba[:, 'RGBA'.index(c)] if c in 'RGBA' else np.zeros(len(rgba))
        if m == 'unorm':
            q = np.floor(np.clip(np.nan_to_num(v), 0, 1) * ((1 << b) - 1) + 0.5).astype('<u%d' % (b // 8))
        elif m == 'snorm':
            q = np.rint(np.clip(np.nan_to_num(v), -1, 1) * ((1 << (b - 1)) - 1)).astype('<i%d' % (b // 8))
        elif m == 'srgb':
            v = np.clip(np.nan_to_num(v), 0, 1)
            v = to_srgb(v) if c != 'A' else v
            q = np.floor(v * ((1 << b) - 1) + 0.5).astype('<u%d' % (b // 8))
        elif m == 'sfloat':
            q = v.astype('<f%d' % (b // 8))
        elif m in ('uint', 'sint'):
            lo, hi = (0, (1 << b) - 1) if m == 'uint' else (-(1 << (b - 1)), (1 << (b - 1)) - 1)
            q = np.clip(v, lo, hi).astype('<i8').astype('<%s%d' % ({'u': 'u', 's': 'i'}[m[0]], b // 8))
        else:
            raise Unsupported('clear value of ' + fmt.name)
        cols.append(np.ascontiguousarray(q).view(np.uint8).reshape(len(rgba), b // 8))
    return np.concatenate(cols, axis=1).tobytes()


# Names of Vulkan's formats in jobs, except those that TEXEL_RULES make.
TEXEL = {'A2B10G10R10_UNORM_PACK32': 'rgb10a2', 'A2B10G10R10_UINT_PACK32': 'rgb10a2ui',
         'A2B10G10R10_SNORM_PACK32': 'rgb10a2_snorm', 'A2B10G10R10_SINT_PACK32': 'rgb10a2i',
         'A2R10G10B10_UNORM_PACK32': 'bgr10a2', 'A2R10G10B10_UINT_PACK32': 'bgr10a2ui',
         'A2R10G10B10_SNORM_PACK32': 'bgr10a2_snorm', 'A2R10G10B10_SINT_PACK32': 'bgr10a2i',
         'B10G11R11_UFLOAT_PACK32': 'r11g11b10f', 'R4G4_UNORM_PACK8': 'r4g4', 'R4G4B4A4_UNORM_PACK16': 'r4g4b4a4',
         'B4G4R4A4_UNORM_PACK16': 'b4g4r4a4', 'R5G6B5_UNORM_PACK16': 'r5g6b5', 'B5G6R5_UNORM_PACK16': 'b5g6r5',
         'R5G5B5A1_UNORM_PACK16': 'r5g5b5a1', 'B5G5R5A1_UNORM_PACK16': 'b5g5r5a1', 'A1R5G5B5_UNORM_PACK16': 'a1r5g5b5',
         'D16_UNORM': 'd16', 'D32_SFLOAT': 'd32f', 'X8_D24_UNORM_PACK32': 'd24', 'D24_UNORM_S8_UINT': 'd24',
         'D32_SFLOAT_S8_UINT': 'd32f', 'D16_UNORM_S8_UINT': 'd16', 'S8_UINT': 'r8ui'}
SUFFIX = {'UNORM': '', 'SNORM': '_snorm', 'UINT': 'ui', 'SINT': 'i', 'SFLOAT': 'f', 'SRGB': '_srgb'}


def _texel_rules():
    """Adds the formats of equal components: R16G16_SFLOAT is rg16f, B8G8R8A8_UNORM bgra8."""
    for letters in ('R', 'RG', 'RGB', 'RGBA', 'BGR', 'BGRA'):
        for bits in (8, 16, 32):
            for mode, suffix in SUFFIX.items():
                if (bits == 8 and mode == 'SFLOAT') or bits > 8 and (mode == 'SRGB' or letters[0] == 'B'):
                    continue
                if bits == 32 and mode.endswith('NORM'):
                    continue
                name = ''.join(c + str(bits) for c in letters) + '_' + mode
                TEXEL[name] = letters.lower() + str(bits) + suffix
    for mode, suffix in SUFFIX.items():
        if mode not in ('SFLOAT',):
            TEXEL['A8B8G8R8_%s_PACK32' % mode] = 'rgba8' + suffix


_texel_rules()
