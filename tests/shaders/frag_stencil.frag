// Stencil values of fragments (StencilRefReplacing).
#version 450
#extension GL_ARB_shader_stencil_export : require
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  gl_FragStencilRefARB = int(gl_FragCoord.x) * 3 + int(gl_FragCoord.y) * 16;
  color = vec4(at * 2.0, 0.5, 1.0);
}
