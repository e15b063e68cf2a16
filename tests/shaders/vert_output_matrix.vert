// Matrices as outputs, written whole and by column.
#version 450
layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 tangent;
layout(location = 0) out mat3 frame;
layout(location = 3) out mat2x4 rest;

void main() {
  frame = mat3(tangent, cross(normal, tangent), normal);
  rest[0] = vec4(normal, 1.0);
  rest[1].yz = tangent.xy * 2.0;
  rest[1].xw = tangent.zz;
  gl_Position = vec4(normal, 1.0);
}
