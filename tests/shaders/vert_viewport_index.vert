// The viewport that an instance is drawn to.
#version 450
#extension GL_ARB_shader_viewport_layer_array : require
layout(location = 0) in vec4 position;
layout(location = 1) in int viewport;

void main() {
  gl_Position = position;
  gl_ViewportIndex = (viewport + gl_InstanceIndex) & 3;
}
