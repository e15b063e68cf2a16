// Integers of 8 and 16 bits: storage, sign extension, arithmetic that wraps, comparisons, shifts,
// packing of bytes, arrays of bytes.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require

layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer Bytes { int8_t bytes[]; };
layout(std430, binding = 1) readonly buffer Words { uint16_t words[]; };
layout(std430, binding = 2) buffer Packed { uint packed_[]; };
layout(std430, binding = 3) buffer Results { int16_t results[]; };

int8_t step_of(int8_t code) {
  const int8_t kSteps[4] = int8_t[4](int8_t(1), int8_t(-2), int8_t(100), int8_t(-128));
  return kSteps[uint(code) & 3u];
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  i8vec4 b = i8vec4(bytes[4u * i], bytes[4u * i + 1u], bytes[4u * i + 2u], bytes[4u * i + 3u]);
  uint16_t w = words[i];
  int8_t wrapped = b.x * b.y + step_of(b.z);
  u8vec4 rotated = u8vec4(b.wxyz) + uint8_t(w);
  packed_[i] = pack32(rotated);
  int16_t difference = int16_t(w) - int16_t(b.w) * int16_t(7);
  int16_t shifted = difference >> uint16_t(3);
  uint16_t logical = w >> uint16_t(b.x & int8_t(15));
  results[2u * i] = b.x < b.y ? shifted : int16_t(logical);
  results[2u * i + 1u] = int16_t(wrapped) / (int16_t(b.z) | int16_t(1)) + int16_t(max(b.x, b.y));
}
