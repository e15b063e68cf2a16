// Per-sample shading with a value of the subgroup's first invocation that is the same in all invocations.
#version 450
#extension GL_KHR_shader_subgroup_ballot : require
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  uint seven = uint(clamp(at.x, 0.0, 1.0) * 0.5) + 7u;
  color = vec4(float(subgroupBroadcastFirst(seven)), float(gl_SampleID), at);
}
