// Inputs without perspective beside smooth ones.
#version 450
layout(location = 0) noperspective in vec3 flat_on_screen;
layout(location = 1) in vec3 in_space;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(flat_on_screen - in_space, dot(flat_on_screen, in_space));
}
