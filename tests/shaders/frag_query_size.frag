// Sizes of images and counts of their levels.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) uniform sampler2DArray layers;
layout(binding = 2) uniform samplerBuffer table;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(textureSize(image, 0), textureSize(layers, 0).z, textureQueryLevels(image)) + vec4(textureSize(table)) + 0.25 * at.xyxy;
}
