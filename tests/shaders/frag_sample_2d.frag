// Implicit samples of two dimensions.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;

void main() {
  color = texture(image, at.xy) * texture(image, at.zw) + 0.25 * at.xyxy;
}
