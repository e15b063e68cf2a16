// Clip distances, interpolated as other inputs are, one of six chosen by a value that differs between fragments.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
in float gl_ClipDistance[6];

void main() {
  int n = int(gl_FragCoord.x) % 6;
  color = vec4(gl_ClipDistance[0] * 2.0, gl_ClipDistance[n] + at.x, gl_ClipDistance[5] * at.y, gl_ClipDistance[4] * 0.25);
}
