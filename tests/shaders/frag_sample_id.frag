// Numbers of samples: one invocation a sample.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(float(gl_SampleID * 2 + 1), at * 2.0, 1.0);
}
