// The number of the viewport that is drawn to, read.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(float(gl_ViewportIndex) * 3.0, at * 2.0, 1.0);
}
