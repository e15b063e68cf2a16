// Points counted in a volume: atomics on storage images of one and three dimensions, integer images
// read and written without a filter, a coherent image, barriers over image memory.
#version 450
layout(local_size_x = 64) in;

layout(binding = 0, r32ui) uniform coherent uimage3D counts;
layout(binding = 1, r32i) uniform iimage1D extremes;
layout(binding = 2, rgba8ui) uniform readonly uimage2D labels;
layout(std430, binding = 3) buffer Points { uvec4 points[]; };

void main() {
  uint id = min(gl_GlobalInvocationID.x, uint(points.length()) - 1u);
  uvec3 cell = points[id].xyz & 7u;
  uint label = imageLoad(labels, ivec2(cell.xy)).y;
  uint before = imageAtomicAdd(counts, ivec3(cell), label + 1u);
  imageAtomicMax(extremes, int(cell.x), int(before));
  imageAtomicMin(extremes, 0, -int(label));
  memoryBarrierImage();
  barrier();
  if (gl_LocalInvocationIndex == 0u) {
    points[id].w = imageLoad(counts, ivec3(cell)).x;
  }
}
