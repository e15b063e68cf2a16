// Subgroup operations on bytes, words, 64-bit integers and half floats: reductions of clusters that wrap and that have signs, scans, broadcasts, shuffles, quads and votes, also where only some lanes are active.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
layout(local_size_x = 32) in;

layout(std430, binding = 0) readonly buffer Input { uint values[]; };
layout(std430, binding = 1) writeonly buffer Output { uvec4 results[]; };

// Clusters of four lie in one subgroup of any size.
uint Bytes(uint x) {
  int8_t b = int8_t(x);
  uint r = uint(subgroupClusteredAdd(uint8_t(x), 4u)) + (uint(subgroupClusteredMin(b, 4u)) & 0xffu) * 3u;
  r += uint(subgroupClusteredMax(uint8_t(x), 2u)) * 5u + (uint(subgroupClusteredXor(b, 4u)) & 0xffu) * 7u;
  return r + uint(subgroupQuadBroadcast(uint8_t(x), 2u)) * 11u;
}

uint Words(uint x) {
  int16_t w = int16_t(x * 77u);
  uint r = uint(subgroupClusteredMul(uint16_t(x | 1u), 4u)) + (uint(subgroupClusteredMax(w, 4u)) & 0xffffu);
  r ^= (uint(subgroupQuadSwapDiagonal(w)) & 0xffffu) << 8;
  return r + uint(subgroupShuffleXor(uint16_t(x), 1u)) * 3u;
}

uint Longs(uint x) {
  uint64_t l = (uint64_t(x) << 33) * 0x10001ul + uint64_t(~x);
  uint64_t r = subgroupClusteredAdd(l, 4u) ^ subgroupClusteredMin(l, 4u);
  r += subgroupClusteredMul(l | 1ul, 4u) + subgroupQuadSwapVertical(l);
  r ^= uint64_t(subgroupClusteredMax(int64_t(l) - int64_t(1ul << 50), 2u));
  return uint(r >> 32) ^ uint(r);
}

// Small whole numbers, whose sums are exact.
uint Halfs(uint x) {
  float16_t h = float16_t(x % 64u);
  float16_t r = subgroupClusteredAdd(h, 4u) + subgroupClusteredMax(h, 4u) * float16_t(2);
  return uint(r) + uint(subgroupQuadBroadcast(h, 1u)) * 1000u;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint x = i < uint(values.length()) ? values[i] : i * 2654435761u;
  uvec4 result = uvec4(Bytes(x), Words(x), Longs(x), Halfs(x));
  // The same for every subgroup size, by comparison with each other.
  uint64_t l = (uint64_t(x) << 29) + uint64_t(x % 7u);
  uint64_t inclusive = subgroupInclusiveAdd(l);
  if (inclusive != subgroupExclusiveAdd(l) + l) result.x += 1000000u;
  if (subgroupMax(subgroupInclusiveMax(l)) != subgroupMax(l)) result.y += 1000000u;
  uint16_t ones = subgroupAdd(uint16_t(1));
  if (uint(ones) != gl_SubgroupSize) result.z += 1000000u;
  if ((x & 3u) != 0u) {
    int8_t least = subgroupExclusiveMin(int8_t(x));
    if (subgroupElect() && least != int8_t(127)) result.w += 1000000u;
    uint64_t first = subgroupBroadcastFirst(l);
    if (!subgroupAllEqual(first) || (subgroupElect() && first != l)) result.x ^= 1000000u;
    uint16_t rank = subgroupExclusiveAdd(uint16_t(1));
    result.y += uint(rank) < uint(ones) ? 1u : 2000000u;
  } else {
    result.z += subgroupAllEqual(float16_t(x & 3u)) ? 7u : 3000000u;
  }
  results[i] = result;
}
