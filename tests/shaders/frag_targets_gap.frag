// Outputs at locations with a gap between them.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 a;
layout(location = 3) out vec4 b;

void main() {
  a = value * 2.0;
  b = value.wzyx + 1.0;
}
