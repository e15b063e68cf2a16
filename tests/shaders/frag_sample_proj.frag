// Implicit projected samples, with three and with four coordinates.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;

void main() {
  color = textureProj(image, vec3(at.xy, at.z + 4.0)) + textureProj(image, vec4(at.xyz, at.w + 4.0)) + 0.25 * at.xyxy;
}
