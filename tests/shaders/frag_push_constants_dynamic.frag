// Push constants at offsets that are known only as the program runs.
#version 450
layout(location = 0) in vec2 at;
layout(push_constant) uniform Push {
  vec4 tints[4];
  int first;
} push;
layout(location = 0) out vec4 color;

void main() {
  vec4 uniform_one = push.tints[push.first & 3];
  vec4 own = push.tints[int(gl_FragCoord.x) & 3];
  color = uniform_one * 2.0 + own + at.xyxy;
}
