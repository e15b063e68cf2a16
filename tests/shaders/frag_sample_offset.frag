// Implicit samples with constant offsets, with and without a bias.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;

void main() {
  color = textureOffset(image, at.xy, ivec2(1, -2)) + textureOffset(image, at.yx, ivec2(-3, 4), at.z) + 0.25 * at.xyxy;
}
