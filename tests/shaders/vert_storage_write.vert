// A storage buffer that vertices write, each its own element.
#version 450
layout(location = 0) in vec4 position;
layout(set = 0, binding = 0) buffer Kept { vec4 kept[]; };

void main() {
  vec4 moved = position * 2.0 + 1.0;
  kept[gl_InstanceIndex * 16 + (gl_VertexIndex & 15)] = moved;
  gl_Position = moved;
}
