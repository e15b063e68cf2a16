// An implicit sample before a branch that discards and one in a branch that all take.
#version 450
layout(location = 0) in vec2 at;
layout(binding = 0) uniform sampler2D image;
layout(push_constant) uniform Push { int twice; };
layout(location = 0) out vec4 color;

void main() {
  vec4 first = texture(image, at);
  if (twice > 0) first *= texture(image, at * 2.0);
  if (first.x + at.x < 0.25) discard;
  color = first + at.xyxy;
}
