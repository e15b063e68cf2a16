// Invocations that end or become helpers in nested control flow: for the fuzzer of the importer.
#version 460
#extension GL_EXT_demote_to_helper_invocation : enable
#extension GL_EXT_terminate_invocation : enable
layout(location = 0) in vec2 at;
layout(location = 1) flat in uint seed;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) buffer Counts {
  uint counts[];
};

float step_of(uint i) {
  switch (seed % 5u) {
    case 0u:
      if (at.x < 0.25) discard;
      return 1.0;
    case 1u:
      terminateInvocation;
    case 2u:
      demote;
    default:
      break;
  }
  return float(i) * at.y;
}

void main() {
  float sum = 0.0;
  for (uint i = 0u; i < seed; ++i) {
    if (sum > 9.0) {
      if (gl_HelperInvocation) continue;
      discard;
    }
    sum += step_of(i);
    if (sum < at.x) break;
    atomicAdd(counts[i], 1u);
  }
  if (helperInvocationEXT()) sum = dFdy(sum);
  color = vec4(sum);
}
