// Integer outputs with sign.
#version 450
layout(location = 0) flat in ivec4 value;
layout(location = 0) out ivec4 color;

void main() {
  color = value * 3 - ivec4(gl_FragCoord.xyxy);
}
