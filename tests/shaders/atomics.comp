// Every 32-bit atomic, signed and unsigned, on storage buffers and shared memory, with the old
// value used and unused; compare-and-swap in a loop for a float sum.
#version 450
layout(local_size_x = 64) in;

layout(std430, binding = 0) coherent buffer Signed { int least, most, total, mask_i; } si;
layout(std430, binding = 1) coherent buffer Unsigned {
  uint least, most, all, some, odd, ticket, owner;
} un;
layout(std430, binding = 2) readonly buffer Values { int values[]; };
layout(std430, binding = 3) writeonly buffer Order { uint order[]; };
layout(std430, binding = 4) coherent buffer Sum { uint sum_bits; };

shared int group_least;
shared uint group_mask;
shared uint group_count;

void add_float(float x) {
  uint expected = sum_bits;
  for (int tries = 0; tries < 100000; ++tries) {
    uint wanted = floatBitsToUint(uintBitsToFloat(expected) + x);
    uint seen = atomicCompSwap(sum_bits, expected, wanted);
    if (seen == expected) break;
    expected = seen;
  }
}

void main() {
  if (gl_LocalInvocationIndex == 0u) {
    group_least = 0x7fffffff;
    group_mask = 0u;
    group_count = 0u;
  }
  barrier();
  uint i = gl_GlobalInvocationID.x;
  bool present = i < uint(values.length());
  if (present) {
    int v = values[i];
    uint u = uint(v);
    atomicMin(si.least, v);
    atomicMax(si.most, v);
    atomicAdd(si.total, v);
    atomicXor(si.mask_i, v);
    atomicMin(un.least, u);
    atomicMax(un.most, u);
    atomicAnd(un.all, u);
    atomicOr(un.some, u);
    atomicXor(un.odd, u);
    uint ticket = atomicAdd(un.ticket, 1u);
    order[ticket] = i;
    if (v == 42) atomicExchange(un.owner, i);
    atomicMin(group_least, v);
    atomicOr(group_mask, 1u << (u & 31u));
    atomicAdd(group_count, 1u);
  }
  barrier();
  if (gl_LocalInvocationIndex == 0u && group_count > 0u) {
    add_float(float(group_least) + float(bitCount(group_mask)));
  }
}
