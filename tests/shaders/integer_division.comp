// Division and remainder: signed and unsigned, by variables, by powers of two and by constants;
// shifts of both kinds; multiplication that wraps.
#version 450
layout(local_size_x = 32) in;

layout(push_constant) uniform Divisor {
  int by;
  uint unsigned_by;
} divisor;

layout(std430, binding = 0) readonly buffer Values { ivec2 values[]; };
layout(std430, binding = 1) writeonly buffer Results { ivec4 results[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(values.length())) return;
  int a = values[i].x, b = values[i].y;
  uint ua = uint(a), ub = uint(b);
  int safe = b == 0 || (a == int(0x80000000u) && b == -1) ? 1 : b;
  uint usafe = max(ub, 1u);
  results[4u * i] = ivec4(a / safe, int(ua / usafe), int(ua % usafe), a / divisor.by);
  results[4u * i + 1u] = ivec4(a / 7, a / -8, int(ua / 10u), int(ua / 16u));
  results[4u * i + 2u] = ivec4(int(ua % 10u), int(ua % 64u), int(ua / divisor.unsigned_by), a * b);
  results[4u * i + 3u] = ivec4(a >> (b & 31), int(ua >> (ub & 31u)), a << (b & 31),
                              -a * 37 + b * 24);
}
