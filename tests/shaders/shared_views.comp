// Shared memory laid out by blocks that are views of the same bytes: written as words, read as
// halfwords, bytes and vectors, and as words again.
#version 450
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer In { uint words_in[]; };
layout(std430, binding = 1) buffer Out { uint words_out[]; };
shared Words { uint w[64]; };
shared Halves { uint16_t h[128]; };
shared Bytes { layout(offset = 128) int8_t b[128]; };
shared Vectors { vec4 v[16]; };

void main() {
  uint i = gl_LocalInvocationIndex;
  uint g = gl_GlobalInvocationID.x;
  w[i] = words_in[g] * 0x01010101u + i;
  w[i + 32u] = words_in[g] ^ (i * 0x10203u);
  barrier();
  uint x = uint(h[2u * (31u - i) + 1u]) + (uint(b[4u * i + 2u]) << 4);
  uint y = floatBitsToUint(v[i & 7u][i >> 3]) ^ w[i ^ 33u];
  words_out[g] = x * 3u + y;
}
