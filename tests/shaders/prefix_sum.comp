// Work-efficient exclusive scan (Blelloch): up-sweep and down-sweep over shared memory with padded
// indices; conditional stores between barriers.
#version 450
layout(local_size_x = 64) in;

layout(std430, binding = 0) buffer Data { int data[]; };
layout(std430, binding = 1) writeonly buffer Totals { int totals[]; };

const uint kCount = 128u;
shared int tree[kCount + kCount / 32u];

uint slot(uint i) { return i + (i >> 5); }

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint base = gl_WorkGroupID.x * kCount;
  tree[slot(2u * lane)] = data[base + 2u * lane];
  tree[slot(2u * lane + 1u)] = data[base + 2u * lane + 1u];

  uint offset = 1u;
  for (uint pairs = kCount >> 1; pairs > 0u; pairs >>= 1) {
    barrier();
    if (lane < pairs) {
      uint left = offset * (2u * lane + 1u) - 1u;
      uint right = offset * (2u * lane + 2u) - 1u;
      tree[slot(right)] += tree[slot(left)];
    }
    offset <<= 1;
  }
  if (lane == 0u) {
    totals[gl_WorkGroupID.x] = tree[slot(kCount - 1u)];
    tree[slot(kCount - 1u)] = 0;
  }
  for (uint pairs = 1u; pairs < kCount; pairs <<= 1) {
    offset >>= 1;
    barrier();
    if (lane < pairs) {
      uint left = offset * (2u * lane + 1u) - 1u;
      uint right = offset * (2u * lane + 2u) - 1u;
      int moved = tree[slot(left)];
      tree[slot(left)] = tree[slot(right)];
      tree[slot(right)] += moved;
    }
  }
  barrier();
  data[base + 2u * lane] = tree[slot(2u * lane)];
  data[base + 2u * lane + 1u] = tree[slot(2u * lane + 1u)];
}
