// More outputs than hardware routes to fragments, at locations with gaps between them.
#version 450
layout(location = 0) in vec4 position;
layout(location = 0) out vec4 near[15];
layout(location = 20) out vec4 a;
layout(location = 22) out vec2 b;
layout(location = 24) flat out vec4 c;

void main() {
  gl_Position = position;
  for (int i = 0; i < 15; ++i) near[i] = position * float(i + 1);
  a = position * 20.0;
  b = position.xy * 22.0;
  c = position * 24.0;
}
