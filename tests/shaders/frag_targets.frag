// Several render targets with vectors of different sizes.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 a;
layout(location = 1) out vec2 b;
layout(location = 2) out float c;
layout(location = 3) out vec3 d;

void main() {
  a = value * 2.0;
  b = value.xy + 1.0;
  c = value.z - value.w;
  d = value.wzy * 0.5;
}
