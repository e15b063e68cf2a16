// Attributes and outputs of 16-bit integers.
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
layout(location = 0) in i16vec4 four;
layout(location = 1) in uint16_t one;
layout(location = 0) flat out i16vec2 result;

void main() {
  result = four.xy * int16_t(one) + four.zw;
  gl_Position = vec4(four);
}
