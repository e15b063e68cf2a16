// The parameters of a draw: base vertex, base instance and its number.
#version 460
layout(location = 0) in vec4 position;
layout(location = 0) flat out ivec4 result;

void main() {
  result = ivec4(gl_BaseVertex, gl_BaseInstance, gl_DrawID, gl_VertexIndex - gl_BaseVertex);
  gl_Position = position + float(gl_BaseInstance);
}
