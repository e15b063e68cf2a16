// The smallest useful kernel: storage buffers, push constants, a bounds check with early return.
#version 450
layout(local_size_x = 64) in;

layout(push_constant) uniform Parameters {
  float scale;
  uint count;
} parameters;

layout(std430, set = 0, binding = 0) readonly buffer X { float x[]; };
layout(std430, set = 0, binding = 1) buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= parameters.count) return;
  y[i] = parameters.scale * x[i] + y[i];
}
