// Memory by address in every type: bytes, words, halves, 64-bit integers, vectors, structures and matrices
// behind device addresses, atomics of 32 and 64 bits on them, and addresses that invocations do not share.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 32) in;

struct Item {
  uint8_t kind;
  i8vec3 small;
  int16_t level;
  float16_t weight;
  int64_t total;
  vec3 place;
};
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Items { Item items[256]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Frames {
  mat3x4 frames[64];
  u16vec4 codes[64];
};
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Counters {
  uint narrow[8];
  uint64_t wide[8];
};
layout(push_constant) uniform P {
  Items items;
  Frames frames[2];
  Counters counters;
} p;

void main() {
  uint i = gl_GlobalInvocationID.x & 255u;
  Item item = p.items.items[i];
  // Another buffer for every second invocation.
  Frames own = p.frames[i & 1u];
  vec4 at = own.frames[i & 63u] * item.place;
  u16vec4 code = own.codes[(i >> 1) & 63u];
  item.total = item.total * 3 + int64_t(item.level) - int64_t(code.x);
  item.small = i8vec3(item.small.zxy) + int8_t(item.kind);
  item.level = int16_t(item.level >> 1) + int16_t(code.z);
  item.weight = item.weight * float16_t(0.5) + float16_t(1.0);
  item.place = at.xyz;
  item.kind = uint8_t(item.kind ^ uint8_t(code.w));
  p.items.items[i] = item;
  atomicAdd(p.counters.narrow[i & 7u], uint(code.y) & 15u);
  atomicMax(p.counters.wide[i & 3u], uint64_t(i) << 33);
  atomicAdd(p.counters.wide[4u + (i & 3u)], (uint64_t(1) << 32) - 1ul);
}
