// Stores and atomics before and after a discard: discarded fragments perform only the former.
#version 450
layout(location = 0) in vec2 at;
layout(std430, binding = 0) buffer Words { uint words[]; };
layout(location = 0) out vec4 color;

void main() {
  uint at_word = uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * 16u;
  words[at_word] = at_word + 1u;
  atomicAdd(words[600], 1u);
  if ((at_word & 3u) == 1u) discard;
  words[at_word + 300u] = at_word * 5u;
  atomicAdd(words[601], 1u);
  color = vec4(at * 2.0, 0.0, 1.0);
}
