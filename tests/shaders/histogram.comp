// Histogram: atomics on shared memory, then on a storage buffer; a loop with a stride over the
// data.
#version 450
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Pixels { uint pixels[]; };
layout(std430, binding = 1) buffer Bins { uint bins[256]; };

shared uint local_bins[256];

void main() {
  for (uint bin = gl_LocalInvocationIndex; bin < 256u; bin += 64u) local_bins[bin] = 0u;
  barrier();
  uint stride = gl_NumWorkGroups.x * 64u;
  for (uint i = gl_GlobalInvocationID.x; i < uint(pixels.length()); i += stride) {
    uint packed = pixels[i];
    for (int channel = 0; channel < 4; ++channel) {
      atomicAdd(local_bins[bitfieldExtract(packed, channel * 8, 8)], 1u);
    }
  }
  barrier();
  for (uint bin = gl_LocalInvocationIndex; bin < 256u; bin += 64u) {
    if (local_bins[bin] != 0u) atomicAdd(bins[bin], local_bins[bin]);
  }
}
