// Fine derivatives of x and y, of scalars and vectors, of nonlinear values.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;

void main() {
  vec2 bent = value.xy * value.zw;
  color = vec4(dFdxFine(bent) + dFdyFine(bent.yx), dFdxFine(value.w * value.w), dFdyFine(value.x * value.y));
}
