// Votes that give the same result whatever lanes share a subgroup.
#version 450
#extension GL_KHR_shader_subgroup_vote : require

layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  bool all_ = subgroupAll(gl_FragCoord.x >= 0.0);
  bool any_ = subgroupAny(gl_FragCoord.x < 0.0);
  color = vec4(at * 2.0, all_ ? 1.0 : 0.0, any_ ? 1.0 : 0.25);
}
