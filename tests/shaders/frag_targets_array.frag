// An array of outputs written by constants.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 a[3];

void main() {
  a[0] = value * 2.0;
  a[1] = value.wzyx + 1.0;
  a[2] = value * value;
}
