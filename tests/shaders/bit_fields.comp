// Integer bit functions and wide arithmetic: fields, counting, reversal, carries, 64-bit products.
#version 450
layout(local_size_x = 32) in;

layout(std430, binding = 0) readonly buffer Words { uvec2 words[]; };
layout(std430, binding = 1) writeonly buffer Results { uvec4 results[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(words.length())) return;
  uint a = words[i].x;
  uint b = words[i].y;
  int sa = int(a), sb = int(b);
  uint carry, borrow, high, low;
  int shigh, slow;
  uint sum = uaddCarry(a, b, carry);
  uint difference = usubBorrow(a, b, borrow);
  umulExtended(a, b, high, low);
  imulExtended(sa, sb, shigh, slow);
  int offset = int(b & 15u);
  int bits = int((b >> 4) & 15u) + 1;
  results[4u * i] = uvec4(bitfieldExtract(a, offset, bits), uint(bitfieldExtract(sa, offset, bits)),
                          bitfieldInsert(a, b, offset, bits), bitfieldReverse(a));
  results[4u * i + 1u] = uvec4(bitCount(a), findLSB(a), findMSB(a), findMSB(sa));
  results[4u * i + 2u] = uvec4(sum, carry, difference, borrow);
  results[4u * i + 3u] = uvec4(high, low, uint(shigh), uint(slow));
}
