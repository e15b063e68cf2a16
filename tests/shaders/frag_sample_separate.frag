// Separate images and samplers, one sampler for two images.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform texture2D image;
layout(binding = 1) uniform texture2D other;
layout(binding = 2) uniform sampler sampling;
layout(location = 0) out vec4 color;

void main() {
  color = texture(sampler2D(image, sampling), at.xy) * texture(sampler2D(other, sampling), at.zw) + 0.25 * at.xyxy;
}
