// Gathers of each kind: component, offset, offsets of each texel, of layers and of a cube.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) uniform sampler2DArray layers;
layout(binding = 2) uniform samplerCube cube;
layout(location = 0) out vec4 color;

void main() {
  color = textureGather(image, at.xy, 1) + textureGatherOffset(image, at.xy, ivec2(1, -1), 2) + textureGather(layers, at.xyz) + textureGather(cube, at.xyz + vec3(0.0, 0.0, 5.0), 3) + 0.25 * at.xyxy;
}
