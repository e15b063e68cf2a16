// Integer outputs of 16 bits, with sign and without.
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
layout(location = 0) flat in ivec2 value;
layout(location = 0) out i16vec2 with_sign;
layout(location = 1) out u16vec2 without_sign;

void main() {
  with_sign = i16vec2(value * 3);
  without_sign = u16vec2(value.yx + 40000);
}
