// Every trigonometric and hyperbolic function of GLSL.std.450, radians and degrees included.
#version 450
layout(local_size_x = 32) in;

layout(std430, binding = 0) readonly buffer Angles { vec2 angles[]; };
layout(std430, binding = 1) writeonly buffer Results { vec4 results[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(angles.length())) return;
  vec2 v = angles[i];
  float unit = clamp(v.x, -1.0, 1.0);
  results[i * 4u] = vec4(sin(v.x), cos(v.y), tan(v.x), radians(v.y));
  results[i * 4u + 1u] = vec4(asin(unit), acos(unit), atan(v.x), atan(v.y, v.x));
  results[i * 4u + 2u] = vec4(sinh(v.x), cosh(v.x), tanh(v.x), degrees(v.x));
  results[i * 4u + 3u] = vec4(asinh(v.x), acosh(1.0 + abs(v.x)), atanh(0.99 * unit),
                              sin(v.x + v.y));
}
