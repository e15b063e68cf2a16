// Depth written before a discard and changed on one path.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  gl_FragDepth = 0.25;
  if (gl_FragCoord.x > 8.0) gl_FragDepth = gl_FragCoord.y / 32.0;
  if (gl_FragCoord.y > 12.0) discard;
  color = vec4(at * 2.0, 0.5, 1.0);
}
