// Implicit samples that compare, of two dimensions and in layers.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2DShadow image;
layout(binding = 1) uniform sampler2DArrayShadow layers;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(texture(image, at.xyz), texture(layers, at.yxzw), 0.0, 1.0) + 0.25 * at.xyxy;
}
