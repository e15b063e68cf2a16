// Outputs that are read again and changed.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 result;

void main() {
  gl_Position = value;
  result = value * 2.0;
  result.xy += result.zw;
  gl_Position.z = result.x * gl_Position.w;
}
