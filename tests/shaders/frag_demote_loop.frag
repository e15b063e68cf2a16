// Demotes in a loop whose lanes all stay in it, with derivatives after them.
#version 450
#extension GL_EXT_demote_to_helper_invocation : require

layout(location = 0) in vec2 at;
layout(std430, binding = 0) buffer Counts { uint counts[64]; };
layout(location = 0) out vec4 color;

void main() {
  float sum = 0.0;
  for (int i = 0; i < 4; ++i) {
    if (i == (int(gl_FragCoord.x) & 7)) demote;
    atomicAdd(counts[i], 1u);
    sum += dFdxFine(at.x * at.y * float(i));
  }
  color = vec4(sum, at, 1.0);
}
