"""Tests floats of 64 bits on gfx1030 by a judge that shares nothing with Kiln: Python. Sums, products, quotients,
square roots and fused multiply-adds of exact fractions, rounded once (IEEE 754), must be what compiler and simulator
give, bit by bit, at both wave sizes; so must rounding functions, comparisons and conversions.

    doubles_test.py KILNC RDNA2_RUN

lavapipe's results are held to the same bits by sim_interp.py --declaring 10 --ulp 0 (README.md)."""

import fractions
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest

COUNT = 256
SMALLEST = 2.0 ** -1074

SHADER = """#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { double in_[]; };
layout(set = 0, binding = 1) buffer Out { %s out_[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  double a = in_[3 * i], b = in_[3 * i + 1], c = in_[3 * i + 2];
  %s result = %s;
  out_[i] = result;
}
"""


def rounded(x):
    """Returns the double nearest to a fraction, ties to even; beyond the largest one infinity."""
    try:
        return float(x)     # correctly rounded, subnormals too
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def exactly(operation):
    """Returns an operation on doubles by one on fractions. The rules of IEEE 754 for infinities, NaN and the signs of
    zeros are left to the hardware's addition and multiplication, by `like`."""
    def apply(like, *operands):
        if not all(math.isfinite(x) for x in operands):
            return like()
        result = operation(*map(fractions.Fraction, operands))
        return like() if result == 0 else rounded(result)
    return apply


def quotient(a, b):
    if b == 0 or not math.isfinite(a) or not math.isfinite(b):
        if math.isnan(a) or math.isnan(b) or (a == 0 and b == 0) or (math.isinf(a) and math.isinf(b)):
            return math.nan
        sign = math.copysign(1.0, a) * math.copysign(1.0, b)
        return math.copysign(0.0 if math.isinf(b) else math.inf, sign)
    if a == 0:
        return math.copysign(0.0, math.copysign(1.0, a) * math.copysign(1.0, b))
    result = rounded(fractions.Fraction(a) / fractions.Fraction(b))
    return math.copysign(result, math.copysign(1.0, a) * math.copysign(1.0, b))


def root(a):
    """By integers: the nearest double to a square root is found from its square."""
    if a == 0 or math.isnan(a) or a == math.inf:
        return a
    if a < 0:
        return math.nan
    numerator, denominator = a.as_integer_ratio()
    shift = max(0, 140 - numerator.bit_length() + denominator.bit_length()) // 2 * 2
    scaled = (numerator << shift) // denominator    # the denominator is a power of two; exact, or far below a bit
    exact = (numerator << shift) % denominator == 0
    whole = math.isqrt(scaled)
    sticky = 0 if exact and whole * whole == scaled else 1
    return rounded(fractions.Fraction(2 * whole + sticky, 2) / 2 ** (shift // 2))


def to_even(a):
    return math.copysign(float(round(a)), a) if math.isfinite(a) else a


def whole(function):
    return lambda a, b, c: math.copysign(float(function(a)), a) if math.isfinite(a) else a


def integer(low, high):
    """Conversion to an integer; beyond its range GLSL leaves the result open: None."""
    return lambda a, b, c: int(a) if math.isfinite(a) and low <= int(a) <= high else None


ADD = exactly(lambda a, b: a + b)
MULTIPLY = exactly(lambda a, b: a * b)
FMA = exactly(lambda a, b, c: a * b + c)


def summed(a, b):
    return ADD(lambda: a + b, a, b)


def fused(a, b, c):
    product = MULTIPLY(lambda: a * b, a, b)
    zeros = math.copysign(0.0, math.copysign(1.0, a) * math.copysign(1.0, b))
    like = (lambda: product + c) if not all(map(math.isfinite, (a, b, c))) else (lambda: zeros + c)
    exact_zero = all(map(math.isfinite, (a, b, c))) and a != 0 and b != 0
    return FMA((lambda: 0.0) if exact_zero else like, a, b, c)


# (type of the result, expression, what Python says it is)
CASES = [
    ("double", "a + b", lambda a, b, c: summed(a, b)),
    ("double", "a - b", lambda a, b, c: summed(a, -b)),
    ("double", "a * b", lambda a, b, c: MULTIPLY(lambda: a * b, a, b)),
    ("double", "a / b", lambda a, b, c: quotient(a, b)),
    ("double", "sqrt(a)", lambda a, b, c: root(a)),
    ("double", "fma(a, b, c)", fused),
    # Otherwise the compiler may contract it to a fused one.
    ("precise double", "a * b + c", lambda a, b, c: summed(MULTIPLY(lambda: a * b, a, b), c)),
    ("double", "floor(a)", whole(math.floor)),
    ("double", "ceil(a)", whole(math.ceil)),
    ("double", "trunc(a)", whole(math.trunc)),
    ("double", "roundEven(a)", lambda a, b, c: to_even(a)),
    ("double", "abs(a)", lambda a, b, c: abs(a)),
    ("double", "-a", lambda a, b, c: -a),
    ("double", "double(float(a))", lambda a, b, c: single(a)),
    ("double", "double(int(i) * 65537 - 3000000)", lambda a, b, c, i: float(i * 65537 - 3000000)),
    ("double", "double(uint64_t(i) * 0x123456789abcdefUL)",
     lambda a, b, c, i: float((i * 0x123456789abcdef) % 2 ** 64)),
    ("int", "int(a)", integer(-2 ** 31, 2 ** 31 - 1)),
    ("int64_t", "int64_t(a)", integer(-2 ** 63, 2 ** 63 - 1)),
    ("uint", "uint((a < b ? 1 : 0) + (a <= b ? 2 : 0) + (a == b ? 4 : 0) + (a != b ? 8 : 0) + (a > b ? 16 : 0) + "
             "(a >= b ? 32 : 0))",
     lambda a, b, c: (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b)),
]
CODES = {"double": "d", "precise double": "d", "int": "i", "uint": "I", "int64_t": "q"}


def single(a):
    """Rounds to a float of 32 bits, whose subnormals gfx1030 flushes as the dispatch says: None for these."""
    if not math.isfinite(a):
        return a
    try:
        x = struct.unpack("<f", struct.pack("<f", a))[0]
    except OverflowError:
        return math.copysign(math.inf, a)
    return x if x == 0 == a or abs(x) > 2.0 ** -126 else None


def numbers(count):
    """Returns doubles of all kinds."""
    r = random.Random(64)
    special = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 2.0 ** 52, 2.0 ** 53 - 1, 2.0 ** 31, -2.0 ** 31, math.inf,
               -math.inf, math.nan, SMALLEST, -SMALLEST, 2.0 ** -1022, 2.0 ** -1022 - SMALLEST,
               sys.float_info.max, -sys.float_info.max, math.nextafter(1.0, 2.0), math.nextafter(1.0, 0.0)]
    draw = [lambda: r.choice(special), lambda: r.uniform(-1000, 1000), lambda: float(r.randrange(-50, 50)),
            lambda: math.ldexp(r.uniform(-2, 2), r.randrange(-1074, 1023)),
            lambda: struct.unpack("<d", struct.pack("<Q", r.getrandbits(64)))[0]]
    return [r.choice(draw)() for _ in range(count)]


class DoublesTest(unittest.TestCase):
    kilnc = rdna2_run = None

    def results(self, folder, element, expression, data):
        """Returns the elements that each wave size gives, by size."""
        source, module, job = (os.path.join(folder, n) for n in ("k.comp", "k.spv", "k.json"))
        with open(source, "w") as f:
            f.write(SHADER % (element.split()[-1], element, expression))
        subprocess.run(["glslangValidator", "-V", "--target-env", "vulkan1.2", "-o", module, source], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([self.kilnc, "--target=gfx1030", "--widths=32,64", "-o", folder, module], check=True,
                       stdout=subprocess.DEVNULL)
        code = CODES[element]
        with open(job, "w") as f:
            json.dump({"shader": module, "dispatch": [COUNT // 64, 1, 1], "resources": [
                {"set": 0, "binding": 0, "data": {"hex": data.hex()}},
                {"set": 0, "binding": 1, "size": COUNT * struct.calcsize(code), "as": "u32"}]}, f)
        found = {}
        for lanes in (32, 64):
            stem = "%s.wave%d" % (module, lanes)
            p = subprocess.run([self.rdna2_run, stem + ".bin", stem + ".launch.json", job], check=True,
                               stdout=subprocess.PIPE)
            result = json.loads(p.stdout)
            self.assertTrue(result["ok"], result)
            out = [o for o in result["outputs"] if o.get("binding") == 1][0]
            found[lanes] = struct.unpack("<%d%s" % (COUNT, code), bytes.fromhex(out["hex"]))
        return found

    def test_python_agrees_bit_by_bit(self):
        values = numbers(3 * COUNT)
        data = struct.pack("<%dd" % len(values), *values)
        for element, expression, function in CASES:
            compared = 0
            with self.subTest(expression), tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
                for lanes, got in self.results(folder, element, expression, data).items():
                    for i in range(COUNT):
                        operands = values[3 * i:3 * i + 3]
                        more = (i,) if function.__code__.co_argcount == 4 else ()
                        want = function(*operands, *more)
                        if want is None:
                            continue
                        compared += 1
                        if isinstance(want, float) and math.isnan(want):
                            self.assertTrue(math.isnan(got[i]), (lanes, operands, got[i]))
                        else:
                            self.assertEqual(struct.pack("<" + CODES[element], want),
                                             struct.pack("<" + CODES[element], got[i]),
                                             (lanes, operands, want, got[i]))
                self.assertGreater(compared, COUNT // 2)

    def test_python_rounds_correctly(self):
        """The judge itself: roots and fused sums where their exact values are known."""
        for x in (3.0, 1e-300, 2.0 ** -1074, 1.7e308, 5e-324 * 12345):
            self.assertEqual(root(x), math.sqrt(x))
        self.assertEqual(fused(1 + 2.0 ** -52, 1 + 2.0 ** -52, -1 - 2.0 ** -51), 2.0 ** -104)
        self.assertEqual(math.copysign(1, fused(-1.0, 0.0, 0.0)), 1.0)
        self.assertEqual(quotient(1.0, 3.0), 1.0 / 3.0)
        self.assertEqual(quotient(SMALLEST, 2.0), SMALLEST / 2.0)


if __name__ == "__main__":
    DoublesTest.kilnc, DoublesTest.rdna2_run = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
