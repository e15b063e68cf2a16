// Interpolation at a sample that push constants choose, and at one that differs between lanes, with perspective and without.
#version 450
layout(location = 0) in vec2 at;
layout(location = 1) noperspective in vec2 flat_at;
layout(push_constant) uniform Choice { uint sample_number; } choice;
layout(location = 0) out vec4 color;

void main() {
  int chosen = int(choice.sample_number & 3u);
  int own = int(gl_FragCoord.x + gl_FragCoord.y) & 3;
  color = vec4(interpolateAtSample(at, chosen) * 2.0,
               interpolateAtSample(flat_at, chosen).x + interpolateAtSample(flat_at, own).y,
               interpolateAtSample(at, own).y);
}
