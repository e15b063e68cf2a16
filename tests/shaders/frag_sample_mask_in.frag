// The mask of covered samples read.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(float(gl_SampleMaskIn[0] * 3), at * 2.0, 1.0);
}
