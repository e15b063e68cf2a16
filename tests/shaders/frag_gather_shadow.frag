// Gathers that compare.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2DShadow image;
layout(location = 0) out vec4 color;

void main() {
  color = textureGather(image, at.xy, at.z) + textureGatherOffset(image, at.yx, 0.5, ivec2(2, 0)) + 0.25 * at.xyxy;
}
