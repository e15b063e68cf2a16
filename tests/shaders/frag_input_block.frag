// An input block with members of different kinds.
#version 450
layout(location = 1) in Surface {
  vec3 normal;
  flat int kind;
  noperspective vec2 at;
} surface;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(surface.normal * float(surface.kind), surface.at.x - surface.at.y);
}
