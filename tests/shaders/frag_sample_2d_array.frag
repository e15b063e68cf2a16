// Implicit samples of layers of two dimensions.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2DArray image;
layout(location = 0) out vec4 color;

void main() {
  color = texture(image, at.xyz) + 0.25 * at.xyxy;
}
