// Discard in a loop that lanes leave at different iterations.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  float sum = 0.0;
  for (int i = 0; i < 9; ++i) {
    if (i == (int(gl_FragCoord.x) ^ int(gl_FragCoord.y))) discard;
    if (i > int(gl_FragCoord.y)) break;
    sum += at.x * float(i);
  }
  color = vec4(sum, at, 1.0);
}
