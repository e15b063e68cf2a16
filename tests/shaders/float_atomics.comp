// Float atomics: sums, minima and maxima of floats in storage buffers and shared memory, with the old value used and unused.
#version 450
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Input { uint values[]; };
layout(std430, binding = 1) buffer Output { float sums[4]; float low; float high; float old[]; };

shared float partial[2];

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint lane = gl_LocalInvocationID.x;
  // Whole numbers, so that the order of the additions does not matter.
  float x = float(i < uint(values.length()) ? values[i] % 100u : 1u);
  if (lane < 2u) partial[lane] = 0.0;
  barrier();
  atomicAdd(partial[lane & 1u], x);
  barrier();
  if (lane < 2u) atomicAdd(sums[lane], partial[lane]);
  if (x > 50.0) atomicAdd(sums[2], 1.0);
  atomicMin(low, x - 50.0);
  float before = atomicMax(high, x + 0.5);
  if (before > 1000.0) atomicAdd(sums[3], before);
}
