// Samples and fetches of integer images.
#version 450
layout(location = 0) in vec2 at;
layout(binding = 0) uniform usampler2D image;
layout(binding = 1) uniform isampler2D other;
layout(location = 0) out vec4 color;

void main() {
  uvec4 a = texture(image, at) + texelFetch(image, ivec2(gl_FragCoord.xy) & 7, 0);
  color = vec4(a) + vec4(texture(other, at.yx) * 3);
}
