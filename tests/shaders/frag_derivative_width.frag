// Widths of derivatives, plain, coarse and fine.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(fwidth(value.x) * 2.0, fwidthCoarse(value.yz) + 1.0, fwidthFine(value.w * value.x));
}
