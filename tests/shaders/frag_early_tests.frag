// Tests before the program: hidden fragments store nothing.
#version 450
layout(location = 0) in vec2 at;
layout(std430, binding = 0) buffer Counts { uint counts[64]; };
layout(early_fragment_tests) in;
layout(location = 0) out vec4 color;

void main() {
  atomicAdd(counts[uint(gl_FragCoord.x)], 1u);
  color = vec4(at * 2.0, 0.5, 1.0);
}
