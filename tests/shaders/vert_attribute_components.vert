// Attributes that share a location by their components.
#version 450
layout(location = 0) in vec2 first;
layout(location = 0, component = 2) in float second;
layout(location = 0, component = 3) in float third;
layout(location = 0) out vec4 result;

void main() {
  result = vec4(third, second, first.yx);
  gl_Position = vec4(first * second, third, 1.0);
}
