// Outputs of integers, signed and not.
#version 450
layout(location = 0) in ivec4 value;
layout(location = 0) flat out ivec2 signed_result;
layout(location = 1) flat out uvec3 unsigned_result;

void main() {
  signed_result = value.xy - value.zw;
  unsigned_result = uvec3(value.xyz) >> 3;
  gl_Position = vec4(value);
}
