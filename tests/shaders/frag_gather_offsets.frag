// A gather with an offset for each texel.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;

void main() {
  color = textureGatherOffsets(image, at.xy, ivec2[4](ivec2(0, 1), ivec2(-2, 3), ivec2(4, -5), ivec2(6, 0)), 0) + 0.25 * at.xyxy;
}
