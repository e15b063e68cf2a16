// Votes and maxima over the vertices of a subgroup.
#version 450
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(location = 0) in vec4 value;
layout(location = 0) flat out uint result;

void main() {
  uint all = subgroupAll(value.x == value.x) ? 1u : 0u;
  result = all + (subgroupMax(uint(gl_VertexIndex)) >= uint(gl_VertexIndex) ? 2u : 0u);
  gl_Position = value;
}
