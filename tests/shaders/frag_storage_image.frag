// Storage images read and written.
#version 450
layout(location = 0) in vec2 at;
layout(binding = 0, rgba32f) uniform image2D image;
layout(binding = 1, r32ui) uniform writeonly uimage2D marks;
layout(location = 0) out vec4 color;

void main() {
  ivec2 p = ivec2(gl_FragCoord.xy) >> 1;
  vec4 there = imageLoad(image, p.yx & 7);
  imageStore(marks, p & 7, uvec4(p.x + p.y * 8 + 1));
  color = there * 2.0 + at.xyxy;
}
