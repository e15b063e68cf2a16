// One atomic for each subgroup, of the sum over its lanes.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(location = 0) in vec2 at;
layout(std430, binding = 0) buffer Counts { uint counts[64]; };
layout(location = 0) out vec4 color;

void main() {
  uint mine = uint(gl_FragCoord.x) + 1u;
  uint sum = subgroupAdd(mine);
  if (subgroupElect()) atomicAdd(counts[0], sum);
  color = vec4(at * 2.0, 0.0, 1.0);
}
