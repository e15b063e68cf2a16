// Two render targets, of which the first one's alpha may become coverage of both.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 second;

void main() {
  color = vec4(value.xyz * 2.0, value.w);
  second = value * 0.5;
}
