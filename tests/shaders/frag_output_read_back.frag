// An output read while the program runs, in a loop.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;

void main() {
  color = value;
  for (int i = 0; i < 3; ++i) color = color.wxyz * 0.5 + float(i);
}
