// Specialisation constants choose a path and a count.
#version 450
layout(constant_id = 0) const int count = 3;
layout(constant_id = 1) const bool squared = true;
layout(constant_id = 2) const float scale = 0.75;
layout(location = 0) in vec4 value;

void main() {
  vec4 sum = vec4(0.0);
  for (int i = 0; i < count; ++i) sum += value * float(i + 1);
  gl_Position = (squared ? sum * sum : sum) * scale;
}
