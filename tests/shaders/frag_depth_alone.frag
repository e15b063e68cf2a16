// Depth without a colour: the render target still has a surface, before that of the buffer that is read.
#version 450
layout(location = 0) in vec2 at;
layout(std430, binding = 0) readonly buffer Scales { float scale[]; };

void main() {
  gl_FragDepth = 1.0 / (1.0 + abs(at.x * scale[uint(gl_FragCoord.y) & 7u]));
}
