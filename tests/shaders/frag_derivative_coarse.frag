// Coarse derivatives of x and y, of scalars and vectors, of nonlinear values.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(dFdxCoarse(value.xy) * 2.0, dFdyCoarse(value.zw) * 3.0 + dFdxCoarse(value.w));
}
