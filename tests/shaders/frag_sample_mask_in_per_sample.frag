// The mask read where each sample is shaded: that of the sample itself.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(float(gl_SampleMaskIn[0] * 3), float(gl_SampleID * 2), at * 2.0);
}
