// Storage and uniform buffers chosen by values that differ between the fragments of a quad.
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(location = 0) in vec2 at;
layout(set = 0, binding = 0) uniform Numbers { vec4 numbers[4]; } uniforms[4];
layout(std430, set = 0, binding = 1) buffer Words { float words[]; } buffers[4];
layout(location = 0) out vec4 color;

void main() {
  uint which = uint(gl_FragCoord.x + gl_FragCoord.y) & 3u;
  uint place = uint(gl_FragCoord.x) & 15u;
  vec4 number = uniforms[nonuniformEXT(which)].numbers[place & 3u];
  color = number * 2.0 + at.xyxy + buffers[nonuniformEXT(which ^ 1u)].words[place];
}
