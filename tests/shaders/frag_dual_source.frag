// Two sources of blending.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0, index = 0) out vec4 color;
layout(location = 0, index = 1) out vec4 factor;

void main() {
  color = value * 2.0;
  factor = value.wzyx + 0.5;
}
