// Cull distances, which follow the clip distances: with three and two the last one is in the second slot.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
in float gl_ClipDistance[3];
in float gl_CullDistance[2];

void main() {
  color = vec4(gl_CullDistance[0] * at.x, gl_CullDistance[1] + at.y, gl_ClipDistance[2] * 0.5, 1.0);
}
