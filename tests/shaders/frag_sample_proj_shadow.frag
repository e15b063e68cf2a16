// Projected samples that compare.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2DShadow image;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(textureProj(image, vec4(at.xyz, at.w + 4.0))) + 0.25 * at.xyxy;
}
