// SHA-256 compression of one block per lane (FIPS 180-4): integer rotates, a constant table and a
// message window, both indexed by the loop counter.
#version 450
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Messages { uint words[]; };
layout(std430, binding = 1) buffer Digests { uint digests[]; };

const uint kRound[64] = uint[64](
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u,
    0xab1c5ed5u, 0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu,
    0x9bdc06a7u, 0xc19bf174u, 0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu,
    0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau, 0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u,
    0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u, 0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu,
    0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u, 0xa2bfe8a1u, 0xa81a664bu,
    0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u, 0x19a4c116u,
    0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u,
    0xc67178f2u);

uint rotate_right(uint x, uint n) { return (x >> n) | (x << (32u - n)); }

void main() {
  uint block = gl_GlobalInvocationID.x;
  uint window[16];
  for (uint i = 0u; i < 16u; ++i) window[i] = words[block * 16u + i];
  uint state[8];
  for (uint i = 0u; i < 8u; ++i) state[i] = digests[block * 8u + i];

  for (uint round = 0u; round < 64u; ++round) {
    uint w = window[round & 15u];
    if (round >= 16u) {
      uint w15 = window[(round + 1u) & 15u];
      uint w2 = window[(round + 14u) & 15u];
      w += (rotate_right(w15, 7u) ^ rotate_right(w15, 18u) ^ (w15 >> 3)) +
           window[(round + 9u) & 15u] +
           (rotate_right(w2, 17u) ^ rotate_right(w2, 19u) ^ (w2 >> 10));
      window[round & 15u] = w;
    }
    uint e = state[4];
    uint a = state[0];
    uint t1 = state[7] + (rotate_right(e, 6u) ^ rotate_right(e, 11u) ^ rotate_right(e, 25u)) +
              ((e & state[5]) ^ (~e & state[6])) + kRound[round] + w;
    uint t2 = (rotate_right(a, 2u) ^ rotate_right(a, 13u) ^ rotate_right(a, 22u)) +
              ((a & state[1]) ^ (a & state[2]) ^ (state[1] & state[2]));
    state[7] = state[6];
    state[6] = state[5];
    state[5] = e;
    state[4] = state[3] + t1;
    state[3] = state[2];
    state[2] = state[1];
    state[1] = a;
    state[0] = t1 + t2;
  }
  for (uint i = 0u; i < 8u; ++i) digests[block * 8u + i] += state[i];
}
