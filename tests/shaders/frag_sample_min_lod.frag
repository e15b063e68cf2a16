// Implicit samples with a min LOD.
#version 450
#extension GL_ARB_sparse_texture_clamp : require

layout(location = 0) in vec2 at;
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;

void main() {
  color = textureClampARB(image, at, 1.0) + textureClampARB(image, at.yx, at.x) * 2.0;
}
