// Sixty-four accumulators live through a loop: more than the register file holds at wide dispatch
// widths, so widths must be refused or values spilled.
#version 450
layout(local_size_x = 32) in;

layout(push_constant) uniform Size {
  uint depth;
  uint stride;
} size;

layout(std430, binding = 0) readonly buffer A { vec4 a[]; };
layout(std430, binding = 1) readonly buffer B { vec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { vec4 c[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  vec4 sum[16];
  for (int k = 0; k < 16; ++k) sum[k] = vec4(0.0);
  for (uint d = 0u; d < size.depth; ++d) {
    vec4 a0 = a[d * size.stride + 2u * i], a1 = a[d * size.stride + 2u * i + 1u];
    vec4 b0 = b[d * 2u], b1 = b[d * 2u + 1u];
    for (int r = 0; r < 4; ++r) {
      sum[r] += a0[r] * b0;
      sum[r + 4] += a0[r] * b1;
      sum[r + 8] += a1[r] * b0;
      sum[r + 12] += a1[r] * b1;
    }
  }
  for (int k = 0; k < 16; ++k) c[i * 16u + uint(k)] = sum[k];
}
