// Radix-2 Stockham FFT of 128 points per workgroup: two halves of shared memory in turn, twiddle
// factors by sin and cos, complex arithmetic on vec2.
#version 450
layout(local_size_x = 64) in;

layout(std430, binding = 0) buffer Signal { vec2 signal[]; };

layout(push_constant) uniform Direction {
  float sign_;
} direction;

shared vec2 points[2][128];

vec2 complex_product(vec2 a, vec2 b) { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint base = gl_WorkGroupID.x * 128u;
  points[0][lane] = signal[base + lane];
  points[0][lane + 64u] = signal[base + lane + 64u];
  uint from = 0u;
  for (uint span = 1u; span < 128u; span <<= 1) {
    barrier();
    uint k = lane & (span - 1u);
    float angle = direction.sign_ * 3.14159265358979 * float(k) / float(span);
    vec2 a = points[from][lane];
    vec2 b = complex_product(points[from][lane + 64u], vec2(cos(angle), sin(angle)));
    uint to = ((lane - k) << 1) + k;
    points[from ^ 1u][to] = a + b;
    points[from ^ 1u][to + span] = a - b;
    from ^= 1u;
  }
  barrier();
  signal[base + lane] = points[from][lane];
  signal[base + lane + 64u] = points[from][lane + 64u];
}
