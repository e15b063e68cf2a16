// Flat integers with sign.
#version 450
layout(location = 0) flat in ivec4 a;
layout(location = 1) flat in int b;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(a * b + ivec4(gl_FragCoord.xyxy));
}
