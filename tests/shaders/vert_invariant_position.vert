// An invariant position, as a pass that draws depth alone computes it, and the same products elsewhere.
#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(set = 0, binding = 0) uniform Camera { mat4 view; mat4 world; };
layout(location = 0) out vec4 result;

invariant gl_Position;

void main() {
  vec4 placed = world * vec4(position, 1.0);
  gl_Position = view * placed;
  result = placed * normal.x + world[1] * position.y;
}
