// Attributes of floats: a scalar and vectors of each length.
#version 450
layout(location = 0) in float one;
layout(location = 1) in vec2 two;
layout(location = 2) in vec3 three;
layout(location = 3) in vec4 four;
layout(location = 0) out vec4 result;

void main() {
  result = four * one + vec4(two, three.xy);
  gl_Position = vec4(three, 1.0);
}
