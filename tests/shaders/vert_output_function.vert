// Outputs that functions write through their parameters.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;

void halve(in vec4 from, out vec4 to) { to = from * 0.5; }
void add(inout vec4 to, vec4 what) { to += what; }

void main() {
  halve(value, first);
  halve(first, second);
  add(second, value.wzyx);
  gl_Position = first;
}
