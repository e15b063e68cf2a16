// Flat integer inputs of 64 bits, of one location and of two.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(location = 0) flat in uint64_t one;
layout(location = 1) flat in u64vec3 three;
layout(location = 0) out uvec4 color;

void main() {
  uint64_t sum = one * 3ul + three.z;
  color = uvec4(uint(sum), uint(sum >> 32), uint(three.x) + 1u, uint(three.y >> 32));
}
