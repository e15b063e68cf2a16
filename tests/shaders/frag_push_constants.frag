// Push constants at known offsets.
#version 450
layout(location = 0) in vec2 at;
layout(push_constant) uniform Push {
  vec4 tint;
  float scale;
  int count;
} push;
layout(location = 0) out vec4 color;

void main() {
  color = push.tint * push.scale + at.xyxy * float(push.count);
}
