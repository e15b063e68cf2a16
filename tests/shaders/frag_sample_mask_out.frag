// The mask of samples written.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  gl_SampleMask[0] = int(gl_FragCoord.x) * 3 + 1;
  color = vec4(at * 2.0, 0.0, 1.0);
}
