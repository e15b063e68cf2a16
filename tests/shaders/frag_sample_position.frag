// Positions of samples.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(gl_SamplePosition * 2.0, at);
}
