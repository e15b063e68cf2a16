// Outputs of which some components are written on some paths only.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 result;

void main() {
  gl_Position = value;
  result = vec4(0.0);
  if (value.x > 1.0) result.xz = value.yy * 2.0;
  else result.w = value.z + 1.0;
}
