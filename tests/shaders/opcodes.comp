// A virtual machine with many operations: more cases than are tried one by one, some of one body, some
// that fall into the next, and a default for what lies between.
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Code { uint code[]; };
layout(std430, binding = 1) buffer State { uint state[]; };

void main() {
  uint id = gl_GlobalInvocationID.x;
  uint a = state[id];
  uint b = id * 2654435761u;
  for (uint at = 0; at < 8; ++at) {
    uint op = (code[(id * 8 + at) & 255u] ^ a) % 96u;
    switch (op) {
      case 0u: a += b; a += 1u; break;
      case 2u: a -= b; a += 15u; break;
      case 4u: a ^= b; a += 29u; break;
      case 6u:
      case 8u: a |= b & 255u; a += 57u;
      case 11u: a &= ~b; a += 71u; break;
      case 13u: b = a * 3u; a += 85u; break;
      case 15u: b += a >> 3; a += 99u; break;
      case 17u: a = (a << 5) | (a >> 27); a += 113u; break;
      case 19u: b ^= at; a += 127u; break;
      case 20u:
      case 22u: a = max(a, b); a += 155u; break;
      case 24u: b = min(a, b) + 1u; a += 169u; break;
      case 26u: a = bitfieldReverse(a); a += 183u;
      case 28u: a += b; a += 197u; break;
      case 31u: a -= b; a += 211u; break;
      case 33u: a ^= b; a += 225u; break;
      case 35u:
      case 37u: a |= b & 255u; a += 253u; break;
      case 39u: a &= ~b; a += 267u; break;
      case 40u: b = a * 3u; a += 281u; break;
      case 42u: b += a >> 3; a += 295u; break;
      case 44u: a = (a << 5) | (a >> 27); a += 309u;
      case 46u: b ^= at; a += 323u; break;
      case 48u:
      case 51u: a = max(a, b); a += 351u; break;
      case 53u: b = min(a, b) + 1u; a += 365u; break;
      case 55u: a = bitfieldReverse(a); a += 379u; break;
      case 57u: a += b; a += 393u; break;
      case 59u: a -= b; a += 407u; break;
      case 60u: a ^= b; a += 421u; break;
      case 62u:
      case 64u: a |= b & 255u; a += 449u; break;
      case 66u: a &= ~b; a += 463u; break;
      case 68u: b = a * 3u; a += 477u; break;
      case 71u: b += a >> 3; a += 491u; break;
      case 73u: a = (a << 5) | (a >> 27); a += 505u; break;
      case 75u: b ^= at; a += 519u; break;
      case 77u:
      case 79u: a = max(a, b); a += 547u; break;
      case 80u: b = min(a, b) + 1u; a += 561u;
      case 82u: a = bitfieldReverse(a); a += 575u; break;
      case 84u: a += b; a += 589u; break;
      case 86u: a -= b; a += 603u; break;
      case 88u: a ^= b; a += 617u; break;
      default: a = a * 5u + op; break;
    }
  }
  state[id] = a ^ b;
}
