// Integer outputs without sign, of two render targets.
#version 450
layout(location = 0) flat in uvec4 value;
layout(location = 0) out uvec4 color;
layout(location = 1) out uvec2 other;

void main() {
  color = value * 3u + uvec4(gl_FragCoord.xyxy);
  other = value.yx ^ 5u;
}
