// Cull distances beside clip distances.
#version 450
layout(location = 0) in vec4 position;
out float gl_ClipDistance[2];
out float gl_CullDistance[2];

void main() {
  gl_Position = position;
  gl_ClipDistance[0] = position.x + position.w;
  gl_ClipDistance[1] = position.w - position.x;
  gl_CullDistance[0] = position.z * 2.0;
  gl_CullDistance[1] = 1.0 - position.z;
}
