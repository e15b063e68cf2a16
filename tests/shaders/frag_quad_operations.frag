// Quad swaps and broadcasts of smooth values.
#version 450
#extension GL_KHR_shader_subgroup_quad : require

layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;

void main() {
  vec4 a = vec4(subgroupQuadSwapHorizontal(value.x), subgroupQuadSwapVertical(value.y),
              subgroupQuadSwapDiagonal(value.z), subgroupQuadBroadcast(value.w, 2u));
  color = a * 2.0 + value;
}
