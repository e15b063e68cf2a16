// Reductions and scans over subgroups: each operator, integers, floats and booleans, clusters, in a branch that lanes take by data and in a loop that they leave one after another.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 32) in;

layout(std430, binding = 0) readonly buffer Input { uint values[]; };
layout(std430, binding = 1) writeonly buffer Output { uvec4 results[]; };

// The same for every subgroup size: clusters of four lie in one subgroup.
uvec4 Clusters(uint x) {
  float f = float(x % 16u);
  uvec4 r;
  r.x = subgroupClusteredAdd(x, 4u) ^ subgroupClusteredMul(x | 1u, 4u);
  r.y = subgroupClusteredMin(int(x) - 500, 4u) + subgroupClusteredMax(x, 4u);
  r.z = subgroupClusteredAnd(x | 0xf0u, 4u) + subgroupClusteredOr(x, 2u) + subgroupClusteredXor(x, 4u);
  r.w = uint(subgroupClusteredAdd(f, 4u) + subgroupClusteredMax(f, 4u) * 100.0);
  return r;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint x = i < uint(values.length()) ? values[i] % 1000u : i;
  uvec4 result = Clusters(x);
  // A sum over all lanes that differs with the size, made equal by what it is compared with.
  uint inclusive = subgroupInclusiveAdd(x);
  if (inclusive != subgroupExclusiveAdd(x) + x) result.x = 0u;
  if (subgroupMax(inclusive) != subgroupAdd(x)) result.y = 0u;
  if ((x & 4u) != 0u) {
    uint rank = subgroupExclusiveAdd(1u);
    uint total = subgroupAdd(1u);
    result.z += rank < total ? 1u : 1000000u;
    result.w ^= subgroupMin(rank);
  } else {
    result.z += subgroupOr(x > 2000u) ? 1000000u : 7u;
  }
  uint rounds = 0u;
  for (uint left = x % 5u;; --left) {
    rounds += subgroupMul(1u) + subgroupMax(1u);
    if (left == 0u) break;
  }
  result.w += rounds;
  results[i] = result;
}
