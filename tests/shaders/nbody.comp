// All-pairs gravity: tiles of positions in shared memory, inverse square root, vector arithmetic
// that wants fused multiply-add.
#version 450
layout(local_size_x = 64) in;

layout(std140, binding = 0) uniform Step {
  float dt;
  float softening;
  uint count;
} step_;
layout(std430, binding = 1) buffer Positions { vec4 positions[]; };  // w: mass
layout(std430, binding = 2) buffer Velocities { vec4 velocities[]; };

shared vec4 tile[64];

void main() {
  uint i = gl_GlobalInvocationID.x;
  vec4 self = i < step_.count ? positions[i] : vec4(0.0);
  vec3 acceleration = vec3(0.0);
  for (uint first = 0u; first < step_.count; first += 64u) {
    uint other = first + gl_LocalInvocationIndex;
    tile[gl_LocalInvocationIndex] = other < step_.count ? positions[other] : vec4(0.0);
    barrier();
    for (uint j = 0u; j < 64u; ++j) {
      vec3 d = tile[j].xyz - self.xyz;
      float r = inversesqrt(dot(d, d) + step_.softening);
      acceleration += d * (tile[j].w * r * r * r);
    }
    barrier();
  }
  if (i < step_.count) {
    vec3 velocity = velocities[i].xyz + acceleration * step_.dt;
    velocities[i] = vec4(velocity, 0.0);
    positions[i] = vec4(self.xyz + velocity * step_.dt, self.w);
  }
}
