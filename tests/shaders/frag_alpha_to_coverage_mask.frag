// Alpha that may become coverage beside a mask of samples that is written.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;

void main() {
  gl_SampleMask[0] = (int(gl_FragCoord.x) & 1) == 0 ? 15 : int(gl_FragCoord.x) >> 1;
  color = vec4(value.xyz * 2.0, value.w);
}
