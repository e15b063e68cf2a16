// Samples and fetches of integer images.
// Not their alpha: where the format has none, lavapipe gives the bits of the float 1.
#version 450
layout(location = 0) in vec2 at;
layout(binding = 0) uniform usampler2D image;
layout(binding = 1) uniform isampler2D other;
layout(location = 0) out vec4 color;

void main() {
  uvec4 a = texture(image, at) + texelFetch(image, ivec2(gl_FragCoord.xy) & 7, 0);
  color = vec4(a.xyz, 1.0) + vec4(texture(other, at.yx).xyz * 3, 0.0);
}
