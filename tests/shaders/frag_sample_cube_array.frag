// Implicit samples of an array of cubes.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform samplerCubeArray image;
layout(location = 0) out vec4 color;

void main() {
  color = texture(image, at + vec4(0.0, 8.0, 0.0, 0.0)) + 0.25 * at.xyxy;
}
