// The size of a point.
#version 450
layout(location = 0) in vec4 position;

void main() {
  gl_Position = position;
  gl_PointSize = 4.0 / (1.0 + position.z * position.z);
}
