// Blurs each row of an image. TILE is the edge of a workgroup, constant 3 the radius in texels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include <weights.glsl>

#ifndef TILE
#define TILE 16
#endif
layout(local_size_x = TILE, local_size_y = TILE) in;
layout(constant_id = 3) const uint radius = 4;

layout(binding = 0, rgba8) uniform readonly image2D source;
layout(binding = 1, rgba8) uniform writeonly image2D blurred;

void main() {
  ivec2 place = ivec2(gl_GlobalInvocationID.xy);
  vec4 sum = vec4(0.0);
  float total = 0.0;
  for (int i = -int(radius); i <= int(radius); ++i) {
    float w = weight(i, radius);
    sum += w * imageLoad(source, place + ivec2(i, 0));
    total += w;
  }
  imageStore(blurred, place, sum / total);
}
