// Front and back faces.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = gl_FrontFacing ? vec4(at * 2.0, 0.0, 1.0) : vec4(at.yx * 3.0, 1.0, 0.0);
}
