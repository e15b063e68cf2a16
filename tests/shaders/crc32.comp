// CRC-32 of strings of different lengths: two nested loops with early exit, shifts and exclusive
// or, bytes cut out of words.
#version 450
layout(local_size_x = 32) in;

layout(std430, binding = 0) readonly buffer Text { uint text[]; };
layout(std430, binding = 1) readonly buffer Spans { uvec2 spans[]; };  // first byte, length
layout(std430, binding = 2) writeonly buffer Sums { uint sums[]; };

uint byte_at(uint i) { return (text[i >> 2] >> ((i & 3u) * 8u)) & 0xffu; }

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(spans.length())) return;
  uint crc = 0xffffffffu;
  for (uint n = 0u; n < spans[i].y; ++n) {
    crc ^= byte_at(spans[i].x + n);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0u ? 0xedb88320u : 0u);
  }
  sums[i] = ~crc;
}
