// Interpolation at samples in branches and loops that only some lanes take.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  vec2 sum = at;
  int most = int(gl_FragCoord.x) & 3;
  for (int i = 0; i < most; ++i) sum += interpolateAtSample(at, i) * 0.5;
  if ((int(gl_FragCoord.y) & 1) == 0) sum += interpolateAtSample(at, most);
  color = vec4(sum, float(most), 1.0);
}
