// A structure with an array as output, copied whole.
#version 450
struct Light { vec3 direction; float distances[2]; };
layout(location = 0) in vec4 value;
layout(location = 1) out Light light;

void main() {
  Light made;
  made.direction = value.xyz - value.w;
  made.distances[0] = length(value.xyz);
  made.distances[1] = value.w * value.w;
  light = made;
  gl_Position = value;
}
