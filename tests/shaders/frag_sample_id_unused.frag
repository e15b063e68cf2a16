// SampleId declared, but dead after optimisation: still one invocation a sample.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) buffer Count { uint invocations; };

void main() {
  int unused = gl_SampleID;
  atomicAdd(invocations, 1u);
  color = vec4(at, float(bitCount(gl_SampleMaskIn[0])), 1.0);
}
