// Implicit samples of three dimensions.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler3D image;
layout(location = 0) out vec4 color;

void main() {
  color = texture(image, at.xyz) + 0.25 * at.xyxy;
}
