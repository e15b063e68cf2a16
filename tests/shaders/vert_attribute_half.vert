// Attributes and outputs of halfs.
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(location = 0) in f16vec4 four;
layout(location = 1) in float16_t one;
layout(location = 0) out f16vec2 result;

void main() {
  result = four.xy * one + four.zw;
  gl_Position = vec4(four);
}
