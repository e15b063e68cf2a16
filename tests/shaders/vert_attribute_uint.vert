// Attributes of unsigned integers: shifts and masks on scalars and vectors.
#version 450
layout(location = 0) in uint one;
layout(location = 1) in uvec2 two;
layout(location = 2) in uvec3 three;
layout(location = 3) in uvec4 four;
layout(location = 0) flat out uvec4 result;

void main() {
  result = (four >> (one & 7u)) ^ uvec4(two, three.zx);
  gl_Position = vec4(three & 15u, 1.0);
}
