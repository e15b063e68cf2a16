// Derivatives of either kind of x and y, of scalars and vectors, of nonlinear values.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(dFdx(value.xy) * 2.0, dFdy(value.zw) * 3.0 + dFdx(value.w));
}
