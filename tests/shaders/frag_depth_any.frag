// Depth written as any value.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  gl_FragDepth = fract(abs(at.x) * 0.25) * 0.5;
  color = vec4(at, 0.5, 1.0);
}
