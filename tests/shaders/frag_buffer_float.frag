// Storage buffers of floats read by a computed index and written.
#version 450
layout(location = 0) in vec2 at;
layout(std430, binding = 0) readonly buffer In { float there[]; };
layout(std430, binding = 1) buffer Out { vec4 here[]; };
layout(location = 0) out vec4 color;

void main() {
  uint i = uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * 16u;
  float v = there[(i * 7u) & 63u];
  here[i] = vec4(at, v, 1.0) * 2.0;
  color = vec4(v + 1.0, at, 1.0);
}
