// Longest Collatz chains: do-while and while loops, continue, integer overflow guard, atomic
// maximum.
#version 450
layout(local_size_x = 64) in;

layout(push_constant) uniform Range {
  uint first;
  uint count;
} range;

layout(std430, binding = 0) buffer Best {
  uint longest;
  uint overflowed;
} best;

void main() {
  uint id = gl_GlobalInvocationID.x;
  if (id >= range.count) return;
  uint n = max(range.first + id, 1u);
  uint steps = 0u;
  bool over = false;
  while (n != 1u) {
    ++steps;
    if ((n & 1u) == 0u) {
      do {
        n >>= 1;
      } while ((n & 1u) == 0u && n > 64u);
      continue;
    }
    if (n > 0x55555554u) {
      over = true;
      break;
    }
    n = 3u * n + 1u;
  }
  if (over) {
    atomicAdd(best.overflowed, 1u);
  } else {
    atomicMax(best.longest, steps);
  }
}
