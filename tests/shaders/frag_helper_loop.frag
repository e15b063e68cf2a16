// A loop whose count helper lanes compute too, with a derivative after it.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  float sum = 0.0;
  for (int i = 0; i < (int(gl_FragCoord.x) & 3) + 1; ++i) sum += at.x * float(i + 1);
  color = vec4(sum, dFdxFine(sum), dFdyFine(sum), 1.0);
}
