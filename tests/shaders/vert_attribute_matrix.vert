// Matrices as attributes, a column for each location, one of them chosen by value.
#version 450
layout(location = 0) in mat4 model;
layout(location = 4) in mat3x2 thin;
layout(location = 7) in vec3 position;
layout(location = 8) in int column;
layout(location = 0) out vec4 result;

void main() {
  result = vec4(thin * position, thin[column]);
  gl_Position = model * vec4(position, 1.0);
}
