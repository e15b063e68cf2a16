// Stencil values without a colour (StencilRefReplacing), of fragments that are not discarded.
#version 450
#extension GL_ARB_shader_stencil_export : require
layout(location = 0) in vec2 at;
layout(std430, binding = 0) readonly buffer Steps { int step[]; };

void main() {
  gl_FragStencilRefARB = int(gl_FragCoord.x) * step[uint(gl_FragCoord.y) & 7u] + 5;
  if (at.x * 1.5 > 13.0) discard;
}
