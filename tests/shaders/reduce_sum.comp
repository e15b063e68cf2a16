// Tree reduction in shared memory: barriers in a loop, one lane writes the result of the workgroup.
#version 450
layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly buffer Input { uint values[]; };
layout(std430, binding = 1) writeonly buffer Output { uint sums[]; };

shared uint partial[128];

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint first = gl_WorkGroupID.x * 256u + lane;
  uint length = uint(values.length());
  uint sum = first < length ? values[first] : 0u;
  if (first + 128u < length) sum += values[first + 128u];
  partial[lane] = sum;
  barrier();
  for (uint stride = 64u; stride > 0u; stride >>= 1) {
    if (lane < stride) partial[lane] += partial[lane + stride];
    barrier();
  }
  if (lane == 0u) sums[gl_WorkGroupID.x] = partial[0];
}
