// The layer that is drawn to, read; nothing but a buffer is written.
#version 450
layout(location = 0) in vec2 at;
layout(std430, binding = 0) buffer Words { uint words[]; };

void main() {
  words[uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * 16u] =
      uint(gl_Layer) * 3u + floatBitsToUint(gl_FragCoord.x * 2.0);
}
