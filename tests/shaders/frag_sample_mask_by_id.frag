// A mask written that depends on the sample: every other one is left out.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  gl_SampleMask[0] = gl_SampleMaskIn[0] & (0x5 << (int(gl_FragCoord.x) & 1));
  color = vec4(at * 2.0, float(gl_SampleID), 1.0);
}
