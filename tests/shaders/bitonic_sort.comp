// Bitonic sort of one workgroup's keys and payloads: nested loops over powers of two with a barrier
// in the inner one, swaps under a condition.
#version 450
layout(local_size_x = 128) in;

layout(std430, binding = 0) buffer Keys { uint keys[]; };
layout(std430, binding = 1) buffer Payloads { uint payloads[]; };

shared uvec2 items[256];

void compare_and_swap(uint low, uint high, bool ascending) {
  uvec2 a = items[low];
  uvec2 b = items[high];
  if ((a.x > b.x) == ascending) {
    items[low] = b;
    items[high] = a;
  }
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint base = gl_WorkGroupID.x * 256u;
  items[lane] = uvec2(keys[base + lane], payloads[base + lane]);
  items[lane + 128u] = uvec2(keys[base + lane + 128u], payloads[base + lane + 128u]);
  for (uint size = 2u; size <= 256u; size *= 2u) {
    bool ascending = (lane & (size / 2u)) == 0u;
    for (uint stride = size / 2u; stride > 0u; stride /= 2u) {
      barrier();
      uint low = 2u * lane - (lane & (stride - 1u));
      compare_and_swap(low, low + stride, ascending);
    }
  }
  barrier();
  keys[base + lane] = items[lane].x;
  payloads[base + lane] = items[lane].y;
  keys[base + lane + 128u] = items[lane + 128u].x;
  payloads[base + lane + 128u] = items[lane + 128u].y;
}
