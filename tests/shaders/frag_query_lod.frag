// The level that an implicit sample would take.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(textureQueryLod(image, at.xy), textureQueryLod(image, at.zw * 8.0)) + 0.25 * at.xyxy;
}
