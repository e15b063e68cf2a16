// Matrix inputs: columns at locations of their own.
#version 450
layout(location = 0) in mat2 a;
layout(location = 2) in mat3 b;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(a * vec2(1.0, 2.0), (b * vec3(0.5, 1.0, 2.0)).xy + b[2].zx);
}
