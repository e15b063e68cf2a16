// Implicit samples of a cube.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform samplerCube image;
layout(location = 0) out vec4 color;

void main() {
  color = texture(image, at.xyz + vec3(0.0, 0.0, 4.0)) + 0.25 * at.xyxy;
}
