// Clip distances, one of them chosen by value.
#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in int chosen;
layout(set = 0, binding = 0) uniform Planes { vec4 planes[3]; };
out float gl_ClipDistance[3];

void main() {
  gl_Position = position;
  for (int i = 0; i < 3; ++i) gl_ClipDistance[i] = dot(position, planes[i]);
  gl_ClipDistance[clamp(chosen, 0, 2)] += 0.25;
}
