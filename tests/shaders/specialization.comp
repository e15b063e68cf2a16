// Specialisation constants of each type, for the workgroup size, array lengths, branches that
// vanish and constant expressions over them.
#version 450
layout(local_size_x_id = 0) in;
layout(local_size_x = 32) in;
layout(constant_id = 1) const uint kTaps = 5u;
layout(constant_id = 2) const float kSharpness = 1.5;
layout(constant_id = 3) const bool kClampToRange = true;
layout(constant_id = 4) const int kShift = -2;

const uint kWindow = 2u * kTaps + 1u;
const int kScale = kShift < 0 ? 1 : 1 << kShift;

layout(std430, binding = 0) readonly buffer Input { float values[]; };
layout(std430, binding = 1) writeonly buffer Output { float filtered[]; };

shared float weights[kWindow];

void main() {
  for (uint t = gl_LocalInvocationIndex; t < kWindow; t += gl_WorkGroupSize.x) {
    float x = (float(t) - float(kTaps)) / float(kTaps);
    weights[t] = exp(-kSharpness * x * x);
  }
  barrier();
  uint i = gl_GlobalInvocationID.x;
  int last = values.length() - 1;
  if (int(i) > last) return;
  float sum = 0.0, total = 0.0;
  for (uint t = 0u; t < kWindow; ++t) {
    int at = int(i) + int(t) - int(kTaps);
    if (kClampToRange) {
      at = clamp(at, 0, last);
    } else if (at < 0 || at > last) {
      continue;
    }
    sum += weights[t] * values[at];
    total += weights[t];
  }
  filtered[i] = float(kScale) * sum / total;
}
