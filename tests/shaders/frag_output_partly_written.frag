// Outputs of which some components are written on some paths only.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(0.0);
  if (gl_FragCoord.x > 6.0) color.xz = value.xy * 2.0;
  else color.w = value.z + 1.0;
}
