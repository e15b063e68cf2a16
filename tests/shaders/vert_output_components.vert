// Outputs that share a location by their components.
#version 450
layout(location = 0) in vec4 value;
layout(location = 1, component = 0) out vec2 first;
layout(location = 1, component = 2) out float second;
layout(location = 1, component = 3) out float third;

void main() {
  first = value.yx + 1.0;
  second = value.z * 2.0;
  third = value.w - value.x;
  gl_Position = value;
}
