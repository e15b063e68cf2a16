// Atomics at the edges of triangles: helper lanes count nothing.
#version 450
layout(location = 0) in vec2 at;
layout(std430, binding = 0) buffer Counts { uint counts[64]; };
layout(location = 0) out vec4 color;

void main() {
  atomicAdd(counts[0], 1u);
  atomicAdd(counts[1 + (uint(gl_FragCoord.x) & 1u)], uint(gl_FragCoord.y) + 1u);
  color = vec4(at * 2.0, dFdx(at.x), dFdy(at.y));
}
