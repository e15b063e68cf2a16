// The number of the view chooses a matrix.
#version 450
#extension GL_EXT_multiview : require
layout(location = 0) in vec4 position;
layout(set = 0, binding = 0) uniform Views { mat4 views[2]; };
layout(location = 0) flat out int view;

void main() {
  view = gl_ViewIndex;
  gl_Position = views[gl_ViewIndex] * position;
}
