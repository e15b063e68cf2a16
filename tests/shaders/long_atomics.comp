// Atomics of 64 bits on storage buffers: sums, minima and maxima of both signs, bits, exchanges in
// separate elements, a compare-and-swap loop.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require

layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer In { uint keys[]; };
layout(std430, binding = 1) buffer Totals { uint64_t sum; uint64_t low; uint64_t high; int64_t least;
                                            int64_t most; uint64_t bits; uint64_t product; };
layout(std430, binding = 2) buffer Places { uint64_t places[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint64_t key = (uint64_t(keys[i]) << 32) | uint64_t(i * 2654435761u);
  int64_t offset = int64_t(key) - 0x200000000l;
  atomicAdd(sum, key);
  atomicMin(low, key);
  atomicMax(high, key);
  atomicMin(least, offset);
  atomicMax(most, offset);
  atomicOr(bits, 1ul << (keys[i] & 63u));
  uint64_t before = atomicExchange(places[2u * i], key);
  places[2u * i + 1u] = before + atomicCompSwap(places[2u * i], key, key ^ before);
  uint64_t found = product;
  for (uint tries = 0u; tries < 1000u; ++tries) {
    uint64_t expected = found;
    found = atomicCompSwap(product, expected, expected + (key | 1ul) * 3ul);
    if (found == expected) break;
  }
}
