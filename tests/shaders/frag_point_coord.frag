// Point coord: of points only.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(gl_PointCoord * 2.0, at);
}
