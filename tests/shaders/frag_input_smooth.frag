// Smooth inputs of one to four components.
#version 450
layout(location = 0) in float a;
layout(location = 1) in vec2 b;
layout(location = 2) in vec3 c;
layout(location = 3) in vec4 d;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(a + d.x, b.x * d.y, b.y + c.z * d.z, dot(c, d.yzw));
}
