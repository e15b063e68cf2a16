// A flat input declared to be of the sample: its value is that of all, and there is one invocation a sample.
#version 450
layout(location = 0) flat sample in int number;
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(at, float(number), float(bitCount(gl_SampleMaskIn[0])));
}
