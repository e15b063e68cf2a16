// Depth written and declared less.
#version 450
layout(location = 0) in vec2 at;
layout(depth_less) out float gl_FragDepth;
layout(location = 0) out vec4 color;

void main() {
  gl_FragDepth = gl_FragCoord.z - 0.0625 * float(int(gl_FragCoord.x) & 1);
  color = vec4(at * 2.0, 0.5, 1.0);
}
