// Monte Carlo integration with an integer generator: long dependence chains, conversions between
// integers and floats, a switch over ranges that have no default.
#version 450
layout(local_size_x = 64) in;

layout(push_constant) uniform Run {
  uint seed;
  uint steps;
} run;

layout(std430, binding = 0) writeonly buffer Estimates { vec4 estimates[]; };

uint next_random(inout uvec2 state) {
  state.x = 36969u * (state.x & 0xffffu) + (state.x >> 16);
  state.y = 18000u * (state.y & 0xffffu) + (state.y >> 16);
  return (state.x << 16) + state.y;
}

float next_unit(inout uvec2 state) { return float(next_random(state) >> 8) * (1.0 / 16777216.0); }

void main() {
  uint i = gl_GlobalInvocationID.x;
  uvec2 state = uvec2(run.seed ^ (i * 0x9e3779b9u), i + 1u) | 1u;
  ivec2 position = ivec2(0);
  float area = 0.0;
  int returns = 0, farthest = 0;
  for (uint s = 0u; s < run.steps; ++s) {
    switch (next_random(state) & 7u) {
      case 0u:
      case 1u:
        position.x++;
        break;
      case 2u:
      case 3u:
        position.x--;
        break;
      case 4u:
        position.y += 2;
      case 5u:
        position.y--;
        break;
      case 6u:
        position.y--;
    }
    if (position == ivec2(0)) ++returns;
    farthest = max(farthest, abs(position.x) + abs(position.y));
    vec2 point = vec2(next_unit(state), next_unit(state));
    area += dot(point, point) < 1.0 ? 4.0 : 0.0;
  }
  estimates[i] = vec4(area / float(max(run.steps, 1u)), float(returns), float(farthest),
                      length(vec2(position)));
}
