// Colours of halves, whole vectors and single components.
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(location = 0) in vec4 value;
layout(location = 0) out f16vec4 color;
layout(location = 1) out float16_t single;

void main() {
  color = f16vec4(value) * float16_t(2.0);
  single = float16_t(value.x + value.y);
}
