// Helper lanes seen by their neighbours: HelperInvocation through a derivative.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  float helps = gl_HelperInvocation ? 1.0 : 0.0;
  color = vec4(at * 2.0, abs(dFdxFine(helps)), abs(dFdyFine(helps)));
}
