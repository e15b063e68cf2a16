// Outputs that grow in a loop, with an early return.
#version 450
layout(location = 0) in vec4 value;
layout(location = 1) in int count;
layout(location = 0) out vec4 result;

void main() {
  gl_Position = value;
  result = vec4(0.0);
  for (int i = 0; i < (count & 15); ++i) {
    result += value * float(i);
    if (result.x > 20.0) return;
  }
  gl_Position.x += result.y;
}
