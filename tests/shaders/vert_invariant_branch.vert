// An invariant position that a branch and a loop decide.
#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in int count;
layout(set = 0, binding = 0) uniform Wind { mat4 view; vec4 wind; };
layout(location = 0) out vec4 result;

invariant gl_Position;

void main() {
  vec3 moved = position;
  for (int i = 0; i < (count & 7); ++i) {
    moved += normal * wind.x + wind.yzw;
    if (dot(moved, moved) > 50.0) break;
  }
  if (dot(normal, wind.xyz) < 0.0) moved -= normal * wind.w;
  result = vec4(normal * wind.x, moved.x);
  gl_Position = view * vec4(moved, 1.0);
}
