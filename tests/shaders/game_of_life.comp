// Conway's game on bit boards: 32 cells per word in shared memory, several generations between
// loads, carry-save adders from logical operations only.
#version 450
layout(local_size_x = 8, local_size_y = 16) in;

layout(push_constant) uniform Rules {
  uint generations;
} rules;

layout(std430, binding = 0) buffer Board { uint board[]; };

shared uint rows[2][16][8];

void half_add(uint a, uint b, out uint sum, out uint carry) {
  sum = a ^ b;
  carry = a & b;
}

void full_add(uint a, uint b, uint c, out uint sum, out uint carry) {
  uint s1, c1, c2;
  half_add(a, b, s1, c1);
  half_add(s1, c, sum, c2);
  carry = c1 | c2;
}

uint shifted_left(uint from, uint y, uint x) {
  return rows[from][y][x] << 1 | rows[from][y][(x + 7u) & 7u] >> 31;
}
uint shifted_right(uint from, uint y, uint x) {
  return rows[from][y][x] >> 1 | rows[from][y][(x + 1u) & 7u] << 31;
}

void main() {
  uvec2 at = gl_LocalInvocationID.xy;
  uint word = (gl_WorkGroupID.x * 16u + at.y) * 8u + at.x;
  rows[0][at.y][at.x] = board[word];
  barrier();
  for (uint g = 0u; g < rules.generations; ++g) {
    uint from = g & 1u;
    uint up = (at.y + 15u) & 15u, down = (at.y + 1u) & 15u;
    uint ones_a, ones_b, ones_c, twos_a, twos_b, twos_c;
    uint ones, carry, twos, fours_a, fours_b;
    full_add(shifted_left(from, up, at.x), rows[from][up][at.x], shifted_right(from, up, at.x),
             ones_a, twos_a);
    half_add(shifted_left(from, at.y, at.x), shifted_right(from, at.y, at.x), ones_b, twos_b);
    full_add(shifted_left(from, down, at.x), rows[from][down][at.x],
             shifted_right(from, down, at.x), ones_c, twos_c);
    full_add(ones_a, ones_b, ones_c, ones, carry);
    full_add(twos_a, twos_b, twos_c, twos, fours_a);
    half_add(twos, carry, twos, fours_b);
    uint self = rows[from][at.y][at.x];
    rows[from ^ 1u][at.y][at.x] = twos & ~(fours_a | fours_b) & (ones | self);
    barrier();
  }
  board[word] = rows[rules.generations & 1u][at.y][at.x];
}
