// More inputs than hardware routes, at locations with gaps between them.
#version 450
layout(location = 0) in vec4 near[15];
layout(location = 20) in vec4 a;
layout(location = 22) in vec2 b;
layout(location = 24) flat in vec4 c;
layout(location = 0) out vec4 color;

void main() {
  vec4 sum = vec4(0.0);
  for (int i = 0; i < 15; ++i) sum += near[i] * float(i + 1);
  color = sum + a * 20.0 + vec4(b * 22.0, b * 23.0) + c * 24.0;
}
