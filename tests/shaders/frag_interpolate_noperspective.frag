// Interpolation on demand of an input without perspective, which nothing else reads.
#version 450
layout(location = 0) noperspective in vec2 a;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(interpolateAtOffset(a, vec2(0.25, -0.125)), interpolateAtOffset(a, a * 0.0 + 0.375));
}
