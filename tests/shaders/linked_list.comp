// Buffer device addresses: lists of nodes that point at each other, addresses in push constants and
// in buffers, pointer arithmetic, addresses as pairs of words, writes through what was followed.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 32) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node {
  Node next;
  uint value;
  float weight;
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Totals { float total[]; };
layout(push_constant) uniform P { Node head; Totals totals; uint steps; } p;
layout(std430, binding = 0) buffer Out { uint values[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  Node n = p.head;
  float sum = 0.0;
  uint seen = 0u;
  for (uint k = 0u; k < (p.steps & 3u) + (i & 1u); ++k) {
    uvec2 address = uvec2(n);
    if ((address.x | address.y) == 0u) break;
    sum += n.weight * float(k + 1u);
    seen = seen * 31u + n.value;
    n = n.next;
  }
  values[i] = seen;
  p.totals.total[i] = sum * 0.5 + float(i);
}
