// OpTerminateInvocation: stores before it happen, later ones do not.
#version 450
#extension GL_EXT_terminate_invocation : require

layout(location = 0) in vec2 at;
layout(std430, binding = 0) buffer Words { uint words[]; };
layout(location = 0) out vec4 color;

void main() {
  uint at_word = uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * 16u;
  words[at_word] = at_word + 2u;
  if ((at_word % 5u) == 2u) terminateInvocation;
  words[at_word + 300u] = at_word * 7u;
  color = vec4(at * 2.0, 0.0, 1.0);
}
