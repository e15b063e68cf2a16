// The number of the view: each eye has a tint and a share of the inputs of its own.
#version 450
#extension GL_EXT_multiview : require
layout(location = 0) in vec4 colour;
layout(location = 1) flat in int count;
layout(location = 0) out vec4 result;
layout(location = 1) out ivec4 numbers;
layout(push_constant) uniform Push { vec4 tints[2]; };

void main() {
  numbers = ivec4(gl_ViewIndex, count, gl_ViewIndex * count, int(gl_FragCoord.y));
  vec4 tint = (gl_ViewIndex & 1) == 0 ? tints[0] : tints[1];
  result = colour * tint + vec4(float(gl_ViewIndex) * 0.125, 0.0, 0.0, gl_FragCoord.x);
}
