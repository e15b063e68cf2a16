// Inputs of halves, interpolated with perspective and without, and flat.
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(location = 0) in f16vec4 smooth_value;
layout(location = 1) noperspective in f16vec2 linear_value;
layout(location = 2) flat in float16_t flat_value;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(smooth_value) * 2.0 + vec4(linear_value, linear_value) + float(flat_value);
}
