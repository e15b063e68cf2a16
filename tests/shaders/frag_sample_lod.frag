// Samples at explicit levels, with offsets and projected.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;

void main() {
  color = textureLod(image, at.xy, at.z) + textureLodOffset(image, at.xy, 1.0, ivec2(2, 1)) + textureProjLod(image, vec3(at.xy, 2.0), 0.0) + 0.25 * at.xyxy;
}
