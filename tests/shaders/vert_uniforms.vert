// Matrices of a uniform buffer, row by row and column by column.
#version 450
layout(location = 0) in vec3 position;
layout(set = 0, binding = 0) uniform Camera { mat4 view; layout(row_major) mat4 projection; };
layout(set = 0, binding = 1) uniform Model { mat4x3 model; vec4 tint; } models[2];
layout(location = 0) out vec4 result;

void main() {
  vec4 world = vec4(models[1].model * vec4(position, 1.0), 1.0);
  result = models[0].tint * world.y;
  gl_Position = projection * (view * world);
}
