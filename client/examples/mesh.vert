// A mesh: position, normal and texture coordinate of each vertex.
#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 coordinate;

layout(push_constant) uniform Parameters { mat4 transform; } parameters;

layout(location = 0) out vec3 world_normal;
layout(location = 1) out vec2 texture_coordinate;  // mesh.frag does not read it: as a pair it is not computed

void main() {
  gl_Position = parameters.transform * vec4(position, 1.0);
  world_normal = mat3(parameters.transform) * normal;
  texture_coordinate = 0.5 * coordinate;
}
