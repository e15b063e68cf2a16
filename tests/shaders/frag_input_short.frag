// Flat integer inputs of 16 bits, with sign and without.
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
layout(location = 0) flat in i16vec2 with_sign;
layout(location = 1) flat in u16vec2 without_sign;
layout(location = 0) out ivec4 color;

void main() {
  color = ivec4(ivec2(with_sign) * 3, ivec2(without_sign) + 5);
}
