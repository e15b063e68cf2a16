// HelperInvocation read before and after a demote; its value reaches neighbours by derivatives.
#version 450
#extension GL_EXT_demote_to_helper_invocation : require

layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  float before = helperInvocationEXT() ? 1.0 : 0.0;
  if ((uint(gl_FragCoord.x) & 1u) == 1u) demote;
  float after = helperInvocationEXT() ? 1.0 : 0.0;
  color = vec4(at * 2.0, abs(dFdxFine(after)), abs(dFdxFine(before)));
}
