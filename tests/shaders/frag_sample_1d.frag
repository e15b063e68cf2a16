// Implicit samples of one dimension, also in layers.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler1D image;
layout(binding = 1) uniform sampler1DArray layers;
layout(location = 0) out vec4 color;

void main() {
  color = texture(image, at.x) + texture(layers, at.yz) + 0.25 * at.xyxy;
}
