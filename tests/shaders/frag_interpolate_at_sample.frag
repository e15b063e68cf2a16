// Interpolation at a sample on demand, by a constant and by a value.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(interpolateAtSample(at, 0) * 2.0, interpolateAtSample(at, int(gl_FragCoord.x) & 0));
}
