// Demote: lanes continue for the derivatives of others, their stores have no effect.
#version 450
#extension GL_EXT_demote_to_helper_invocation : require

layout(location = 0) in vec2 at;
layout(std430, binding = 0) buffer Words { uint words[]; };
layout(location = 0) out vec4 color;

void main() {
  uint at_word = uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * 16u;
  float bent = at.x * at.y;
  if ((at_word % 3u) == 1u) demote;
  words[at_word] = at_word * 3u;
  color = vec4(dFdxFine(bent), dFdyFine(bent), at);
}
