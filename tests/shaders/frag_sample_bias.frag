// Implicit samples with a bias that differs between fragments.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;

void main() {
  color = texture(image, at.xy, at.z) + 0.25 * at.xyxy;
}
