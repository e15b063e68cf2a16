// Instances of several views: each has a colour and an offset of its own, and each view a shift.
#version 450
#extension GL_EXT_multiview : require
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 offset;
layout(location = 0) out vec4 colour;
layout(location = 1) flat out ivec4 numbers;
layout(push_constant) uniform Push { float apart; };

void main() {
  numbers = ivec4(gl_InstanceIndex, gl_ViewIndex, gl_VertexIndex, gl_InstanceIndex * 16 + gl_ViewIndex);
  colour = offset * 0.5 + vec4(float(gl_InstanceIndex));
  gl_Position = position + offset;
  if (gl_ViewIndex > 1) gl_Position.x += apart * float(gl_ViewIndex);
}
