// Loops whose exit depends on an atomic, at the edges of triangles: an atomic's result is undefined in helper lanes, yet their loops end.
#version 450
layout(location = 0) in vec2 at;
layout(std430, binding = 0) buffer Words { uint words[]; };
layout(location = 0) out vec4 color;

void main() {
  uint mine = 8u + uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * 16u;
  uint rounds = 0u;
  while ((atomicAdd(words[mine], 3u) & 31u) != 0u) ++rounds;
  color = vec4(at * 2.0, float(rounds) * 0.5, 1.0);
}
