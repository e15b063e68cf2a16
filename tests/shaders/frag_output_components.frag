// Two outputs that share a location by component.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0, component = 0) out vec2 a;
layout(location = 0, component = 2) out vec2 b;

void main() {
  a = value.xy * 2.0;
  b = value.zw + 1.0;
}
