// A triangle that covers the view, made from the number of its vertices.
#version 450
layout(location = 0) out vec4 result;

void main() {
  vec2 corner = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
  result = vec4(corner, float(gl_VertexIndex), 0.0);
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
