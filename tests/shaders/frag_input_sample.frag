// Inputs at the sample, with perspective and without.
#version 450
layout(location = 0) sample in vec2 a;
layout(location = 1) sample noperspective in vec2 b;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(a * 2.0, b + a);
}
