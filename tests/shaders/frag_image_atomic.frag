// Atomics on a storage image.
#version 450
layout(location = 0) in vec2 at;
layout(binding = 0, r32ui) uniform uimage2D image;
layout(location = 0) out vec4 color;

void main() {
  imageAtomicAdd(image, ivec2(gl_FragCoord.xy) & 3, uint(gl_FragCoord.x) + 1u);
  color = vec4(at * 2.0, 0.0, 1.0);
}
