// Samples with explicit gradients, with an offset and of a cube.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) uniform samplerCube cube;
layout(location = 0) out vec4 color;

void main() {
  color = textureGrad(image, at.xy, at.zw * 0.125, at.wz * 0.25) + textureGradOffset(image, at.yx, vec2(0.25, 0.0), vec2(0.0, 0.25), ivec2(1, 1)) + textureGrad(cube, at.xyz + vec3(0.0, 5.0, 0.0), vec3(0.5, 0.0, 0.0), vec3(0.0, 0.0, 0.5)) + 0.25 * at.xyxy;
}
