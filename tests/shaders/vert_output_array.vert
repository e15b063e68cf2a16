// An array of outputs, elements of which are chosen by value.
#version 450
layout(location = 0) in vec4 value;
layout(location = 1) in int chosen;
layout(location = 0) out vec2 results[4];

void main() {
  for (int i = 0; i < 4; ++i) results[i] = value.xy * float(i);
  results[chosen & 3] = value.zw;
  gl_Position = value;
}
