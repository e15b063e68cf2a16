// One render target whose alpha may become coverage, which the pipeline state decides.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(value.xyz * 2.0, value.w);
}
