// Discard in an if.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  if (mod(gl_FragCoord.x + gl_FragCoord.y, 4.0) < 2.0) discard;
  color = vec4(at * 2.0, at.x + at.y, 1.0);
}
