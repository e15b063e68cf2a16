// Interpolation at the centroid on demand.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(interpolateAtCentroid(at) * 2.0, at);
}
