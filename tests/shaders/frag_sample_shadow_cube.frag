// Implicit samples of a cube that compare.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform samplerCubeShadow image;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(texture(image, at + vec4(6.0, 0.0, 0.0, 0.0))) + 0.25 * at.xyxy;
}
