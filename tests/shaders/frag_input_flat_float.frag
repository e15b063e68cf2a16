// Flat floats beside smooth ones of the same values.
#version 450
layout(location = 0) flat in vec3 a;
layout(location = 1) in vec3 b;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(a * 2.0 - b, a.x + b.y);
}
