// Attributes of signed integers: arithmetic on scalars and vectors.
#version 450
layout(location = 0) in int one;
layout(location = 1) in ivec2 two;
layout(location = 2) in ivec3 three;
layout(location = 3) in ivec4 four;
layout(location = 0) flat out ivec4 result;

void main() {
  result = four * one - ivec4(two, three.zx) / 3;
  gl_Position = vec4(three, 1.0);
}
