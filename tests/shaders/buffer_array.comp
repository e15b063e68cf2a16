// Arrays of storage and uniform buffers indexed by constants, in several sets with gaps between the
// bindings; a merge of three streams by priority.
#version 450
layout(local_size_x = 64) in;

layout(std430, set = 0, binding = 3) readonly buffer Stream { vec4 items[]; } streams[3];
layout(std140, set = 2, binding = 1) uniform Weights { vec4 weight; float bias; } weights[2];
layout(std430, set = 2, binding = 9) writeonly buffer Merged { vec4 merged[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  vec4 a = streams[0].items[i];
  vec4 b = streams[1].items[i];
  vec4 c = streams[2].items[gl_NumWorkGroups.x * 64u - 1u - i];
  vec4 low = a * weights[0].weight + weights[0].bias;
  vec4 high = b * weights[1].weight + weights[1].bias;
  merged[i] = c.w > 0.5 ? max(low, high) : min(low, c);
}
