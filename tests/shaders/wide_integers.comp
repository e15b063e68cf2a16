// Integers of 64 bits: products, division, shifts across the halves, comparisons, bit functions by
// halves, a loop with a 64-bit counter, conversions to and from floats.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer In { uvec2 numbers[]; };
layout(std430, binding = 1) buffer Out { uint64_t hashes[]; };
layout(std430, binding = 2) buffer Floats { float floats[]; };

uint64_t rotate(uint64_t x, uint n) { return (x << n) | (x >> (64u - n)); }

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint64_t x = packUint2x32(numbers[2u * i]);
  uint64_t y = packUint2x32(numbers[2u * i + 1u]) | 1ul;
  uint64_t h = 0x9e3779b97f4a7c15ul ^ x;
  for (uint64_t k = 0ul; k < 4ul; ++k) h = rotate(h * 0xbf58476d1ce4e5b9ul, 27u + uint(k)) + y;
  uint64_t quotient = x / y;
  uint64_t rest = x % y;
  int64_t difference = int64_t(x) - int64_t(y);
  h ^= quotient + rotate(rest, 13u);
  if (difference < 0l) h += uint64_t(-difference) >> 5;
  uvec2 halves = unpackUint2x32(h);
  hashes[i] = h + uint64_t(findMSB(halves.y)) + uint64_t(bitCount(halves.x));
  floats[i] = float(difference >> 20) + float(uint64_t(float(halves.x & 0xffffu) * 2.5));
}
