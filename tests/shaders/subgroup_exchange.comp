// Values from other lanes: shuffles by computed lanes, exclusive or and distance, quad broadcasts and swaps, a bitonic sort of each group of eight lanes in registers.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Input { uint keys[]; };
layout(std430, binding = 1) writeonly buffer Output { uvec4 results[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint lane = gl_SubgroupInvocationID & 7u;
  uint key = i < uint(keys.length()) ? keys[i] : ~i;
  uint sorted = key;
  for (uint size = 2u; size <= 8u; size <<= 1) {
    for (uint stride = size >> 1; stride > 0u; stride >>= 1) {
      uint other = subgroupShuffleXor(sorted, stride);
      bool ascending = (lane & size) == 0u || size == 8u;
      bool low = (lane & stride) == 0u;
      sorted = low == ascending ? min(sorted, other) : max(sorted, other);
    }
  }
  uint mirrored = subgroupShuffle(key, gl_SubgroupInvocationID ^ 7u);
  uint below = subgroupShuffleUp(key, 1u);
  uint above = subgroupShuffleDown(key, 2u);
  vec2 pair = vec2(float(key & 255u), float(key >> 24));
  vec2 across = subgroupQuadSwapHorizontal(pair) - subgroupQuadSwapVertical(pair);
  uint corner = subgroupQuadBroadcast(key, 3u) + subgroupQuadSwapDiagonal(key);
  uint near = (lane == 0u ? 0u : below) ^ (lane > 5u ? 0u : above);
  results[i] = uvec4(sorted, mirrored, near, corner + uint(int(across.x * 4.0 + across.y)));
}
