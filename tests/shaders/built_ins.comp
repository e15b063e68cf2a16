// Every built-in input of compute stages in a three-dimensional workgroup whose size is no power of
// two, so that the last subgroup is partly filled.
#version 450
layout(local_size_x = 3, local_size_y = 5, local_size_z = 2) in;

layout(std430, binding = 0) writeonly buffer Ids { uvec4 ids[]; };

void main() {
  uvec3 total = gl_NumWorkGroups * gl_WorkGroupSize;
  uint linear = (gl_GlobalInvocationID.z * total.y + gl_GlobalInvocationID.y) * total.x +
                gl_GlobalInvocationID.x;
  ids[4u * linear] = uvec4(gl_LocalInvocationID, gl_LocalInvocationIndex);
  ids[4u * linear + 1u] = uvec4(gl_WorkGroupID, gl_WorkGroupSize.y);
  ids[4u * linear + 2u] = uvec4(gl_GlobalInvocationID, linear);
  ids[4u * linear + 3u] = uvec4(gl_NumWorkGroups, total.z);
}
