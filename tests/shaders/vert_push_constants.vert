// Push constants, some of them chosen by value.
#version 450
layout(location = 0) in vec4 position;
layout(push_constant) uniform Push { vec4 offsets[4]; float scale; };

void main() {
  gl_Position = position * scale + offsets[gl_InstanceIndex & 3];
}
