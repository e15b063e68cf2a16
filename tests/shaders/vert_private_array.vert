// A private array that is chosen from by the number of the vertex.
#version 450
layout(location = 0) out vec4 result;

void main() {
  const vec2 corners[6] = vec2[6](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));
  vec2 corner = corners[gl_VertexIndex % 6];
  result = vec4(corner * 0.5 + 0.5, 0.0, 1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
}
